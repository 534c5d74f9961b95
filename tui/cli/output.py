"""What the command line prints: data as JSON or as lines for people, and one line for an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from core.errors import AssayError
from tui import display
from tui.glyphs import Glyph

Json = None | bool | int | float | str | Sequence["Json"] | dict[str, "Json"]


class Output:
    """Standard output. Nothing is printed that `display` has not made visible; secrets are masked.

    `reveal` leaves secrets as they are. On a terminal lines are clipped to its width; elsewhere they are whole.
    """

    def __init__(self, *, json: bool = False, reveal: bool = False, stream: TextIO | None = None) -> None:
        self.json = json
        self.reveal = reveal
        self._stream = sys.stdout if stream is None else stream
        self.terminal = self._stream.isatty()
        self.ascii_only = not (self._stream.encoding or "").lower().replace("-", "").startswith("utf")

    @property
    def columns(self) -> int | None:
        """The width to clip to, or None."""
        if not self.terminal:
            return None
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80

    def masked(self, text: str) -> str:
        """`text` with secrets masked, unless they are to be revealed."""
        return text if self.reveal else display.mask_secrets(text)

    def one_line(self, text: str) -> str:
        """`text` for people, on one line."""
        return display.one_line(self.masked(text))

    def line(self, text: str = "", *, clip: bool = False) -> None:
        """Print one line of text made of parts that were masked already; `clip` fits it to a terminal."""
        shown = display.visible(text).rstrip()
        width = self.columns
        self._stream.write((display.clip(shown, width) if clip and width else shown) + "\n")

    def mark(self, glyph: Glyph) -> str:
        """The glyph's sign, in ASCII where the output cannot carry more."""
        return glyph.mark(ascii_only=self.ascii_only)

    def label(self, glyph: Glyph) -> str:
        """The glyph's sign and word."""
        return glyph.label(ascii_only=self.ascii_only)

    def table(self, rows: Sequence[Sequence[str]], *, indent: str = "") -> None:
        """Print rows whose columns line up by cell width; the last column takes what is left."""
        if not rows:
            return
        widths = [max(display.width(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
        for row in rows:
            cells = [display.pad(cell, width) for cell, width in zip(row, widths, strict=False)]
            self.line(indent + "  ".join([*cells, row[-1]]), clip=True)

    def nothing(self, why: str) -> None:
        """Tell a person why there is no line; a pipe gets none, and needs no reason."""
        if self.terminal:
            notice(why)

    def data(self, value: Json) -> None:
        """Print `value` as JSON in ASCII: whatever a terminal could act on is escaped."""
        import json

        text = json.dumps(self._mask(value), indent=2, ensure_ascii=True)
        self._stream.write(text.replace("\x7f", "\\u007f") + "\n")

    def _mask(self, value: Json) -> Json:
        if self.reveal:
            return value
        if isinstance(value, str):
            return display.mask_secrets(value)
        if isinstance(value, dict):
            return {name: self._mask(part) for name, part in value.items()}
        if isinstance(value, Sequence):
            return [self._mask(part) for part in value]
        return value


def notice(text: str) -> None:
    """Print one diagnostic line on standard error."""
    sys.stderr.write(f"assay: {display.one_line(display.mask_secrets(text))}\n")


def report(error: AssayError) -> None:
    """Print `error` as one line on standard error: where, what, remedy."""
    notice(str(error))
