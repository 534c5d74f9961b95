"""repair: give an item the metadata it lacks (§16 steps 2, 7, 8). Nothing the item already says is overruled."""

from __future__ import annotations

import re
from datetime import date as Date

from core.authority import Tier
from core.changes import SetFields
from core.commands.draft import Context, Draft, no_secret
from core.errors import Refused
from core.events import FieldChange
from core.ids import ITEM
from core.items import MemoryItem
from core.requests import Repair
from core.vocabulary import EventType, Kind, Standing, Status

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


def draft_repair(request: Repair, context: Context) -> Draft:
    """Fill in id, kind, subject, Source, Status; turn a legacy marker into a Status; part two items of one id."""
    item = _target(request, context)
    no_secret(request.source, "Source")
    no_secret(request.subject, "subject")
    fields = _fields(request, item, context)
    if not fields:
        raise Refused("Nothing to repair was named, or it is there already.", where=str(item.place))
    names = ", ".join(change.name if change.name != "marker" else f"marker {item.marker}" for change in fields)
    ids = [change for change in fields if change.name == "id"]
    after = next((str(change.after) for change in ids), item.id)
    undo = "Can be undone with undo; the id stays." if ids else "Can be undone with undo."
    if len(ids) == len(fields):
        undo = "Cannot be undone: an id, once given, persists (§7.2)."
    change = ", ".join(f"{field.name}: {_shown(field.before)} → {_shown(field.after)}" for field in fields)
    return Draft(
        title=f"Repair {names} of {after}",
        verb="Repair",
        tier=Tier.PLAN,
        event_type=EventType.MANUAL_CORRECTION.value,
        summary=f"repair of {after}: {names}",
        changes=(SetFields(item.key, tuple(fields)),),
        lines=(context.line(item, change),),
        undo=undo,
    )


def fresh_item_id(item: MemoryItem, context: Context) -> str:
    """A fresh id for an item: by its own date where that is a date, else by today."""
    return context.ids.fresh(ITEM, item.date if item.date is not None and _is_date(item.date) else context.today)


def _target(request: Repair, context: Context) -> MemoryItem:
    snapshot = context.reading.snapshot
    if not request.new_id:
        return context.changeable(request.item)
    item = snapshot.by_key.get(request.item)
    if item is None:
        item = context.item(request.item)
    if item.id is None or len(snapshot.by_id[item.id]) < 2:
        raise Refused(
            "Only an item that shares its id with another is given a new one.",
            where=str(item.place),
            remedy="An id, once given, persists (§7.2).",
        )
    verdict = context.reading.influence.verdict(item.key)
    if not verdict.eligible:
        raise Refused(
            f"Withdrawn by {', '.join(verdict.by)}: a new id would carry it out of the withdrawal.",
            where=str(item.place),
            remedy="Reinstate it first.",
        )
    state = snapshot.files.get(item.place.file)
    if state is not None and state.unwritable:
        raise Refused(f"{item.place.file} is not written: {state.unwritable}", where=str(item.place))
    return item


def _fields(request: Repair, item: MemoryItem, context: Context) -> list[FieldChange]:
    fields: list[FieldChange] = []
    if item.id is None or request.new_id:
        fields.append(FieldChange("id", item.id, fresh_item_id(item, context)))
    if request.kind is not None:
        fields.append(_kind(request, item))
    if request.subject is not None:
        fields.append(_missing("subject", item.subject, request.subject, item))
    if request.source is not None:
        fields.append(_missing("Source", item.source, request.source, item))
    if request.marker:
        if item.marker is None:
            raise Refused("It has no legacy marker at its head.", where=str(item.place))
        fields.append(FieldChange("marker", item.marker, None))
    status = _status(request, item)
    if status is not None:
        fields.append(FieldChange("Status", item.status_text, status.value))
    kind = next((change.after for change in fields if change.name == "kind"), item.kind and item.kind.value)
    if kind == Kind.STATE and not (item.subject or request.subject):
        raise Refused(
            "A state item needs a subject: the stable key whose value it is.",
            where=str(item.place),
            remedy="Name the subject, or let it be knowledge (§12 rule 4).",
        )
    return fields


def _kind(request: Repair, item: MemoryItem) -> FieldChange:
    if request.kind not in set(Kind):
        raise Refused(f"{request.kind} is no kind.", where=str(item.place), remedy="Kinds are state and knowledge.")
    if item.kind is not None:
        raise Refused(
            f"It is {item.kind} already.", where=str(item.place), remedy="To change a kind, reclassify the item."
        )
    return FieldChange("kind", item.kind_text, request.kind)


def _missing(name: str, before: str | None, after: str, item: MemoryItem) -> FieldChange:
    if before:
        raise Refused(f"It has a {name} already: {before}", where=str(item.place))
    if not after.strip() or "\n" in after or "\r" in after:
        raise Refused(f"A {name} is one line of text.", where=str(item.place))
    return FieldChange(name, before, after)


def _status(request: Repair, item: MemoryItem) -> Status | None:
    if request.marker:
        return None if item.status is Status.PENDING_CLEANUP and item.status_text else Status.PENDING_CLEANUP
    if request.status is not None:
        token = next((status for status in Status if status.value == request.status), None)
        if token is None or token is Status.SUPERSEDED:
            raise Refused(
                f"{request.status} is no Status to repair with.",
                where=str(item.place),
                remedy="Use active, stale or pending-cleanup; supersede sets superseded.",
            )
        if item.status is not None and item.status_text is not None:
            raise Refused(f"Its Status is {item.status} already.", where=str(item.place))
        return token
    if item.status_text is None and item.standing in (Standing.TOPIC, Standing.HISTORICAL):
        return Status.ACTIVE
    return None


def _is_date(text: str) -> bool:
    if not _ISO.match(text):
        return False
    try:
        Date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
