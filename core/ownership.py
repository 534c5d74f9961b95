"""Who owns a scope (§12.2 `decided_by`, §17 authority): the binding's owners and their selectors."""

from __future__ import annotations

from core.binding import Binding, Owner
from core.controls import Scope
from core.snapshot import Snapshot


def owner_named(binding: Binding, decided_by: str) -> Owner | None:
    """The owner that `decided_by` names (`owner:ana` or `ana`); None for anybody else, other roles included."""
    return None


def owns(binding: Binding, owner: Owner, snapshot: Snapshot, scope: Scope) -> bool:
    """Whether `owner`'s selectors hold the whole of `scope`."""
    return False


def owners_of(binding: Binding, snapshot: Snapshot, scope: Scope) -> tuple[Owner, ...]:
    """The owners of the whole of `scope`, in the binding's order."""
    return tuple(owner for owner in binding.owners if owns(binding, owner, snapshot, scope))
