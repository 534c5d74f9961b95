"""The engine-kept sections of index.md: brought up to date in place, all else left to the user."""

from __future__ import annotations

import pytest

from core.changes import KeepIndex, RecentEntry
from core.controls import ControlRecord, Scope
from core.errors import WriteRefused
from core.items import Record
from stores.markdown.index_page import parse_index
from tests.stores.projecting import AT, Root, event, set_fields

PENDING: Record = {
    "text": "Retries hide timeouts behind the gateway.",
    "date": "2026-05-11",
    "place": "topics/pitfalls.md#Facts",
    "id": "mem-2026-05-11-004",
    "kind": "knowledge",
    "Status": "pending-cleanup",
    "Source": "archive/2026-05-11.md#run-3",
}
PENDING_LINE = (
    "- [2026-05-11] (knowledge) Retries hide timeouts behind the gateway. Status: pending-cleanup."
    " Source: archive/2026-05-11.md#run-3. → mem-2026-05-11-004 in topics/pitfalls.md\n"
)
RECENT = RecentEntry("2026-06-12", "state", "The port is 9443.", "topics/env.md")
RECENT_LINE = "- [2026-06-12] (state) The port is 9443. → topics/env.md\n"
INTRO = "Not to be read, used or quoted, wherever a copy stands:\n"

HAND_WRITTEN = """\
# My memory

> read this first

| area | page |
| --- | --- |
| deploy | topics/deploy.md |

## Topic Map

- deploy.md — Read when deploying.   \t

<!-- do not touch -->
"""


def kept(index: str | bytes | None, keep: KeepIndex, **more: object) -> bytes:
    """index.md after `keep`; the same change once more must change nothing."""
    root = Root({} if index is None else {"index.md": index}, **more)
    once = root.apply(keep)
    assert once.project(keep).edits == ()
    return once.files.get("index.md", b"")


def control(action: str, *ids: str) -> ControlRecord:
    return ControlRecord("memwd-1", action, Scope(frozenset(ids)), "r", "owner:ana", AT, "e")


def test_a_hand_written_index_keeps_every_byte_of_its_own() -> None:
    keep = KeepIndex(
        topic_map=(("topics/deploy.md", "Read when x."), ("topics/env.md", "Read when y.")),
        recent_add=(RECENT,),
        pending=(PENDING,),
        withdrawn=("mem-2026-05-20-001",),
    )

    assert kept(HAND_WRITTEN, keep).decode() == (
        HAND_WRITTEN.replace("deploying.   \t\n", "deploying.   \t\n- env.md — Read when y.\n")
        + f"\n## Recent Activity\n\n{RECENT_LINE}\n## Pending Cleanup\n\n{PENDING_LINE}"
        + f"\n## Withdrawn\n\n{INTRO}\n- mem-2026-05-20-001\n"
    )


@pytest.mark.parametrize("index", [HAND_WRITTEN, HAND_WRITTEN.rstrip("\n"), HAND_WRITTEN.replace("\n", "\r\n"), ""])
def test_nothing_to_say_changes_nothing(index: str) -> None:
    assert kept(index, KeepIndex()) == index.encode()


def test_an_index_is_made_only_where_there_is_something_to_put_in_it() -> None:
    assert kept(None, KeepIndex()) == b""
    assert (
        kept(None, KeepIndex(recent_add=(RECENT,))).decode() == f"# Memory Index\n\n## Recent Activity\n\n{RECENT_LINE}"
    )


def test_sections_laid_out_empty_are_filled_in_place_with_the_files_line_ends() -> None:
    index = "# Memory Index\r\n\r\n## Recent Activity\r\n\r\n## Topic Map\r\n\r\n## Pending Cleanup\r\n"
    keep = KeepIndex(recent_add=(RECENT,), topic_map=(("topics/env.md", ""),), pending=(PENDING,))

    assert kept(index, keep).decode() == (
        f"# Memory Index\n\n## Recent Activity\n\n{RECENT_LINE}\n## Topic Map\n\n- env.md\n"
        f"\n## Pending Cleanup\n\n{PENDING_LINE}"
    ).replace("\n", "\r\n")


def test_recent_activity_is_added_on_top_and_cut_at_its_end() -> None:
    old = [f"- [2026-05-{day:02}] (knowledge) Entry {day}. → topics/t.md\n" for day in range(12, 2, -1)]
    index = (
        f"## Recent Activity\n\nThe latest things.\n\n{''.join(old)}- a line of the user's own\n\n## Notes\n\nMine.\n"
    )

    after = kept(index, KeepIndex(recent_add=(RECENT,), recent_limit=10)).decode()

    assert after == index.replace("".join(old), RECENT_LINE + "".join(old[:-2]))
    assert kept(index, KeepIndex(recent_limit=10)).decode() == index


def test_recent_lines_that_restate_what_is_not_to_be_served_go_however_they_were_cut_or_wrapped() -> None:
    long = "A conclusion that went on for so long that its line in the index had to be cut before it was " + "x" * 40
    lines = [
        "- [2026-05-20] (knowledge) Conclusion one. → topics/t.md\n",
        f"- [2026-05-20] (knowledge) {long[:99]}… → topics/t.md\n",
        "- [2026-05-20] (knowledge) Conclusion   two,\n  wrapped. → topics/t.md\n",
        "- [2026-05-20] (knowledge) Another matter. → topics/t.md\n",
    ]
    index = f"## Recent Activity\n\n{''.join(lines)}"

    after = kept(index, KeepIndex(recent_drop=("Conclusion one.", long, "Conclusion two, wrapped.", "")))

    assert after.decode() == f"## Recent Activity\n\n{lines[3]}"


def test_topics_have_a_line_each_whatever_form_it_was_written_in() -> None:
    index = (
        "## Topic Map\n\n- [Deploy](topics/deploy.md) — when deploying\n- `env.md`: when\n- topics/a.md\n"
        "- caf\u00e9.md — x\n"
    )
    names = ("deploy", "env", "a", "cafe\u0301")

    assert kept(index, KeepIndex(topic_map=tuple((f"topics/{name}.md", "y") for name in names))).decode() == index


def test_pending_lines_that_are_right_stay_and_others_are_brought_up_to_date() -> None:
    by_hand = (
        "- [2026-05-11] [mem-2026-05-11-004] (knowledge) In other words → topics/pitfalls.md  \n"
        "  - Status: pending-cleanup\n  - Source: archive/2026-05-11.md#run-3\n"
    )
    gone = "- [2026-05-02] [mem-2026-05-02-001] (knowledge) Cleared. Status: pending-cleanup. → topics/t.md\n"
    index = f"## Pending Cleanup\n\nWhat waits for a human.\n\n{by_hand}{gone}- ask Bo about the rest\n"

    assert kept(index, KeepIndex(pending=(PENDING,))).decode() == index.replace(gone, "")

    state: Record = {**PENDING, "kind": "state", "superseded_by": "mem-2026-06-01-001"}
    line = PENDING_LINE.replace("(knowledge)", "(state)").replace(
        "cleanup. Source", "cleanup. superseded_by: mem-2026-06-01-001. Source"
    )
    changed = index.replace(by_hand, "").replace(gone, "") + line
    assert kept(index, KeepIndex(pending=(state,))).decode() == changed


def test_pending_items_that_stand_in_the_index_itself_are_not_the_engines_to_drop() -> None:
    item = "- [2026-05-11] (knowledge) Old style. Source: a.\n  - id: mem-2026-05-11-009\n  - Status: active\n"
    index = f"## Pending Cleanup\n\n{item}"

    assert kept(index, KeepIndex(pending=())).decode() == index
    here: Record = {**PENDING, "id": "mem-2026-05-11-009", "place": "index.md#Pending Cleanup"}
    assert kept(index, KeepIndex(pending=(here,))).decode() == index
    says = f"## Pending Cleanup\n\n{item.replace('active', 'pending-cleanup').replace('-009', '-004')}"
    says = says.replace("Source: a.", f"Source: {PENDING['Source']}.")
    assert kept(says, KeepIndex(pending=(PENDING,))).decode() == says


def test_long_and_secret_looking_texts_are_cut_to_one_line() -> None:
    record: Record = {**PENDING, "text": "First.\n" + "word " * 100}

    line = kept("", KeepIndex(pending=(record,))).decode().splitlines()[-1]

    assert line.startswith("- [2026-05-11] (knowledge) First. word word")
    assert "… Status: pending-cleanup." in line
    assert len(line) < 300


def test_pending_lines_are_no_bearers_of_their_items() -> None:
    root = Root({"topics/pitfalls.md": "# P\n"}).apply(KeepIndex(pending=(PENDING,)))

    assert root.snapshot.items == ()
    document = root.documents["index.md"]
    assert [line.target for line in parse_index(document).view.pending] == ["mem-2026-05-11-004"]


def test_an_id_of_another_kind_stands_in_the_head() -> None:
    line = kept("", KeepIndex(pending=({**PENDING, "id": "old-7"},))).decode().splitlines()[-1]

    assert line.startswith("- [2026-05-11] [old-7] (knowledge) Retries")
    assert line.endswith(" → topics/pitfalls.md")


def test_a_line_that_only_projects_an_item_of_a_topic_is_the_engines_to_renew() -> None:
    topic = "- [2026-05-11] (knowledge) Once.\n  - id: mem-2026-05-11-004\n  - Source: a\n"
    index = "## Pending Cleanup\n\n- [2026-05-11] [mem-2026-05-11-004] (knowledge) Once. Source: a.\n"
    root = Root({"topics/pitfalls.md": topic, "index.md": index})

    assert root.after(KeepIndex()) == {"index.md": b"## Pending Cleanup\n\n"}


def test_more_than_fits_is_said_in_one_last_line() -> None:
    first = kept("", KeepIndex(withdrawn=("mem-2026-05-20-001",), withdrawn_more=3, pending=(PENDING,), pending_more=2))
    assert first.decode().endswith(f"## Withdrawn\n\n{INTRO}\n- mem-2026-05-20-001\n- and 3 more: see log.md\n")
    assert b"- and 2 more: each says `Status: pending-cleanup` in its topic\n" in first

    root = Root({"index.md": first}, controls=(control("withdraw", "mem-2026-05-20-002"),))
    keep = KeepIndex(withdrawn=("mem-2026-05-20-001", "mem-2026-05-20-002"), pending=(PENDING,))
    second = root.apply(keep).files["index.md"]
    assert second.decode().endswith(f"{INTRO}\n- mem-2026-05-20-001\n- mem-2026-05-20-002\n")
    assert b" more:" not in second


def test_withdrawn_selectors_follow_the_records() -> None:
    index = f"## Withdrawn\n\n{INTRO}\n- `mem-2026-05-20-001`  \n- mem-2026-05-20-002\n- archive/2026-05-20.md#run-7\n"
    controls = (control("withdraw", "mem-2026-05-20-002"),)

    after = kept(index, KeepIndex(withdrawn=("mem-2026-05-20-001", "mem-2026-05-20-003")), controls=controls)

    assert after.decode() == (
        f"## Withdrawn\n\n{INTRO}\n- `mem-2026-05-20-001`  \n- archive/2026-05-20.md#run-7\n- mem-2026-05-20-003\n"
    )


def test_a_selector_without_any_record_stays_since_it_excludes() -> None:
    index = "## Withdrawn\n\n- mem-2026-05-20-009\n"

    assert kept(index, KeepIndex()).decode() == index


def test_a_selector_goes_with_the_reinstatement_of_the_same_change_set() -> None:
    root = Root({"index.md": f"## Withdrawn\n\n{INTRO}\n- mem-2026-05-20-001\n"})

    written = root.after(event("reinstate", control=control("reinstate", "mem-2026-05-20-001")), KeepIndex())

    assert written["index.md"].decode() == f"## Withdrawn\n\n{INTRO}\n"


def test_the_index_cannot_be_written() -> None:
    index = "# Memory Index\n\n```\nopen\n"
    topic = "- [2026-05-20] (knowledge) One.\n  - id: mem-2026-05-20-001\n  - Source: a\n"
    root = Root({"index.md": index, "topics/t.md": topic})

    with pytest.raises(WriteRefused, match="never closed") as caught:
        root.project(set_fields("mem-2026-05-20-001", Status="stale"), event(), KeepIndex(pending=(PENDING,)))
    assert caught.value.where == "index.md:3"
    projection = root.project(
        event("withdraw", control=control("withdraw", "mem-2026-05-20-001")),
        KeepIndex(withdrawn=("mem-2026-05-20-001",)),
    )
    assert [edit.path for edit in projection.edits] == ["log.md", "log/2026-06.jsonl"]
    assert [path for path, _ in projection.skipped] == ["index.md"]
