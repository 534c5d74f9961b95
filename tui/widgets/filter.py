"""The line over a list: what it is, how much of it is shown, and the filter, always in view."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from tui import display
from tui.lines import EMPTY, Line, line, spread
from tui.widgets.paint import OneLine


class PlainInput(Input):
    """A one-line field whose pasted text is made visible first, since a field draws what it holds."""

    DEFAULT_CSS = """
    PlainInput { border: none; height: 1; padding: 0; background: transparent; }
    PlainInput:focus { border: none; background: $foreground 8%; }
    """

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(value, placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def _on_paste(self, event: events.Paste) -> None:
        first = event.text.splitlines()[0] if event.text else ""
        self.insert_text_at_cursor(display.visible(first))
        event.stop()
        event.prevent_default()


class FilterInput(PlainInput):
    """The filter's own field: `esc` clears it, then leaves it; `enter` and `down` leave it for the list."""

    BINDINGS = [  # noqa: RUF012  # Textual declares it as a plain list
        Binding("escape", "leave(True)", show=False),
        Binding("enter,down,tab", "leave(False)", show=False),
    ]

    class Left(Message):
        """The field was left for the list."""

    def action_leave(self, clear: bool) -> None:
        """Leave the field; with `clear`, take the filter away first."""
        if clear:
            self.value = ""
        self.post_message(self.Left())


class TitleLine(OneLine):
    """Title and head note at the left, how much is shown at the right."""

    DEFAULT_CSS = "TitleLine { width: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._left: Line = EMPTY
        self._right: Line = EMPTY

    def show(self, left: Line, right: Line) -> None:
        """Show other texts."""
        self._left, self._right = left, right
        self.refresh()

    def compose_line(self, width: int) -> Line:
        """The line."""
        return spread(self._left, self._right, width)


class FilterLine(Horizontal):
    """Title, count, and filter."""

    DEFAULT_CSS = """
    FilterLine { height: 1; }
    FilterLine OneLine.slash { width: 4; }
    FilterLine FilterInput { width: 20; }
    .-narrow FilterLine FilterInput { width: 14; }
    """

    SCOPED_CSS: ClassVar[bool] = False

    class Changed(Message):
        """The filter's text is another one."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The filter was left for the list."""

    def __init__(self, *, late: bool = False) -> None:
        """`late` makes the field right after the first frame, which does not wait for it."""
        super().__init__()
        self._late = late

    def compose(self) -> ComposeResult:
        """Title, slash, field."""
        yield TitleLine()
        yield _Slash(classes="slash")
        yield _Later() if self._late else FilterInput(placeholder="filter")

    def on_mount(self) -> None:
        """The field follows, where it is late."""
        if self._late:
            self.call_after_refresh(self._complete)

    async def _complete(self) -> None:
        with self.app.batch_update():
            await self.query(_Later).remove()
            await self.mount(FilterInput(placeholder="filter"))

    @property
    def text(self) -> str:
        """What is typed."""
        return next((field.value for field in self.query(FilterInput)), "")

    def clear(self) -> None:
        """Nothing is typed."""
        for field in self.query(FilterInput):
            field.value = ""

    def write(self) -> None:
        """What is typed goes into the field."""
        for field in self.query(FilterInput):
            field.focus()

    def show(
        self, title: Line, *, shown: int, total: int, counts: str = "row", marks: int = 0, hidden_marks: int = 0
    ) -> None:
        """Show the title, `40 of 500 items`, and how many are marked (and how many of those the filter hides)."""
        of = f"{shown:,} of {total:,}" if self.text.strip() else f"{total:,}" if total else ""
        count = f"{of} {plural(counts, total)}" if of else ""
        marked = f"{marks:,} marked" if marks or hidden_marks else ""
        hidden = f", {hidden_marks:,} hidden by the filter" if hidden_marks else ""
        right = line((marked + hidden, "accent"), "  " if marked else "", (count, "dim"))
        self.query_one(TitleLine).show(title, right)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell the page."""
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_filter_input_left(self, event: FilterInput.Left) -> None:
        """Tell the page."""
        event.stop()
        self.post_message(self.Left())


def plural(noun: str, count: int) -> str:
    """`entry`, or `entries` where it is not one; a plural stays."""
    if count == 1 or noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"


class _Slash(OneLine):
    def compose_line(self, width: int) -> Line:
        return line("  ", ("/", "key"), " ")


class _Later(OneLine):
    """Stands in the field's place, and looks like it."""

    DEFAULT_CSS = "_Later { width: 20; } .-narrow _Later { width: 14; }"
    SCOPED_CSS: ClassVar[bool] = False

    def compose_line(self, width: int) -> Line:
        return line(("filter", "dim"))
