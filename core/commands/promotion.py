"""propose, approve, reject: from memory to a standing rule, by a recorded decision alone (§17, §23.5)."""

from __future__ import annotations

from dataclasses import replace

from core.authority import Tier
from core.changes import AddRule, Change, PutProposal, SetFields
from core.commands.draft import Context, Draft, no_secret
from core.commands.withdrawal import require_owner
from core.errors import ItemNotFound, NotAuthorised, Refused
from core.events import FieldChange
from core.ids import PROPOSAL
from core.items import MemoryItem, Place
from core.places import PROPOSALS_FOLDER
from core.plan import PlanLine
from core.promotion import Support, deciders, deciding_scope, out_of_reach, rule_target, supports
from core.requests import Approve, Propose, Reject
from core.snapshot import Proposal
from core.texts import fold_text
from core.vocabulary import EventType

PENDING = "pending-review"
APPROVED = "approved"
REJECTED = "rejected"
RULES_SECTION = "Rules"


def draft_propose(request: Propose, context: Context) -> Draft:
    """Put a proposal on file for review. Repeated evidence makes it eligible; it authorises nothing."""
    values = {
        "target": request.target,
        "proposed_change": request.proposed_change,
        "expected_benefit": request.expected_benefit,
        "risk": request.risk,
    }
    for name, value in values.items():
        if not value.strip() or "\n" in value or "\r" in value:
            raise Refused(
                f"{name} is one line of text, and not empty.", remedy="A proposal says what, why and at what risk."
            )
        no_secret(value, name)
    refs = tuple(dict.fromkeys(ref.strip() for ref in request.supporting_refs if ref.strip()))
    if not refs:
        raise Refused("A proposal cites at least one supporting reference (§23.5).")
    proposal_id = context.ids.fresh(PROPOSAL, context.today)
    proposal = Proposal(
        proposal_id=proposal_id,
        supporting_refs=refs,
        status=PENDING,
        place=Place(f"{PROPOSALS_FOLDER}/{proposal_id}.md", 1),
        **{name: value.strip() for name, value in values.items()},
    )
    return Draft(
        title=f"Propose {proposal_id} for {proposal.target}",
        verb="Propose",
        tier=Tier.FREE if not context.actor.is_human else Tier.PLAN,
        event_type=EventType.PROPOSE.value,
        summary=f"{proposal_id} for {proposal.target}",
        changes=(PutProposal(proposal),),
        lines=(PlanLine(proposal_id, proposal_id, f"→ {PENDING}", proposal.proposed_change),),
        undo="Not undone with undo: reject it.",
    )


def draft_approve(request: Approve, context: Context) -> Draft:
    """Record the owner's decision, then write the rule to its target as the executor of that decision."""
    proposal = _pending(request.proposal_id, context)
    snapshot = context.reading.snapshot
    found = supports(proposal, snapshot, context.reading.influence)
    decides = _require_owner(found, context)
    withdrawn = [support for support in found if support.withdrawn]
    if withdrawn:
        raise Refused(
            f"It rests on what is withdrawn: {', '.join(support.ref for support in withdrawn)}.",
            where=proposal.proposal_id,
            remedy="Reinstate that first, or reject the proposal.",
        )
    text = (request.text if request.text is not None else proposal.proposed_change).strip()
    if not text or "\n" in text or "\r" in text:
        raise Refused("A rule is one line of text, and not empty.", where=proposal.proposal_id)
    no_secret(text, "rule")
    file = rule_target(proposal.target, snapshot.binding)
    if file is None:
        raise Refused(
            f"{proposal.target} names no file that a rule may be written to.",
            where=proposal.proposal_id,
            remedy="A target is conventions, or a steering file named under hot_entries in assay.toml.",
        )
    barred = out_of_reach(file, snapshot.binding)
    if barred is not None:
        raise Refused(barred[0], where=proposal.proposal_id, remedy=barred[1])
    state = snapshot.files.get(file)
    if state is not None and state.unwritable:
        raise Refused(f"{file} is not written: {state.unwritable}", where=file)
    decision = [("decided_by", str(context.actor)), ("decided_at", context.now)]
    if text != proposal.proposed_change:
        decision.append(("approved_text", text))
    items = [support.item for support in found if support.item is not None]
    pointed = {
        item.key: item
        for item in [*items, *_duplicate_wording(text, context)]
        if item.promoted_to != file and item.id is not None and context.unchangeable(item) is None
    }
    changes: list[Change] = [
        PutProposal(replace(proposal, status=APPROVED), tuple(decision)),
        rule_of(proposal, file, text),
        *(SetFields(item.key, (FieldChange("promoted_to", item.promoted_to, file),)) for item in pointed.values()),
    ]
    lines = [
        PlanLine(proposal.proposal_id, proposal.proposal_id, f"{PENDING} → {APPROVED}; a rule of {file}", text),
        *(context.line(item, f"promoted_to {file}") for item in pointed.values()),
    ]
    warnings = [f"{support.ref} does not resolve: {support.reason}" for support in found if not support.found]
    if len([support for support in found if support.found]) < 2:
        warnings.append("One incident is no stable rule: fewer than two of its references resolve (§17).")
    return Draft(
        title=f"Approve {proposal.proposal_id}: a standing rule of {file}",
        verb="Approve",
        tier=Tier.PLAN,
        event_type=EventType.PROMOTE.value,
        summary=f"{proposal.proposal_id} approved, written to {file}",
        changes=tuple(changes),
        lines=tuple(lines),
        warnings=tuple(warnings),
        undo=f"Not undone with undo: change {file} by another decision.",
        decides=decides,
        reads={
            "proposal": repr(proposal),
            "target": "" if state is None else state.digest,
            **{support.ref: support.digest for support in found},
        },
    )


def draft_reject(request: Reject, context: Context) -> Draft:
    """Reject a proposal; it stays on file with the reason."""
    proposal = _pending(request.proposal_id, context)
    if not request.reason.strip() or "\n" in request.reason:
        raise Refused("A rejection gives a reason, in one line.", where=proposal.proposal_id)
    found = supports(proposal, context.reading.snapshot, context.reading.influence)
    decides = _require_owner(found, context)
    decision = (
        ("decided_by", str(context.actor)),
        ("decided_at", context.now),
        ("reason", request.reason.strip()),
    )
    return Draft(
        title=f"Reject {proposal.proposal_id}",
        verb="Reject",
        tier=Tier.PLAN,
        event_type=EventType.REVIEW.value,
        summary=f"{proposal.proposal_id} rejected: {request.reason.strip()}",
        changes=(PutProposal(replace(proposal, status=REJECTED), decision),),
        lines=(
            PlanLine(proposal.proposal_id, proposal.proposal_id, f"{PENDING} → {REJECTED}", proposal.proposed_change),
        ),
        undo="Not undone with undo: propose it again.",
        decides=decides,
        reads={"proposal": repr(proposal)},
    )


def _pending(proposal_id: str, context: Context) -> Proposal:
    found = [one for one in context.reading.snapshot.proposals if one.proposal_id == proposal_id]
    if not found:
        raise ItemNotFound(f"No proposal {proposal_id}.", where=proposal_id, remedy="`assay proposals` lists them.")
    if len(found) > 1:
        raise Refused(f"{len(found)} files hold a proposal {proposal_id}.", where=str(found[1].place))
    if found[0].status != PENDING:
        raise Refused(
            f"{proposal_id} is {found[0].status or 'without status'}, not {PENDING}.", where=str(found[0].place)
        )
    return found[0]


def rule_of(proposal: Proposal, file: str, text: str | None = None) -> AddRule:
    """The rule that an approval writes: as proposed, or as `text` edits it."""
    return AddRule(file, RULES_SECTION, proposal.proposed_change if text is None else text, proposal.proposal_id)


def _require_owner(found: tuple[Support, ...], context: Context) -> str:
    """The owner who decides: of the items it rests on, or of everything where it rests on no item."""
    scope = deciding_scope(found)
    snapshot, actor = context.reading.snapshot, context.actor
    may = deciders(found, snapshot)
    confirmed = snapshot.binding.owners and snapshot.binding.owners_state != "unconfirmed"
    if confirmed and scope.source_or_run_refs and all(owner.name != actor.name for owner in may):
        raise NotAuthorised(
            "It rests on no item, so only an owner of * decides.",
            remedy=f"Who may: {', '.join(owner.name for owner in may) or 'nobody here'}.",
        )
    return require_owner(scope, context)


def _duplicate_wording(text: str, context: Context) -> list[MemoryItem]:
    """Items that say the same as the rule, word for word."""
    folded = fold_text(text)
    return [
        item
        for item in context.reading.snapshot.items
        if item.id is not None and not item.held and folded and fold_text(item.text) == folded
    ]
