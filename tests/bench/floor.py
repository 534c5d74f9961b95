"""The floor: a minimal Textual app with one label, which a key changes. `python -m tests.bench.floor`."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Label

READY = "one label"


class Floor(App[None]):
    """Shows a label; `down` counts in it."""

    BINDINGS: ClassVar = [Binding("down", "count", show=False)]

    def compose(self) -> ComposeResult:
        """The label."""
        self.pressed = 0
        yield Label(READY, id="label")

    def action_count(self) -> None:
        """Show another number."""
        self.pressed += 1
        self.query_one(Label).update(f"{READY} {self.pressed}")


if __name__ == "__main__":
    Floor().run()
