"""Keeping excluded text out of what is printed (§12.2, §15.2 step 1), also where another record repeats it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.events import FieldChange
from core.items import MemoryItem
from core.reading import Reading
from core.sources import parse_source

MARK = "[withheld]"

_SHORTEST = 8
"""Shorter lines of excluded text say nothing by themselves, and occur everywhere."""


class Withheld:
    """What the control records of one reading exclude."""

    def __init__(self, reading: Reading) -> None:
        self._influence = reading.influence
        self._lines: dict[str, set[str]] = {}
        for text in _excluded_texts(reading):
            for line in re.split(r"\r\n|\r|\n", text):
                line = line.strip()
                if len(line) >= _SHORTEST:
                    self._lines.setdefault(line[:_SHORTEST], set()).add(line)

    def eligible(self, item: MemoryItem) -> bool:
        """True where ordinary reads may show the item's text."""
        return self._influence.eligible(item.key)

    def text(self, item: MemoryItem) -> str | None:
        """The item's text, or None where it is withheld."""
        return item.text if self.eligible(item) else None

    def source(self, item: MemoryItem) -> str | None:
        """The item's Source; None where it is withheld: a person's words may restate what was withdrawn."""
        if item.source is None or self.eligible(item):
            return item.source
        words = any(ref.kind == "statement" for ref in parse_source(item.source))
        return None if words else item.source

    def scrub(self, text: str) -> str:
        """`text` with every line of excluded text in it replaced by a mark."""
        if not self._lines:
            return text
        for begin in {text[at : at + _SHORTEST] for at in range(len(text) - _SHORTEST + 1)} & self._lines.keys():
            for line in sorted(self._lines[begin], key=len, reverse=True):
                text = text.replace(line, MARK)
        return text


def _excluded_texts(reading: Reading) -> Iterator[str]:
    """The texts of excluded items, as they stand, as they stood, and as the archive has them."""
    influence, snapshot = reading.influence, reading.snapshot
    for key in influence.verdicts:
        if not influence.eligible(key) and key in snapshot.by_key:
            yield snapshot.by_key[key].text
    yield from (copy.text for copy in influence.excluded_copies)
    for event in snapshot.events if influence.excluded_ids else ():
        for change in event.items:
            if change.id in influence.excluded_ids:
                yield from _texts((*change.corrections, *change.fields))
                if change.record and isinstance(text := change.record.get("text"), str):
                    yield text


def _texts(steps: tuple[FieldChange, ...]) -> Iterator[str]:
    for step in steps:
        if step.name == "text":
            yield from (value for value in (step.before, step.after) if isinstance(value, str))
