"""The table of Status changes (§9, §14, §16): from, to, by whom, for which kind. The only place that knows it."""

from __future__ import annotations

from dataclasses import dataclass

from core.authority import Role
from core.items import MemoryItem
from core.vocabulary import Kind, Status


@dataclass(frozen=True, slots=True)
class Transition:
    """One row: who (`roles`) may change which `kinds` of item from `source` to `target`, by which `command`.

    `needs_successor` is True where the row that replaces the item has to be known.
    """

    source: Status
    target: Status
    roles: frozenset[Role]
    kinds: frozenset[Kind]
    command: str
    needs_successor: bool = False


_PEOPLE = frozenset({Role.HUMAN, Role.OWNER})
_DREAM = frozenset({Role.AUTODREAM})
_STATE = frozenset({Kind.STATE})
_KNOWLEDGE = frozenset({Kind.KNOWLEDGE})
_ANY = _STATE | _KNOWLEDGE
_ACTIVE, _SUPERSEDED, _STALE, _PENDING = Status.ACTIVE, Status.SUPERSEDED, Status.STALE, Status.PENDING_CLEANUP

TABLE: tuple[Transition, ...] = (
    Transition(_ACTIVE, _SUPERSEDED, _PEOPLE | _DREAM, _STATE, "supersede", needs_successor=True),
    Transition(_ACTIVE, _PENDING, _DREAM, _KNOWLEDGE, "pend"),
    Transition(_ACTIVE, _PENDING, _PEOPLE, _ANY, "pend"),
    Transition(_ACTIVE, _STALE, _PEOPLE, _ANY, "stale"),
    Transition(_PENDING, _SUPERSEDED, _PEOPLE | _DREAM, _STATE, "clear", needs_successor=True),
    Transition(_PENDING, _ACTIVE, _PEOPLE, _ANY, "clear"),
    Transition(_PENDING, _STALE, _PEOPLE, _ANY, "stale"),
    Transition(_STALE, _ACTIVE, _PEOPLE, _ANY, "clear"),
    Transition(_STALE, _SUPERSEDED, _PEOPLE, _STATE, "reconcile", needs_successor=True),
    Transition(_STALE, _PENDING, _PEOPLE, _ANY, "reconcile"),
    Transition(_SUPERSEDED, _ACTIVE, _PEOPLE, _ANY, "reconcile"),
    Transition(_SUPERSEDED, _PENDING, _PEOPLE, _ANY, "reconcile"),
)
"""What may change, in the order in which the commands stand. An undo takes back what the same role may do."""

_SETTLING = frozenset({"reconcile"})
"""Commands whose rows count only where they are named: they settle a conflict, and are no change by themselves."""

_NAMES = {Role.AUTODREAM: "autodream", Role.HUMAN: "a human", Role.OWNER: "an owner"}


def refusal(
    item: MemoryItem, to: Status, role: Role, *, successor: str | None = None, command: str | None = None
) -> str | None:
    """Why `role` may not set `item` to `to`, and who may, as a sentence; None where it may.

    `successor` is the id of the row that replaces the item, where it is known beside the item's own `superseded_by`.
    `command` is `reconcile` or `undo` where the change is part of settling a conflict or of taking an event back.
    """
    if item.kind is None:
        return "It does not say whether it is state or knowledge; repair it first."
    if item.status is None:
        return f"Its Status “{item.status_text}” is no token of the protocol; repair it first."
    if item.status is to:
        return f"It is {to} already."
    rows = [row for row in _rows(item.status, to, command) if item.kind in row.kinds]
    if not rows:
        return _impossible(item, to)
    mine = [row for row in rows if role in row.roles]
    if not mine:
        return f"{_who(role)} may not set {item.kind} from {item.status} to {to}; {_may(rows)} may."
    if all(row.needs_successor for row in mine) and not (successor or item.superseded_by):
        return "Its successor is not known, so nothing supersedes it."
    return None


def allowed(item: MemoryItem, role: Role) -> tuple[Status, ...]:
    """The Status values that `role` may set `item` to, in the vocabulary's order."""
    return tuple(status for status in Status if refusal(item, status, role) is None)


def _rows(source: Status, target: Status, command: str | None) -> list[Transition]:
    if command == "undo":
        # What an undo restores is the other way round.
        return [
            Transition(target, source, row.roles, row.kinds, "undo")
            for row in TABLE
            if (row.source, row.target) == (target, source)
        ]
    return [
        row
        for row in TABLE
        if (row.source, row.target) == (source, target) and (row.command not in _SETTLING or row.command == command)
    ]


def _impossible(item: MemoryItem, to: Status) -> str:
    if item.status is Status.SUPERSEDED:
        return "It is superseded, and kept as history; undo the supersede, or reconcile it with the live row."
    if to is Status.SUPERSEDED and item.kind is Kind.KNOWLEDGE:
        return "Knowledge is never superseded; it may be marked pending-cleanup, merged or cooled."
    return f"Nothing changes {item.kind} from {item.status} to {to} by itself; reconcile it with what contradicts it."


def _who(role: Role) -> str:
    names = {Role.AGENT: "An agent", Role.SCHEDULER: "A scheduler"} | _NAMES
    name = names[role]
    return name[0].upper() + name[1:]


def _may(rows: list[Transition]) -> str:
    roles = {role for row in rows for role in row.roles}
    return " or ".join(name for role, name in _NAMES.items() if role in roles)
