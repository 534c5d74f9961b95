"""Near-duplicate `knowledge` (§14.3, §16): suggestions for a human, in any script. Never an input of supersede (§14.2).

Two texts are scored by the normalised Indel ratio (0 to 100) of their folded forms: tokens sorted, so that another
order of the same words is the same; each CJK character a token; caseless; punctuation dropped, but `C++`, `C#` and
`.NET` kept. A high score says that the words are the same, not that the sentences are: what a negation, a number or
such a name changes is looked at apart, and a pair that differs by one is `opposed` and never part of a group.

The search is exact: it finds what scoring every pair would find (`core.signatures` says why).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, overload

from core.differences import Differences, Reading, compare, opposed
from core.items import MemoryItem
from core.pages import Items
from core.signatures import LANES, Block, Query, is_foreign, least_matched
from core.vocabulary import Kind, Status
from core.words import CJK, WORD

if TYPE_CHECKING:
    from core.eligibility import Influence
    from core.snapshot import Snapshot

CUTOFF = 88.0
"""The score from which a pair is suggested."""

MOST = 100_000
"""So many pairs are enough for any human; more come of one template repeated, and would only fill the memory."""

_WORD = 64
"""Texts of up to so many characters are scored a machine word at a time: thinning them saves nothing."""

_FEW = 8
"""So few texts are scored at once."""

_READ = 2048
"""So many texts are kept as read, for the next pair."""

_STEP = 64
"""Texts between two calls of `progress` and `cancelled`."""


@cache
def _token() -> re.Pattern[str]:
    return re.compile(rf"[{CJK}]|(?:(?<![\w.])\.)?{WORD}(?:['.]{WORD})*(?:\+\+\d*|#(?!\w))?")


def fold(text: str) -> str:
    """The form of `text` that is scored: its folded tokens, sorted, with blanks between; '' without letter or digit."""
    plain = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    folded = " ".join(sorted(_token().findall(plain)))
    return folded if any(map(str.isalnum, folded)) else ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, by key, `a` before `b` in the order given. `score` is 0 to 100.

    `opposed` says that they differ by a negation, a number, or a name like C++: never the same, whatever the score.
    """

    a: str
    b: str
    score: float
    opposed: bool
    a_text: str = ""
    b_text: str = ""

    @property
    def differences(self) -> Differences:
        """What differs, word by word; found anew at each call."""
        return compare(self.a_text, self.b_text)


@dataclass(frozen=True, slots=True)
class Group:
    """Texts that may say the same. `keys` and `pairs` stand in the order of the pairs given; `best` is the best score.

    `opposed` are pairs of two members that are alike only by way of others: they are not to be merged unread.
    """

    keys: tuple[str, ...]
    pairs: tuple[Pair, ...]
    best: float
    opposed: tuple[Pair, ...] = ()


class Index:
    """Texts by key, kept so that all that are near-duplicates of a text are found at once. Not for several threads."""

    def __init__(self, items: Iterable[tuple[str, str]] = (), *, cutoff: float = CUTOFF) -> None:
        """Take in `items` (key, text), all at once: much faster than one by one. `cutoff` is above 0, at most 100."""
        if not 0 < cutoff <= 100:
            raise ValueError(f"cutoff must be above 0 and at most 100: {cutoff}")
        self.cutoff = cutoff
        self._blocks: list[tuple[Block, list[str]]] = []
        self._lanes: dict[str, tuple[Block, int]] | None = None
        self._load([(key, folded) for key, text in items if (folded := fold(text))])

    def _load(self, folded: list[tuple[str, str]]) -> None:
        # Scripts apart: a block of one is passed over by texts of the other, though they be as long.
        sides: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for item in folded:
            sides[is_foreign(item[1])].append(item)
        for side in sides:
            side.sort(key=lambda item: len(item[1]))
            size = min(LANES, max(2048, -(-len(side) // 6)))
            for start in range(0, len(side), size):
                part = side[start : start + size]
                keys = [key for key, _ in part]
                texts = [text for _, text in part]
                block = Block(self.cutoff, len(texts[0]), len(texts[-1]), texts)
                self._blocks.append((block, keys))
                if self._lanes is not None:
                    self._lanes.update((key, (block, lane)) for lane, key in enumerate(keys))

    @property
    def _where(self) -> dict[str, tuple[Block, int]]:
        """Where each text is; made when first asked for, which a search of all against all never does."""
        if self._lanes is None:
            self._lanes = {
                key: (block, lane)
                for block, keys in self._blocks
                for lane, (key, text) in enumerate(zip(keys, block.texts, strict=True))
                if text
            }
        return self._lanes

    def __len__(self) -> int:
        """The number of texts that take part; those that fold to nothing do not."""
        return len(self._where)

    def __contains__(self, key: object) -> bool:
        return key in self._where

    def add(self, key: str, text: str) -> None:
        """Take in `text`; an earlier text of `key` is replaced."""
        self.remove(key)
        folded = fold(text)
        if not folded:
            return
        length = len(folded)
        block, keys = next((one for one in self._blocks if one[0].accepts(length)), None) or self._opened(length)
        keys.append(key)
        self._where[key] = (block, block.add(folded))

    def _opened(self, length: int) -> tuple[Block, list[str]]:
        """A new block for texts of about `length`."""
        ceiling = 64
        while ceiling < length:
            ceiling += ceiling // 4
        self._blocks.append((Block(self.cutoff, min(ceiling * 4 // 5, length), ceiling), []))
        return self._blocks[-1]

    def remove(self, key: str) -> None:
        """Forget the text of `key`, if there is one."""
        where = self._where.pop(key, None)
        if where is None:
            return
        block, lane = where
        block.remove(lane)
        if 2 * block.living < len(block.texts):
            self._reload(block)

    def _reload(self, block: Block) -> None:
        """Write a block that is mostly gaps anew."""
        at = next(number for number, (one, _) in enumerate(self._blocks) if one is block)
        _, keys = self._blocks.pop(at)
        self._load([(key, text) for key, text in zip(keys, block.texts, strict=True) if text])

    def matches(self, text: str) -> tuple[tuple[str, float], ...]:
        """The near-duplicates of `text`, as (key, score), best first."""
        query = Query(fold(text), self.cutoff)
        found = [match for block, keys in self._near(query) for match in _scored(query, block, keys)]
        return tuple(sorted(found, key=lambda match: -match[1]))

    def _near(self, query: Query, first: int = 0) -> Iterator[tuple[Block, list[str]]]:
        """The blocks from number `first` on with texts of such lengths that they may reach the cutoff with `query`."""
        if not query.length:
            return
        for block, keys in self._blocks[first:]:
            if block.near(query):
                yield block, keys

    def pairs(self) -> Iterator[list[tuple[str, str, float]]]:
        """All pairs that reach the cutoff, as (key, key, score), each once: a list, often empty, for each text.

        Not while texts are added or removed.
        """
        for number, (block, keys) in enumerate(self._blocks):
            for lane, text in enumerate(block.texts):
                if not text:
                    continue
                query = Query(text, self.cutoff, block, lane)
                found = _scored(query, block, keys, lane)
                for other, other_keys in self._near(query, number + 1):
                    found += _scored(query, other, other_keys)
                yield [(keys[lane], key, score) for key, score in found]
            block.rest()


def _scored(query: Query, block: Block, keys: Sequence[str], after: int = -1) -> list[tuple[str, float]]:
    """The keys and scores of the texts of `block` in lanes above `after` that reach the cutoff with `query`."""
    lanes = block.candidates(query, after)
    if not lanes:
        return []
    from rapidfuzz.distance.Indel import distance  # here, so that importing core does not load it
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import extract

    if query.length > _WORD and len(lanes) > _FEW:
        total = query.length + min(query.most, block.ceiling)
        apart = total - 2 * least_matched(total, query.cutoff)
        thin = block.thin
        near = extract(query.thin, [thin[lane] for lane in lanes], scorer=distance, score_cutoff=apart, limit=None)
        if not near:
            return []
        lanes = [lanes[at] for _, _, at in near]
    texts = block.texts
    best = extract(query.text, [texts[lane] for lane in lanes], scorer=ratio, score_cutoff=query.cutoff, limit=None)
    return [(keys[lanes[at]], score) for _, score, at in best]


def find_duplicates(
    items: Sequence[tuple[str, str]],
    *,
    cutoff: float = CUTOFF,
    most: int = MOST,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    keep: Callable[[Index], None] | None = None,
) -> tuple[Pair, ...]:
    """All pairs of `items` (key, text; keys unique) that score at least `cutoff` (above 0, at most 100), best first.

    Equal scores stand in the order of the items. What scoring each pair would find, no more and no less, unless it
    stops early: with `most` pairs where there are more, or with those found so far once `cancelled()` is true.
    `progress(done, total)` is called now and then, and at the end; a caller that shares its thread's time waits in it.
    `keep` is given the index that was made of `items`, for whoever goes on to find the pairs of single texts with it.
    """
    total = 2 * len(items)
    order = {key: number for number, (key, _) in enumerate(items)}

    def told(source: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for number, item in enumerate(source):
            if number % _STEP == 0:
                if cancelled is not None and cancelled():
                    return
                if progress is not None:
                    progress(number, total)
            yield item

    index = Index(told(items), cutoff=cutoff)
    if keep is not None:
        keep(index)
    readings: dict[str, Reading] = {}

    def read(key: str) -> Reading:
        if key not in readings:
            if len(readings) >= _READ:
                readings.clear()
            readings[key] = Reading(items[order[key]][1])
        return readings[key]

    pairs: list[Pair] = []
    for number, found in enumerate(index.pairs()):
        if number % _STEP == 0:
            if cancelled is not None and cancelled():
                break
            if progress is not None:
                progress(len(items) + number, total)
        for a, b, score in found:
            if order[b] < order[a]:
                a, b = b, a
            pairs.append(Pair(a, b, score, opposed(read(a), read(b)), items[order[a]][1], items[order[b]][1]))
        if len(pairs) >= most:
            del pairs[most:]
            break
    pairs.sort(key=lambda pair: (-pair.score, order[pair.a], order[pair.b]))
    if progress is not None:
        progress(total, total)
    return tuple(pairs)


def group_pairs(pairs: Iterable[Pair]) -> tuple[Group, ...]:
    """The groups that `pairs` make: texts linked by pairs, whatever the number of steps. Opposed pairs link nothing.

    The groups stand in the order of their first pairs: best first where the pairs are.
    """
    leaders: dict[str, str] = {}

    def leader(key: str) -> str:
        while (up := leaders.setdefault(key, key)) != key:
            leaders[key] = key = leaders[up]
        return key

    given = tuple(pairs)
    linked = [pair for pair in given if not pair.opposed]
    for pair in linked:
        leaders[leader(pair.b)] = leader(pair.a)
    members: dict[str, list[Pair]] = {}
    for pair in linked:
        members.setdefault(leader(pair.a), []).append(pair)
    apart: dict[str, list[Pair]] = {}
    for pair in given:
        if pair.opposed and leader(pair.a) == leader(pair.b):
            apart.setdefault(leader(pair.a), []).append(pair)
    return tuple(
        Group(
            tuple(dict.fromkeys(key for pair in own for key in (pair.a, pair.b))),
            tuple(own),
            max(pair.score for pair in own),
            tuple(apart.get(head, ())),
        )
        for head, own in members.items()
    )


class Candidates(Sequence[tuple[str, str]]):
    """Items as (key, text). A text is read when it is asked for: all of them at once are a lot."""

    def __init__(self, items: Iterable[MemoryItem]) -> None:
        self.items = tuple(items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, at: slice) -> Candidates: ...
    def __getitem__(self, at: int | slice) -> tuple[str, str] | Candidates:
        if isinstance(at, slice):
            return Candidates(self.items[at])
        item = self.items[at]
        return item.key, item.text


def candidates(snapshot: Snapshot, influence: Influence) -> Candidates:
    """The items that may be near-duplicates, in reading order.

    `knowledge` that is not excluded, held, stale, superseded or merged into another, without the index's copies of it.
    """
    return Candidates(
        item
        for item in snapshot.gather(_comparable)
        if item.key not in snapshot.repeated and influence.eligible(item.key)
    )


def _comparable(items: Items) -> Items:
    return tuple(
        item
        for item in items
        if item.kind is Kind.KNOWLEDGE
        and item.status not in (Status.STALE, Status.SUPERSEDED)
        and item.superseded_by is None
        and item.merged_into is None
        and not item.held
    )


def suggest_duplicates(
    snapshot: Snapshot,
    influence: Influence,
    *,
    not_duplicates: frozenset[frozenset[str]] = frozenset(),
    cutoff: float = CUTOFF,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Pair, ...]:
    """The pairs of `candidates` to show to a human (see `find_duplicates`).

    Left out are those that a human has said are no duplicates (`not_duplicates` holds the two ids of each), and two
    bearers of one id: they are a conflict.
    """
    found = find_duplicates(candidates(snapshot, influence), cutoff=cutoff, progress=progress, cancelled=cancelled)
    return tuple(pair for pair in found if worth_showing(pair, snapshot, not_duplicates))


def worth_showing(pair: Pair, snapshot: Snapshot, not_duplicates: frozenset[frozenset[str]]) -> bool:
    """False for two items that a human has told apart, and for two bearers of one id."""
    one, other = snapshot.by_key[pair.a].id, snapshot.by_key[pair.b].id
    return one is None or other is None or (one != other and frozenset((one, other)) not in not_duplicates)
