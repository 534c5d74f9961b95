"""The help page, made from the table of verbs."""

from __future__ import annotations

from tui import glyphs
from tui.glyphs import Glyph
from tui.lines import EMPTY, Line, flow, line
from tui.screens.table import title_of, titles
from tui.verbs import VERBS, Verb

_LEAD = 28

SIGNS: tuple[tuple[Glyph, str], ...] = (
    (glyphs.STATUS["active"], "in force; agents may rely on it"),
    (
        glyphs.STATUS["pending-cleanup"],
        "somebody doubts it; it waits on 2 Review; on 9 Health: unevaluated",
    ),
    (glyphs.STATUS["stale"], "it does not hold any more; kept, to be read as history"),
    (glyphs.STATUS["superseded"], "another item took its place"),
    (glyphs.STATUS["withdrawn"], "excluded from influence by an owner; its text stands on 5 Withdrawals alone"),
    (glyphs.STATUS["erased"], "its content is gone for good; only the record of that is left"),
    (glyphs.KIND["state"], "what is so now, one row a subject; a newer one replaces it"),
    (glyphs.KIND["knowledge"], "a lesson; lessons stand side by side"),
    (glyphs.NO_KIND, "it does not say which of the two it is"),
    (glyphs.RESOLVES, "the Source leads to what the item rests on; on 9 Health: the check holds"),
    (glyphs.DANGLING, "the Source leads nowhere; on 9 Health: the check fails"),
    (glyphs.WORD, "the Source is what somebody said, not a file"),
    (Glyph("!", "!", "attention"), "something is missing, unknown or wrong here"),
)
"""Every sign with what it means, in the order of the legend."""


def help_lines(screen: int, width: int) -> list[Line]:
    """What the signs mean, then keys of the screen that is open, everywhere, and of the other screens."""
    here = [verb for verb in VERBS if verb.screens and verb.on(screen)]
    everywhere = [verb for verb in VERBS if not verb.screens]
    others = [verb for verb in VERBS if verb.screens and not verb.on(screen)]
    block: list[Line] = [*_signs(width), EMPTY]
    for heading, verbs in (
        (f"On {screen} {title_of(screen)}", here),
        ("Everywhere", everywhere),
        ("On other screens", others),
    ):
        if verbs:
            block.append(line((heading, "head")))
            for verb in verbs:
                block.extend(_verb_lines(verb, width, where=verb in others))
            block.append(EMPTY)
    return block


def _signs(width: int) -> list[Line]:
    """Each sign that stands in a list or on a card, in the form that this terminal shows, and what it means."""
    block = [line(("Signs", "head"))]
    for glyph, meaning in SIGNS:
        words = f"{glyph.word}: {meaning}"
        for index, spans in enumerate(flow(words, max(width - 6, 20))):
            block.append((*line(f"  {glyph.sign}   " if index == 0 else " " * 6), *spans))
    return block


def _verb_lines(verb: Verb, width: int, *, where: bool) -> list[Line]:
    notes = [verb.help]
    if where:
        notes.append(f"On {titles(verb.screens)}.")
    if verb.command:
        notes.append(f"Who may: {verb.authority}.")
    if verb.undo:
        notes.append(f"Taken back {verb.undo}.")
    block: list[Line] = []
    for index, spans in enumerate(flow(" ".join(notes), max(width - _LEAD, 20))):
        head = line((f"  {verb.keys:<8}", "key"), f"{verb.name:<18}") if index == 0 else line(" " * _LEAD)
        block.append((*head, *spans))
    return block
