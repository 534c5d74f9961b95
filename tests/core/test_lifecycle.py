"""The table of Status changes (§9, §14, §16)."""

from __future__ import annotations

from itertools import product

import pytest

from core.authority import Role
from core.items import MemoryItem
from core.lifecycle import TABLE, allowed, refusal
from core.vocabulary import Status
from tests.core.build import item

PEOPLE = [Role.HUMAN, Role.OWNER]


def one(kind: str, status: str, **more: object) -> MemoryItem:
    return item("mem-2026-05-11-004", kind=kind, status=status, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("role", [Role.AGENT, Role.SCHEDULER])
def test_agents_and_schedulers_change_no_status(role: Role) -> None:
    for kind, status in product(["state", "knowledge"], Status):
        assert allowed(one(kind, status, superseded_by="mem-2026-06-01-001"), role) == ()
    said = refusal(one("knowledge", "active"), Status.PENDING_CLEANUP, role)
    assert said is not None
    assert "autodream or a human or an owner may" in said


def test_what_autodream_may() -> None:
    may = {
        (kind, status): allowed(one(kind, status), Role.AUTODREAM)
        for kind, status in product(["state", "knowledge"], Status)
    }
    assert {key: value for key, value in may.items() if value} == {
        ("knowledge", Status.ACTIVE): (Status.PENDING_CLEANUP,),
    }
    known = {
        (kind, status): allowed(one(kind, status, superseded_by="mem-2026-06-01-001"), Role.AUTODREAM)
        for kind, status in product(["state", "knowledge"], Status)
    }
    assert {key: value for key, value in known.items() if value} == {
        ("knowledge", Status.ACTIVE): (Status.PENDING_CLEANUP,),
        ("state", Status.ACTIVE): (Status.SUPERSEDED,),
        ("state", Status.PENDING_CLEANUP): (Status.SUPERSEDED,),
    }


def test_autodream_never_clears_knowledge_and_never_says_stale() -> None:
    assert "a human or an owner may" in str(refusal(one("knowledge", "pending-cleanup"), Status.ACTIVE, Role.AUTODREAM))
    for kind, status in product(["state", "knowledge"], Status):
        assert Status.STALE not in allowed(one(kind, status), Role.AUTODREAM)


@pytest.mark.parametrize("role", PEOPLE)
def test_what_people_may(role: Role) -> None:
    assert allowed(one("knowledge", "pending-cleanup"), role) == (Status.ACTIVE, Status.STALE)
    assert allowed(one("knowledge", "stale"), role) == (Status.ACTIVE,)
    assert allowed(one("knowledge", "active"), role) == (Status.STALE, Status.PENDING_CLEANUP)
    assert allowed(one("state", "active", superseded_by="x"), role) == (
        Status.SUPERSEDED,
        Status.STALE,
        Status.PENDING_CLEANUP,
    )


@pytest.mark.parametrize("role", PEOPLE)
def test_superseded_comes_back_only_by_undo_or_reconcile(role: Role) -> None:
    row = one("state", "superseded", superseded_by="mem-2026-06-01-001")
    assert allowed(row, role) == ()
    assert "undo" in str(refusal(row, Status.ACTIVE, role))
    assert refusal(row, Status.ACTIVE, role, command="undo") is None
    assert refusal(row, Status.ACTIVE, role, command="reconcile") is None
    assert refusal(row, Status.ACTIVE, Role.AGENT, command="undo") is not None


def test_an_undo_takes_back_what_the_same_role_may_do() -> None:
    stale = one("knowledge", "stale")
    assert refusal(stale, Status.PENDING_CLEANUP, Role.HUMAN) is not None
    assert refusal(stale, Status.PENDING_CLEANUP, Role.HUMAN, command="undo") is None
    pending = one("knowledge", "pending-cleanup")
    assert refusal(pending, Status.ACTIVE, Role.AUTODREAM, command="undo") is None
    assert refusal(stale, Status.ACTIVE, Role.AUTODREAM, command="undo") is not None


def test_knowledge_is_never_superseded() -> None:
    for status, role, command in product(Status, Role, [None, "reconcile"]):
        row = one("knowledge", status, superseded_by="x")
        why = refusal(row, Status.SUPERSEDED, role, successor="x", command=command)
        assert why is not None
        if status is not Status.SUPERSEDED:
            assert why.startswith("Knowledge is never superseded")
    assert "reconcile it" in str(refusal(one("state", "stale"), Status.PENDING_CLEANUP, Role.HUMAN))


def test_a_supersede_needs_a_successor_from_the_item_or_beside_it() -> None:
    assert "successor" in str(refusal(one("state", "active"), Status.SUPERSEDED, Role.AUTODREAM))
    assert refusal(one("state", "active"), Status.SUPERSEDED, Role.AUTODREAM, successor="x") is None
    stale = one("state", "stale")
    assert "successor" in str(refusal(stale, Status.SUPERSEDED, Role.HUMAN, command="reconcile"))
    assert refusal(stale, Status.SUPERSEDED, Role.HUMAN, command="reconcile", successor="x") is None


@pytest.mark.parametrize(
    "row", [item("mem-2026-05-11-004", kind=None), item("mem-2026-05-11-004", kind="fact"), one("state", "待清理")]
)
def test_drift_is_repaired_first(row: MemoryItem) -> None:
    for status in Status:
        assert "repair it first" in str(refusal(row, status, Role.OWNER))
    assert allowed(row, Role.OWNER) == ()


def test_an_absent_status_is_active() -> None:
    assert allowed(item("mem-2026-05-11-004", status=None), Role.HUMAN) == (Status.STALE, Status.PENDING_CLEANUP)


def test_no_change_is_a_change_to_itself() -> None:
    assert all(row.source is not row.target for row in TABLE)
    assert refusal(one("state", "active"), Status.ACTIVE, Role.OWNER) == "It is active already."
