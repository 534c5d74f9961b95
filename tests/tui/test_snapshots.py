"""Every screen at two sizes, dark and light. After a wanted change: `pytest tests/tui/test_snapshots.py
--snapshot-update`, and look at each picture before keeping it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot

from core.controls import ControlRecord, Scope, Tombstone
from core.engine import Engine
from core.events import LogEntry
from core.items import Place
from core.snapshot import Proposal, Snapshot
from core.vocabulary import Kind, Status
from stores.memory import MemoryStore
from tests.tui.driving import ANA, DAY, ITEMS, NOW, Desk, item, snapshot
from tui.app import AssayApp
from tui.door import fixed
from tui.screens.table import SCREENS

SIZES = ((80, 24), (160, 45))
THEMES = ("textual-dark", "textual-light")
MOMENTS: dict[str, tuple[str, ...]] = {
    **{row.title.lower(): (str(row.number),) for row in SCREENS},
    "confirmation": ("2", "s"),
    "form": ("4", "m"),
    "proposal": ("6", "enter"),
}


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
        item("mem-2026-05-15-001", "Drain the node before restarting it."),
        item("mem-2026-05-16-001", "Always drain the node before restarting it."),
        item("mem-2026-05-17-001", "Never drain the node before restarting it."),
        item("mem-2026-05-09-001", "Deploys run at 10:00.", kind=Kind.STATE, file="topics/environment.md"),
    )
    controls = (
        control(1, "withdraw", ("mem-2026-05-20-001",)),
        control(2, "withdraw", ("mem-2026-05-20-002",)),
        control(3, "reinstate", ("mem-2026-05-20-002",), ("memwd-2026-06-02-001",)),
        control(4, "withdraw", ("mem-2026-05-20-002",)),
    )
    proposals = (
        Proposal(
            "mempolicy-2026-06-01-001",
            "conventions.md",
            "合并之前先等待确认信号，再继续。 Drain each node before it restarts.",
            ("mem-2026-05-15-001", "mem-2026-05-16-001", "mem-2026-01-01-001"),
            "No request is cut.",
            "Restarts take longer.",
            "pending-review",
            Place("proposals/mempolicy-2026-06-01-001.md", 1),
        ),
        Proposal(
            "mempolicy-2026-05-27-001",
            "steering:AGENTS.md",
            "Restart nightly.",
            (),
            "",
            "",
            "rejected",
            Place("proposals/mempolicy-2026-05-27-001.md", 1),
        ),
    )
    tombstones = (
        Tombstone(
            "memerase-2026-06-10-001",
            ("mem-2026-05-20-009",),
            "request-9",
            "2026-06-10T08:00:00+00:00",
            "2026-06-10T09:00:00+00:00",
            (("topics/deploy.md", "completed", None), ("the nightly backup", "unevaluated", "policy-3")),
            place=Place("log.md", 7),
        ),
    )
    log = tuple(
        LogEntry(f"memlog-2026-06-1{day}-001", kind, f"2026-06-1{day}T09:00", actor, words, Place("log.md", 3 + day))
        for day, kind, actor, words in (
            (0, "archive", "scheduler:nightly", "archive/2026-06-10.md, 3 items"),
            (1, "supersede", "autodream", "app:port: mem-2026-05-01-009 superseded by mem-2026-06-03-001"),
            (2, "withdraw", "owner:ana", "memwd-2026-06-02-001"),
        )
    )
    return snapshot(
        (*ITEMS, *more), controls=controls, archive=(DAY,), proposals=proposals, tombstones=tombstones, log=log
    )


def app(theme: str) -> AssayApp:
    """The console on it."""
    store = MemoryStore(pictured())
    console = AssayApp(lambda: Engine(store, clock=lambda: NOW), fixed(ANA), root=store.name)
    console.theme = theme
    return console


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.partition("-")[2])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("moment", MOMENTS)
def test_picture(snap_compare: Any, moment: str, size: tuple[int, int], theme: str) -> None:
    console = app(theme)

    async def press(pilot: Pilot[int]) -> None:
        desk = Desk(console, pilot, MemoryStore(pictured()))
        await desk.read()
        await desk.press(*MOMENTS[moment])
        await asyncio.sleep(0.05)
        await desk.settle()

    assert snap_compare(console, terminal_size=size, run_before=press)
