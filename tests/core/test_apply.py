"""What a change set means, beside its plainest reading: every item in one list, every key assigned anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.apply import apply, changed_items
from core.changes import AddItem, Change, ChangeSet, HoldItem, MoveItem, ReleaseItem, SetFields
from core.events import FieldChange
from core.items import MemoryItem, Place
from core.places import held_file, standing_of
from core.shelf import assign_keys, from_record, with_fields
from core.snapshot import Snapshot
from tests.core.build import item, root

IDS = ("mem-2026-05-20-001", "mem-2026-05-20-002", "mem-2026-05-20-003", None)
FILES = ("MEMORY.md", "topics/a.md", "topics/b.md", "withdrawn/wd-1.md")

items = st.builds(
    item,
    st.sampled_from(IDS),
    st.sampled_from(["One.", "Two."]),
    file=st.sampled_from(FILES),
    section=st.sampled_from([None, "Facts"]),
)
snapshots = st.lists(items, max_size=7).map(lambda those: root(*those))


def plainly(snapshot: Snapshot, changes: Sequence[Change]) -> list[MemoryItem]:
    known = list(snapshot.items)
    for change in changes:
        match change:
            case SetFields(key, fields):
                known = [with_fields(one, fields) if one.key == key else one for one in known]
            case AddItem(record, file, section, before):
                known = inserted(known, from_record(record, file=file, section=section), before)
            case MoveItem(key, file, section):
                known = moved(known, key, file, section, None)
            case HoldItem(key, withdrawal_id):
                section = next((one.place.section for one in known if one.key == key), None)
                known = moved(known, key, held_file(withdrawal_id), section, None)
            case ReleaseItem(key, file, section, before):
                known = moved(known, key, file, section, before)
    return known


def moved(known: list[MemoryItem], key: str, file: str, section: str | None, before: str | None) -> list[MemoryItem]:
    rest = [one for one in known if one.key != key]
    for one in (one for one in known if one.key == key):
        place = Place(file, one.place.line, section)
        rest = inserted(rest, replace(one, place=place, standing=standing_of(file, section)), before)
    return rest


def inserted(known: list[MemoryItem], new: MemoryItem, before: str | None) -> list[MemoryItem]:
    for index, other in enumerate(known):
        if other.key == before and other.place.file == new.place.file:
            return [*known[:index], new, *known[index:]]
    there = [n for n, other in enumerate(known) if other.place.file == new.place.file]
    here = [n for n in there if known[n].place.section == new.place.section] or there
    at = here[-1] + 1 if here else len(known)
    return [*known[:at], new, *known[at:]]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Snapshot, tuple[Change, ...]]:
    snapshot = draw(snapshots)
    keys = st.sampled_from([*(one.key for one in snapshot.items), "nobody"])
    files, sections = st.sampled_from(FILES), st.sampled_from([None, "Facts"])
    befores = st.one_of(st.none(), keys)
    ids = st.sampled_from(["mem-2026-05-20-001", "mem-2026-05-20-004"])
    fresh = st.sampled_from([f"mem-2026-06-01-{number:03d}" for number in range(1000)])
    changes = st.one_of(
        st.builds(SetFields, keys, st.just((FieldChange("Status", "active", "stale"),))),
        st.builds(SetFields, keys, ids.map(lambda id: (FieldChange("id", None, id),))),
        st.builds(AddItem, fresh.map(lambda id: {"id": id, "text": "New."}), files, sections, befores),
        st.builds(MoveItem, keys, files, sections),
        st.builds(HoldItem, keys, st.just("wd-1")),
        st.builds(ReleaseItem, keys, files, sections, befores),
    )
    drawn = draw(st.lists(changes, max_size=4))
    added = [str(change.record["id"]) for change in drawn if isinstance(change, AddItem)]
    assume(len(set(added)) == len(added))
    return snapshot, tuple(drawn)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_changes_mean_what_they_plainly_say(case: tuple[Snapshot, tuple[Change, ...]]) -> None:
    snapshot, changes = case
    after = plainly(snapshot, changes)
    assert by_file(apply(snapshot, ChangeSet(changes)).items) == by_file(assign_keys(after))
    known = {id(one) for one in snapshot.items}
    new = [one for one in after if id(one) not in known]
    assert by_file(changed_items(snapshot, ChangeSet(changes))) == by_file(new)


def by_file(those: Sequence[MemoryItem]) -> list[MemoryItem]:
    """Items in the order that each file has them."""
    return sorted(those, key=lambda one: one.place.file)


def test_pages_that_no_change_touches_are_shared() -> None:
    snapshot = root(item("mem-2026-05-20-001", file="topics/a.md"), item("mem-2026-05-20-002", file="topics/b.md"))
    fields = (FieldChange("Status", "active", "stale"),)
    after = apply(snapshot, ChangeSet((SetFields("mem-2026-05-20-001", fields),)))
    assert [page in snapshot.pages for page in after.pages] == [False, True]
