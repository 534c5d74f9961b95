"""Conflicts to surface before acting (§15.2): values for a human to settle, never settled here."""

from __future__ import annotations

from dataclasses import dataclass

from core.influence import Influence
from core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Conflict:
    """One conflict.

    `type` is one of `two-active`, `refuted-knowledge`, `two-items-one-id`, `dangling-pointer`, `pointer-cycle`,
    `superseded-without-pointer`, `pointer-without-status`, `unordered-controls`, `conflicted-copy`, `merge-markers`.
    `rows` are item keys, oldest first. `suggested` is the key of the row to take for current, None in doubt.
    `acknowledged` is True where a human has let the rows stay (each names the others in `conflicts_with`).
    `message` never repeats item text. `files` are root-relative, where the conflict is about files.
    """

    type: str
    subject: str | None
    rows: tuple[str, ...]
    message: str
    suggested: str | None = None
    acknowledged: bool = False
    files: tuple[str, ...] = ()


def find_conflicts(snapshot: Snapshot, influence: Influence) -> tuple[Conflict, ...]:
    """Every conflict of `snapshot`, unacknowledged first. Excluded items take no part."""
    return ()
