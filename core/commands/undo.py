"""undo: compensate this actor's latest undoable event, or one that is named (design: the log is the undo stack)."""

from __future__ import annotations

from core.authority import AUTHORITY, Tier, human_only
from core.changes import Change, MoveItem, SetFields
from core.commands.draft import Context, Draft
from core.errors import ItemNotFound, NotAuthorised, Refused
from core.events import Event, FieldChange, ItemChange
from core.items import FieldValue, MemoryItem
from core.places import HISTORICAL_SECTION
from core.plan import PlanLine
from core.recording import RECORDED
from core.requests import Undo
from core.secrets import mask
from core.snapshot import Snapshot
from core.vocabulary import EventType, Kind, Status

UNDOABLE: dict[str, frozenset[str]] = {
    "stale": frozenset({"Status"}),
    "clear": frozenset({"Status", "superseded_by"}),
    "pend": frozenset({"Status"}),
    "repair": frozenset({"id", "kind", "subject", "Source", "Status", "marker"}),
    "supersede": frozenset({"Status", "superseded_by"}),
    "reconcile": frozenset({"Status", "superseded_by", "conflicts_with"}),
    "reclassify": frozenset({"kind", "subject"}),
    "subject": frozenset({"subject"}),
    "cool": frozenset({"place"}),
    "warm": frozenset({"place"}),
    "merge": frozenset({"merged_into", "place"}),
    "not-duplicate": frozenset(),
}
"""Command -> the fields that it changes, and an undo of it may change back. An event that names others was not written
by that command. Control events are taken back by control events alone."""


def latest_undoable(context: Context) -> Event | None:
    """The actor's latest event that an undo could compensate and none has."""
    events = context.reading.snapshot.events
    undone = {event.undoes for event in events if event.undoes}
    return next(
        (
            event
            for event in reversed(events)
            if event.actor == str(context.actor)
            and event.command in UNDOABLE
            and event.id not in undone
            and not forged(event, context.reading.snapshot)
        ),
        None,
    )


def draft_undo(request: Undo, context: Context) -> Draft:
    """Give every field the value it had before the event; refuse where one no longer has what the event left."""
    event = _event(request, context)
    why = forged(event, context.reading.snapshot)
    if why:
        raise Refused(why, where=event.id, remedy="Decide again instead of undoing; Health lists what is odd about it.")
    command = event.command or ""
    if context.actor.role not in AUTHORITY[command]:
        raise NotAuthorised(f"{context.actor} may not undo a {command}.", where=event.id)
    changes: list[Change] = []
    lines: list[PlanLine] = []
    for change in event.items:
        item = context.changeable(change.id)
        added = change.record is not None and not change.record
        fields = _retire(event, change, item) if added else _inverse(change, item)
        changes.extend(_changes(item, fields))
        shown = ", ".join(f"{field.name}: {_shown(field.before)} → {_shown(field.after)}" for field in fields)
        if fields:
            lines.append(context.line(item, shown))
    if not changes and event.items:
        raise Refused("Nothing of it can be undone: an id, once given, persists (§7.2).", where=event.id)
    what = _done(event, context)
    return Draft(
        title=f"Undo: {what}",
        verb="Undo",
        tier=Tier.PLAN if human_only(command) or len(lines) > 1 else Tier.FREE,
        event_type=EventType.MANUAL_CORRECTION.value,
        summary=f"undone: {what} ({event.id})",
        changes=tuple(changes),
        lines=tuple(lines),
        undo="Cannot be undone itself; decide again instead.",
        warnings=_passed_over(event, context) if request.event is None else (),
        undoes=event.id,
        reads={"event": event.id},
        human_only=human_only(command),
        done=f"undone: {what}",
    )


def _passed_over(event: Event, context: Context) -> tuple[str, ...]:
    """One sentence on the actor's decisions after `event` that no undo takes back: whoever undoes may mean those."""
    events = context.reading.snapshot.events
    after = events[next(at for at, other in enumerate(events) if other.id == event.id) + 1 :]
    passed = [
        other
        for other in after
        if other.actor == str(context.actor) and other.command and other.command not in (*UNDOABLE, "undo")
    ]
    if not passed:
        return ()
    last, command = passed[-1], passed[-1].command or ""
    words = _done(last, context).partition(":")[0].partition(",")[0]
    named = words if command.removesuffix("e") in words else f"{words} ({command})"
    more = f" and {len(passed) - 1} more" if len(passed) > 1 else ""
    what, before = ("These", "them") if more else ("That", "it")
    return (f"Decided since: {named}{more}. {what} cannot be undone; this undoes what came before {before}.",)


def _done(event: Event, context: Context) -> str:
    """What the event did, in the words of the log, without what else it recorded and what has been withdrawn since."""
    words = mask(" ".join(event.summary.partition(RECORDED)[0].split()))
    if not words or context.reading.influence.restates(words):
        count = "1 item" if len(event.items) == 1 else f"{len(event.items)} items"
        return f"{event.command} of {count}"
    return words


def forged(event: Event, snapshot: Snapshot) -> str:
    """Why the event cannot be one that the engine wrote, as a sentence; '' where nothing says so.

    Whoever can write to the log's folder can write a line that looks like an event. It moves nothing out of its page,
    touches no field that its command never does, and stands alone under its id, with its line in the timeline.
    """
    if sum(other.id == event.id for other in snapshot.events) > 1:
        return f"Several replay records bear the id {event.id}."
    if not any((entry.id, entry.type, entry.actor) == (event.id, event.type, event.actor) for entry in snapshot.log):
        return f"The timeline has no line for {event.id}."
    allowed = UNDOABLE.get(event.command or "", frozenset())
    for change in event.items:
        if change.record is not None and not change.record and event.command in ("reconcile", "merge"):
            continue
        for step in change.fields:
            if step.name not in allowed:
                return f"A {event.command} never changes {step.name}."
            if step.name == "place" and _file(step.before) != _file(step.after):
                return f"A {event.command} never moves an item to another page."
    return ""


def _file(place: FieldValue | None) -> str:
    return str(place).partition("#")[0]


def _event(request: Undo, context: Context) -> Event:
    events = context.reading.snapshot.events
    if request.event is None:
        event = latest_undoable(context)
        if event is None:
            raise Refused(f"{context.actor} has nothing to undo.", remedy="`assay log` lists the events.")
        return event
    named = next((event for event in events if event.id == request.event), None)
    if named is None:
        raise ItemNotFound(f"No event {request.event} in the log.", where=request.event)
    if named.command in ("withdraw", "reinstate", "settle"):
        other = "reinstatement" if named.type == EventType.WITHDRAW else "withdrawal"
        raise Refused(f"{named.id} is a control event: only a {other} takes it back.", where=named.id)
    if any(event.undoes == named.id for event in events):
        raise Refused(f"{named.id} is undone already.", where=named.id)
    if named.command not in UNDOABLE:
        raise Refused(f"A {named.command or named.type} cannot be undone.", where=named.id)
    return named


def _changes(item: MemoryItem, fields: list[FieldChange]) -> list[Change]:
    """The fields as changes: `place` moves the item, all else is set."""
    changes: list[Change] = []
    values = tuple(step for step in fields if step.name != "place")
    if values:
        changes.append(SetFields(item.key, values))
    for step in fields:
        if step.name == "place":
            file, _, section = str(step.after).partition("#")
            changes.append(MoveItem(item.key, file, section or None))
    return changes


def _inverse(change: ItemChange, item: MemoryItem) -> list[FieldChange]:
    now = item.record()
    fields = []
    for step in change.fields:
        if step.name == "id":
            continue
        current = now.get(step.name)
        if current != step.after:
            raise Refused(
                f"{step.name} of {item.id} is {_shown(current)} now, not {_shown(step.after)} as the event left it.",
                where=str(item.place),
                remedy="Somebody changed it since; decide again instead of undoing.",
            )
        fields.append(FieldChange(step.name, step.after, step.before))
    return fields


def _retire(event: Event, change: ItemChange, item: MemoryItem) -> list[FieldChange]:
    """What the event added is not removed: a row becomes history behind one that comes back, a fold goes stale."""
    if item.status is not Status.ACTIVE:
        raise Refused(f"{item.id} is {item.status_text} now, not active as the event left it.", where=str(item.place))
    if item.kind is Kind.KNOWLEDGE:
        historical = f"{item.place.file}#{HISTORICAL_SECTION}"
        return [
            FieldChange("Status", item.status_text, Status.STALE.value),
            FieldChange("place", str(item.record()["place"]), historical),
        ]
    back = [other.id for other in event.items if other is not change and _before(other, "Status") != "superseded"]
    if not back:
        raise Refused("No row comes back that could follow the one it added.", where=event.id)
    return [
        FieldChange("Status", item.status_text, Status.SUPERSEDED.value),
        FieldChange("superseded_by", item.superseded_by, back[-1]),
    ]


def _before(change: ItemChange, name: str) -> FieldValue | None:
    return next((step.before for step in change.fields if step.name == name), None)


def _shown(value: FieldValue | None) -> str:
    return "none" if value is None else value if isinstance(value, str) else ", ".join(value)
