"""What stands around an item: the rows before and after it, and what refers to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.items import MemoryItem
from core.snapshot import Snapshot
from core.sources import parse_source


class Reference(NamedTuple):
    """One thing that names an item: its `id` (a proposal, a control record, an item's key), how, and where."""

    id: str
    how: str
    place: str


def chain_of(snapshot: Snapshot, item: MemoryItem) -> tuple[MemoryItem, ...]:
    """The rows of the item's `superseded_by` chain, oldest first, the item among them. Ends in a cycle, too."""
    seen = {item.key}
    before: list[MemoryItem] = []
    layer = [item]
    while layer:
        ids = {row.id for row in layer if row.id is not None}
        layer = [row for row in snapshot.items if row.superseded_by in ids and row.key not in seen]
        seen.update(row.key for row in layer)
        before = [*layer, *before]
    after: list[MemoryItem] = []
    current = item
    while current.superseded_by is not None:
        following = next((row for row in snapshot.by_id.get(current.superseded_by, ()) if row.key not in seen), None)
        if following is None:
            break
        seen.add(following.key)
        after.append(following)
        current = following
    return (*before, item, *after)


def references_to(snapshot: Snapshot, id: str) -> Iterator[Reference]:
    """Everything in the root that names `id`: items, the index, proposals, control records, in that order."""
    for item in snapshot.items:
        for how in _named_in(item, id):
            yield Reference(item.key, how, str(item.place))
    index = snapshot.index
    for name, lines in (("Pending Cleanup", index.pending), ("Withdrawn", index.withdrawn)):
        for line in lines:
            if line.target == id:
                yield Reference("index.md", name, f"index.md:{line.line}")
    for proposal in snapshot.proposals:
        if id in proposal.supporting_refs:
            yield Reference(proposal.proposal_id, "supporting_refs", str(proposal.place))
    for record in snapshot.controls:
        if id in record.scope.memory_item_ids:
            yield Reference(record.withdrawal_id, record.action, str(record.places[0]) if record.places else "")


def _named_in(item: MemoryItem, id: str) -> Iterator[str]:
    if item.superseded_by == id:
        yield "superseded_by"
    if item.merged_into == id:
        yield "merged_into"
    if id in item.conflicts_with:
        yield "conflicts_with"
    if id in item.corroborating_refs:
        yield "corroborating_refs"
    if item.source and id in item.source and any(ref.text == id for ref in parse_source(item.source)):
        yield "Source"
