"""Which texts of many can be alike at all: an exact filter in front of the scorer of near-duplicates.

**The bound.** The scorer is the normalised Indel similarity `2 m / (la + lb)`, where `m` is the length of the longest
common subsequence of texts of `la` and `lb` characters. So a pair that reaches the cutoff `c` (0 to 1) has
`m >= c (la + lb) / 2`, and at most `la + lb - 2 m` characters are unmatched. Take the `m` matched pairs in order: two
neighbours are adjacent in *both* texts unless an unmatched character stands between them, and one unmatched character
parts one pair of neighbours at most. A run of `q` matched pairs, adjacent throughout, is one q-gram that both texts
have; there are `m - q + 1` runs, and each parted pair of neighbours spoils at most `q - 1` of them. The pair therefore
has at least

    m - (q - 1) (la + lb - 2 m + 1)

q-grams in common, counted as a multiset: for q = 1 that is `c (la + lb) / 2`, for q = 2 `(1.5 c - 1) (la + lb) - 1`.
Characters alone tell most sentences apart and are cheapest; longer texts have all characters, and need grams of two.

**Signatures.** A text's features are its (q-gram, occurrence) pairs: the k-th occurrence is a feature of its own, so
that the common features of two texts are their common q-grams as a multiset. Each feature has one of `WIDTH` columns,
which several share where there are more. Take any set P of the columns of text `a`, and for each of them one feature
of `a` that has it: `la - q + 1 - |P|` features of `a` are not taken. So of `n` features in common with another text at
least `n - (la - q + 1) + |P|` are taken ones, and the other text has as many of the columns P. Rare columns are chosen,
and no more of them than tell the texts apart.

**Lanes.** A `Block` holds the signatures of up to `LANES` texts crosswise: one integer a column, one bit (a lane) a
text. Whether each of thousands of texts has enough of the columns P is then found by a few bitwise operations a column
on whole integers: carry-save adders add the columns up, lane by lane, to integers of weight 1, 2, 4, ...
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress
from math import ceil, sqrt
from operator import add, mul
from typing import TypeVar

T = TypeVar("T")

WIDTH = 2048
LANES = 16384
NUMBERS = tuple(range(LANES))
"""The numbers of the lanes, to select from."""

GRAMS = (1, 2)
"""Lengths q of the grams, in the order in which they are tried."""

_ENOUGH = 48
"""So few texts left in a block cost the scorer less than another filter costs."""

_LONG = 256
"""Texts of fewer characters are not worth grams of more than one: the scorer costs less."""

_MARGIN = 4.0
"""How many standard deviations chance must be away from what is asked before no more columns are taken."""

_STRIDE = 10
"""Columns are taken by so many."""

_COMMON = 0.98
"""A column that so great a share of the texts has tells nothing any more."""

_THIN = {ord(character): None for character in " aeiou"}
_BITS = bytes.maketrans(b"01", b"\0\1")


def least_matched(total: int, cutoff: float) -> int:
    """The least length of a common subsequence that reaches `cutoff` (0 to 100) at `la + lb == total`.

    Never too many: what floating point may add is taken off before rounding up.
    """
    return ceil(cutoff * total / 200 - 1e-6)


def least_common(total: int, cutoff: float, gram: int) -> int:
    """The least number of common grams of a pair that reaches `cutoff` (0 to 100) at `la + lb == total`; may be < 0."""
    matched = least_matched(total, cutoff)
    return matched - (gram - 1) * (total - 2 * matched + 1)


def longest_partner(length: int, cutoff: float) -> int:
    """The greatest length of a text that can reach `cutoff` with one of `length` (both in characters)."""
    return int(length * (200 - cutoff) / cutoff + 1e-6)


def shortest_partner(length: int, cutoff: float) -> int:
    """The least length of a text that can reach `cutoff` with one of `length` (both in characters)."""
    return ceil(length * cutoff / (200 - cutoff) - 1e-6)


def thinned(text: str) -> str:
    """`text` without blanks and vowels.

    Leaving the same characters out of two texts never adds to their Indel distance: a pair whose thinned texts are too
    far apart is too far apart. On texts of half the length the scorer takes a quarter of the time.
    """
    return text.translate(_THIN)


def selected(items: Sequence[T], lanes: int) -> list[T]:
    """Those of `items` whose bits are set in `lanes`, in order."""
    first = (lanes & -lanes).bit_length() - 1
    digits = f"{lanes >> first:b}"[::-1] if lanes else ""
    if lanes.bit_count() * 8 > len(digits):
        return list(compress(items[first : first + len(digits)], digits.encode().translate(_BITS)))
    found: list[T] = []
    at = digits.find("1")
    while at >= 0:
        found.append(items[first + at])
        at = digits.find("1", at + 1)
    return found


class Columns:
    """The columns of features, given out in turn as features are met: common ones come first and share least."""

    def __init__(self) -> None:
        self._columns: dict[str, list[int]] = {}
        self._next = 0
        self.common = {gram: [0] * WIDTH for gram in GRAMS}
        """For each gram, how many of the texts in the blocks' filters have each column."""

    def of(self, text: str, gram: int) -> set[int]:
        """The columns of the features of `text`."""
        if gram == 1:
            counts = Counter(text)
        else:
            counts = Counter(map("".join, zip(*(text[shift:] for shift in range(gram)), strict=False)))
        found: list[int] = []
        known = self._columns.get
        for one, times in counts.items():
            columns = known(one)
            if columns is None or len(columns) < times:
                columns = self._given(one, times)
            found += columns[:times]
        return set(found)

    def _given(self, one: str, times: int) -> list[int]:
        columns = self._columns.setdefault(one, [])
        # A text with more occurrences than there are columns would only come round to them again.
        while len(columns) < min(times, WIDTH):
            columns.append(self._next)
            self._next = (self._next + 1) % WIDTH
        return columns


class Query:
    """A text that is looked for. Its columns are found once for each gram, and only where a block asks."""

    __slots__ = ("_columns", "_found", "_thin", "cutoff", "least", "length", "most", "text")

    def __init__(self, text: str, columns: Columns, cutoff: float) -> None:
        self.text = text
        self.length = len(text)
        self.cutoff = cutoff
        self.least = shortest_partner(self.length, cutoff)
        self.most = longest_partner(self.length, cutoff)
        self._columns = columns
        self._found: dict[int, list[int]] = {}
        self._thin: str | None = None

    @property
    def thin(self) -> str:
        """The text, thinned."""
        if self._thin is None:
            self._thin = thinned(self.text)
        return self._thin

    def columns(self, gram: int) -> list[int]:
        """The columns of the features of the text, the rarest first."""
        found = self._found.get(gram)
        if found is None:
            common = self._columns.common[gram]
            found = self._found[gram] = sorted(self._columns.of(self.text, gram), key=common.__getitem__)
        return found


class Block:
    """Up to `LANES` texts of `floor` to `ceiling` characters. Lane i is the i-th text that was put in.

    `alive` has the bits of the lanes that still count. The columns for a gram are made when a query first needs them.
    """

    def __init__(self, columns: Columns, cutoff: float, floor: int, ceiling: int, texts: Iterable[str] = ()) -> None:
        self.floor = floor
        self.ceiling = ceiling
        self.texts: list[str] = list(texts)
        self.alive = (1 << len(self.texts)) - 1
        self._lengths = [len(text) for text in self.texts]
        self._columns = columns
        self._cutoff = cutoff
        self._filters: dict[int, _Filter] = {}
        self._thin: list[str] | None = None

    def accepts(self, length: int) -> bool:
        """Whether a text of `length` characters can be added."""
        return self.floor <= length <= self.ceiling and len(self.texts) < LANES

    def add(self, text: str) -> int:
        """Put `text` in; the number of its lane."""
        lane = len(self.texts)
        self.texts.append(text)
        self.alive |= 1 << lane
        if self._thin is not None:
            self._thin.append(thinned(text))
        for gram, made in self._filters.items():
            made.add(lane, self._columns.of(text, gram), len(text))
        return lane

    def remove(self, lane: int) -> None:
        """The text of `lane` counts no longer."""
        self.alive &= ~(1 << lane)
        self.texts[lane] = ""
        if self._thin is not None:
            self._thin[lane] = ""

    @property
    def living(self) -> int:
        """The number of texts that still count."""
        return self.alive.bit_count()

    @property
    def thin(self) -> list[str]:
        """The texts, thinned; made when first asked for."""
        if self._thin is None:
            self._thin = [thinned(text) for text in self.texts]
        return self._thin

    def candidates(self, query: Query, after: int = -1) -> int:
        """The lanes (as bits) above `after` whose texts may reach the cutoff with `query`: all that do, and others."""
        # The texts given at first are sorted by length, so that those of lengths that can match are a range.
        start = max(bisect_left(self._lengths, query.least), after + 1)
        end = max(bisect_right(self._lengths, query.most), start)
        later = max(len(self._lengths), after + 1)
        found = self.alive & ((1 << end) - (1 << start) | (1 << len(self.texts)) - (1 << later))
        shortest = self._lengths[start] if start < end else self.floor
        for gram in GRAMS:
            if found.bit_count() <= _ENOUGH or (gram > 1 and query.length < _LONG):
                break
            made = self._filters.get(gram)
            if made is None:
                made = self._filters[gram] = _Filter(gram, self._cutoff, self.ceiling, self.texts, self._columns)
            found &= made.passing(query, shortest)
        return found


class _Filter:
    """The columns of a block's texts for one gram.

    Longer texts have to have more in common, so what is asked is counted for the `ceiling`; `_bonus` are integers of
    weight 1, 2, 4, ... that make up, lane by lane, for what shorter texts need not have.
    """

    def __init__(self, gram: int, cutoff: float, ceiling: int, texts: Sequence[str], columns: Columns) -> None:
        self._gram = gram
        self._cutoff = cutoff
        self._ceiling = ceiling
        self._lanes = len(texts)
        # Rows of digits, last lane first, so that every WIDTH-th digit from x on is column x as a binary numeral.
        rows = bytearray(b"0") * (WIDTH * len(texts))
        bonus: list[int] = []
        for lane, text in enumerate(texts):
            row = (len(texts) - 1 - lane) * WIDTH
            for column in columns.of(text, gram):
                rows[row + column] = 49
            bonus.append(self._spared(len(text)))
        self._bits = [int(rows[column::WIDTH] or b"0", 2) for column in range(WIDTH)]
        self._counts = [bits.bit_count() for bits in self._bits]
        self._common = columns.common[gram]
        self._common[:] = map(add, self._common, self._counts)
        self._most = max(bonus, default=0)
        bonus.reverse()
        self._bonus = [
            int("".join("1" if worth >> weight & 1 else "0" for worth in bonus), 2)
            for weight in range(self._most.bit_length())
        ]

    def _spared(self, length: int) -> int:
        """No less than what a text of `length` need not have in common that one of the ceiling's length must."""
        short = max(self._ceiling - length, 0)
        return (2 * self._gram - 1) * least_spared(short, self._cutoff) - (self._gram - 1) * short

    def add(self, lane: int, columns: set[int], length: int) -> None:
        bit = 1 << lane
        for column in columns:
            self._bits[column] |= bit
            self._counts[column] += 1
            self._common[column] += 1
        spared = self._spared(length)
        self._most = max(self._most, spared)
        while len(self._bonus) < spared.bit_length():
            self._bonus.append(0)
        for weight in range(spared.bit_length()):
            if spared >> weight & 1:
                self._bonus[weight] |= bit
        self._lanes = lane + 1

    def passing(self, query: Query, shortest: int) -> int:
        """The lanes (as bits) that have enough in common with `query`. Texts of `shortest` are told apart best."""
        features = query.length - self._gram + 1
        spare = features - least_common(query.length + self._ceiling, query.cutoff, self._gram)
        chosen = self._choose(
            query.columns(self._gram), features - least_common(query.length + shortest, query.cutoff, self._gram)
        )
        full = (1 << self._lanes) - 1
        least = len(chosen) - spare
        if least <= 0:
            return full
        return _at_least(least, [self._bits[column] for column in chosen], self._bonus, self._most, full)

    def _choose(self, columns: list[int], spare: int) -> list[int]:
        """The rarest columns, as many as tell a text that reaches the cutoff from one that is alike by chance."""
        lanes = self._lanes
        counts = [self._counts[column] for column in columns]
        total = squares = 0
        for number in range(_STRIDE, len(columns), _STRIDE):
            part = counts[number - _STRIDE : number]
            total += sum(part)
            squares += sum(map(mul, part, part))
            mean = total / lanes
            enough = number - spare - mean > _MARGIN * sqrt(mean - squares / lanes**2) + 1
            if enough or (number > spare and part[-1] > _COMMON * lanes):
                return columns[:number]
        return columns


def least_spared(short: int, cutoff: float) -> int:
    """How much the least common subsequence can shrink, at most, where a text is `short` characters shorter."""
    return ceil(cutoff * short / 200 + 1e-6)


def _at_least(least: int, ones: list[int], bonus: Sequence[int], most: int, full: int) -> int:
    """The lanes (as bits) in which the number of `ones` plus the `bonus` is at least `least` (>= 1).

    `bonus` are integers of weight 1, 2, 4, ..., in every lane `most` at most. The sum starts at 2^k - `least`, so that
    it carries to weight 2^k exactly in the lanes that are asked for; sums below that weight are never finished.
    """
    top = max(len(ones) + most, least).bit_length()
    start = (1 << top) - least
    level = ones
    for weight in range(top):
        if start >> weight & 1:
            level.append(full)
        if weight < len(bonus):
            level.append(bonus[weight])
        carried: list[int] = []
        if level:
            terms = iter(level)
            total = next(terms)
            for one, other in zip(terms, terms, strict=False):
                first = total ^ one
                carried.append(total ^ (first & (total ^ other)))
                total = first ^ other
            if not len(level) & 1:
                carried.append(total & level[-1])
        level = carried
    found = 0
    for bits in level:
        found |= bits
    return found
