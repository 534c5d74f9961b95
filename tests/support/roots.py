"""One small root with something for every command, in any store, and a stranger who writes behind its back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.authority import Actor, Role
from core.engine import Engine
from core.events import FieldChange
from core.items import Record
from core.plan import Plan, Receipt
from core.requests import Request
from core.shelf import with_fields
from core.snapshot import Snapshot
from core.store import Store
from stores.markdown.store import MarkdownStore
from stores.memory import MemoryStore
from stores.pins import Pins

ANA = Actor(Role.OWNER, "ana")
BOB = Actor(Role.HUMAN, "bob")
BOT = Actor(Role.AGENT, "bot")
DREAM = Actor(Role.AUTODREAM)

SEED = {
    "assay.toml": """\
[binding]
id = "contract"
protocol = "memory"
version = "0.2.0"
level = "memory:L4"
timezone = "UTC"

[[owners]]
name = "ana"
user = "ana"
scopes = ["*"]
""",
    "index.md": """\
# Memory Index

## Topic Map

- topics/deploy.md — Read when deploying.
- topics/net.md — Read when the network misbehaves.
""",
    "memory.md": """\
# 2026-06-03

- [2026-06-03] [mem-2026-06-03-001] (state) Port is 9090. Subject: app:port. Source: deploy log 2026-06-03.
- [2026-06-03] [mem-2026-06-03-002] (knowledge) Drain before a restart. Source: retro 2026-06-03.
""",
    "topics/deploy.md": """\
---
title: Deploy
layer: warm
triggers:
  - deploying
last_updated: 2026-05-20
source_dates:
  - 2026-05-01
  - 2026-05-20
---
# Deploy

## Facts and lessons

- [2026-05-01] (state) Port is 8080.
  - id: mem-2026-05-01-009
  - kind: state
  - subject: app:port
  - Status: active
  - Source: archive/2026-05-20.md#run-6
- [2026-05-20] (knowledge) Conclusion one.
  - id: mem-2026-05-20-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-7
- [2026-05-20] (knowledge) Conclusion two.
  - id: mem-2026-05-20-002
  - kind: knowledge
  - Status: pending-cleanup
  - Source: archive/2026-05-20.md#run-8
- [2026-05-20] (knowledge) A key AKIAIOSFODNN7EXAMPLE was seen in a log.
  - id: mem-2026-05-20-003
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-8

## Notes of a human

Not an item. Kept as it is.\x20\x20
""",
    "topics/net.md": """\
# Net

- [2026-05-02] Retries are 3.
  - Source: archive/2026-05-20.md#run-6
- [2026-05-03] (knowledge) Twice one.
  - id: mem-2026-05-03-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-6
- [2026-05-03] (knowledge) Twice two.
  - id: mem-2026-05-03-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-6
- [2026-05-04] [待清理] (knowledge) The old gateway drops long headers.
  - id: mem-2026-05-04-001
  - kind: knowledge
  - Source: archive/2026-05-20.md#run-6
- [2026-05-05] (state) Retries are 5.
  - id: mem-2026-05-05-001
  - kind: state
  - subject: net:retries
  - Status: active
  - Source: archive/2026-05-20.md#run-6
- [2026-05-06] (state) Retries are 6.
  - id: mem-2026-05-06-001
  - kind: state
  - subject: net:retries
  - Status: active
  - Source: archive/2026-05-20.md#run-6
""",
    "archive/2026-05-20.md": """\
# 2026-05-20

## Run 6

- [2026-05-20] raw notes of run 6

## Run 7

- [2026-05-20] [mem-2026-05-20-001] (knowledge) Conclusion one. Source: run 7.

## Run 8

- [2026-05-20] [mem-2026-05-20-002] (knowledge) Conclusion two. Source: run 8.
- [2026-05-20] [mem-2026-05-20-003] (knowledge) A key was seen in a log. Source: run 8.
""",
}


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 6, 12, 10, 0, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)


class Root:
    """A root in some store, its engine, and a stranger who changes an item behind the engine's back."""

    def __init__(self, store: Store, stranger: Callable[[str, FieldChange], None]) -> None:
        self.clock = Clock()
        self.store = store
        self.engine = Engine(store, clock=self.clock)
        self._stranger = stranger

    @property
    def snapshot(self) -> Snapshot:
        return self.store.snapshot()

    def record(self, item_id: str) -> Record:
        (item,) = self.snapshot.by_id[item_id]
        return item.record()

    def plan(self, request: Request, actor: Actor = ANA) -> Plan:
        return self.engine.plan(request, actor)

    def commit(self, plan: Plan, actor: Actor | None = None) -> Receipt:
        actor = actor or plan.actor
        decision = self.engine.decide(plan, actor) if actor.is_human else None
        return self.engine.commit(plan, decision)

    def do(self, request: Request, actor: Actor = ANA) -> Receipt:
        return self.commit(self.plan(request, actor))

    def stranger(self, item_id: str, name: str, before: str, after: str) -> None:
        """Somebody else changes one field of an item, on disk or wherever it stands."""
        self._stranger(item_id, FieldChange(name, before, after))


def lay_out(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def markdown_root(tmp_path: Path, files: dict[str, str] = SEED) -> Root:
    folder = lay_out(tmp_path / "memory", files)
    pins = Pins(str(folder), folder=str(tmp_path / "config"))
    store = MarkdownStore(str(folder), pins=pins)
    store.confirm_owners()

    def stranger(item_id: str, change: FieldChange) -> None:
        (item,) = store.snapshot().by_id[item_id]
        path = folder / item.place.file
        data = path.read_bytes()
        assert str(change.before).encode() in data
        path.write_bytes(data.replace(str(change.before).encode(), str(change.after).encode(), 1))

    return Root(store, stranger)


def memory_root(tmp_path: Path, files: dict[str, str] = SEED) -> Root:
    seed = markdown_root(tmp_path, files).snapshot
    store = MemoryStore(replace(seed, root="contract"))

    def stranger(item_id: str, change: FieldChange) -> None:
        snapshot = store.snapshot()
        (bearer,) = snapshot.by_id[item_id]
        if change.name == "text":
            changed = with_fields(replace(bearer, text=str(change.after)), ())
        else:
            changed = with_fields(bearer, [change])
        items = tuple(changed if item is bearer else item for item in snapshot.items)
        store.replace(replace(snapshot, items=items))

    return Root(store, stranger)


STORES = {"memory": memory_root, "markdown": markdown_root}
