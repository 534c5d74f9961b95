"""One table of verbs: keys, footer, help and palette say the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.authority import AUTHORITY
from core.commands import COMMANDS
from tests.tui.driving import opened
from tui.console import Console
from tui.looking import LOOKS
from tui.screens.table import NUMBERS, SCREENS
from tui.verbs import DECISIONS, VERBS, by_key, footer_of, key_table, verb, verbs_of


@pytest.mark.parametrize("screen", sorted(NUMBERS))
def test_a_key_means_one_verb_on_a_screen(screen: int) -> None:
    keys = [entry.key for entry in verbs_of(screen)]
    assert len(set(keys)) == len(keys)
    assert all(by_key(entry.key, screen) is entry for entry in verbs_of(screen))


def test_a_key_means_the_same_everywhere() -> None:
    names: dict[str, set[str]] = {}
    for entry in VERBS:
        names.setdefault(entry.key, set()).add(entry.name)
    assert all(len(found) == 1 for found in names.values())


def test_movement_keys_are_no_verbs() -> None:
    assert not {entry.key for entry in VERBS} & {"j", "k", "g", "G", "down", "pagedown"}


def test_decisions_name_commands_of_the_engine_with_their_authority() -> None:
    commands = {name for name, _ in COMMANDS.values()}
    for entry in DECISIONS:
        assert entry.command in commands
        assert entry.command in AUTHORITY
        assert entry.authority != "anyone"
        assert entry.undo
        assert entry.help.endswith(".")


def test_every_verb_acts_on_screens_that_there_are_and_is_carried_out() -> None:
    for entry in VERBS:
        assert set(entry.screens) <= NUMBERS
        assert (
            entry in DECISIONS or entry.name in LOOKS or entry.name in ("quit", "up and down", "screens", "palette")
        ), entry.name


def test_every_screen_is_numbered_named_and_bound() -> None:
    keys = {binding.key for binding in Console.BINDINGS if hasattr(binding, "key")}
    for row in SCREENS:
        page = row.load()
        assert row.number == page.NUMBER
        assert str(row.number) in keys


def test_the_key_table_names_all() -> None:
    assert [row[1] for row in key_table()] == [entry.name for entry in VERBS]
    with pytest.raises(KeyError):
        verb("nothing")


@pytest.mark.parametrize("width", [80, 100, 140, 200])
async def test_the_footer_shows_the_most_wanted_and_always_help(width: int) -> None:
    async with opened(size=(width, 24)) as desk:
        foot = desk.text.split("\n")[-1]
        first = footer_of(1)[0]
        assert f"{first.keys} {first.label}" in foot
        assert foot.rstrip().endswith("? help")


async def test_the_palette_carries_verbs_out_and_goes_to_screens() -> None:
    async with opened() as desk:
        await desk.press("enter")
        commands = {command.title: command for command in desk.app.get_system_commands(desk.app.screen)}
        for entry in verbs_of(1):
            if entry.name not in ("up and down", "screens", "palette"):
                assert commands[f"{entry.name.capitalize()}  ({entry.keys})"].help == entry.help
        commands["Pend  (p)"].callback()
        await desk.settle()
        assert desk.status("mem-2026-05-11-004") == "pending-cleanup"
        commands["Go to Health"].callback()
        await desk.settle()
        assert desk.app.console_screen.current == 9


async def test_the_palette_opens_over_the_console() -> None:
    from textual.command import CommandPalette

    async with opened() as desk:
        await desk.press("ctrl+p")
        assert isinstance(desk.app.screen, CommandPalette)


async def test_every_theme_shows_every_role() -> None:
    async with opened(size=(100, 30)) as desk:
        for theme in desk.app.available_themes:
            desk.app.theme = theme
            await desk.settle()
            for key in ("2", "9", "1"):
                await desk.press(key)
            assert "pitfalls" in desk.text


def test_the_first_frame_loads_neither_engine_nor_what_it_stands_on() -> None:
    code = (
        "import sys, tui.app\n"
        "heavy = {'typer', 'yaml', 'watchfiles', 'rapidfuzz', 'numpy', 'sqlmodel', 'filelock', 'core.engine',"
        " 'core.reading', 'stores.markdown', 'tui.page', 'tui.cli'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
