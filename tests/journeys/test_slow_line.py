"""What the console sends: over a line of 9600 baud a key is 0.3 seconds, and a still screen sends nothing."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Program
from tests.journeys.terminal import Terminal, console


def cost(terminal: Terminal, key: str) -> int:
    """How many bytes a key sets off."""
    before = len(terminal.raw)
    terminal.press(key)
    return len(terminal.raw) - before


def test_a_key_costs_what_it_changes_and_a_still_screen_nothing(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with console(program, "demo", size=(80, 24)) as terminal:
        terminal.wait("● live")
        terminal.rest(2.0)
        before = len(terminal.raw)
        assert not terminal.read(2.0), terminal.raw[before:]
        terminal.press("2")
        costs = [cost(terminal, key) for key in ("down", "down", "up")]
        assert max(costs) <= 360, costs
        assert cost(terminal, "3") <= 4_000
        terminal.press("2")
        assert cost(terminal, "s") <= 5_000  # the plan
        assert cost(terminal, "escape") <= 5_000
        assert "nothing was written" in terminal.text


def test_paging_through_help_and_a_still_palette_cost_what_they_show(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with console(program, "demo", size=(80, 24)) as terminal:
        terminal.wait("● live")
        terminal.press("?")
        assert cost(terminal, " ") <= 5_000
        assert cost(terminal, "G") <= 5_000
        terminal.press("escape")
        terminal.type("\x10")
        terminal.wait("Search for commands")
        terminal.rest(1.0)
        before = len(terminal.raw)
        assert not terminal.read(2.0), terminal.raw[before:]


def test_keys_typed_before_a_lagging_terminal_has_drawn_the_plan_confirm_nothing(tmp_path: Path) -> None:
    program = Program(tmp_path)
    with console(program, "demo", size=(80, 24)) as terminal:
        terminal.answering = True
        terminal.wait("● live")
        terminal.press("2")
        terminal.rest(1.0)
        terminal.answering = False  # from here on what the program sends is still under way
        terminal.type("s")
        terminal.wait("Cancel")
        terminal.rest(1.0)
        for _ in range(3):
            terminal.type("y")
            terminal.rest(0.4)
        assert "[ Cancel ]" in terminal.text
        assert "writing" not in terminal.text
        assert "memlog-" not in terminal.text
        terminal.answer()  # now it is drawn
        terminal.rest(0.6)
        terminal.type("y")
        terminal.wait("u undoes")
