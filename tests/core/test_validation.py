"""The validation checklist (§21): what was not exercised is never a pass."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.binding import Binding
from core.controls import Tombstone
from core.events import Decision, Event, LogEntry
from core.items import Place
from core.reading import Reading
from core.snapshot import FileState, IndexLine, IndexView, Proposal, Snapshot, Topic
from core.validation import Check
from core.vocabulary import CheckResult, Level
from tests.core.build import ANA, change, day, event, item, reinstate, root, state, withdraw

PASS, FAIL = CheckResult.PASS, CheckResult.FAIL
UNEVALUATED, NOT_APPLICABLE = CheckResult.UNEVALUATED, CheckResult.NOT_APPLICABLE
ONE = "mem-2026-05-20-001"


def claiming(level: Level = Level.L5) -> Binding:
    return Binding(owners=(ANA,), owners_state="confirmed", level=level)


def checks(snapshot: Snapshot) -> Mapping[int, Check]:
    return {check.number: check for check in Reading(snapshot, today="2026-06-12").checks}


def result(number: int, *items: object, **more: object) -> CheckResult:
    snapshot = root(*items, **{"binding": claiming(), **more})  # type: ignore[arg-type]
    check = checks(snapshot)[number]
    assert check.evidence
    return check.result


def test_an_empty_root_passes_nothing() -> None:
    found = checks(root(binding=claiming()))
    assert sorted(found) == list(range(1, 22))
    assert {check.result for check in found.values()} == {UNEVALUATED}


LEVELS = {
    Level.L0: {1, 3, 11, 12, 17, 18, 21},
    Level.L1: {2, 6, 7, 8, 19, 20},
    Level.L3: {4, 5},
    Level.L4: {9, 10},
    Level.L5: {13, 14, 15, 16},
}


@pytest.mark.parametrize("claimed", Level)
def test_what_stands_above_the_claimed_level_does_not_apply(claimed: Level) -> None:
    found = checks(root(binding=claiming(claimed)))
    applies = {number for number, check in found.items() if check.result is not NOT_APPLICABLE}
    assert applies == {number for level, numbers in LEVELS.items() if level <= claimed for number in numbers}
    assert all(check.level == level for level, numbers in LEVELS.items() for n, check in found.items() if n in numbers)


@pytest.mark.parametrize("number", [1, 2, 8, 10, 13, 14, 16, 17, 18, 20])
def test_what_only_use_shows_is_never_evaluated_from_files(number: int) -> None:
    full = root(
        item(ONE, source="archive/2026-05-20.md"),
        binding=claiming(),
        archive=[day(f"- [{ONE}] A.", "2026-05-20")],
        topics=(Topic("t", "topics/t.md", triggers=("x",), source_dates=("2026-05-20",)),),
        index=IndexView(present=True, lines=10),
        events=(event("memlog-1", "capture", change(ONE)),),
    )
    check = checks(full)[number]
    assert check.result is UNEVALUATED
    assert check.remedy


class TestCapture:
    def test_the_inbox_was_used(self) -> None:
        assert result(3, item(ONE, file="memory.md")) is PASS
        assert result(3, archive=[day(f"- [{ONE}] A.", "2026-05-20")]) is PASS

    def test_an_inbox_that_is_not_written(self) -> None:
        files = {"memory.md": FileState("d", 1, "a run of NUL bytes")}
        assert result(3, item(ONE, file="memory.md"), files=files) is FAIL


class TestDistillation:
    ARCHIVE = (day(f"- [{ONE}] A.", "2026-05-20"),)

    def events(self, *types: str) -> tuple[Event, ...]:
        return tuple(
            event(f"memlog-{n}", type, *([change(ONE, ("text", None, "A."), record={})] if type == "autodream" else []))
            for n, type in enumerate(types)
        )

    def log(self, *types: str) -> tuple[LogEntry, ...]:
        return tuple(LogEntry(None, type, "", "", "", Place("log.md", n)) for n, type in enumerate(types, 1))

    def test_archive_comes_first(self) -> None:
        assert result(4, item(ONE, "A."), archive=self.ARCHIVE, events=self.events("archive", "autodream")) is PASS
        assert result(4, item(ONE, "A."), archive=self.ARCHIVE, events=self.events("autodream", "archive")) is FAIL
        assert result(4, item(ONE, "A."), archive=self.ARCHIVE, events=self.events("archive")) is UNEVALUATED
        assert result(4, log=self.log("autodream")) is FAIL
        assert result(4, log=self.log("archive", "autodream")) is PASS
        assert result(4, log=self.log("archive", "autodream"), events=self.events("review")) is PASS

    def test_nothing_it_touched_is_gone(self) -> None:
        events = self.events("archive", "autodream")
        assert result(5, item(ONE, "A."), events=events) is PASS
        assert (
            result(5, events=(*events, event("memlog-9", "merge", change(ONE, ("place", None, "topics/t.md"))))) is FAIL
        )
        assert result(5, log=self.log("archive", "autodream")) is UNEVALUATED


class TestIndexAndTopics:
    TOPIC = Topic("t", "topics/t.md", triggers=("x",))

    def test_every_topic_has_a_trigger(self) -> None:
        index = IndexView(present=True, lines=10)
        assert result(6, topics=(self.TOPIC,), index=index) is PASS
        assert result(6, topics=(self.TOPIC, Topic("u", "topics/u.md")), index=index) is FAIL
        assert result(6, topics=(self.TOPIC,)) is FAIL
        lost = IndexView(present=True, lines=10, topic_map=(IndexLine("gone.md", 3, "gone.md"),))
        assert result(6, topics=(self.TOPIC,), index=lost) is FAIL
        assert result(6, topics=(self.TOPIC,), index=IndexView(present=True, lines=260)) is FAIL

    def test_topics_have_source_dates(self) -> None:
        assert result(7, item(ONE), topics=(self.TOPIC,)) is PASS
        undated = item(ONE, date="soon")
        assert result(7, undated, topics=(self.TOPIC,)) is FAIL
        dated = Topic("t", "topics/t.md", source_dates=("2026-05-20",))
        assert result(7, undated, topics=(dated,)) is PASS
        assert result(7, topics=(self.TOPIC,)) is UNEVALUATED


class TestDecisions:
    DECISION = Decision("owner:ana", "2026-06-01T09:00:00+00:00", "digest")

    def test_cleanup_follows_a_plan(self) -> None:
        assert result(9, events=(event("memlog-1", "cleanup", decision=self.DECISION),)) is PASS
        assert result(9, events=(event("memlog-1", "cleanup"),)) is FAIL
        assert result(9, events=(event("memlog-1", "review"),)) is UNEVALUATED

    def test_promotion_follows_a_decision(self) -> None:
        assert result(12, events=(event("memlog-1", "promote", decision=self.DECISION),)) is PASS
        assert result(12, events=(event("memlog-1", "promote"),)) is FAIL
        left = event("memlog-1", "promote", decision=self.DECISION, detail={"hot:conventions.md": "old"})
        assert result(12, events=(left,), files={"conventions.md": FileState("new", 1)}) is FAIL

    def test_proposals_cite_what_supports_them(self) -> None:
        whole = Proposal(
            "mempolicy-1", "conventions", "x", (ONE,), "", "", "pending-review", Place("proposals/a.md", 1)
        )
        bare = Proposal("mempolicy-2", "conventions", "x", (), "", "", "pending-review", Place("proposals/b.md", 1))
        assert result(15, proposals=(whole,)) is PASS
        assert result(15, proposals=(whole, bare)) is FAIL


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (item(ONE), PASS),
        (item(ONE, date="2026-02-30"), FAIL),
        (item(None, date="2026-05-20"), FAIL),
        (item(ONE, kind=None), FAIL),
        (item(ONE, source=None), FAIL),
        (item(ONE, source=""), FAIL),
        (state(ONE, "app:port"), PASS),
        (state(ONE, None), FAIL),
    ],
)
def test_every_item_carries_its_metadata(one: object, expected: CheckResult) -> None:
    assert result(11, one) is expected


class TestWithdrawal:
    def test_what_is_withdrawn_is_served_nowhere(self) -> None:
        snapshot = root(item(ONE, "Gone."), item("x", "Here."), binding=claiming(), controls=[withdraw("wd-1", [ONE])])
        check = checks(snapshot)[19]
        assert check.result is PASS
        assert "1 item is excluded" in check.evidence

    def test_an_index_that_says_it_again_fails(self) -> None:
        index = IndexView(present=True, lines=9, recent=(IndexLine("The gateway is slow → topics/t.md", 4),))
        controls = [withdraw("wd-1", [ONE])]
        assert result(19, item(ONE, "The gateway is slow."), controls=controls, index=index) is FAIL

    def test_a_withdrawal_that_covers_nothing_shows_nothing(self) -> None:
        assert result(19, item("x"), controls=[withdraw("wd-1", [ONE])]) is UNEVALUATED
        controls = [withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE])]
        assert result(19, item(ONE), controls=controls) is UNEVALUATED


@pytest.mark.parametrize(
    ("scope_refs", "holders", "expected"),
    [
        ((ONE,), (("topics/", "completed", None), ("backup", "unevaluated", "offline")), PASS),
        ((ONE,), (("topics/", "done", None),), FAIL),
        ((ONE,), (), FAIL),
        ((), (("topics/", "completed", None),), FAIL),
        (("x",), (("topics/", "completed", None),), FAIL),
    ],
)
def test_an_erasure_says_what_became_of_every_holder(
    scope_refs: tuple[str, ...], holders: tuple[tuple[str, str, str | None], ...], expected: CheckResult
) -> None:
    stone = Tombstone("memerase-1", scope_refs, "owner:ana", "", "", holders)
    assert result(21, item("x"), tombstones=(stone,)) is expected
