"""Frontmatter (§11): understood as text, never rewritten; broken or doubtful blocks are said, not guessed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.vocabulary import Standing
from stores.markdown.document import Document, parse_document
from stores.markdown.frontmatter import Frontmatter
from stores.markdown.yaml_read import YamlError, read_at_a_glance, read_simple, read_with_pyyaml, read_yaml

TOPIC = """\
---
title: Operational Pitfalls
layer: warm
triggers:
  - k3s troubleshooting
  - "kubectl: cannot connect"
last_updated: 2026-05-11
source_dates:
  - 2026-05-01
  - 2026-05-11
---
# Operational Pitfalls
"""


def parse(text: str | bytes) -> Document:
    data = text.encode() if isinstance(text, str) else text
    return parse_document("topics/t.md", data, Standing.TOPIC)


def matter(text: str | bytes) -> Frontmatter:
    found = parse(text).frontmatter
    assert found is not None
    return found


def findings(text: str) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in parse(text).findings]


def test_values_and_the_spans_for_the_writer() -> None:
    found = matter(TOPIC)
    assert dict(found.values) == {
        "title": "Operational Pitfalls",
        "layer": "warm",
        "triggers": ("k3s troubleshooting", "kubectl: cannot connect"),
        "last_updated": "2026-05-11",
        "source_dates": ("2026-05-01", "2026-05-11"),
    }
    data = TOPIC.encode()
    assert (found.start, data[found.end :]) == (0, b"# Operational Pitfalls\n")
    assert data[found.inner_start : found.inner_end].startswith(b"title: ")
    assert data[found.inner_start : found.inner_end].endswith(b"2026-05-11\n")
    assert found.last_updated is not None
    assert data[slice(*found.last_updated)] == b"2026-05-11"
    dates = found.source_dates
    assert dates is not None
    assert dates.form == "block"
    assert data[dates.start : dates.end] == b"  - 2026-05-01\n  - 2026-05-11\n"
    assert [data[slice(*entry)] for entry in dates.entries] == [b"2026-05-01", b"2026-05-11"]
    assert dates.indent == b"  "
    assert data[dates.key_start :].startswith(b"source_dates:")


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("fallback", ["", "note: >\n  folded\n"])
def test_spans_are_in_bytes_whatever_the_line_end_and_the_reader(eol: str, fallback: str) -> None:
    text = TOPIC.replace("title:", "标题: 好\ntitle:").replace("last_updated", fallback + "last_updated")
    data = text.replace("\n", eol).encode()
    found = matter(data)
    assert found.last_updated is not None
    assert data[slice(*found.last_updated)] == b"2026-05-11"
    assert found.source_dates is not None
    lines = f"  - 2026-05-01{eol}  - 2026-05-11{eol}".encode()
    assert data[found.source_dates.start : found.source_dates.end] == lines
    assert found.values["标题"] == "好"


@pytest.mark.parametrize(
    ("written", "form", "span"),
    [
        ("source_dates: [2026-05-01, 2026-05-11]\n", "flow", "[2026-05-01, 2026-05-11]"),
        ("source_dates: []\n", "flow", "[]"),
        ("source_dates:\n", "empty", ""),
        ("source_dates: 2026-05-01\n", "scalar", "2026-05-01"),
        ("source_dates:\n- 2026-05-01\n", "block", "- 2026-05-01\n"),
    ],
)
def test_forms_of_source_dates(written: str, form: str, span: str) -> None:
    text = f"---\ntitle: T\n{written}---\n"
    dates = matter(text).source_dates
    assert dates is not None
    assert (dates.form, text[dates.start : dates.end]) == (form, span)
    if form == "empty":
        assert text[: dates.start].endswith("source_dates:")


def test_nothing_passes_through_yaml_types() -> None:
    text = (
        "---\ntitle: 2026-05-26\nversion: 1.0\nlayer: no\nlast_updated: 2026-02-30\ntriggers:\n  - 0012\n  - 12:30\n"
        "empty:\nnull: ~\ntags: {a: 1}\n---\n"
    )
    assert dict(matter(text).values) == {
        "title": "2026-05-26",
        "version": "1.0",
        "layer": "no",
        "last_updated": "2026-02-30",
        "triggers": ("0012", "12:30"),
        "empty": "",
        "null": "~",
        "tags": "{a: 1}",
    }


def test_broken_frontmatter_is_flagged_with_its_place_and_never_written_over() -> None:
    text = (
        '---\ntitle: "환경" means: merge\ntriggers: [review, pr\n---\n- [2026-05-03] (knowledge) Read all the same.\n'
    )
    document = parse(text)
    assert document.frontmatter is not None
    assert document.frontmatter.error is not None
    assert document.frontmatter.error[:2] == (2, 13)
    assert dict(document.frontmatter.values) == {}
    assert document.unwritable == "its frontmatter does not parse"
    assert [item.text for item in document.records] == ["Read all the same."]
    (finding,) = (f for f in document.findings if f.code == "frontmatter-broken")
    assert (finding.line, "line 2, column 13" in finding.message) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "---\nStatus of the day, written by hand.\n\n---\n\n## Facts and lessons\n",
        "---\n\n---\nprose\n\nNote\n",
        "--- \nProse: with a colon.\nAnd a second sentence.\n---\n",
        "---\n- a list\n---\n",
        "----\ntitle: x\n----\n",
        "\n---\ntitle: x\n---\n",
        "# T\n---\ntitle: x\n---\n",
        "---\nNever closed, only a rule.\n",
    ],
)
def test_a_rule_is_no_frontmatter(text: str) -> None:
    document = parse(text)
    assert document.frontmatter is None or not document.frontmatter.values
    assert document.unwritable == ""
    assert document.findings == ()


def test_frontmatter_that_is_never_closed_is_broken() -> None:
    text = "---\ntitle: T\ntriggers:\n  - a\n\n- [2026-05-03] (knowledge) Read. Source: x.\n"
    assert ("frontmatter-broken", 1) in findings(text)
    assert parse(text).unwritable
    assert len(parse(text).records) == 1


def test_the_first_of_two_blocks_counts() -> None:
    text = "---\nlayer: warm\n---\n\n---\ntitle: Real title\ntriggers:\n  - deploy\n---\n# Double\n"
    assert dict(matter(text).values) == {"layer": "warm"}
    assert findings(text) == [("second-frontmatter", 5)]
    assert parse(text).unwritable == ""


def test_a_rule_below_the_frontmatter_is_no_second_block() -> None:
    assert findings("---\nlayer: warm\n---\n\n---\n\nProse.\n\n---\n") == []


def test_keys_without_a_mapping_are_broken() -> None:
    document = parse("---\n!!str title: T\n---\n")
    assert document.frontmatter is None
    document = parse("---\n- a\ntitle: T\n---\n")
    assert document.frontmatter is not None
    assert document.frontmatter.error is not None


def test_undecodable_frontmatter_is_broken() -> None:
    document = parse(b"---\ntitle: \xff\n---\n")
    assert document.frontmatter is not None
    assert document.frontmatter.error == (2, 8, "bytes that are no UTF-8")


KEYS = st.sampled_from(["title", "layer", "a-b", "_c", "scope", "x1"])
SCALARS = st.sampled_from(
    [
        *("x", "a b", "0012", "no", "1.0", "12:30", "2026-02-30", "a#b", "a # b", "a: b", "[x]", '"q: r"', "'it''s'"),
        *("~", "-", "- x", "好", "a\u00a0", '"\\u2028"', '"\\x41\\n"', "'", '"', "@a", "%a", "!t a", "&a b", "*a", "|"),
        *(">", "?", "[a, b]", "[]", "[ ]", "['a', \"b\"]", "[a, ]", "[a:b, c]", "[a: b]", "[a #b]", "{a: b}", "a,b"),
        *("https://x.y/z?q#f", "a:", ""),
    ]
)
LINES = st.one_of(
    st.builds(lambda k, v, i: f"{i}{k}: {v}", KEYS, SCALARS, st.sampled_from(["", "  ", "    "])),
    st.builds(lambda k, i: f"{i}{k}:", KEYS, st.sampled_from(["", "  "])),
    st.builds(lambda v, i: f"{i}- {v}", SCALARS, st.sampled_from(["", "  ", "    "])),
    st.builds(lambda k, v: f"  - {k}: {v}", KEYS, SCALARS),
    st.sampled_from(["", "# note", "  # note", "---", "...", "  more", "\ttab", "a: b # c"]),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=7), st.sampled_from(["\n", "\r\n"]))
def test_the_plain_reader_agrees_with_pyyaml(lines: list[str], eol: str) -> None:
    text = eol.join(lines) + eol
    simple = read_simple(text)
    if simple is None:
        return
    full = read_with_pyyaml(text)
    assert simple.plain() == full.plain()
    assert isinstance(simple.value, dict | list)
    if isinstance(simple.value, dict) and isinstance(full.value, dict):
        for name, node in simple.value.items():
            other = full.value[name]
            if isinstance(node.value, str):
                assert (node.start, node.end) == (other.start, other.end)
            assert node.flow == other.flow


BARE = st.sampled_from(
    ["x", "a b", "0012", "2026-05-01", "好", "é-1", "a\u00a0", "a,b [c]", "a:", "a #b", "x ", "a\u2028"]
)
PAIRS = st.one_of(
    st.builds(lambda k, v: f"{k}: {v}\n", KEYS, BARE),
    st.builds(lambda k, vs: f"{k}:\n" + "".join(f"  - {v}\n" for v in vs), KEYS, st.lists(BARE, max_size=3)),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PAIRS, max_size=4).map("".join) | st.lists(LINES, max_size=7).map("\n".join) | st.text(max_size=12))
def test_what_is_read_at_a_glance_is_what_is_read_line_by_line(text: str) -> None:
    assert read_at_a_glance(text) in (None, read_simple(text))


def test_what_most_topic_pages_have_is_read_at_a_glance() -> None:
    text = "title: 部署 Notes\nlayer: warm\ntriggers:\n  - deploy\n  - 回滚 now\nlast_updated: 2026-05-11\n"
    found = read_at_a_glance(text)
    assert found is not None
    assert found == read_simple(text)
    assert found.plain() == {
        "title": "部署 Notes",
        "layer": "warm",
        "triggers": ["deploy", "回滚 now"],
        "last_updated": "2026-05-11",
    }


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.text(st.sampled_from("[]{}:-,&*!|>'\"%@#\n a"), max_size=60))
def test_reading_yaml_fails_in_one_way_only(text: str) -> None:
    try:
        read_yaml(text)
    except YamlError as error:
        place, reason = error.index, error.reason
    else:
        return
    assert 0 <= place <= len(text)
    assert reason


def test_aliases_do_not_unfold_and_nesting_ends() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    with pytest.raises(YamlError):
        read_yaml("- " * 60 + "x")
    assert isinstance(read_yaml(bomb.split("\na19")[0] + "\n").value, dict)
    with pytest.raises(YamlError):
        read_yaml("&a [*a]")
    with pytest.raises(YamlError, match="deeply"):
        read_yaml("[" * 100_000)
    with pytest.raises(YamlError):
        read_yaml("\n".join(" " * depth + "a:" for depth in range(2_000)))
    with pytest.raises(YamlError, match="long"):
        read_yaml("a: |\n" + "  x\n" * 100_000)


def test_plain_frontmatter_does_not_import_yaml() -> None:
    program = (
        "import sys\nfrom stores.markdown.document import parse_document\nfrom core.vocabulary import Standing\n"
        f"found = parse_document('t.md', {TOPIC.encode()!r}, Standing.TOPIC).frontmatter\n"
        "assert found.values['layer'] == 'warm'\nprint('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
