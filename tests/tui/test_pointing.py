"""Clicks, terminals that change their size, and the words that name where one is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tui.driving import Desk, opened
from tests.tui.files import BACKUP, RETRIES, Root, into, make
from tui.screens.confirm import ConfirmScreen
from tui.screens.form import FormScreen
from tui.screens.table import SCREENS
from tui.terminal_app import titled
from tui.widgets.rail import Rail
from tui.widgets.virtual_list import VirtualList


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return make(tmp_path, lambda files: None)


async def click(desk: Desk, words: str, *, nth: int = 0) -> None:
    """Click where `words` stand on the screen."""
    from tui import display

    found = [
        (display.width(row[: row.index(words)]) + 1, y) for y, row in enumerate(desk.text.split("\n")) if words in row
    ]
    assert found, desk.text
    await desk.pilot.click(offset=found[nth])
    await desk.settle()


@pytest.mark.parametrize("size", [(140, 40), (100, 30)])
async def test_a_click_on_the_rail_goes_to_a_screen(size: tuple[int, int]) -> None:
    async with opened(size=size) as desk:
        for row in reversed(SCREENS):
            await click(desk, f" {row.number} {row.title}")
            assert desk.app.console_screen.current == row.number


@pytest.mark.parametrize("width", [99, 80, 60, 40])
async def test_a_click_on_the_one_line_rail_goes_to_the_screen_that_stands_there(width: int) -> None:
    async with opened(size=(width, 24)) as desk:
        for row in reversed(SCREENS):
            line = " " + desk.text.split("\n")[1]
            found = re.search(rf" {row.number} ?(?:{row.title}|{row.short})", line, re.IGNORECASE)
            at = found.start() if found is not None else f"{line} ".index(f" {row.number} ")
            await desk.pilot.click(offset=(at, 1))
            await desk.settle()
            assert desk.app.console_screen.current == row.number


@pytest.mark.parametrize("width", [99, 80, 70, 60, 40])
async def test_the_current_screen_is_named_with_its_count_at_every_width(width: int) -> None:
    async with opened(size=(width, 24)) as desk:
        for row in SCREENS:
            await desk.press(str(row.number))
            line = desk.text.split("\n")[1]
            stop = next(stop for stop in desk.app.console_screen.query_one(Rail)._stops if stop.number == row.number)
            names = f"(?:{row.title}|{row.short})".upper()
            assert re.search(rf"\b{row.number} ?{names} {stop.tally}".rstrip(), line), line
            assert "…" not in line


async def test_a_click_on_a_row_puts_the_cursor_there(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, RETRIES)
        await click(desk, "部署前先备份数据库")
        assert desk.key == BACKUP
        assert isinstance(desk.app.focused, VirtualList)


async def test_clicks_choose_in_a_confirmation_and_a_form(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("s")
        await click(desk, "[ Cancel ]")
        assert "cancelled" in desk.receipt
        await desk.press("s")
        await desk.armed()
        await click(desk, " y  Mark stale")
        assert "Status: stale" in root.text("topics/deploy.md")
        await into(desk, BACKUP)
        await desk.press("w")
        assert isinstance(desk.app.screen, FormScreen)
        await click(desk, "[ Cancel ]")
        assert desk.app.screen is desk.app.console_screen


@pytest.mark.parametrize("to", [(80, 24), (60, 16), (160, 45), (40, 10)])
async def test_a_confirmation_stays_usable_when_the_terminal_changes_its_size(root: Root, to: tuple[int, int]) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, RETRIES)
        await desk.press("v", "v", "s")
        await desk.resize(*to)
        assert isinstance(desk.app.screen, ConfirmScreen)
        assert "[ Cancel ]" in desk.text
        assert "y  Mark" in desk.text
        assert max(map(len, desk.text.split("\n"))) <= to[0]
        await desk.confirm()
        assert root.text("topics/deploy.md").count("Status: stale") == 2
        await desk.resize(140, 40)
        assert "✓" in desk.text


@pytest.mark.parametrize("to", [(80, 24), (60, 14), (160, 45)])
async def test_a_form_keeps_what_was_typed_when_the_terminal_changes_its_size(root: Root, to: tuple[int, int]) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, RETRIES)
        await desk.press("K", *"gateway:")
        await desk.resize(*to)
        assert "gateway:" in desk.text
        assert "[ Cancel ]" in desk.text
        await desk.press(*"retries", "enter")
        await desk.confirm()
        assert "subject: gateway:retries\n" in root.text("topics/deploy.md")


async def test_the_cursor_and_the_filter_outlive_a_change_of_size(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        for size in ((80, 24), (200, 50), (40, 12), (140, 40)):
            await desk.resize(*size)
            assert desk.key == BACKUP
            assert "部署前先备份" in desk.text


async def test_the_title_follows_the_screen_and_the_dialog_in_words(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        place = desk.app.sub_title.rpartition(", ")[2]
        for row in SCREENS:
            await desk.press(str(row.number))
            assert desk.app.sub_title.startswith(row.title)
            assert desk.app.sub_title.endswith(place)
        await desk.press("2")
        assert desk.app.sub_title.startswith("Review 2, ")
        await into(desk, BACKUP)
        await desk.press("s")
        assert desk.app.sub_title.startswith("Mark 1 item stale")
        await desk.press("escape")
        assert desk.app.sub_title.startswith("Index 5, ")


async def test_no_title_carries_what_would_act_on_the_terminal() -> None:
    async with opened() as desk:
        desk.app.root = "/somewhere/mem\x1b]0;owned\x07\u202eory"
        desk.app.say_where("Review\x1b[2J")
        assert not set(desk.app.sub_title) & set("\x1b\x07\u202e")


def test_plain_terminals_get_no_title() -> None:
    assert titled({"TERM": "xterm-256color"})
    assert not any(titled({"TERM": name}) for name in ("linux", "dumb", ""))
