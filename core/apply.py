"""What a change set means: the snapshot it turns a snapshot into. Pure; every store must agree with it."""

from __future__ import annotations

from dataclasses import replace

from core.changes import (
    AppendEvent,
    Change,
    ChangeSet,
    DeclareOwner,
    PutProposal,
    PutTriggers,
)
from core.events import LogEntry
from core.items import MemoryItem, Place
from core.places import LOG
from core.shelf import Shelf
from core.snapshot import Snapshot


def apply(snapshot: Snapshot, changes: ChangeSet) -> Snapshot:
    """The snapshot after `changes`. Keys in `changes` are those of `snapshot`; new keys are assigned afterwards.

    Pages that no change touches are shared with `snapshot`.
    """
    rest = snapshot
    for change in changes.changes:
        rest = _rest_after(rest, change)
    after = replace(rest, items=Shelf(snapshot, changes).paged(), sequence=snapshot.sequence + 1)
    after.learn(snapshot)
    return after


def changed_items(snapshot: Snapshot, changes: ChangeSet) -> list[MemoryItem]:
    """The bearers that `changes` add or change, in order, under the keys they had; an added item's key is its id."""
    return Shelf(snapshot, changes).changed()


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
