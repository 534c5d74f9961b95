"""Sentences as agents note them down, English and Chinese, from a seed. See `tests.bench.generate` for how real."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from tests.bench import vocabulary as words

T = TypeVar("T")

SHORTEST, LONGEST = 30, 1500
_MEDIAN, _SPREAD = 116.0, 0.62
_CHINESE = 0.42
"""What Chinese says in so many characters takes one in English."""
_SLOT = re.compile(r"\{(\w+)\}")


class Prose:
    """Draws from `rng` alone: the same state gives the same sentences."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        names = [self._name() for _ in range(1500)]
        pools: dict[str, Sequence[str]] = {
            "n": words.NOUNS,
            "v": [third(verb) for verb in words.VERBS],
            "base": words.VERBS,
            "a": words.ADJECTIVES,
            "d": words.ADVERBS,
            "p": words.PLACES,
            "name": names,
            "host": [self._host(name) for name in names[:900]],
            "path": [self._path(name) for name in names[:900]],
            "variable": [self._variable() for _ in range(400)],
            "command": [self._command() for _ in range(300)],
            "version": [f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(12)}" for _ in range(300)],
            "port": [str(rng.randrange(80, 65000)) for _ in range(400)],
            "number": [str(rng.randrange(2, 10 ** rng.randrange(1, 5) + 2)) for _ in range(400)],
            "code": [f"{rng.choice('EHXW')}{rng.randrange(100, 9999)}" for _ in range(300)],
            "unit": words.UNITS,
            "person": words.PEOPLE,
            "N": words.CHINESE_NOUNS,
            "V": words.CHINESE_VERBS,
            "A": words.CHINESE_ADJECTIVES,
        }
        self._drawn = {slot: self._drawing(pool) for slot, pool in pools.items()}
        self._english = self._drawing([_SLOT.split(pattern) for pattern in words.PATTERNS])
        self._chinese = self._drawing([_SLOT.split(pattern) for pattern in words.CHINESE_PATTERNS])
        self._links = self._drawing(words.LINKS)
        self._chinese_links = self._drawing(words.CHINESE_LINKS)

    def english(self) -> str:
        """A note of one sentence or more."""
        length = self._length(1.0)
        parts: list[str] = []
        so_far = 0
        while so_far < length:
            clause = self._clause(self._english)
            if parts:
                clause = f" {next(self._links)} {clause}" if so_far % 3 else f". {clause[0].upper()}{clause[1:]}"
            parts.append(clause)
            so_far += len(clause)
        text = "".join(parts)
        return f"{text[0].upper()}{text[1:]}."

    def chinese(self) -> str:
        """The same in Chinese, with Latin names in it."""
        length = self._length(_CHINESE)
        parts: list[str] = []
        so_far = 0
        while so_far < length:
            clause = self._clause(self._chinese)
            if parts:
                clause = f",{next(self._chinese_links)}{clause}" if so_far % 3 else f"。{clause}"
            parts.append(clause)
            so_far += len(clause)
        return "".join(parts) + "。"

    def _length(self, share: float) -> float:
        return min(LONGEST, max(SHORTEST, self._rng.lognormvariate(0.0, _SPREAD) * _MEDIAN * share))

    def _clause(self, patterns: Iterator[list[str]]) -> str:
        parts = list(next(patterns))
        drawn = self._drawn
        parts[1::2] = [next(drawn[slot]) for slot in parts[1::2]]
        return "".join(parts)

    def _drawing(self, pool: Sequence[T]) -> Iterator[T]:
        """Members of `pool` without end, the first most often: after Zipf, flattened at the head as nouns are."""
        weights = list(accumulate(1 / (place + 8) for place in range(len(pool))))
        while True:
            yield from self._rng.choices(pool, cum_weights=weights, k=256)

    def _name(self) -> str:
        rng = self._rng
        word = "".join(rng.choice(words.SYLLABLES) for _ in range(rng.randrange(2, 5)))
        shape = rng.randrange(4)
        if shape == 0:
            return word.capitalize()
        if shape == 1:
            return f"{word}-{rng.choice(words.TRADES)}"
        return word if shape == 2 else f"{rng.choice(words.NOUNS)}-{rng.choice(words.NOUNS)}"

    def _host(self, name: str) -> str:
        rng = self._rng
        if rng.randrange(4) == 0:
            return f"192.0.2.{rng.randrange(1, 255)}"
        return f"{name.lower()}-{rng.randrange(1, 40):02d}.example.com"

    def _path(self, name: str) -> str:
        rng = self._rng
        head = rng.choice(("/etc", "/srv", "/var/lib", "src", "deploy", "docs", "~/.config"))
        tail = rng.choice(("yaml", "toml", "py", "conf", "sql", "md", "json", "sh", "log"))
        return f"{head}/{name.lower()}/{rng.choice(words.NOUNS)}.{tail}"

    def _variable(self) -> str:
        return "_".join(self._rng.choice(words.NOUNS).upper() for _ in range(self._rng.randrange(2, 4)))

    def _command(self) -> str:
        rng = self._rng
        tool = "".join(rng.choice(words.SYLLABLES) for _ in range(2))
        return f"`{tool} {rng.choice(words.VERBS)} --{rng.choice(words.NOUNS)}={rng.randrange(99)}`"


def third(verb: str) -> str:
    """The third person of a verb."""
    if verb.endswith(("s", "sh", "ch", "x")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"
