"""Who may do what: roles, the tier of a confirmation, and the table of authority (§12.2, §14, §16, §17)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Role(StrEnum):
    """Actors, set by the door that was used, never by the payload."""

    OWNER = "owner"
    HUMAN = "human"
    AGENT = "agent"
    AUTODREAM = "autodream"
    SCHEDULER = "scheduler"


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor: role and name. As text `owner:ana`, `autodream`."""

    role: Role
    name: str = ""

    def __str__(self) -> str:
        return f"{self.role}:{self.name}" if self.name else str(self.role)

    @property
    def is_human(self) -> bool:
        """True for people: owners and other humans."""
        return self.role in (Role.OWNER, Role.HUMAN)


class Tier(IntEnum):
    """What it takes to confirm an action, in the console and on the command line alike."""

    FREE = 0
    """Reversible by anyone who could do it: no question, with undo."""
    PLAN = 1
    """Human-only, owner-only or several items: the plan is shown, Cancel is focused."""
    PHRASE = 2
    """Irreversible: the plan, and a typed phrase."""


_PEOPLE = frozenset({Role.OWNER, Role.HUMAN})

AUTHORITY: dict[str, frozenset[Role]] = {
    "stale": _PEOPLE,
    "clear": _PEOPLE | {Role.AUTODREAM},
    "pend": _PEOPLE | {Role.AUTODREAM},
    "repair": _PEOPLE,
    "supersede": _PEOPLE | {Role.AUTODREAM},
    "reconcile": _PEOPLE,
    "withdraw": frozenset({Role.OWNER}),
    "reinstate": frozenset({Role.OWNER}),
    "settle": frozenset({Role.OWNER}),
    "reclassify": _PEOPLE,
    "subject": _PEOPLE,
    "cool": _PEOPLE | {Role.AUTODREAM},
    "warm": _PEOPLE,
    "merge": _PEOPLE,
    "not-duplicate": _PEOPLE,
    "triggers": _PEOPLE,
    "propose": _PEOPLE | {Role.AUTODREAM, Role.AGENT},
    "approve": frozenset({Role.OWNER}),
    "reject": frozenset({Role.OWNER}),
    "undo": _PEOPLE | {Role.AUTODREAM},
    "recover": _PEOPLE,
    "owner": _PEOPLE,
    "init": _PEOPLE,
}
"""Command -> the roles that may ever do it. Owner-only commands ask further whether the owner owns the scope."""


def human_only(command: str) -> bool:
    """True where only people may do it, so that a recorded decision is needed."""
    return AUTHORITY[command] <= _PEOPLE


def who_may(command: str) -> str:
    """The roles of `command` as a phrase, e.g. `an owner` or `a human or an owner`."""
    if AUTHORITY[command] == frozenset({Role.OWNER}):
        return "an owner of the scope"
    names = {
        Role.HUMAN: "a human",
        Role.OWNER: "an owner",
        Role.AUTODREAM: "autodream",
        Role.AGENT: "an agent",
    }
    return " or ".join(name for role, name in names.items() if role in AUTHORITY[command])
