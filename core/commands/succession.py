"""supersede and reconcile: which row of a subject is current (§14.2, §15.2)."""

from __future__ import annotations

from collections.abc import Sequence

from core.authority import Tier
from core.changes import AddItem, Change, SetFields
from core.commands.draft import Context, Draft, no_secret
from core.conflicts import REFUTED_BY
from core.errors import Refused
from core.events import FieldChange
from core.ids import ITEM
from core.items import FieldValue, MemoryItem
from core.places import FACTS_SECTION
from core.plan import PlanLine
from core.requests import Reconcile, Supersede
from core.sources import parse_source
from core.supersede import refusal
from core.vocabulary import EventType, Kind, Standing, Status

UNDO = "Can be undone with undo."


def draft_supersede(request: Supersede, context: Context) -> Draft:
    """Supersede one `state` row by another that is there already; only the prior row's file changes."""
    prior = context.changeable(request.prior)
    successor = context.changeable(request.successor)
    why = refusal(prior, successor, rows_of_subject=_rows(prior, context))
    if why is not None:
        raise Refused(why, where=prior.id or str(prior.place), remedy="Both rows stay; reconcile settles a doubt.")
    return Draft(
        title=f"Supersede {prior.id} by {successor.id}",
        verb="Supersede",
        tier=Tier.PLAN,
        event_type=EventType.SUPERSEDE.value,
        summary=f"{prior.subject}: {prior.id} superseded by {successor.id}",
        changes=(_superseded(prior, successor.id or ""),),
        lines=(
            context.line(prior, f"{prior.status_text or Status.ACTIVE} → superseded"),
            context.line(successor, "stays active"),
        ),
        undo=UNDO,
        detail=supersede_detail(prior, str(successor.id), successor.date or "", successor.text),
    )


def draft_reconcile(request: Reconcile, context: Context) -> Draft:
    """Settle a conflict by evidence or an owner's decision; the rows that lose are kept as history."""
    if sum((request.current is not None, request.both_stay, request.pend)) != 1:
        raise Refused("A reconcile chooses the current row, lets both stay, or marks them pending.")
    if not request.evidence.strip():
        raise Refused(
            "A reconcile rests on evidence.",
            remedy="Name a reference, or state the owner's decision where the matter is one of values or policy.",
        )
    no_secret(request.evidence, "evidence")
    rows = [context.changeable(key) for key in dict.fromkeys(request.rows)]
    if len(rows) < 2:
        raise Refused("A conflict has at least two rows.")
    unnamed = [row for row in rows if row.id is None or row.kind is None]
    if unnamed:
        raise Refused("A row without id or kind cannot be reconciled; repair it first.", where=str(unnamed[0].place))
    if request.both_stay:
        return _both_stay(rows, request, context)
    if request.pend:
        return _pend(rows, request, context)
    return _choose(rows, context.changeable(request.current or ""), request, context)


def supersede_detail(prior: MemoryItem, new_id: str, new_date: str, new_value: str) -> dict[str, FieldValue]:
    """What the log must say of a supersede (§14.2): subject, prior and new date and value."""
    return {
        "subject": prior.subject or "",
        "prior_id": prior.id or "",
        "prior_date": prior.date or "",
        "prior_value": prior.text,
        "new_id": new_id,
        "new_date": new_date,
        "new_value": new_value,
    }


def _rows(item: MemoryItem, context: Context) -> Sequence[MemoryItem]:
    influence = context.reading.influence
    return [
        row
        for row in context.reading.snapshot.items
        if row.subject == item.subject
        and row.kind is Kind.STATE
        and row.status is Status.ACTIVE
        and influence.eligible(row.key)
    ]


def _superseded(row: MemoryItem, by: str) -> SetFields:
    return SetFields(
        row.key,
        (
            FieldChange("Status", row.status_text, Status.SUPERSEDED.value),
            FieldChange("superseded_by", row.superseded_by, by),
        ),
    )


def _both_stay(rows: list[MemoryItem], request: Reconcile, context: Context) -> Draft:
    changes: list[Change] = []
    lines: list[PlanLine] = []
    for row in rows:
        others = tuple(dict.fromkeys((*row.conflicts_with, *(str(other.id) for other in rows if other is not row))))
        fields = [FieldChange("conflicts_with", row.conflicts_with or None, others)]
        if row.status is Status.PENDING_CLEANUP:
            fields.insert(0, FieldChange("Status", row.status_text, Status.ACTIVE.value))
        changes.append(SetFields(row.key, tuple(fields)))
        lines.append(context.line(row, "stays; the other is named in conflicts_with"))
    return _draft(f"Let {len(rows)} rows stay side by side", "Both stay", rows, changes, lines, request)


def _pend(rows: list[MemoryItem], request: Reconcile, context: Context) -> Draft:
    waiting = [row for row in rows if row.status is not Status.PENDING_CLEANUP]
    if not waiting:
        raise Refused("All rows are pending-cleanup already.")
    changes: list[Change] = [
        SetFields(row.key, (FieldChange("Status", row.status_text, Status.PENDING_CLEANUP.value),)) for row in waiting
    ]
    lines = [context.line(row, f"{row.status_text or Status.ACTIVE} → pending-cleanup") for row in waiting]
    count = f"{len(waiting)} row{'' if len(waiting) == 1 else 's'}"
    return _draft(
        f"Mark {count} pending-cleanup",
        "Mark pending",
        rows,
        changes,
        lines,
        request,
        {REFUTED_BY: tuple(str(row.id) for row in rows)},
    )


def _choose(rows: list[MemoryItem], current: MemoryItem, request: Reconcile, context: Context) -> Draft:
    if all(row is not current for row in rows):
        raise Refused("The row chosen as current is none of the rows in conflict.", where=current.id)
    others = [row for row in rows if row is not current]
    if any(row.kind is not Kind.STATE for row in rows):
        return _choose_knowledge(current, others, request, context)
    if any(row.subject != current.subject for row in rows) or not current.subject:
        raise Refused("Only rows of one subject, equal to the byte, supersede one another (§14.2).", where=current.id)
    if any((row.date or "") >= (current.date or "") for row in others):
        return _choose_older(current, others, request, context)
    changes: list[Change] = [_superseded(row, str(current.id)) for row in others]
    if current.status is not Status.ACTIVE:
        changes.append(SetFields(current.key, (FieldChange("Status", current.status_text, Status.ACTIVE.value),)))
    lines = [
        context.line(current, "current"),
        *(context.line(row, f"{row.status_text or Status.ACTIVE} → superseded") for row in others),
    ]
    detail = supersede_detail(others[0], str(current.id), current.date or "", current.text)
    return _draft(f"{current.id} is current for {current.subject}", "Reconcile", rows, changes, lines, request, detail)


def _choose_older(current: MemoryItem, others: list[MemoryItem], request: Reconcile, context: Context) -> Draft:
    """An earlier-dated row never supersedes a later one: a fresh row says it again, and supersedes all."""
    fresh = context.ids.fresh(ITEM, context.today)
    home = next((row for row in (current, *others) if row.standing is not Standing.INBOX), current)
    refs = [ref.text for ref in parse_source(current.source or "") if ref.kind in ("archive", "topic")]
    record: dict[str, FieldValue] = {
        "text": current.text,
        "date": context.today,
        "id": fresh,
        "kind": Kind.STATE.value,
        "subject": current.subject or "",
        "Status": Status.ACTIVE.value,
        "Source": f"reconciled by {context.actor} {context.today}: {request.evidence.strip()}",
    }
    if current.scope:
        record["Scope"] = current.scope
    if refs:
        record["corroborating_refs"] = tuple(refs)
    if current.confidence:
        record["Confidence-Scheme"] = current.confidence_scheme or "epistemic-status-v1"
        record["Confidence"] = current.confidence
    rows = [current, *others]
    # The fresh row and the row it says again go in one replacement of one file.
    ordered = sorted(rows, key=lambda row: row.place.file != home.place.file)
    section = home.place.section
    add = AddItem(record, home.place.file, section if section or home.standing is Standing.INBOX else FACTS_SECTION)
    changes: list[Change] = [add, *(_superseded(row, fresh) for row in ordered)]
    lines = [
        PlanLine(fresh, fresh, "a fresh row, current", current.text),
        *(context.line(row, f"{row.status_text or Status.ACTIVE} → superseded") for row in rows),
    ]
    detail = supersede_detail(others[0], fresh, context.today, current.text)
    return _draft(
        f"{current.id} is current again for {current.subject}, as {fresh}",
        "Reconcile",
        rows,
        changes,
        lines,
        request,
        detail,
    )


def _choose_knowledge(current: MemoryItem, others: list[MemoryItem], request: Reconcile, context: Context) -> Draft:
    changes: list[Change] = []
    lines: list[PlanLine] = [context.line(current, "stays, active")]
    if current.status is not Status.ACTIVE or current.status_text is None:
        changes.append(SetFields(current.key, (FieldChange("Status", current.status_text, Status.ACTIVE.value),)))
    for row in others:
        changes.append(SetFields(row.key, (FieldChange("Status", row.status_text, Status.STALE.value),)))
        lines.append(context.line(row, f"{row.status_text or Status.ACTIVE} → stale, kept"))
    return _draft(f"{current.id} stands", "Reconcile", [current, *others], changes, lines, request)


def _draft(
    title: str,
    verb: str,
    rows: Sequence[MemoryItem],
    changes: Sequence[Change],
    lines: Sequence[PlanLine],
    request: Reconcile,
    detail: dict[str, FieldValue] | None = None,
) -> Draft:
    kinds = {"new_id": EventType.SUPERSEDE, REFUTED_BY: EventType.PENDING_CLEANUP}
    event_type = next((kind for name, kind in kinds.items() if name in (detail or {})), EventType.REVIEW)
    return Draft(
        title=title,
        verb=verb,
        tier=Tier.PLAN,
        event_type=event_type.value,
        summary=f"reconcile: {title}",
        changes=tuple(changes),
        lines=tuple(lines),
        undo=UNDO,
        detail={**(detail or {}), "evidence": request.evidence.strip()},
        reads={row.key: row.digest for row in rows},
        human_only=True,
    )
