"""Retrieval (§15): controls first, metadata before text, the newer state row by subject, and the Reconcile block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.conflicts import Conflict
from core.influence import Influence
from core.items import MemoryItem
from core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Served:
    """One item served: its key, whether as `current` or as `history`, and why it weighs less ('' where it does not)."""

    item: str
    framing: Literal["current", "history"]
    weight_note: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retrieval serves, best first; `total` before the limit; the conflicts to surface before acting."""

    served: tuple[Served, ...]
    total: int
    conflicts: tuple[Conflict, ...]


def retrieve(
    snapshot: Snapshot, influence: Influence, query: str | None, topic: str | None = None, limit: int | None = None
) -> Retrieved:
    """Ordered candidates for `query` (None: all) within `topic` (None: all)."""
    return Retrieved((), 0, ())


def reconcile_block(rows: Sequence[MemoryItem]) -> str:
    """The Reconcile block of §15.2.1 for conflicting `rows`: all of them visible and dated, oldest first."""
    return ""
