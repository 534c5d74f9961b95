"""Who may do what (§5 of the protocol's split of eligibility and authority, §12.2, §17)."""

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


class Tier(IntEnum):
    """What it takes to confirm an action (console and command line alike)."""

    FREE = 0
    """Reversible by anyone who could do it: no question, with undo."""
    PLAN = 1
    """Human-only, owner-only or several items: the plan is shown, Cancel is focused."""
    PHRASE = 2
    """Irreversible: the plan, and a typed phrase."""
