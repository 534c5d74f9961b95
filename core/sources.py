"""Sources (§9): what an item rests on, read from its Source text and looked up in a snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.snapshot import Snapshot

if TYPE_CHECKING:
    from core.influence import Influence


@dataclass(frozen=True, slots=True)
class SourceRef:
    """One thing a Source names. `text` is as written.

    `file` is root-relative (`archive/…`, `topics/…`) or None, `anchor` the part after `#` or None.
    An item reference has its id in `text`; a statement is a person's word, kept whole.
    """

    text: str
    file: str | None
    anchor: str | None
    kind: Literal["archive", "topic", "item", "statement"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference looked up. `excerpt` is what stands there (None: nothing, or withheld), `line` 1-based.

    `reason` is a sentence: what was found, why not, or why the excerpt is withheld.
    """

    ref: SourceRef
    found: bool
    excerpt: str | None
    line: int | None
    reason: str


def parse_source(source: str) -> tuple[SourceRef, ...]:
    """The references of a Source, in order. A Source that names none is one statement, kept whole."""
    return (SourceRef(source, None, None, "statement"),)


def resolve(
    snapshot: Snapshot, ref: SourceRef, influence: Influence | None = None, *, item_id: str | None = None
) -> Resolved:
    """Look `ref` up. With `influence`, nothing that a withdrawal covers is excerpted (§12.2)."""
    return Resolved(ref, False, None, None, "not looked up")
