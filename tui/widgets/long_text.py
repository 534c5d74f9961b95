"""A field of several lines for one line of text that may be long: it wraps, and holds no line break."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from tui import display


class LongText(TextArea):
    """Text wrapped over a few lines. `enter` is left to whoever holds the field; pasted line breaks become blanks."""

    DEFAULT_CSS = """
    LongText {
        height: auto; min-height: 3; max-height: 8; border: none; padding: 0; background: $foreground 4%;
        scrollbar-size: 0 1;
    }
    LongText:focus { border: none; background: $foreground 8%; }
    .-short LongText { min-height: 2; max-height: 3; }
    """

    class Edge(Message):
        """The cursor was moved beyond the first line (`step` -1) or the last (1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(
            value,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            highlight_cursor_line=False,
            compact=True,
            placeholder=Content(placeholder),
            id=id,
        )
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    @property
    def value(self) -> str:
        """The text, on one line."""
        return " ".join(self.text.splitlines())

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.prevent_default()  # it bubbles: the form goes on

    async def _on_paste(self, event: events.Paste) -> None:
        pasted = display.visible(" ".join(part.strip() for part in event.text.splitlines() if part.strip()))
        self.replace(pasted, *self.selection)
        event.stop()
        event.prevent_default()

    def action_cursor_up(self, select: bool = False) -> None:
        """A line up; from the first one out of the field."""
        if not select and self._row == 0:
            self.post_message(self.Edge(-1))
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """A line down; from the last one out of the field."""
        if not select and self._row >= self.wrapped_document.height - 1:
            self.post_message(self.Edge(1))
        else:
            super().action_cursor_down(select)

    @property
    def _row(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y
