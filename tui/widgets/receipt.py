"""The line above the footer: a receipt that stays until the next key, then what happened outside meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from tui.lines import EMPTY, Line
from tui.widgets.paint import OneLine


class ReceiptLine(OneLine):
    """Receipts and answers come first; a quiet notice waits behind them."""

    def __init__(self) -> None:
        super().__init__()
        self._said: Line | Callable[[int], Line] = EMPTY
        self._notice: Line = EMPTY
        self._working: Line = EMPTY

    def say(self, spans: Line | Callable[[int], Line]) -> None:
        """Show an answer, or a receipt made for a width; it stays until the next key."""
        self._said = spans
        self.refresh()

    def notice(self, spans: Line) -> None:
        """Show what happened outside, as soon as nothing else is said."""
        self._notice = spans
        self.refresh()

    def working(self, spans: Line) -> None:
        """Show what is being done; empty once it is done."""
        self._working = spans
        self.refresh()

    def key_pressed(self) -> None:
        """The next key: what was said goes; a notice that was behind it is seen now, and goes with the key after."""
        if not (self._said or self._notice):
            return
        if self._said:
            self._said = EMPTY
        else:
            self._notice = EMPTY
        self.refresh()

    @property
    def shown(self) -> Line:
        """What the line shows."""
        said = self._said(self.size.width) if callable(self._said) else self._said
        return said or self._working or self._notice

    def compose_line(self, width: int) -> Line:
        """The line."""
        return self.shown
