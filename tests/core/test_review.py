"""The review (§16): what it finds, in which order it waits, and the plan made of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.binding import Binding, Limits
from core.catalogue import make_finding
from core.conflicts import find_conflicts
from core.controls import Tombstone
from core.events import Event
from core.findings import Finding
from core.influence import resolve_influence
from core.items import Place
from core.reading import Reading
from core.review import CATALOGUE, QueueEntry, cleanup_markdown, cleanup_plan, find_drift, review_queue
from core.snapshot import FileState, IndexLine, IndexView, Snapshot, Topic
from core.vocabulary import Severity
from tests.core.build import ANA, change, codes, day, event, item, root, state, withdraw


def drift(snapshot: Snapshot, code: str | None = None) -> list[Finding]:
    influence = resolve_influence(snapshot)
    found = find_drift(snapshot, influence, find_conflicts(snapshot, influence))
    return [finding for finding in found if code in (None, finding.code)]


def queue(snapshot: Snapshot, today: str = "2026-06-12") -> tuple[QueueEntry, ...]:
    return Reading(snapshot, today=today).queue


ONE = "mem-2026-05-20-001"


def test_a_root_in_order_has_no_findings() -> None:
    snapshot = root(
        item(ONE, source="archive/2026-05-20.md"),
        state("mem-2026-05-21-001", "app:port"),
        archive=[day(f"- [{ONE}] Something was learned.", "2026-05-20")],
        topics=(Topic("t", "topics/t.md", triggers=("deploying",)),),
        index=IndexView(present=True, lines=200),
    )
    assert drift(snapshot) == []
    assert queue(snapshot) == ()


def test_errors_come_first_then_the_place() -> None:
    snapshot = root(
        drift=(
            Finding("status-missing", Severity.NOTICE, "n", "topics/a.md", 1),
            Finding("missing-kind", Severity.WARNING, "w", "topics/b.md", 9),
            Finding("missing-kind", Severity.WARNING, "w", "topics/b.md", 2),
            Finding("open-fence", Severity.ERROR, "e", "topics/z.md", 1),
            Finding("open-fence", Severity.ERROR, "e", "topics/z.md", 1),
        )
    )
    assert [(one.code, one.line) for one in drift(snapshot)] == [
        ("open-fence", 1),
        ("missing-kind", 2),
        ("missing-kind", 9),
        ("status-missing", 1),
    ]


def test_a_control_record_that_cannot_be_read_is_listed_first() -> None:
    snapshot = root(
        item(ONE),
        controls=[withdraw("wd-1", places=(Place("log.md", 2),)), withdraw("wd-2", [ONE], unreadable="cut")],
        drift=(Finding("open-fence", Severity.ERROR, "", "a.md", 1),),
    )
    assert [one.code for one in drift(snapshot)] == ["control-unreadable", "open-fence", "control-without-scope"]


class TestIndex:
    def test_too_long_with_the_correction_first(self) -> None:
        beyond = (
            IndexLine("[2026-06-01] (state) CORRECTION to entry 6: the port is 9000. → topics/environment.md", 241),
            IndexLine("[2026-05-07] (state) Entry 230: the port is 8230. → topics/environment.md", 235),
        )
        snapshot = root(index=IndexView(present=True, lines=260, beyond_limit=beyond))
        found = drift(snapshot)
        assert [(one.code, one.line) for one in found] == [
            ("index-too-long", 201),
            ("index-beyond-limit", 241),
            ("index-beyond-limit", 235),
        ]
        assert "260 lines; 2 entries" in found[0].message
        assert "CORRECTION to entry 6" in found[1].message
        assert [entry.line for entry in queue(snapshot)] == [201, 241]

    def test_the_limit_is_the_bindings(self) -> None:
        binding = Binding(owners=(ANA,), limits=Limits(index_lines=300))
        assert drift(root(binding=binding, index=IndexView(present=True, lines=260))) == []

    def test_an_item_that_stands_in_the_index_alone(self) -> None:
        snapshot = root(
            item(ONE, file="index.md"), item("mem-2026-05-20-002"), item("mem-2026-05-20-002", file="index.md")
        )
        assert [one.id for one in drift(snapshot)] == [ONE]
        assert codes(drift(snapshot)) == ["index-only-item"]

    def test_a_line_that_says_again_what_is_withdrawn(self) -> None:
        text = "The staging gateway drops idle connections after 60 seconds."
        index = IndexView(
            present=True,
            lines=9,
            recent=(
                IndexLine(f"[2026-05-20] (knowledge) {text} → topics/t.md", 4),
                IndexLine("[2026-05-20] (knowledge) The staging gateway drops idle conn… → topics/t.md", 5),
                IndexLine("[2026-05-20] (knowledge) The staging gateway is new. → topics/t.md", 6),
            ),
        )
        found = drift(root(item(ONE, text), index=index, controls=[withdraw("wd-1", [ONE])]))
        assert [(one.code, one.line) for one in found] == [("restates-withdrawn", 4), ("restates-withdrawn", 5)]
        assert all("gateway" not in one.message for one in found)
        assert drift(root(item(ONE, text), index=index)) == []

    def test_an_item_that_says_it_under_another_id(self) -> None:
        snapshot = root(
            item(ONE, "The gateway is slow."),
            item("mem-2026-06-01-001", "the  gateway is slow"),
            controls=[withdraw("wd-1", [ONE])],
        )
        assert [(one.code, one.item) for one in drift(snapshot)] == [("restates-withdrawn", "mem-2026-06-01-001")]


class TestTopics:
    @pytest.mark.parametrize(
        ("topic", "target", "found"),
        [
            (Topic("deploy", "topics/deploy.md"), None, True),
            (Topic("deploy", "topics/deploy.md"), "deploy.md", False),
            (Topic("deploy", "topics/deploy.md"), "topics/deploy.md", False),
            (Topic("deploy", "topics/deploy.md"), "topics/other.md", True),
            (Topic("deploy", "topics/deploy.md", triggers=("deploying",)), None, False),
            (Topic("deploy", "topics/deploy.md", triggers=(" ",)), None, True),
            (Topic("deploy", "topics/deploy.md", layer="cold"), None, False),
            (Topic("café", "topics/cafe\u0301.md"), "caf\u00e9.md", False),
        ],
    )
    def test_a_topic_that_no_trigger_leads_to(self, topic: Topic, target: str | None, found: bool) -> None:
        lines = (IndexLine("deploy.md — Read when deploying.", 5, target),) if target else ()
        snapshot = root(topics=(topic,), index=IndexView(present=True, lines=9, topic_map=lines))
        assert bool(drift(snapshot, "missing-trigger")) is found

    def test_a_line_that_leads_nowhere(self) -> None:
        lines = (
            IndexLine("gone.md — Read when lost.", 5, "gone.md", "Read when lost."),
            IndexLine("here.md — Read.", 6, "here.md"),
            IndexLine("notes.md — blocked", 7, "topics/notes.md"),
            IndexLine("see https://example.com/a.md", 8, "https://example.com/a.md"),
            IndexLine(f"{ONE}", 9, ONE),
        )
        snapshot = root(
            topics=(Topic("here", "topics/here.md"),),
            index=IndexView(present=True, lines=9, topic_map=lines),
            drift=(Finding("blocked-link", Severity.WARNING, "", "topics/notes.md"),),
        )
        assert [one.line for one in drift(snapshot, "dangling-topic-map")] == [5]


class TestUndistilled:
    DAY = day("## morning\n- [mem-2026-06-02-001] A.\n- [mem-2026-06-02-002] B.\n- C, without an id.\n", "2026-06-02")

    def test_copies_that_no_item_took_up(self) -> None:
        (found,) = drift(root(archive=[self.DAY]))
        assert (found.code, found.file, found.line) == ("undistilled-archive", "archive/2026-06-02.md", 2)
        assert "3 archived items" in found.message
        assert "mem-2026-06-02-001" in found.message

    @pytest.mark.parametrize(
        ("taken", "left"),
        [
            (item("mem-2026-06-02-001"), 2),
            (item("mem-2026-06-02-001", file="memory.md"), 3),
            (item("mem-2026-06-02-001", section="Historical lessons"), 2),
            (item("mem-2026-06-03-001", source="mem-2026-06-02-001"), 2),
            (item("mem-2026-06-03-001", source="archive/2026-06-02.md#morning"), 0),
            (item("mem-2026-06-03-001", source="archive/2026-06-02.md#evening"), 3),
            (item("mem-2026-06-03-001", source="archive/2026-06-02.md"), 2),
            (item("mem-2026-06-03-001", source="archive/2026-06-01.md"), 3),
        ],
    )
    def test_what_counts_as_taken_up(self, taken: object, left: int) -> None:
        found = drift(root(taken, archive=[self.DAY]), "undistilled-archive")  # type: ignore[arg-type]
        assert (int(found[0].message.split()[0]) if found else 0) == left

    @pytest.mark.parametrize("ref", ["archive/2026-06-02.md", "archive/2026-06-02.md#morning"])
    def test_a_withdrawn_segment_is_no_missing_work(self, ref: str) -> None:
        assert drift(root(archive=[self.DAY], controls=[withdraw("wd-1", archive=[ref])])) == []

    def test_a_copy_of_a_withdrawn_item_is_no_missing_work(self) -> None:
        one = day("- [mem-2026-06-02-001] A.\n- [mem-2026-06-09-009] a\n", "2026-06-02")
        held = item("mem-2026-06-02-001", "A.")
        assert drift(root(held, archive=[one], controls=[withdraw("wd-1", ["mem-2026-06-02-001"])])) == []
        assert len(drift(root(held, archive=[one]))) == 1


class TestItems:
    def test_a_secret_is_found_and_not_repeated(self) -> None:
        snapshot = root(
            state("mem-2026-06-07-001", "deploy:key", "Deploy key is AKIAIOSFODNN7EXAMPLE."),
            state("mem-2026-06-07-002", "db:password", "password = hunter2-not-real."),
            item("mem-2026-06-07-003", "The password is rotated."),
        )
        found = drift(snapshot)
        assert [(one.code, one.id) for one in found] == [
            ("secret-in-memory", "mem-2026-06-07-001"),
            ("secret-in-memory", "mem-2026-06-07-002"),
        ]
        said = repr([found, queue(snapshot), cleanup_markdown(cleanup_plan(queue(snapshot)), today="2026-06-12")])
        assert "IOSFODNN7" not in said
        assert "nter2" not in said

    @pytest.mark.parametrize(
        ("source", "code"),
        [
            ("archive/2026-05-20.md#run-7", []),
            ("archive/2026-05-20.md", []),
            ("archive/2026-05-20.md#run-9", ["source-not-found"]),
            ("archive/2026-05-21.md", ["source-not-found"]),
            ("archive/2026-05-22.md", []),
            ("mem-2026-05-20-001", []),
            ("mem-2026-05-20-002", []),
            ("mem-2026-05-20-999", ["source-not-found"]),
            ("topics/t.md#Facts", ["source-mutable"]),
            ("ana said so", []),
            ("archive/2026-05-20.md#run-7, archive/2026-05-21.md", ["source-not-found"]),
        ],
    )
    def test_what_a_source_names_has_to_be_there(self, source: str, code: list[str]) -> None:
        snapshot = root(
            item("mem-2026-06-01-001", source=source),
            item("mem-2026-05-20-001"),
            archive=[day("## run 7\n- [mem-2026-05-20-001] A.\n- [mem-2026-05-20-002] B.\n", "2026-05-20")],
            tombstones=(Tombstone("memerase-1", ("archive/2026-05-22.md",), "owner:ana", "", "", ()),),
        )
        found = [one.code for one in drift(snapshot) if one.item == "mem-2026-06-01-001"]
        assert found == code

    def test_broken_chains_and_two_items_of_one_id(self) -> None:
        snapshot = root(
            state("a", "s:a", status="superseded", superseded_by="gone"),
            state("c", "s:c", status="superseded"),
            state("d", "s:d", superseded_by="c"),
            item("e", "x", file="topics/a.md"),
            item("e", "y", file="topics/b.md"),
            item("k", status="superseded", merged_into="e"),
            item("l", status="superseded", superseded_by="e"),
        )
        assert codes(drift(snapshot)) == [
            "dangling-pointer",
            "knowledge-superseded",
            "pointer-without-status",
            "superseded-without-pointer",
            "two-items-one-id",
        ]

    def test_near_subjects(self) -> None:
        (found,) = drift(root(state("a", "host:ip"), state("b", "Host:ip")))
        assert found.code == "near-subjects"
        assert "“Host:ip”, “host:ip”" in found.message

    def test_nothing_is_found_about_what_is_withdrawn(self) -> None:
        snapshot = root(
            state("a", "s:a", "AKIAIOSFODNN7EXAMPLE", status="superseded", superseded_by="gone", source="archive/x.md"),
            item("b", "x", file="topics/a.md"),
            item("b", "y", file="topics/b.md"),
            controls=[withdraw("wd-1", ["a", "b"])],
            drift=(
                Finding("missing-kind", Severity.WARNING, "", "topics/t.md", 1, item="a", id="a"),
                Finding("legacy-marker", Severity.WARNING, "", "topics/t.md", 1, id="b"),
                Finding("open-fence", Severity.ERROR, "", "topics/z.md", 1),
            ),
        )
        assert codes(drift(snapshot)) == ["open-fence"]


class TestBoundaries:
    def decided(self, digest: str) -> tuple[Event, ...]:
        return (event("memlog-1", "promote", detail={"hot:conventions.md": digest}),)

    def test_a_change_without_a_decision(self) -> None:
        files = {"conventions.md": FileState("new", 10)}
        found = drift(root(files=files, events=self.decided("old")))
        assert [(one.code, one.file) for one in found] == [("boundary-violation", "conventions.md")]
        assert (
            drift(
                root(
                    files=files,
                    events=(*self.decided("old"), *(replace(one, id="memlog-2") for one in self.decided("new"))),
                )
            )
            == []
        )
        assert drift(root(files=files)) == []

    def test_a_file_that_is_gone(self) -> None:
        assert codes(drift(root(events=self.decided("old")))) == ["boundary-violation"]


class TestFold:
    WAS = item(ONE, "As it was.", section="Facts")

    def events(self, *fields: tuple[str, object, object]) -> tuple[Event, ...]:
        (first,) = root(self.WAS).items
        return (event("memlog-1", "review", change(ONE, *fields, record=first.record())),)

    def test_an_item_as_the_log_left_it(self) -> None:
        now = item(ONE, "As it was.", section="Facts", status="stale")
        assert drift(root(now, events=self.events(("Status", "active", "stale")))) == []

    def test_an_item_that_was_changed_elsewhere(self) -> None:
        now = item(ONE, "As it is.", section="Facts", status="active")
        (found,) = drift(root(now, events=self.events(("Status", "active", "stale"))))
        assert found.code == "fold-mismatch"
        assert "text" in found.message
        assert "Status" in found.message
        assert "As it is" not in found.message

    def test_an_item_that_is_gone(self) -> None:
        (found,) = drift(root(events=self.events(("Status", "active", "stale"))))
        assert (found.code, found.id, found.file) == ("fold-mismatch", ONE, "topics/t.md")
        archived = [day(f"- [{ONE}] As it was.\n", "2026-05-20")]
        assert "fold-mismatch" not in codes(drift(root(events=self.events(), archive=archived)))


@pytest.mark.parametrize("owners_state", ["unconfirmed", "changed"])
def test_owners_that_grant_nothing_here(owners_state: str) -> None:
    binding = Binding(owners=(ANA,), owners_state=owners_state)
    assert codes(drift(root(binding=binding))) == [f"owners-{owners_state}"]


class TestQueue:
    SNAPSHOT = root(
        item("mem-2026-05-11-004", "Retries hide timeouts.", status="pending-cleanup", source=None),
        item("mem-2026-04-02-001", "Older, and pending later.", status="pending-cleanup"),
        item("mem-2026-04-02-002", "Stale.", status="stale"),
        item("mem-2026-04-02-003", "Undated.", status="pending-cleanup", date="soon"),
        state("mem-2026-05-01-001", "a:b", status="pending-cleanup", superseded_by="mem-2026-05-02-001"),
        state("mem-2026-05-02-001", "a:b"),
        item("mem-2026-05-03-001", "Withdrawn.", status="pending-cleanup"),
        item("mem-2026-06-03-002", "Retries do not help.", conflicts_with=("mem-2026-05-11-004",)),
        controls=[withdraw("wd-1", ["mem-2026-05-03-001"])],
        archive=[day("- [mem-2026-06-02-001] A.\n", "2026-06-02")],
        topics=(Topic("x", "topics/x.md"),),
        files={"conventions.md": FileState("new", 1)},
        events=(
            event("memlog-1", "promote", detail={"hot:conventions.md": "old"}),
            event("memlog-2", "pending-cleanup", change("mem-2026-04-02-001", ("Status", "active", "pending-cleanup"))),
        ),
        drift=(
            Finding("missing-source", Severity.WARNING, "No source.", "topics/t.md", 1, "mem-2026-05-11-004"),
            Finding("log-line-unknown", Severity.NOTICE, "", "log.md", 1),
        ),
    )

    def test_the_order_to_take_it_in(self) -> None:
        entries = [entry for entry in queue(self.SNAPSHOT) if entry.code != "fold-mismatch"]
        assert [(entry.code, entry.item or entry.file) for entry in entries] == [
            ("pending-cleanup", "mem-2026-05-01-001"),
            ("pending-cleanup", "mem-2026-05-11-004"),
            ("pending-cleanup", "mem-2026-04-02-001"),
            ("pending-cleanup", "mem-2026-04-02-003"),
            ("stale", "mem-2026-04-02-002"),
            ("missing-source", "mem-2026-05-11-004"),
            ("boundary-violation", "conventions.md"),
            ("undistilled-archive", "archive/2026-06-02.md"),
            ("missing-trigger", "topics/x.md"),
        ]

    def test_ages_reasons_and_proposals(self) -> None:
        entries = {(entry.code, entry.item): entry for entry in queue(self.SNAPSHOT)}
        refuted = entries["pending-cleanup", "mem-2026-05-11-004"]
        assert (refuted.since, refuted.age_days, refuted.proposed) == ("2026-05-11", 32, "reconcile")
        assert "mem-2026-06-03-002" in refuted.reason
        assert refuted.title == "Retries hide timeouts."
        marked = entries["pending-cleanup", "mem-2026-04-02-001"]
        assert (marked.since, marked.age_days, marked.proposed) == ("2026-06-01", 11, "clear")
        assert "human:ben" in marked.reason
        known = entries["pending-cleanup", "mem-2026-05-01-001"]
        assert (known.proposed, "mem-2026-05-02-001" in known.reason) == ("clear", True)
        undated = entries["pending-cleanup", "mem-2026-04-02-003"]
        assert (undated.since, undated.age_days) == (None, None)
        assert entries["stale", "mem-2026-04-02-002"].proposed == "cool"
        found = entries["missing-source", "mem-2026-05-11-004"]
        assert (found.title, found.reason, found.line) == ("Retries hide timeouts.", "No source.", 1)
        assert found.finding is not None
        archive = entries["undistilled-archive", None]
        assert (archive.since, archive.age_days) == ("2026-06-02", 10)

    def test_a_finding_about_a_withdrawal_stands_without_the_item(self) -> None:
        snapshot = root(
            item(ONE, "Secret plan.", file="withdrawn/wd-1.md"),
            item(ONE, "Secret plan.", status="pending-cleanup"),
            controls=[withdraw("wd-1", [ONE])],
        )
        (entry,) = queue(snapshot)
        assert (entry.code, entry.item, entry.file) == ("withdrawn-copy-returned", None, "topics/t.md")
        assert "plan" not in repr(entry).replace("topics", "")

    def test_a_day_that_is_no_date_gives_no_ages(self) -> None:
        assert {entry.age_days for entry in queue(self.SNAPSHOT, today="now")} == {None}


class TestOneRepair:
    def found(self, *codes: str, of: str | None = ONE) -> tuple[Finding, ...]:
        return tuple(make_finding(code, f"{code}.", file="topics/t.md", line=1, item=of) for code in codes)

    def test_what_one_repair_settles_is_one_entry(self) -> None:
        found = (
            *self.found("legacy-marker", "missing-kind", "missing-source", "source-not-found"),
            *self.found("missing-kind", of="mem-2026-05-20-002"),
        )
        snapshot = root(item(ONE, "Lacks much."), item("mem-2026-05-20-002"), drift=found)
        entries = queue(snapshot)
        assert [(one.item, one.codes) for one in entries] == [
            (ONE, ("legacy-marker", "missing-kind", "missing-source")),
            ("mem-2026-05-20-002", ("missing-kind",)),
            (ONE, ("source-not-found",)),
        ]
        assert entries[0].reason == "It lacks kind and Source. legacy-marker."
        assert entries[1].reason == "missing-kind."
        assert codes(drift(snapshot)) == sorted(one.code for one in found)

    def test_the_plan_has_one_line_with_all_that_the_repair_gives(self) -> None:
        found = self.found("legacy-marker", "missing-id", "missing-kind", "missing-source", "unknown-status")
        (row,) = cleanup_plan(queue(root(item(ONE), drift=found)))
        assert row.words == ("repair", ONE, "--marker", "--kind", "knowledge", "--source", "…")
        assert "Name its Source." in row.why
        assert "Classify it" in row.why

    def test_a_withdrawn_item_is_not_brought_together_by_its_key(self) -> None:
        found = self.found("missing-kind", "missing-source")
        snapshot = root(item(ONE, "Secret plan."), drift=found, controls=[withdraw("wd-1", [ONE])])
        entries = review_queue(snapshot, resolve_influence(snapshot), found, today="2026-06-12")
        assert [(one.code, one.item) for one in entries] == [("missing-kind", None), ("missing-source", None)]


@pytest.mark.parametrize(("owners_state", "waits"), [("unconfirmed", []), ("changed", ["owners-changed"])])
def test_what_is_to_be_set_up_on_this_machine_waits_elsewhere(owners_state: str, waits: list[str]) -> None:
    binding = Binding(owners=(ANA,), owners_state=owners_state)
    assert [entry.code for entry in queue(root(binding=binding))] == waits


class TestHowLongItWaits:
    PEND = ("Status", "active", "pending-cleanup")
    STALE = ("Status", "pending-cleanup", "stale")
    NOT_STALE = ("Status", "stale", "pending-cleanup")
    CLEAR = ("Status", "pending-cleanup", "active")

    def since(self, *events: Event, status: str = "pending-cleanup") -> tuple[str | None, bool]:
        snapshot = root(item(ONE, status=status), events=events)
        (entry,) = (one for one in queue(snapshot) if one.code == status)
        return entry.since, "Marked by" in entry.reason

    def step(self, day: int, *fields: tuple[str, object, object], undoes: int | None = None) -> Event:
        return event(
            f"memlog-{day}",
            "review",
            change(ONE, *fields),
            at=f"2026-06-{day:02}T09:00:00+00:00",
            undoes=f"memlog-{undoes}" if undoes is not None else None,
        )

    def test_an_undone_step_and_its_undo_do_not_count(self) -> None:
        undone = (self.step(5, self.STALE), self.step(6, self.NOT_STALE, undoes=5))
        assert self.since(self.step(1, self.PEND), *undone) == ("2026-06-01", True)
        again = (self.step(7, self.STALE), self.step(8, self.NOT_STALE, undoes=7))
        assert self.since(self.step(1, self.PEND), *undone, *again) == ("2026-06-01", True)

    def test_one_that_no_event_marked_waits_since_its_own_date_all_the_same(self) -> None:
        undone = (self.step(5, self.STALE), self.step(6, self.NOT_STALE, undoes=5))
        assert self.since(*undone) == (ONE[4:14], False)

    def test_an_undo_of_an_undoable_chain_goes_back_all_of_it(self) -> None:
        steps = (
            self.step(1, self.PEND),
            self.step(2, self.STALE),
            self.step(3, ("Status", "stale", "active")),
            self.step(4, ("Status", "active", "stale"), undoes=3),
            self.step(5, self.NOT_STALE, undoes=2),
        )
        assert self.since(*steps[:4], status="stale") == ("2026-06-02", True)
        assert self.since(*steps) == ("2026-06-01", True)

    def test_it_waits_anew_where_it_was_decided_meanwhile(self) -> None:
        assert self.since(self.step(1, self.PEND), self.step(3, self.CLEAR), self.step(5, self.PEND)) == (
            "2026-06-05",
            True,
        )
        steps = (
            self.step(1, self.PEND),
            self.step(2, self.STALE),
            self.step(3, ("Status", "stale", "active")),
            self.step(4, ("Status", "active", "stale")),
            self.step(5, self.NOT_STALE, undoes=2),
        )
        assert self.since(*steps) == ("2026-06-05", True)

    def test_the_same_status_again_is_no_new_beginning(self) -> None:
        again = ("Status", "pending-cleanup", "pending-cleanup")
        assert self.since(self.step(1, self.PEND), self.step(4, again)) == ("2026-06-01", True)

    def test_a_fold_that_an_undo_left_stale_waits_since_then(self) -> None:
        added = self.step(2, ("Status", None, "active"))
        assert self.since(added, self.step(3, ("Status", "active", "stale"), undoes=2), status="stale") == (
            "2026-06-03",
            True,
        )


class TestPlan:
    def test_each_line_says_what_who_and_why(self) -> None:
        rows = cleanup_plan(queue(TestQueue.SNAPSHOT))
        assert rows[1].what == "reconcile mem-2026-05-11-004 “Retries hide timeouts.”"
        assert rows[1].who == "a human or an owner"
        assert "mem-2026-06-03-002" in rows[1].why

    def test_conflicts_stand_first_where_they_are_given(self) -> None:
        snapshot = root(state("mem-2026-05-01-001", "a:b"), state("mem-2026-05-02-001", "a:b"))
        reading = Reading(snapshot, today="2026-06-12")
        (row,) = cleanup_plan(reading.queue, reading.conflicts)
        assert row.what == "settle two-active on a:b"

    def test_what_waits_by_a_conflict_stands_with_it_and_once(self) -> None:
        snapshot = TestQueue.SNAPSHOT
        reading = Reading(snapshot, today="2026-06-12")
        rows = cleanup_plan(reading.queue, reading.conflicts)
        (row,) = [row for row in rows if row.words[:1] == ("reconcile",)]
        assert row.words[1:3] == ("mem-2026-05-11-004", "mem-2026-06-03-002")
        assert "Retries hide timeouts." in row.title
        assert row.waiting.startswith("pending ")

    def test_unordered_control_events_are_one_box_to_settle(self) -> None:
        first = withdraw("wd-1", [ONE])
        snapshot = root(item(ONE), controls=[first, withdraw("wd-2", [ONE])])
        reading = Reading(snapshot, today="2026-06-12")
        rows = cleanup_plan(reading.queue, reading.conflicts)
        (row,) = [row for row in rows if "settle" in row.line]
        assert row.line.startswith("- [ ] settle wd-1 … — ")

    def test_the_markdown_keeps_text_text(self) -> None:
        snapshot = root(item(ONE, "`code` [link](x)\n# heading <b>", status="pending-cleanup"))
        shown = cleanup_markdown(cleanup_plan(queue(snapshot)), today="2026-06-12")
        assert shown.startswith("# Cleanup plan, 2026-06-12\n")
        assert "\\`code\\` \\[link\\](x) \\# heading \\<b\\>" in shown
        assert shown.endswith("\n")

    def test_an_empty_plan_says_so(self) -> None:
        assert (
            cleanup_markdown((), today="2026-06-12") == "# Cleanup plan, 2026-06-12\n\nNothing waits for a decision.\n"
        )


def test_every_code_of_the_catalogue_says_what_it_means_and_what_to_do() -> None:
    for code, info in CATALOGUE.items():
        assert code == code.lower().replace("_", "-")
        assert info.meaning.endswith(".")
        assert info.remedy.endswith(".")


def test_a_finding_of_an_unknown_code_still_waits() -> None:
    snapshot = root(drift=(Finding("from-elsewhere", Severity.WARNING, "Look.", "x.md", 1),))
    (entry,) = queue(snapshot)
    assert (entry.code, entry.title) == ("from-elsewhere", "Look.")


def test_review_queue_takes_findings_as_they_are_given() -> None:
    snapshot = root(item(ONE))
    assert review_queue(snapshot, resolve_influence(snapshot), (), today="2026-06-12") == ()
