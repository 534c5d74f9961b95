"""All that can be read of a root by value, so that two ways of reading it can be held against each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from core.authority import Actor, Role
from core.controls import Scope
from core.engine import Engine
from core.errors import AssayError
from core.items import MemoryItem
from core.requests import Merge, Request, Stale, Withdraw
from core.snapshot import Snapshot
from stores.markdown.store import MarkdownStore

ANA = Actor(Role.OWNER, "ana")
FIELDS = tuple(one.name for one in fields(MemoryItem) if one.compare)


def item_values(item: MemoryItem) -> tuple[Any, ...]:
    """Every field, with its type: a plain text is not taken for a word of the vocabulary."""
    return tuple((type(value), value) for value in (getattr(item, name) for name in FIELDS))


def snapshot_values(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot by value."""
    return {
        "items": [item_values(item) for item in snapshot.items],
        "topics": snapshot.topics,
        "days": [
            (day.date, day.file, list(day.anchors.items()), day.copies, day.lines, day.copy_ids, day.copy_prints)
            for day in snapshot.archive
        ],
        "drift": snapshot.drift,
        "ids": set(snapshot.reserved_ids),
        "files": dict(snapshot.files),
        "index": snapshot.index,
        "controls": snapshot.controls,
        "events": snapshot.events,
        "keys": {key: item_values(item) for key, item in snapshot.by_key.items()},
    }


def rule_values(engine: Engine) -> dict[str, Any]:
    """What the rules answer."""
    reading = engine.reading()
    influence = reading.influence
    return {
        "verdicts": dict(influence.verdicts),
        "chains": influence.chains,
        "excluded": (influence.excluded_copies, influence.excluded_texts, influence.excluded_by_file),
        "conflicts": reading.conflicts,
        "findings": reading.findings,
        "queue": [repr(entry) for entry in reading.queue],
        "checks": reading.checks,
    }


def plan_values(engine: Engine, items: Iterable[MemoryItem]) -> list[Any]:
    """The bytes that commands on these items would write, or why they are refused."""
    chosen = list(items)
    requests: list[Request] = [Stale((item.key,)) for item in chosen]
    requests += [Withdraw(Scope(frozenset({item.id}))) for item in chosen if item.id is not None]
    requests += [Merge((one.key, two.key), "Both in one.") for one, two in pairwise(chosen)]
    found: list[Any] = []
    for request in requests:
        try:
            plan = engine.plan(request, ANA)
            found.append([(one.path, one.before, one.after) for one in plan.previews])
        except AssayError as error:
            found.append((error.code, str(error)))
    return found


class Sight:
    """A new start on the root at `folder`: what is read, what the rules say of it, what commands would write."""

    def __init__(self, folder: str, *, plans: bool = True) -> None:
        self.store = MarkdownStore(folder)
        self.engine = Engine(self.store, clock=lambda: datetime(2026, 6, 12, 10, 0, 0, tzinfo=UTC))
        self.values = {**snapshot_values(self.store.snapshot()), **rule_values(self.engine)}
        if plans:
            self.values["plans"] = plan_values(self.engine, self.store.snapshot().items[:6])

    def keep(self) -> Sight:
        """Leave what was read for the next start, as the console does."""
        self.store.keep(self.engine.reading().influence.excluded_by_file)
        return self
