"""The help page, made from the table of verbs."""

from __future__ import annotations

from tui import glyphs
from tui.lines import EMPTY, Line, flow, line
from tui.screens.table import title_of, titles
from tui.verbs import VERBS, Verb

_LEAD = 28


def help_lines(screen: int, width: int) -> list[Line]:
    """Keys of the screen that is open, then everywhere, then of the other screens; and what the signs mean."""
    here = [verb for verb in VERBS if verb.screens and verb.on(screen)]
    everywhere = [verb for verb in VERBS if not verb.screens]
    others = [verb for verb in VERBS if verb.screens and not verb.on(screen)]
    block: list[Line] = []
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
    block.append(line(("Signs", "head")))
    for glyph in (*glyphs.STATUS.values(), *glyphs.KIND.values(), glyphs.RESOLVES, glyphs.DANGLING, glyphs.WORD):
        block.append(line(f"  {glyph.sign}   ", (glyph.word, "dim")))
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
