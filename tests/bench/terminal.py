"""Timing a program in a pseudo-terminal: how long until it writes something, and what each key costs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

PATIENCE = 60.0
_STYLES = re.compile(rb"\x1b\[[0-9;:?<>=]*[A-Za-z]")


class Terminal:
    """A Python module run in a pseudo-terminal of 120 by 36 cells; a context manager that ends it."""

    def __init__(self, *words: str, environment: Mapping[str, str]) -> None:
        self._here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", *words],
            env={**environment, "TERM": "xterm-256color"},
            stdin=there,
            stdout=there,
            stderr=there,
            start_new_session=True,
        )
        os.close(there)
        self._raw = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._here)

    def until(self, words: Sequence[str], since: float | None = None) -> float:
        """Seconds from the start (or `since`) until one of `words` was written; what came before it is dropped."""
        wanted = [word.encode() for word in words]
        end = time.perf_counter() + PATIENCE
        while not any(word in _STYLES.sub(b"", self._raw) for word in wanted):
            if time.perf_counter() > end:
                raise TimeoutError(f"never saw {words} in {_STYLES.sub(b'', self._raw)[-2000:]!r}")
            self._take(0.5)
        self._raw = b""
        return time.perf_counter() - (self._started if since is None else since)

    def rest(self, seconds: float = 0.5) -> None:
        """Wait until nothing has been written for so long."""
        while self._take(seconds):
            pass
        self._raw = b""

    def key(self, key: str) -> float:
        """Seconds from a key to the first bytes that it brings about."""
        began = time.perf_counter()
        self.type(key)
        self._take(PATIENCE)
        taken = time.perf_counter() - began
        self.rest(0.05)
        return taken

    def type(self, text: str) -> None:
        """Send characters."""
        os.write(self._here, text.encode())

    def memory(self) -> int:
        """Resident memory in bytes."""
        with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def _take(self, seconds: float) -> bool:
        if not select.select([self._here], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._here, 1 << 16)
        except OSError:
            return False
        self._raw += data
        return bool(data)
