"""A pane of lines that scrolls: details, plans, diffs, help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from textual.binding import Binding
from textual.geometry import Region, Size
from textual.strip import Strip

from tui.lines import Line
from tui.widgets.paint import PaintedScroll

Build = Callable[[int], Sequence[Line]]
"""Lines made for a width in cells."""


class TextPane(PaintedScroll, can_focus=True):
    """Lines made for the width at hand, and made again when it changes."""

    BINDINGS = [  # noqa: RUF012  # Textual declares it as a plain list
        Binding("down,j", "scroll_down", show=False),
        Binding("up,k", "scroll_up", show=False),
        Binding("pagedown,ctrl+d,space", "page_down", show=False),
        Binding("pageup,ctrl+u", "page_up", show=False),
        Binding("g,home", "scroll_home", show=False),
        Binding("G,end", "scroll_end", show=False),
    ]

    def __init__(self, build: Build | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._build: Build = build or (lambda width: ())
        self._lines: Sequence[Line] = ()
        self._made_for = 0
        self._measured: tuple[int, int] | None = None

    def show(self, build: Build, *, top: bool = True) -> None:
        """Show the lines that `build` makes; from the `top` unless the text is the same one made anew."""
        before, made_for, offset = self._lines, self._made_for, self.scroll_offset.y
        self._build = build
        self._made_for = 0
        self._measured = None
        self._make()
        if top:
            self.scroll_to(y=0, animate=False, force=True)
        if self.styles.is_auto_height or (self._made_for, self.scroll_offset.y) != (made_for, offset):
            self.refresh(layout=self.styles.is_auto_height)
        else:
            self._refresh_changed(before)

    def _refresh_changed(self, before: Sequence[Line]) -> None:
        """Draw the lines in view that read otherwise than they did."""
        top, (width, height) = self.scroll_offset.y, self.size
        for y, (was, now) in enumerate(zip_longest(before[top : top + height], self._lines[top : top + height])):
            if was != now:
                self.refresh(Region(0, y, width, 1))

    def go_to_line(self, index: int) -> None:
        """Bring line `index` near the top."""
        self.scroll_to(y=max(index - 2, 0), animate=False, force=True)

    @property
    def text(self) -> str:
        """The lines as plain text."""
        self._make()
        return "\n".join("".join(span.text for span in spans) for spans in self._lines)

    def _make(self) -> None:
        width = self.room
        if width > 0 and width != self._made_for:
            self._made_for = width
            self._lines = self._build(width)
            self.set_height(len(self._lines))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are at this width. It only measures: what it set would be laid out again."""
        room = max(width - self.scrollbar_size_vertical, 1)
        if room == self._made_for:
            return len(self._lines)
        if self._measured is None or self._measured[0] != room:
            self._measured = (room, len(self._build(room)))
        return self._measured[1]

    def on_resize(self) -> None:
        """Make the lines for the new width."""
        self._make()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.room
        if width != self._made_for:
            self._make()
        index = self.scroll_offset.y + y
        if index >= len(self._lines):
            return Strip.blank(width, self.background())
        return self.strip(self._lines[index], width)
