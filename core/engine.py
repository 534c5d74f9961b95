"""The one door to writing: every mutation of every front end is planned and committed here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

from core.apply import apply
from core.authority import AUTHORITY, Actor, Role, human_only, who_may
from core.changes import AppendEvent, ChangeSet
from core.commands import COMMANDS
from core.commands.draft import Context, Draft
from core.errors import NeedsHuman, NotAuthorised, PlanChanged
from core.events import Decision, Event
from core.ids import EVENT, Allocator
from core.navigation import keep_index
from core.plan import Plan, Receipt
from core.reading import Reading
from core.recording import RECORDED, masked_event, record_items
from core.requests import Request
from core.snapshot import Snapshot
from core.store import Store

STAMP_HOLDS = timedelta(minutes=10)
"""How long the moment shown in a preview may stand as the moment of the commit."""


class Engine:
    """Plans and commits on one store.

    `clock` gives the current moment with a time zone; it is read once a plan, and once under the lock at commit.
    """

    def __init__(self, store: Store, *, clock: Callable[[], datetime]) -> None:
        self.store = store
        self._clock = clock
        self._last: Reading | None = None

    def reading(self) -> Reading:
        """The root as it is now, with the answers of the rules. Never raises for bad data; records nothing."""
        return self._read(self.store.snapshot())

    def plan(self, request: Request, actor: Actor, reading: Reading | None = None) -> Plan:
        """What `request` by `actor` would do, with the preview of every file; nothing is written.

        Items of a bulk request that cannot be changed are in `Plan.refusals`. Raises `Refused` where nothing is left
        to do, `NotAuthorised` where the actor may never do this, `ItemNotFound`, `WriteRefused`.
        """
        reading = reading or self.reading()
        plan = self._plan(request, actor, reading, self._moment(reading.snapshot))
        return replace(plan, previews=tuple(self.store.preview(plan.changes, reading.snapshot)))

    def decide(self, plan: Plan, actor: Actor) -> Decision:
        """The decision of `actor` for the plan that was shown to them. Front ends call it from a confirmation only.

        Raises `NotAuthorised` where the actor is no human.
        """
        if not actor.is_human:
            raise NotAuthorised(f"{actor} is no human; a decision is a human's.", remedy="Ask one.")
        return Decision(str(actor), self._moment(None).isoformat(timespec="seconds"), plan.digest)

    def commit(self, plan: Plan, decision: Decision | None = None) -> Receipt:
        """Carry the plan out under the writer lock, after checking again what it rests on.

        Raises `NeedsHuman` where the plan is human-only and `decision` is missing or of another plan; `PlanChanged`
        (with the plan made anew) where what it rests on changed; `RootBusy`, `WriteRefused`, `StrangerConflict`.
        """
        decided = decision is not None and (decision.plan, decision.by) == (plan.digest, str(plan.actor))
        if plan.human_only and not decided:
            raise NeedsHuman(
                f"{plan.title}: this needs a human's decision on the plan as shown.",
                remedy="Confirm it in the console, or on a terminal.",
            )
        with self.store.writer(str(plan.actor)) as writer:
            snapshot = writer.snapshot
            moment = self._stamp(plan, snapshot)
            fresh = self._plan(plan.request, plan.actor, self._read(snapshot), moment)
            if fresh.digest != plan.digest:
                fresh = replace(fresh, previews=tuple(self.store.preview(fresh.changes, snapshot)))
                raise PlanChanged(
                    "What this plan rests on was changed by somebody else; nothing was written.",
                    plan=fresh,
                    remedy="Look at the plan as it is now, and decide again.",
                )
            files = tuple(writer.apply(fresh.changes))
        event = fresh.changes.event
        return Receipt(event.id, fresh.done or event.summary, files, fresh.undo, fresh.refusals)

    def _read(self, snapshot: Snapshot) -> Reading:
        self._last = Reading(snapshot, today=self._moment(snapshot).date().isoformat(), prior=self._last)
        return self._last

    def _moment(self, snapshot: Snapshot | None) -> datetime:
        zone = _zone(snapshot.binding.timezone) if snapshot is not None else UTC
        return self._clock().astimezone(zone).replace(microsecond=0)

    def _stamp(self, plan: Plan, snapshot: Snapshot) -> datetime:
        """The moment of the commit: the one the preview showed while that is still true enough, else now."""
        now = self._moment(snapshot)
        later = any(event.at > plan.moment.isoformat(timespec="seconds") for event in snapshot.events[-1:])
        holds = timedelta(0) <= now - plan.moment < STAMP_HOLDS and now.date() == plan.moment.date()
        return plan.moment if holds and not later else now

    def _plan(self, request: Request, actor: Actor, reading: Reading, moment: datetime) -> Plan:
        command, draw_up = COMMANDS[type(request)]
        _authorise(command, actor, reading.snapshot)
        snapshot = reading.snapshot
        ids = Allocator(snapshot.reserved_ids)
        context = Context(reading, actor, moment, ids)
        draft = draw_up(request, context)
        reads = {line.key: item.digest for line in draft.lines if (item := snapshot.by_key.get(line.key))}
        reads.update(draft.reads)
        digest = _digest(request, actor, draft, reads, context)
        needs_human = human_only(command) or draft.human_only
        changes = _with_event(draft, command, needs_human, digest, context)
        return Plan(
            request=request,
            actor=actor,
            title=draft.title,
            verb=draft.verb,
            tier=draft.tier,
            decides=draft.decides or _decides(actor, snapshot),
            lines=draft.lines,
            refusals=draft.refusals,
            changes=changes,
            reads=reads,
            digest=digest,
            undo=draft.undo,
            moment=moment,
            warnings=draft.warnings,
            phrase=draft.phrase,
            human_only=needs_human,
            done=draft.done,
        )


def _authorise(command: str, actor: Actor, snapshot: Snapshot) -> None:
    if actor.role not in AUTHORITY[command] and not (actor.role is Role.HUMAN and Role.OWNER in AUTHORITY[command]):
        raise NotAuthorised(f"{actor} may not {command}.", remedy=f"Who may: {who_may(command)}.")
    if actor.role is Role.OWNER and all(owner.name != actor.name for owner in snapshot.binding.owners):
        raise NotAuthorised(f"{actor} is no owner of this root.", where=snapshot.root)
    if actor.role is Role.OWNER and snapshot.binding.owners_state == "unconfirmed":
        raise NotAuthorised(
            "The owners of this root were never confirmed on this machine.",
            where=snapshot.root,
            remedy="Confirm them first: `assay owner confirm`.",
        )


def _decides(actor: Actor, snapshot: Snapshot) -> str:
    owner = next((owner for owner in snapshot.binding.owners if owner.name == actor.name), None)
    if actor.role is Role.OWNER and owner is not None:
        return f"{owner.name}, owner of {', '.join(owner.scopes)}"
    return str(actor)


def _with_event(draft: Draft, command: str, needs_human: bool, digest: str, context: Context) -> ChangeSet:
    reading = context.reading
    domain = ChangeSet(draft.changes)
    items, unnamed = record_items(reading.snapshot, domain)
    corrected = [change.id for change in items if change.corrections]
    summary = draft.summary
    if corrected:
        summary += f"{RECORDED}{', '.join(corrected)}"
    event = Event(
        id=context.ids.fresh(EVENT, context.today),
        type=draft.event_type,
        at=context.now,
        actor=str(context.actor),
        summary=summary,
        items=items,
        control=draft.control,
        undoes=draft.undoes,
        decision=Decision(str(context.actor), context.now, digest) if needs_human else None,
        command=command,
        detail={**draft.detail, **({"moved": unnamed} if unnamed else {})},
    )
    recorded = ChangeSet((*draft.changes, AppendEvent(masked_event(event))))
    after = apply(reading.snapshot, recorded)
    influence = Reading(after, today="", prior=reading).influence
    index = keep_index(reading.snapshot, reading.influence, after, influence, recorded)
    return ChangeSet((*recorded.changes, index))


def _digest(request: Request, actor: Actor, draft: Draft, reads: Mapping[str, str], context: Context) -> str:
    """Identifies a plan's effect: the same for the same effect, whatever the clock says and the fresh ids are."""
    meaning = (str(actor), type(request).__name__, request, draft.changes, draft.lines, draft.control, dict(reads))
    text = json.dumps(_canonical(meaning), ensure_ascii=False)
    for number, issued in enumerate(context.ids.issued):
        text = text.replace(issued, f"<new-{number}>")
    text = text.replace(context.now, "<now>").replace(context.today, "<today>")
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: _canonical(getattr(value, field.name)) for field in fields(value) if field.compare}
        return [type(value).__name__, named]
    if isinstance(value, Mapping):
        return {str(key): _canonical(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, frozenset | set):
        return sorted(str(part) for part in value)
    if isinstance(value, tuple | list):
        return [_canonical(part) for part in value]
    return value if value is None or isinstance(value, bool | int) else str(value)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC
