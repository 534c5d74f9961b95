"""Find rows by what is seen of them: one search over the joined text, in any script, that can be abandoned."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import accumulate, repeat

_BETWEEN = b"\xff"  # no byte of UTF-8
_CHECK_EVERY = 4096
_LOT = 1 << 21
"""Bytes that are searched at once."""


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
        self._lots: list[_Lot] = []
        parts: list[bytes] = []
        size = 0
        for number, (key, text) in enumerate(rows):
            if number % _CHECK_EVERY == 0 and cancelled():
                break
            part = fold(text).encode("utf-8", "surrogatepass")
            self._keys.append(key)
            parts.append(part)
            size += len(part) + 1
            if size >= _LOT:
                self._lots.append(_Lot(len(self._keys) - len(parts), parts))
                parts, size = [], 0
        if parts:
            self._lots.append(_Lot(len(self._keys) - len(parts), parts))

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def keys(self) -> Sequence[Hashable]:
        """All keys, in order."""
        return self._keys

    def find(self, query: str, *, cancelled: Callable[[], bool] = lambda: False) -> list[Hashable] | None:
        """The keys of the rows that contain every word of `query`, in order; None once `cancelled`."""
        needles = [needle.encode("utf-8", "surrogatepass") for needle in needles_of(query)]
        if not needles:
            return list(self._keys)
        if len(needles) > 1 and self._lots:
            needles.sort(key=self._lots[0].frequency)
        found: list[Hashable] = []
        for lot in self._lots:
            if cancelled():
                return None
            found += map(self._keys.__getitem__, lot.rows_with(needles))
        return found


class _Lot:
    """Some rows on end: their texts joined, so few that a search through them is over before anybody can wait."""

    def __init__(self, first: int, parts: Sequence[bytes]) -> None:
        self._first = first
        self._joined = _BETWEEN.join(parts)
        self._starts = list(accumulate((len(part) + 1 for part in parts), initial=0))

    def frequency(self, needle: bytes) -> int:
        """How often `needle` stands in a part of these rows."""
        return self._joined.count(needle, 0, len(self._joined) // 8)

    def rows_with(self, needles: Sequence[bytes]) -> Iterable[int]:
        """The numbers of the rows that contain all of `needles`, rarest first, in order."""
        first, *others = needles
        rows: Iterable[int] = self._rows_with(first)
        joined, starts = self._joined, self._starts
        for needle in others:
            rows = [row for row in rows if joined.find(needle, starts[row], starts[row + 1]) >= 0]
        return map(self._first.__add__, rows)

    def _rows_with(self, needle: bytes) -> Iterable[int]:
        # The rest of a row belongs to its first match, so that there is one a row.
        there = re.compile(re.escape(needle) + b"[^" + _BETWEEN + b"]*")
        found = [match.start() for match in there.finditer(self._joined)]
        return map((-1).__add__, map(bisect_right, repeat(self._starts), found))
