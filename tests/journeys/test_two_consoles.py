"""Two consoles on one root, and an agent that keeps writing: both stay current, and every decision counts once."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from pathlib import Path

from core.authority import Actor, Role
from stores.markdown.store import MarkdownStore
from stores.pins import Pins
from tests.cases.case import item
from tests.support.roots import lay_out
from tests.tui.driving import Desk, opened
from tui.door import Door, markdown_door
from tui.screens.confirm import ConfirmScreen

COUNT = 6
INDEX = "# Memory Index\n\n## Topic Map\n\n- t.md — Read when testing.\n"
IDS = [f"mem-2026-05-{number:02d}-001" for number in range(1, COUNT + 1)]
BEN, KIM = Actor(Role.HUMAN, "ben"), Actor(Role.HUMAN, "kim")


def agent_writes(inbox: Path, number: int) -> None:
    with inbox.open("ab") as file:
        file.write(f"- [2026-06-01] [mem-2026-06-01-{number:03d}] (knowledge) Note {number}. Source: chat.\n".encode())


async def decide(desk: Desk, key: str) -> None:
    """A decision on the row under the cursor, made again where somebody else's write made the plan anew."""
    await desk.press(key)
    for _ in range(20):
        if not isinstance(desk.app.screen, ConfirmScreen):
            return
        await desk.armed()
        await desk.press("y")
    raise AssertionError("the plan is starved:\n" + desk.text)


async def eventually(desk: Desk, wanted: str) -> None:
    for _ in range(600):
        if wanted in desk.text:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{wanted!r} never shows:\n{desk.text}")


async def test_both_stay_current_and_no_decision_is_lost(tmp_path: Path) -> None:
    page = "# T\n\n" + "".join(
        item(one, f"Lesson {number}.", status="pending-cleanup", source="retro") for number, one in enumerate(IDS)
    )
    root = lay_out(tmp_path / "memory", {"topics/t.md": page, "memory.md": "# Inbox\n\n", "index.md": INDEX})
    stop = asyncio.Event()
    written = 0

    async def agent() -> None:
        nonlocal written
        while not stop.is_set():
            written += 1
            agent_writes(root / "memory.md", written)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), 0.2)

    def store() -> MarkdownStore:
        return MarkdownStore(str(root), pins=Pins(str(root), folder=str(tmp_path / "config")))

    def door(actor: Actor) -> Door:
        return replace(markdown_door(str(root)), user=actor.name, actor_for=lambda binding: actor)

    async with opened(store(), door=door(BEN)) as one, opened(store(), door=door(KIM)) as two:
        writing = asyncio.create_task(agent())
        for desk in (one, two):
            await desk.press("2", "g")
        await two.press(*["j"] * (COUNT - 1))
        stays = two.key
        for number in range(COUNT // 2):
            await decide(one, "c")
            await eventually(two, f"{COUNT - 1 - 2 * number} wait")
            assert two.key == stays, "no cursor moves by itself"
            await decide(two, "c")
            stays = two.key
        stop.set()
        await writing
        events = store().snapshot().events
        named = [change.id for event in events for change in event.items]
        assert sorted(named) == sorted(set(named)), "nothing is decided twice"
        assert len(events) == COUNT
        assert {event.actor for event in events} == {str(BEN), str(KIM)}
        assert [found.status_text for found in store().snapshot().items if found.id in IDS] == ["active"] * COUNT
        for desk in (one, two):
            await eventually(desk, "Nothing waits for you.")
        inbox = (root / "memory.md").read_text()
        assert all(f"Note {number}." in inbox for number in range(1, written + 1))
        for desk in (one, two):
            await eventually(desk, f"{COUNT + written} items")
