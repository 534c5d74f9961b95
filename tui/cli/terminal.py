"""The person at the terminal, if there is one: the only way the command line asks a question.

A question goes to the controlling terminal, whatever standard input and output are connected to, so that neither a
pipe nor a redirection can answer it. This tells a person from a script; it is no security boundary.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

from tui.display import visible

_DEVICE = "/dev/tty"


class Terminal:
    """An open terminal. Use it as a context manager; `open` gives None where nobody can be asked."""

    def __init__(self, reads: int, writes: int, *, owned: bool) -> None:
        """`reads` and `writes` are file descriptors of a terminal; `owned` ones are closed with it."""
        self._reads = reads
        self._writes = writes
        self._owned = owned

    @classmethod
    def open(cls) -> Terminal | None:
        """The controlling terminal; else standard input and error where both are terminals; else None."""
        try:
            descriptor = os.open(_DEVICE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            pass
        else:
            return cls(descriptor, descriptor, owned=True)
        try:
            reads, writes = sys.stdin.fileno(), sys.stderr.fileno()
            if os.isatty(reads) and os.isatty(writes):
                return cls(reads, writes, owned=False)
        except (OSError, ValueError, AttributeError):  # closed, or replaced by something that is no file
            pass
        return None

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            os.close(self._reads)

    @property
    def reads(self) -> int:
        """The file descriptor that what is typed comes from."""
        return self._reads

    @property
    def writes(self) -> int:
        """The file descriptor that what is shown goes to."""
        return self._writes

    @property
    def columns(self) -> int:
        """Width in cells."""
        try:
            return os.get_terminal_size(self._writes).columns or 80
        except OSError:
            return 80

    def show(self, text: str) -> None:
        """Write `text`, made visible, and a line break."""
        self._write(visible(text) + "\n")

    def ask(self, question: str) -> str | None:
        """One typed line without the blanks around it; None where the input ended instead.

        What was typed or pasted before the question stood on the screen is thrown away: it answers nothing.
        """
        self._forget_typed_ahead()
        self._write(visible(question) + " ")
        answer = self._read_line()
        if answer is None:
            self._write("\n")
        return answer

    def _forget_typed_ahead(self) -> None:
        import select
        import termios

        try:
            termios.tcflush(self._reads, termios.TCIFLUSH)
            # The rest of a paste may still be on its way, and reaches a line-wise terminal a moment later.
            while select.select([self._reads], [], [], 0.05)[0]:
                termios.tcflush(self._reads, termios.TCIFLUSH)
        except termios.error:  # the terminal has hung up; reading says so
            pass

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(self._writes, data) :]

    def _read_line(self) -> str | None:
        line = b""
        while not line.endswith((b"\n", b"\r")):
            try:
                chunk = os.read(self._reads, 1024)
            except OSError:  # hung up, or a process group that nobody's terminal belongs to any more
                return None
            if not chunk:
                return None
            line += chunk
        return line.decode("utf-8", "replace").strip()
