"""Records that nothing else speaks for: replay records without a line in the timeline, selectors that meet nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.catalogue import make_finding
from core.findings import Finding
from core.snapshot import Snapshot
from core.sources import archive_ref
from core.vocabulary import ControlAction


def odd_records(snapshot: Snapshot) -> Iterator[Finding]:
    """Findings about events and control records as such; none of them restates memory."""
    yield from _events(snapshot)
    yield from _selectors(snapshot)


def _events(snapshot: Snapshot) -> Iterator[Finding]:
    """The timeline and the replay records say the same; what stands in one alone was not written by the engine."""
    timeline = {(entry.id, entry.type) for entry in snapshot.log}
    for event_id, count in Counter(event.id for event in snapshot.events).items():
        if count > 1:
            yield make_finding("event-id-twice", f"{count} replay records bear the id {event_id}.", id=event_id)
    for event in snapshot.events:
        if (event.id, event.type) not in timeline:
            yield make_finding("event-without-entry", f"{event.id} stands in the replay records alone.", id=event.id)


def _selectors(snapshot: Snapshot) -> Iterator[Finding]:
    """A withdrawal whose selector meets nothing here excludes nothing by it: a slip of the pen, or gone memory."""
    erased = {ref for tombstone in snapshot.tombstones for ref in tombstone.scope_refs}
    for record in snapshot.controls:
        if record.action == ControlAction.REINSTATE:
            continue
        idle = [one for one in record.scope.memory_item_ids if not _borne(one, snapshot)]
        for ref in record.scope.archive_refs:
            place = archive_ref(ref)
            if place is None or place[0] not in snapshot.days.by_file:
                idle.append(ref)
        for selector in sorted(set(idle) - erased):
            yield make_finding(
                "control-selects-nothing",
                f"{record.withdrawal_id} names {selector}, and nothing that stands here bears it.",
                place=record.places[0] if record.places else None,
                id=record.withdrawal_id,
            )


def _borne(item_id: str, snapshot: Snapshot) -> bool:
    return item_id in snapshot.by_id or item_id in snapshot.days.ids
