"""A file is bytes: whatever they are, they are kept, and every span lies in them where it belongs."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.items import MemoryItem
from core.vocabulary import Standing
from stores.markdown.document import Document, parse_document, render, split_lines

ITEM = b"""\
- [2026-05-01] (knowledge) Tag before release.
  - id: mem-2026-05-01-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-01.md
"""

PIECES = (
    *(
        b"---\n",
        b"title: x\n",
        b"triggers: [a, b]\n",
        b"source_dates:\n  - 2026-05-01\n",
        b"\xef\xbb\xbf",
        b"\r",
        b"\r\n",
    ),
    *(
        b"\n",
        b"# T\n",
        b"## Historical lessons\n",
        b"### Deeper\n",
        b"```\n",
        b"~~~~\n",
        b"```yaml x\n",
        b"<!--",
        b"-->\n",
        b"  ",
        b"\t",
    ),
    *(b"- [2026-05-01] ", b"[mem-2026-05-01-001] ", b"(state) ", b"Text. ", b"Subject: a:b. ", b"Source: chat.\n"),
    *(
        b"  - id: mem-2026-05-01-002\n",
        b"  - Status: active\n",
        b"    - deeper\n",
        b"  - subject: s:x",
        b"* [2026-02-30] y\n",
    ),
    *(
        "[待清理] 文字。".encode(),
        b"\xe7",
        b"\0\0\0",
        b"- plain\n",
        b"<<<<<<< ours\n",
        b">>>>>>> theirs\n",
        b"\x0c\x0b\xc2\x85",
    ),
    *(
        b"[... the rest is unchanged ...]\n",
        ITEM,
        ITEM.replace(b"\n", b"\r\n"),
        b"  continued\n",
        b"lazy line\n",
        b"1. one\n",
    ),
)
FILES = st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=24).map(b"".join)


def parse(data: bytes, standing: Standing = Standing.TOPIC, *, strict: bool = True) -> Document:
    return parse_document("topics/t.md", data, standing, strict=strict)


def check_spans(document: Document) -> None:
    """Every span lies in the data, in order; fields and the fact lie in their record and never overlap."""
    size = len(document.data)
    end = 0
    for item in document.items:
        assert end <= item.start <= item.head_start <= item.head_end <= item.end <= size
        assert item.head_start <= item.text_start <= item.text_end <= item.end
        end = item.end
        pieces = sorted(
            [(item.text_start, item.text_end), *((field.start, field.end) for field in item.fields)],
        )
        assert all(one[1] <= other[0] for one, other in pairwise(pieces) if one != other)
        for field in item.fields:
            assert item.start <= field.start <= field.value_start <= field.value_end <= field.end <= item.end
    for one, other in pairwise(document.sections):
        assert one.heading_start < one.start <= other.heading_start
        assert one.start <= one.end <= size
    for number, one in enumerate(document.sections):
        later = (other.heading_start for other in document.sections[number + 1 :] if other.level <= one.level)
        assert one.end == next(later, size)
    for start, stop in document.hidden:
        assert 0 <= start < stop <= size
    matter = document.frontmatter
    if matter is not None:
        assert 0 <= matter.start <= matter.end <= size
        assert matter.inner_start <= matter.inner_end <= size
        for span in (matter.last_updated, matter.source_dates and (matter.source_dates.start, matter.source_dates.end)):
            assert span is None or matter.inner_start <= span[0] <= span[1] <= matter.inner_end


@settings(max_examples=300, deadline=None)
@given(FILES, st.sampled_from(list(Standing)))
def test_any_bytes_are_parsed_and_kept(data: bytes, standing: Standing) -> None:
    document = parse(data, standing)
    assert render(document) == data
    check_spans(document)
    assert all(finding.line is None or finding.line >= 1 for finding in document.findings)


@settings(max_examples=400, deadline=None)
@given(FILES, st.sampled_from([Standing.TOPIC, Standing.INBOX]))
def test_the_strict_scan_reads_what_the_tolerant_one_reads(data: bytes, standing: Standing) -> None:
    strict = parse(data, standing)
    tolerant = parse(data, standing, strict=False)
    assert strict == tolerant
    assert list(strict.items) == list(tolerant.items)


def test_what_the_scan_takes_are_items_like_any_other() -> None:
    (item,) = parse(ITEM).records
    assert type(item) is MemoryItem
    with pytest.raises(FrozenInstanceError):
        item.text = "x"  # type: ignore[misc]
    assert replace(item, key="k").text == item.text


def test_lines_break_at_newlines_and_carriage_returns_only() -> None:
    data = "a\x0bb\x0cc\x85d\u2028e\rf\r\ng\n\nh".encode()
    lines = [(data[line.start : line.end], line.eol) for line in split_lines(data)]
    assert lines == [
        ("a\x0bb\x0cc\x85d\u2028e".encode(), b"\r"),
        (b"f", b"\r\n"),
        (b"g", b"\n"),
        (b"", b"\n"),
        (b"h", b""),
    ]


def test_line_separators_inside_a_fact_leave_it_one_item() -> None:
    text = "a\x0cb\x0bc\x85d\u2028e"
    document = parse(ITEM.replace(b"Tag before release.", text.encode()))
    assert [item.text for item in document.records] == [text]


def test_sections_end_at_the_next_heading_of_their_level() -> None:
    data = b"# A\none\n## B ##\ntwo\n### C\nthree\n## D\nfour\n"
    found = {s.title: (s.level, data[s.start : s.end]) for s in parse(data).sections}
    assert found == {
        "A": (1, b"one\n## B ##\ntwo\n### C\nthree\n## D\nfour\n"),
        "B": (2, b"two\n### C\nthree\n"),
        "C": (3, b"three\n"),
        "D": (2, b"four\n"),
    }


def test_a_section_is_found_whatever_the_case_of_its_title() -> None:
    document = parse(b"# T\n\n## FACTS and Lessons\nx\n")
    section = document.section("Facts and lessons")
    assert section is not None
    assert section.title == "FACTS and Lessons"
    assert document.section("Summary") is None


def test_an_items_section_is_the_heading_above_it() -> None:
    document = parse(ITEM + b"\n# T\n\n## Facts and lessons\n\n" + ITEM)
    assert [item.place.section for item in document.records] == [None, "Facts and lessons"]
    assert [item.place.line for item in document.records] == [1, 11]


def test_historical_lessons_are_told_by_their_heading() -> None:
    data = b"## Historical LESSONS\n" + ITEM + b"### 2025\n" + ITEM + b"## Later\n" + ITEM
    standings = [item.standing for item in parse(data).records]
    assert standings == [Standing.HISTORICAL, Standing.HISTORICAL, Standing.TOPIC]
    assert [item.standing for item in parse(data, Standing.INBOX).records] == [Standing.INBOX] * 3


def test_a_byte_order_mark_is_neither_shown_nor_lost() -> None:
    document = parse(b"\xef\xbb\xbf" + ITEM)
    assert document.bom
    assert document.records[0].text == "Tag before release."
    assert document.items[0].start == 3
    assert parse(b"\xef\xbb\xbf---\ntitle: T\n---\n").frontmatter is not None


def test_a_cut_character_spoils_its_line_and_not_the_items_around_it() -> None:
    data = ITEM + b"- [2026-05-02] (knowledge) \xe7\xac\n" + ITEM.replace(b"-001", b"-002")
    document = parse(data)
    assert [item.id for item in document.records] == ["mem-2026-05-01-001", None, "mem-2026-05-01-002"]
    assert document.records[1].text == "\ufffd"
    assert "no UTF-8" in document.unwritable
    assert [(f.code, f.line) for f in document.findings if f.code == "undecodable"] == [("undecodable", 6)]


def test_nul_runs_are_damage() -> None:
    document = parse(b"# T\n\n" + b"\0" * 4096 + b"\n" + ITEM)
    assert document.unwritable.startswith("damaged")
    assert [(f.code, f.line) for f in document.findings] == [("nul-run", 3)]
    assert len(document.records) == 1


def test_items_in_fences_and_comments_are_none() -> None:
    data = (
        ITEM
        + b"\n```md {#example .x}\n- [2026-05-04] (knowledge) An example.\n~~~\n- [2026-05-04] (state) Inside.\n```\n"
        + b"~~~~\n```\n- [2026-05-04] (state) Inside too.\n~~~\n~~~~ \n"
        + b"<!-- - [2026-05-04] (knowledge) Commented. -->\n<!--\n- [2026-05-04] (state) Also.\n-->\n\n"
        + ITEM.replace(b"-001", b"-002")
    )
    document = parse(data)
    assert [item.id for item in document.records] == ["mem-2026-05-01-001", "mem-2026-05-01-002"]
    assert document.open_fence is None
    assert [data[a:b].splitlines()[0] for a, b in document.hidden] == [
        b"```md {#example .x}",
        b"~~~~",
        b"<!-- - [2026-05-04] (knowledge) Commented. -->",
        b"<!--",
    ]


def test_what_follows_an_open_fence_is_no_item() -> None:
    data = b"# Open\n\n```sh\nmake release\n\n" + ITEM
    document = parse(data)
    assert document.records == ()
    assert document.open_fence == data.index(b"```sh")
    assert [(f.code, f.line) for f in document.findings] == [("open-fence", 3)]
    assert document.unwritable == "", "what stands before the fence is safe"


def test_an_open_comment_hides_what_follows() -> None:
    document = parse(ITEM + b"<!-- begins\n" + ITEM)
    assert len(document.records) == 1
    assert [(f.code, f.line) for f in document.findings] == [("open-fence", 6)]


def test_a_fence_cut_inside_an_item_ends_with_the_item() -> None:
    data = b"- [2026-05-01] (state) A.\n  ```sh\n  make\n" + ITEM
    document = parse(data)
    assert [item.text for item in document.records] == ["A.", "Tag before release."]
    assert document.open_fence is None
    assert ("open-fence", 2) in [(f.code, f.line) for f in document.findings]


@pytest.mark.parametrize(
    ("data", "eol"),
    [(b"a\r\nb\r\nc\n", b"\r\n"), (b"a\nb\nc\r\n", b"\n"), (b"a\rb\r", b"\r"), (b"", b"\n"), (b"x", b"\n")],
)
def test_the_dominant_line_end_is_the_one_to_write_with(data: bytes, eol: bytes) -> None:
    assert parse(data).eol == eol


@pytest.mark.parametrize(
    "line",
    [
        "[... rest of the existing content remains the same ...]",
        "<!-- ... existing items unchanged ... -->",
        "… unchanged …",
        "... (other sections omitted for brevity) ...",
        "(rest of the file unchanged)",
        "The rest of the file remains unchanged.",
        "- [... previous entries kept ...]",
        "[……其余内容保持不变……]",
        "（以下内容省略）",
        "// ... existing content ...",
    ],
)
def test_a_sentence_in_place_of_the_rest_is_a_lost_rewrite(line: str) -> None:
    document = parse(f"# Workflows\n\n- [2026-05-01] (knowledge) Tag.\n\n{line}\n".encode())
    assert [f.line for f in document.findings if f.code == "lost-rewrite"] == [5]
    glued = parse(f"- [2026-05-01] (knowledge) Tag.\n{line}\n".encode())
    assert [f.line for f in glued.findings if f.code == "lost-rewrite"] == [2]
    assert glued.records[0].text == "Tag."


@pytest.mark.parametrize(
    "line",
    [
        "The rest of the team keeps the same hours.",
        "The API remains unchanged since March.",
        "- [Deploy guide](topics/deploy.md) — Read when the existing content is moved.",
        "- [2026-05-01] (knowledge) [the rest of the file is unchanged] by the tool.",
        "<!-- do not touch -->",
        "(existing items are kept by the tool)",
        "其余人员安排不变。",
        "wait ...",
    ],
)
def test_prose_about_sameness_is_no_lost_rewrite(line: str) -> None:
    codes = {f.code for f in parse(f"# T\n\n{line}\n".encode()).findings}
    assert "lost-rewrite" not in codes


def test_merge_markers_are_found_outside_fences_only() -> None:
    markers = b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"
    assert [(f.code, f.line) for f in parse(b"# W\n\n" + markers).findings] == [("merge-markers", 3)]
    assert parse(b"# W\n\n```\n" + markers + b"```\n").findings == ()
    assert parse(b"Title\n=======\n").findings == ()


def test_records_get_new_keys_with_their_findings() -> None:
    document = parse(ITEM.replace(b"(knowledge)", b"(state)").replace(b"kind: knowledge", b"kind: state") * 2)
    assert [f.code for f in document.findings] == ["missing-subject"] * 2
    again = document.rekeyed({0: "first", 1: "second"})
    assert [item.key for item in again.records] == ["first", "second"]
    assert [item.item.key for item in again.items] == ["first", "second"]
    assert [f.item for f in again.findings] == ["first", "second"]
    assert again.data == document.data
    assert again.find("second") == again.items[1]
    assert again.find("nobody") is None


def test_items_can_be_taken_by_index_and_slice() -> None:
    document = parse(ITEM * 3)
    assert len(document.items) == 3
    assert document.items[-1] == document.items[2]
    assert document.items[1:] == (document.items[1], document.items[2])
    with pytest.raises(IndexError):
        document.items[3]


def test_a_very_long_item_is_read_whole() -> None:
    text = "word " * 8_000 + "end."
    document = parse(ITEM.replace(b"Tag before release.", text.encode()))
    assert document.records[0].text == text


def test_thousands_of_open_brackets_take_no_time() -> None:
    data = b"- [2026-05-01] (" * 3_000 + b"\n" + b"  - a: [" * 3_000 + b"\n" + b"[" * 20_000
    assert render(parse(data)) == data
