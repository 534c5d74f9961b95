"""Where an item's Source points: the archive day, at the line that is meant, withdrawn segments withheld."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.items import MemoryItem
from core.snapshot import ArchiveDay
from core.sources import parse_source, resolve
from tui import display, present
from tui.desk import Facts
from tui.lines import EMPTY, Line, flow, line
from tui.sight import WITHHELD
from tui.widgets.text_pane import Build


def source_view(item: MemoryItem, facts: Facts) -> tuple[str, Build, int | None]:
    """Title, lines, and the line to begin at, for `item`'s first Source that stands in the archive."""
    reading = facts.reading
    title = f"Source of {display.one_line(item.id or str(item.place))}"
    if not facts.sight.eligible(item):
        return title, lambda width: [line((WITHHELD, "dim"))], None
    days = {day.file: day for day in reading.snapshot.archive}
    for ref in parse_source(item.source or ""):
        if ref.file in days:
            found = resolve(reading.snapshot, ref, reading.influence, item_id=item.id)
            day = days[ref.file or ""]
            block = _day_lines(day, facts, found.line)
            at = found.line - 1 if found.line is not None else None
            return display.one_line(ref.text), partial(_fold, block), at
    return title, lambda width: [*present.source_lines(item, facts.sight, width, excerpt=200)], None


def day_view(day: ArchiveDay, facts: Facts) -> tuple[str, Build]:
    """Title and lines of an archive day."""
    block = _day_lines(day, facts, None)
    return display.one_line(day.file), partial(_fold, block)


def _day_lines(day: ArchiveDay, facts: Facts, at: int | None) -> list[tuple[int, str, str]]:
    """`(number, text, role)` of every line, withdrawn ones withheld. Lines are kept one for one."""
    influence = facts.reading.influence
    if influence.archive_excluded(day.file):
        return [(1, WITHHELD, "dim")]
    covered: set[int] = set()
    for anchor, (first, last) in day.anchors.items():
        if influence.archive_excluded(day.file, anchor):
            covered.update(range(first, last + 1))
    meant: range = range(0)
    if at is not None:
        spans = [span for span in day.anchors.values() if span[0] == at]
        meant = range(spans[0][0], spans[0][1] + 1) if spans else range(at, at + 1)
    block: list[tuple[int, str, str]] = []
    for number, text in enumerate(day.lines, start=1):
        if number in covered:
            block.append((number, WITHHELD, "dim"))
        else:
            block.append((number, facts.sight.text(text), "" if number in meant or at is None else "dim"))
    return block


def _fold(block: Sequence[tuple[int, str, str]], width: int) -> list[Line]:
    lines: list[Line] = []
    for number, text, role in block:
        if len(text) <= width - 6:
            lines.append(line((f"{number:>4}  ", "dim"), (text, role)))
            continue
        for index, spans in enumerate(flow(text, width - 6, role=role)):
            lines.append((*line((f"{number:>4}  " if index == 0 else "      ", "dim")), *spans))
    return lines or [EMPTY]
