"""merge and not-duplicate: what a human makes of near-duplicate knowledge (§14.3)."""

from __future__ import annotations

from itertools import combinations

from core.authority import Tier
from core.changes import AddItem, Change, MoveItem, SetFields
from core.commands.draft import Context, Draft, no_secret
from core.errors import Refused
from core.events import Event, FieldChange
from core.ids import ITEM
from core.items import FieldValue, MemoryItem
from core.places import FACTS_SECTION, HISTORICAL_SECTION
from core.plan import PlanLine
from core.requests import Merge, NotDuplicate
from core.snapshot import Snapshot
from core.vocabulary import EventType, Kind, Standing, Status

NOT_DUPLICATES = "not_duplicates"
"""The event detail that remembers pairs, as `ID ID`."""


def draft_merge(request: Merge, context: Context) -> Draft:
    """Fold several lessons into one; the originals are kept, cooled, and name the fold."""
    members = [context.changeable(key) for key in dict.fromkeys(request.items)]
    _check(members, request.text)
    newest = max(members, key=lambda item: item.date or "")
    home = next((item for item in [newest, *members] if item.standing is not Standing.INBOX), None)
    if home is None:
        raise Refused("All of them are still in the inbox; archive and distill them first.", where=newest.id)
    text = request.text.strip()
    sources = dict.fromkeys(part for item in members for part in _sources(item))
    fold = context.ids.fresh(ITEM, newest.date or context.today)
    record: dict[str, FieldValue] = {
        "text": text,
        "date": newest.date or context.today,
        "id": fold,
        "kind": Kind.KNOWLEDGE.value,
        "Status": Status.ACTIVE.value,
        "Source": ", ".join(sources),
    }
    scopes = {item.scope for item in members}
    if len(scopes) == 1 and (scope := scopes.pop()):
        record["Scope"] = scope
    section = home.place.section if home.standing is Standing.TOPIC else FACTS_SECTION
    changes: list[Change] = [AddItem(record, home.place.file, section)]
    lines = [PlanLine(fold, fold, "the folded entry, active", text)]
    for item in members:
        changes.append(SetFields(item.key, (FieldChange("merged_into", item.merged_into, fold),)))
        if item.standing is Standing.TOPIC:
            changes.append(MoveItem(item.key, item.place.file, HISTORICAL_SECTION))
        lines.append(context.line(item, f"kept, merged_into {fold}"))
    return Draft(
        title=f"Merge {len(members)} items into {fold}",
        verb="Merge",
        tier=Tier.PLAN,
        event_type=EventType.MERGE.value,
        summary=f"{', '.join(str(item.id) for item in members)} merged into {fold}",
        changes=tuple(changes),
        lines=tuple(lines),
        undo="Can be undone with undo; the folded entry stays as history, stale.",
        reads={item.key: item.digest for item in members},
    )


def draft_not_duplicate(request: NotDuplicate, context: Context) -> Draft:
    """Remember that items only look alike. The log remembers it; the items stay as they are."""
    items = [context.changeable(key) for key in dict.fromkeys(request.items)]
    if len(items) < 2 or any(item.id is None for item in items):
        raise Refused("At least two items with ids are told apart.")
    remembered = not_duplicates(context.reading.snapshot)
    pairs = list(combinations(sorted(str(item.id) for item in items), 2))
    fresh = [pair for pair in pairs if frozenset(pair) not in remembered]
    if not fresh:
        raise Refused("They are told apart already.", where=str(items[0].id))
    return Draft(
        title=f"{len(items)} items are no duplicates",
        verb="Not a duplicate",
        tier=Tier.PLAN,
        event_type=EventType.REVIEW.value,
        summary=f"no duplicates: {', '.join(str(item.id) for item in items)}",
        changes=(),
        lines=tuple(context.line(item, "not a duplicate of the others") for item in items),
        undo="Can be undone with undo.",
        detail={NOT_DUPLICATES: tuple(" ".join(pair) for pair in fresh)},
    )


def not_duplicates(snapshot: Snapshot) -> frozenset[frozenset[str]]:
    """The pairs of ids that a human told apart and nobody took back."""
    undone = {event.undoes for event in snapshot.events if event.undoes}
    return frozenset(
        frozenset(pair.split(" "))
        for event in snapshot.events
        if event.id not in undone
        for pair in remembered_pairs(event)
    )


def remembered_pairs(event: Event) -> tuple[str, ...]:
    """The pairs that one event told apart, as `ID ID`."""
    value = event.detail.get(NOT_DUPLICATES, ())
    return (value,) if isinstance(value, str) else tuple(value)


def _sources(item: MemoryItem) -> list[str]:
    return [part.strip() for part in (item.source or "").split(",") if part.strip()]


def _check(members: list[MemoryItem], text: str) -> None:
    if len(members) < 2:
        raise Refused("A merge folds at least two items.")
    for item in members:
        if item.kind is not Kind.KNOWLEDGE:
            raise Refused("Only knowledge is merged; a state row is superseded (§14).", where=str(item.place))
        if item.id is None or not item.source:
            raise Refused("An item without id or Source cannot be merged; repair it first.", where=str(item.place))
        if item.merged_into:
            raise Refused(f"It was merged into {item.merged_into} already.", where=item.id)
    if not text.strip() or "\n" in text.strip() or "\r" in text.strip():
        raise Refused("The folded text is one line, and not empty.", remedy="Edit the text of the folded entry.")
    no_secret(text, "folded text")
