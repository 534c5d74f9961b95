"""Status, kind and source as glyph + word, each glyph with an ASCII form for terminals without it."""

from __future__ import annotations

from collections.abc import Mapping
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


_DRAWN = {
    "▌": ">", "◆": "*", "│": "|", "─": "-", "└": "`", "→": ">", "−": "-", "·": ".", "⋯": "~", "…": "~", "⏎": "|",
    "•": "*", "↑": "^", "↓": "v", "›": ">", "—": "-",
}  # fmt: skip

ASCII_FORMS: Mapping[int, str] = {
    **{ord(glyph.sign): glyph.ascii for glyph in (*STATUS.values(), RESOLVES, DANGLING, WORD, NO_KIND)},
    **{ord(sign): form for sign, form in _DRAWN.items()},
}
"""Every sign that the console draws, with its ASCII form, cell for cell; for `str.translate`."""


def ascii_wanted(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is one without these glyphs.

    `ASSAY_ASCII` says so; else it is the Linux console or a plain one, or the locale chosen has no more than ASCII.
    """
    wish = environ.get("ASSAY_ASCII", "")
    if "ASSAY_ASCII" in environ:
        return wish not in ("", "0")
    chosen = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")
    return environ.get("TERM", "") in ("linux", "dumb", "vt100") or chosen in ("C", "POSIX")
