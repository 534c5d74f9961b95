"""The signatures of many texts as arrays: which of them have enough in common with another (`core.signatures`).

Loaded by the first search that is worth it, and by nothing else: numpy takes a tenth of a second and 20 MB.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

CLASSES = 128
"""Characters are counted by their code, modulo so many: each of ASCII by itself, others a few together."""

COLUMNS = 255
"""So many features are looked at; what two texts have in common of them has to fit into a byte."""

COUNTED = 255
"""Of a class of characters so many are counted; the rest is among what is left."""

_CHUNK = 512
"""Texts are read so many at a time, to need little memory."""


class Features:
    """The features of texts, a row a text: `counts` says how often each class of characters occurs."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths = np.fromiter(map(len, texts), np.int32, len(texts))
        self.counts = np.empty((len(texts), CLASSES), np.uint8)
        for start in range(0, len(texts), _CHUNK):
            part = slice(start, start + _CHUNK)
            lengths = self.lengths[part]
            codes = np.frombuffer("".join(texts[part]).encode("utf-32-le", "surrogatepass"), np.uint32)
            owner = np.repeat(np.arange(len(lengths)), lengths)
            found = np.bincount(owner * CLASSES + codes % CLASSES, minlength=len(lengths) * CLASSES)
            self.counts[part] = np.minimum(found, COUNTED).reshape(-1, CLASSES)


class Lanes:
    """A filter over texts, lane i the i-th of them. One word in each of `_words` holds 64 columns of a text."""

    def __init__(self, texts: Sequence[str], cutoff: float) -> None:
        self.size = len(texts)
        self.features = Features(texts)
        self._cutoff = cutoff
        # The features that halve the texts best: what all of them have, or none, tells nothing.
        counted = [np.bincount(column, minlength=COUNTED + 1) for column in self.features.counts.T]
        share = np.array(counted)[:, ::-1].cumsum(axis=1)[:, -2::-1] / len(texts)  # [c, t]: c occurs more than t times
        best = np.argsort(-(share * (1 - share)).ravel(), kind="stable")[:COLUMNS]
        self._classes, threshold = np.divmod(best, COUNTED)
        self._threshold = (threshold + 1).astype(np.uint8)
        self._known: WeakKeyDictionary[Features, tuple[NDArray[np.uint64], NDArray[np.int32]]] = WeakKeyDictionary()
        words, self._left = self._signatures(self.features)
        self._words = np.ascontiguousarray(words.T)
        self._needed: tuple[int, NDArray[np.int32]] | None = None

    def _signatures(self, features: Features) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The chosen features of each text, a row of words a text, and the number of those that it has left."""
        known = self._known.get(features)
        if known is None:
            words = np.empty((len(features.counts), -(-COLUMNS // 64)), np.uint64)
            for start in range(0, len(words), _CHUNK):
                counts = features.counts[start : start + _CHUNK, self._classes]
                bits = np.zeros((len(counts), words.shape[1] * 64), bool)
                bits[:, : len(self._classes)] = counts >= self._threshold
                words[start : start + _CHUNK] = np.packbits(bits, axis=1).view(np.uint64)
            left = features.lengths - np.bitwise_count(words).sum(axis=1, dtype=np.int32)
            known = self._known[features] = words, left
        return known

    def passing(self, features: Features, row: int, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """The lanes within `ranges` that may reach the cutoff with the text of `row`: all that do, and others."""
        words, left = self._signatures(features)
        needed = self._need(int(features.lengths[row]))
        found: list[int] = []
        for start, end in ranges:
            common = np.bitwise_count(self._words[0, start:end] & words[row, 0])
            for number in range(1, len(self._words)):
                common += np.bitwise_count(self._words[number, start:end] & words[row, number])
            lanes = np.flatnonzero(common >= needed[start:end] - np.minimum(self._left[start:end], left[row]))
            found += (lanes + start).tolist()
        return found

    def _need(self, length: int) -> NDArray[np.int32]:
        """How many characters each lane must have in common with a text of `length` (`least_matched`)."""
        if self._needed is None or self._needed[0] != length:
            total = self.features.lengths + length
            self._needed = length, np.ceil(self._cutoff * total / 200 - 1e-6).astype(np.int32)
        return self._needed[1]
