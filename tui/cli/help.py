"""`assay help`: the overview, one command, or the exit statuses."""

from __future__ import annotations

import argparse

from core.errors import UsageError
from tui.cli import commands, exits
from tui.cli.output import Output
from tui.cli.parser import did_you_mean

EXIT_CODES = "exit-codes"


def overview() -> str:
    """All commands, by group."""
    lines = [
        "usage: assay [--root DIR] [COMMAND] [ARGUMENTS]",
        "",
        "A review console for what LLM agents remember. Without a command it opens the console on the nearest",
        "memory/ or .kiro/memories/ here or above.",
    ]
    for title, entries in commands.GROUPS:
        lines += ["", f"{title}:", *(f"  {entry.name:<13} {entry.help}" for entry in entries)]
    lines += [
        "",
        "Every read takes --json. Every write takes --dry-run, and asks at the terminal where a human must decide.",
        "`assay COMMAND -h` says more; `assay help exit-codes` lists the exit statuses; `assay --version`.",
    ]
    return "\n".join(lines)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="COMMAND")


def _run(args: argparse.Namespace, out: Output) -> int:
    if args.topic is None:
        out.line(overview())
    elif args.topic == EXIT_CODES:
        out.line(exits.table_text())
    elif args.topic in commands.ENTRIES:
        out.line(commands.parser_of(args.topic, commands.load(args.topic)).format_help())
    else:
        near = did_you_mean(args.topic, [*commands.ENTRIES, EXIT_CODES])
        raise UsageError(f"There is no command {args.topic!r}{near or '.'}", where="help", remedy="See `assay help`.")
    return exits.OK


COMMANDS = {
    "help": commands.Command(
        usage=f"[COMMAND | {EXIT_CODES}]",
        description="Help on a command, or the table of exit statuses.",
        examples=("help", "help reconcile", f"help {EXIT_CODES}"),
        arguments=_arguments,
        run=_run,
    )
}
