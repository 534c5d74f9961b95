"""All rules over one snapshot, each computed once, when first asked for: what front ends and the engine read."""

from __future__ import annotations

from functools import cached_property

from core.conflicts import Conflict, find_conflicts
from core.eligibility import Influence
from core.findings import Finding
from core.influence import resolve_influence
from core.items import MemoryItem
from core.review import QueueEntry, find_drift, review_queue
from core.snapshot import Snapshot
from core.validation import Check, validate


class Reading:
    """A snapshot with the answers of the rules."""

    def __init__(self, snapshot: Snapshot, *, today: str, prior: Reading | None = None) -> None:
        """`today` is the ISO date in the root's time zone; ages are counted from it.

        `prior` is a reading of the same root at another moment: what holds of it still is not worked out again.
        """
        self.snapshot = snapshot
        self.today = today
        self._before = prior.known_influence if prior is not None else None
        if prior is not None:
            snapshot.learn(prior.snapshot)

    @cached_property
    def influence(self) -> Influence:
        """Who is eligible, and what each control record does (§12.2)."""
        answer = resolve_influence(self.snapshot, self._before)
        self._before = None
        return answer

    @property
    def known_influence(self) -> Influence | None:
        """The influence if it was asked for; else that of the reading before, where it is known."""
        known: Influence | None = self.__dict__.get("influence", self._before)
        return known

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Conflicts to surface (§15.2), unacknowledged first."""
        return find_conflicts(self.snapshot, self.influence)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything the review found (§16), errors first, then by place."""
        return find_drift(self.snapshot, self.influence, self.conflicts)

    @cached_property
    def queue(self) -> tuple[QueueEntry, ...]:
        """What waits for a human, in the order to take it (§16)."""
        return review_queue(self.snapshot, self.influence, self.findings, today=self.today)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The validation checklist (§21), 1 to 21."""
        return validate(self.snapshot, self.influence, self.findings)

    def text_of(self, item: MemoryItem) -> str | None:
        """The item's text for an ordinary read: None where a control record excludes it."""
        return item.text if self.influence.verdict(item.key).eligible else None
