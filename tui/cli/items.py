"""items: list items, by filter."""

from __future__ import annotations

import argparse
import unicodedata
from collections.abc import Callable, Iterator

from core.items import MemoryItem
from core.places import TOPICS_FOLDER
from core.vocabulary import Kind, Standing, Status
from tui import display, glyphs
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_reading, token
from tui.cli.shapes import item_json
from tui.cli.withheld import MARK, Withheld
from tui.search import fold, needles_of


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", type=token("status", Status), metavar="STATUS", help=", ".join(Status))
    parser.add_argument("--kind", type=token("kind", Kind), metavar="KIND", help=", ".join(Kind))
    parser.add_argument("--standing", type=token("standing", Standing), metavar="WHERE", help=", ".join(Standing))
    parser.add_argument("--topic", metavar="NAME", help="items of one topic page, by its name")
    parser.add_argument("--subject", metavar="KEY", help="items of exactly this subject")
    parser.add_argument("--find", metavar="TEXT", help="items that hold every word of TEXT, in any case")
    add_reading(parser)


def _run(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    withheld = Withheld(opened.reading)
    wanted = tuple(_filters(args, withheld))
    items = [item for item in opened.snapshot.items if all(filter(item) for filter in wanted)]
    if out.json:
        out.data([item_json(item, opened.reading, withheld) for item in items])
        return exits.OK
    if not items:
        out.nothing("no item matches." if wanted else "this root holds no items yet.")
    out.table([_row(item, withheld, out) for item in items])
    return exits.OK


def _filters(args: argparse.Namespace, withheld: Withheld) -> Iterator[Callable[[MemoryItem], bool]]:
    if args.status is not None:
        yield lambda item: item.status == args.status
    if args.kind is not None:
        yield lambda item: item.kind == args.kind
    if args.standing is not None:
        yield lambda item: item.standing == args.standing
    if args.subject is not None:
        yield lambda item: item.subject == args.subject
    if args.topic is not None:
        file = f"{TOPICS_FOLDER}/{args.topic.removeprefix(f'{TOPICS_FOLDER}/').removesuffix('.md')}.md"
        topic = unicodedata.normalize("NFC", file)
        yield lambda item: unicodedata.normalize("NFC", item.place.file) == topic
    if args.find is not None:
        needles = needles_of(args.find)
        yield lambda item: _holds(item, needles, withheld)


def _holds(item: MemoryItem, needles: tuple[str, ...], withheld: Withheld) -> bool:
    """Whether what may be shown of the item contains every needle; withheld text is not searched either."""
    parts = (withheld.text(item), withheld.source(item), item.subject, item.id, item.place.file)
    folded = fold("\n".join(part for part in parts if part))
    return all(needle in folded for needle in needles)


def status_of(item: MemoryItem, withheld: Withheld) -> glyphs.Glyph:
    """The glyph for what an item is now: withdrawn, or its Status."""
    if not withheld.eligible(item):
        return glyphs.STATUS["withdrawn"]
    return glyphs.status_glyph(item.status)


def _row(item: MemoryItem, withheld: Withheld, out: Output) -> list[str]:
    text = withheld.text(item)
    return [
        out.label(status_of(item, withheld)),
        out.mark(glyphs.kind_glyph(item.kind)),
        display.one_line(item.date or "no date"),
        display.one_line(item.id or "no id"),
        out.one_line(str(item.place)),
        MARK if text is None else out.one_line(text),
    ]


COMMANDS = {
    "items": Command(
        usage="[--status S] [--kind K] [--standing WHERE] [--topic NAME] [--subject KEY] [--find TEXT] [--json]",
        description="List items, in the order they stand. The text of withdrawn items is withheld.",
        examples=("items --status pending-cleanup", "items --topic environment --json", "items --find 数据库"),
        arguments=_arguments,
        run=_run,
    )
}
