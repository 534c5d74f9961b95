"""Non-destructive supersede of `state` rows (§14.2): its four constraints, near-equal subjects, the live row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.items import MemoryItem
from core.snapshot import Snapshot

if TYPE_CHECKING:
    from core.influence import Influence


def refusal(
    prior: MemoryItem, successor: MemoryItem, *, rows_of_subject: Sequence[MemoryItem], human: bool = False
) -> str | None:
    """Why `successor` may not supersede `prior`, as a sentence; None where it may."""
    return "Supersede is not there yet."


def near_subjects(snapshot: Snapshot, influence: Influence | None = None) -> tuple[tuple[str, ...], ...]:
    """Groups of subjects that differ but nearly equal, for a human to judge; never linked."""
    return ()


def live_row(snapshot: Snapshot, id: str, influence: Influence | None = None) -> MemoryItem | None:
    """The live row at the end of `id`'s superseded_by chain; None where the chain breaks, cycles or is ambiguous."""
    return None
