"""An application as its terminal meets it: what is sent, when it is drawn, and the title it bears."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import ClassVar

from rich.console import RenderableType
from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from tui import display
from tui.frames import Drawn, Frames

ASK_WHERE = "\x1b[2;2H\x1b[6n"
"""The terminal answers with the cursor's place, once it has drawn all that was sent before. (In row 1 some answers are
those of function keys.)"""

LET_WRITE_SECONDS = 0.001
"""After a frame the thread that writes it gets its turn, before anything else is worked out for the next one."""

KEEP_TITLE, GIVE_BACK_TITLE = "\x1b[22;2t", "\x1b[23;2t"
"""The terminal keeps the title it had, and takes it back (xterm's window operations; others ignore them)."""


class TerminalApp(App[int]):
    """Sends only cells that change, knows when they are drawn, and gives the terminal its title back."""

    BINDINGS: ClassVar = [Binding("ctrl+l", "redraw", show=False, priority=True)]

    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"  # over a slow line every frame of a scroll is seconds
        self._titled = False
        self._frames = Frames(colors=not self.no_color)
        self._answers = False
        self._undrawn: deque[Callable[[], None]] = deque()
        self._once_shown: list[Callable[[], None]] = []

    def once_shown(self, then: Callable[[], None]) -> None:
        """Call `then` after the next frame: what goes on beside it would keep it from being drawn."""
        self._once_shown.append(then)

    def when_drawn(self, then: Callable[[], None]) -> None:
        """Call `then` once the terminal shows all that was sent to it; at once where it does not tell."""
        if self._answers:
            self.ask_terminal(then)
        else:
            then()

    def ask_terminal(self, then: Callable[[], None]) -> None:
        """Call `then` once the terminal has answered; never, where it does not."""
        self._undrawn.append(then)
        self._to_terminal(ASK_WHERE)

    def on_cursor_position(self) -> None:
        """The terminal has drawn what was sent before it was asked. Keys typed until then came in before."""
        self._answers = True
        if self._undrawn:
            self._undrawn.popleft()()

    async def on_event(self, event: events.Event) -> None:
        """A resized terminal, or one given back by another program, shows what nobody knows."""
        if isinstance(event, events.Resize):
            self._frames.forget()
        await super().on_event(event)

    def action_redraw(self) -> None:
        """Draw everything again: another program has written over it."""
        self._frames.forget()
        self.screen.refresh()

    def name_terminal(self, words: str) -> None:
        """Give the terminal a title, for whoever does not see the screen."""
        where = display.one_line(words)
        if self._titled and where == self.sub_title:
            return
        self.set_reactive(App.sub_title, where)  # it stands in the terminal's title alone: no cell is drawn for it
        keep, self._titled = "" if self._titled else KEEP_TITLE, True
        self._to_terminal(f"{keep}\x1b]2;{self.TITLE}: {self.sub_title}\x07")

    def on_unmount(self) -> None:
        """The terminal has its own title again."""
        self._to_terminal(GIVE_BACK_TITLE)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        driver = self._driver
        sent = driver is not None and self._running and not (self._closed or self.is_headless or driver.is_inline)
        if sent and not self._batch_count and isinstance(renderable, CompositorUpdate):
            if isinstance(renderable, ChopsUpdate) and not self._frames.known:
                renderable = screen._compositor.render_full_update()
            sequence = self._frames.update(renderable, self.console)
            moved = self.screen.outer_size.clamp_offset(self.cursor_position) != self._previous_cursor_position
            renderable = Drawn(sequence) if sequence or moved else None
        super()._display(screen, renderable)
        if sent and renderable is not None:
            time.sleep(LET_WRITE_SECONDS)
        waiting, self._once_shown = self._once_shown, []
        for then in waiting:
            self.call_later(then)

    def _to_terminal(self, sequence: str) -> None:
        driver = self._driver
        if driver is not None and not (driver.is_headless or driver.is_inline or driver.is_web) and titled(os.environ):
            driver.write(sequence)
            driver.flush()


def titled(environ: Mapping[str, str]) -> bool:
    """Whether the terminal takes a title; the plain ones would print it."""
    return environ.get("TERM", "") not in ("", "linux", "dumb", "vt100")
