"""What the terminal shows, cell by cell, so that only cells that change are sent to it.

Textual paints a region again whenever anything in it may have changed, several times for one dialog. Over a slow line
each of those pictures is seconds; here they cost what they change.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress, groupby
from operator import ne, or_
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.cache import LRUCache
from textual.strip import Strip

from tui import display

_ATTRIBUTES = ("bold", "dim", "italic", "underline", "blink", "blink2", "reverse", "conceal", "strike")
"""In the order of their SGR codes, from 1."""
_SEEN_ON_BLANK = frozenset(str(1 + _ATTRIBUTES.index(name)) for name in ("underline", "reverse", "strike"))
_GAP = 4
"""So many unchanged cells between changed ones cost less than a move of the cursor."""


_KEPT = 512
"""So many strips have their cells kept: the rows of a few screens."""


class Look(NamedTuple):
    """How a cell is drawn, as SGR codes."""

    attributes: frozenset[str] = frozenset()
    color: str = ""
    background: str = ""
    blank: bool = False
    """A blank of which only the background is seen."""


PLAIN = Look()


class Frames:
    """The cells of one terminal."""

    def __init__(self, *, colors: bool = True) -> None:
        """Without `colors` nothing but attributes is sent: the terminal keeps its own colours."""
        self._colors = colors
        self._texts: list[list[str]] = []
        self._looks: list[list[Look | None]] = []
        self._kept: LRUCache[int, tuple[Strip, list[str], list[Look | None]]] = LRUCache(_KEPT)
        self._joined = False
        """Whether a character of several code points was ever drawn: most memories have none."""
        self.known = False
        """Whether every cell of the terminal is known: the next picture must be a whole one where not."""

    def forget(self) -> None:
        """The terminal was resized, or somebody else wrote to it."""
        self.known = False

    def update(self, update: CompositorUpdate, console: Console) -> str:
        """What to send so that the terminal shows this picture, or this part of one; '' where it does already."""
        system = console._color_system or ColorSystem.TRUECOLOR
        if isinstance(update, LayoutUpdate) and not self.known:
            width, height = update.region.size
            self._texts = [[""] * width for _ in range(height)]
            self._looks = [[None] * width for _ in range(height)]
            self.known = True
        rows: dict[int, tuple[list[str], list[Look | None]]] = {}
        for x, y, strip in _parts(update):
            if not 0 <= y < len(self._texts):
                continue
            texts, looks = self._split(strip, system if self._colors else None)
            row = rows.get(y)
            if row is None:
                row = rows[y] = (self._texts[y].copy(), self._looks[y].copy())
            end = min(x + len(texts), len(row[0]))
            row[0][x:end], row[1][x:end] = texts[: end - x], looks[: end - x]
        pen = Pen()
        for y, (texts, looks) in sorted(rows.items()):
            if texts == self._texts[y] and looks == self._looks[y]:
                continue
            for start, end in _changed(self._texts[y], self._looks[y], texts, looks, joined=self._joined):
                pen.write(start, y, texts[start:end], looks[start:end])
            self._texts[y], self._looks[y] = texts, looks
        return pen.done()

    def _split(self, strip: Strip, system: ColorSystem | None) -> tuple[list[str], list[Look | None]]:
        """The cells of a strip. A row that only moves is the very strip that it was, and is split no second time."""
        kept = self._kept.get(id(strip))  # a strip cannot be hashed, and its number is its own while it is kept
        if kept is not None:
            return kept[1], kept[2]
        texts: list[str] = []
        looks: list[Look | None] = []
        for text, style, control in strip:
            if control or not text:
                continue
            cells = _cells(text)
            look, blank = _look(style, system) if style is not None else _NO_STYLE
            texts.extend(cells)
            looks.extend([blank if cell == " " else look for cell in cells])
        self._joined = self._joined or _has_joined(texts)
        self._kept[id(strip)] = strip, texts, looks
        return texts, looks


class Drawn(CompositorUpdate):
    """A picture as what is to be sent for it."""

    def __init__(self, sequence: str) -> None:
        self.sequence = sequence

    def render_segments(self, console: Console) -> str:
        """The sequence."""
        return self.sequence


class Pen:
    """Writes runs of cells with as few codes as they need."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._look = PLAIN

    def write(self, x: int, y: int, texts: list[str], looks: list[Look | None]) -> None:
        """Write cells from (x, y) on."""
        out = self._out
        out.append(f"\x1b[{y + 1};{x + 1}H")
        uncertain = _has_joined(texts)
        at = 0
        for look, cells in groupby(looks):
            end = at + len(list(cells))
            if look is not None:
                codes, self._look = _change(self._look, look)
                if codes:
                    out.append(codes)
            if uncertain:
                out.extend(_placed(x, y, texts, at, end))
            else:
                out.append("".join(texts[at:end]))
            at = end

    def done(self) -> str:
        """All that was written, the terminal's own look after it."""
        if self._look != PLAIN:
            self._out.append("\x1b[0m")
        return "".join(self._out)


def _has_joined(texts: list[str]) -> bool:
    return max(map(len, texts), default=0) > 1


def _placed(x: int, y: int, texts: list[str], start: int, end: int) -> Iterator[str]:
    """Cells `start` to `end` of a run that begins at (x, y); after a joined character, where the next one stands."""
    for at in range(start, end):
        yield texts[at]
        if len(texts[at]) > 1 and at + 1 < len(texts):  # terminals differ about its width
            cells = 1 + next((n for n, after in enumerate(texts[at + 1 :]) if after), 0)
            yield f"\x1b[{y + 1};{x + at + cells + 1}H"


@lru_cache(4096)
def _change(now: Look, to: Look) -> tuple[str, Look]:
    """The codes that change one look to another, and the look after them."""
    if to.blank:
        if now.attributes & _SEEN_ON_BLANK or (now.background and not to.background):
            after = Look(frozenset(), "", to.background)
            return _sgr("0", to.background), after
        after = now._replace(background=to.background)
        return (_sgr(to.background) if now.background != to.background else ""), after
    if now == to:
        return "", to
    if now.attributes - to.attributes or (now.color and not to.color) or (now.background and not to.background):
        return _sgr("0", *sorted(to.attributes), to.color, to.background), to
    color = to.color if to.color != now.color else ""
    background = to.background if to.background != now.background else ""
    return _sgr(*sorted(to.attributes - now.attributes), color, background), to


def _sgr(*codes: str) -> str:
    return f"\x1b[{';'.join(filter(None, codes))}m"


@lru_cache(1024)
def _look(style: Style, system: ColorSystem | None) -> tuple[Look, Look]:
    """The look of a style, and that of its blanks."""
    codes = frozenset(str(1 + at) for at, name in enumerate(_ATTRIBUTES) if getattr(style, name))
    color = background = ""
    if system is not None:
        color = ";".join(style.color.downgrade(system).get_ansi_codes()) if style.color else ""
        background = ";".join(style.bgcolor.downgrade(system).get_ansi_codes(foreground=False)) if style.bgcolor else ""
    look = Look(codes, color, background)
    return look, look if codes & _SEEN_ON_BLANK else Look(frozenset(), "", background, blank=True)


_NO_STYLE = (PLAIN, Look(blank=True))


@lru_cache(4096)
def _cells(text: str) -> tuple[str, ...]:
    """The cells of a text: a wide character stands in its first one, '' in the next."""
    if text.isascii():
        return tuple(text)
    cells: list[str] = []
    for cluster, size in display.graphemes(text):
        if size:
            cells.extend((cluster, *[""] * (size - 1)))
        elif cells:
            cells[-1] += cluster
    return tuple(cells)


def _parts(update: CompositorUpdate) -> Iterator[tuple[int, int, Strip]]:
    """The strips of an update, each with where it begins."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield x, y, strip
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, start, stop in update.spans:
            for end, (x, part) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if part is not None and x < stop and end > start:
                    yield x, y, part if end <= stop else part.crop(0, stop - x)


def _changed(
    texts: list[str], looks: list[Look | None], new_texts: list[str], new_looks: list[Look | None], *, joined: bool
) -> Iterator[tuple[int, int]]:
    """The runs of a row that differ, as (first, last + 1)."""
    width = len(new_texts)
    if joined and (_has_joined(texts) or _has_joined(new_texts)):
        yield 0, width  # where it ends on the screen is not certain: a part of the row would not fit the rest
        return
    start = end = -1
    differ = map(or_, map(ne, texts, new_texts), map(ne, looks, new_looks))
    for x in compress(range(width), differ):
        if x - end > _GAP or start < 0:
            if start >= 0:
                yield start, end
            start = x
        end = x + 1
    yield start, end
