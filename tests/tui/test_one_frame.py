"""A change outside is shown at once and all together: the notice, the counts and the rows in one frame."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest
from textual._compositor import ChopsUpdate

from tests.tui.driving import opened
from tests.tui.files import make
from tui import app as application
from tui.app import AssayApp

NEW = """\
- [2026-06-04] (knowledge) 新的一条。
  - id: mem-2026-06-04-001
  - kind: knowledge
  - Status: active
  - Source: retro
"""


async def test_a_change_is_one_frame_and_draws_no_screen_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path, lambda files: None)
    async with opened(root.store, door=root.door()) as desk:
        drawn: list[object] = []
        show = AssayApp._display

        def noting(app: AssayApp, screen: object, update: object) -> None:
            if update is not None:
                drawn.append((type(update), {y for y, _, _ in getattr(update, "spans", ())}))
            show(app, screen, update)  # type: ignore[arg-type]

        monkeypatch.setattr(AssayApp, "_display", noting)
        with open(root.path / "topics" / "net.md", "a", encoding="utf-8") as file:
            file.write(NEW)
        desk.app.refresh_reading()
        await desk.settle()
        text = desk.text.splitlines()
        receipt = next(y for y, row in enumerate(text) if "changed outside: topics/net.md" in row)
        topic = next(y for y, row in enumerate(text) if "misbehaves" in row)
        kind, rows = drawn[0]  # type: ignore[misc]
        assert kind is ChopsUpdate
        assert {0, receipt, topic} <= rows
        assert all(kind is ChopsUpdate for kind, _ in drawn)  # type: ignore[misc]


async def test_a_page_out_of_view_shows_the_change_when_it_is_turned_to(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("2", "1")
        review = next(page for page in desk.app.console_screen.pages() if page.NUMBER == 2)
        before = len(review.listing.keys)
        with open(root.path / "topics" / "net.md", "a", encoding="utf-8") as file:
            file.write(NEW.replace("active", "pending-cleanup"))
        desk.app.refresh_reading()
        await desk.settle()
        assert len(review.listing.keys) == before + 1
        await desk.press("2")
        assert "新的一条" in desk.text


async def test_garbage_is_looked_for_again_after_a_reading(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None)
    async with opened(root.store, door=root.door()) as desk:
        desk.app.refresh_reading()
        assert not gc.isenabled()
        await desk.settle()
        assert gc.isenabled()


async def test_what_readings_leave_is_collected_while_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(application, "STILL_SECONDS", 0.01)
    monkeypatch.setattr(application, "READINGS", 2)
    monkeypatch.setattr(gc, "collect", lambda *args: collected.append(1) or 0)
    root = make(tmp_path, lambda files: None)
    async with opened(root.store, door=root.door()) as desk:
        assert collected == []
        desk.app.refresh_reading()
        await desk.settle()
        for _ in range(200):
            if collected:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert collected == [1]
