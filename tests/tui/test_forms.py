"""Forms: what `enter` does is said where it is pressed, long text wraps, and no paste goes on by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input, TextArea

from tests.tui.driving import Desk, opened
from tests.tui.files import Root, make
from tests.tui.test_curating import alike
from tests.tui.test_snapshots import pictured
from tui import display
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Dialog
from tui.screens.form import FormScreen
from tui.widgets.long_text import LongText

LONG = "部署前先备份数据库，再执行迁移脚本，然后通知值班同事，" * 6
SIZES = ((80, 24), (200, 60), (60, 20), (80, 24))


def lessons(files: dict[str, str]) -> None:
    alike(files, "Drain the node before restarting it.", "Always drain the node before restarting it.")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return make(tmp_path, lessons)


async def test_each_form_says_what_enter_does_in_the_field_at_hand() -> None:
    async with opened(pictured(), size=(80, 24)) as desk:
        await desk.press("5", "S")
        assert isinstance(desk.app.screen, FormScreen), desk.text
        assert "enter goes to the next field" in desk.text
        assert "← → choose" in desk.text
        await desk.press("enter")
        assert isinstance(desk.app.screen, FormScreen)
        assert "enter shows the plan" in desk.text
        assert "next field" not in desk.text
        await desk.press("enter")
        assert isinstance(desk.app.screen, ConfirmScreen), desk.text


async def test_a_form_of_one_field_and_one_that_writes_at_once_say_so(tmp_path: Path) -> None:
    async with opened(size=(80, 24)) as desk:
        await desk.press("3", ">")
        assert "enter shows the plan" in desk.text
        assert "nothing written yet" in desk.text
        await desk.press("escape", "2", "P")
        assert "enter: write it" in desk.text
        assert "nothing written yet" not in desk.text


async def merge(desk: Desk) -> LongText:
    await desk.press("4", "m")
    return desk.app.screen.query_one(LongText)


async def test_the_folded_text_wraps_with_wide_characters_aligned(root: Root) -> None:
    async with opened(root.store, door=root.door(), size=(80, 24)) as desk:
        field = await merge(desk)
        await desk.press("ctrl+u")
        desk.app.post_message(events.Paste(LONG))
        await desk.settle()
        rows = [row for row in desk.text.split("\n") if "部署" in row or "备份" in row or "通知" in row]
        assert len(rows) >= 4, desk.text
        assert "".join("".join(rows).replace("│", "").replace("text", "").split()).count("部署前先备份数据库") == 6
        assert {display.width(row) for row in rows} == {80}, "the box ends in one column"
        assert field.value == LONG
        assert "[ Cancel ]" in desk.text
        assert "enter shows the plan" in desk.text


@pytest.mark.parametrize("pasted", ["one\ntwo\n", "one\r\ntwo\r\n\r\n", "\n\n", "one\rtwo\r"])
async def test_a_pasted_line_break_is_a_blank_and_goes_on_to_nothing(root: Root, pasted: str) -> None:
    before = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door(), size=(80, 24)) as desk:
        field = await merge(desk)
        await desk.press("ctrl+u")
        desk.app.post_message(events.Paste(pasted))
        await desk.settle()
        assert isinstance(desk.app.screen, FormScreen)
        assert field.value == " ".join(pasted.split())
        assert root.text("topics/deploy.md") == before


async def test_arrows_move_within_long_text_and_leave_it_at_its_last_line(root: Root) -> None:
    async with opened(root.store, door=root.door(), size=(80, 24)) as desk:
        field = await merge(desk)
        await desk.press("ctrl+u", *"word " * 30, "up", "X")
        assert "X" in field.value[:-10]
        await desk.press("up", "up", "up", "up")
        assert desk.app.focused is field, "there is nothing above it"
        await desk.press(*["down"] * 4)
        assert desk.app.focused is not field
        assert desk.app.focused is not None
        assert desk.app.focused.id == "cancel"
        assert "enter cancels" in desk.text


def state(desk: Desk) -> tuple[object, ...]:
    """The dialog, where its focus is, and what its fields hold."""
    screen = desk.app.screen
    assert isinstance(screen, Dialog)
    fields = [field.value for field in screen.query(Input)] + [field.text for field in screen.query(TextArea)]
    return screen, screen.focused, fields


@pytest.mark.parametrize(
    "keys", [("2", "s"), ("5", "S"), ("5", "S", "enter"), ("4", "m"), ("6", "x"), ("question_mark",)]
)
async def test_a_dialog_that_is_resized_loses_nothing_and_keeps_its_focus(keys: tuple[str, ...]) -> None:
    async with opened(pictured(), size=(80, 24)) as desk:
        await desk.press(*keys)
        shown = ["[ Cancel ]"] if "[ Cancel ]" in desk.text else []
        if isinstance(desk.app.screen, FormScreen) and isinstance(desk.app.focused, Input | TextArea):
            await desk.press(*"kept ", *"值班")
            shown += ["kept 值班"]
        before = state(desk)
        for size in SIZES:
            await desk.resize(*size)
            assert state(desk) == before
            for words in shown:
                assert words in desk.text, (size, desk.text)
            assert desk.app.focused is None or desk.app.focused.region.height, "it is in view"
        if isinstance(desk.app.screen, ConfirmScreen):
            await desk.confirm()
            assert "✓" in desk.receipt
