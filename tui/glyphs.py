"""Status, kind and source as glyph + word, each glyph with an ASCII form for terminals without it."""

from __future__ import annotations

from typing import NamedTuple

ELLIPSIS = "…"


class Glyph(NamedTuple):
    """One sign: the glyph, its ASCII form, and the word that always goes with it."""

    sign: str
    ascii: str
    word: str

    def mark(self, *, ascii_only: bool = False) -> str:
        """The sign alone."""
        return self.ascii if ascii_only else self.sign

    def label(self, *, ascii_only: bool = False) -> str:
        """Sign and word, e.g. `● active`."""
        return f"{self.mark(ascii_only=ascii_only)} {self.word}"


STATUS: dict[str, Glyph] = {
    "active": Glyph("●", "*", "active"),
    "pending-cleanup": Glyph("◌", "?", "pending"),
    "stale": Glyph("◐", "~", "stale"),
    "superseded": Glyph("○", "o", "superseded"),
    "withdrawn": Glyph("⊘", "x", "withdrawn"),
    "erased": Glyph("✕", "#", "erased"),
}
"""By the protocol's token (§9), and the two states that are no status: withdrawn (§12.2) and erased (§12.3)."""

UNKNOWN = Glyph("!", "!", "unknown")
"""For a Status that is no token of the vocabulary, and for findings."""

KIND: dict[str, Glyph] = {
    "state": Glyph("S", "S", "state"),
    "knowledge": Glyph("K", "K", "knowledge"),
}
NO_KIND = Glyph("–", "-", "no kind")

RESOLVES = Glyph("✓", "+", "resolves")
DANGLING = Glyph("✗", "!", "does not resolve")
WORD = Glyph("“", '"', "a person's word")
NO_SOURCE = Glyph("!", "!", "no source")


def status_glyph(token: str | None) -> Glyph:
    """The glyph of a status token; `UNKNOWN` for None or a token outside the vocabulary."""
    return STATUS.get(token or "", UNKNOWN)


def kind_glyph(token: str | None) -> Glyph:
    """The glyph of a kind token; `NO_KIND` for None or a token outside the vocabulary."""
    return KIND.get(token or "", NO_KIND)
