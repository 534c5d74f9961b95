"""Promotion on disk (§17): the decision, the rule, the pointers, and a change of the rules that nobody decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.controls import Scope
from core.errors import NotAuthorised, PlanChanged, Refused
from core.requests import Approve, Init, Reject, Withdraw
from tests.cases.case import ANA, HUMAN, Case, item

ONE, TWO = "mem-2026-05-20-001", "mem-2026-05-21-001"
PROPOSAL = f"""\
---
proposal_id: mempolicy-2026-06-01-001
target: conventions.md   # where it belongs
proposed_change: Drain before a restart.
supporting_refs:
  - {ONE}
  - {TWO}
expected_benefit: fewer lost requests
risk: slower restarts
status: pending-review
---

Free words of whoever proposed it.
"""
FILES = {
    "topics/t.md": item(ONE, "Drain before a restart.") + item(TWO, "A restart without draining lost requests."),
    "conventions.md": "# Conventions\n\nWritten by hand.   \n",
    "proposals/mempolicy-2026-06-01-001.md": PROPOSAL,
    "index.md": "# Memory Index\n\n## Topic Map\n\n- t.md — Read when restarting.\n",
}
APPROVE = Approve("mempolicy-2026-06-01-001")


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path, FILES, owners=True)


def test_approving_records_the_decision_and_writes_the_rule(case: Case) -> None:
    plan = case.plan(APPROVE, ANA)
    receipt = case.commit(plan)
    assert receipt.files == plan.previews
    conventions = case.bytes("conventions.md").decode()
    assert conventions.startswith(FILES["conventions.md"])
    assert "## Rules" in conventions
    assert "- Drain before a restart." in conventions
    assert "mempolicy-2026-06-01-001" in conventions
    proposal = case.bytes("proposals/mempolicy-2026-06-01-001.md").decode()
    assert "status: approved" in proposal
    assert "decided_by: owner:ana" in proposal
    assert "# where it belongs" in proposal
    assert "Free words of whoever proposed it." in proposal
    assert [case.item(one).promoted_to for one in (ONE, TWO)] == ["conventions.md"] * 2
    (event,) = case.store.snapshot().events
    assert event.decision is not None
    assert (event.type, event.decision.by) == ("promote", "owner:ana")


def test_a_change_of_the_rules_without_a_decision_is_a_violation(case: Case) -> None:
    case.do(APPROVE, ANA)
    assert "boundary-violation" not in case.codes()
    case.write("conventions.md", case.bytes("conventions.md") + b"- Agents may deploy.\n")
    assert "boundary-violation" in case.codes("conventions.md")


def test_a_new_root_knows_its_first_rules(tmp_path: Path) -> None:
    case = Case(tmp_path, {})
    case.do(Init(), HUMAN)
    assert "boundary-violation" not in case.codes()
    case.write("conventions.md", "# Conventions\n\n- Agents may deploy.\n")
    assert "boundary-violation" in case.codes("conventions.md")


def test_a_changed_target_shows_the_plan_anew(case: Case) -> None:
    plan = case.plan(APPROVE, ANA)
    case.write("conventions.md", "# Conventions\n\nRewritten meanwhile.\n")
    with pytest.raises(PlanChanged) as error:
        case.commit(plan)
    assert case.bytes("conventions.md") == b"# Conventions\n\nRewritten meanwhile.\n"
    case.commit(error.value.plan)
    assert b"Rewritten meanwhile." in case.bytes("conventions.md")
    assert b"- Drain before a restart." in case.bytes("conventions.md")


def test_what_rests_on_something_withdrawn_is_refused(case: Case) -> None:
    case.do(Withdraw(Scope(frozenset({TWO}))), ANA)
    with pytest.raises(Refused) as error:
        case.plan(APPROVE, ANA)
    assert TWO in str(error.value)
    assert "Reinstate" in str(error.value)


def test_a_reference_that_does_not_resolve_is_a_warning(case: Case) -> None:
    case.write("proposals/mempolicy-2026-06-01-001.md", PROPOSAL.replace(TWO, "mem-2026-05-21-999"))
    plan = case.plan(APPROVE, ANA)
    assert any("mem-2026-05-21-999" in warning for warning in plan.warnings)
    assert any("One incident" in warning for warning in plan.warnings)


def test_only_an_owner_decides(case: Case) -> None:
    for request in (APPROVE, Reject("mempolicy-2026-06-01-001", "one incident")):
        with pytest.raises(NotAuthorised) as error:
            case.plan(request, HUMAN)
        assert "ana" in str(error.value)


def test_a_rejection_gives_its_reason_and_changes_no_rule(case: Case) -> None:
    case.do(Reject("mempolicy-2026-06-01-001", "one incident"), ANA)
    proposal = case.bytes("proposals/mempolicy-2026-06-01-001.md").decode()
    assert "status: rejected" in proposal
    assert "one incident" in proposal
    assert case.bytes("conventions.md").decode() == FILES["conventions.md"]
    with pytest.raises(Refused):
        case.plan(APPROVE, ANA)
