"""duplicates, merge, not-duplicate: knowledge that may say the same, and what a human makes of it (§14.3, §16)."""

from __future__ import annotations

import argparse

from core.commands.merging import not_duplicates
from core.differences import compare
from core.duplicates import CUTOFF, Pair, suggest_duplicates
from core.items import MemoryItem
from core.requests import Merge, NotDuplicate
from tui import display
from tui.alike import counted, suggestions
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.decide import cleaner
from tui.cli.editor import edit
from tui.cli.naming import item_of, keys_of
from tui.cli.opened import Opened
from tui.cli.output import Json, Output
from tui.cli.parser import add_reading, add_writing
from tui.cli.writing import writing

MEANING = (
    "The score is the normalised edit similarity of the sorted words, each CJK character a word; 100 is the same words."
)


def _duplicates_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cutoff", type=_cutoff, default=CUTOFF, metavar="N", help=f"the least score, above 0 to 100 ({CUTOFF:g})"
    )
    add_reading(parser)


def _cutoff(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{word!r} is no score: it is above 0 and at most 100")
    return value


def _duplicates(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    pairs = suggest_duplicates(
        opened.snapshot,
        opened.reading.influence,
        not_duplicates=not_duplicates(opened.snapshot),
        cutoff=args.cutoff,
    )
    if out.json:
        out.data([pair_json(pair, opened, out) for pair in pairs])
        return exits.OK
    if not pairs:
        out.nothing(f"no two items score {args.cutoff:g} or more.")
        return exits.OK
    out.line(f"{counted(suggestions(pairs))}; {len(pairs):,} pair{'' if len(pairs) == 1 else 's'} in all.")
    out.line(f"Suggestions, nothing more. {MEANING}")
    for pair in pairs:
        _print(pair, opened, out)
    return exits.OK


def pair_json(pair: Pair, opened: Opened, out: Output) -> dict[str, Json]:
    """`ids, keys, score, opposed, texts, differences [{kind, a, b}], notes`; those that weigh most first.

    `opposed`: they differ by a negation, a number, or a name like C++, and so say different things.
    """
    a, b = _texts(pair, opened, out)
    found = compare(a, b)
    return {
        "ids": [opened.snapshot.by_key[key].id for key in (pair.a, pair.b)],
        "keys": [pair.a, pair.b],
        "score": round(pair.score, 2),
        "opposed": pair.opposed,
        "texts": [a, b],
        "differences": [
            {
                "kind": change.kind.value,
                "a": a[change.a.start : change.a.end],
                "b": b[change.b.start : change.b.end],
            }
            for change in found.changes
        ],
        "notes": list(found.notes),
    }


def _texts(pair: Pair, opened: Opened, out: Output) -> tuple[str, str]:
    """Both texts as they may be shown: masked before they are compared, so that no difference shows a secret."""
    clean = cleaner(opened, out)
    return clean(pair.a_text), clean(pair.b_text)


def _print(pair: Pair, opened: Opened, out: Output) -> None:
    a, b = _texts(pair, opened, out)
    opposed = "   they oppose each other: not the same" if pair.opposed else ""
    out.line()
    out.line(f"{pair.score:.1f}   {display.one_line(pair.a)}   {display.one_line(pair.b)}{opposed}")
    for key, text in ((pair.a, a), (pair.b, b)):
        place = opened.snapshot.by_key[key].place
        out.line(f"  {out.one_line(str(place))}   {display.one_line(text)}", clip=True)
    for note in compare(a, b).notes:
        out.line(f"  - {display.one_line(note)}")


def _merge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("items", nargs="+", metavar="ITEM", help="two or more: ids, or FILE:LINE")
    parser.add_argument("--text", metavar="TEXT", help="the text of the folded entry (else it is edited)")
    add_writing(parser)


def _merge(opened: Opened, args: argparse.Namespace) -> Merge:
    keys = tuple(dict.fromkeys(item_of(opened.snapshot, name).key for name in args.items))
    if args.text is not None:
        return Merge(keys, args.text)
    members = [opened.snapshot.by_key[key] for key in keys]
    # What cannot be merged is said before anything is typed; nothing withheld reaches the editor.
    opened.engine.plan(Merge(keys, "…"), opened.actor, opened.reading)
    newest = max(members, key=lambda item: item.date or "")
    return Merge(keys, edit(newest.text, _template(members), what="The folded text"))


def _template(members: list[MemoryItem]) -> list[str]:
    lines = ["The text of the folded entry stands above, on one line; it begins as the newest member's.", ""]
    for item in members:
        lines.append(f"{item.id}   {item.date or 'no date'}   {item.place}")
        lines += (f"  {line}" for line in item.text.split("\n"))
    return lines


def _apart_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("items", nargs="+", metavar="ITEM", help="two or more: ids, or FILE:LINE")
    add_writing(parser)


COMMANDS = {
    "duplicates": Command(
        usage="[--cutoff N] [--json]",
        description=(
            "Pairs of knowledge that may say the same, best first: suggestions for a human, in any script.\n"
            f"{MEANING}\n"
            "Pairs that a human told apart are left out, and stale items take no part. The first line counts what the\n"
            "console lists: a group of any number of alike items once, a pair that only looks alike (opposed) once."
        ),
        examples=("duplicates", "duplicates --cutoff 95", "duplicates --json"),
        arguments=_duplicates_arguments,
        run=_duplicates,
    ),
    "merge": writing(
        usage="ITEM ITEM... [--text TEXT] [--dry-run] [--json]",
        description=(
            "Fold near-duplicate knowledge into one entry. The originals are kept, as history.\n"
            "Without --text, VISUAL or EDITOR opens on the members' texts; an empty text cancels."
        ),
        examples=(
            "merge mem-2026-05-20-002 mem-2026-05-22-004 --text 'Back the database up before each deploy.'",
            "merge mem-2026-05-20-002 mem-2026-05-22-004",
        ),
        arguments=_merge_arguments,
        request=_merge,
    ),
    "not-duplicate": writing(
        usage="ITEM ITEM... [--dry-run] [--json]",
        description="Tell items apart that only look alike: they are not suggested as duplicates again.",
        examples=("not-duplicate mem-2026-05-20-002 mem-2026-05-22-004",),
        arguments=_apart_arguments,
        request=lambda opened, args: NotDuplicate(keys_of(opened.snapshot, args.items)),
    ),
}
