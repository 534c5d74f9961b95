"""The operation log: a readable line, under it only what the protocol wants, and the replay record beside it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.binding import Binding, Limits
from core.controls import ControlRecord, Scope, Tombstone
from core.errors import WriteRefused
from core.events import Event, FieldChange, ItemChange
from stores.markdown.log import parse_log
from stores.markdown.project_log import control_fields, entry_lines
from stores.markdown.replay import parse_replay
from stores.markdown.yaml_text import mapping
from tests.stores.projecting import AT, Root, event, set_fields

LINE = "- [2026-06-12T09:30:00+00:00] review (memlog-2026-06-12-001) by human:ana — 1 item stale\n"
RECORD = ControlRecord(
    withdrawal_id="memwd-2026-06-12-001",
    action="withdraw",
    scope=Scope(frozenset({"mem-2026-05-20-002", "mem-2026-05-20-001"}), frozenset({"archive/2026-05-20.md#run-7"})),
    reason="failed-exploration",
    decided_by="owner:ana",
    decided_at=AT,
    effect="exclude-from-influence",
)
WITHDRAWN = """\
- [2026-06-12T09:30:00+00:00] withdraw (memlog-2026-06-12-001) by owner:ana — memwd-2026-06-12-001
  ```yaml
  withdrawal_id: memwd-2026-06-12-001
  record_type: withdrawal-control-v1
  action: withdraw
  scope:
    memory_item_ids: [mem-2026-05-20-001, mem-2026-05-20-002]
    archive_refs: [archive/2026-05-20.md#run-7]
    source_or_run_refs: []
  reason: failed-exploration
  decided_by: owner:ana
  decided_at: "2026-06-12T09:30:00+00:00"
  effect: exclude-from-influence
  ```
"""


def withdraw(record: ControlRecord = RECORD):  # type: ignore[no-untyped-def]
    return event("withdraw", actor="owner:ana", summary=record.withdrawal_id, control=record)


def log(*changes: object, before: str | bytes | None = "# Log\n", **more: object) -> bytes:
    root = Root({} if before is None else {"log.md": before}, **more)  # type: ignore[arg-type]
    return root.after(*changes)["log.md"]  # type: ignore[arg-type]


def test_a_log_is_made_with_its_title() -> None:
    assert log(event(), before=None) == f"# Log\n\n{LINE}".encode()


@pytest.mark.parametrize(
    ("before", "between"),
    [
        ("# Log\n", "\n"),
        ("# Log\n\n", ""),
        (f"# Log\n\n{LINE}", ""),
        (f"# Log\n\n{LINE}".rstrip("\n"), "\n"),
        (f"# Log\n\n{WITHDRAWN}", ""),
        ("# Log\n\nThe log of the team.", "\n\n"),
        ("2026-05-01 archived by hand\n", "\n"),
        ("", ""),
    ],
)
def test_an_entry_begins_on_its_own_line_and_nothing_before_it_changes(before: str, between: str) -> None:
    assert log(event(), before=before) == f"{before}{between}{LINE}".encode()


def test_line_ends_are_those_of_the_log() -> None:
    assert (
        log(withdraw(), before="# Log\r\n\r\n- old\r\n")
        == b"# Log\r\n\r\n- old\r\n" + WITHDRAWN.replace("\n", "\r\n").encode()
    )


def test_a_withdrawal_carries_its_record_in_the_protocols_order() -> None:
    assert log(withdraw()) == f"# Log\n\n{WITHDRAWN}".encode()


def test_a_reinstatement_names_what_it_supersedes_one_or_several() -> None:
    one = ControlRecord("memwd-2", "reinstate", RECORD.scope, "r", "owner:ana", AT, "restore-eligibility", ("memwd-1",))
    several = ControlRecord("memwd-3", "withdraw", RECORD.scope, "r", "owner:ana", AT, "e", ("memwd-1", "memwd-2"))

    assert mapping(control_fields(one))[-1] == "supersedes: memwd-1"
    assert mapping(control_fields(several))[-1] == "supersedes: [memwd-1, memwd-2]"


def test_a_supersede_carries_subject_and_both_rows_and_nothing_else() -> None:
    detail = {
        "new_id": "mem-2026-06-03-001",
        "prior_id": "mem-2026-05-01-009",
        "subject": "app:port",
        "prior_date": "2026-05-01",
        "prior_value": "Port is 8080.",
        "new_date": "2026-06-03",
        "new_value": 'Port is 9090: "the new one" # really',
        "evidence": "deploy log",
    }

    lines = entry_lines(Event("memlog-1", "supersede", AT, "autodream", "app:port", detail=detail))

    assert lines[1:] == (
        "  ```yaml",
        "  subject: app:port",
        "  prior_id: mem-2026-05-01-009",
        '  prior_date: "2026-05-01"',
        "  prior_value: Port is 8080.",
        "  new_id: mem-2026-06-03-001",
        '  new_date: "2026-06-03"',
        '  new_value: "Port is 9090: \\"the new one\\" # really"',
        "  ```",
    )


def test_a_reinstatement_that_supersedes_a_rival_carries_both_records() -> None:
    detail = {"subject": "s", "prior_id": "mem-1", "prior_value": "a", "new_id": "mem-2", "new_value": "b"}

    text = log(event("reinstate", control=RECORD, detail=detail)).decode()

    assert text.count("  ```yaml\n") == 2
    assert parse_log("log.md", text.encode()).controls[0] == RECORD


def test_an_erasure_carries_its_tombstone() -> None:
    tombstone = Tombstone(
        erasure_id="memerase-2026-06-12-001",
        scope_refs=("mem-2026-05-20-001",),
        authority_ref="request 7",
        decided_at=AT,
        executed_at=AT,
        holders=(("topics/t.md", "completed", None), ("backup:nas", "unevaluated", "policy: offline")),
    )

    text = log(event("erase", summary="memerase-2026-06-12-001", tombstone=tombstone)).decode()

    assert text.split("```yaml\n")[1] == (
        "  erasure_id: memerase-2026-06-12-001\n"
        "  record_type: erasure-tombstone-v1\n"
        "  scope_refs: [mem-2026-05-20-001]\n"
        "  authority_ref: request 7\n"
        '  decided_at: "2026-06-12T09:30:00+00:00"\n'
        '  executed_at: "2026-06-12T09:30:00+00:00"\n'
        "  holders:\n"
        "    - holder_ref: topics/t.md\n"
        "      result: completed\n"
        "    - holder_ref: backup:nas\n"
        "      result: unevaluated\n"
        '      limitation_ref: "policy: offline"\n'
        "  sanitized_replacement_refs: []\n"
        "  ```\n"
    )
    assert parse_log("log.md", text.encode()).tombstones[0].holders == tombstone.holders


def test_other_events_carry_nothing_beneath_their_line() -> None:
    full = event(items=(ItemChange("mem-1", (FieldChange("Status", "active", "stale"),)),), detail={"why": "x"})

    assert log(full) == f"# Log\n\n{LINE}".encode()


def test_a_summary_stays_on_its_line_and_opens_nothing() -> None:
    text = log(event(summary="one\ntwo\u2028three <!-- four \x1b[31m"))

    assert text.count(b"\n") == 3
    assert b"one two three &lt;!-- four  [31m\n" in text
    assert parse_log("log.md", text + LINE.encode()).entries[-1].id == "memlog-2026-06-12-001"


ODD = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["```", "`````` yaml", "yes", "0012", "- x", "# y", "a: b", "NEL\x85", "\u2028", "\ufeff", "<!-- ", '"', "\\", "…"]
)


REFS = ODD.filter(lambda text: text.strip().lower() not in ("", "~", "null", "none"))  # those select nothing


@settings(max_examples=80, deadline=None)
@given(ODD, ODD, st.frozensets(REFS, max_size=4), ODD)
@example("\x00\x07\x1b\x7f\x85\u2028\u2029\ufeff\u202e", "yes", frozenset({"0012", "a, b", "[c]"}), "````")
def test_any_reader_gets_the_same_record_and_ours_the_same_from_both_places(
    reason: str, decided_by: str, refs: frozenset[str], value: str
) -> None:
    record = ControlRecord(
        "memwd-2026-06-12-009", "withdraw", Scope(source_or_run_refs=refs), reason, decided_by, AT, "e", ("memwd-1",)
    )
    supersede = {"subject": "s", "prior_value": value, "new_value": value}
    written = Root({"log.md": "# Log\n"}).after(event("withdraw", control=record, detail=supersede))

    text = written["log.md"].decode()
    blocks = []
    for line in text.split("\n"):
        if line.startswith("  ```") and line.strip("` ") == "yaml":
            blocks.append((line.strip(" ").removesuffix("yaml"), []))
        elif blocks and blocks[-1][0] and line == f"  {blocks[-1][0]}":
            blocks[-1] = ("", blocks[-1][1])
        elif blocks and blocks[-1][0]:
            blocks[-1][1].append(line.removeprefix("  "))
    for loader in (yaml.BaseLoader, yaml.SafeLoader):
        control, rows = (yaml.load("\n".join(lines), Loader=loader) for _, lines in blocks)
        assert control["reason"] == reason
        assert control["decided_by"] == decided_by
        assert control["scope"]["source_or_run_refs"] == sorted(refs)
        assert rows == supersede
    (replayed,) = parse_replay("log/2026-06.jsonl", written["log/2026-06.jsonl"]).events
    assert replayed.control == record
    if decided_by.strip():  # a record without who decided is unreadable, as it must be
        (read,) = parse_log("log.md", written["log.md"]).controls
        assert (read.scope, read.reason, read.decided_by) == (record.scope, record.reason, record.decided_by)


def test_the_replay_record_goes_to_its_month_on_a_line_of_its_own() -> None:
    root = Root({"log/2026-06.jsonl": '{"id":"memlog-0","type":"review"}'})

    written = root.after(event())["log/2026-06.jsonl"]

    assert written.startswith(b'{"id":"memlog-0","type":"review"}\n{"id":"memlog-2026-06-12-001",')
    assert written.endswith(b"}\n")
    assert "log/2026-07.jsonl" in root.after(event(at="2026-07-01T00:00:00+08:00"))


# Rotation


def rotated(before: str | bytes, *, size: int = 200, files: dict[str, str] | None = None) -> Root:
    binding = Binding(limits=Limits(log_bytes=size))
    return Root({"log.md": before, **(files or {})}, binding=binding).apply(event())


def test_a_long_log_moves_whole_and_begins_anew_with_a_pointer() -> None:
    old = (
        "\ufeff# 日志\r\n\r\n- [2026-05-01] archive by hand   \r\nodd line\r\n- [2026-06-11T01:00:00+08:00] review"
        + "x" * 99
    )

    files = rotated(old).files

    assert files["log/log-2026-05-01-2026-06-11.md"] == old.encode()
    pointer = "Earlier entries: [log/log-2026-05-01-2026-06-11.md](log/log-2026-05-01-2026-06-11.md)"
    assert files["log.md"] == f"# 日志\n\n{pointer}\n\n{LINE}".replace("\n", "\r\n").encode()
    assert files["log/2026-06.jsonl"].count(b"\n") == 1


def test_a_log_within_its_limit_stays() -> None:
    assert set(rotated(f"# Log\n\n{LINE}").files) == {"log.md", "log/2026-06.jsonl"}


def test_a_second_segment_of_the_same_days_gets_a_name_of_its_own() -> None:
    segment = {"log/log-2026-06-12-2026-06-12.md": "kept"}

    files = rotated(f"# Log\n\n{LINE}{LINE}", size=150, files=segment).files

    assert files["log/log-2026-06-12-2026-06-12.md"] == b"kept"
    assert files["log/log-2026-06-12-2026-06-12-2.md"] == f"# Log\n\n{LINE}{LINE}".encode()


def test_rotation_is_one_replacement_that_a_strangers_append_survives() -> None:
    from stores.markdown.edits import apply_edits, rebase

    before = f"# Log\n\n{LINE}{LINE}".encode()
    root = Root({"log.md": before}, binding=Binding(limits=Limits(log_bytes=150)))
    edit = next(edit for edit in root.project(event()).edits if edit.path == "log.md")
    late = b"- [2026-06-12] archive (memlog-2026-06-12-009) by scheduler:cron\n"

    placed = rebase(before, edit.edits, before + late)

    assert placed is not None
    assert apply_edits(before + late, placed).endswith(LINE.encode() + late)


# A log that cannot be written


@pytest.mark.parametrize(
    ("before", "where"),
    [
        ("# Log\n\n```\nopen at the top\n", "log.md:3"),
        (b"# Log\n\xff\n", "log.md:2"),
        (b"# Log\n\n<!-- open\n", "log.md:3"),
    ],
)
def test_an_ordinary_event_is_refused_and_a_control_record_goes_to_a_file_of_its_own(
    before: str | bytes, where: str
) -> None:
    item = "- [2026-05-20] (knowledge) One.\n  - id: mem-2026-05-20-001\n  - Source: a\n"
    root = Root({"log.md": before, "topics/t.md": item})

    with pytest.raises(WriteRefused) as caught:
        root.project(set_fields("mem-2026-05-20-001", Status="stale"), event())
    assert (caught.value.where, bool(caught.value.remedy)) == (where, True)

    written = root.after(withdraw())
    assert set(written) == {"log/control-memwd-2026-06-12-001.md", "log/2026-06.jsonl"}
    assert written["log/control-memwd-2026-06-12-001.md"] == f"# Log\n\n{WITHDRAWN}".encode()


def test_a_read_only_log_and_a_read_only_replay_file_do_not_stop_a_withdrawal() -> None:
    root = Root({"log.md": "# Log\n", "log/2026-06.jsonl": ""})
    root.blocked = {"log.md": "the file is read-only", "log/2026-06.jsonl": "the file is read-only"}

    assert set(root.after(withdraw())) == {
        "log/control-memwd-2026-06-12-001.md",
        "log/2026-06-memwd-2026-06-12-001.jsonl",
    }
    with pytest.raises(WriteRefused, match="read-only"):
        root.project(event())


def test_a_record_cut_inside_its_bullet_does_not_shut_the_log() -> None:
    cut = "# Log\n\n- [2026-06-10] withdraw (memlog-1) by owner:ana — memwd-1\n  ```yaml\n  withdrawal_id: memwd-1\n"

    text = log(event(), before=cut)

    assert text == f"{cut}{LINE}".encode()
    assert parse_log("log.md", text).entries[-1].id == "memlog-2026-06-12-001"
