"""withdraw, reinstate, settle: control events over a bounded scope (§12.2)."""

from __future__ import annotations

from collections.abc import Sequence

from core.apply import apply
from core.authority import Role, Tier
from core.changes import AppendEvent, Change, ChangeSet, HoldItem, ReleaseItem, SetFields
from core.commands.draft import Context, Draft, no_secret
from core.commands.succession import supersede_detail
from core.controls import ControlRecord, Scope
from core.eligibility import Influence
from core.errors import ItemNotFound, NotAuthorised, Refused, RivalRows
from core.events import Event, FieldChange
from core.ids import WITHDRAWAL
from core.influence import resolve_influence
from core.items import FieldValue, MemoryItem
from core.navigation import head_action
from core.ownership import owners_of, owns
from core.places import FACTS_SECTION, held_file
from core.plan import PlanLine
from core.requests import Reinstate, Settle, Withdraw
from core.snapshot import Snapshot
from core.vocabulary import ControlAction, ControlEffect, ControlState, EventType, Kind, Status

NO_UNDO = "Not undone with undo: only a reinstatement brings the scope back."
UNDO_BY_WITHDRAWING = "Not undone with undo: only another withdrawal takes the scope out again."
HOME_OF_THE_LOST = "topics/reinstated.md"


def draft_withdraw(request: Withdraw, context: Context) -> Draft:
    """Exclude a bounded scope from influence; its text moves to `withdrawn/`, nothing is called false."""
    scope = request.scope
    _require_bounded(scope, context)
    decides = require_owner(scope, context)
    chain = context.reading.influence.chain(scope)
    if chain is not None and not chain.unresolved and head_action(chain) == ControlAction.WITHDRAW:
        raise Refused(
            f"This scope is withdrawn already, by {chain.head}.", where=str(scope), remedy="Reinstate it, or leave it."
        )
    return _withdraw(scope, request.reason, chain.heads if chain is not None else (), decides, context, "Withdraw")


def draft_reinstate(request: Reinstate, context: Context) -> Draft:
    """Lift the withdrawal gate of one controlling withdrawal, for exactly its scope."""
    view = next(
        (view for view in context.reading.influence.controls if view.record.withdrawal_id == request.withdrawal_id),
        None,
    )
    if view is None:
        raise ItemNotFound(f"No control record {request.withdrawal_id}.", where=request.withdrawal_id)
    decides = require_owner(view.record.scope, context)
    if view.state is ControlState.UNRESOLVED:
        raise Refused(
            f"{request.withdrawal_id} is unresolved: {view.reason}",
            where=request.withdrawal_id,
            remedy="Settle its scope: say which event stands.",
        )
    if view.state is not ControlState.CONTROLS or view.record.action != ControlAction.WITHDRAW:
        raise Refused(
            f"{request.withdrawal_id} is no controlling withdrawal: {view.state}.",
            where=request.withdrawal_id,
            remedy="`assay withdrawals` shows which event controls the scope.",
        )
    return _reinstate(
        view.record.scope, request.reason, (request.withdrawal_id,), request.rivals, decides, context, "Reinstate"
    )


def draft_settle(request: Settle, context: Context) -> Draft:
    """Settle control events that have no single causal order: a new event supersedes all of them."""
    chain = next(
        (
            chain
            for chain in context.reading.influence.chains
            if any(view.record.withdrawal_id == request.withdrawal_id for view in chain.views)
        ),
        None,
    )
    if chain is None:
        raise ItemNotFound(f"No control record {request.withdrawal_id}.", where=request.withdrawal_id)
    if not chain.unresolved:
        raise Refused(f"The events of {chain.scope} are in order; there is nothing to settle.", where=str(chain.scope))
    if chain.scope.empty:
        raise Refused("The record bounds no scope, so no event can settle it.", where=request.withdrawal_id)
    decides = require_owner(chain.scope, context)
    heads = chain.heads
    if request.action == ControlAction.WITHDRAW:
        return _withdraw(chain.scope, request.reason, heads, decides, context, "Settle as withdrawn")
    if request.action == ControlAction.REINSTATE and not chain.reinstatable:
        raise Refused(
            "No reinstatement can rest on these events: one of them cannot be read, or contradicts itself.",
            where=request.withdrawal_id,
            remedy="Settle as withdraw first; that event can then be reinstated.",
        )
    if request.action == ControlAction.REINSTATE:
        return _reinstate(chain.scope, request.reason, heads, request.rivals, decides, context, "Settle as reinstated")
    raise Refused(f"{request.action} is no action.", remedy="Settle as withdraw or reinstate.")


def require_owner(scope: Scope, context: Context) -> str:
    """Who decides, as `ana, owner of *`. Raises `NotAuthorised` where the actor does not own the scope."""
    snapshot, actor = context.reading.snapshot, context.actor
    binding = snapshot.binding
    if not binding.owners:
        raise NotAuthorised(
            "This root has no owner yet, and only an owner may do this.",
            where=snapshot.root,
            remedy="Name one first: `assay owner add NAME`.",
        )
    owner = next((owner for owner in binding.owners if owner.name == actor.name), None)
    if actor.role is Role.OWNER and owner is not None and owns(binding, owner, snapshot, scope):
        return f"{owner.name}, owner of {', '.join(owner.scopes)}"
    if binding.owners_state == "unconfirmed":
        raise NotAuthorised(
            "The owners of this root were never confirmed on this machine.",
            where=snapshot.root,
            remedy="Confirm them first: `assay owner confirm`.",
        )
    may = ", ".join(owner.name for owner in owners_of(binding, snapshot, scope)) or "nobody here"
    raise NotAuthorised(f"{actor} does not own {scope}.", where=str(scope), remedy=f"Who may: {may}.")


def _require_bounded(scope: Scope, context: Context) -> None:
    if scope.empty:
        raise Refused("A withdrawal names at least one item, archive segment, source or run.")
    snapshot = context.reading.snapshot
    archived = {copy.id for day in snapshot.archive for copy in day.copies}
    unknown = [
        item_id
        for item_id in sorted(scope.memory_item_ids)
        if item_id not in snapshot.by_id and item_id not in archived
    ]
    days = {day.file: day for day in snapshot.archive}
    for ref in sorted(scope.archive_refs):
        file, _, anchor = ref.partition("#")
        if file not in days or (anchor and anchor not in days[file].anchors):
            unknown.append(ref)
    if unknown:
        raise ItemNotFound(
            f"Nothing in this memory bears {', '.join(unknown)}.",
            where=unknown[0],
            remedy="What never entered memory needs no withdrawal (§12.2).",
        )


def _record(
    action: ControlAction, scope: Scope, reason: str, supersedes: tuple[str, ...], context: Context
) -> ControlRecord:
    effect = ControlEffect.EXCLUDE if action is ControlAction.WITHDRAW else ControlEffect.RESTORE
    return ControlRecord(
        withdrawal_id=context.ids.fresh(WITHDRAWAL, context.today),
        action=action.value,
        scope=scope,
        reason=reason,
        decided_by=str(context.actor),
        decided_at=context.now,
        effect=effect.value,
        supersedes=supersedes,
    )


def _content_minimal(record: ControlRecord, influence: Influence) -> None:
    """The record names what it is about, and never says it again (§12.2)."""
    no_secret(record.reason, "reason")
    for _, selector in record.scope.selectors():
        no_secret(selector, "scope")
    if influence.restates(record.reason):
        raise Refused(
            "The reason says again what is withdrawn.", where=str(record.scope), remedy="Say why, in a word or two."
        )


def _after(record: ControlRecord, changes: Sequence[Change], snapshot: Snapshot) -> tuple[Snapshot, Influence]:
    event = Event("", record.action, record.decided_at, record.decided_by, "", control=record)
    after = apply(snapshot, ChangeSet((*changes, AppendEvent(event))))
    return after, resolve_influence(after)


def _withdraw(
    scope: Scope, reason: str, supersedes: tuple[str, ...], decides: str, context: Context, verb: str
) -> Draft:
    snapshot = context.reading.snapshot
    record = _record(ControlAction.WITHDRAW, scope, reason, supersedes, context)
    _, influence = _after(record, (), snapshot)
    _content_minimal(record, influence)
    covered = next(
        (view.excludes for view in influence.controls if view.record.withdrawal_id == record.withdrawal_id), ()
    )
    excluded = [snapshot.by_key[key] for key in covered if key in snapshot.by_key]
    moving = [item for item in excluded if not item.held]
    changes: list[Change] = [HoldItem(item.key, record.withdrawal_id) for item in moving]
    warnings = [
        f"{item.place.file} is not written ({state.unwritable}); its text stays there, excluded all the same."
        for item in moving
        if (state := snapshot.files.get(item.place.file)) is not None and state.unwritable
    ]
    held = held_file(record.withdrawal_id)
    lines = [
        PlanLine(item.key, item.id, f"{_why_too(item, scope)}{item.place.file} → {held}", item.text)
        for item in excluded
    ]
    title = f"{verb} {scope}: {_counted(excluded, scope, 'excluded')}"
    return Draft(
        title=title,
        verb=verb,
        tier=Tier.PLAN,
        event_type=EventType.WITHDRAW.value,
        summary=record.withdrawal_id,
        changes=tuple(changes),
        lines=tuple(lines),
        warnings=(*warnings, "Withdrawal says nothing about truth, undoes no code, and erases no bytes."),
        undo=NO_UNDO,
        decides=decides,
        control=record,
        reads=_control_reads(scope, context),
        human_only=True,
        done=title,
    )


def _counted(items: Sequence[MemoryItem], scope: Scope, what: str) -> str:
    """How many items a control event reaches: those that it names, and apart those that rest on them (§12.2)."""
    named = sum(item.id in scope.memory_item_ids for item in items)
    more = len(items) - named
    count = f"{len(items)} item{'' if len(items) == 1 else 's'} {what}"
    if not more or not scope.memory_item_ids:
        return count
    them = "it" if len(scope.selectors()) == 1 else "them"
    return f"{count} ({named} named, {more} more rest{'s' if more == 1 else ''} on {them})"


def _why_too(item: MemoryItem, scope: Scope) -> str:
    """What a plan says first of an item that the scope does not name by its id, where it names others."""
    return "rests on what is named, " if scope.memory_item_ids and item.id not in scope.memory_item_ids else ""


def _reinstate(
    scope: Scope,
    reason: str,
    supersedes: tuple[str, ...],
    rivals: str | None,
    decides: str,
    context: Context,
    verb: str,
) -> Draft:
    snapshot = context.reading.snapshot
    record = _record(ControlAction.REINSTATE, scope, reason, supersedes, context)
    _, influence = _after(record, (), snapshot)
    _content_minimal(record, context.reading.influence)
    before = context.reading.influence
    back = [item for item in snapshot.items if influence.eligible(item.key) and not before.eligible(item.key)]
    returned = {item.id for item in back if not item.held}
    releases = {item.key: _release(item, snapshot) for item in back if item.held and item.id not in returned}
    changes: list[Change] = list(releases.values())
    lines = [
        context.line(
            item,
            f"{_why_too(item, scope)}eligible again"
            + (f", back to {releases[item.key].file}" if item.key in releases else ""),
        )
        for item in back
    ]
    still = [
        item
        for item in snapshot.items
        if not influence.eligible(item.key) and item.id is not None and item.id in scope.memory_item_ids
    ]
    warnings = [
        f"{item.id} stays excluded: {', '.join(influence.verdict(item.key).by) or influence.verdict(item.key).why}."
        for item in still
    ]
    detail: dict[str, FieldValue] = {}
    for winner, loser in _rivals(back, snapshot, influence):
        if rivals is None:
            raise RivalRows(
                f"{winner.id} and {loser.id} would both be active for {winner.subject}.",
                where=winner.subject,
                remedy="Say what becomes of the older row: rivals `supersede` or `keep`.",
            )
        if rivals == "supersede":
            changes.append(
                SetFields(
                    loser.key,
                    (
                        FieldChange("Status", loser.status_text, Status.SUPERSEDED.value),
                        FieldChange("superseded_by", loser.superseded_by, str(winner.id)),
                    ),
                )
            )
            lines.append(context.line(loser, f"{loser.status_text or Status.ACTIVE} → superseded by {winner.id}"))
            detail = supersede_detail(loser, str(winner.id), winner.date or "", winner.text)
        else:
            warnings.append(f"{winner.id} and {loser.id} stay in conflict over {winner.subject}.")
    title = f"{verb} {scope}: {_counted(back, scope, 'eligible again')}"
    return Draft(
        title=title,
        verb=verb,
        tier=Tier.PLAN,
        event_type=EventType.REINSTATE.value,
        summary=record.withdrawal_id,
        changes=tuple(changes),
        lines=tuple(lines),
        warnings=(*warnings, "Status and Confidence stay what they were; nothing becomes current or true by this."),
        undo=UNDO_BY_WITHDRAWING,
        decides=decides,
        control=record,
        detail=detail,
        reads=_control_reads(scope, context),
        human_only=True,
        done=title,
    )


def _release(item: MemoryItem, snapshot: Snapshot) -> ReleaseItem:
    """Back to where the log says the item stood before it was held."""
    for event in reversed(snapshot.events):
        for change in event.items:
            place = next((step.before for step in change.fields if step.name == "place"), None)
            if change.id == item.id and isinstance(place, str) and not place.startswith("withdrawn/"):
                file, _, section = place.partition("#")
                return ReleaseItem(item.key, file, section or None)
    return ReleaseItem(item.key, HOME_OF_THE_LOST, FACTS_SECTION)


def _rivals(
    back: Sequence[MemoryItem], snapshot: Snapshot, influence: Influence
) -> list[tuple[MemoryItem, MemoryItem]]:
    """`(newer, older)` rows of one subject that would both be active, one of them coming back."""
    pairs = []
    coming = {item.key for item in back}
    for item in back:
        if item.kind is not Kind.STATE or item.status is not Status.ACTIVE or not item.subject:
            continue
        for other in snapshot.items:
            rival = (
                other.key not in coming
                and other.kind is Kind.STATE
                and other.status is Status.ACTIVE
                and other.subject == item.subject
                and influence.eligible(other.key)
            )
            if rival and item.date != other.date:
                newer, older = sorted((item, other), key=lambda row: row.date or "", reverse=True)
                pairs.append((newer, older))
    return pairs


def _control_reads(scope: Scope, context: Context) -> dict[str, str]:
    """What the plan rests on beside its items: the control events of the same scope, and the owners."""
    records = [record for record in context.reading.snapshot.controls if record.scope == scope]
    owners = context.reading.snapshot.binding.owners
    return {
        "controls": repr(sorted((record.withdrawal_id, record.action, record.supersedes) for record in records)),
        "owners": repr(owners),
    }
