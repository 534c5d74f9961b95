"""What differs between two texts, in words, and whether it can turn what they say into something else.

Texts that differ by a negation, a number or a name such as C++ look alike to every measure of likeness, and say
different things. So these differences come first and are named: a person is not left to find them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from core.words import Token, WordKind, lex, tokens

_ENDS = frozenset(".,;:!?。，、；：！？")

_FINE = 250_000
"""Up to so many pairs of tokens are compared word by word; beyond that sentence by sentence first."""

_PREFIXES = ("un", "dis", "non", "in", "im", "ir", "il")

_NOTES = 12
_QUOTE = 40


class DifferenceKind(StrEnum):
    """Kinds of differences, those that weigh most first."""

    NEGATION = "negation"
    NUMBER = "number"
    SYMBOL = "symbol"
    WORD = "word"
    ORDER = "order"
    PUNCTUATION = "punctuation"
    """Signs, letter case, or the way in which the same characters are written."""


OPPOSING = frozenset({DifferenceKind.NEGATION, DifferenceKind.NUMBER, DifferenceKind.SYMBOL})
"""Kinds of differences that can turn what a text says into something else."""

_MARKS = {WordKind(kind): kind for kind in OPPOSING}
_WEIGHT = {kind: weight for weight, kind in enumerate(DifferenceKind)}


class Span(NamedTuple):
    """A stretch `text[start:end]`: equal where `kind` is None, else changed.

    Where words of this side only stand elsewhere on the other, `kind` is `order`, whatever they stand against.
    """

    start: int
    end: int
    kind: DifferenceKind | None


class Change(NamedTuple):
    """One difference: what `a` has instead of what `b` has. One of the spans may be empty: it is then the place."""

    kind: DifferenceKind
    a: Span
    b: Span


@dataclass(frozen=True, slots=True)
class Differences:
    """What differs between texts a and b.

    The spans of each side are in order and cover the text; the n-th of `a` stands against the n-th of `b`, and either
    may be empty. `changes` are the changed ones, those that weigh most first. `notes` are sentences in that order; they
    quote the texts as they are, so a screen shows them as it shows memory text.
    """

    a: tuple[Span, ...]
    b: tuple[Span, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    @property
    def opposed(self) -> bool:
        """Whether they differ by a negation, a number or a symbol."""
        return any(change.kind in OPPOSING for change in self.changes)


class Reading:
    """The words of a text, ready to be set against those of another: made once where many are compared."""

    __slots__ = ("keys", "known", "marks", "starts")

    def __init__(self, text: str, words: Sequence[Token] | None = None) -> None:
        words = tokens(text) if words is None else words
        self.keys = tuple(word.key for word in words)
        self.starts = tuple(word.start for word in words)
        self.known = frozenset(self.keys)
        self.marks = tuple((number, _MARKS[word.kind]) for number, word in enumerate(words) if word.kind in _MARKS)


def opposed(a: Reading, b: Reading) -> bool:
    """Whether a negation, number or symbol of one text is missing from the other, or bears on something else there."""
    left, right = _opposing(a, b)
    return bool(left or right)


def _opposing(a: Reading, b: Reading) -> tuple[dict[int, DifferenceKind], dict[int, DifferenceKind]]:
    """The words that oppose the texts, by number: marks without a counterpart, and words that a prefix negates.

    A counterpart bears on the same: the next word that both texts have is the same, or for numbers and symbols the last
    one before, or there is no other left. Any negation is the counterpart of any other.
    """
    left, right = dict(a.marks), dict(b.marks)
    for after in (True, False):
        if left and right:
            waiting = _bearings(b, right, a.known, after)
            for bearing, numbers in _bearings(a, left, b.known, after).items():
                others = waiting.get(bearing, [])
                met = zip(numbers, others, strict=False) if bearing[0] else _counterparts(a, numbers, b, others)
                for number, counterpart in tuple(met):
                    del left[number], right[counterpart]
    if len(left) == len(right) == 1 and DifferenceKind.NEGATION not in left.values():
        (number,), (counterpart,) = left, right
        if a.keys[number] == b.keys[counterpart]:  # nothing is left that it could have changed places with
            left, right = {}, {}
    if a.known != b.known:
        only, instead = a.known - b.known, b.known - a.known
        for word, plain in [*_negated(only, instead), *(pair[::-1] for pair in _negated(instead, only))]:
            left[a.keys.index(word)] = right[b.keys.index(plain)] = DifferenceKind.NEGATION
    return left, right


def _bearings(
    reading: Reading, marks: dict[int, DifferenceKind], known: frozenset[str], after: bool
) -> dict[tuple[bool, str], list[int]]:
    """The numbers of `marks` by whether they are negations, and by the next (or last) word `known` to the other text.

    Negations bear on what comes after them.
    """
    found: dict[tuple[bool, str], list[int]] = {}
    shared = ""
    count = len(reading.keys)
    for number in reversed(range(count)) if after else range(count):
        kind = marks.get(number)
        if kind is not None and (after or kind is not DifferenceKind.NEGATION):
            found.setdefault((kind is DifferenceKind.NEGATION, shared), []).append(number)
        if reading.keys[number] in known:
            shared = reading.keys[number]
    return found


def _counterparts(a: Reading, numbers: list[int], b: Reading, others: list[int]) -> list[tuple[int, int]]:
    """Which of `others` says what which of `numbers` says: nothing, where they say the same in another order."""
    said, other_said = [a.keys[number] for number in numbers], [b.keys[number] for number in others]
    if said != other_said and sorted(said) == sorted(other_said):
        return []
    waiting: dict[str, list[int]] = {}
    for number in others:
        waiting.setdefault(b.keys[number], []).append(number)
    return [(number, waiting[key].pop()) for number, key in zip(numbers, said, strict=True) if waiting.get(key)]


def _negated(words: frozenset[str], others: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The words that are negations of `others` by their prefix, with these: unsafe, disable, non-blocking, invalid."""
    for word in words:
        if word.startswith(_PREFIXES):
            for prefix in _PREFIXES:
                rest = word.removeprefix(prefix)
                if rest != word and len(rest) >= (3 if prefix in ("un", "dis", "non") else 5):
                    for plain in (rest, "en" + rest if prefix == "dis" else rest):
                        if plain in others:
                            yield word, plain


def compare(a: str, b: str) -> Differences:
    """What differs between `a` and `b`. Long texts that differ much are compared more coarsely, not more slowly."""
    sides = (tuple(lex(a)), tuple(lex(b)))
    words = [[token for token in side if token.kind is not WordKind.PUNCTUATION] for side in sides]
    readings = [Reading("", side) for side in words]
    opposing = [
        {reading.starts[number]: kind for number, kind in found.items()}
        for reading, found in zip(readings, _opposing(*readings), strict=True)
    ]
    counts = [Counter(reading.keys) for reading in readings]
    excess = [counts[0] - counts[1], counts[1] - counts[0]]

    def kind_of(token: Token, side: int) -> DifferenceKind:
        if token.kind is WordKind.PUNCTUATION:
            return DifferenceKind.PUNCTUATION
        if token.start in opposing[side]:
            return opposing[side][token.start]
        return DifferenceKind.WORD if token.key in excess[side] else DifferenceKind.ORDER

    spans: list[list[Span]] = [[], []]
    changes: list[tuple[Change, tuple[Token, ...], tuple[Token, ...]]] = []
    ends = [0, 0]
    for first, last, other_first, other_last in _changed(*sides, opposing):
        parts = (sides[0][first:last], sides[1][other_first:other_last])
        kinds = [{kind_of(token, side) for token in part} for side, part in enumerate(parts)]
        if [token.key for token in parts[0]] == [token.key for token in parts[1]]:
            kinds = [own & OPPOSING or {DifferenceKind.PUNCTUATION} for own in kinds]
        kind = min(kinds[0] | kinds[1], key=_WEIGHT.__getitem__)
        pair: list[Span] = []
        for side, (part, at) in enumerate(zip(parts, (first, other_first), strict=True)):
            own = min(kinds[side], key=_WEIGHT.__getitem__, default=kind) if kind not in OPPOSING else kind
            before = sides[side][at - 1].end if at else 0
            pair.append(Span(part[0].start, part[-1].end, own) if part else Span(before, before, own))
            spans[side] += (Span(ends[side], pair[side].start, None), pair[side])
            ends[side] = pair[side].end
        changes.append((Change(kind, *pair), *parts))
    for side, text in enumerate((a, b)):
        spans[side].append(Span(ends[side], len(text), None))
    changes.sort(key=lambda change: _WEIGHT[change[0].kind])

    marked = [
        Counter((mark, token.key) for token in side if (mark := found.get(token.start)) is not None)
        for side, found in zip(words, opposing, strict=True)
    ]
    unlike = {mark for mark, _ in (marked[0] - marked[1]) + (marked[1] - marked[0])}
    notes = list(dict.fromkeys(_notes(changes, kind_of, OPPOSING - unlike, reordered=counts[0] == counts[1])))
    more = [f"and {len(notes) - _NOTES} more"] if len(notes) > _NOTES else []
    return Differences(
        tuple(spans[0]), tuple(spans[1]), tuple(change for change, *_ in changes), (*notes[:_NOTES], *more)
    )


def _changed(
    left: tuple[Token, ...], right: tuple[Token, ...], opposing: Sequence[dict[int, DifferenceKind]]
) -> Iterator[tuple[int, int, int, int]]:
    """The changed stretches as (first, last, other first, other last) of tokens, in order: also words that are the same
    but written or meant differently."""
    at = other_at = 0
    ranges = _aligned([token.key for token in left], [token.key for token in right])
    for first, last, other_first, other_last in (*ranges, (len(left), len(left), len(right), len(right))):
        for token, other in zip(left[at:first], right[other_at:other_first], strict=True):
            if token.text != other.text or token.start in opposing[0] or other.start in opposing[1]:
                yield at, at + 1, other_at, other_at + 1
            at += 1
            other_at += 1
        if first < last or other_first < other_last:
            yield first, last, other_first, other_last
        at, other_at = last, other_last


def _aligned(a: list[str], b: list[str]) -> Iterator[tuple[int, int, int, int]]:
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    rest, other_rest = a[start : len(a) - end], b[start : len(b) - end]
    if len(rest) * len(other_rest) <= _FINE:
        yield from _ranges(rest, other_rest, start, start)
        return
    cuts, other_cuts = _cuts(rest), _cuts(other_rest)
    pieces = [tuple(rest[cuts[n] : cuts[n + 1]]) for n in range(len(cuts) - 1)]
    other_pieces = [tuple(other_rest[other_cuts[n] : other_cuts[n + 1]]) for n in range(len(other_cuts) - 1)]
    for first, last, other_first, other_last in _ranges(pieces, other_pieces, 0, 0, autojunk=True):
        one, other = rest[cuts[first] : cuts[last]], other_rest[other_cuts[other_first] : other_cuts[other_last]]
        at, other_at = start + cuts[first], start + other_cuts[other_first]
        if len(one) * len(other) <= _FINE:
            yield from _ranges(one, other, at, other_at)
        else:
            yield at, at + len(one), other_at, other_at + len(other)


def _ranges(
    a: Sequence[object], b: Sequence[object], start: int, other_start: int, *, autojunk: bool = False
) -> Iterator[tuple[int, int, int, int]]:
    for tag, first, last, other_first, other_last in SequenceMatcher(None, a, b, autojunk).get_opcodes():
        if tag != "equal":
            yield start + first, start + last, other_start + other_first, other_start + other_last


def _cuts(keys: Sequence[str]) -> list[int]:
    """The numbers at which sentences begin, and the length."""
    return sorted({0, len(keys), *(number + 1 for number, key in enumerate(keys) if key in _ENDS)})


def _notes(
    changes: Sequence[tuple[Change, tuple[Token, ...], tuple[Token, ...]]],
    kind_of: Callable[[Token, int], DifferenceKind],
    moved: frozenset[DifferenceKind],
    *,
    reordered: bool,
) -> Iterator[str]:
    for (kind, _, _), *parts in changes:
        if kind is DifferenceKind.PUNCTUATION:
            yield "differs by signs or letter case"
        elif kind is DifferenceKind.ORDER:
            yield "same words, another order" if reordered else "some words stand elsewhere"
        else:
            sides = [
                _quoted([token for token in part if kind_of(token, side) is kind]) for side, part in enumerate(parts)
            ]
            told = f"a {kind} bears on something else" if kind in moved else f"differs by a {kind}"
            yield f"{told}: {' / '.join(dict.fromkeys(filter(None, sides)))}"


def _quoted(part: Sequence[Token]) -> str:
    """The words of `part` as written, one blank for what stands between, cut to a length that fits a line."""
    text = ""
    end = 0
    for token in part:
        if token.kind is not WordKind.PUNCTUATION:
            text += " " * (bool(text) and token.start > end) + token.text
            end = token.end
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"
