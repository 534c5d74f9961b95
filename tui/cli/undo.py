"""undo: compensate an event."""

from __future__ import annotations

import argparse

from core.requests import Undo
from tui.cli.commands import Command
from tui.cli.decide import carry_out
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_writing


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", nargs="?", metavar="EVENT", help="an event's id, as the log and the receipts have it")
    add_writing(parser)


def _run(args: argparse.Namespace, out: Output) -> int:
    return carry_out(Opened.of(args), Undo(args.event), args, out)


COMMANDS = {
    "undo": Command(
        usage="[EVENT] [--dry-run] [--json]",
        description="Undo your latest undoable event, or the one named. Refuses where a field has changed since.",
        examples=("undo --dry-run", "undo", "undo memlog-2026-06-12-004"),
        arguments=_arguments,
        run=_run,
    )
}
