"""A plan and a receipt as lines for people and as JSON. What is withheld stays so, in diffs too."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence

from core.changes import FileDiff
from core.plan import Plan, Receipt, Refusal
from tui import display
from tui.cli.output import Json
from tui.cli.withheld import MARK

CONTEXT = 2
"""Unchanged lines around a change."""

Clean = Callable[[str], str]
"""From stored text to text that may be shown: secrets masked, excluded text withheld."""


def plan_lines(plan: Plan, clean: Clean, *, diff_limit: int | None = None) -> Iterator[str]:
    """The plan for people: what, where, who decides, how to undo it. `diff_limit` cuts each file's diff."""
    yield plan.title
    yield ""
    for line in plan.lines:
        text = MARK if line.withheld else display.one_line(clean(line.text))
        yield f"  {line.id or line.key}   {line.change}   {text}"
    for refusal in plan.refusals:
        yield f"  {refusal.key}   left out: {display.one_line(clean(refusal.reason))}"
    for diff in plan.previews:
        lines = list(diff_lines(diff, clean))
        shown = lines if diff_limit is None else lines[:diff_limit]
        yield ""
        yield from shown
        if len(shown) < len(lines):
            yield f"… {len(lines) - len(shown)} more lines of this file; --dry-run shows them all"
    yield ""
    for warning in plan.warnings:
        yield f"Note: {display.one_line(clean(warning))}"
    yield f"Decided by {plan.decides}. {plan.undo}"


def diff_lines(diff: FileDiff, clean: Clean) -> Iterator[str]:
    """A unified diff of one file, cleaned and made visible, without line ends."""
    before, after = _lines(diff.before), _lines(diff.after)
    yield f"--- {diff.path if diff.before is not None else '/dev/null'}"
    yield f"+++ {diff.path if diff.after is not None else '/dev/null'}"
    shown_before, shown_after = _cleaned(before, clean), _cleaned(after, clean)
    for group in _groups(before, after):
        yield _hunk(group)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (" " + line for line in shown_before[i1:i2])
            else:
                yield from ("-" + line for line in shown_before[i1:i2])
                yield from ("+" + line for line in shown_after[j1:j2])


def changed_lines(diff: FileDiff) -> tuple[int, int]:
    """How many lines of a file are added, and how many removed."""
    opcodes = [code for group in _groups(_lines(diff.before), _lines(diff.after)) for code in group]
    added = sum(j2 - j1 for tag, _, _, j1, j2 in opcodes if tag != "equal")
    removed = sum(i2 - i1 for tag, i1, i2, _, _ in opcodes if tag != "equal")
    return added, removed


Opcode = tuple[str, int, int, int, int]


def _groups(before: Sequence[str], after: Sequence[str]) -> Iterator[list[Opcode]]:
    """Changes with the unchanged lines around them. What the ends have in common is not compared line by line."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    head = max(head - CONTEXT, 0)
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    tail = max(tail - CONTEXT, 0)
    matcher = difflib.SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    for group in matcher.get_grouped_opcodes(CONTEXT):
        yield [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in group]


def _hunk(group: Sequence[Opcode]) -> str:
    _, i1, _, j1, _ = group[0]
    _, _, i2, _, j2 = group[-1]
    return f"@@ -{i1 + (i2 > i1)},{i2 - i1} +{j1 + (j2 > j1)},{j2 - j1} @@"


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").split("\n") if text else []


def _cleaned(lines: Sequence[str], clean: Clean) -> list[str]:
    """Each line cleaned. A secret over several lines is masked as a whole where that keeps the lines apart."""
    whole = clean("\n".join(lines)).split("\n")
    kept = whole if len(whole) == len(lines) else [clean(line) for line in lines]
    return [display.visible(line) for line in kept]


def plan_json(plan: Plan, clean: Clean) -> dict[str, Json]:
    """The plan as JSON."""
    return {
        "title": plan.title,
        "verb": plan.verb,
        "tier": plan.tier.name.lower(),
        "human_only": plan.human_only,
        "actor": str(plan.actor),
        "decides": plan.decides,
        "lines": [
            {
                "key": line.key,
                "id": line.id,
                "change": line.change,
                "text": None if line.withheld else clean(line.text),
                "withheld": line.withheld,
            }
            for line in plan.lines
        ],
        "refusals": _refusals(plan.refusals, clean),
        "warnings": [clean(warning) for warning in plan.warnings],
        "files": [{"path": diff.path, "diff": "\n".join(diff_lines(diff, clean))} for diff in plan.previews],
        "undo": plan.undo,
        "phrase": plan.phrase,
        "digest": plan.digest,
    }


def receipt_json(receipt: Receipt, clean: Clean) -> dict[str, Json]:
    """The receipt as JSON."""
    files: list[Json] = []
    for diff in receipt.files:
        added, removed = changed_lines(diff)
        files.append({"path": diff.path, "added": added, "removed": removed})
    return {
        "event": receipt.event,
        "title": receipt.title,
        "files": files,
        "undo": receipt.undo,
        "refusals": _refusals(receipt.refusals, clean),
    }


def _refusals(refusals: Sequence[Refusal], clean: Clean) -> list[Json]:
    return [{"key": refusal.key, "reason": clean(refusal.reason)} for refusal in refusals]
