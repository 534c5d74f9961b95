"""stale, clear, pend, repair: decisions about one item each."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from core.errors import UsageError
from core.requests import Clear, Pend, Repair, Request, Stale
from core.vocabulary import Kind, Status
from tui.cli.naming import item_of, keys_of
from tui.cli.opened import Opened
from tui.cli.parser import add_writing, token
from tui.cli.writing import writing


def _mark_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("items", nargs="+", metavar="ITEM", help="an id, or FILE:LINE")
    add_writing(parser, reason=True)


def _mark(make: Callable[[tuple[str, ...], str], Request]) -> Callable[[Opened, argparse.Namespace], Request]:
    return lambda opened, args: make(keys_of(opened.snapshot, args.items), args.reason)


def _repair_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("item", metavar="ITEM", help="an id, or FILE:LINE")
    parser.add_argument("--kind", type=token("kind", Kind), metavar="KIND", help="state, or in doubt knowledge")
    parser.add_argument("--source", metavar="TEXT", help="where it comes from, e.g. archive/2026-05-11.md#run-3")
    parser.add_argument("--subject", metavar="KEY", help="what a state item is the current value of")
    parser.add_argument("--status", type=token("status", Status), metavar="STATUS", help="in place of an unknown one")
    parser.add_argument("--marker", action="store_true", help="turn a [待清理] marker into Status: pending-cleanup")
    parser.add_argument("--new-id", action="store_true", help="give it a fresh id, where two items bear one")
    add_writing(parser)


def _repair(opened: Opened, args: argparse.Namespace) -> Request:
    for option in ("source", "subject"):
        if getattr(args, option) is not None and not getattr(args, option).strip():
            raise UsageError(f"--{option} wants a text.", where="repair", remedy="See `assay repair -h`.")
    return Repair(
        item_of(opened.snapshot, args.item).key,
        kind=args.kind,
        subject=args.subject,
        source=args.source,
        status=args.status,
        marker=args.marker,
        new_id=args.new_id,
    )


COMMANDS = {
    "stale": writing(
        usage="ITEM... [--reason TEXT] [--dry-run] [--json]",
        description="Mark items stale: a human judges them no longer applicable. Asks at the terminal.",
        examples=("stale mem-2026-05-11-004", "stale topics/environment.md:41 --reason 'the host is gone'"),
        arguments=_mark_arguments,
        request=_mark(Stale),
    ),
    "clear": writing(
        usage="ITEM... [--reason TEXT] [--dry-run] [--json]",
        description="Clear pending or stale items: they are kept, and active again. Asks at the terminal.",
        examples=("clear mem-2026-05-11-004", "clear mem-2026-05-11-004 mem-2026-05-12-001 --dry-run"),
        arguments=_mark_arguments,
        request=_mark(Clear),
    ),
    "pend": writing(
        usage="ITEM... [--reason TEXT] [--dry-run] [--json]",
        description="Mark items pending-cleanup: they wait for review. Several at once ask at the terminal.",
        examples=("pend mem-2026-05-11-004 --reason 'refuted by mem-2026-06-03-002'",),
        arguments=_mark_arguments,
        request=_mark(Pend),
    ),
    "repair": writing(
        usage="ITEM [--kind KIND] [--source TEXT] [--subject KEY] [--status STATUS] [--marker] [--new-id]",
        description="Repair what an item lacks. An item without an id is given one. Asks at the terminal.",
        examples=(
            "repair topics/environment.md:41 --source 'explicit user preference'",
            "repair memory.md:7 --kind state --subject app:port",
            "repair topics/legacy.md:7 --marker",
            "repair topics/b.md:3 --new-id",
        ),
        arguments=_repair_arguments,
        request=_repair,
    ),
}
