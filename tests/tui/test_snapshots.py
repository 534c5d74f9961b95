"""One picture a screen, at the two sizes that matter. After a wanted change: `pytest tests/tui/test_snapshots.py
--snapshot-update`, and look at each picture before keeping it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot

from core.controls import ControlRecord, Scope
from core.engine import Engine
from core.snapshot import Snapshot
from core.vocabulary import Kind, Status
from stores.memory import MemoryStore
from tests.tui.driving import ANA, DAY, ITEMS, NOW, Desk, item, snapshot
from tui.app import AssayApp
from tui.door import fixed

SIZES = ((80, 24), (140, 40))


def control(number: int, action: str, ids: tuple[str, ...], supersedes: tuple[str, ...] = ()) -> ControlRecord:
    """A control record of ana's."""
    return ControlRecord(
        f"memwd-2026-06-{number:02}-001",
        action,
        Scope(frozenset(ids)),
        "failed-exploration",
        "owner:ana",
        f"2026-06-{number:02}T10:00:00+00:00",
        "exclude-from-influence" if action == "withdraw" else "restore-eligibility",
        supersedes,
    )


def pictured() -> Snapshot:
    """A root with something on every screen."""
    more = (
        item("mem-2026-05-20-001", "Conclusion one of the abandoned run."),
        item("mem-2026-05-20-002", "Conclusion two of the abandoned run."),
        item("mem-2026-05-07-004", "👍 emoji, [markup] and a bidi \u202eoverride stay text."),
        item("mem-2026-05-08-001", "The vendor API paginates from 1.", status=Status.PENDING_CLEANUP, source=None),
        item("mem-2026-05-09-001", "Deploys run at 10:00.", kind=Kind.STATE, file="topics/environment.md"),
    )
    controls = (
        control(1, "withdraw", ("mem-2026-05-20-001",)),
        control(2, "withdraw", ("mem-2026-05-20-002",)),
        control(3, "reinstate", ("mem-2026-05-20-002",), ("memwd-2026-06-02-001",)),
        control(4, "withdraw", ("mem-2026-05-20-002",)),
    )
    return snapshot((*ITEMS, *more), controls=controls, archive=(DAY,))


def app() -> AssayApp:
    """The console on it."""
    store = MemoryStore(pictured())
    return AssayApp(lambda: Engine(store, clock=lambda: NOW), fixed(ANA), root=store.name)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("index", ("1",)),
        ("review", ("2",)),
        ("conflicts", ("3",)),
        ("withdrawals", ("5",)),
        ("health", ("9",)),
        ("confirmation", ("2", "s")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_picture(snap_compare: Any, name: str, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    console = app()

    async def press(pilot: Pilot[int]) -> None:
        desk = Desk(console, pilot, MemoryStore(pictured()))
        await desk.read()
        await desk.press(*keys)
        await asyncio.sleep(0.05)
        await desk.settle()

    assert snap_compare(console, terminal_size=size, run_before=press)
