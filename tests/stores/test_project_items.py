"""Items added and moved: whole records, on lines of their own, in the style of their neighbours."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.changes import AddItem, MoveItem
from core.errors import WriteRefused
from core.items import Record
from tests.stores.projecting import Root, event, set_fields

FRESH: Record = {
    "text": "The staging port is 9443.",
    "date": "2026-06-12",
    "id": "mem-2026-06-12-001",
    "kind": "state",
    "subject": "staging:port",
    "Status": "active",
    "corroborating_refs": ("archive/2026-05-11.md", "topics/t.md#Ports"),
    "Source": "archive/2026-06-12.md#port",
}

WRITTEN = """\
- [2026-06-12] (state) The staging port is 9443.
  - id: mem-2026-06-12-001
  - kind: state
  - subject: staging:port
  - Status: active
  - corroborating_refs:
    - archive/2026-05-11.md
    - topics/t.md#Ports
  - Source: archive/2026-06-12.md#port
"""

SHORT = "- [2026-06-12] (knowledge) New.\n  - id: mem-2026-06-12-002\n  - kind: knowledge\n  - Source: retro\n"
NEW: Record = {
    "text": "New.",
    "date": "2026-06-12",
    "id": "mem-2026-06-12-002",
    "kind": "knowledge",
    "Source": "retro",
}


def item(number: int, text: str = "Tag before release.") -> str:
    return (
        f"- [2026-05-01] (knowledge) {text}\n  - id: mem-2026-05-01-{number:03}\n  - kind: knowledge\n  - Source: a\n"
    )


def added(data: str | bytes, *, section: str | None = None, before: str | None = None, record: Record = NEW) -> bytes:
    return Root({"topics/t.md": data}).after(AddItem(record, "topics/t.md", section, before))["topics/t.md"]


def test_a_new_item_is_written_in_the_canonical_form() -> None:
    assert added("# Ports\n", record=FRESH) == f"# Ports\n\n{WRITTEN}".encode()


def test_it_stands_behind_the_last_item_of_its_section() -> None:
    data = f"# T\n\n## Facts\n\n{item(1)}\n## Pending\n\n{item(2)}"

    assert added(data, section="Facts") == f"# T\n\n## Facts\n\n{item(1)}{SHORT}\n## Pending\n\n{item(2)}".encode()
    assert added(data, section="Pending") == f"{data}{SHORT}".encode()
    assert added(data) == f"{data}{SHORT}".encode()


def test_items_set_apart_by_blank_lines_stay_so() -> None:
    data = f"## Facts\n\n{item(1)}\n{item(2)}\n## Next\n"

    assert added(data, section="Facts") == f"## Facts\n\n{item(1)}\n{item(2)}\n{SHORT}\n## Next\n".encode()
    assert added(data, section="Facts", before="mem-2026-05-01-002") == (
        f"## Facts\n\n{item(1)}\n{SHORT}\n{item(2)}\n## Next\n".encode()
    )


def test_before_an_item() -> None:
    data = f"## Facts\n{item(1)}{item(2)}"

    assert added(data, section="Facts", before="mem-2026-05-01-002") == f"## Facts\n{item(1)}{SHORT}{item(2)}".encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("## Facts\n\n## Next\n", f"## Facts\n\n{SHORT}\n## Next\n"),
        ("## Facts\n## Next\n", f"## Facts\n\n{SHORT}\n## Next\n"),
        ("## Facts\n\nProse.\n\n## Next\n", f"## Facts\n\nProse.\n\n{SHORT}\n## Next\n"),
        ("## Facts", f"## Facts\n\n{SHORT}"),
        ("## Facts\n\nProse.", f"## Facts\n\nProse.\n\n{SHORT}"),
        ("# T\n", f"# T\n\n## Facts\n\n{SHORT}"),
        ("# T\n\nA paragraph", f"# T\n\nA paragraph\n\n## Facts\n\n{SHORT}"),
        ("## facts\n", f"## facts\n\n{SHORT}"),
    ],
)
def test_a_section_without_items_or_none_at_all(data: str, expected: str) -> None:
    assert added(data, section="Facts") == expected.encode()


def test_two_items_in_one_new_section_share_its_heading() -> None:
    root = Root({"topics/t.md": "# T\n"})
    other = {**NEW, "id": "mem-2026-06-12-003"}

    written = root.after(AddItem(NEW, "topics/t.md", "Facts"), AddItem(other, "topics/t.md", "Facts"))["topics/t.md"]

    assert written == f"# T\n\n## Facts\n\n{SHORT}{SHORT.replace('-002', '-003')}".encode()


def test_mixed_ends_and_no_line_end_at_the_end_of_the_file() -> None:
    data = item(1).encode().replace(b"\n", b"\r\n")[:-2]

    assert added(b"# W\r\n\n" + data) == b"# W\r\n\n" + data + b"\r\n" + SHORT.encode().replace(b"\n", b"\r\n")


def test_a_paragraph_without_line_end_stays_a_paragraph() -> None:
    root = Root({"topics/t.md": "Notes of the day"})

    assert root.after(AddItem(NEW, "topics/t.md"))["topics/t.md"] == f"Notes of the day\n\n{SHORT}".encode()


def test_a_new_topic_gets_a_title() -> None:
    written = Root({}).after(AddItem(NEW, "topics/build-host.md", "Facts and lessons"))

    assert written == {"topics/build-host.md": f"# Build host\n\n## Facts and lessons\n\n{SHORT}".encode()}


def test_a_text_of_two_paragraphs_reads_back_as_such() -> None:
    record = {**NEW, "text": "First.\nSecond  one."}
    root = Root({"memory.md": "# 2026-06-12\n"}).apply(AddItem(record, "memory.md"))

    assert root.files["memory.md"] == (
        b"# 2026-06-12\n\n- [2026-06-12] (knowledge) First.\n\n  Second  one.\n"
        b"  - id: mem-2026-06-12-002\n  - kind: knowledge\n  - Source: retro\n"
    )
    assert root.snapshot.items[0].text == "First.\nSecond  one."


@pytest.mark.parametrize("text", ["fine.\n- [2026-01-01] (state) other", "cut\n```sh", "a NUL \0", "half \ud800 pair"])
def test_a_text_that_would_read_back_as_something_else_is_refused(text: str) -> None:
    with pytest.raises(WriteRefused):
        added("# T\n", record={**NEW, "text": text})


def test_a_text_that_speaks_of_a_source_keeps_it_and_has_its_own_behind_it() -> None:
    text = "The page says Source: unknown."
    root = Root({"topics/t.md": "# T\n"}).apply(AddItem({**NEW, "text": text}, "topics/t.md"))

    assert b"(knowledge) The page says Source: unknown. Source: retro.\n  - id" in root.files["topics/t.md"]
    assert (root.snapshot.items[0].text, root.snapshot.items[0].source) == (text, "retro")


@settings(max_examples=150, deadline=None)
@given(st.text(min_size=1).filter(str.strip), st.sampled_from(["", item(1), "- [2026-05-01] (state) x. Source: a."]))
def test_any_text_is_written_so_that_it_reads_back_or_refused(text: str, beside: str) -> None:
    root = Root({"topics/t.md": f"# T\n\n{beside}"})

    try:
        after = root.apply(AddItem({**NEW, "text": text}, "topics/t.md"))
    except WriteRefused:
        assert any(sign in text for sign in "\0-*+#`~<>[]()\r\n|=:：0123456789_{")
        return

    assert after.files["topics/t.md"].startswith(f"# T\n\n{beside}".encode())
    assert after.snapshot.items[-1].text.split() == text.split()


def test_nothing_is_added_behind_an_open_fence() -> None:
    data = f"# Open\n\n{item(1)}\n```sh\nmake release\n"

    with pytest.raises(WriteRefused, match="never closed") as caught:
        added(data, section="Facts")
    assert caught.value.where == "topics/t.md:8"
    assert caught.value.remedy
    assert added(data) == data.replace("Source: a\n", f"Source: a\n{SHORT}").encode()


def test_a_move_takes_the_records_bytes_along() -> None:
    odd = "- [2026-05-01] (knowledge) Cools.  \n\n  Second paragraph.\n  - id: mem-2026-05-01-007\n  - note: x \n"
    data = f"## Facts\n\n{item(1)}{odd}{item(2)}"
    root = Root({"topics/t.md": data})

    written = root.after(MoveItem("mem-2026-05-01-007", "topics/t.md", "Historical lessons"))["topics/t.md"]

    assert written == f"## Facts\n\n{item(1)}{item(2)}\n## Historical lessons\n\n{odd}".encode()


def test_a_move_between_files_with_a_field_changed_on_the_way() -> None:
    root = Root({"memory.md": f"# 2026-06-12\n\n{item(1)}{item(2)}", "topics/t.md": "# T\r\n\r\n## Facts\r\n"})

    written = root.after(
        MoveItem("mem-2026-05-01-001", "topics/t.md", "Facts"), set_fields("mem-2026-05-01-001", Status="active")
    )

    moved = item(1).replace("  - Source", "  - Status: active\n  - Source")
    assert written["memory.md"] == f"# 2026-06-12\n\n{item(2)}".encode()
    assert written["topics/t.md"] == b"# T\r\n\r\n## Facts\r\n\r\n" + moved.encode()


def test_an_item_without_line_end_gets_one_where_it_goes() -> None:
    root = Root({"memory.md": item(1).rstrip("\n"), "topics/t.md": f"# T\n\n{item(2)}"})

    written = root.after(MoveItem("mem-2026-05-01-001", "topics/t.md", None))

    assert written == {"memory.md": b"", "topics/t.md": f"# T\n\n{item(2)}{item(1)}".encode()}


def test_a_successor_stands_in_its_predecessors_file_by_one_replacement() -> None:
    root = Root({"topics/t.md": f"## Facts\n\n{item(1)}{item(2)}"})

    edits = root.project(
        AddItem(NEW, "topics/t.md", "Facts", None),
        set_fields("mem-2026-05-01-001", Status="superseded", superseded_by="mem-2026-06-12-002"),
        set_fields("mem-2026-05-01-002", Status="superseded", superseded_by="mem-2026-06-12-002"),
    ).edits

    gone = "  - Status: superseded\n  - superseded_by: mem-2026-06-12-002\n  - Source"
    (edit,) = edits
    assert (
        edit.after
        == ("## Facts\n\n" + item(1).replace("  - Source", gone) + item(2).replace("  - Source", gone) + SHORT).encode()
    )


def test_rows_elsewhere_lose_before_the_new_row_appears() -> None:
    root = Root({"topics/a.md": item(1), "topics/b.md": item(2), "log.md": "# Log\n"})

    edits = root.project(
        AddItem(NEW, "topics/a.md"),
        set_fields("mem-2026-05-01-001", Status="superseded"),
        set_fields("mem-2026-05-01-002", Status="superseded"),
        event(),
    ).edits

    assert [edit.path for edit in edits] == ["log.md", "log/2026-06.jsonl", "topics/b.md", "topics/a.md"]


def test_a_decomposed_name_is_written_as_the_folder_has_it() -> None:
    stored = unicodedata.normalize("NFD", "topics/déploiement.md")
    asked = unicodedata.normalize("NFC", stored)
    assert stored != asked
    root = Root({stored: f"# D\n\n{item(1)}"})

    assert root.after(AddItem(NEW, asked)) == {stored: f"# D\n\n{item(1)}{SHORT}".encode()}


def test_a_stranger_appending_to_the_file_does_not_move_the_item_to_another_section() -> None:
    from stores.markdown.edits import apply_edits, rebase

    data = f"## Facts\n\n{item(1)}"
    (edit,) = Root({"topics/t.md": data}).project(AddItem(NEW, "topics/t.md", "Facts")).edits
    now = f"{data}\n## Theirs\n\nSomething.\n".encode()

    placed = rebase(data.encode(), edit.edits, now)

    assert placed is not None
    assert apply_edits(now, placed) == f"{data}{SHORT}\n## Theirs\n\nSomething.\n".encode()
