"""The engine's YAML: any reader gets the same text back."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from stores.markdown.yaml_text import fence, flow_list, mapping, scalar

TEXTS = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    ["yes", "No", "null", "~", "0012", "1.0", "1e3", "12:30", "2026-05-26", "0x1f", ".inf", "<<", "=", "-", "?", ":"]
)


def read_both(text: str) -> tuple[object, object]:
    return yaml.load(text, Loader=yaml.BaseLoader), yaml.safe_load(text)


@given(TEXTS)
@example("")
@example("a: b")
@example("a #b")
@example("# heading")
@example("``` fence ```")
@example("NEL\x85 LS\u2028 PS\u2029 BOM\ufeff DEL\x7f NUL\0 ESC\x1b")
@example("\u202eevil\u202c")
@example("lone \ud800 surrogate")
@example('quote " and \\ backslash')
@example("trailing blank ")
@example("{braces: [yes]}")
@example("&anchor *alias !tag %directive @at `tick`")
def test_a_scalar_reads_back_as_the_same_text(text: str) -> None:
    expected = {"key": text, "list": [text, text], "block": [text]}
    lines = f"key: {scalar(text)}\nlist: {flow_list([text, text])}\nblock:\n  - {scalar(text)}\n"

    assert read_both(lines) == (expected, expected)


@given(TEXTS)
def test_a_scalar_stands_on_one_line_and_shows_no_control_character(text: str) -> None:
    written = scalar(text)

    assert len(written.splitlines()) == 1
    assert all(character.isprintable() or character.isspace() for character in written if character < "\u0100")


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), TEXTS | st.lists(TEXTS, max_size=9)))
def test_a_mapping_reads_back_in_order(fields: dict[str, str | list[str]]) -> None:
    text = "\n".join(mapping(fields, indent="  "))

    assert read_both(text)[0] == (fields or None)
    assert list(read_both(text)[1] or {}) == list(fields)


def test_what_needs_no_quotes_has_none() -> None:
    for text in ("mem-2026-05-20-001", "owner:ana", "archive/2026-05-20.md#run-7", "k3s is down", "部署 失败", "a - b"):
        assert scalar(text) == text


@pytest.mark.parametrize("text", ["yes", "0012", "2026-05-26", "12:30", "a: b", "a #b", "- a", "a ", ""])
def test_what_a_reader_could_turn_into_something_else_is_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


def test_lists_are_in_flow_style_where_short_and_one_a_line_where_long() -> None:
    ids = [f"mem-2026-05-20-{number:03}" for number in range(8)]

    assert mapping({"ids": []}) == ("ids: []",)
    assert mapping({"ids": ids[:2]}) == ("ids: [mem-2026-05-20-000, mem-2026-05-20-001]",)
    assert mapping({"scope": {"ids": ids}})[:3] == ("scope:", "  ids:", "    - mem-2026-05-20-000")


def test_a_list_of_mappings() -> None:
    assert mapping({"holders": [{"holder_ref": "topics/a.md", "result": "completed"}]}) == (
        "holders:",
        "  - holder_ref: topics/a.md",
        "    result: completed",
    )


def test_a_fence_is_longer_than_any_run_inside() -> None:
    assert fence(["plain"]) == "```"
    assert fence(["a ``` b", "`````"]) == "``````"
