"""Which texts of many can be alike at all: an exact filter in front of the scorer of near-duplicates.

**The bound.** The scorer is the normalised Indel similarity `2 m / (la + lb)`, where `m` is the length of the longest
common subsequence of texts of `la` and `lb` characters. So a pair that reaches the cutoff `c` (0 to 1) has
`m >= c (la + lb) / 2`, and no fewer characters in common, counted as a multiset, whatever their order.

**Signatures.** A text's features are its (character, occurrence) pairs: the k-th occurrence is a feature of its own, so
that two texts have as many features in common as characters. Taking several characters for one only adds to that. Some
features are chosen, those that halve the texts best, and each gets a bit. A text has the rest of its features left, and
two texts have in common there no more than the lesser of what is left of each. So

    common bits + the lesser of what is left

is never below the number of characters in common, and a pair where even that is below the bound is no pair. What passes
is scored. `core.lanes` does this for thousands of texts at once. Pairs of neighbouring characters would tell more texts
apart, but not so many that it pays: the bound for them is far lower.

**Sorts of characters.** Of what is matched each character is in ASCII in both texts or in neither. Where one text has
more of either sort, the surplus is unmatched: whole blocks of texts of another script are passed over by that.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.lanes import Features, Lanes

LANES = 16384
"""The most texts of a block that is made at once."""

GROWING = 2048
"""A block of fewer texts takes in others: its signatures are then soon made anew."""

_ENOUGH = 64
"""So few texts left in a block cost the scorer less than the filter costs."""

_WORTH = 400
"""A block of fewer texts has no signatures: its texts are scored sooner than numpy is loaded."""

_FOREIGN = 6
"""A folded text of a script that does not part its words is blanks for almost a half."""

_THIN = {ord(character): None for character in " aeiou"}


def least_matched(total: int, cutoff: float) -> int:
    """The least length of a common subsequence that reaches `cutoff` (0 to 100) at `la + lb == total`.

    Never too many: what floating point may add is taken off before rounding up.
    """
    return ceil(cutoff * total / 200 - 1e-6)


def longest_partner(length: int, cutoff: float) -> int:
    """The greatest length of a text that can reach `cutoff` with one of `length` (both in characters)."""
    return int(length * (200 - cutoff) / cutoff + 1e-6)


def shortest_partner(length: int, cutoff: float) -> int:
    """The least length of a text that can reach `cutoff` with one of `length` (both in characters)."""
    return ceil(length * cutoff / (200 - cutoff) - 1e-6)


def foreign(text: str) -> int:
    """The number of characters outside ASCII."""
    return 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))


def is_foreign(text: str) -> bool:
    """Whether so much of `text` is outside ASCII that it is hardly alike to any text of which that is not true."""
    return foreign(text) * _FOREIGN > len(text)


def thinned(text: str) -> str:
    """`text` without blanks and vowels.

    Leaving the same characters out of two texts never adds to their Indel distance: a pair whose thinned texts are too
    far apart is too far apart. On texts of half the length the scorer takes a quarter of the time.
    """
    return text.translate(_THIN)


class Query:
    """A text that is looked for.

    Where it is the text of lane `lane` of the block `home`, what is known of it there is not found again.
    """

    __slots__ = ("_features", "_lane", "_thin", "cutoff", "foreign", "home", "least", "length", "most", "text")

    def __init__(self, text: str, cutoff: float, home: Block | None = None, lane: int = 0) -> None:
        self.text = text
        self.length = len(text)
        self.foreign = foreign(text)
        self.cutoff = cutoff
        self.least = shortest_partner(self.length, cutoff)
        self.most = longest_partner(self.length, cutoff)
        self.home = home
        self._lane = lane
        self._features: Features | None = None
        self._thin: str | None = None

    @property
    def thin(self) -> str:
        """The text, thinned."""
        if self._thin is None:
            self._thin = thinned(self.text)
        return self._thin

    def features(self) -> tuple[Features, int]:
        """The features of texts of which this is one, and the number of its row."""
        known = self.home and self.home.features(self._lane)
        if known:
            return known, self._lane
        if self._features is None:
            from core.lanes import Features

            self._features = Features([self.text])
        return self._features, 0


class Block:
    """Texts of `floor` to `ceiling` characters. Lane i is the i-th text that was put in; '' where it was removed.

    The texts given at first are sorted by length. Signatures are made when a query first needs them.
    """

    def __init__(self, cutoff: float, floor: int, ceiling: int, texts: Iterable[str] = ()) -> None:
        self.floor = floor
        self.ceiling = ceiling
        self.texts: list[str] = list(texts)
        self.living = len(self.texts)
        self._cutoff = cutoff
        self._lengths = [len(text) for text in self.texts]
        self._foreign = self._plain = (ceiling, 0)
        for text in self.texts:
            self._widen(text)
        self._filter: Lanes | None = None
        self._thin: list[str] | None = None

    def _widen(self, text: str) -> None:
        strange = foreign(text)
        plain = len(text) - strange
        self._foreign = min(self._foreign[0], strange), max(self._foreign[1], strange)
        self._plain = min(self._plain[0], plain), max(self._plain[1], plain)

    def accepts(self, length: int) -> bool:
        """Whether a text of `length` characters can be added."""
        return self.floor <= length <= self.ceiling and len(self.texts) < GROWING

    def add(self, text: str) -> int:
        """Put `text` in; the number of its lane."""
        self.texts.append(text)
        self.living += 1
        self._widen(text)
        if self._thin is not None:
            self._thin.append(thinned(text))
        return len(self.texts) - 1

    def remove(self, lane: int) -> None:
        """The text of `lane` counts no longer."""
        self.texts[lane] = ""
        self.living -= 1
        if self._thin is not None:
            self._thin[lane] = ""

    @property
    def thin(self) -> list[str]:
        """The texts, thinned; made when first asked for."""
        if self._thin is None:
            self._thin = [thinned(text) for text in self.texts]
        return self._thin

    def near(self, query: Query) -> bool:
        """Whether any text may reach the cutoff with `query`, by its characters in ASCII and outside of it."""
        if self.floor > query.most or query.least > self.ceiling:
            return False
        plain = query.length - query.foreign
        unmatched = max(self._foreign[0] - query.foreign, query.foreign - self._foreign[1], 0)
        unmatched += max(self._plain[0] - plain, plain - self._plain[1], 0)
        total = query.length + min(query.most, self.ceiling)
        # What is rounded up at this total may not be so at a lesser one: two more.
        return unmatched <= total - 2 * least_matched(total, query.cutoff) + 2

    def features(self, lane: int) -> Features | None:
        """The features of the texts, where those of `lane` are among them."""
        made = self._filter
        return made.features if made is not None and lane < made.size else None

    def rest(self) -> None:
        """Give back the memory of what can be made anew: nothing is asked of this block for a while."""
        self._filter = None
        self._thin = None

    def candidates(self, query: Query, after: int = -1) -> list[int]:
        """The lanes above `after` whose texts may reach the cutoff with `query`: all that do, and others.

        Those of removed texts may be among them; nothing scores above 0 with ''.
        """
        start = max(bisect_left(self._lengths, query.least), after + 1)
        end = max(bisect_right(self._lengths, query.most), start)
        later = max(len(self._lengths), after + 1)
        made = self._made() if len(self.texts) >= _WORTH and end - start + len(self.texts) - later > _ENOUGH else None
        if made is None:
            found = [*range(start, end), *range(later, len(self.texts))]
        else:
            features, row = query.features()
            ranges = [(start, end)]
            if later < made.size:
                ranges.append((later, made.size))
            found = made.passing(features, row, ranges)
            found += range(max(made.size, later), len(self.texts))
        return found

    def _made(self) -> Lanes:
        if self._filter is None or self._filter.size + _ENOUGH < len(self.texts):
            from core.lanes import Lanes  # here, so that importing core does not load numpy

            self._filter = Lanes(self.texts, self._cutoff)
        return self._filter
