"""The search for near-duplicates as a process of its own: `python -m tui.alike_beside`, spoken to in lines of JSON.

It is asked `["search", n]`, followed by n lines `[key, text]`, or `["change", keys gone, [[key, text], ...]]`. It
answers a search by lines `["at", done, total]` and one `["pairs", [[a, b, score, opposed], ...]]`, a change by
`["found", [[key, new key], ...]]`. Nothing is written to any disk, and it ends with whoever asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO, Any

from core.duplicates import Pair
from tui.alike import Cancelled, Here, Progress, Texts

_TELLS = 0.2
"""Seconds between two tellings of how far it is."""
_NICE = 10


class Beside:
    """Searches in another process. What goes wrong there is an `OSError` here."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", __name__),  # -P: no module is taken from the folder where one happens to be
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # keys that end the console are not for it: it ends by itself
        )

    def search(self, texts: Texts, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        """All pairs of `texts`."""
        self._ask("search", len(texts))
        for number, (key, text) in enumerate(texts):
            if number % 1024 == 0 and cancelled():
                self.close()
                return None
            self._write([key, text])
        self._to.flush()
        while True:
            kind, *rest = self._answer()
            if cancelled():
                self.close()
                return None
            if kind == "at":
                progress(*rest)
            if kind == "pairs":
                break
        named = {key for a, b, _, _ in rest[0] for key in (a, b)}
        said = {key: text for key, text in texts if key in named}
        return tuple(Pair(a, b, score, opposed, said[a], said[b]) for a, b, score, opposed in rest[0])

    def change(self, gone: Sequence[str], new: Texts) -> list[tuple[str, str]]:
        """Forget, take in, and find."""
        self._ask("change", list(gone), list(new))
        self._to.flush()
        _, found = self._answer()
        return [(key, added) for key, added in found]

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._from.close()
        with contextlib.suppress(OSError):
            self._to.close()

    @property
    def _to(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _from(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _ask(self, *words: object) -> None:
        self._write(list(words))

    def _write(self, value: object) -> None:
        try:
            self._to.write(json.dumps(value).encode() + b"\n")
        except ValueError as error:  # closed meanwhile
            raise BrokenPipeError from error

    def _answer(self) -> list[Any]:
        try:
            line = self._from.readline()
            answer: list[Any] = json.loads(line)
            return answer
        except ValueError as error:  # no line at all, half of one, or closed meanwhile
            raise BrokenPipeError from error


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until there are no more questions."""
    here = Here()

    def tell(*words: object) -> None:
        answers.write(json.dumps(list(words)).encode() + b"\n")
        answers.flush()

    last = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELLS:
            last = time.monotonic()
            tell("at", done, total)

    for line in questions:
        kind, *rest = json.loads(line)
        if kind == "search":
            texts = [(key, text) for key, text in (json.loads(questions.readline()) for _ in range(rest[0]))]
            pairs = here.search(texts, progress, lambda: False) or ()
            tell("pairs", [(pair.a, pair.b, pair.score, pair.opposed) for pair in pairs])
        else:
            tell("found", here.change(rest[0], [(key, text) for key, text in rest[1]]))


def main() -> int:
    """Serve the process that has started this one."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (BrokenPipeError, KeyboardInterrupt, ValueError):
        os._exit(1)  # nobody listens any more
    return 0


if __name__ == "__main__":
    sys.exit(main())
