"""Find rows by what is seen of them: one search over the joined text, in any script, that can be abandoned."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence

_BETWEEN = b"\xff"  # no byte of UTF-8
_CHECK_EVERY = 4096


def fold(text: str) -> str:
    """`text` as it is compared: compatibility forms and case are the same."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold())


def needles_of(query: str) -> tuple[str, ...]:
    """The words of a query, folded; a row has to contain all of them."""
    return tuple(fold(query).split())


class Haystack:
    """The text of many rows, folded and joined, so that one search passes over all of them."""

    def __init__(self, rows: Iterable[tuple[Hashable, str]], *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """`rows` are `(key, text)` in the order to show. Stops early, unfinished, once `cancelled`."""
        self._keys: list[Hashable] = []
        self._starts: list[int] = []
        parts: list[bytes] = []
        at = 0
        for number, (key, text) in enumerate(rows):
            if number % _CHECK_EVERY == 0 and cancelled():
                break
            folded = fold(text).encode("utf-8", "surrogatepass")
            self._keys.append(key)
            self._starts.append(at)
            parts.append(folded)
            at += len(folded) + 1
        self._joined = _BETWEEN.join(parts)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def keys(self) -> Sequence[Hashable]:
        """All keys, in order."""
        return self._keys

    def find(self, query: str, *, cancelled: Callable[[], bool] = lambda: False) -> list[Hashable] | None:
        """The keys of the rows that contain every word of `query`, in order; None once `cancelled`."""
        needles = needles_of(query)
        if not needles:
            return list(self._keys)
        found: set[int] | None = None
        for needle in sorted(needles, key=len, reverse=True):
            rows = self._rows_with(needle.encode("utf-8", "surrogatepass"), cancelled)
            if rows is None:
                return None
            found = rows if found is None else found & rows
            if not found:
                return []
        return [self._keys[index] for index in sorted(found or ())]

    def _rows_with(self, needle: bytes, cancelled: Callable[[], bool]) -> set[int] | None:
        joined, starts = self._joined, self._starts
        rows: set[int] = set()
        at = joined.find(needle)
        while at >= 0:
            row = bisect_right(starts, at) - 1
            rows.add(row)
            if len(rows) % _CHECK_EVERY == 0 and cancelled():
                return None
            if row + 1 >= len(starts):
                break
            at = joined.find(needle, starts[row + 1])
        return rows
