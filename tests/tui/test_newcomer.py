"""What a newcomer meets at 80 columns: the whole height used, a way back, numbers that say what they count."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.memory import MemoryStore
from tests.tui.driving import ITEMS, opened, snapshot
from tests.tui.files import BACKUP, make
from tests.tui.test_snapshots import control, pictured
from tui.glyphs import ASCII_FORMS
from tui.widgets.text_pane import TextPane

NARROW = (80, 24)


@pytest.mark.parametrize("size", [(80, 24), (50, 12)])
async def test_withdrawals_use_the_whole_height_and_show_the_last_scope(size: tuple[int, int]) -> None:
    ids = [one.id or "" for one in ITEMS if one.id]
    controls = tuple(control(number, "withdraw", (ids[number % 3],)) for number in range(1, 15))
    async with opened(MemoryStore(snapshot(controls=controls)), size=size) as desk:
        await desk.press("5")
        assert desk.app.console_screen.page.listing.size.height == size[1] - 5
        await desk.press("G")
        rows = desk.text.splitlines()
        at = next(index for index, row in enumerate(rows) if row.startswith("▌"))
        assert "scope mem-" in rows[at + 1]


async def test_how_to_settle_is_not_cut_off() -> None:
    ids = (ITEMS[0].id or "",)
    controls = (
        control(1, "withdraw", ids),
        control(2, "reinstate", ids, ("memwd-2026-06-01-001",)),
        control(3, "withdraw", ids),
    )
    async with opened(MemoryStore(snapshot(controls=controls)), size=(50, 24)) as desk:
        await desk.press("5")
        assert "! unresolved: settle with S" in desk.text
        assert "choose which event stands; it is a new event" in desk.text


async def test_after_a_withdrawal_the_cursor_is_on_its_event(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None, confirmed=True)
    async with opened(root.store, door=root.door(), size=NARROW) as desk:
        for scope in (BACKUP, "archive/2026-05-11.md#run-3"):
            await desk.press("5", "w", *scope, "enter", "enter")
            await desk.confirm()
            event = root.store.snapshot().events[-1]
            assert event.control is not None
            assert desk.key == ("event", event.control.withdrawal_id, 0)


@pytest.mark.parametrize("size", [NARROW, (140, 40)])
async def test_escape_comes_back_to_the_row_of_the_log_that_led_elsewhere(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    root = make(tmp_path, lambda files: None, confirmed=True)
    async with opened(root.store, door=root.door(), size=size) as desk:
        await desk.press("5", "w", *BACKUP, "enter", "enter")
        await desk.confirm()
        await desk.press("2", "s")
        await desk.confirm()
        await desk.press("8")
        console = desk.app.console_screen
        for at, screen in (("j", 5), ("g", 1)):
            await desk.press(at)
            row = desk.key
            await desk.press(*(("enter",) if size == NARROW else ()), "enter")
            assert console.current == screen
            await desk.press("escape")
            assert (console.current, desk.key) == (8, row)
            await desk.press("escape")
        await desk.press("enter", "enter", "1", "escape")
        assert console.current == 1


async def test_an_event_says_why_in_its_card(tmp_path: Path) -> None:
    why = "the whole run was given up because its premise was found to be wrong twice"
    root = make(tmp_path, lambda files: None, confirmed=True)
    async with opened(root.store, door=root.door(), size=NARROW) as desk:
        await desk.press("5", "w", *BACKUP, "enter", "ctrl+u", *why, "enter")
        await desk.confirm()
        await desk.press("8", "g", "enter")
        assert why in " ".join(desk.text.split())


async def test_numbers_at_the_title_say_what_they_count() -> None:
    ids = [one.id or "" for one in ITEMS if one.id]
    controls = (control(1, "withdraw", (ids[0],)), control(2, "reinstate", (ids[0],), ("memwd-2026-06-01-001",)))
    async with opened(MemoryStore(snapshot(controls=controls)), size=NARROW) as desk:
        for screen, counted in (("1", "2 topics"), ("5", "2 events"), ("9", " rows")):
            await desk.press(screen)
            assert f"{counted}  / filter" in desk.text.splitlines()[2]
        assert "5Withd 1" in desk.text
        await desk.press("5")
        assert "1 chain, 0 excluded" in desk.text
        await desk.press("1", "/", *"port")
        assert "2 of 8 topics and items  / port" in desk.text


async def test_the_rail_keeps_the_last_number_of_duplicates_while_it_searches_anew() -> None:
    async with opened(MemoryStore(pictured()), size=NARROW) as desk:
        console = desk.app.console_screen
        page = next(page for page in console.pages() if page.NUMBER == 4)
        known = page.own_tally()
        assert known is not None
        page._percent = 40
        assert page.own_tally() == known


async def test_enter_on_any_row_of_health_explains_it() -> None:
    async with opened(size=NARROW) as desk:
        await desk.press("9")
        page = desk.app.console_screen.page
        for key in [key for key in page.listing.keys if key not in page.headings()]:
            page.listing.go(key)
            await desk.press("enter")
            (card,) = page.query(".card").results(TextPane)
            assert page.is_open, key
            assert len(card.text.split("\n", 1)[1].split()) > 4, key
            await desk.press("escape")
            assert not page.is_open


async def test_help_begins_with_the_signs_and_what_they_mean() -> None:
    async with opened(size=NARROW) as desk:
        await desk.press("?")
        rows = [row.strip("│ ▁▂▃▄▅▆▇█") for row in desk.text.splitlines()]
        at = rows.index("Signs")
        assert at < 4
        text = desk.app.screen.text
        legend = text[text.index("Signs") : text.index("On 1 Index")]
        for sign in "●◌◐○⊘✕KS✓✗“":
            assert f"\n  {sign}   " in legend
            assert sign.translate(ASCII_FORMS).isascii()


async def test_escape_takes_the_marks_away_once_nothing_else_is_left(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None, confirmed=True)
    async with opened(root.store, door=root.door(), size=NARROW) as desk:
        await desk.press("2", "V", "enter", "escape")
        page = desk.app.console_screen.page
        marks = len(page.listing.marks)
        assert marks
        await desk.press("escape")
        assert not page.listing.marks
        assert desk.receipt == f"{marks} mark{'' if marks == 1 else 's'} taken away"
        assert "marked" not in desk.text.splitlines()[2]
        await desk.press("escape")
        assert "esc goes back" in desk.receipt


async def test_what_clearing_would_mean_is_said_where_it_is_proposed() -> None:
    async with opened() as desk:
        await desk.press("2")
        desk.app.console_screen.page.listing.go_to(0)
        keys = desk.app.console_screen.page.listing.keys
        desk.app.console_screen.page.listing.go(next(key for key in keys if key[0] == "pending-cleanup"))
        await desk.settle()
        (card,) = desk.app.console_screen.page.query(".card").results(TextPane)
        assert "c clear: keep it, it holds; s stale: it does not" in " ".join(card.text.split())
