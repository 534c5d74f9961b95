"""Near-duplicate suggestions beside the screen: searched once, then kept up as items come and go."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.commands.merging import not_duplicates
from core.duplicates import Index, Pair, candidates, find_duplicates, worth_showing
from core.items import MemoryItem
from core.reading import Reading

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]

MANY = 200
"""More changed items than this are searched for anew, all at once."""


class Alike:
    """The pairs of one root. `search` runs in a thread; one search at a time, the newest wins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: dict[str, MemoryItem] = {}
        self._pairs: tuple[Pair, ...] = ()
        self._index: Index | None = None

    def search(self, reading: Reading, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        """The pairs of `reading` that nobody told apart, best first; None where it was cancelled."""
        with self._lock:
            if cancelled():
                return None
            compared = candidates(reading.snapshot, reading.influence)
            items = {item.key: item for item in compared.items}
            if not self._keep_up(items):
                made: list[Index] = []
                pairs = find_duplicates(compared, progress=progress, cancelled=cancelled, keep=made.append)
                if cancelled():
                    return None
                self._pairs, self._index = pairs, made[0]
            self._items = items
            apart = not_duplicates(reading.snapshot)
            shown = (pair for pair in self._pairs if worth_showing(pair, reading.snapshot, apart))
            return tuple(sorted(shown, key=lambda pair: (pair.opposed, -pair.score)))

    def _keep_up(self, items: dict[str, MemoryItem]) -> bool:
        """Bring the pairs up to date item by item; False where that is not worth it."""
        before = self._items
        gone = [key for key, item in before.items() if _other(items.get(key), item)]
        new = [key for key, item in items.items() if _other(before.get(key), item)]
        if not gone and not new:
            return bool(before) or not items
        if self._index is None or not before or len(gone) + len(new) > MANY:
            return False
        kept = [pair for pair in self._pairs if not {pair.a, pair.b} & set(gone)]
        for key in gone:
            self._index.remove(key)
        for key in new:
            text = items[key].text
            near = [(other, items[other].text) for other, _ in self._index.matches(text) if other in items]
            for other in near:
                kept.extend(find_duplicates((other, (key, text))))
            self._index.add(key, text)
        self._pairs = tuple(kept)
        return True


def _other(one: MemoryItem | None, item: MemoryItem) -> bool:
    """Whether `one` says something else than `item`."""
    return one is not item and (one is None or one.text != item.text)
