"""Near-duplicate suggestions beside the screen: searched once, then kept up as items come and go."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.commands.merging import not_duplicates
from core.duplicates import Index, Pair, candidates, find_duplicates, worth_showing
from core.reading import Reading

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]

MANY = 200
"""More changed items than this are searched for anew, all at once."""


class Alike:
    """The pairs of one root. `search` runs in a thread; one search at a time, the newest wins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[str, str] = {}
        self._pairs: tuple[Pair, ...] = ()
        self._index: Index | None = None

    def search(self, reading: Reading, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        """The pairs of `reading` that nobody told apart, best first; None where it was cancelled."""
        with self._lock:
            if cancelled():
                return None
            texts = dict(candidates(reading.snapshot, reading.influence))
            if not self._keep_up(texts):
                made: list[Index] = []
                pairs = find_duplicates(tuple(texts.items()), progress=progress, cancelled=cancelled, keep=made.append)
                if cancelled():
                    return None
                self._pairs, self._index = pairs, made[0]
            self._texts = texts
            apart = not_duplicates(reading.snapshot)
            shown = (pair for pair in self._pairs if worth_showing(pair, reading.snapshot, apart))
            return tuple(sorted(shown, key=lambda pair: (pair.opposed, -pair.score)))

    def _keep_up(self, texts: dict[str, str]) -> bool:
        """Bring the pairs up to date item by item; False where that is not worth it."""
        if texts == self._texts:
            return bool(self._texts) or not texts
        gone = [key for key, text in self._texts.items() if texts.get(key) != text]
        new = [key for key, text in texts.items() if self._texts.get(key) != text]
        if self._index is None or not self._texts or len(gone) + len(new) > MANY:
            return False
        kept = [pair for pair in self._pairs if not {pair.a, pair.b} & set(gone)]
        for key in gone:
            self._index.remove(key)
        for key in new:
            near = [(other, texts[other]) for other, _ in self._index.matches(texts[key]) if other in texts]
            for other in near:
                kept.extend(find_duplicates((other, (key, texts[key]))))
            self._index.add(key, texts[key])
        self._pairs = tuple(kept)
        return True
