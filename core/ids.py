"""The one id allocator: `PREFIX-YYYY-MM-DD-NNN`, `max(NNN) + 1` over every id that stands anywhere (§9)."""

from __future__ import annotations

import re
from collections.abc import Iterable

ITEM = "mem"
EVENT = "memlog"
WITHDRAWAL = "memwd"
PROPOSAL = "mempolicy"
ERASURE = "memerase"

_ORDINAL = re.compile(r"-(\d+)\Z")


class Allocator:
    """Gives out fresh ids against a set of taken ones; remembers what it gave, in order, in `issued`.

    The ordinal has at least three digits and may pass 999.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = taken
        self._next: dict[str, int] = {}
        self.issued: list[str] = []

    def fresh(self, prefix: str, date: str) -> str:
        """A new id of `prefix` for the ISO `date`."""
        stem = f"{prefix}-{date}"
        if stem not in self._next:
            ordinals = (
                int(match[1])
                for taken in self._taken
                if taken.startswith(stem + "-") and (match := _ORDINAL.search(taken)) and match.start() == len(stem)
            )
            self._next[stem] = max(ordinals, default=0) + 1
        ordinal = self._next[stem]
        self._next[stem] = ordinal + 1
        issued = f"{stem}-{ordinal:03d}"
        self.issued.append(issued)
        return issued
