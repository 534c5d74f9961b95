"""The first frame: what was shown last stands on the screen before the root is read, while the root is the same."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.controls import Scope
from core.engine import Engine
from core.requests import Withdraw
from stores.markdown import MarkdownStore
from stores.markdown import glance as glancing
from stores.markdown.glance import GLANCE_FILE, Glance
from stores.memory import MemoryStore
from tests.tui.driving import ANA, NOW, Desk, opened, snapshot
from tests.tui.files import BACKUP, Root, make
from tui import app as application
from tui.app import AssayApp
from tui.lines import plain
from tui.overview import from_bytes, overview, to_bytes
from tui.screens.index import IndexPage

DEPLOY = "topics/deploy.md"


@pytest.fixture(autouse=True)
def the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(glancing, "SETTLED_NS", 0)
    monkeypatch.setattr(application, "STILL_SECONDS", 0.01)
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = make(tmp_path, lambda files: None)
    (made.path / ".assay").mkdir()
    return made


async def shown_once(root: Root) -> str:
    """Open the root, until what is shown of it is kept; what is shown."""
    async with opened(root.store, door=root.door()) as desk:
        for _ in range(2000):
            if (root.path / ".assay" / GLANCE_FILE).exists():
                break
            await asyncio.sleep(0.005)
        await desk.settle()
        return desk.text


@asynccontextmanager
async def unread(root: Root) -> AsyncIterator[tuple[Desk, Callable[[], None]]]:
    """The console on a root that is not read before it is let."""
    let = threading.Event()

    def open_engine() -> Engine:
        let.wait(20)
        return Engine(MarkdownStore(str(root.path), pins=root.pins), clock=lambda: NOW)

    door = replace(root.door(), look=Glance(str(root.path), root.pins.path).look)
    app = AssayApp(open_engine, door, root=str(root.path))
    try:
        async with app.run_test(size=(140, 40)) as pilot:
            await pilot.pause(0.05)
            yield Desk(app, pilot, root.store), let.set
            let.set()
    finally:
        let.set()


def body(text: str) -> list[str]:
    """The rows of the page, as far as they do not depend on the rules' answers."""
    return [row.partition("│")[2] for row in text.splitlines()[1:-2]]


async def test_the_rows_stand_before_the_root_is_read(root: Root) -> None:
    last = await shown_once(root)
    async with unread(root) as (desk, let):
        assert desk.app.facts is None
        rows = [row.strip() for row in body(desk.text)]
        assert any(row.startswith("deploy") and "deploying" in row for row in rows)
        assert "reading" in desk.text.splitlines()[0]
        first = [row for row in body(last) if "mem-" not in row and "Recent" not in row]
        assert body(desk.text)[: len(first) - 1] == first[:-1]
        let()
        await desk.read()
        assert body(desk.text) == body(last)


async def test_keys_work_on_them_and_what_was_opened_fills(root: Root) -> None:
    await shown_once(root)
    async with unread(root) as (desk, let):
        assert desk.key == ("inbox", "memory.md")
        for _ in range(3):
            desk.send("down")
        await asyncio.sleep(0.05)
        assert desk.key == ("topic", "topics/deploy.md")
        assert "read when" in desk.text
        desk.send("enter")
        await asyncio.sleep(0.05)
        assert "› deploy   reading…" in desk.text
        let()
        await desk.read()
        assert "Retries hide timeouts" in desk.text
        await desk.press("escape")
        assert desk.key == ("topic", "topics/deploy.md")


async def test_what_is_typed_into_the_filter_holds_once_the_root_is_read(root: Root) -> None:
    await shown_once(root)
    async with unread(root) as (desk, let):
        for key in ("slash", *"backup"):
            desk.send(key if key != "slash" else "/")
            await asyncio.sleep(0.02)
        assert desk.app.console_screen.page.filter_line.text == "backup"
        let()
        await desk.read()
        assert desk.app.console_screen.page.listing.keys == []
        await desk.press("escape", "escape")
        assert len(desk.app.console_screen.page.listing.keys) > 5


async def test_nothing_is_decided_before_the_root_is_read(root: Root) -> None:
    await shown_once(root)
    before = {path: path.read_bytes() for path in root.path.rglob("*.md")}
    async with unread(root) as (desk, let):
        for key in "cspwlu":
            desk.send(key)
            await asyncio.sleep(0.02)
            assert desk.receipt == "the root is being read…", key
        let()
        await desk.read()
    assert {path: path.read_bytes() for path in root.path.rglob("*.md")} == before


async def test_a_changed_root_shows_nothing_before_it_is_read(root: Root) -> None:
    await shown_once(root)
    with open(root.path / "topics" / "net.md", "a", encoding="utf-8") as file:
        file.write("\n")
    async with unread(root) as (desk, let):
        assert "deploying" not in desk.text
        let()
        await desk.read()
        assert "deploying" in desk.text


async def test_withheld_text_is_not_kept(tmp_path: Path) -> None:
    """The summary of a topic repeats what is withdrawn."""
    said = "部署前先备份数据库。"
    root = make(tmp_path, lambda files: files.update({DEPLOY: _with_summary(files[DEPLOY], said)}))
    engine = Engine(root.store, clock=lambda: NOW)
    plan = engine.plan(Withdraw(Scope(frozenset({BACKUP})), reason="wrong"), ANA)
    engine.commit(plan, engine.decide(plan, ANA))
    await shown_once(root)
    record = Glance(str(root.path), root.pins.path).look()
    assert record is not None
    seen = from_bytes(record)
    assert seen is not None
    assert said not in str(dict(seen.topics))
    assert seen.withheld == 1


def _with_summary(text: str, said: str) -> str:
    return text.replace("## Facts and lessons", f"## Summary\n\n{said}\n\n## Facts and lessons")


async def test_what_is_kept_draws_the_same_rows_and_cards(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        facts = desk.app.facts
        assert facts is not None
        page = desk.app.console_screen.page
        assert isinstance(page, IndexPage)
        seen = from_bytes(to_bytes(overview(facts)))
        assert seen is not None
        other = IndexPage(desk.app.console_screen, seen)
        keys = other._index_rows(seen)
        assert len(keys) == 7
        for key in keys:
            for width in (60, 100):
                assert plain(other.row(key, width)) == plain(page.row(key, width))
                assert other.card(key, width) == page.card(key, width)


@pytest.mark.parametrize("record", [b"", b"{}", b"[]", b"nothing\nof this", b'[[["items"]],[],[]]', b"[1,2,3]\n[]"])
def test_what_was_kept_by_another_version_is_not_shown(record: bytes) -> None:
    assert from_bytes(record) is None


async def test_a_store_that_keeps_nothing_is_asked_in_vain() -> None:
    async with opened(MemoryStore(snapshot())) as desk:
        await asyncio.sleep(0.05)
        await desk.settle()
        assert "gateway" in desk.text
