"""Finding whole tokens in a Source: many wanted tokens at once, in one pass over the text."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]")

_FIRST_UNSPACED = "\u2e80"
"""From here on scripts that set no blanks between words: a neighbour of these does not lengthen a token."""


class TokenFinder:
    """Finds which of `tokens` stand in a text, each delimited on both sides.

    A letter, digit, `-` or `_` beside a token makes it part of a longer one (`run-7` is not in `run-70`); so does a
    full stop before a letter or digit. Everything else delimits, also `#`, `:` and `/`.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[str, int]]] = {}
        self._wordless: list[str] = []
        for token in dict.fromkeys(token.strip() for token in tokens):
            words = list(_WORD.finditer(token))
            if words:
                self._by_last.setdefault(words[-1][0], []).append((token, words[-1].start()))
            elif token:
                self._wordless.append(token)

    def __bool__(self) -> bool:
        return bool(self._by_last or self._wordless)

    def find(self, text: str) -> set[str]:
        """The wanted tokens that stand in `text`."""
        if not self:
            return set()
        found = {token for token in self._wordless if token in text}
        if not self._by_last.keys().isdisjoint(_WORD.findall(text)):
            for word in _WORD.finditer(text):
                for token, offset in self._by_last.get(word[0], ()):
                    start = word.start() - offset
                    if start >= 0 and text.startswith(token, start) and _delimited(text, start, start + len(token)):
                        found.add(token)
        return found


def _delimited(text: str, start: int, end: int) -> bool:
    if start > 0 and _joins(text[start - 1], text[start]):
        return False
    if end == len(text):
        return True
    if text[end] == "." and end + 1 < len(text):
        return not (text[end + 1].isalnum() and text[end + 1] < _FIRST_UNSPACED)
    return not _joins(text[end], text[end - 1])


def _joins(neighbour: str, edge: str) -> bool:
    if neighbour >= _FIRST_UNSPACED or edge >= _FIRST_UNSPACED:
        return False
    return neighbour.isalnum() or neighbour in "-_"
