"""stale, clear, pend: one Status change each, by the lifecycle table (§9, §14.3, §16)."""

from __future__ import annotations

from collections.abc import Callable

from core.authority import Tier
from core.changes import SetFields
from core.commands.draft import Context, Draft
from core.errors import AssayError, Refused
from core.events import FieldChange
from core.items import MemoryItem
from core.lifecycle import refusal
from core.plan import PlanLine, Refusal
from core.requests import Clear, Pend, Stale
from core.supersede import live_row
from core.vocabulary import EventType, Kind, Status

UNDO = "Can be undone with undo."


def draft_stale(request: Stale, context: Context) -> Draft:
    """Mark items `stale`: no longer applicable, what becomes of them not yet known."""
    return _draft(
        "stale", request.items, request.reason, context, EventType.REVIEW, lambda item: Status.STALE, ("Mark", "stale")
    )


def draft_clear(request: Clear, context: Context) -> Draft:
    """Clear items: kept, active again. Autodream clears only a `state` row whose successor is known (§14.4 step 5)."""

    def target(item: MemoryItem) -> Status:
        if item.status is Status.PENDING_CLEANUP and item.kind is Kind.STATE and item.superseded_by:
            return Status.SUPERSEDED
        return Status.ACTIVE

    return _draft("clear", request.items, request.reason, context, EventType.REVIEW, target, ("Clear", "active"))


def draft_pend(request: Pend, context: Context) -> Draft:
    """Mark items `pending-cleanup`: they wait for a human."""
    return _draft(
        "pend",
        request.items,
        request.reason,
        context,
        EventType.PENDING_CLEANUP,
        lambda item: Status.PENDING_CLEANUP,
        ("Mark", "pending-cleanup"),
    )


def _draft(
    command: str,
    keys: tuple[str, ...],
    reason: str,
    context: Context,
    event_type: EventType,
    target: Callable[[MemoryItem], Status],
    words: tuple[str, str],
) -> Draft:
    changes: list[SetFields] = []
    lines: list[PlanLine] = []
    refusals: list[Refusal] = []
    first: AssayError | None = None
    for key in dict.fromkeys(keys):
        try:
            item = context.changeable(key)
            to = target(item)
            why = _refused(item, to, context)
            if why is not None:
                raise Refused(why, where=item.id or str(item.place))
        except AssayError as error:
            first = first or error
            refusals.append(Refusal.of(key, error))
            continue
        fields = [FieldChange("Status", item.status_text, to.value)]
        if to is Status.ACTIVE and item.superseded_by:
            fields.append(FieldChange("superseded_by", item.superseded_by, None))
        changes.append(SetFields(item.key, tuple(fields)))
        lines.append(context.line(item, f"{item.status_text or Status.ACTIVE} → {to}"))
    if not changes:
        raise first or Refused("No items were named.", remedy="Name at least one item.")
    count = f"{len(lines)} items" if len(lines) > 1 else "1 item"
    done = {"stale": "stale", "clear": "cleared", "pend": "pending-cleanup"}[command]
    because = f": {reason}" if reason else ""
    return Draft(
        title=f"{words[0]} {count} {words[1]}" if command != "clear" else f"Clear {count}: kept, active",
        verb=f"{words[0]} {words[1]}" if command != "clear" else "Clear",
        tier=Tier.FREE if command == "pend" and len(lines) == 1 else Tier.PLAN,
        event_type=event_type.value,
        summary=f"{count} {done}{because}",
        changes=tuple(changes),
        lines=tuple(lines),
        refusals=tuple(refusals),
        undo=UNDO,
        human_only=command == "clear" and context.actor.is_human,
    )


def _refused(item: MemoryItem, to: Status, context: Context) -> str | None:
    if item.id is None:
        return "It has no id, so the log could not name it; repair it first."
    why = refusal(item, to, context.actor.role)
    if why is None and to is Status.SUPERSEDED:
        row = live_row(context.reading.snapshot, item.superseded_by or "")
        if row is None:
            return f"Its successor {item.superseded_by} cannot be followed to a live row."
    return why
