"""Only cells that change are sent to the terminal, and it shows the same as if all were."""

from __future__ import annotations

import random

import pyte
import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

import tui.frames
from tui.frames import Frames

WIDTH, HEIGHT = 24, 4
TERMINAL = Console(color_system="256", force_terminal=True, width=WIDTH, height=HEIGHT)
STYLES = [
    Style(),
    Style(color="color(246)", bgcolor="color(233)"),
    Style(color="color(253)", bgcolor="color(233)", bold=True),
    Style(color="color(253)", bgcolor="color(24)"),
    Style(bgcolor="color(24)", underline=True),
    Style(reverse=True),
    Style(dim=True, color="red"),
]
PIECES = ["abc", " ", "   ", "部署", "x", "…", "│", "沙箱 y"]


def picture(*rows: list[tuple[str, Style]]) -> LayoutUpdate:
    """A whole picture of these rows."""
    strips = [[Strip([Segment(text, style) for text, style in row]).adjust_cell_length(WIDTH, Style())] for row in rows]
    return LayoutUpdate(strips, Region(0, 0, WIDTH, HEIGHT))  # type: ignore[arg-type]


def random_row(chance: random.Random) -> list[tuple[str, Style]]:
    return [(chance.choice(PIECES), chance.choice(STYLES)) for _ in range(chance.randint(0, 12))]


def cells(screen: pyte.Screen) -> list[tuple[object, ...]]:
    """What is seen of each cell: of a blank, only its background (unless it is underlined or reversed)."""
    seen: list[tuple[object, ...]] = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            cell = screen.buffer[y][x]
            if cell.data == " " and not (cell.underscore or cell.reverse):
                seen.append((" ", cell.bg))
            else:
                seen.append((cell.data, cell.fg, cell.bg, cell.bold, cell.underscore, cell.reverse))
    return seen


def test_the_terminal_shows_what_it_would_show_if_everything_were_sent() -> None:
    chance = random.Random(7)
    frames, here, there = Frames(), pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    changed, whole = pyte.Stream(here), pyte.Stream(there)
    for screen in (here, there):
        screen.reset_mode(pyte.modes.DECAWM)
    rows = [random_row(chance) for _ in range(HEIGHT)]
    for _ in range(400):
        rows[chance.randrange(HEIGHT)] = random_row(chance)
        update = picture(*rows)
        changed.feed(frames.update(update, TERMINAL))
        whole.feed(update.render_segments(TERMINAL))
        assert cells(here) == cells(there)


def test_a_picture_that_is_there_already_costs_nothing() -> None:
    frames = Frames()
    update = picture([("部署前先备份", STYLES[2])], [("a", STYLES[1])], [], [])
    assert "部署前先备份" in frames.update(update, TERMINAL)
    assert frames.update(update, TERMINAL) == ""


def test_one_letter_costs_one_letter_and_its_place() -> None:
    frames = Frames()
    frames.update(picture([("port 8080", Style())], [], [], []), TERMINAL)
    assert frames.update(picture([("port 9080", Style())], [], [], []), TERMINAL) == "\x1b[1;6H9"


def test_after_a_resize_everything_is_sent_again() -> None:
    frames = Frames()
    update = picture([("port 8080", Style())], [], [], [])
    frames.update(update, TERMINAL)
    frames.forget()
    assert "port 8080" in frames.update(update, TERMINAL)


def test_a_row_with_a_joined_emoji_is_sent_whole_since_terminals_differ_about_its_width() -> None:
    frames = Frames()
    family = "👩‍👩‍👧"
    frames.update(picture([(f"{family} ok", Style())], [], [], []), TERMINAL)
    assert f"{family}\x1b[1;3H ok" in frames.update(picture([(f"{family} no", Style())], [], [], []), TERMINAL).replace(
        "no", "ok"
    )


def test_without_colours_only_attributes_are_sent() -> None:
    frames = Frames(colors=False)
    sent = frames.update(
        picture([("bold", STYLES[2]), ("plain", STYLES[3]), ("turned", STYLES[5])], [], [], []), TERMINAL
    )
    assert "\x1b[1mbold\x1b[0mplain\x1b[7mturned" in sent
    assert ";5;" not in sent


def test_a_row_that_moves_is_not_taken_apart_again(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    whole = tui.frames._cells
    monkeypatch.setattr(tui.frames, "_cells", lambda text: (taken.append(text), whole(text))[1])
    rows = [Strip([Segment(f"row {number}", Style())]).adjust_cell_length(WIDTH) for number in range(6)]
    frames = Frames()
    for top in (0, 1):
        taken.clear()
        update = LayoutUpdate([[strip] for strip in rows[top : top + HEIGHT]], Region(0, 0, WIDTH, HEIGHT))
        sent = frames.update(update, TERMINAL)
    assert [text for text in taken if text.strip()] == ["row 4"]
    assert sent == "".join(f"\x1b[{y};5H{y}" for y in range(1, 5))
