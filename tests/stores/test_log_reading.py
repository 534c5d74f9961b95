"""The operation log as it stands: the timeline, and records that may be hand-written, cut or broken (§12.2, §12.3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.controls import Scope
from core.items import Place
from core.vocabulary import Severity
from stores.markdown.log import LogPage, parse_log
from stores.markdown.records import unite

ENTRY = "- [2026-06-10T10:00:00+08:00] withdraw (memlog-2026-06-10-001) by owner:ana — memwd-2026-06-10-001\n"
RECORD = """\
  ```yaml
  withdrawal_id: memwd-2026-06-10-001
  record_type: withdrawal-control-v1
  action: withdraw
  scope:
    memory_item_ids: [mem-2026-05-20-002, mem-2026-05-20-001, mem-2026-05-20-002]
    archive_refs: []
    source_or_run_refs: [run-7]
  reason: failed-exploration
  decided_by: owner:ana
  decided_at: 2026-06-10T10:00:00+08:00
  effect: exclude-from-influence
  ```
"""


def parse(text: str) -> LogPage:
    return parse_log("log.md", text.encode())


def test_a_line_of_the_timeline() -> None:
    page = parse("# Log\n\n" + ENTRY + RECORD)
    (entry,) = page.entries
    assert (entry.id, entry.type, entry.at, entry.actor, entry.summary) == (
        "memlog-2026-06-10-001",
        "withdraw",
        "2026-06-10T10:00:00+08:00",
        "owner:ana",
        "memwd-2026-06-10-001",
    )
    assert entry.place == Place("log.md", 3, "Log")
    assert entry.record is not None
    assert entry.record.startswith("withdrawal_id: memwd-2026-06-10-001\nrecord_type")
    assert page.findings == ()


def test_a_control_record_is_text_in_normal_form() -> None:
    (control,) = parse(ENTRY + RECORD).controls
    assert control.scope == Scope(
        frozenset({"mem-2026-05-20-001", "mem-2026-05-20-002"}), frozenset(), frozenset({"run-7"})
    )
    assert (control.withdrawal_id, control.action, control.effect, control.supersedes, control.unreadable) == (
        "memwd-2026-06-10-001",
        "withdraw",
        "exclude-from-influence",
        (),
        None,
    )
    assert control.decided_at == "2026-06-10T10:00:00+08:00"
    assert control.places == (Place("log.md", 2),)


@pytest.mark.parametrize(
    ("written", "supersedes"),
    [
        ("memwd-2026-06-09-001", ("memwd-2026-06-09-001",)),
        ("[memwd-2026-06-09-001, memwd-2026-06-09-002]", ("memwd-2026-06-09-001", "memwd-2026-06-09-002")),
        ("\n    - memwd-2026-06-09-001", ("memwd-2026-06-09-001",)),
        ("null", ()),
        ("", ()),
        ("[]", ()),
    ],
)
def test_what_a_record_supersedes(written: str, supersedes: tuple[str, ...]) -> None:
    text = ENTRY + RECORD.replace("  effect:", f"  supersedes: {written}\n  effect:")
    (control,) = parse(text).controls
    assert (control.supersedes, control.unreadable) == (supersedes, None)


def test_yaml_written_by_hand_is_read_with_every_scalar_as_text() -> None:
    record = """\
~~~ yaml
# by hand
withdrawal_id: "memwd-2026-06-10-001"   # the first
action: withdraw
scope:
    memory_item_ids:
    - 0012
    - 'no'
    archive_refs: archive/2026-05-20.md#run-7
reason: >
    two
    lines
decided_by: owner:ana
decided_at: 2026-06-10
effect: exclude-from-influence
~~~
"""
    (control,) = parse(record).controls
    assert control.scope == Scope(frozenset({"0012", "no"}), frozenset({"archive/2026-05-20.md#run-7"}))
    assert (control.decided_at, control.reason, control.unreadable) == ("2026-06-10", "two lines\n", None)


def test_a_cut_record_keeps_what_it_names() -> None:
    cut = "".join(RECORD.splitlines(keepends=True)[:8])
    page = parse(ENTRY + cut)
    (control,) = page.controls
    assert control.unreadable is not None
    assert "never closed" in control.unreadable
    assert control.scope.memory_item_ids == {"mem-2026-05-20-001", "mem-2026-05-20-002"}
    assert control.scope.source_or_run_refs == {"run-7"}
    assert page.open_fence is not None
    (finding,) = page.findings
    assert (finding.code, finding.severity, finding.line) == ("control-unreadable", Severity.ERROR, 2)
    assert finding.id == "memwd-2026-06-10-001"


def test_a_record_cut_in_the_middle_of_a_list_keeps_the_ids_before_the_cut() -> None:
    cut = RECORD[: RECORD.index("mem-2026-05-20-001") + 18]
    (control,) = parse(ENTRY + cut).controls
    assert control.unreadable is not None
    assert "does not parse" in control.unreadable
    assert control.withdrawal_id == "memwd-2026-06-10-001"
    assert control.scope.memory_item_ids == {"mem-2026-05-20-001", "mem-2026-05-20-002"}


def test_a_cut_record_does_not_swallow_the_entries_after_it() -> None:
    cut = "".join(RECORD.splitlines(keepends=True)[:5])
    later = ENTRY.replace("-10-001", "-11-001").replace("withdraw ", "reinstate ")
    page = parse(ENTRY + cut + later + RECORD.replace("-10-001", "-11-001"))
    assert [entry.id for entry in page.entries] == ["memlog-2026-06-10-001", "memlog-2026-06-11-001"]
    assert [(c.withdrawal_id, c.unreadable is None) for c in page.controls] == [
        ("memwd-2026-06-10-001", False),
        ("memwd-2026-06-11-001", True),
    ]
    assert page.open_fence is None


def test_a_record_whose_lines_slipped_to_the_left_is_still_one() -> None:
    fence, *lines = RECORD.splitlines(keepends=True)
    (control,) = parse(ENTRY + fence + "".join(line[2:] for line in lines[:-1]) + lines[-1] + ENTRY).controls
    assert control.unreadable is None
    assert "run-7" in control.scope.source_or_run_refs


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("  action: withdraw\n", "", "no action"),
        ("  decided_by: owner:ana\n", "", "no decided_by"),
        ("  withdrawal_id: memwd-2026-06-10-001\n", "", "no withdrawal_id"),
        ("    source_or_run_refs: [run-7]\n", "    topics: [deploy]\n", "the selector topics is not known"),
        ("[mem-2026-05-20-002, mem-2026-05-20-001, mem-2026-05-20-002]", "[{a: mem-2026-05-20-001}]", "no list of"),
        ("  action: withdraw\n", "  action: [\n", "does not parse"),
        ("  action: withdraw\n", "  action: withdraw\n   action: x\n", "does not parse"),
        ("  action: withdraw\n", "  action: withdraw\n  action: reinstate\n", "action stands in it twice"),
        ("    archive_refs: []\n", "    memory_item_ids: []\n", "memory_item_ids stands in its scope twice"),
    ],
)
def test_a_record_that_is_not_whole_says_why(old: str, new: str, why: str) -> None:
    assert old in RECORD
    (control,) = parse(ENTRY + RECORD.replace(old, new)).controls
    assert control.unreadable is not None
    assert why in control.unreadable
    assert control.withdrawal_id == "memwd-2026-06-10-001", "the log line names it too"
    assert "mem-2026-05-20-001" in control.scope.memory_item_ids


def test_an_empty_scope_and_an_unknown_action_are_read_as_they_are() -> None:
    text = RECORD.replace("[mem-2026-05-20-002, mem-2026-05-20-001, mem-2026-05-20-002]", "[]").replace("[run-7]", "")
    (control,) = parse(ENTRY + text.replace("action: withdraw", "action: retire")).controls
    assert control.scope.empty
    assert (control.action, control.unreadable) == ("retire", None)


def test_a_line_whose_record_is_missing_is_kept_for_the_union() -> None:
    page = parse(ENTRY.replace("\n", " covers mem-2026-05-20-001\n"))
    assert page.controls == ()
    (bare,) = page.bare
    assert (bare.withdrawal_id, bare.scope.memory_item_ids) == ("memwd-2026-06-10-001", {"mem-2026-05-20-001"})
    assert bare.unreadable is not None


def test_one_id_with_two_contents_keeps_both_in_order() -> None:
    (first,) = parse(ENTRY + RECORD).controls
    (same,) = parse_log("log/2026.md", ("\n" + ENTRY + RECORD).encode()).controls
    (other,) = parse(ENTRY + RECORD.replace("failed-exploration", "owner-decision")).controls
    united = unite((first, other, same))
    assert united == (first, other)
    assert united[0].places == (Place("log.md", 2), Place("log/2026.md", 3))


def test_a_tombstone() -> None:
    text = """\
- [2026-06-12T09:00:00+00:00] erase (memlog-2026-06-12-001) by owner:ana — memerase-2026-06-12-001
  ```yaml
  erasure_id: memerase-2026-06-12-001
  record_type: erasure-tombstone-v1
  scope_refs: [mem-2026-05-20-001]   # opaque
  authority_ref: request-9
  decided_at: 2026-06-12T08:00:00+00:00
  executed_at: 2026-06-12T09:00:00+00:00
  holders:
    - holder_ref: topics/t.md
      result: completed
    - holder_ref: backup
      result: unevaluated
      limitation_ref: policy-3
  sanitized_replacement_refs: []
  ```
"""
    (tombstone,) = parse(text).tombstones
    assert tombstone.scope_refs == ("mem-2026-05-20-001",)
    assert tombstone.holders == (("topics/t.md", "completed", None), ("backup", "unevaluated", "policy-3"))
    assert (tombstone.authority_ref, tombstone.place) == ("request-9", Place("log.md", 2))
    broken = parse(text.replace("  holders:", " holders: ["))
    assert broken.tombstones == ()
    assert [(f.code, f.line) for f in broken.findings] == [("control-unreadable", 2)]


def test_lines_of_no_known_format_are_kept_as_they_are() -> None:
    text = (
        "# Log\n\nKept by hand.\n\n- 2026-05-11 archived three notes\n- [2026-05-12] archive: moved three\n"
        "- [2026-05-13] tidied up\n  - a detail\n* note\n"
    )
    page = parse(text)
    assert [(entry.type, entry.summary) for entry in page.entries] == [
        ("", "Kept by hand."),
        ("", "2026-05-11 archived three notes"),
        ("archive", "moved three"),
        ("", "[2026-05-13] tidied up"),
        ("", "note"),
    ]
    (finding,) = page.findings
    assert (finding.code, finding.severity, finding.line) == ("log-line-unknown", Severity.NOTICE, 5)
    assert finding.message.startswith("3 log lines")


def test_an_event_of_an_unknown_type_is_an_entry_where_it_names_id_and_actor() -> None:
    page = parse("- [2026-06-12T09:00Z] sing (memlog-2026-06-12-002) by agent:x y: a summary\n")
    assert [(e.type, e.actor, e.summary) for e in page.entries] == [("sing", "agent:x y", "a summary")]
    assert page.findings == ()


def test_damage_keeps_the_log_from_being_written() -> None:
    page = parse_log("log.md", ENTRY.encode() + b"- \xff\n" + b"\0")
    assert page.unwritable
    assert {finding.code for finding in page.findings} >= {"undecodable", "nul-run"}
    assert len(page.entries) == 3


PIECES = st.sampled_from(
    [
        ENTRY,
        RECORD,
        *RECORD.splitlines(keepends=True),
        "```\n",
        "  ```\n",
        "# H\n",
        "\n",
        "- x\n",
        "prose\n",
        "<!--\n",
        "\r",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES | st.text(max_size=8), max_size=14).map("".join))
def test_no_log_is_too_broken_to_read(text: str) -> None:
    page = parse_log("log.md", text.encode("utf-8", "surrogatepass"))
    assert all(control.places for control in page.controls)
    whole = text.count(RECORD)
    if text == "".join([ENTRY, RECORD] * whole):
        assert len(page.controls) == whole
