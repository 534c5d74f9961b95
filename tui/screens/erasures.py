"""Screen 7, Erasures: the content-free tombstones that the log holds (§12.3), and what became of every holder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.controls import Tombstone
from tui import display
from tui.desk import Facts
from tui.lines import EMPTY, LABEL, Line, flow, labelled, line, spread
from tui.page import Page
from tui.verbs import ERASURES
from tui.widgets.virtual_list import Key

_RESULT = {"completed": ("✓", "good"), "partially-completed": ("!", "waits"), "unevaluated": ("◌", "waits")}


class ErasuresPage(Page):
    """One row a tombstone; its holders on the card."""

    NUMBER: ClassVar[int] = ERASURES
    NEEDS: ClassVar[str] = "influence"
    COUNTS: ClassVar[str] = "erasure"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many, and whether a holder is not done."""
        tombstones = facts.reading.snapshot.tombstones
        return f"{len(tombstones):,}", any(_open(one) for one in tombstones)

    def rows(self, facts: Facts) -> Sequence[Key]:
        """The newest first."""
        self._tombstones: dict[Key, Tombstone] = {
            ("erasure", one.erasure_id): one for one in reversed(facts.reading.snapshot.tombstones)
        }
        return list(self._tombstones)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Ids, scope, authority and holders."""
        for key, one in self._tombstones.items():
            holders = " ".join(holder for holder, _, _ in one.holders)
            yield key, display.visible(f"{one.erasure_id} {' '.join(one.scope_refs)} {one.authority_ref} {holders}")

    def empty(self) -> tuple[str, ...]:
        """Nothing was ever erased."""
        return (
            "Nothing was ever erased here.",
            "Erasure is the exceptional, irreversible path: an explicit request, an authority, every holder named. "
            "To stop using a conclusion, withdraw it: 5 Withdrawals.",
        )

    def copy_text(self, key: Key) -> str | None:
        """The erasure's id."""
        one = self._tombstones.get(key)
        return one.erasure_id if one is not None else None

    def row(self, key: Key, width: int) -> Line:
        """The id, its scope, and how many holders are done."""
        one = self._tombstones[key]
        done = sum(result == "completed" for _, result, _ in one.holders)
        left = line(
            ("✕ ", "dim"),
            (display.one_line(one.erasure_id), "strong"),
            "  ",
            (display.one_line(", ".join(one.scope_refs)), ""),
        )
        state = f"{done} of {len(one.holders)} holders completed"
        return spread(left, line((state, "waits" if _open(one) else "dim")), width)

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """Scope, authority, and each holder with its result."""
        one = self._tombstones[key]
        room = width - LABEL
        block = [line((display.one_line(one.erasure_id), "strong")), EMPTY]
        facts = (
            ("scope", ", ".join(one.scope_refs)),
            ("authority", one.authority_ref),
            ("decided", one.decided_at),
            ("executed", one.executed_at),
            ("instead", ", ".join(one.sanitized_replacement_refs)),
            ("stands in", str(one.place) if one.place is not None else ""),
        )
        for label, value in facts:
            if value:
                block.extend(labelled(label, flow(display.one_line(value), room)))
        block.extend((EMPTY, line(("Holders", "head"))))
        for holder, result, limitation in one.holders:
            sign, role = _RESULT.get(result, ("?", "waits"))
            block.append(
                spread(
                    line((f"{sign} ", role), display.one_line(holder)), line((display.one_line(result), role)), width
                )
            )
            if limitation:
                block.extend(flow(display.one_line(limitation), width, role="dim", indent=2))
        return block


def _open(one: Tombstone) -> bool:
    return any(result != "completed" for _, result, _ in one.holders)
