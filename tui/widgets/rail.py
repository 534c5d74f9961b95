"""The rail of screens with their counts: a column at the left, one line at the top where it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.message import Message
from textual.strip import Strip

from tui.lines import EMPTY, Line, cells, line, spread
from tui.widgets.paint import Painted

WIDTH = 20
_LENGTHS = ("Index", "Log")


class Stop(NamedTuple):
    """One screen on the rail. `tally` is what it holds, '' where that is not known; `waits` colours it."""

    number: int
    title: str
    short: str
    tally: str = ""
    waits: bool = False


class Way(NamedTuple):
    """How much the one line says of the other screens; the current one always has its name and count."""

    short: bool
    all_counts: bool = False
    tight: bool = False
    """No blank between number and name, and none before the first."""
    counted: int = 9
    """Screens up to this number have their count: all of them, or those where something waits for a human."""
    work: bool = False
    """Also where something is only suggested; how long the Index and the Log are is no work."""
    names: bool = True


WAYS = (
    Way(short=False, all_counts=True),
    Way(short=True, all_counts=True),
    Way(short=False),
    *(
        Way(short=True, counted=number, work=work, tight=tight)
        for work in (True, False)
        for number in (9, 8)
        for tight in (False, True)
    ),
    *(Way(short=True, counted=number, tight=True) for number in range(7, -1, -1)),
    Way(short=True, counted=0, names=False),
)
"""From the most to the least."""


class Rail(Painted):
    """The screens, the current one marked."""

    DEFAULT_CSS = f"""
    Rail {{ width: {WIDTH}; height: 1fr; padding: 1 0 0 0; }}
    .-narrow Rail {{ width: 1fr; height: 1; padding: 0; }}
    """

    SCOPED_CSS: ClassVar[bool] = False

    class Chosen(Message):
        """A screen was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self) -> None:
        super().__init__()
        self._stops: Sequence[Stop] = ()
        self._current = 0

    def show(self, stops: Sequence[Stop], current: int) -> None:
        """Show these screens, with the number of the current one."""
        if (stops, current) != (self._stops, self._current):
            self._stops, self._current = stops, current
            self.refresh()

    @property
    def _narrow(self) -> bool:
        return self.size.height <= 1

    def render_line(self, y: int) -> Strip:
        """Draw one screen, or all of them on one line."""
        width = self.size.width
        if self._narrow:
            return self.strip(self.one_line(width), width)
        return self.strip(self.row(self._stops[y], width) if y < len(self._stops) else EMPTY, width)

    def row(self, stop: Stop, width: int) -> Line:
        """One screen of the column."""
        here = stop.number == self._current
        left = line((f" {stop.number} ", "key" if here else "dim"), (stop.title, "strong" if here else ""))
        role = "waits" if stop.waits else "" if here else "dim"
        return spread(left, line((stop.tally, role), " "), width, gap=1)

    def one_line(self, width: int) -> Line:
        """All screens on one line; in `WAYS`, the first that fits."""
        return tuple(span for part in self._parts(width) for span in part)

    def _parts(self, width: int) -> list[Line]:
        parts: list[Line] = []
        for way in WAYS:
            parts = [self._inline(stop, way) for stop in self._stops]
            parts[-1:] = [part[:-1] for part in parts[-1:]]  # no blank at the end
            if sum(map(cells, parts)) <= width:
                break
        return parts

    def _inline(self, stop: Stop, way: Way) -> Line:
        here = stop.number == self._current
        name = stop.short if way.short else stop.title
        if here:
            name = name.upper()
        elif not way.names:
            name = ""
        suggested = way.work and stop.title not in _LENGTHS and stop.tally != "0"
        counted = stop.number <= way.counted and (stop.waits or way.all_counts or suggested)
        tally = stop.tally if counted or here else ""
        blank = "" if way.tight else " "
        return line(
            (f"{'' if way.tight and stop.number == 1 else ' '}{stop.number}", "key" if here else "dim"),
            (f"{blank}{name}" if name else "", "accent" if here else ""),
            (f" {tally}" if tally else "", "waits" if stop.waits else "dim"),
            " ",
        )

    def on_click(self, event: events.Click) -> None:
        """Go to the screen clicked."""
        if not self._narrow:
            index = event.y - 1
            if 0 <= index < len(self._stops):
                self.post_message(self.Chosen(self._stops[index].number))
            return
        at = 0
        for stop, part in zip(self._stops, self._parts(self.size.width), strict=True):
            at += cells(part)
            if event.x < at:
                self.post_message(self.Chosen(stop.number))
                return
