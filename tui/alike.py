"""Near-duplicate suggestions beside the screen: searched once, then kept up as items come and go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

from core.commands.merging import not_duplicates
from core.duplicates import Candidates, Group, Index, Pair, candidates, find_duplicates, group_pairs, worth_showing
from core.items import MemoryItem
from core.reading import Reading

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]
Texts = Sequence[tuple[str, str]]

MANY = 200
"""More changed items than this are searched for anew, all at once."""
BESIDE = 3_000
"""From so many texts on the search is a process of its own, so that neither keys nor memory here pay for it."""


def suggestions(pairs: Iterable[Pair]) -> list[Group]:
    """What is put to a human, one by one: groups that may be merged, then each opposed pair as a group of its own."""
    given = tuple(pairs)
    apart = [Group((pair.a, pair.b), (pair,), pair.score, (pair,)) for pair in given if pair.opposed]
    return [*group_pairs(pair for pair in given if not pair.opposed), *apart]


def counted(groups: Collection[Group]) -> str:
    """What `suggestions` are, in numbers: `2 groups alike, 1 pair opposed`."""
    apart = sum(group.pairs[0].opposed for group in groups)
    merge = len(groups) - apart
    parts = (
        f"{merge:,} group{'' if merge == 1 else 's'} alike" if merge else "",
        f"{apart:,} pair{'' if apart == 1 else 's'} opposed" if apart else "",
    )
    return ", ".join(part for part in parts if part)


class Searcher(Protocol):
    """What finds pairs: in this process, or in another (`tui.alike_beside`)."""

    def search(self, texts: Texts, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        """All pairs of `texts`, which are remembered; None where it was cancelled."""
        ...

    def change(self, gone: Sequence[str], new: Texts) -> list[tuple[str, str]]:
        """Forget the texts of keys, then take in new ones; their near-duplicates, as (key, new key)."""
        ...

    def close(self) -> None:
        """Forget everything."""
        ...


class Here:
    """Searches in this process."""

    def __init__(self) -> None:
        self._index = Index()

    def search(self, texts: Texts, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        """All pairs of `texts`."""

        def keep(index: Index) -> None:
            self._index = index

        pairs = find_duplicates(texts, progress=progress, cancelled=cancelled, keep=keep)
        return None if cancelled() else pairs

    def change(self, gone: Sequence[str], new: Texts) -> list[tuple[str, str]]:
        """Forget, take in, and find."""
        found = []
        for key in gone:
            self._index.remove(key)
        for key, text in new:
            found += [(other, key) for other, _ in self._index.matches(text)]
            self._index.add(key, text)
        return found

    def close(self) -> None:
        """The index goes."""
        self._index = Index()


class Alike:
    """The pairs of one root. `search` runs in a thread; one search at a time, the newest wins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: dict[str, MemoryItem] = {}
        self._pairs: tuple[Pair, ...] = ()
        self._searcher: Searcher | None = None
        self._closed = False

    def search(self, reading: Reading, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        """The pairs of `reading` that nobody told apart, best first; None where it was cancelled."""
        with self._lock:
            if cancelled():
                return None
            compared = candidates(reading.snapshot, reading.influence)
            items = {item.key: item for item in compared.items}
            if not self._keep_up(items):
                pairs = self._anew(compared, progress, cancelled)
                if pairs is None:
                    return None
                self._pairs = pairs
            self._items = items
            apart = not_duplicates(reading.snapshot)
            shown = (pair for pair in self._pairs if worth_showing(pair, reading.snapshot, apart))
            return tuple(sorted(shown, key=lambda pair: (pair.opposed, -pair.score)))

    def close(self) -> None:
        """Nothing is asked any more; a search that runs ends."""
        self._closed = True
        if self._searcher is not None:
            self._searcher.close()

    def _anew(self, texts: Candidates, progress: Progress, cancelled: Cancelled) -> tuple[Pair, ...] | None:
        self._items = {}
        if self._searcher is not None:
            self._searcher.close()
        if len(texts) >= BESIDE:
            from tui.alike_beside import Beside

            try:
                self._searcher = Beside()
                return self._searcher.search(texts, progress, cancelled)
            except OSError:  # no second process here: slower keys meanwhile, the same pairs
                if cancelled() or self._closed:
                    return None
        self._searcher = Here()
        return self._searcher.search(texts, progress, cancelled)

    def _keep_up(self, items: dict[str, MemoryItem]) -> bool:
        """Bring the pairs up to date item by item; False where that is not worth it."""
        before = self._items
        gone = [key for key, item in before.items() if _other(items.get(key), item)]
        new = [key for key, item in items.items() if _other(before.get(key), item)]
        if not gone and not new:
            return bool(before) or (self._searcher is not None and not items)
        if self._searcher is None or not before or len(gone) + len(new) > MANY:
            return False
        kept = [pair for pair in self._pairs if not {pair.a, pair.b} & set(gone)]
        try:
            found = self._searcher.change(gone, [(key, items[key].text) for key in new])
        except OSError:  # the other process is gone
            return False
        for other, key in found:
            if other in items:
                kept += find_duplicates(((other, items[other].text), (key, items[key].text)))
        self._pairs = tuple(kept)
        return True


def _other(one: MemoryItem | None, item: MemoryItem) -> bool:
    """Whether `one` says something else than `item`."""
    return one is not item and (one is None or one.text != item.text)
