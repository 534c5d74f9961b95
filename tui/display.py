"""The one place where stored text becomes text for a screen: visible, measured in cells, clipped, masked.

Memory text is untrusted. Whatever reaches a terminal, from the console or from the command line, passes `visible`,
which draws what would act on the terminal, or hide in the text, as an escape that can be read. Stored text is never
altered by showing it. Nothing here loads Textual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from rich.cells import cell_len, get_character_cell_size

from tui.glyphs import ELLIPSIS

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_TONE = "\U0001f3fb-\U0001f3ff"
_ELEMENT = f"[{_EMOJI}](?:[{_TONE}]\ufe0f?|\ufe0f|\ufe0e)?"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_REGION = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_KEYCAP = "[0-9#*]\ufe0f?\u20e3"
_SEQUENCE = f"{_REGION}|{_FLAG}|{_KEYCAP}|{_ELEMENT}(?:\u200d{_ELEMENT})*"

_IDEOGRAPH = "\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_VARIANT = f"[{_IDEOGRAPH}][\ufe00-\ufe02\U000e0100-\U000e01ef]"
# A zero-width non-joiner separates letters in Persian and the Indic scripts; elsewhere it only hides.
_JOINED = "\u0620-\u06d3\u06fa-\u06ff\u0900-\u0dff"
_NON_JOINER = f"(?<=[{_JOINED}])\u200c(?=[{_JOINED}])"

_HOSTILE = (
    "\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_MARKS_KEPT = 4

_suspect = re.compile(f"[{_HOSTILE}]|[{_MARKS}]{{{_MARKS_KEPT + 1}}}|^[{_MARKS}]")


@cache
def _scan() -> re.Pattern[str]:
    """What `visible` looks at closely. Compiled when a text needs it: the first frame of a console does not."""
    return re.compile(
        f"(?P<keep>{_SEQUENCE}|{_VARIANT}|{_NON_JOINER})"
        f"|(?P<hostile>[{_HOSTILE}])"
        f"|(?P<lead>\\A[{_MARKS}]+)"
        f"|(?P<marks>[{_MARKS}]{{{_MARKS_KEPT + 1},}})"
    )


SINGLE = f"{ELLIPSIS}│─●◌○◐▌◆·–"
_single = re.compile(f"[ -~{SINGLE}]*")
"""Texts of which each character takes one cell: most rows, so that the first frame waits for no other pattern."""


@cache
def _cluster() -> re.Pattern[str]:
    """A character with what belongs to it."""
    return re.compile(f"(?:{_SEQUENCE}|{_VARIANT}|.)[{_MARKS}\u200c\u200d\ufe00-\ufe0f]*", re.DOTALL)


_runs = re.compile(" +|[^ ]+")
_breaks = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t]*")

NEWLINE = " ⏎ "
"""What `one_line` writes for a line break."""


def _escape(character: str) -> str:
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    if 0xDC80 <= point <= 0xDCFF:  # a byte that was no UTF-8, as `surrogateescape` keeps it
        return f"⟨0x{point - 0xDC00:02X}⟩"
    return f"⟨U+{point:04X}⟩"


def _replace(match: re.Match[str]) -> str:
    found = match.group()
    kind = match.lastgroup
    if kind == "keep":
        return found
    if kind == "hostile":
        return _escape(found)
    # Marks pile up over the lines around them, and a leading one lands on the character before the text.
    head = "\u00a0" if kind == "lead" else ""
    return head + found[:_MARKS_KEPT] + "".join(map(_escape, found[_MARKS_KEPT:]))


def visible(text: str) -> str:
    """`text` with every control, escape, bidi, zero-width, tag and separator character drawn as a readable escape.

    `\\n` stays (see `one_line`); emoji sequences, ideographic variants and the non-joiner within Persian or Indic words
    stay whole. ESC is `␛`, others are control pictures or `⟨U+202E⟩`; a byte that was no UTF-8 is `⟨0x9B⟩`.
    """
    if text.isascii() and text.isprintable():
        return text
    if _suspect.search(text) is None:
        return text
    return _scan().sub(_replace, text)


def one_line(text: str) -> str:
    """`text` made visible, on one line: line breaks and the blanks around them become ` ⏎ `."""
    return visible(_breaks.sub(NEWLINE, text.strip()))


def width(text: str) -> int:
    """Cells that `text` takes, as the console lays it out."""
    return cell_len(text)


def graphemes(text: str) -> Iterator[tuple[str, int]]:
    """The user-perceived characters of `text` in order, each with its width in cells."""
    if _single.fullmatch(text):
        for character in text:
            yield character, 1
        return
    for match in _cluster().finditer(text):
        cluster = match.group()
        yield cluster, (get_character_cell_size(cluster) if len(cluster) == 1 else cell_len(cluster))


def clip(text: str, cells: int, mark: str = ELLIPSIS) -> str:
    """`text` in at most `cells` cells, ending in `mark` where something was cut; no grapheme is split."""
    if cells <= 0:
        return ""
    if len(text) <= cells and text.isascii():
        return text
    # The longest grapheme that is kept whole has 16 characters; what lies beyond cannot reach into `cells`.
    if len(text) <= 16 * cells and cell_len(text) <= cells:
        return text
    room = cells - cell_len(mark)
    if room < 0:
        return ""
    kept: list[str] = []
    for cluster, size in graphemes(text):
        if size > room:
            break
        room -= size
        kept.append(cluster)
    return "".join(kept) + mark


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """`text` clipped to `cells` and filled with blanks to exactly that width; `right` puts the blanks first."""
    clipped = clip(text, cells)
    fill = " " * (cells - cell_len(clipped))
    return fill + clipped if right else clipped + fill


def headline(text: str, cells: int) -> str:
    """The beginning of `text` on one visible line of at most `cells` cells; cheap for a text of any length."""
    bound = 16 * max(cells, 1)
    return clip(one_line(text[:bound]) + (ELLIPSIS if len(text) > bound else ""), cells)


def wrap(text: str, cells: int, *, most: int | None = None) -> list[str]:
    """Visible `text` broken into lines of at most `cells` cells: at blanks and around wide characters, else anywhere.

    Line breaks stay; an empty line stays empty; no grapheme is split. `most` is the number of lines that are wanted.
    """
    lines = (part for paragraph in text.split("\n") for part in _wrap_paragraph(paragraph, max(cells, 1)))
    return list(islice(lines, most))


def _wrap_paragraph(paragraph: str, cells: int) -> Iterator[str]:
    if len(paragraph) <= cells and paragraph.isascii():
        yield paragraph.rstrip()
        return
    line = ""
    used = 0
    for word, size in _words(paragraph):
        if used + size > cells and line.strip():
            yield line.rstrip()
            line, used = "", 0
            if word.isspace():
                continue
        if size <= cells - used:
            line += word
            used += size
            continue
        for cluster, step in graphemes(word):
            if used + step > cells and line:
                yield line
                line, used = "", 0
            line += cluster
            used += step
    yield line.rstrip()


def _words(paragraph: str) -> Iterator[tuple[str, int]]:
    """Runs between which a line may break: blanks, words, and single wide graphemes."""
    if paragraph.isascii() and paragraph.isprintable():
        yield from ((run, len(run)) for run in _runs.findall(paragraph))
        return
    run = ""
    size = 0
    blank = False
    for cluster, step in graphemes(paragraph):
        wide = step > 1
        if run and (wide or cluster.isspace() != blank):
            yield run, size
            run, size = "", 0
        if wide:
            yield cluster, step
            continue
        run += cluster
        size += step
        blank = cluster.isspace()
    if run:
        yield run, size


def mask_secrets(text: str) -> str:
    """`text` with everything shaped like a credential masked (§9, §18)."""
    from core.secrets import mask

    return mask(text)


def show(text: str) -> str:
    """`text` for a screen: secrets masked, then made visible."""
    return visible(mask_secrets(text))
