"""The review (§16): drift as findings, the queue of what waits for a human, and the cleanup plan made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.conflicts import Conflict
from core.findings import Finding
from core.influence import Influence
from core.snapshot import Snapshot
from core.vocabulary import Severity


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a finding code means: its severity, one sentence, and what a human can do."""

    severity: Severity
    meaning: str
    remedy: str


CATALOGUE: Mapping[str, CodeInfo] = {}


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One thing that waits for a human.

    `item` is a key or None; `since` an ISO date, `age_days` counted from it to today; `title` one line of text (secrets
    masked), `reason` a sentence; `proposed` the engine command that settles it, '' where there is none.
    """

    code: str
    item: str | None
    file: str | None
    line: int | None
    since: str | None
    age_days: int | None
    title: str
    reason: str
    proposed: str
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class CleanupRow:
    """One line of the cleanup plan: what is proposed, who may decide it, and why."""

    what: str
    who: str
    why: str


def find_drift(snapshot: Snapshot, influence: Influence, conflicts: Sequence[Conflict]) -> tuple[Finding, ...]:
    """Everything the review finds (§16 steps 1 to 9), errors first, then by place."""
    return (*snapshot.drift, *influence.findings)


def review_queue(
    snapshot: Snapshot, influence: Influence, findings: Sequence[Finding], *, today: str
) -> tuple[QueueEntry, ...]:
    """What waits for a human, in the order to take it. Excluded items never appear."""
    return ()


def cleanup_plan(queue: Sequence[QueueEntry], conflicts: Sequence[Conflict] = ()) -> tuple[CleanupRow, ...]:
    """The plan that comes before any destructive change (§16 step 10), in the queue's order."""
    return ()


def cleanup_markdown(rows: Sequence[CleanupRow], *, today: str) -> str:
    """The cleanup plan as Markdown, for `assay plan`."""
    return ""
