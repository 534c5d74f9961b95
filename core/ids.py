"""The one id allocator: `PREFIX-YYYY-MM-DD-NNN`, `max(NNN) + 1` over every id that stands anywhere (§9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

ITEM = "mem"
EVENT = "memlog"
WITHDRAWAL = "memwd"
PROPOSAL = "mempolicy"
ERASURE = "memerase"


class Allocator:
    """Gives out fresh ids against a set of taken ones; remembers what it gave, in order, in `issued`.

    The ordinal has at least three digits and may pass 999.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = taken
        self._next: dict[str, int] = {}
        self.issued: list[str] = []

    @cached_property
    def _joined(self) -> str:
        return "\n".join(("", *self._taken, ""))

    def avoid(self, id: str) -> None:
        """Take `id` for given out, although it stands nowhere. To be said before the first fresh id."""
        self._taken = (*self._taken, id)

    def fresh(self, prefix: str, date: str) -> str:
        """A new id of `prefix` for the ISO `date`."""
        stem = f"{prefix}-{date}"
        if stem not in self._next:
            ordinals = re.findall(f"\n{re.escape(stem)}-([0-9]{{1,12}})(?=\n)", self._joined)
            self._next[stem] = max(map(int, ordinals), default=0) + 1
        ordinal = self._next[stem]
        self._next[stem] = ordinal + 1
        issued = f"{stem}-{ordinal:03d}"
        self.issued.append(issued)
        return issued
