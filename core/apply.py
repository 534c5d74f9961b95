"""What a change set means: the snapshot it turns a snapshot into. Pure; every store must agree with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from core.changes import (
    AddItem,
    AppendEvent,
    Change,
    ChangeSet,
    DeclareOwner,
    HoldItem,
    MoveItem,
    PutProposal,
    PutTriggers,
    ReleaseItem,
    SetFields,
)
from core.events import FieldChange, LogEntry
from core.items import MemoryItem, Place, Record
from core.places import LOG, held_file, standing_of
from core.snapshot import Snapshot, item_key
from core.vocabulary import Kind, Status

_ATTRIBUTES = {
    "id": "id",
    "subject": "subject",
    "Scope": "scope",
    "superseded_by": "superseded_by",
    "merged_into": "merged_into",
    "conflicts_with": "conflicts_with",
    "promoted_to": "promoted_to",
    "inspired_by": "inspired_by",
    "corroborating_refs": "corroborating_refs",
    "Source": "source",
    "Confidence-Scheme": "confidence_scheme",
    "Confidence": "confidence",
    "marker": "marker",
    "date": "date",
}


def with_fields(item: MemoryItem, fields: Sequence[FieldChange]) -> MemoryItem:
    """The item after `fields` are set; its digest is that of its new record."""
    values: dict[str, object] = {}
    for change in fields:
        value = change.after
        if change.name == "Status":
            values["status_text"] = value
            values["status"] = next((token for token in Status if token == value), None) if value else Status.ACTIVE
        elif change.name == "kind":
            values["kind_text"] = value
            values["kind"] = next((token for token in Kind if token == value), None)
        elif change.name in _ATTRIBUTES:
            listed = change.name in ("conflicts_with", "corroborating_refs")
            values[_ATTRIBUTES[change.name]] = () if listed and value is None else value
    changed = replace(item, **values)  # type: ignore[arg-type]
    return replace(changed, digest=record_digest(changed.record()))


def from_record(record: Record, *, file: str, section: str | None, line: int = 1) -> MemoryItem:
    """A new item from its fields, standing in `section` of `file`."""
    bare = MemoryItem(
        key=str(record.get("id", "")),
        text=str(record.get("text", "")),
        place=Place(file, line, section),
        standing=standing_of(file, section),
        digest="",
    )
    return with_fields(bare, [FieldChange(name, None, value) for name, value in record.items()])


def record_digest(record: Record) -> str:
    """A digest of a record, for stores that have no bytes of their own."""
    return sha256(repr(sorted(record.items())).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def apply(snapshot: Snapshot, changes: ChangeSet) -> Snapshot:
    """The snapshot after `changes`. Keys in `changes` are those of `snapshot`; new keys are assigned afterwards."""
    items = items_after(snapshot, changes)
    for change in changes.changes:
        snapshot = _rest_after(snapshot, change)
    return replace(snapshot, items=assign_keys(items), sequence=snapshot.sequence + 1)


def items_after(snapshot: Snapshot, changes: ChangeSet) -> list[MemoryItem]:
    """The bearers after `changes`, under the keys they had; an added item's key is its id."""
    items = list(snapshot.items)
    for change in changes.changes:
        items = _items_after(items, change)
    return items


def assign_keys(items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
    """The items with the keys their ids, files and order give them."""
    bearers: dict[str, int] = {}
    for item in items:
        if item.id is not None:
            bearers[item.id] = bearers.get(item.id, 0) + 1
    seen: dict[tuple[str, str], int] = {}
    keyed = []
    for item in items:
        label = item.id or "~" + item.digest
        occurrence = seen.get((label, item.place.file), 0)
        seen[(label, item.place.file)] = occurrence + 1
        sole = item.id is not None and bearers[item.id] == 1
        key = item_key(item.id, item.digest, item.place.file, occurrence, sole=sole)
        keyed.append(item if item.key == key else replace(item, key=key))
    return tuple(keyed)


def _items_after(items: list[MemoryItem], change: Change) -> list[MemoryItem]:
    match change:
        case SetFields(key, fields):
            return [with_fields(item, fields) if item.key == key else item for item in items]
        case AddItem(record, file, section, before):
            return _insert(items, from_record(record, file=file, section=section), before)
        case MoveItem(key, file, section):
            return _move(items, key, file, section, None)
        case HoldItem(key, withdrawal_id):
            section = next((item.place.section for item in items if item.key == key), None)
            return _move(items, key, held_file(withdrawal_id), section, None)
        case ReleaseItem(key, file, section, before):
            return _move(items, key, file, section, before)
        case _:
            return items


def _move(items: list[MemoryItem], key: str, file: str, section: str | None, before: str | None) -> list[MemoryItem]:
    moving = [item for item in items if item.key == key]
    rest = [item for item in items if item.key != key]
    for item in moving:
        placed = replace(item, place=Place(file, item.place.line, section), standing=standing_of(file, section))
        rest = _insert(rest, placed, before)
    return rest


def _insert(items: list[MemoryItem], item: MemoryItem, before: str | None) -> list[MemoryItem]:
    for index, other in enumerate(items):
        if before is not None and other.key == before:
            return [*items[:index], item, *items[index:]]
    here = [
        index
        for index, other in enumerate(items)
        if other.place.file == item.place.file and other.place.section == item.place.section
    ]
    here = here or [index for index, other in enumerate(items) if other.place.file == item.place.file]
    at = here[-1] + 1 if here else len(items)
    return [*items[:at], item, *items[at:]]


def _rest_after(snapshot: Snapshot, change: Change) -> Snapshot:
    match change:
        case AppendEvent(event):
            entry = LogEntry(event.id, event.type, event.at, event.actor, event.summary, Place(LOG, 1))
            fresh = {event.id, *(item.id for item in event.items)}
            controls = snapshot.controls
            if event.control is not None:
                controls = (*controls, event.control)
                fresh.add(event.control.withdrawal_id)
            return replace(
                snapshot,
                log=(*snapshot.log, entry),
                events=(*snapshot.events, event),
                controls=controls,
                reserved_ids=snapshot.reserved_ids | fresh,
            )
        case DeclareOwner(owner):
            binding = snapshot.binding
            owners = (*(known for known in binding.owners if known.name != owner.name), owner)
            state = "confirmed" if binding.owners_state in ("none", "confirmed") else binding.owners_state
            return replace(snapshot, binding=replace(binding, owners=owners, owners_state=state, declared=True))
        case PutProposal(proposal):
            others = (known for known in snapshot.proposals if known.proposal_id != proposal.proposal_id)
            return replace(snapshot, proposals=(*others, proposal))
        case PutTriggers(file, triggers):
            topics = (replace(one, triggers=triggers) if one.file == file else one for one in snapshot.topics)
            return replace(snapshot, topics=tuple(topics))
        case _:
            return snapshot
