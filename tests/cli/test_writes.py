"""Deciding: the plan, the question, the answer, the bytes on disk."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.authority import Tier
from core.errors import Declined
from core.requests import Stale
from tui.cli.decide import decide
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.terminal import Terminal

ITEM = "mem-2026-05-20-001"
STALE = b"  - id: mem-2026-05-20-001\n  - kind: knowledge\n  - Status: stale\n"


def by_id(assay):
    return {item["id"]: item for item in assay.inside("items", "--json").data}


def page(assay) -> bytes:
    return (assay.root / "topics/deploy.md").read_bytes()


def test_a_dry_run_prints_the_plan_and_writes_nothing(assay):
    before = assay.bytes()
    result = assay.inside("stale", ITEM, "--dry-run")
    assert (result.status, result.err) == (0, "")
    assert "pending-cleanup → stale" in result.out
    assert "\n-  - Status: pending-cleanup\n+  - Status: stale\n" in result.out
    assert "Decided by" in result.out
    plan = assay.inside("stale", ITEM, "--dry-run", "--json").data
    assert (plan["human_only"], plan["tier"]) == (True, "plan")
    assert [line["id"] for line in plan["lines"]] == [ITEM]
    assert "topics/deploy.md" in [file["path"] for file in plan["files"]]
    assert assay.bytes() == before


@pytest.mark.parametrize("typed", [None, "yes\n", "yes\nyes\nyes\n"])
def test_without_a_terminal_nothing_is_decided(assay, typed):
    before = assay.bytes()
    result = assay("stale", ITEM, typed=typed)
    assert (result.status, result.out) == (4, "")
    assert "--dry-run" in result.err
    assert assay.bytes() == before


def test_yes_at_the_terminal_decides(assay, person):
    result = person("stale", ITEM).answer("yes")
    assert result.status == 0
    assert "pending-cleanup → stale" in result.err
    assert "memlog-" in result.err
    assert STALE in page(assay)


@pytest.mark.parametrize("answer", ["no", "", "y", "YES", "yes please", "\x04"])
def test_anything_else_cancels(assay, person, answer):
    before = assay.bytes()
    result = person("stale", ITEM).answer(answer)
    assert result.status == 14
    assert "nothing was written" in result.err
    assert assay.bytes() == before


def test_what_is_decided_stands_right_above_the_question(assay, person):
    session = person("stale", ITEM, "topics/deploy.md:31")
    session.wait_for("cancel:")
    above = session.screen.replace("\r", "").rpartition("Decided by ")[2].splitlines()
    assert above[2] == "Mark 1 item stale"
    assert above[3].startswith(f"  {ITEM}   pending-cleanup → stale   Retries hide")
    assert "left out" in above[4]
    assert above[5].startswith("Mark stale? Type yes")
    assert max(map(len, above[2:5])) <= 80


def test_an_interrupt_cancels(assay, person):
    before = assay.bytes()
    session = person("stale", ITEM)
    session.wait_for("cancel:")
    session.type("\x03")
    assert session.end().status == 130
    assert assay.bytes() == before


def test_input_and_error_that_are_a_terminal_will_do(assay, person):
    assert person("stale", ITEM, controlling=False, pipe=True).answer("yes").status == 0
    assert STALE in page(assay)


def test_keys_typed_ahead_confirm_nothing(assay, person):
    before = assay.bytes()
    session = person("stale", ITEM)
    session.type("yes\nyes\n")
    assert session.answer("no").status == 14
    assert assay.bytes() == before


def test_the_question_goes_to_the_terminal_and_the_receipt_to_the_pipe(assay, person):
    result = person("stale", ITEM, "--json", pipe=True).answer("yes")
    assert result.status == 0
    assert result.data["event"].startswith("memlog-")
    assert {file["path"] for file in result.data["files"]} >= {"topics/deploy.md", "log.md"}
    assert set(result.data) >= {"event", "title", "files", "undo", "refusals"}


def test_what_cannot_be_undone_takes_its_phrase(assay, monkeypatch):
    opened = Opened(str(assay.root))
    plan = opened.engine.plan(Stale((ITEM,)), opened.actor)
    plan = replace(plan, tier=Tier.PHRASE, phrase="stale 1 item")
    said: list[str] = []

    class Person:
        columns = 80

        def __init__(self, answer: str) -> None:
            self.answer = answer

        def __enter__(self) -> Person:
            return self

        def __exit__(self, *_: object) -> None: ...

        def show(self, text: str) -> None:
            said.append(text)

        def ask(self, question: str) -> str:
            said.append(question)
            return self.answer

    for answer in ("yes", "stale 1", ""):
        monkeypatch.setattr(Terminal, "open", lambda answer=answer: Person(answer))
        with pytest.raises(Declined):
            decide(opened, plan, Output())
    monkeypatch.setattr(Terminal, "open", lambda: Person("stale 1 item"))
    assert decide(opened, plan, Output()).event.startswith("memlog-")
    assert "This cannot be undone." in said
    assert any("'stale 1 item'" in text for text in said)


def test_a_secret_in_the_plan_is_masked(assay):
    result = assay.inside("stale", "mem-2026-06-07-001", "--dry-run")
    assert "Deploy key is" in result.out
    assert "AKIAIOSFODNN7EXAMPLE" not in result.out
    assert "AKIAIOSFODNN7EXAMPLE" in assay.inside("stale", "mem-2026-06-07-001", "--dry-run", "--reveal").out


def test_escapes_in_a_plan_reach_neither_output_nor_terminal(assay, person, hostile):
    for form in ([], ["--json"]):
        assert not hostile(assay.inside("stale", "mem-2026-05-06-006", "--dry-run", *form).out)
    screen = person("stale", "mem-2026-05-06-006").answer("no").err
    assert not hostile(screen.replace("\r", ""))


def test_one_refused_item_does_not_stop_the_rest(assay, person):
    result = person("stale", ITEM, "topics/deploy.md:31").answer("yes")
    assert result.status == 6
    assert "left out" in result.err
    assert STALE in page(assay)


def test_an_unknown_item_stops_before_anything(assay, person):
    before = assay.bytes()
    assert assay("stale", ITEM, "mem-1999-01-01-001").status == 7
    assert assay.bytes() == before


def test_pending_one_item_needs_no_question_and_undo_takes_it_back(assay, person):
    before = page(assay)
    result = assay("pend", "mem-2026-05-20-002", "--json", "--reason", "refuted")
    assert result.status == 0
    assert b"mem-2026-05-20-002\n  - kind: knowledge\n  - Status: pending-cleanup\n" in page(assay)
    assert assay("undo", result.data["event"]).status == 0
    assert page(assay).count(b"Status: pending-cleanup") == before.count(b"Status: pending-cleanup")
    assert assay("undo").status == 6


def test_undo_asks_whoever_is_at_the_terminal_whatever_it_takes_back(assay, person):
    assert assay("pend", "mem-2026-05-20-002").status == 0
    pended = page(assay)
    declined = person("undo").answer("no")
    assert (declined.status, page(assay)) == (14, pended)
    assert "Undo: 1 item pending-cleanup" in declined.err
    assert person("undo").answer("yes").status == 0
    assert page(assay) != pended


def test_undo_says_which_decision_it_passes_over(assay):
    assay.own()
    assert assay.agreed("stale", ITEM).status == 0
    assert assay.agreed("withdraw", "--item", "mem-2026-05-20-002").status == 0
    said = assay.agreed("undo").err
    assert "Note: Decided since: memwd-" in said
    assert "(withdraw). That cannot be undone; this undoes what came before it." in said


def test_undo_of_a_human_decision_asks(assay, person):
    assert person("stale", ITEM).answer("yes").status == 0
    assert assay("undo").status == 4
    assert person("undo").answer("yes").status == 0
    assert STALE not in page(assay)


def test_a_plan_that_changed_is_shown_anew(assay, person):
    session = person("stale", ITEM)
    session.wait_for("cancel:")
    changed = page(assay).replace(b"Retries hide timeouts behind", b"Retries hide time-outs before")
    (assay.root / "topics/deploy.md").write_bytes(changed)
    session.type("yes\n")
    session.wait_for("shown anew")
    session.wait_for("time-outs before")
    session.screen = ""
    assert session.answer("yes").status == 0
    assert b"Retries hide time-outs before" in page(assay)
    assert STALE in page(assay)


def test_repair_by_place(assay, person):
    result = person("repair", "topics/deploy.md:31").answer("yes")
    assert result.status == 0
    assert b"Drain before a restart.\n  - id: mem-" in page(assay)


def test_supersede_and_reconcile(assay, person):
    words = ("mem-2026-05-01-009", "--by", "mem-2026-06-03-001")
    assert "superseded" in assay.inside("supersede", *words, "--dry-run").out
    assert assay.inside("supersede", "mem-2026-06-03-001", "--by", "mem-2026-05-01-009").status == 6
    both = ("mem-2026-05-01-009", "mem-2026-06-03-001")
    result = person("reconcile", *both, "--current", both[1], "--evidence", "archive/2026-05-20.md#run-6").answer("yes")
    assert result.status == 0
    assert b"  - Status: superseded\n  - superseded_by: mem-2026-06-03-001\n" in page(assay)


def test_the_first_withdrawal_names_an_owner_first(assay, person):
    assert assay("withdraw", "--item", ITEM).status == 4
    assert assay("withdraw", "--item", ITEM, "--dry-run").status == 5
    session = person("withdraw", "--item", ITEM, "--reason", "failed-exploration")
    session.wait_for("nothing to cancel:")
    session.type("ana\n")
    session.wait_for("Name owner?")
    session.type("yes\n")
    session.wait_for("Withdraw?")
    session.type("yes\n")
    assert session.end().status == 0
    assert assay.inside("status", "--json").data["owners_state"] == "confirmed"
    assert by_id(assay)[ITEM]["withheld"]
    (record,) = assay.inside("withdrawals", "--json").data

    diff = assay.inside("reinstate", record["withdrawal_id"], "--dry-run")
    assert diff.status == 0
    assert "Retries hide timeouts" not in diff.out
    assert person("reinstate", record["withdrawal_id"]).answer("yes").status == 0
    assert not by_id(assay)[ITEM]["withheld"]


def test_nobody_named_nobody_decides(assay, person):
    before = assay.bytes()
    session = person("withdraw", "--item", ITEM)
    assert session.answer("", question="nothing to cancel:").status == 14
    assert assay.bytes() == before


class TestDeclaredOwners:
    @pytest.fixture
    def assay(self, assay):
        from stores.identity import os_user

        path = assay.root / "assay.toml"
        path.write_text(path.read_text() + f'\n[[owners]]\nname = "ana"\nuser = "{os_user()}"\nscopes = ["*"]\n')
        return assay

    def test_they_grant_nothing_until_confirmed(self, assay, person):
        result = assay("withdraw", "--item", ITEM)
        assert result.status == 5
        assert "assay owner confirm" in result.err
        assert assay("owner", "add", "bob").status == 5
        assert assay("owner", "confirm").status == 4
        assert person("owner", "confirm").answer("no").status == 14
        assert assay.inside("status", "--json").data["owners_state"] == "unconfirmed"
        assert "ana" in assay.inside("owner", "confirm", "--dry-run").out

    def test_confirmed_they_may(self, assay, person):
        assert person("owner", "confirm").answer("yes").status == 0
        value = assay.inside("status", "--json").data
        assert (value["owners_state"], value["actor"]) == ("confirmed", "owner:ana")
        assert person("withdraw", "--item", ITEM).answer("yes").status == 0
        assert person("owner", "add", "bob", "--user", "bob", "--scope", "topic:deploy").answer("yes").status == 0
        assert assay.inside("status", "--json").data["owners_state"] == "confirmed"

    def test_an_archive_segment_is_named_as_records_name_it(self, assay, person):
        assert person("owner", "confirm").answer("yes").status == 0
        result = assay.inside("withdraw", "--archive", "archive/2026-05-20#run-7", "--dry-run", "--json")
        assert result.status == 0
        assert ITEM in [line["id"] for line in result.data["lines"]]
        assert assay.inside("withdraw", "--archive", "archive/2026-05-20.md#run-9", "--dry-run").status == 7
        assert assay.inside("withdraw", "--dry-run").status == 2

    def test_control_events_without_one_order_are_settled(self, assay, person):
        log = "# Log\n"
        for number in (1, 2):
            log += (
                f"\n- [2026-06-1{number}T10:00:00Z] withdraw (memlog-2026-06-1{number}-001) by owner:ana — x\n"
                f"  ```yaml\n  withdrawal_id: memwd-2026-06-1{number}-001\n  record_type: withdrawal-control-v1\n"
                f"  action: withdraw\n  scope:\n    memory_item_ids: [{ITEM}]\n  reason: failed-exploration\n"
                f"  decided_by: owner:ana\n  decided_at: 2026-06-1{number}T10:00:00Z\n"
                "  effect: exclude-from-influence\n  ```\n"
            )
        (assay.root / "log.md").write_text(log)
        assert person("owner", "confirm").answer("yes").status == 0
        assert {one["state"] for one in assay.inside("withdrawals", "--json").data} == {"unresolved"}
        assert "assay settle memwd-2026-06-11-001" in assay.inside("withdrawals").out
        assert person("settle", "memwd-2026-06-11-001", "reinstate").answer("yes").status == 0
        states = [one["state"] for one in assay.inside("withdrawals", "--json").data]
        assert sorted(states) == ["controls", "superseded", "superseded"]
        assert by_id(assay)[ITEM]["withheld"] is False

    def test_a_changed_declaration_counts_only_once_confirmed(self, assay, person):
        assert person("owner", "confirm").answer("yes").status == 0
        path = assay.root / "assay.toml"
        path.write_text(path.read_text().replace('name = "ana"', 'name = "eve"'))
        value = assay.inside("status", "--json").data
        assert (value["owners_state"], value["actor"]) == ("changed", "owner:ana")
        shown = assay.inside("owner", "confirm", "--dry-run").out
        assert "eve" in shown
        assert "ana" in shown
        assert person("owner", "confirm").answer("yes").status == 0
        assert assay.inside("status", "--json").data["actor"] == "owner:eve"


def test_init_lays_out_a_root_and_never_over_one(empty):
    result = empty("init", "memory", "--timezone", "Asia/Shanghai")
    assert (result.status, result.err) == (0, "")
    assert empty.inside("status", "--json").data["timezone"] == "Asia/Shanghai"
    before = empty.bytes()
    assert empty("init").status == 13
    assert empty.bytes() == before


def test_init_with_an_owner_takes_a_person(empty):
    assert empty("init", "--owner", "ana").status == 4
    assert not empty.root.exists()
    session = empty.at_terminal("init", "--owner", "ana")
    assert session.answer("yes").status == 0
    session.close()
    value = empty.inside("status", "--json").data
    assert (value["owners_state"], value["actor"]) == ("confirmed", "owner:ana")
