"""The operation log as values (§7.1 capability 5): events, and their fold over items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.controls import ControlRecord, Tombstone
from core.items import FieldValue, Place, Record
from core.secrets import mask


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a `Record` before and after; None means absent."""

    name: str
    before: FieldValue | None
    after: FieldValue | None


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What an event did to one item. `id` is the id it bears afterwards.

    `record` is the prior record whole where this is the item's first event (an empty mapping for an item that did
    not exist), None later. A secret in a text is masked in it; the fold takes the text from its start state.
    `corrections` are foreign changes found since the item's last event, recorded (as a manual correction, §8) by the
    first commit that touches the item afterwards; they come before `fields`.
    """

    id: str
    fields: tuple[FieldChange, ...]
    record: Record | None = None
    corrections: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A human's recorded decision (§17): `by` an actor, `at` an ISO time, `plan` the digest of the plan shown."""

    by: str
    at: str
    plan: str


@dataclass(frozen=True, slots=True)
class Event:
    """One engine write. `type` is an `EventType` value or, read from elsewhere, any text.

    `summary` never restates withdrawn or secret text. `undoes` names the event that this one compensates.
    `detail` holds what the protocol wants beside the items (for `supersede`: subject, prior and new date and value).
    """

    id: str
    type: str
    at: str
    actor: str
    summary: str
    items: tuple[ItemChange, ...] = ()
    control: ControlRecord | None = None
    tombstone: Tombstone | None = None
    undoes: str | None = None
    decision: Decision | None = None
    command: str | None = None
    detail: Mapping[str, FieldValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One bullet of the readable timeline (log.md). Unknown lines are entries of type '' with the line as summary."""

    id: str | None
    type: str
    at: str
    actor: str
    summary: str
    place: Place
    record: str | None = None


def fold(start: Mapping[str, Record], events: Iterable[Event]) -> dict[str, Record]:
    """Replay `events` over `start` (id -> record): the records afterwards of every item the events name.

    An item begins as the record that its first event carries; only a text that the log masked (§18) comes from
    `start`. A change of `id` moves the record.
    """
    state: dict[str, dict[str, FieldValue]] = {}
    for event in events:
        for change in event.items:
            steps = (*change.corrections, *change.fields)
            prior = next((step.before for step in steps if step.name == "id"), change.id)
            current = state.pop(prior, None) if isinstance(prior, str) else None
            if current is None:
                current = _begun(change.record, start.get(prior) if isinstance(prior, str) else None)
            for step in steps:
                if step.after is None:
                    current.pop(step.name, None)
                else:
                    current[step.name] = step.after
            state[change.id] = current
    return dict(state)


def status_events(events: Sequence[Event]) -> dict[str, tuple[str, Event]]:
    """Id -> the Status that the log last gave the item, and the event since which it has that Status.

    A Status given again is no new beginning, and neither is one that an undo gives back: the event that is undone, and
    the undo, count as if they had never been. An item whose Status no event gave is not in it.
    """
    undone = {event.undoes for event in events if event.undoes}
    since: dict[str, tuple[str, Event]] = {}
    replaced: dict[str, dict[str, tuple[FieldChange, tuple[str, Event] | None]]] = {}
    for event in events:
        for change in event.items:
            for step in (*change.corrections, *change.fields):
                if step.name != "Status":
                    continue
                now = since.get(change.id)
                taken = replaced.get(event.undoes or "", {}).get(change.id)
                if (
                    taken is not None
                    and now is not None
                    and now[1].id == event.undoes
                    and taken[0].before == step.after
                ):
                    if taken[1] is not None:
                        since[change.id] = taken[1]
                    else:
                        del since[change.id]
                elif now is None or now[0] != step.after:
                    if event.id in undone:
                        replaced.setdefault(event.id, {})[change.id] = (step, now)
                    since[change.id] = (str(step.after), event)
    return since


def _begun(record: Record | None, base: Record | None) -> dict[str, FieldValue]:
    """An item before its first event: as that event says, with the text that it masked."""
    if not record:
        return dict(base or {})
    if base is not None and mask(str(base.get("text", ""))) == record.get("text"):
        return {**record, "text": base["text"]}
    return dict(record)
