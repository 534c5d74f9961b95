"""A picture put together from the front is the same picture, and what stands behind is not drawn for it."""

from __future__ import annotations

import gc
import random

from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor
from textual.app import App, ComposeResult
from textual.containers import Container, Horizontal, VerticalScroll
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from tui.composing import FrontFirst

WIDTH, HEIGHT = 40, 12


class Counted(Container):
    """A container that tells which of its lines were asked for."""

    def __init__(self, *children: Static | Container | Horizontal | VerticalScroll, id: str | None = None) -> None:
        super().__init__(*children, id=id)
        self.asked: list[range] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked.append(range(*crop.line_span))
        return super().render_lines(crop)


class Layered(App[None]):
    """Widgets beside each other, within each other, over each other, and clipped."""

    CSS = """
    Screen { layers: below above; }
    #left { width: 12; height: 6; border: round red; }
    #long { height: 30; width: 50; background: blue; }
    #scroll { width: 1fr; height: 8; padding: 1 2; }
    #over { layer: above; width: 9; height: 3; offset: 8 4; background: green; }
    #behind { width: 1fr; height: 1fr; }
    #within { width: 1fr; height: 1fr; background: $surface; }
    """

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("left 部署 " * 9, id="left")
            with VerticalScroll(id="scroll"):
                yield Static("line\n" * 30, id="long")
        yield Counted(Static("within", id="within"), id="behind")
        yield Static("over", id="over")


def cells(update: ChopsUpdate) -> list[tuple[int, int, list[object]]]:
    """What a part of a picture draws: by place, the characters with their styles."""
    found = []
    for y, start, stop in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True):
            if x < stop and end > start:
                assert strip is not None
                found.append((y, x, [(c, style) for text, style, _ in strip for c in text]))
    return found


async def test_it_makes_the_picture_that_textual_makes() -> None:
    chance = random.Random(7)
    app = Layered()
    async with app.run_test(size=(WIDTH, HEIGHT)):
        theirs = app.screen._compositor
        assert type(theirs) is Compositor
        ours = FrontFirst()
        ours.reflow(app.screen, app.size)
        assert ours.render_strips() == theirs.render_strips()
        for _ in range(200):
            x, y = chance.randrange(WIDTH), chance.randrange(HEIGHT)
            region = Region(x, y, chance.randint(1, WIDTH - x), chance.randint(1, HEIGHT - y))
            parts = []
            for compositor in (ours, theirs):
                compositor._dirty_regions = {region}
                update = compositor.render_update()
                parts.append(cells(update) if isinstance(update, ChopsUpdate) else update)
            if isinstance(parts[0], list):
                assert parts[0] == parts[1]


async def test_what_stands_wholly_behind_is_not_drawn_and_the_rest_only_where_it_changed() -> None:
    app = Layered()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        ours = FrontFirst()
        ours.reflow(app.screen, app.size)
        behind = app.query_one(Counted)
        behind.asked.clear()
        ours.render_strips()
        assert behind.asked == []
        app.query_one("#within").styles.height = 1
        await pilot.pause()
        ours.reflow(app.screen, app.size)
        ours._dirty_regions = {Region(0, HEIGHT - 2, WIDTH, 1)}
        behind.asked.clear()
        ours.render_update()
        assert behind.asked == [range(4, 5)]


class Fresh(Static):
    """A widget whose lines are other ones each time."""

    def render_lines(self, crop: Region) -> list[Strip]:
        return [Strip([Segment("fresh".ljust(crop.width))], crop.width) for _ in crop.line_range]


class Alone(App[None]):
    """One widget, which the whole screen shows."""

    CSS = "Fresh { width: 1fr; height: 1fr; }"

    def compose(self) -> ComposeResult:
        yield Fresh()


async def test_lines_that_were_shown_are_no_garbage_that_must_be_looked_for() -> None:
    app = Alone()
    async with app.run_test(size=(WIDTH, HEIGHT)):
        ours = FrontFirst()
        ours.reflow(app.screen, app.size)
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for _ in range(3):
                assert ours.render_strips()[0].text.startswith("fresh")
            gc.collect()
            left = [one for one in gc.garbage if isinstance(one, Strip) and one.text.startswith("fresh")]
        finally:
            gc.set_debug(0)
            gc.enable()
            gc.garbage.clear()
        assert left == []
