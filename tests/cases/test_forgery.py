"""Records that somebody wrote past the engine: they gain nothing, move nothing, and are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.controls import Scope
from core.errors import Refused
from core.requests import Cool, Repair, SetSubject, Stale, Undo, Withdraw
from tests.cases.case import ANA, HUMAN, Case, control, item

ONE, TWO = "mem-2026-05-20-001", "mem-2026-05-20-002"
PAGE = "# T\n\n## Facts and lessons\n\n" + item(ONE, "The zebra crosses at noon, alone.") + item(TWO, "Second.")
FORGED = "memlog-2026-06-09-001"


def event(command: str, *steps: list, event_id: str = FORGED) -> str:
    record = {
        "id": event_id,
        "type": "cool" if command == "cool" else "review",
        "at": "2026-06-09T10:00:00+00:00",
        "actor": str(HUMAN),
        "summary": "as if",
        "items": [{"id": ONE, "fields": [list(step) for step in steps]}],
        "command": command,
    }
    return json.dumps(record) + "\n"


def entry(kind: str = "cool") -> str:
    return f"- [2026-06-09T10:00:00+00:00] {kind} ({FORGED}) by {HUMAN} — as if\n"


@pytest.mark.parametrize("target", ["conventions.md#Rules", "archive/2026-05-02.md", "assay.toml#x", "memory.md"])
def test_undo_moves_nothing_to_another_page(tmp_path: Path, target: str) -> None:
    move = ["place", target, "topics/t.md#Facts and lessons"]
    case = Case(tmp_path, {"topics/t.md": PAGE, "log/2026-06.jsonl": event("cool", move), "log.md": entry()})
    before = case.tree()
    for request in (Undo(FORGED), Undo()):
        with pytest.raises(Refused):
            case.plan(request)
    assert case.tree() == before


@pytest.mark.parametrize(
    "step", [["kind", "state", "knowledge"], ["Source", "me", "archive/2026-05-02.md"], ["x", "y", None]]
)
def test_undo_changes_only_what_the_command_changes(tmp_path: Path, step: list) -> None:
    case = Case(tmp_path, {"topics/t.md": PAGE, "log/2026-06.jsonl": event("stale", step), "log.md": entry("review")})
    with pytest.raises(Refused) as error:
        case.plan(Undo(FORGED))
    assert "never changes" in str(error.value)


def test_a_replay_record_without_its_line_is_found_and_not_undone(tmp_path: Path) -> None:
    record = event("stale", ["Status", "stale", "active"])
    case = Case(tmp_path, {"topics/t.md": PAGE, "log/2026-06.jsonl": record})
    assert "event-without-entry" in case.codes()
    with pytest.raises(Refused):
        case.plan(Undo(FORGED))


def test_two_records_of_one_id_are_found_and_not_undone(tmp_path: Path) -> None:
    records = event("cool", ["place", "topics/t.md", "topics/t.md#Facts and lessons"]) * 2
    records = records.replace("as if", "as it were", 1)
    case = Case(tmp_path, {"topics/t.md": PAGE, "log/2026-06.jsonl": records, "log.md": entry()})
    assert "event-id-twice" in case.codes()
    with pytest.raises(Refused):
        case.plan(Undo(FORGED))


@pytest.mark.parametrize(
    "ref",
    [
        "Archive/2026-05-02.md",
        "archive/2026-05-02.md/",
        "archive//2026-05-02.md",
        "archive/../archive/2026-05-02.md",
        "archive%2F2026-05-02.md",
        "/archive/2026-05-02.md",
        "file://archive/2026-05-02.md",
        "archive/2026-05-02.md#",
        "archive/2026-05-02.md:5",
        "2026-05-02.md",
    ],
)
def test_a_selector_is_meant_however_it_is_spelled(tmp_path: Path, ref: str) -> None:
    files = {"topics/t.md": PAGE, "archive/2026-05-02.md": "# 2026-05-02\n"}
    case = Case(tmp_path, {**files, "log.md": control("2026-06-10-001", "withdraw", archive=f'"{ref}"')})
    assert not case.reading().influence.eligible(ONE)


@pytest.mark.parametrize("spelled", [f'"{ONE} "', f'"\\u200b{ONE}"', f'"{ONE},{TWO}"'])
def test_an_id_is_meant_whatever_stands_around_it(tmp_path: Path, spelled: str) -> None:
    case = Case(tmp_path, {"topics/t.md": PAGE, "log.md": control("2026-06-10-001", "withdraw", ids=spelled)})
    assert not case.reading().influence.eligible(ONE)


def test_a_selector_that_meets_nothing_is_found(tmp_path: Path) -> None:
    case = Case(
        tmp_path, {"topics/t.md": PAGE, "log.md": control("2026-06-10-001", "withdraw", ids="mem-2026-05-20-0O1")}
    )
    (finding,) = [one for one in case.reading().findings if one.code == "control-selects-nothing"]
    assert finding.id == "memwd-2026-06-10-001"


@pytest.mark.parametrize("source", ["Archive/2026-05-02.md", "archive%2F2026-05-02.md", "2026-05-02.md"])
def test_a_source_rests_on_a_day_however_it_is_spelled(tmp_path: Path, source: str) -> None:
    page = item("mem-2026-05-21-001", "Rests on it.", source=source)
    files = {"topics/t.md": page, "archive/2026-05-02.md": "# 2026-05-02\n"}
    case = Case(tmp_path, {**files, "log.md": control("2026-06-10-001", "withdraw", archive="archive/2026-05-02.md")})
    assert not case.reading().influence.eligible("mem-2026-05-21-001")


def test_a_record_in_json_excludes_what_it_names(tmp_path: Path) -> None:
    record = {
        "withdrawal_id": "memwd-2026-06-10-001",
        "record_type": "withdrawal-control-v1",
        "action": "withdraw",
        "scope": {"memory_item_ids": [ONE]},
        "reason": "failed-exploration",
        "decided_by": "owner:ana",
        "decided_at": "2026-06-10T10:00:00+08:00",
        "effect": "exclude-from-influence",
    }
    head = "- [2026-06-10T10:00:00+08:00] withdraw (memlog-2026-06-10-001) by owner:ana — memwd-2026-06-10-001\n"
    case = Case(tmp_path, {"topics/t.md": PAGE, "log.md": head + f"  ```json\n  {json.dumps(record)}\n  ```\n"})
    assert not case.reading().influence.eligible(ONE)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_log_saved_in_another_encoding_still_excludes_and_re_admits_nothing(tmp_path: Path, encoding: str) -> None:
    log = control("2026-06-10-001", "withdraw", ids=ONE)
    log += control("2026-06-11-001", "reinstate", ids=ONE, supersedes="memwd-2026-06-10-001")
    case = Case(tmp_path, {"topics/t.md": PAGE, "log.md": log.encode(encoding)})
    assert not case.reading().influence.eligible(ONE)
    assert case.reading().influence.eligible(TWO)


@pytest.mark.parametrize("by", ["agent:x", "Agent:x", "AGENT: x", "\\u200bagent:x", "Autodream"])
def test_an_agent_reinstates_nothing_however_it_is_written(tmp_path: Path, by: str) -> None:
    written = control("2026-06-11-001", "reinstate", ids=ONE, by="agent:x", supersedes="memwd-2026-06-10-001")
    written = written.replace("decided_by: agent:x", f'decided_by: "{by}"')
    log = control("2026-06-10-001", "withdraw", ids=ONE) + written
    case = Case(tmp_path, {"topics/t.md": PAGE, "log.md": log})
    assert not case.reading().influence.eligible(ONE)


def test_an_endless_ordinal_stops_no_writer(tmp_path: Path) -> None:
    endless = event("stale", event_id="memlog-2026-06-12-" + "9" * 5000)
    case = Case(tmp_path, {"topics/t.md": PAGE, "log/2026-06.jsonl": endless})
    receipt = case.do(Cool((ONE,)))
    assert receipt.event == "memlog-2026-06-12-001"


def test_no_secret_is_written_by_a_command(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    state = item("mem-2026-05-22-001", "x", kind="state", subject="a:b")
    bare = "- [2026-05-23] (knowledge) No source.\n  - id: mem-2026-05-23-001\n"
    case = Case(tmp_path, {"topics/t.md": PAGE + state + bare}, owners=True)
    requests = (
        Repair("mem-2026-05-23-001", source=f"token {secret}"),
        SetSubject("mem-2026-05-22-001", f"key:{secret}"),
        Withdraw(Scope(frozenset({ONE})), f"leaked {secret}"),
        Withdraw(Scope(source_or_run_refs=frozenset({secret}))),
    )
    for request in requests:
        with pytest.raises(Refused) as error:
            case.plan(request, ANA)
        assert "secret" in str(error.value)


def test_a_withdrawal_does_not_say_again_what_it_withdraws(tmp_path: Path) -> None:
    case = Case(tmp_path, {"topics/t.md": PAGE}, owners=True)
    with pytest.raises(Refused):
        case.plan(Withdraw(Scope(frozenset({ONE})), "The zebra crosses at noon, alone."), ANA)


def test_undo_of_what_the_engine_did_still_works(tmp_path: Path) -> None:
    case = Case(tmp_path, {"topics/t.md": PAGE})
    case.do(Cool((ONE,)))
    case.do(Stale((TWO,)))
    case.do(Undo())
    case.do(Undo())
    assert case.item(ONE).place.section == "Facts and lessons"
    assert case.item(TWO).record()["Status"] == "active"
