"""A list of keyed rows, of any length: a row is drawn when it is seen, and the cursor stands on a key, not a number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set

from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tui.lines import Line, Span, highlight
from tui.widgets.paint import PaintedScroll

Key = Hashable
Draw = Callable[[Key, int], Line]

CURSOR = "▌"
MARK = "◆"
_GUTTER = 2
_CACHED_ROWS = 512


class VirtualList(PaintedScroll, can_focus=True):
    """Rows by key. `draw(key, width)` makes a row's line; it is called for rows in view only."""

    BINDINGS = [  # noqa: RUF012  # Textual declares it as a plain list
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+d", "page(1)", show=False),
        Binding("pageup,ctrl+u", "page(-1)", show=False),
        Binding("g,home", "edge(-1)", show=False),
        Binding("G,end", "edge(1)", show=False),
        Binding("enter", "open", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another key (None: on nothing)."""

        def __init__(self, owner: VirtualList, key: Key | None) -> None:
            super().__init__()
            self.owner = owner
            self.key = key

    class Opened(Message):
        """The row under the cursor is to be opened."""

        def __init__(self, owner: VirtualList, key: Key) -> None:
            super().__init__()
            self.owner = owner
            self.key = key

    class Gone(Message):
        """The key that the cursor stood on is in the list no more; the cursor stands where it stood on the screen."""

        def __init__(self, owner: VirtualList, key: Key) -> None:
            super().__init__()
            self.owner = owner
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._keys: Sequence[Key] = ()
        self._draw: Draw = lambda key, width: (Span(str(key)),)
        self._skip: frozenset[Key] = frozenset()
        self._index = 0
        self._needles: tuple[str, ...] = ()
        self._drawn: LRUCache[tuple[Key, int, bool, bool, bool], Strip] = LRUCache(_CACHED_ROWS)
        self._lines: LRUCache[tuple[Key, int], Line] = LRUCache(_CACHED_ROWS)
        self.marks: set[Key] = set()
        self._marked: tuple[Sequence[Key], tuple[Key, ...]] | None = None

    # --- rows

    @property
    def keys(self) -> Sequence[Key]:
        """The keys shown, in order."""
        return self._keys

    @property
    def key(self) -> Key | None:
        """The key under the cursor, None where there is none."""
        if 0 <= self._index < len(self._keys):
            key = self._keys[self._index]
            return None if key in self._skip else key
        return None

    @property
    def index(self) -> int:
        """Where the cursor stands, counted from 0."""
        return self._index

    def show(
        self,
        keys: Sequence[Key],
        draw: Draw | None = None,
        *,
        skip: frozenset[Key] = frozenset(),
        needles: tuple[str, ...] = (),
        own: bool = False,
    ) -> None:
        """Show `keys`. The cursor stays on its key, at its height on the screen.

        Where the key is gone, the cursor stays at its place in the list and `Gone` is posted, unless the change is the
        user's `own`. Rows in `skip` are headings: the cursor passes over them. `needles` are highlighted.
        """
        before = self.key
        height = self._index - self.scroll_offset.y
        self._keys = keys
        self._skip = skip
        self._needles = needles
        if draw is not None:
            self._draw = draw
        self.redraw()
        self.set_height(len(keys))
        index = self._find(before) if before is not None else None
        if before is not None and index is None and not own:
            self.post_message(self.Gone(self, before))
        if index is None:
            index = self._index
        self._index = self._settle(min(max(index, 0), max(len(keys) - 1, 0)), 1)
        self.scroll_to(y=max(self._index - height, 0), animate=False, force=True)
        self._keep_in_view()
        if self.key != before:
            self.post_message(self.Moved(self, self.key))

    def redraw(self) -> None:
        """Draw every row anew."""
        self._drawn.clear()
        self._lines.clear()
        self.refresh()

    def _find(self, key: Key | None) -> int | None:
        if key is None:
            return None
        if 0 <= self._index < len(self._keys) and self._keys[self._index] == key:
            return self._index
        try:
            return self._keys.index(key)
        except ValueError:
            return None

    def _settle(self, index: int, step: int) -> int:
        """The nearest row from `index` that is no heading, in the direction of `step` first."""
        for direction in (step, -step):
            at = index
            while 0 <= at < len(self._keys):
                if self._keys[at] not in self._skip:
                    return at
                at += direction
        return index

    # --- the cursor

    def go(self, key: Key) -> bool:
        """Put the cursor on `key`; False where it is not shown."""
        index = self._find(key)
        if index is None:
            return False
        self.go_to(index)
        return True

    def go_to(self, index: int, step: int = 1) -> None:
        """Put the cursor on row `index`, or the nearest one that is no heading."""
        if not self._keys:
            return
        before = self._index
        self._index = self._settle(min(max(index, 0), len(self._keys) - 1), step)
        if self._index == before:
            self._keep_in_view()
            return
        top = self.scroll_offset.y
        self._keep_in_view()
        if self.scroll_offset.y == top:  # where it scrolls, every row is drawn already
            self._refresh_row(before)
            self._refresh_row(self._index)
        self.post_message(self.Moved(self, self.key))

    def _refresh_row(self, index: int) -> None:
        self.refresh(Region(0, index - self.scroll_offset.y, self.size.width, 1))

    def _keep_in_view(self) -> None:
        top = self.scroll_offset.y
        height = max(self.size.height, 1)
        # A heading right above the first row is scrolled into view with it.
        first = self._index
        while first > 0 and self._keys[first - 1] in self._skip:
            first -= 1
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
            return
        # So are lines beneath the last row that nothing can stand on, as far as the row itself stays in view.
        last = self._index
        while last + 1 < len(self._keys) and self._keys[last + 1] in self._skip:
            last += 1
        last = min(last, self._index + height - 1)
        if last >= top + height:
            self.scroll_to(y=last - height + 1, animate=False, force=True)

    def action_move(self, step: int) -> None:
        """Move the cursor by one row."""
        self.go_to(self._index + step, step)

    def action_page(self, direction: int) -> None:
        """Move the cursor by a screen."""
        self.go_to(self._index + direction * max(self.size.height - 1, 1), direction)

    def action_edge(self, direction: int) -> None:
        """Move the cursor to the first or the last row."""
        self.go_to(0 if direction < 0 else len(self._keys) - 1, -direction)

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if (key := self.key) is not None:
            self.post_message(self.Opened(self, key))

    # --- marks

    def toggle_mark(self) -> None:
        """Mark the row under the cursor, or take its mark away, and go on to the next."""
        if (key := self.key) is not None:
            self.marks ^= {key}
            self._marked = None
            self.redraw()
            self.action_move(1)

    def toggle_all(self) -> None:
        """Mark every row shown; where all are marked, take their marks away."""
        shown = {key for key in self._keys if key not in self._skip}
        if shown <= self.marks:
            self.marks -= shown
        else:
            self.marks |= shown
        self._marked = None
        self.redraw()

    def unmark(self, keys: Set[Key] | None = None) -> None:
        """Take the marks of `keys` away, of all where none are named."""
        self.marks -= set(self.marks if keys is None else keys)
        self._marked = None
        self.redraw()

    def marked(self) -> tuple[Key, ...]:
        """The marked keys that are shown, in order."""
        if not self.marks:
            return ()
        if self._marked is None or self._marked[0] is not self._keys:
            self._marked = (self._keys, tuple(key for key in self._keys if key in self.marks))
        return self._marked[1]

    # --- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw rows as they are kept. The list has neither border nor padding, nor anything else laid over its rows:
        scrolling is a matter of looking them up, not of styling all of them again."""
        top, room, width = self.scroll_offset.y, self.room, self.size.width
        background, filters = self.background_colors[1], self.get_line_filters()
        blank = Style(bgcolor=background.rich_color)
        strips: list[Strip] = []
        for y in crop.line_range:
            strip = self._strip_at(top + y, room).adjust_cell_length(width, blank)
            for each in filters:
                strip = strip.apply_filter(each, background)
            strips.append(strip.crop(crop.x, crop.right))
        return strips

    def render_line(self, y: int) -> Strip:
        """Draw the row at line `y` of the view."""
        return self._strip_at(self.scroll_offset.y + y, self.room)

    def _strip_at(self, index: int, width: int) -> Strip:
        if index >= len(self._keys):
            return Strip.blank(width, self.background())
        key = self._keys[index]
        cursor = index == self._index and key not in self._skip
        marked = key in self.marks
        cached = (key, width, cursor, marked, cursor and self.has_focus)
        strip = self._drawn.get(cached)
        if strip is None:
            strip = self._draw_row(key, width, cursor, marked)
            self._drawn[cached] = strip
        return strip

    def _draw_row(self, key: Key, width: int, cursor: bool, marked: bool) -> Strip:
        row = self._lines.get((key, width))  # the cursor comes and goes, and the line stays
        if row is None:
            row = highlight(self._draw(key, max(width - _GUTTER - 1, 1)), self._needles)
            self._lines[key, width] = row
        gutter = (Span(CURSOR if cursor else " ", "accent"), Span(MARK if marked else " ", "accent"))
        on = ("cursor" if self.has_focus else "cursor-blurred") if cursor else ""
        return self.strip((*gutter, *row), width, on=on)

    def notify_style_update(self) -> None:
        """Forget rows drawn in the theme before."""
        super().notify_style_update()
        if hasattr(self, "_drawn"):
            self._drawn.clear()

    def on_resize(self) -> None:
        """Keep the cursor in view, and rows as wide as the list."""
        self.set_height(len(self._keys))
        if self._keys:
            self._keep_in_view()

    def on_focus(self) -> None:
        """The cursor's row looks different with the focus."""
        self._refresh_row(self._index)

    def on_blur(self) -> None:
        """The cursor's row looks different without the focus."""
        self._refresh_row(self._index)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row clicked; twice opens it."""
        index = self.scroll_offset.y + event.y
        if index < len(self._keys) and self._keys[index] not in self._skip:
            self.go_to(index)
            if event.chain > 1:
                self.action_open()
