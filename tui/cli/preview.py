"""A plan and a receipt as lines for people and as JSON. What is withheld stays so, in diffs too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.changes import FileDiff
from core.plan import Plan, Receipt, Refusal
from core.secrets import MASK, find_secrets
from tui import display
from tui.cli.output import Json
from tui.cli.withheld import MARK as WITHHELD
from tui.widgets.diff import Clean, groups, split

REACH = 400
"""How many lines around those shown a secret may begin or end in."""

KEPT = ("index.md", "log.md", "log/")
"""What the engine keeps by itself is shown after what was decided."""

NOTHING = "/dev/null"
"""What a unified diff calls a file that is not there."""


def plan_lines(plan: Plan, clean: Clean) -> Iterator[str]:
    """The plan for people, whole: what, where, who decides, how to undo it."""
    yield display.one_line(clean(plan.title))
    yield ""
    yield from item_lines(plan, clean)
    for diff in sorted(plan.previews, key=lambda diff: diff.path.startswith(KEPT)):
        yield ""
        yield from diff_lines(diff, clean)
    yield ""
    for warning in plan.warnings:
        yield f"Note: {display.one_line(clean(warning))}"
    yield display.one_line(f"Decided by {plan.decides}. {plan.undo.replace('with undo', 'with `assay undo`')}")


def item_lines(plan: Plan, clean: Clean) -> Iterator[str]:
    """One line an item: what becomes of it, or why it is left out."""
    for line in plan.lines:
        text = WITHHELD if line.withheld else display.one_line(clean(line.text))
        yield "  " + display.one_line(f"{line.id or line.key}   {clean(line.change)}") + f"   {text}"
    for refusal in plan.refusals:
        yield "  " + display.one_line(f"{refusal.key}   left out: {clean(refusal.reason)}")


def diff_lines(diff: FileDiff, clean: Clean) -> Iterator[str]:
    """A unified diff of one file, cleaned and made visible, without line ends."""
    before, after = split(diff.before), split(diff.after)
    yield f"--- {display.one_line(diff.path) if diff.before is not None else NOTHING}"
    yield f"+++ {display.one_line(diff.path) if diff.after is not None else NOTHING}"
    for group in groups(before, after):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        yield f"@@ -{i1 + (i2 > i1)},{i2 - i1} +{j1 + (j2 > j1)},{j2 - j1} @@"
        old, new = _shown(before, i1, i2, clean), _shown(after, j1, j2, clean)
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from (" " + line for line in old[a1 - i1 : a2 - i1])
            else:
                yield from ("-" + line for line in old[a1 - i1 : a2 - i1])
                yield from ("+" + line for line in new[b1 - j1 : b2 - j1])


def changed_lines(diff: FileDiff) -> tuple[int, int]:
    """How many lines of a file are added, and how many removed."""
    codes = [code for group in groups(split(diff.before), split(diff.after)) for code in group if code[0] != "equal"]
    return sum(j2 - j1 for _, _, _, j1, j2 in codes), sum(i2 - i1 for _, i1, i2, _, _ in codes)


def _shown(lines: Sequence[str], begin: int, end: int, clean: Clean) -> list[str]:
    """The lines from `begin` to `end`, each cleaned; a secret over several lines is masked in each of them."""
    first = max(begin - REACH, 0)
    text = "\n".join(line.removesuffix("\n") for line in lines[first : end + REACH])
    for start, stop, _ in reversed(find_secrets(text)):
        secret = text[start:stop]
        if "\n" in secret and clean(secret) != secret:
            text = text[:start] + "\n".join(MASK for _ in secret.split("\n")) + text[stop:]
    return [display.visible(clean(line)) for line in text.split("\n")[begin - first : end - first]]


def plan_json(plan: Plan, clean: Clean) -> dict[str, Json]:
    """The plan as JSON."""
    return {
        "title": clean(plan.title),
        "verb": plan.verb,
        "tier": plan.tier.name.lower(),
        "human_only": plan.human_only,
        "actor": str(plan.actor),
        "decides": plan.decides,
        "lines": [
            {
                "key": line.key,
                "id": line.id,
                "change": clean(line.change),
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
        "title": clean(receipt.title),
        "files": files,
        "undo": receipt.undo,
        "refusals": _refusals(receipt.refusals, clean),
    }


def _refusals(refusals: Sequence[Refusal], clean: Clean) -> list[Json]:
    return [{"key": refusal.key, "reason": clean(refusal.reason)} for refusal in refusals]
