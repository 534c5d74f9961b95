"""Withdrawal and reinstatement (§12.2): who is eligible, who is excluded, and by which chain of control records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.controls import ControlRecord, Scope
from core.findings import Finding
from core.snapshot import Snapshot
from core.vocabulary import ControlState


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an item may influence anything. `by` holds the withdrawal ids that exclude it, sorted; `why` a sentence."""

    eligible: bool
    by: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class ControlView:
    """A control record and what it does now.

    `reason` is a sentence that says why it is in that `state`. `excludes` are the keys of the items that it excludes
    now, in reading order; `scope_ids` the identifiers of its scope, sorted.
    """

    record: ControlRecord
    state: ControlState
    reason: str
    excludes: tuple[str, ...]
    scope_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """The control records of one exact scope, in causal order where there is one.

    `head` is the id of the one event that decides, None where there is not one. `heads` are the ids that a new event
    for this scope has to supersede (one where the chain is in order, several where it has to be settled).
    """

    scope: Scope
    views: tuple[ControlView, ...]
    unresolved: bool
    head: str | None
    heads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Influence:
    """The answer of every control record of a snapshot at once. Made by `resolve_influence`."""

    controls: tuple[ControlView, ...] = ()
    chains: tuple[Chain, ...] = ()
    """Unresolved chains first, those with an unreadable record before the others."""
    findings: tuple[Finding, ...] = ()
    excluded_archive: frozenset[str] = frozenset()
    """The archive references that are excluded now, in normal form (`archive/2026-05-20.md#run-7`)."""
    excluded_ids: frozenset[str] = frozenset()
    """Every item id that is excluded now, borne or not."""
    excluded_texts: frozenset[str] = frozenset()
    """Texts of excluded items, folded by `core.sources.fold_text`: what no ordinary read may restate."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    """Verdicts of the excluded items, by key."""
    keys: Mapping[str, object] = field(default_factory=dict, repr=False)

    def verdict(self, key: str) -> Verdict:
        """The verdict on the bearer `key`; a key the snapshot does not have is not eligible."""
        return self.verdicts.get(key, Verdict(key in self.keys))

    def eligible(self, key: str) -> bool:
        """Whether the bearer `key` may influence anything."""
        return key in self.keys and key not in self.verdicts

    def archive_excluded(self, file: str, anchor: str | None = None) -> bool:
        """Whether the archive file, or its segment `anchor`, is wholly excluded."""
        return False

    def chain(self, scope: Scope) -> Chain | None:
        """The chain of this exact scope."""
        return next((chain for chain in self.chains if chain.scope == scope and not scope.empty), None)

    def controlling(self, scope: Scope) -> str | None:
        """The id of the withdrawal that controls this exact scope now; None where none does, or no single one."""
        return None


def resolve_influence(snapshot: Snapshot) -> Influence:
    """Apply every control record of `snapshot` (§12.2). Never raises; what is in doubt is excluded."""
    return Influence(keys=snapshot.by_key)
