"""A plan as lines: one an item, then the diff of each file, the log's and the index's shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.changes import FileDiff, PutProposal
from core.plan import Plan, PlanLine
from tui import display, glyphs
from tui.lines import EMPTY, LABEL, Line, cells, flow, labelled, line
from tui.present import wrap_spans
from tui.sight import WITHHELD, Sight
from tui.widgets.diff import clipped, diff_lines, summary, word_differences

ITEM_LIMIT = 2000
FILE_LIMIT = 3
LINE_LIMIT = 14

_tokens = re.compile(r"(?<![\w-])(pending-cleanup|superseded|active|stale)(?![\w-])")
_KEPT = ("index.md", "log.md", "log/")


def plan_body(
    plan: Plan, sight: Sight, width: int, *, whole: bool = False, before: Sequence[PlanLine] = ()
) -> list[Line]:
    """The plan for `width` cells. `whole` shows every diff line; lines that differ from `before` are emphasised."""
    earlier = {entry.key: entry for entry in before}
    block = list(_items(plan, sight, width, earlier))
    if earlier:
        gone = [entry for entry in before if all(entry.key != now.key for now in plan.lines)]
        block.extend(line(("! ", "waits"), (f"{_name(entry)}  no longer part of it", "waits")) for entry in gone)
    if plan.refusals:
        block.extend((EMPTY, line((f"Left out: {len(plan.refusals)}", "head"))))
        for refusal in plan.refusals[:ITEM_LIMIT]:
            block.extend(flow(f"! {display.one_line(refusal.key)}  {sight.line(refusal.reason)}", width, hang=4))
    block.extend(_edited(plan, sight, width))
    block.extend(_files(plan.previews, sight, whole))
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


def _items(plan: Plan, sight: Sight, width: int, earlier: dict[str, PlanLine]) -> Iterator[Line]:
    shown = plan.lines[:ITEM_LIMIT]
    names = min(max((display.width(_name(entry)) for entry in shown), default=0), 24)
    changes = max((display.width(pretty(entry.change)) for entry in shown), default=0)
    beside = names + changes + 4 + 16 <= width
    for entry in shown:
        differs = bool(earlier) and earlier.get(entry.key) != entry
        head = line(
            (display.pad(_name(entry), names), "strong"),
            "  ",
            (
                display.pad(pretty(entry.change), changes) if beside else pretty(entry.change),
                "waits" if differs else "",
            ),
        )
        room = width - cells(head) - 2 if beside else width - 4
        text = (WITHHELD if entry.withheld else sight.head(entry.text, room), "dim" if entry.withheld else "")
        if beside:
            yield (*head, *line("  ", text))
        else:
            yield from _stacked(entry, names, width, text)
    if len(plan.lines) > len(shown):
        yield line((f"… and {len(plan.lines) - len(shown):,} more items", "dim"))


def _stacked(entry: PlanLine, names: int, width: int, text: tuple[str, str]) -> Iterator[Line]:
    """Where a line has no room for all three: id and change, the text beneath."""
    wrapped = display.wrap(pretty(entry.change), max(width - names - 2, 12))
    for index, part in enumerate(wrapped):
        yield line((display.pad(_name(entry), names) if index == 0 else " " * names, "strong"), "  ", part)
    yield line("    ", text)


def _split(previews: Sequence[FileDiff]) -> tuple[list[FileDiff], list[FileDiff]]:
    """The files that are shown at first, and those that `d` shows."""
    main = [diff for diff in previews if not diff.path.startswith(_KEPT)]
    main.sort(key=lambda diff: "/" in diff.path)  # what agents read at once comes first: a rule, the inbox
    kept = [diff for diff in previews if diff.path.startswith(_KEPT)]
    if not main:
        main, kept = kept, []
    return main[:FILE_LIMIT], [*main[FILE_LIMIT:], *kept]


def _files(previews: Sequence[FileDiff], sight: Sight, whole: bool) -> Iterator[Line]:
    shown, rest = _split(previews)
    for diff in [*shown, *rest] if whole else shown:
        yield EMPTY
        yield from diff_lines(diff, sight.clean, limit=None if whole else LINE_LIMIT)


def left_out(plan: Plan, sight: Sight) -> str:
    """What a plan that is not shown `whole` leaves out: `2 more files, 6 lines: index.md, log.md`; '' if nothing."""
    shown, rest = _split(plan.previews)
    cut = sum(clipped(diff, sight.clean, LINE_LIMIT) for diff in shown)
    parts = [f"{cut} lines more of the diff above"] if cut else []
    if rest:
        names = ", ".join(display.one_line(diff.path) for diff in rest)
        parts.append(f"{summary(rest)}: {names}")
    return ", ".join(parts)
