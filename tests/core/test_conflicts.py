"""Conflicts are surfaced, never settled (§15.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.conflicts import Conflict, find_conflicts
from core.controls import Tombstone
from core.findings import Finding
from core.influence import resolve_influence
from core.reading import Reading
from core.snapshot import Snapshot
from core.vocabulary import Severity, Status
from tests.core.build import change, event, item, reinstate, root, state, withdraw


def conflicts(snapshot: Snapshot, type: str | None = None) -> list[Conflict]:
    found = find_conflicts(snapshot, resolve_influence(snapshot))
    return [conflict for conflict in found if type in (None, conflict.type)]


OLD = state("mem-2026-05-01-009", "app:port", "Port is 8080.")
NEW = state("mem-2026-06-03-001", "app:port", "Port is 9090.", status=None, file="memory.md")


class TestTwoActive:
    def test_both_rows_stand_oldest_first_and_the_newer_is_suggested(self) -> None:
        (found,) = conflicts(root(NEW, OLD))
        assert found.type == "two-active"
        assert found.subject == "app:port"
        assert found.rows == ("mem-2026-05-01-009", "mem-2026-06-03-001")
        assert found.suggested == "mem-2026-06-03-001"
        assert not found.acknowledged
        assert "8080" not in found.message

    @pytest.mark.parametrize("other", ["mem-2026-06-03-002", None])
    def test_nothing_is_suggested_where_dates_do_not_tell(self, other: str | None) -> None:
        (found,) = conflicts(root(NEW, state(other, "app:port")))
        assert len(found.rows) == 2
        assert found.suggested is None

    @pytest.mark.parametrize(
        ("days", "suggested"),
        [(("05-01", "06-03", "06-03"), None), (("05-01", "05-01", "06-03"), "c"), (("05-01", "soon", "06-03"), None)],
    )
    def test_only_one_newest_row_is_suggested(self, days: tuple[str, ...], suggested: str | None) -> None:
        rows = [state(id, "app:port", date=f"2026-{one}") for id, one in zip("abc", days, strict=True)]
        (found,) = conflicts(root(*rows))
        assert found.suggested == suggested

    def test_a_row_that_stands_in_the_index_alone_takes_part(self) -> None:
        assert len(conflicts(root(OLD, state("mem-2026-06-03-001", "app:port", file="index.md")))) == 1

    def test_kinds_subjects_and_statuses_that_do_not_match_are_no_conflict(self) -> None:
        assert (
            conflicts(
                root(
                    state("mem-2026-06-03-002", "net:retries"),
                    item("mem-2026-05-01-010", subject="net:retries"),
                    item("mem-2026-05-02-010", kind=None, subject="net:retries"),
                    state("mem-2026-05-02-011", "Net:retries"),
                    state("mem-2026-05-02-012", "net:retries", status="stale"),
                    state("mem-2026-05-02-013", None),
                    state("mem-2026-05-02-014", None),
                )
            )
            == []
        )

    def test_what_is_withdrawn_takes_no_part(self) -> None:
        assert conflicts(root(OLD, NEW, controls=[withdraw("wd-1", ["mem-2026-05-01-009"])])) == []

    def test_rows_that_a_human_let_stay_come_last(self) -> None:
        rows = (
            state("mem-2026-05-01-001", "a", conflicts_with=("mem-2026-05-02-001",)),
            state("mem-2026-05-02-001", "a", conflicts_with=("mem-2026-05-01-001",)),
            OLD,
            NEW,
        )
        assert [(found.subject, found.acknowledged) for found in conflicts(root(*rows))] == [
            ("app:port", False),
            ("a", True),
        ]
        third = state("mem-2026-05-03-001", "a", conflicts_with=("mem-2026-05-01-001",))
        assert not any(found.acknowledged for found in conflicts(root(*rows, third)))

    def test_what_the_index_repeats_is_no_second_row(self) -> None:
        assert conflicts(root(OLD, state("mem-2026-05-01-009", "app:port", file="index.md"))) == []


class TestRefuted:
    OLD = item("mem-2026-05-11-004", "Retries help.", status="pending-cleanup")
    NEW = item("mem-2026-06-03-002", "Retries hide timeouts.")

    PEND = ("Status", "active", "pending-cleanup")

    def test_by_what_the_log_says(self) -> None:
        events = [
            event(
                "memlog-1",
                "pending-cleanup",
                change("mem-2026-05-11-004", self.PEND),
                detail={"refuted_by": self.NEW.id},
            )
        ]
        (found,) = conflicts(root(self.NEW, self.OLD, events=events))
        assert (found.type, found.rows) == ("refuted-knowledge", ("mem-2026-05-11-004", "mem-2026-06-03-002"))
        assert found.suggested is None
        assert "mem-2026-06-03-002 seems to refute it" in found.message

    @pytest.mark.parametrize("side", ["old", "new"])
    def test_by_conflicts_with_on_either_side(self, side: str) -> None:
        old = item("a", status="pending-cleanup", conflicts_with=("b",) if side == "old" else ())
        new = item("b", conflicts_with=("a",) if side == "new" else ())
        (found,) = conflicts(root(old, new))
        assert found.type == "refuted-knowledge"
        assert not found.acknowledged

    def test_what_was_undone_or_decided_since_refutes_nothing(self) -> None:
        pend = event("memlog-1", "pending-cleanup", change(self.OLD.id, self.PEND), detail={"refuted_by": self.NEW.id})
        back = ("Status", "pending-cleanup", "active")
        for since in (
            event("memlog-2", "manual-correction", change(self.OLD.id, back), undoes="memlog-1"),
            event("memlog-2", "review", change(self.OLD.id, back)),
        ):
            again = event("memlog-3", "pending-cleanup", change(self.OLD.id, self.PEND))
            assert conflicts(root(self.OLD, self.NEW, events=[pend, since, again])) == []
            assert conflicts(root(self.OLD, self.NEW, events=[pend, since])) == []

    def test_rows_that_refute_one_another_are_one_conflict(self) -> None:
        new = replace(self.NEW, status=Status.PENDING_CLEANUP, status_text="pending-cleanup")
        both = (change(self.OLD.id, self.PEND), change(self.NEW.id, self.PEND))
        events = [event("memlog-1", "pending-cleanup", *both, detail={"refuted_by": (self.OLD.id, self.NEW.id)})]
        (found,) = conflicts(root(self.OLD, new, events=events))
        assert found.rows == (self.OLD.id, self.NEW.id)

    @pytest.mark.parametrize(("other", "pairs"), [("active", 1), ("pending-cleanup", 1), ("superseded", 0)])
    def test_a_pending_state_row_with_one_that_could_be_current(self, other: str, pairs: int) -> None:
        old = state("mem-2026-05-01-009", "app:port", status="pending-cleanup")
        new = state(
            "mem-2026-06-03-001", "app:port", status=other, superseded_by="x" if other == "superseded" else None
        )
        marked = event(
            "memlog-1", "pending-cleanup", change(old.id, self.PEND), detail={"refuted_by": (old.id, new.id)}
        )
        snapshot = root(old, new, state("x", "app:gone"), events=[marked])
        found = [one for one in conflicts(snapshot) if one.type == "refuted-state"]
        assert [(one.rows, one.suggested) for one in found] == [((old.id, new.id), new.id)] * pairs
        entries = [entry for entry in Reading(snapshot, today="2026-06-12").queue if entry.item == old.id]
        proposed = {entry.proposed for entry in entries if entry.code == "pending-cleanup"}
        assert proposed == {"reconcile" if pairs else "clear"}

    def test_a_pending_item_without_a_known_refutation_is_none(self) -> None:
        assert conflicts(root(self.OLD, self.NEW)) == []


class TestChains:
    def test_four_broken_chains(self) -> None:
        snapshot = root(
            state("mem-2026-05-01-021", "s:a", status="superseded", superseded_by="mem-2026-05-09-999"),
            state("mem-2026-05-01-022", "s:b", status="superseded", superseded_by="mem-2026-05-01-023"),
            state("mem-2026-05-01-023", "s:b", status="superseded", superseded_by="mem-2026-05-01-022"),
            state("mem-2026-05-01-024", "s:c", status="superseded"),
            state("mem-2026-05-01-025", "s:d", status="active", superseded_by="mem-2026-05-01-024"),
        )
        assert [(found.type, found.rows) for found in conflicts(snapshot)] == [
            ("dangling-pointer", ("mem-2026-05-01-021",)),
            ("pointer-cycle", ("mem-2026-05-01-022", "mem-2026-05-01-023")),
            ("superseded-without-pointer", ("mem-2026-05-01-024",)),
            ("pointer-without-status", ("mem-2026-05-01-025",)),
        ]

    def test_a_row_that_leads_into_a_cycle_is_not_of_it(self) -> None:
        snapshot = root(
            state("c", "s", status="superseded", superseded_by="a"),
            state("a", "s", status="superseded", superseded_by="b"),
            state("b", "s", status="superseded", superseded_by="a"),
        )
        (found,) = conflicts(snapshot, "pointer-cycle")
        assert set(found.rows) == {"a", "b"}

    def test_a_chain_in_order_is_none(self) -> None:
        snapshot = root(
            state("a", "s", status="superseded", superseded_by="b"),
            state("b", "s", status="superseded", superseded_by="c"),
            state("c", "s"),
            state("p", "t", status="pending-cleanup", superseded_by="c"),
            item("m", status="superseded", merged_into="c"),
        )
        assert conflicts(snapshot) == []

    def test_a_pointer_to_what_is_withdrawn_or_erased_is_not_dangling(self) -> None:
        row = state("a", "s", status="superseded", superseded_by="b")
        assert conflicts(root(row, state("b", "s"), controls=[withdraw("wd-1", ["b"])])) == []
        tombstone = Tombstone("memerase-1", ("b",), "owner:ana", "", "", ())
        assert conflicts(root(row, tombstones=(tombstone,))) == []
        assert [found.type for found in conflicts(root(row))] == ["dangling-pointer"]

    def test_a_fold_that_is_not_there(self) -> None:
        assert [found.type for found in conflicts(root(item("a", merged_into="b")))] == ["dangling-pointer"]


def test_two_items_of_one_id_both_stand_and_neither_wins() -> None:
    snapshot = root(item("mem-2026-06-01-003", "First.", file="topics/a.md"), item("mem-2026-06-01-003", "Second."))
    (found,) = conflicts(snapshot)
    assert found.type == "two-items-one-id"
    assert set(found.rows) == set(snapshot.by_key)
    assert found.suggested is None
    assert not found.acknowledged
    assert conflicts(root(*snapshot.items, controls=[withdraw("wd-1", ["mem-2026-06-01-003"])])) == []


def test_two_bearers_of_one_state_row_are_one_conflict() -> None:
    snapshot = root(state("a", "s", file="topics/a.md"), state("a", "s", file="topics/b.md"))
    assert [found.type for found in conflicts(snapshot)] == ["two-items-one-id"]


def test_control_events_without_an_order() -> None:
    snapshot = root(
        item("a"), controls=[withdraw("wd-1", ["a"]), reinstate("wd-2", "wd-1", ["a"]), withdraw("wd-3", ["a"])]
    )
    (found,) = conflicts(snapshot)
    assert found.type == "unordered-controls"
    assert "wd-3" in found.message
    assert conflicts(root(item("a"), controls=[withdraw("wd-1", ["a"])])) == []


def test_copies_and_merge_markers_beside_governed_files() -> None:
    drift = [
        Finding("merge-markers", Severity.ERROR, "", "topics/workflows.md", 3),
        Finding("conflicted-copy", Severity.WARNING, "", "topics/environment.sync-conflict-20260512-003022.md"),
        Finding("merge-markers", Severity.ERROR, "", "topics/workflows.md", 7),
        Finding("missing-kind", Severity.WARNING, "", "topics/x.md", 1),
    ]
    assert [(found.type, found.files) for found in conflicts(root(drift=tuple(drift)))] == [
        ("conflicted-copy", ("topics/environment.sync-conflict-20260512-003022.md",)),
        ("merge-markers", ("topics/workflows.md",)),
    ]
