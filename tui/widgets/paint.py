"""How a role looks in the theme at hand, and the drawing of lines of spans."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from tui import lines
from tui.glyphs import ASCII_FORMS, ascii_wanted
from tui.lines import Line, Span
from tui.themes import HIGH_CONTRAST

ROLE_LOOKS: Mapping[str, tuple[str, Style]] = {
    "dim": ("", Style(dim=True)),
    "strong": ("", Style(bold=True)),
    "head": ("", Style(bold=True)),
    "key": ("text-primary", Style(bold=True)),
    "accent": ("text-primary", Style(bold=True)),
    "waits": ("text-warning", Style()),
    "danger": ("text-error", Style(bold=True)),
    "good": ("text-success", Style()),
    "match": ("", Style(bold=True, underline=True)),
    "add": ("text-success", Style()),
    "del": ("", Style(dim=True)),
    "word": ("", Style(bold=True, underline=True, dim=False)),
    "turn": ("", Style(bold=True, reverse=True, dim=False)),
    "rule": ("", Style(dim=True)),
}
"""By role (`tui.lines.ROLES`): a variable of the theme, or none, and what shows without colour. One accent for the
cursor, one for what waits, red for what cannot be undone; each stands beside a glyph or a weight.

They are looked up in the theme, not in the stylesheet, which would match every rule with every widget at the start."""

ASCII_ONLY = ascii_wanted(os.environ)

_ANSI_RED = (1, 9)

CURSOR = ("primary", 0.2)
CURSOR_BLURRED = ("foreground", 0.08)


class Painted(Widget):
    """A widget that draws lines of spans. Styles are looked up once for each theme and state."""

    _styles_of: dict[str, Style] | None = None
    _backgrounds: dict[str, Style] | None = None

    def notify_style_update(self) -> None:
        """Forget the looks of the theme before."""
        self._styles_of = self._backgrounds = None
        super().notify_style_update()

    def style_of(self, role: str) -> Style:
        """The style of a role, or of several joined by blanks, on the widget's own background."""
        if self._styles_of is None:
            self._styles_of = {}
        style = self._styles_of.get(role)
        if style is None:
            style = Style()
            for name in role.split():
                variable, plain = ROLE_LOOKS[name]
                if self.app.theme == HIGH_CONTRAST and plain.dim:
                    plain = Style()
                style += plain + Style(color=self._color(variable).rich_color) if variable else plain
            self._styles_of[role] = style
        return style

    def background(self, on: str = "") -> Style:
        """The widget's own style; that of the cursor's row `on` `cursor` or `cursor-blurred`."""
        if self._backgrounds is None:
            self._backgrounds = {}
        style = self._backgrounds.get(on)
        if style is None:
            style = self.rich_style
            if on:
                style += self._row_style(CURSOR if on == "cursor" else CURSOR_BLURRED)
            self._backgrounds[on] = style
        return style

    def _row_style(self, tint: tuple[str, float]) -> Style:
        variable, share = tint
        strong = tint is CURSOR
        color = self._color(variable)
        if color.ansi is not None or self.app.no_color:  # the terminal's own colours cannot be mixed
            return Style(reverse=True) if strong else Style(bold=True)
        _, base = self.background_colors
        return Style(bgcolor=base.blend(color, share).rich_color, bold=strong or None)

    def _color(self, variable: str) -> Color:
        color = Color.parse(self.app.theme_variables[variable])
        if variable == "text-warning" and color.ansi in _ANSI_RED:
            return Color.parse("ansi_magenta")  # red says that something cannot be undone
        return color

    def strip(self, spans: Line, width: int, *, on: str = "") -> Strip:
        """`spans` as a strip of exactly `width` cells, on the background of the role `on`."""
        base = self.background(on)
        fitted = lines.fit(spans, width)
        if ASCII_ONLY:
            fitted = tuple(Span(span.text.translate(ASCII_FORMS), span.role) for span in fitted)
        return Strip([Segment(span.text, base + self.style_of(span.role)) for span in fitted], width)

    def strips(self, block: Sequence[Line], width: int) -> list[Strip]:
        """Each line of `block` as a strip."""
        return [self.strip(spans, width) for spans in block]


class PaintedScroll(Painted, ScrollView):
    """A scrolling widget that draws lines of spans. (Textual takes CSS from the first base only, hence the styles.)"""

    DEFAULT_CSS = """
    PaintedScroll {
        overflow-x: hidden; overflow-y: auto; scrollbar-size: 0 1; scrollbar-gutter: stable;
        scrollbar-color: $foreground 20%; scrollbar-color-hover: $foreground 40%; scrollbar-color-active: $primary;
        scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
    }
    """

    _room: int | None = None

    @property
    def room(self) -> int:
        """Cells to draw in, beside the scrollbar."""
        return self.scrollable_content_region.width if self._room is None else self._room

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a region; the room is looked up once for all of them."""
        self._room = self.scrollable_content_region.width
        try:
            return super().render_lines(crop)
        finally:
            self._room = None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scroll. Of a long list the scrollbar looks the same for hundreds of rows; it is drawn when it does not."""
        if self.show_vertical_scrollbar:
            bar = self.vertical_scrollbar
            position = bar.validate_position(new_value)
            if _thumb(bar, position) == _thumb(bar, bar.position):
                bar.set_reactive(ScrollBar.position, position)
            else:
                bar.position = position
        if round(old_value) != round(new_value):
            self.refresh(self.scrollable_content_region.size.region)

    def set_height(self, lines: int) -> None:
        """Scroll over so many lines. Only what is as high as its lines is laid out anew for it; which lines are to be
        drawn again, the caller says."""
        size = Size(self.room, lines)
        if size == self.virtual_size:
            return
        if self.styles.is_auto_height or not self.is_mounted:
            self.virtual_size = size
            return
        self.set_reactive(Widget.virtual_size, size)
        self._scroll_update(size)


def _thumb(bar: ScrollBar, position: float) -> Sequence[Segment]:
    """What a scrollbar shows at a position."""
    return bar.renderer.render_bar(bar.size.height, bar.window_virtual_size, bar.window_size, position).segments


class OneLine(Painted):
    """A widget of one line that is made anew for the width at hand."""

    DEFAULT_CSS = "OneLine { height: 1; }"

    def compose_line(self, width: int) -> Line:
        """The line for `width` cells."""
        return (Span(" " * width),)

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        return self.strip(self.compose_line(width), width) if y == 0 else Strip.blank(width, self.background())
