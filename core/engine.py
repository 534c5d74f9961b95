"""The one door to writing: every mutation of every front end is planned and committed here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from core.authority import Actor
from core.events import Decision
from core.plan import Plan, Receipt
from core.reading import Reading
from core.requests import Request
from core.store import Store


class Engine:
    """Plans and commits on one store.

    `clock` gives the current moment with a time zone; it is read once a plan, and once under the lock at commit.
    """

    def __init__(self, store: Store, *, clock: Callable[[], datetime]) -> None:
        self.store = store
        self._clock = clock

    def reading(self) -> Reading:
        """The root as it is now, with the answers of the rules. Never raises for bad data; records nothing."""
        raise NotImplementedError

    def plan(self, request: Request, actor: Actor, reading: Reading | None = None) -> Plan:
        """What `request` by `actor` would do, with the preview of every file; nothing is written.

        Items of a bulk request that cannot be changed are in `Plan.refusals`. Raises `Refused` where nothing is left
        to do, `NotAuthorised` where the actor may never do this, `ItemNotFound`, `WriteRefused`.
        """
        raise NotImplementedError

    def decide(self, plan: Plan, actor: Actor) -> Decision:
        """The decision of `actor` for the plan that was shown to them. Front ends call it from a confirmation only."""
        raise NotImplementedError

    def commit(self, plan: Plan, decision: Decision | None = None) -> Receipt:
        """Carry the plan out under the writer lock, after checking again what it rests on.

        Raises `NeedsHuman` where the plan is human-only and `decision` is missing or of another plan; `PlanChanged`
        (with the plan made anew) where what it rests on changed; `RootBusy`, `WriteRefused`, `StrangerConflict`.
        """
        raise NotImplementedError
