"""How a role looks: one stylesheet for every widget that draws lines of spans, and the drawing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui import lines
from tui.lines import ROLES, Line, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

ROLE_CLASSES = frozenset({f"role--{role}" for role in ROLES} | {"role--cursor", "role--cursor-blurred"})

ROLE_CSS = """
.role--dim { text-style: dim; }
.role--strong { text-style: bold; }
.role--head { text-style: bold; }
.role--key { color: $text-primary; text-style: bold; }
.role--accent { color: $text-primary; text-style: bold; }
.role--waits { color: $text-warning; }
.role--danger { color: $text-error; text-style: bold; }
.role--good { color: $text-success; }
.role--match { text-style: bold underline; }
.role--add { color: $text-success; }
.role--del { text-style: dim; }
.role--word { text-style: bold underline; }
.role--hunk { text-style: dim italic; }
.role--rule { text-style: dim; }
.role--cursor { background: $primary 20%; text-style: bold; }
.role--cursor-blurred { background: $foreground 8%; }
"""
"""One accent for the cursor, one for what waits, red for what cannot be undone; each beside a glyph or a weight."""


class Painted(Widget):
    """A widget that draws lines of spans. Styles of roles are looked up once for each theme and state."""

    COMPONENT_CLASSES = set(ROLE_CLASSES)  # noqa: RUF012  # Textual declares it as a plain set

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
                style += self.get_component_rich_style(f"role--{name}", partial=True)
            self._styles_of[role] = style
        return style

    def background(self, role: str = "") -> Style:
        """The widget's own style, with the background of `role` where one is named."""
        if self._backgrounds is None:
            self._backgrounds = {}
        style = self._backgrounds.get(role)
        if style is None:
            style = self.get_component_rich_style(f"role--{role}") if role else self.rich_style
            self._backgrounds[role] = style
        return style

    def strip(self, spans: Line, width: int, *, on: str = "") -> Strip:
        """`spans` as a strip of exactly `width` cells, on the background of the role `on`."""
        base = self.background(on)
        segments = [Segment(span.text, base + self.style_of(span.role)) for span in lines.fit(spans, width)]
        return Strip(segments, width)

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

    @property
    def room(self) -> int:
        """Cells to draw in, beside the scrollbar."""
        return self.scrollable_content_region.width

    def set_height(self, lines: int) -> None:
        """Scroll over so many lines. Only what is as high as its lines is laid out anew for it."""
        size = Size(self.room, lines)
        if size == self.virtual_size:
            return
        if self.styles.is_auto_height or not self.is_mounted:
            self.virtual_size = size
            return
        self.set_reactive(Widget.virtual_size, size)
        self._scroll_update(size)
        self.refresh()


class OneLine(Painted):
    """A widget of one line that is made anew for the width at hand."""

    DEFAULT_CSS = "OneLine { height: 1; }"

    def compose_line(self, width: int) -> Line:
        """The line for `width` cells."""
        return (Span(" " * width),)

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        return self.strip(self.compose_line(width), width) if y == 0 else Strip.blank(width, self.rich_style)
