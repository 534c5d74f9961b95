"""The real program in a pseudo-terminal: keys go in; every byte that comes out is kept, and drawn by pyte."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

from tests.cli.conftest import Program

PATIENCE = 40.0
"""Seconds that a machine with much else to do may take; nothing waits longer than it must."""

KEYS = {"escape": "\x1b", "enter": "\r", "down": "\x1b[B", "up": "\x1b[A", "tab": "\t"}


class Terminal:
    """A program, its screen, and all that it wrote."""

    def __init__(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], size: tuple[int, int]
    ) -> None:
        columns, rows = size
        self._here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=there,
            stdout=there,
            stderr=there,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(there)
        self.raw = b""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.answering = False
        """Whether it answers, like a real one, where its cursor is."""
        self.asked = 0
        """Questions not answered yet."""

    @property
    def text(self) -> str:
        """What stands on the screen."""
        rows = (self.screen.buffer[y] for y in range(self.screen.lines))
        return "\n".join("".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in rows)

    def read(self, seconds: float) -> bool:
        """Take what comes within that time; whether something came."""
        if not select.select([self._here], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._here, 65536)
        except OSError:  # the program has closed its end
            return False
        self.raw += data
        self._stream.feed(data)
        self.asked += data.count(b"\x1b[6n")
        if self.answering:
            self.answer()
        return bool(data)

    def answer(self) -> None:
        """Answer what was asked."""
        self.type("\x1b[2;2R" * self.asked)
        self.asked = 0

    def wait(self, what: str | Callable[[str], bool]) -> None:
        """Read until these words stand on the screen, or until it looks like this."""
        shows = (lambda text: what in text) if isinstance(what, str) else what
        end = time.monotonic() + PATIENCE
        while not shows(self.text):
            assert time.monotonic() < end, f"never saw {what!r} in\n{self.text}"
            if not self.read(0.1) and self.process.poll() is not None:
                assert shows(self.text), f"the program ended without {what!r}:\n{self.text}"

    def rest(self, seconds: float = 0.4) -> None:
        """Read until nothing has come for so long."""
        end = time.monotonic() + PATIENCE
        while self.read(seconds):
            assert time.monotonic() < end, "the screen does not come to rest"

    def press(self, *keys: str) -> None:
        """Press keys, each with what it sets off."""
        for key in keys:
            self.type(KEYS.get(key, key))
            self.rest()

    def type(self, text: str) -> None:
        """Send characters."""
        os.write(self._here, text.encode())

    def confirm(self) -> None:
        """Confirm the plan on the screen: `y`, and again where it was pressed too early, until the plan is gone."""
        self.wait("Cancel")
        end = time.monotonic() + PATIENCE
        while "Cancel" in self.text:
            assert time.monotonic() < end, f"the plan is never confirmed:\n{self.text}"
            self.rest(0.6)  # longer than a dialog takes no confirming key
            if "Cancel" in self.text and "writing…" not in self.text:
                self.type("y")
                self.rest(1.0)

    def ended(self) -> int:
        """The exit status, once the program has ended by itself."""
        end = time.monotonic() + PATIENCE
        while self.read(0.1) or self.process.poll() is None:
            assert time.monotonic() < end, f"the program does not end:\n{self.text}"
        return self.process.wait()

    def close(self) -> None:
        """End the program, whatever it is doing."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._here)


@contextmanager
def console(program: Program, *words: str, size: tuple[int, int] = (120, 36), **environment: str) -> Iterator[Terminal]:
    """`assay WORDS` in a terminal."""
    kept = {name: value for name, value in program.environment.items() if name not in ("COLUMNS", "LINES")}
    terminal = Terminal(program.words(words), program.folder, kept | {"TERM": "xterm-256color"} | environment, size)
    try:
        yield terminal
    finally:
        terminal.close()


_DRAWING = re.compile(
    r"\x1b\[[0-9;]*m|\x1b\[[0-9;]*H|\x1b\[\?[0-9;]+[hl]"  # colours and styles, places of the cursor, modes
    r"|\x1b\[>[0-9]+u|\x1b\[<u|\x1b\[\?[0-9]+\$p"  # the keyboard's protocol, and what the terminal can do
    r"|\x1b\]22;default\x07|\r\n|\r$"  # the pointer's shape
    r"|\x1b\[6n"  # where the cursor is
    r"|\x1b\[2[23];[0-9]t"  # the title before, kept and brought back
    r"|\x1b\]2;[^\x00-\x1f\x7f-\x9f\u200b-\u202e\u2066-\u2069]*\x07"  # the window's title
)


def undrawn(raw: bytes) -> str:
    """What a console wrote, less all that it draws with. What is left is text."""
    return _DRAWING.sub("", raw.decode())
