"""reclassify, subject, cool, warm, triggers: a maintainer's hand on what autodream must not or cannot do (§14, §16)."""

from __future__ import annotations

from collections.abc import Callable

from core.authority import Role, Tier
from core.changes import MoveItem, PutTriggers, SetFields
from core.commands.draft import Context, Draft, no_secret
from core.errors import AssayError, ItemNotFound, Refused
from core.events import FieldChange
from core.items import MemoryItem
from core.places import FACTS_SECTION, HISTORICAL_SECTION
from core.plan import PlanLine, Refusal
from core.requests import Cool, Reclassify, SetSubject, SetTriggers, Warm
from core.vocabulary import EventType, Kind, Standing, Status

UNDO = "Can be undone with undo."


def draft_reclassify(request: Reclassify, context: Context) -> Draft:
    """Change the kind. A row in a chain of supersedes keeps its kind; a lesson never loses its weight unsaid."""
    item = _named(request.item, context)
    if request.kind not in set(Kind):
        raise Refused(f"{request.kind} is no kind.", where=request.item, remedy="Kinds are state and knowledge.")
    if item.kind is None:
        raise Refused("It has no kind yet; repair it.", where=str(item.place))
    if item.kind == request.kind:
        raise Refused(f"It is {item.kind} already.", where=str(item.place))
    if item.status is Status.SUPERSEDED or item.superseded_by:
        raise Refused("It is part of a chain of supersedes; its kind is what the chain rests on.", where=item.id)
    subject = request.subject or item.subject
    if request.kind == Kind.STATE and not subject:
        raise Refused(
            "A state item needs a subject.", where=item.id, remedy="Name it, or leave it knowledge (§12 rule 4)."
        )
    fields = [FieldChange("kind", item.kind_text, request.kind)]
    if request.kind == Kind.STATE and subject != item.subject:
        fields.append(FieldChange("subject", item.subject, _line(subject, "subject", item)))
    warnings: tuple[str, ...] = ()
    if request.kind == Kind.STATE:
        warnings = ("As state it can be superseded by a newer row: a lesson would lose its weight (§4).",)
    return Draft(
        title=f"Reclassify {item.id} as {request.kind}",
        verb="Reclassify",
        tier=Tier.PLAN,
        event_type=EventType.REVIEW.value,
        summary=f"{item.id} reclassified: {item.kind} → {request.kind}",
        changes=(SetFields(item.key, tuple(fields)),),
        lines=(context.line(item, f"{item.kind} → {request.kind}"),),
        warnings=warnings,
        undo=UNDO,
    )


def draft_subject(request: SetSubject, context: Context) -> Draft:
    """Give a state item another subject."""
    item = _named(request.item, context)
    if item.kind is not Kind.STATE:
        raise Refused("Only a state item has a subject.", where=str(item.place), remedy="Reclassify it first.")
    if item.superseded_by or item.status is Status.SUPERSEDED:
        raise Refused("It is part of a chain of supersedes; its subject is what the chain rests on.", where=item.id)
    subject = _line(request.subject, "subject", item)
    if subject == item.subject:
        raise Refused("That is its subject already.", where=item.id)
    return Draft(
        title=f"Set the subject of {item.id}",
        verb="Set subject",
        tier=Tier.PLAN,
        event_type=EventType.REVIEW.value,
        summary=f"{item.id}: subject {item.subject or 'none'} → {subject}",
        changes=(SetFields(item.key, (FieldChange("subject", item.subject, subject),)),),
        lines=(context.line(item, f"subject: {item.subject or 'none'} → {subject}"),),
        undo=UNDO,
    )


def draft_cool(request: Cool, context: Context) -> Draft:
    """Move knowledge further from the hot path. Nothing is deleted."""

    def refusal(item: MemoryItem) -> str | None:
        if item.kind is not Kind.KNOWLEDGE:
            return "Only knowledge cools; a state row is superseded (§14)."
        if item.standing is not Standing.TOPIC:
            return f"It stands in {item.place.file}, not among a topic's facts and lessons."
        return None

    return _move(request.items, request.reason, context, refusal, HISTORICAL_SECTION, ("Cool", EventType.COOL))


def draft_warm(request: Warm, context: Context) -> Draft:
    """Bring cooled items back."""

    def refusal(item: MemoryItem) -> str | None:
        if item.standing is not Standing.HISTORICAL:
            return "It was never cooled."
        if item.merged_into:
            return f"It was merged into {item.merged_into}; undo the merge instead."
        return None

    return _move(request.items, request.reason, context, refusal, FACTS_SECTION, ("Warm", EventType.REVIEW))


def draft_triggers(request: SetTriggers, context: Context) -> Draft:
    """Say when a topic is to be read, so that it is Warm and not Cold (§6, §8)."""
    topic = next((topic for topic in context.reading.snapshot.topics if topic.file == request.file), None)
    if topic is None:
        raise ItemNotFound(f"No topic {request.file}.", where=request.file, remedy="`assay status` lists topics.")
    triggers = tuple(dict.fromkeys(trigger.strip() for trigger in request.triggers if trigger.strip()))
    if not triggers or any("\n" in trigger or "\r" in trigger for trigger in triggers):
        raise Refused("A trigger is one line of text, and a topic needs at least one.", where=request.file)
    for trigger in triggers:
        no_secret(trigger, "trigger")
    if triggers == topic.triggers:
        raise Refused("Those are its triggers already.", where=request.file)
    shown = ", ".join(triggers)
    return Draft(
        title=f"Set the triggers of {topic.name}",
        verb="Set triggers",
        tier=Tier.PLAN,
        event_type=EventType.REVIEW.value,
        summary=f"triggers of {topic.file}: {shown}",
        changes=(PutTriggers(topic.file, triggers),),
        lines=(PlanLine(topic.file, None, f"{', '.join(topic.triggers) or 'no trigger'} → {shown}", topic.name),),
        undo="Not undone with undo: set the triggers again.",
        reads={"triggers": repr(topic.triggers)},
    )


def _named(key: str, context: Context) -> MemoryItem:
    item = context.changeable(key)
    if item.id is None:
        raise Refused("It has no id, so the log could not name it; repair it first.", where=str(item.place))
    return item


def _line(text: str | None, name: str, item: MemoryItem) -> str:
    line = (text or "").strip()
    no_secret(line, name)
    if not line or "\n" in line or "\r" in line:
        raise Refused(f"A {name} is one line of text.", where=str(item.place))
    return line


def _move(
    keys: tuple[str, ...],
    reason: str,
    context: Context,
    refusal: Callable[[MemoryItem], str | None],
    section: str,
    words: tuple[str, EventType],
) -> Draft:
    verb, event_type = words
    changes: list[MoveItem] = []
    lines: list[PlanLine] = []
    refusals: list[Refusal] = []
    first: AssayError | None = None
    for key in dict.fromkeys(keys):
        try:
            item = _named(key, context)
            why = refusal(item)
            if why is not None:
                raise Refused(why, where=item.id)
        except AssayError as error:
            first = first or error
            refusals.append(Refusal.of(key, error))
            continue
        changes.append(MoveItem(item.key, item.place.file, section))
        lines.append(context.line(item, f"{item.place.section or item.place.file} → {section}"))
    if not changes:
        raise first or Refused("No items were named.")
    count = f"{len(lines)} items" if len(lines) > 1 else "1 item"
    because = f": {reason}" if reason else ""
    free = len(lines) == 1 and context.actor.role is not Role.AUTODREAM
    return Draft(
        title=f"{verb} {count}: to {section}",
        verb=verb,
        tier=Tier.FREE if free and verb == "Cool" else Tier.PLAN,
        event_type=event_type.value,
        summary=f"{count} {'cooled' if verb == 'Cool' else 'warmed'}{because}",
        changes=tuple(changes),
        lines=tuple(lines),
        refusals=tuple(refusals),
        undo=UNDO,
    )
