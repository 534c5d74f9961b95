"""What a command hands to the engine: the domain changes, and how to speak of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from core.authority import Actor, Tier
from core.changes import Change
from core.controls import ControlRecord
from core.errors import ItemNotFound, Refused
from core.ids import Allocator
from core.items import FieldValue, MemoryItem
from core.plan import PlanLine, Refusal
from core.reading import Reading
from core.secrets import find_secrets


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan without its event, index sections and previews, which the engine adds.

    `event_type` and `summary` are those of the one event; `detail` stands beside it. `reads` adds digests of what
    the draft rests on beyond the items in `lines`. `done` says on the receipt what was done, where the summary does
    not. `human_only` is True where this request needs a human although
    the command as such does not.
    """

    title: str
    verb: str
    tier: Tier
    event_type: str
    summary: str
    changes: tuple[Change, ...]
    lines: tuple[PlanLine, ...]
    undo: str
    refusals: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()
    decides: str = ""
    control: ControlRecord | None = None
    undoes: str | None = None
    phrase: str | None = None
    human_only: bool = False
    done: str = ""
    detail: Mapping[str, FieldValue] = field(default_factory=dict)
    reads: Mapping[str, str] = field(default_factory=dict)


def no_secret(value: str | None, name: str) -> None:
    """Raises `Refused` where what would be written looks like a secret (§18: never store credentials or tokens)."""
    if value and find_secrets(value):
        raise Refused(
            f"The {name} holds what looks like a secret; secrets are never written to memory (§18).",
            remedy="Name where the secret is kept instead.",
        )


@dataclass(frozen=True, slots=True)
class Context:
    """What a command may look at: the root, who asks, one moment of the clock, and fresh ids."""

    reading: Reading
    actor: Actor
    moment: datetime
    ids: Allocator

    @property
    def today(self) -> str:
        """The ISO date of the moment, in the root's time zone."""
        return self.moment.date().isoformat()

    @property
    def now(self) -> str:
        """The ISO time of the moment, with offset, to the second."""
        return self.moment.isoformat(timespec="seconds")

    def item(self, key: str) -> MemoryItem:
        """The bearer `key`, or the one bearer of the id `key`. Raises `ItemNotFound`, `Refused` for two bearers."""
        snapshot = self.reading.snapshot
        found = snapshot.by_key.get(key)
        if found is not None:
            return found
        bearers = snapshot.by_id.get(key, ())
        if len(bearers) > 1:
            places = ", ".join(str(item.place) for item in bearers)
            raise Refused(
                f"{len(bearers)} items bear the id {key} ({places}).",
                where=key,
                remedy="Repair one of them first: it is given a new id.",
            )
        raise ItemNotFound(f"No item {key} in this root.", where=key, remedy="`assay items` lists what there is.")

    def changeable(self, key: str) -> MemoryItem:
        """Like `item`, for commands that name one bearer by its id. Raises `Refused` with the reason otherwise."""
        item = self.item(key)
        reason = self.unchangeable(item)
        if reason is not None:
            raise Refused(reason, where=str(item.place))
        return item

    def unchangeable(self, item: MemoryItem) -> str | None:
        """Why no ordinary command may change the bearer now, as a sentence; None where it may."""
        snapshot = self.reading.snapshot
        if item.id is not None and len(snapshot.by_id.get(item.id, ())) > 1:
            return f"Two items bear the id {item.id}; repair one of them first: it is given a new id."
        verdict = self.reading.influence.verdict(item.key)
        if not verdict.eligible:
            by = ", ".join(verdict.by) or "a control record"
            return f"Withdrawn by {by}; reinstate it before deciding anything else about it."
        if item.held:
            return "Held in withdrawn/ although nothing withdraws it; reinstate it first."
        state = snapshot.files.get(item.place.file)
        if state is not None and state.unwritable:
            return f"{item.place.file} is not written: {state.unwritable}"
        return None

    def line(self, item: MemoryItem, change: str) -> PlanLine:
        """The plan's line for one item."""
        withheld = not self.reading.influence.verdict(item.key).eligible
        return PlanLine(item.key, item.id, change, item.text, withheld)
