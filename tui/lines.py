"""What screens are drawn from: lines of spans, each a text with a role. Values, so that they can be made and tested
without a screen; the widgets give each role its look (`tui.widgets.paint`). Nothing here is ever parsed as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui import display
from tui.glyphs import ELLIPSIS

ROLES = (
    "dim",  # what is read last
    "strong",  # what is read first
    "head",  # a heading over lines
    "key",  # a key to press
    "accent",  # the cursor, the current choice
    "waits",  # what waits for a human
    "danger",  # what cannot be undone
    "good",  # what was done, what resolves
    "match",  # filter text found
    "add",  # a diff's new line
    "del",  # a diff's old line
    "word",  # the words of a line that differ
    "turn",  # those that turn what it says: negations, numbers, names such as C++
    "rule",  # a line that separates
)
"""The roles a span can have; several are joined by blanks."""


class Span(NamedTuple):
    """A run of visible text with one role."""

    text: str
    role: str = ""


Line = tuple[Span, ...]
EMPTY: Line = ()


def line(*parts: str | Span | tuple[str, str]) -> Line:
    """A line of `parts`; a bare string has no role. Texts are taken to be visible already."""
    return tuple(Span(part) if isinstance(part, str) else Span(*part) for part in parts if part)


def plain(spans: Line) -> str:
    """The text of a line."""
    return "".join(span.text for span in spans)


def cells(spans: Line) -> int:
    """The width of a line in cells."""
    return sum(display.width(span.text) for span in spans)


def with_role(spans: Line, role: str) -> Line:
    """The line with `role` added to every span."""
    return tuple(Span(span.text, f"{span.role} {role}".strip()) for span in spans)


def clip(spans: Line, width: int) -> Line:
    """The line in at most `width` cells, ending in `…` where something was cut."""
    if cells(spans) <= width:
        return spans
    kept: list[Span] = []
    room = width - display.width(ELLIPSIS)
    for span in spans:
        size = display.width(span.text)
        if size > room:
            kept.append(Span(display.clip(span.text, room, "") + ELLIPSIS if room >= 0 else "", span.role))
            break
        kept.append(span)
        room -= size
    return tuple(span for span in kept if span.text)


def fit(spans: Line, width: int) -> Line:
    """The line in exactly `width` cells."""
    clipped = clip(spans, width)
    fill = width - cells(clipped)
    return (*clipped, Span(" " * fill)) if fill > 0 else clipped


def spread(left: Line, right: Line, width: int, *, gap: int = 2) -> Line:
    """`left` at the left and `right` at the right of `width` cells; `left` gives way, then `right`."""
    right = clip(right, width)
    left = clip(left, max(width - cells(right) - gap, 0))
    fill = max(width - cells(left) - cells(right), 0)
    return (*left, Span(" " * fill), *right)


def columns(left: Sequence[Line], right: Sequence[Line], width: int, rule: str = "│") -> list[Line]:
    """Two blocks of lines side by side with a `rule` between, each half of `width` (the left takes an odd cell)."""
    half = (width - 3 + 1) // 2
    rest = width - 3 - half
    lines: list[Line] = []
    for index in range(max(len(left), len(right))):
        one = left[index] if index < len(left) else EMPTY
        other = right[index] if index < len(right) else EMPTY
        lines.append((*fit(one, half), Span(f" {rule} ", "rule"), *fit(other, rest)))
    return lines


def flow(
    text: str, width: int, *, role: str = "", indent: int = 0, hang: int | None = None, most: int | None = None
) -> list[Line]:
    """Visible `text` wrapped to `width` cells, every line indented, those after the first by `hang` where given; no
    more lines than `most`."""
    hang = indent if hang is None else hang
    wrapped = display.wrap(text, max(width - max(indent, hang), 8), most=most)
    return [line(" " * (hang if index else indent), (part, role)) for index, part in enumerate(wrapped)]


LABEL = 11
"""The width of the labels on a card."""


def labelled(label: str, body: Iterable[Line], *, width: int = LABEL) -> list[Line]:
    """`body` beside a dim `label` that takes `width` cells; `body` is to be wrapped for what is left."""
    lines: list[Line] = []
    for index, spans in enumerate(body):
        head = Span(display.pad(label, width) if index == 0 else " " * width, "dim")
        lines.append((head, *spans))
    return lines


def highlight(spans: Line, needles: Sequence[str]) -> Line:
    """The line with every occurrence of a needle (any case) in the role `match`."""
    wanted = [needle for needle in needles if needle]
    if not wanted:
        return spans
    pattern = re.compile("|".join(map(re.escape, sorted(wanted, key=len, reverse=True))), re.IGNORECASE)
    result: list[Span] = []
    for span in spans:
        at = 0
        for match in pattern.finditer(span.text):
            if match.start() > at:
                result.append(Span(span.text[at : match.start()], span.role))
            result.append(Span(match.group(), f"{span.role} match".strip()))
            at = match.end()
        if at < len(span.text):
            result.append(Span(span.text[at:], span.role))
    return tuple(result)


def wrap_spans(spans: Line, width: int) -> list[Line]:
    """A line of spans wrapped, roles kept."""
    text = "".join(span.text for span in spans)
    roles = [span.role for span in spans for _ in span.text]
    block: list[Line] = []
    at = 0
    for part in display.wrap(text, width):
        at = text.index(part, at) if part else at
        found: list[Span] = []
        for offset, character in enumerate(part):
            role = roles[at + offset]
            if found and found[-1].role == role:
                found[-1] = Span(found[-1].text + character, role)
            else:
                found.append(Span(character, role))
        block.append(tuple(found))
        at += len(part)
    return block
