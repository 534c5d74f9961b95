"""The table of Status changes (§9, §14, §16): from, to, by whom, for which kind. The only place that knows it."""

from __future__ import annotations

from dataclasses import dataclass

from core.authority import Role
from core.items import MemoryItem
from core.vocabulary import Kind, Status


@dataclass(frozen=True, slots=True)
class Transition:
    """One row: who (`roles`) may change what kinds (`kinds`) of item from `source` to `target`, by which `command`.

    `needs_successor` is True where the live row has to be known.
    """

    source: Status
    target: Status
    roles: frozenset[Role]
    kinds: frozenset[Kind]
    command: str
    needs_successor: bool = False


TABLE: tuple[Transition, ...] = ()


def refusal(
    item: MemoryItem, to: Status, role: Role, *, successor: str | None = None, command: str | None = None
) -> str | None:
    """Why `role` may not set `item` to `to`, and who may, as a sentence; None where it may."""
    return "The table of Status changes is not there yet."


def allowed(item: MemoryItem, role: Role) -> tuple[Status, ...]:
    """The Status values that `role` may set `item` to, in the vocabulary's order."""
    return tuple(status for status in Status if refusal(item, status, role) is None)
