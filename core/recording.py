"""What an event says about items: fields before and after, prior records whole, foreign changes, secrets masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.apply import changed_items
from core.changes import ChangeSet
from core.controls import ControlRecord
from core.events import Event, FieldChange, ItemChange
from core.items import FieldValue, MemoryItem, Record
from core.secrets import mask
from core.snapshot import Snapshot

RECORDED = "; manual-correction recorded of "
"""What stands in a summary between what the event did and the ids of items that somebody else had changed before."""


def record_items(snapshot: Snapshot, changes: ChangeSet) -> tuple[tuple[ItemChange, ...], tuple[str, ...]]:
    """The item changes of one event, and sentences about bearers that an id alone cannot name (two of one id)."""
    before = snapshot.by_key
    known = logged_records(snapshot)
    recorded: list[ItemChange] = []
    unnamed: list[str] = []
    for item in changed_items(snapshot, changes):
        prior = before.get(item.key)
        if prior is item or item.id is None:
            continue
        if prior is not None and prior.id == item.id and len(snapshot.by_id.get(item.id, ())) > 1:
            unnamed.append(f"{item.id} {prior.place.file} → {item.place.file}")
            continue
        recorded.append(_item_change(prior, item, known))
    return tuple(recorded), tuple(unnamed)


def logged_records(snapshot: Snapshot) -> Mapping[str, Record]:
    """What the log says each item it names is now, by id (texts with secrets are masked)."""
    return snapshot.logged


def differences(before: Record, after: Record) -> tuple[FieldChange, ...]:
    """The fields that differ, in the canonical order of `after`, then what it lacks."""
    names = [*after, *(name for name in before if name not in after)]
    return tuple(
        FieldChange(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    )


def foreign_changes(item: MemoryItem, logged: Record) -> tuple[FieldChange, ...]:
    """What somebody other than the engine changed of an item since the log last named it."""
    return tuple(
        step
        for step in differences(logged, item.record())
        if not (step.name == "text" and step.before == mask(item.text))
    )


def masked_event(event: Event) -> Event:
    """The event with every secret in it masked (§18: secrets are never copied into the log)."""
    return replace(
        event,
        summary=mask(event.summary),
        items=tuple(_masked_change(change) for change in event.items),
        detail={name: _masked(value) for name, value in event.detail.items()},
        control=None if event.control is None else _masked_control(event.control),
    )


def _item_change(prior: MemoryItem | None, item: MemoryItem, known: Mapping[str, Record]) -> ItemChange:
    if prior is None:
        return ItemChange(item.id or "", differences({}, item.record()), record={})
    fields = differences(prior.record(), item.record())
    logged = known.get(prior.id) if prior.id is not None else None
    if logged is None:
        return ItemChange(item.id or "", fields, record=prior.record())
    return ItemChange(item.id or "", fields, corrections=foreign_changes(prior, logged))


def _masked_change(change: ItemChange) -> ItemChange:
    return replace(
        change,
        record=None if change.record is None else {name: _masked(value) for name, value in change.record.items()},
        fields=_masked_steps(change.fields),
        corrections=_masked_steps(change.corrections),
    )


def _masked_steps(steps: Iterable[FieldChange]) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(step.name, _masked_maybe(step.before), _masked_maybe(step.after)) if step.name == "text" else step
        for step in steps
    )


def _masked_maybe(value: FieldValue | None) -> FieldValue | None:
    return None if value is None else _masked(value)


def _masked(value: FieldValue) -> FieldValue:
    return mask(value) if isinstance(value, str) else tuple(mask(part) for part in value)


def _masked_control(control: ControlRecord) -> ControlRecord:
    return replace(control, reason=mask(control.reason))
