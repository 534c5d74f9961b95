"""The validation checklist (§21): 21 checks, each with its level, its evidence and its remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.findings import Finding
from core.influence import Influence
from core.snapshot import Snapshot
from core.vocabulary import CheckResult, Level


@dataclass(frozen=True, slots=True)
class Check:
    """One check of §21. `evidence` says what the result rests on, `remedy` what a human can do ('' where nothing)."""

    number: int
    level: Level
    title: str
    result: CheckResult
    evidence: str
    remedy: str


def validate(snapshot: Snapshot, influence: Influence, findings: Sequence[Finding]) -> tuple[Check, ...]:
    """The 21 checks in order. What was not exercised is `unevaluated`, never `pass`."""
    return ()
