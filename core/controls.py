"""Withdrawal control records and their scopes (§12.2), and erasure tombstones (§12.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.items import Place


@dataclass(frozen=True, slots=True)
class Scope:
    """A bounded scope in normal form: three sets of identifiers; order, repeats and empty arrays do not matter."""

    memory_item_ids: frozenset[str] = frozenset()
    archive_refs: frozenset[str] = frozenset()
    source_or_run_refs: frozenset[str] = frozenset()

    @property
    def empty(self) -> bool:
        """True where no selector is left; such a record bounds nothing."""
        return not (self.memory_item_ids or self.archive_refs or self.source_or_run_refs)

    def selectors(self) -> tuple[tuple[str, str], ...]:
        """`(category, identifier)` pairs, sorted."""
        return tuple(
            (name, value)
            for name in ("memory_item_ids", "archive_refs", "source_or_run_refs")
            for value in sorted(getattr(self, name))
        )

    def __str__(self) -> str:
        return ", ".join(value for _, value in self.selectors()) or "nothing"


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """A WithdrawalRecord as written (`withdrawal-control-v1`). Values are text; `scope` is in normal form.

    `supersedes` holds the prior control events by id: none, one, or (a settlement, binding extension) several.
    `unreadable` says why a record could not be read whole; what could be read of its scope is in `scope`.
    `places` lists where copies stand (log.md, `log/*.jsonl`); `actor` is who the log line says wrote it.
    """

    withdrawal_id: str
    action: str
    scope: Scope
    reason: str
    decided_by: str
    decided_at: str
    effect: str
    supersedes: tuple[str, ...] = ()
    record_type: str = "withdrawal-control-v1"
    unreadable: str | None = None
    places: tuple[Place, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An erasure tombstone (`erasure-tombstone-v1`, §12.3): content-free. `holders` are (ref, result, limitation)."""

    erasure_id: str
    scope_refs: tuple[str, ...]
    authority_ref: str
    decided_at: str
    executed_at: str
    holders: tuple[tuple[str, str, str | None], ...]
    sanitized_replacement_refs: tuple[str, ...] = ()
    place: Place | None = None
