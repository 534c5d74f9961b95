"""A plan as lines: one an item, then the diff of each file, the log's and the index's shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.changes import FileDiff, PutProposal
from core.plan import Plan, PlanLine
from tui import display, glyphs
from tui.lines import EMPTY, LABEL, Line, Span, flow, labelled, line, wrap_spans
from tui.present import TEXT_LIMIT
from tui.sight import WITHHELD, Sight
from tui.widgets.diff import clipped, diff_lines, overlong, summary, text_room, word_differences

ITEM_LIMIT = 2000
FILE_LIMIT = 3
LINE_LIMIT = 14
TEXT_LINES = 3
"""So many lines of an item's text stand in its row: enough that no two rows look alike for being cut."""
ROOMY = 32
"""Cells beside id and change in which a text may be wrapped; where there are fewer, it stands beneath them."""
LONG = 2400
"""So many cells of one line of a file are shown at first; a rule or a lesson is never as long."""

_tokens = re.compile(r"(?<![\w-])(pending-cleanup|superseded|active|stale)(?![\w-])")
_INDENT = 4
_LOGS = ("log.md", "log/")
_KEPT = ("index.md", *_LOGS)


def plan_body(
    plan: Plan, sight: Sight, width: int, *, whole: bool = False, before: Sequence[PlanLine] = ()
) -> list[Line]:
    """The plan for `width` cells. `whole` shows every diff line; lines that differ from `before` are emphasised."""
    earlier = {entry.key: entry for entry in before}
    block = list(_items(plan, sight, width, earlier, whole))
    if earlier:
        gone = [entry for entry in before if all(entry.key != now.key for now in plan.lines)]
        block.extend(line(("! ", "waits"), (f"{_name(entry)}  no longer part of it", "waits")) for entry in gone)
    if plan.refusals:
        block.extend((EMPTY, line((f"Left out: {len(plan.refusals)}", "head"))))
        for refusal in plan.refusals[:ITEM_LIMIT]:
            block.extend(flow(f"! {display.one_line(refusal.key)}  {sight.line(refusal.reason)}", width, hang=4))
    block.extend(_edited(plan, sight, width))
    block.extend(_files(plan.previews, sight, width, whole))
    return block


def _edited(plan: Plan, sight: Sight, width: int) -> Iterator[Line]:
    """A rule that is approved in other words than it was proposed: both, with what differs standing out."""
    for change in plan.changes.changes:
        if isinstance(change, PutProposal) and (text := dict(change.decision).get("approved_text")):
            ours, theirs = word_differences(sight.line(change.proposal.proposed_change), sight.line(text))
            yield EMPTY
            for label, spans in (("proposed", ours), ("approved", theirs)):
                yield from labelled(label, wrap_spans(spans, width - LABEL))


def pretty(change: str) -> str:
    """A change with each Status token as glyph and word: `◌ pending → ◐ stale`."""
    return _tokens.sub(lambda match: glyphs.status_glyph(match.group()).label(), display.one_line(change))


def _name(entry: PlanLine) -> str:
    return display.one_line(entry.id or entry.key)


def _items(plan: Plan, sight: Sight, width: int, earlier: dict[str, PlanLine], whole: bool) -> Iterator[Line]:
    shown = plan.lines[:ITEM_LIMIT]
    names, changes, room = _measured(shown, sight, width)
    beside = room < width - _INDENT
    for entry in shown:
        differs = bool(earlier) and earlier.get(entry.key) != entry
        texts = _texts(entry, sight, room, whole)
        name = (display.pad(_name(entry), names), "strong")
        role = "waits" if differs else ""
        if beside:
            for index, text in enumerate(texts):
                head = line(name, "  ", (display.pad(pretty(entry.change), changes), role), "  ")
                yield (*(head if index == 0 else line(" " * (width - room))), *text)
            continue
        for index, part in enumerate(display.wrap(pretty(entry.change), max(width - names - 2, 12))):
            yield line(name if index == 0 else " " * names, "  ", (part, role))
        for text in texts:
            yield (Span(" " * _INDENT), *text)
    if len(plan.lines) > len(shown):
        yield line((f"… and {len(plan.lines) - len(shown):,} more items", "dim"))


def _measured(shown: Sequence[PlanLine], sight: Sight, width: int) -> tuple[int, int, int]:
    """Cells for the ids, the changes and the texts; texts stand beneath the others where they have more room so."""
    names = min(max((display.width(_name(entry)) for entry in shown), default=0), 24)
    changes = max((display.width(pretty(entry.change)) for entry in shown), default=0)
    room = width - names - changes - 4
    lines = TEXT_LINES if room >= ROOMY else 1
    if room < 16 or any(_cut(entry, sight, room, lines) for entry in shown):
        room = max(width - _INDENT, 8)
    return names, changes, room


def _cut(entry: PlanLine, sight: Sight, room: int, lines: int) -> bool:
    """Whether an item's text takes more than `lines` lines of `room` cells."""
    text = WITHHELD if entry.withheld else sight.head(entry.text, lines * room + 1)
    size = display.width(text)
    return size > lines * room or (size > room and len(display.wrap(text, room)) > lines)


def _texts(entry: PlanLine, sight: Sight, room: int, whole: bool) -> list[Line]:
    """The item's text on lines of `room` cells: the first `TEXT_LINES`, or the `whole`; one line where it is empty."""
    if entry.withheld:
        return [line((WITHHELD, "dim"))]
    if whole:
        return flow(sight.line(entry.text[:TEXT_LIMIT]), room)
    parts = display.wrap(sight.head(entry.text, TEXT_LINES * room), room)
    if len(parts) > TEXT_LINES:
        parts[TEXT_LINES - 1 :] = [display.clip(" ".join(parts[TEXT_LINES - 1 :]), room)]
    return [line(part) for part in parts]


def _split(previews: Sequence[FileDiff]) -> tuple[list[FileDiff], list[FileDiff]]:
    """The files that are shown at first, and those that `d` shows."""
    main = [diff for diff in previews if not diff.path.startswith(_KEPT)]
    main.sort(key=lambda diff: "/" in diff.path)  # what agents read at once comes first: a rule, the inbox
    kept = [diff for diff in previews if diff.path.startswith(_KEPT)]
    if not main:
        main, kept = kept, []
    return main[:FILE_LIMIT], [*main[FILE_LIMIT:], *kept]


def _files(previews: Sequence[FileDiff], sight: Sight, width: int, whole: bool) -> Iterator[Line]:
    shown, rest = _split(previews)
    for diff in [*shown, *rest] if whole else shown:
        yield EMPTY
        yield from diff_lines(
            diff,
            sight.clean,
            limit=None if whole else LINE_LIMIT,
            wrap=width if whole or not _record(diff) else None,
            longest=None if whole else LONG,
        )


def _record(diff: FileDiff) -> bool:
    """A file that the engine keeps of what it did: its lines are long, and nothing is decided in them."""
    return diff.path.startswith(_LOGS) or diff.path.endswith(".jsonl")


def left_out(plan: Plan, sight: Sight, width: int) -> str:
    """What a plan that is not shown `whole` leaves out: `2 more files, 6 lines: index.md, log.md`; '' if nothing."""
    shown, rest = _split(plan.previews)
    items = plan.lines[:ITEM_LIMIT]
    _, _, room = _measured(items, sight, width)
    parts = []
    if any(_cut(entry, sight, room, TEXT_LINES) for entry in items):
        parts.append("the ends of long texts")
    if cut := sum(clipped(diff, sight.clean, LINE_LIMIT) for diff in shown):
        parts.append(f"{cut} lines more of the diff above")
    if any(overlong(diff, sight.clean, text_room(width) if _record(diff) else LONG) for diff in shown):
        parts.append("the ends of long lines")
    if rest:
        names = ", ".join(display.one_line(diff.path) for diff in rest)
        parts.append(f"{summary(rest)}: {names}")
    return ", ".join(parts)
