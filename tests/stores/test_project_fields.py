"""Fields set, added and removed: the value's bytes change, everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.binding import Binding
from core.errors import WriteRefused
from core.items import FieldValue
from tests.stores.projecting import Root, event, set_fields

STRUCTURED = """\
# Environment

- [2026-05-01] (state) Host runs Debian 12.
  - id: mem-2026-05-01-001
  - kind: state
  - subject: host:os
  - Status: active
  - Source: archive/2026-05-02.md
"""


def after(data: str | bytes, key: str, **fields: FieldValue | None) -> bytes:
    root = Root({"topics/t.md": data})
    return root.after(set_fields(key, **fields)).get("topics/t.md", root.files["topics/t.md"])


def test_a_value_is_replaced_in_its_place() -> None:
    assert (
        after(STRUCTURED, "mem-2026-05-01-001", Status="stale")
        == STRUCTURED.replace("Status: active", "Status: stale").encode()
    )


def test_crlf_stays_and_the_last_token_has_no_return_in_it() -> None:
    data = STRUCTURED.replace("\n", "\r\n")

    assert (
        after(data, "mem-2026-05-01-001", Status="stale", Source="archive/2026-05-03.md")
        == data.replace("Status: active\r\n", "Status: stale\r\n").replace("05-02.md", "05-03.md").encode()
    )


def test_a_field_that_is_missing_is_added_in_canonical_order_with_the_line_ends_of_its_record() -> None:
    data = STRUCTURED.replace("\n", "\r\n")

    assert after(data, "mem-2026-05-01-001", superseded_by="mem-2026-06-01-001", Scope="environment") == (
        data.replace(
            "  - Status: active\r\n",
            "  - Scope: environment\r\n  - Status: active\r\n  - superseded_by: mem-2026-06-01-001\r\n",
        ).encode()
    )


def test_mixed_line_ends_and_no_line_end_at_the_end_of_the_file() -> None:
    data = b"- [2026-05-01] (knowledge) Tag first.\r\n  - id: mem-2026-05-01-002\n  - kind: knowledge\r\n  - Source: a"

    assert after(data, "mem-2026-05-01-002", Confidence="inferred") == (data + b"\r\n  - Confidence: inferred")
    assert after(data, "mem-2026-05-01-002", Status="active") == (
        data.replace(b"  - kind: knowledge\r\n", b"  - kind: knowledge\r\n  - Status: active\r\n")
    )
    assert after(data, "mem-2026-05-01-002", Source=None) == data.replace(b"  - Source: a", b"")


def test_a_one_line_item_gets_its_fields_beneath_it() -> None:
    data = (
        "- [2026-05-11] [mem-2026-05-11-001] (knowledge) Keep volumes writable, e.g. /data v1.2. Source: retro.\n"
        "- [2026-05-12] [mem-2026-05-12-001] (knowledge) Next. Source: retro.\n"
    )

    assert after(data, "mem-2026-05-11-001", Status="stale", merged_into="mem-2026-05-12-001") == (
        b"- [2026-05-11] [mem-2026-05-11-001] (knowledge) Keep volumes writable, e.g. /data v1.2. Source: retro.\n"
        b"  - Status: stale\n"
        b"  - merged_into: mem-2026-05-12-001\n"
        b"- [2026-05-12] [mem-2026-05-12-001] (knowledge) Next. Source: retro.\n"
    )


def test_indent_and_bullets_follow_the_record() -> None:
    data = "* [2026-05-01] (knowledge) Tag first.\n    * id: mem-2026-05-01-002\n    * Source: a\n"
    tabbed = "- [2026-05-01] (knowledge) Tag first.\n\t- id: mem-2026-05-01-003\n\t- Source: a\n"

    assert after(data, "mem-2026-05-01-002", Status="stale") == (
        b"* [2026-05-01] (knowledge) Tag first.\n    * id: mem-2026-05-01-002\n    * Status: stale\n    * Source: a\n"
    )
    assert b"\n\t- Status: stale\n\t- Source" in after(tabbed, "mem-2026-05-01-003", Status="stale")


def test_an_item_without_id_and_kind_gets_them_beneath_it() -> None:
    data = "- [2026-04-02] Wait for the signal. Source: archive/2026-04-02.md.\n"
    root = Root({"topics/t.md": data})
    (item,) = root.snapshot.items

    assert (
        root.after(set_fields(item.key, id="mem-2026-04-02-001", kind="knowledge"))["topics/t.md"]
        == (data + "  - id: mem-2026-04-02-001\n  - kind: knowledge\n").encode()
    )


def test_kind_and_id_are_corrected_in_the_head_and_beneath_it_alike() -> None:
    data = (
        "- [2026-05-01] [mem-2026-05-01-009] (fact) Tag first.\n"
        "  - id: mem-2026-05-01-009\n  - kind: fact\n  - Source: a\n"
    )

    assert (
        after(data, "mem-2026-05-01-009", kind="knowledge", id="mem-2026-05-01-010")
        == data.replace("fact", "knowledge").replace("-009", "-010").encode()
    )
    assert after(data.replace("  - kind: fact\n", ""), "mem-2026-05-01-009", kind="state") == (
        data.replace("  - kind: fact\n", "").replace("fact", "state").encode()
    )


def test_a_legacy_marker_goes_and_comes_back() -> None:
    data = "- [2026-04-01] [待清理] 地址是 10.0.0.7。 Source: archive/2026-04-01.md.\n  - id: mem-2026-04-01-001\n"

    without = after(data, "mem-2026-04-01-001", marker=None, Status="pending-cleanup")

    assert without == data.replace("[待清理] ", "").encode() + b"  - Status: pending-cleanup\n"
    assert after(without, "mem-2026-04-01-001", marker="[待清理]", Status=None) == data.encode()


def test_the_source_of_a_one_line_item_is_replaced_where_it_stands() -> None:
    data = "- [2026-05-11] [mem-2026-05-11-001] (state) Port is 8443. Subject: staging:port. Source: a talk.\n"

    assert after(data, "mem-2026-05-11-001", Source="archive/2026-05-11.md#port", subject="prod:port") == (
        data.replace("a talk", "archive/2026-05-11.md#port").replace("staging", "prod").encode()
    )


def test_a_source_that_no_head_can_hold_moves_beneath_it() -> None:
    data = "- [2026-05-11] [mem-2026-05-11-001] (knowledge) Tag first. Source: a talk.\n"

    assert after(data, "mem-2026-05-11-001", Source="Ana said so. Twice.") == (
        b"- [2026-05-11] [mem-2026-05-11-001] (knowledge) Tag first.\n  - Source: Ana said so. Twice.\n"
    )


def test_removing_a_field_removes_its_line_and_its_repeats() -> None:
    data = STRUCTURED.replace("  - Source", "  - superseded_by: mem-1-1\n  - superseded_by: mem-2-2\n  - Source")

    assert after(data, "mem-2026-05-01-001", superseded_by=None) == STRUCTURED.encode()
    assert after(STRUCTURED, "mem-2026-05-01-001", superseded_by=None) == STRUCTURED.encode()


def test_an_empty_field_gets_its_value() -> None:
    assert (
        after(STRUCTURED.replace("Status: active", "Status:"), "mem-2026-05-01-001", Status="stale")
        == STRUCTURED.replace("active", "stale").encode()
    )


def test_lists_are_nested_bullets_and_grow_in_their_own_style() -> None:
    added = after(STRUCTURED, "mem-2026-05-01-001", corroborating_refs=("archive/a.md", "archive/b.md"))
    refs = b"  - corroborating_refs:\n    - archive/a.md\n    - archive/b.md\n"
    assert added == STRUCTURED.encode().replace(b"  - Source", refs + b"  - Source")

    odd = STRUCTURED.replace("  - Source", "  - conflicts_with:\n      * mem-1-1\n  - Source")
    grown = after(odd, "mem-2026-05-01-001", conflicts_with=("mem-1-1", "mem-2-2"))
    assert grown == odd.replace("      * mem-1-1\n", "      * mem-1-1\n      * mem-2-2\n").encode()

    flow = STRUCTURED.replace("  - Source", "  - conflicts_with: [mem-1-1]\n  - Source")
    grown = after(flow, "mem-2026-05-01-001", conflicts_with=("mem-1-1", "mem-2-2"))
    nested = "  - conflicts_with:\n    - mem-1-1\n    - mem-2-2\n"
    assert grown == flow.replace("  - conflicts_with: [mem-1-1]\n", nested).encode()
    assert after(flow, "mem-2026-05-01-001", conflicts_with=None) == STRUCTURED.encode()


def test_unknown_fields_comments_and_trailing_blanks_stay() -> None:
    data = STRUCTURED.replace("  - kind", "  - owner-note: keep  \n  - kind").replace("active\n", "active   \n")

    assert after(data, "mem-2026-05-01-001", Status="stale") == data.replace("Status: active", "Status: stale").encode()


def test_setting_what_is_there_already_changes_nothing() -> None:
    root = Root({"topics/t.md": STRUCTURED})

    assert root.project(set_fields("mem-2026-05-01-001", Status="active", kind="state")).edits == ()


def test_several_changes_of_one_item_end_as_the_last_says() -> None:
    root = Root({"topics/t.md": STRUCTURED})
    changes = (
        set_fields("mem-2026-05-01-001", Status="stale", Scope="project"),
        set_fields("mem-2026-05-01-001", Status="pending-cleanup", Scope=None),
    )

    assert root.after(*changes)["topics/t.md"] == STRUCTURED.replace("active", "pending-cleanup").encode()


@pytest.mark.parametrize("value", ["two\nlines", "a\rb", " led by a blank", "", "lone \ud800 surrogate"])
def test_a_value_that_fits_no_line_is_refused(value: str) -> None:
    with pytest.raises(WriteRefused):
        after(STRUCTURED, "mem-2026-05-01-001", Source=value)


def test_a_change_that_would_not_read_back_is_refused_and_says_where() -> None:
    data = "- [2026-05-01] (knowledge) Tag first.\n  ```sh\n  make release\n- [2026-05-02] (knowledge) Next.\n"
    root = Root({"topics/t.md": data})

    with pytest.raises(WriteRefused, match="reads back as meant") as caught:
        root.project(set_fields(root.snapshot.items[0].key, id="mem-2026-05-01-001"))
    assert caught.value.where == "topics/t.md"


def test_broken_frontmatter_is_refused_with_line_and_remedy() -> None:
    data = '---\ntitle: "review" means: merge\ntriggers: [review, pr\n---\n\n' + STRUCTURED
    root = Root({"topics/reviews.md": data})

    with pytest.raises(WriteRefused, match="frontmatter") as caught:
        root.project(set_fields("mem-2026-05-01-001", Status="stale"))
    assert caught.value.where == "topics/reviews.md:2"
    assert caught.value.remedy


def test_a_byte_order_mark_is_kept() -> None:
    data = b"\xef\xbb\xbf" + STRUCTURED.encode()

    assert after(data, "mem-2026-05-01-001", Status="stale") == data.replace(b"active", b"stale")


def test_a_file_that_cannot_be_written_for_its_mode_is_refused() -> None:
    root = Root({"topics/t.md": STRUCTURED})
    root.blocked["topics/t.md"] = "the file is read-only"

    with pytest.raises(WriteRefused, match="read-only") as caught:
        root.project(set_fields("mem-2026-05-01-001", Status="stale"))
    assert caught.value.where == "topics/t.md"


def test_a_very_long_item_keeps_its_text() -> None:
    data = STRUCTURED.replace("Debian 12", "x" * 40_000)

    assert after(data, "mem-2026-05-01-001", Status="stale") == data.replace("active", "stale").encode()


PIECES = [
    "- [2026-05-01] (knowledge) Bare. Source: a.\n",
    "- [2026-05-01] [mem-2026-05-01-NUM] (state) One line. Subject: a:b. Source: b.\n",
    "- [2026-05-01] (state) Structured.\n  - id: mem-2026-05-01-NUM\n  - kind: state\n  - Source: a\n",
    "* [2026-05-01] (state) Wraps\n  over lines.\n\n  And again.\n    * id: mem-2026-05-01-NUM\n    * Status: odd\n",
    "- [2026-05-01] (knowledge) Code.\n  ```sh\n  - [2026-05-01] (state) no item\n  ```\n  - Status: active\n",
    "- [2026-05-01] [待清理] (knowledge) 旧的。\n\t- Status: stale  \n\t- note: kept\n",
    "\n",
    "Prose, and a list:\n\n- plain\n- [x] done\n\n",
    "```\n- [2026-05-01] (state) fenced\n```\n\n",
    "<!-- - [2026-05-01] (state) hidden -->\n\n",
    "## Section\n\n",
]

TEXTS = st.none() | st.sampled_from(
    ["a: b", "Ana. Said so.", "see Source: x.", "部署。", "[x]", "`y`", "1. z", "a → b"]
)
VALUES = {
    "id": st.sampled_from(["mem-2026-06-01-001", "mem-2026-06-01-1000"]),
    "kind": st.sampled_from(["state", "knowledge"]),
    "subject": TEXTS,
    "Status": st.none() | st.sampled_from(["active", "superseded", "pending-cleanup"]),
    "superseded_by": st.none() | st.just("mem-2026-06-01-002"),
    "corroborating_refs": st.none() | st.sampled_from([("archive/a.md",), ("a b", "c")]),
    "Source": TEXTS,
    "Confidence": st.none() | st.just("inferred"),
    "marker": st.none() | st.just("[待确认]"),
}


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.fixed_dictionaries({}, optional=VALUES).filter(bool),
    st.integers(0, 7),
)
def test_whatever_is_set_nothing_changes_outside_the_record(
    pieces: list[str], eol: str, ended: bool, fields: dict[str, FieldValue | None], which: int
) -> None:
    text = "".join(piece.replace("NUM", f"{number:03}") for number, piece in enumerate(pieces)).replace("\n", eol)
    data = (text if ended else text.rstrip("\r\n")).encode()
    root = Root({"topics/t.md": data})
    if not root.snapshot.items:
        return
    item = root.snapshot.items[which % len(root.snapshot.items)]
    span = root.documents["topics/t.md"].items[root.snapshot.items.index(item)]

    after = root.apply(set_fields(item.key, **fields))
    written = after.files["topics/t.md"]

    assert written.startswith(data[: span.start])
    assert written.endswith(data[span.end :])
    record = after.documents["topics/t.md"].records[root.snapshot.items.index(item)].record()
    assert {name: record.get(name) for name in fields} == fields
    back = after.apply(set_fields(after.snapshot.items[root.snapshot.items.index(item)].key, **fields))
    assert back.files == after.files


FRONTMATTER = """\
---
title: Environment
last_updated: 2026-05-02
source_dates:
  - 2026-05-01
  - 2026-06-20
custom: kept   # as it is
---

"""


def test_the_frontmatter_tells_when_the_items_changed_and_their_source_dates() -> None:
    root = Root({"topics/t.md": FRONTMATTER + STRUCTURED})

    written = root.after(set_fields("mem-2026-05-01-001", Source="archive/2026-06-11.md#os"), event())["topics/t.md"]

    assert written == (
        (FRONTMATTER + STRUCTURED)
        .replace("last_updated: 2026-05-02", "last_updated: 2026-06-12")
        .replace("  - 2026-06-20", "  - 2026-06-11\n  - 2026-06-20")
        .replace("archive/2026-05-02.md", "archive/2026-06-11.md#os")
        .encode()
    )


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("last_updated: '2026-05-02'", "last_updated: '2026-06-12'"),
        ('last_updated: "YYYY-MM-DD"', 'last_updated: "2026-06-12"'),
        ("last_updated: 2026-07-01", "last_updated: 2026-07-01"),
        ("title: no such key", "title: no such key"),
        ("source_dates: [2026-05-02]", "source_dates: [2026-05-02, 2026-06-11]"),
        ("source_dates: []", "source_dates: [2026-06-11]"),
        ("source_dates:", "source_dates:\n  - 2026-06-11"),
        ('source_dates:\n- "2026-05-02"', 'source_dates:\n- "2026-05-02"\n- "2026-06-11"'),
    ],
)
def test_frontmatter_keeps_its_own_form(before: str, expected: str) -> None:
    root = Root({"topics/t.md": f"---\nlayer: warm\n{before}\n---\n{STRUCTURED}"})

    written = root.after(set_fields("mem-2026-05-01-001", Source="archive/2026-06-11.md"), event())["topics/t.md"]

    changed = STRUCTURED.replace("05-02.md", "06-11.md")
    assert written == f"---\nlayer: warm\n{expected}\n---\n{changed}".encode()


def test_the_date_is_that_of_the_roots_zone() -> None:
    root = Root({"topics/t.md": FRONTMATTER + STRUCTURED}, binding=Binding(timezone="Asia/Shanghai"))

    written = root.after(set_fields("mem-2026-05-01-001", Status="stale"), event(at="2026-06-12T19:00:00+00:00"))

    assert b"last_updated: 2026-06-13\n" in written["topics/t.md"]
