"""undo: compensate an event."""

from __future__ import annotations

import argparse

from core.requests import Undo
from tui.cli.commands import Command
from tui.cli.decide import carry_out
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_writing
from tui.cli.terminal import Terminal


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", nargs="?", metavar="EVENT", help="an event's id, as the log and the receipts have it")
    add_writing(parser)


def _run(args: argparse.Namespace, out: Output) -> int:
    return carry_out(Opened.of(args), Undo(args.event), args, out, ask=True if _somebody_there() else None)


def _somebody_there() -> bool:
    """Whether a person can be asked: which decision an undo takes back is the log's choice, so they see it first."""
    terminal = Terminal.open()
    if terminal is None:
        return False
    with terminal:
        return True


COMMANDS = {
    "undo": Command(
        usage="[EVENT] [--dry-run] [--json]",
        description=(
            "Undo your latest undoable event, or the one named. Refuses where a field has changed since.\n"
            "At a terminal it shows its plan and asks; without one, only the undo of what needed nobody goes through."
        ),
        examples=("undo --dry-run", "undo", "undo memlog-2026-06-12-004"),
        arguments=_arguments,
        run=_run,
    )
}
