"""What a reading says does not depend on the readings before it: the incremental answer is the full one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.controls import ControlRecord
from core.events import Event, FieldChange, ItemChange
from core.items import MemoryItem
from core.pages import Page, PagedItems
from core.places import standing_of
from core.reading import Reading
from core.shelf import assign_keys
from core.snapshot import Archive, ArchiveDay, IndexLine, IndexView, Snapshot, changed_pages
from tests.core.build import day, item, reinstate, root, withdraw

IDS = ("mem-2026-05-20-001", "mem-2026-05-20-002", "mem-2026-05-20-003", "note", "odd.id/4")
FILES = ("MEMORY.md", "index.md", "topics/a.md", "topics/b.md", "topics/kc.md", "topics/zf.md", "withdrawn/wd-1.md")
"""Three of them begin a sheaf."""
ARCHIVE = "archive/2026-05-20.md"
SOURCES = (
    "retro",
    ARCHIVE,
    f"{ARCHIVE}#run-7",
    f"{ARCHIVE}#run-8",
    f"{ARCHIVE}#gone",
    "archive/2026-05-21.md#run-7",
    f"{IDS[0]}, run-9",
    IDS[1],
    "note; said so",
    "topics/a.md",
    "来自 odd.id/4 的说法",
)
DAYS = (
    day(f"## run-7\n- [{IDS[0]}] One was learned.\n## run-8\n- [{IDS[1]}] Two.\n- Three, no id.\n", "2026-05-20"),
    day("## run-7\n- [mem-2026-05-21-001] Nobody has distilled this.\n", "2026-05-21"),
)

items = st.builds(
    item,
    st.one_of(st.none(), st.sampled_from(IDS)),
    st.sampled_from(["One was learned.", "Two.", "password = hunter2-not-real", "It is so."]),
    kind=st.sampled_from(["knowledge", "state", "state", None]),
    status=st.sampled_from(["active", "active", "stale", "pending-cleanup", "superseded", "odd"]),
    source=st.one_of(st.none(), st.sampled_from(SOURCES)),
    subject=st.sampled_from([None, "host:ip", "Host:ip", "host:ip:v6"]),
    date=st.sampled_from(["2026-05-20", "2026-05-21", None, "soon"]),
    superseded_by=st.one_of(st.none(), st.none(), st.sampled_from(IDS)),
    merged_into=st.one_of(st.none(), st.none(), st.sampled_from(IDS)),
    conflicts_with=st.one_of(st.just(()), st.tuples(st.sampled_from(IDS))),
)
pages = st.dictionaries(st.sampled_from(FILES), st.lists(items, max_size=4))
controls = st.lists(
    st.one_of(
        st.builds(withdraw, st.just("wd-1"), st.lists(st.sampled_from(IDS), max_size=2)),
        st.builds(withdraw, st.just("wd-2"), archive=st.lists(st.sampled_from(SOURCES[1:4]), max_size=1)),
        st.builds(withdraw, st.just("wd-3"), runs=st.sampled_from([["run-9"], ["run-7"], []])),
        st.builds(reinstate, st.just("wd-4"), st.just("wd-1"), st.lists(st.sampled_from(IDS), max_size=2)),
    ),
    max_size=3,
)
events = st.lists(
    st.builds(
        lambda id, before: Event(
            "memlog-1",
            "cleanup",
            "2026-06-01T10:00:00+00:00",
            "human:ana",
            "…",
            items=(ItemChange(id, (FieldChange("Status", before, "stale"),), record={"text": "Two.", "id": id}),),
        ),
        st.sampled_from(IDS),
        st.sampled_from(["active", None]),
    ),
    max_size=2,
)
changes = st.fixed_dictionaries(
    {},
    optional={
        "pages": st.dictionaries(st.sampled_from(FILES), st.lists(items, max_size=3), max_size=2),
        "controls": controls,
        "events": events,
        "archive": st.sampled_from([DAYS, DAYS[:1], ()]),
        "withdrawn": st.lists(st.sampled_from([IDS[0], f"{ARCHIVE}#run-8", "run-9", "some prose"]), max_size=1),
    },
)


class Root:
    """A root as a store would hold it: the pages and days that do not change are shared between its snapshots."""

    def __init__(self) -> None:
        self.files: dict[str, Sequence[MemoryItem]] = {}
        self.controls: Sequence[ControlRecord] = ()
        self.events: tuple[Event, ...] = ()
        self.withdrawn: Sequence[str] = ()
        self.archive: Archive = Archive(DAYS)
        self.pages: dict[str, Page] = {}
        self.items = PagedItems.of(())

    def change(self, change: dict[str, Any]) -> Snapshot:
        self.files = {**self.files, **change.get("pages", {})}
        self.controls = change.get("controls", self.controls)
        self.events = tuple(change.get("events", self.events))
        self.withdrawn = change.get("withdrawn", self.withdrawn)
        days: Sequence[ArchiveDay] = change.get("archive", self.archive)
        self.archive = self.archive if tuple(days) == tuple(self.archive) else Archive(days)
        placed = [
            replace(one, place=replace(one.place, file=file, line=number), standing=standing_of(file, None))
            for file in sorted(self.files)
            for number, one in enumerate(self.files[file], start=1)
        ]
        by_file: dict[str, list[MemoryItem]] = {}
        for one in assign_keys(placed):
            by_file.setdefault(one.place.file, []).append(one)
        known, self.pages = self.pages, {}
        for file, those in by_file.items():
            page = known.get(file)
            self.pages[file] = page if page is not None and page.items == tuple(those) else Page(tuple(those))
        index = IndexView(
            True, 5, withdrawn=tuple(IndexLine(f"- {text}", n, text) for n, text in enumerate(self.withdrawn))
        )
        bare = root(controls=self.controls, events=self.events, index=index)
        self.items = PagedItems.of(self.pages.values(), self.items.pages)
        return replace(bare, items=self.items, archive=self.archive)


def answers(reading: Reading) -> dict[str, object]:
    influence = reading.influence
    return {
        "controls": influence.controls,
        "chains": influence.chains,
        "verdicts": influence.verdicts,
        "influence": influence.findings,
        "excluded": (influence.excluded_archive, influence.excluded_ids, influence.excluded_texts),
        "by_id": reading.snapshot.by_id,
        "by_key": reading.snapshot.by_key,
        "shared": reading.snapshot.shared_ids,
        "unborne": reading.snapshot.unborne,
        "conflicts": reading.conflicts,
        "findings": reading.findings,
        "queue": reading.queue,
        "checks": reading.checks,
    }


@settings(max_examples=200, deadline=None)
@given(pages, controls, st.lists(changes, min_size=1, max_size=4))
def test_a_reading_after_another_says_what_one_made_anew_says(
    start: dict[str, list[MemoryItem]], records: list[ControlRecord], steps: list[dict[str, Any]]
) -> None:
    here = Root()
    prior = Reading(here.change({"pages": start, "controls": records}), today="2026-06-12")
    assert answers(prior)
    for step in steps:
        snapshot = here.change(step)
        apart = replace(snapshot, items=tuple(snapshot.items), archive=tuple(snapshot.archive))
        full = Reading(apart, today="2026-06-12")
        prior = Reading(snapshot, today="2026-06-12", prior=prior)
        assert answers(prior) == answers(full)


def dates(items: Sequence[MemoryItem]) -> tuple[str | None, ...]:
    return tuple(one.date for one in items)


def told(items: Sequence[MemoryItem], context: object) -> tuple[tuple[str, object], ...]:
    return tuple((one.key, context) for one in items)


@settings(max_examples=200, deadline=None)
@given(pages, st.lists(changes, min_size=1, max_size=6))
def test_what_pages_answer_together_is_what_each_of_them_answers(
    start: dict[str, list[MemoryItem]], steps: list[dict[str, Any]]
) -> None:
    here = Root()
    snapshot = here.change({"pages": start})
    for step in steps:
        before, snapshot = snapshot, here.change(step)
        assert list(snapshot.items) == [one for page in snapshot.pages for one in page.items]
        assert snapshot.gather(dates) == [one.date for one in snapshot.items]
        for context in (None, object()):
            assert snapshot.gather(told, context) == [(one.key, context) for one in snapshot.items]
        gone, new = changed_pages(before, snapshot)
        assert gone == [page for page in before.pages if page not in set(snapshot.pages)]
        assert new == [page for page in snapshot.pages if page not in set(before.pages)]
        assert [page for sheaf in snapshot.pages.sheaves for page in sheaf.pages] == list(snapshot.pages)


def test_a_change_leaves_the_other_sheaves_as_they_are() -> None:
    here = Root()
    before = here.change({"pages": {file: [item(None, "So.")] for file in FILES}})
    after = here.change({"pages": {"topics/b.md": [item(None, "Otherwise.")]}})
    shared = [one for one, other in zip(before.pages.sheaves, after.pages.sheaves, strict=True) if one is other]
    assert len(shared) == len(before.pages.sheaves) - 1 == 3
    more = here.change({"pages": {"topics/b1.md": [item(None, "More.")]}})
    assert len(set(more.pages.sheaves) & set(after.pages.sheaves)) == 3
