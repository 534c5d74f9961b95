"""log: the operation log (§7.1 capability 5), by event, actor and item."""

from __future__ import annotations

import argparse

from core.events import Event, LogEntry
from core.snapshot import Snapshot
from tui import display
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.naming import bearers_of
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_reading
from tui.cli.shapes import entry_json
from tui.cli.withheld import Withheld


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--type", metavar="EVENT", help="events of one type, e.g. supersede")
    parser.add_argument("--actor", metavar="ACTOR", help="events of one actor: owner:ana, autodream, or a bare name")
    parser.add_argument("--item", metavar="ID", help="events that touched an item: an id, or FILE:LINE")
    parser.add_argument("--last", type=int, metavar="N", help="the last N of them")
    parser.add_argument("--records", action="store_true", help="also show the record beneath each entry")
    add_reading(parser)


def touched(event: Event) -> list[str]:
    """The ids that an event names: of items, and of a control record's scope."""
    ids = dict.fromkeys(change.id for change in event.items)
    if event.control is not None:
        ids |= dict.fromkeys(sorted(event.control.scope.memory_item_ids))
    return list(ids)


def _run(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    snapshot = opened.snapshot
    withheld = Withheld(opened.reading)
    items = {event.id: touched(event) for event in snapshot.events}
    entries = [entry for entry in snapshot.log if _wanted(entry, args)]
    if args.item is not None:
        id = args.item if args.item in snapshot.reserved_ids else bearers_of(snapshot, args.item)[0].id
        entries = [entry for entry in entries if id is not None and _names(entry, id, items)]
    if args.last is not None:
        entries = entries[-args.last :] if args.last > 0 else []
    if out.json:
        out.data([entry_json(entry, items.get(entry.id or "", []), withheld) for entry in entries])
        return exits.OK
    if not entries:
        out.nothing("no entry of the log matches." if snapshot.log else "the log is empty.")
    _print(entries, withheld, out, records=args.records)
    return exits.OK


def _wanted(entry: LogEntry, args: argparse.Namespace) -> bool:
    if args.type is not None and entry.type != args.type:
        return False
    return args.actor is None or args.actor in (entry.actor, entry.actor.partition(":")[2])


def _names(entry: LogEntry, id: str, items: dict[str, list[str]]) -> bool:
    """Whether the entry's event touched `id`; a line that is no event, whether it names it."""
    if entry.id in items:
        return id in items[entry.id]
    return id in f"{entry.summary}\n{entry.record or ''}".replace(",", " ").replace("]", " ").replace("[", " ").split()


def _print(entries: list[LogEntry], withheld: Withheld, out: Output, *, records: bool) -> None:
    for entry in entries:
        head = [part for part in (entry.at, entry.type, entry.id or "", entry.actor) if part]
        summary = out.one_line(withheld.scrub(entry.summary))
        out.line("  ".join([*map(display.one_line, head), summary]), clip=True)
        if records and entry.record is not None:
            for line in out.masked(withheld.scrub(entry.record)).split("\n"):
                out.line(f"    {line}")


def event_of(snapshot: Snapshot, id: str) -> Event | None:
    """The replay record of the event `id`."""
    return next((event for event in snapshot.events if event.id == id), None)


COMMANDS = {
    "log": Command(
        usage="[--type EVENT] [--actor ACTOR] [--item ID] [--last N] [--records] [--json]",
        description="The operation log, oldest first. Withdrawn text in it is withheld.",
        examples=("log --last 20", "log --type supersede --json", "log --item mem-2026-05-11-004 --records"),
        arguments=_arguments,
        run=_run,
    )
}
