"""The table of commands: name, where it lives, and what it does in one line. Help, dispatch and tests read it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from tui.cli.output import Output
from tui.cli.parser import Parser

if TYPE_CHECKING:
    from core.requests import Request
    from tui.cli.opened import Opened


class Entry(NamedTuple):
    """A command as the overview lists it. `module` holds its `Command`, under its name in `COMMANDS`."""

    name: str
    module: str
    help: str


@dataclass(frozen=True)
class Command:
    """A command: its words, and what carries it out. `run` returns the exit status; errors are raised.

    `request` is what a writing command asks of the engine: a line of a plan may say it, too.
    """

    usage: str
    description: str
    examples: tuple[str, ...]
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Output], int]
    request: Callable[[Opened, argparse.Namespace], Request] | None = None


GROUPS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    (
        "The console",
        (
            Entry("review", "console", "open the console on a root (so does `assay` alone)"),
            Entry("demo", "console", "open the console on a private copy of a sample root"),
        ),
    ),
    (
        "A root",
        (
            Entry("init", "found", "lay out a new root"),
            Entry("owner", "owner", "name an owner, or confirm the declared owners on this machine"),
            Entry("status", "status", "the root at a glance"),
            Entry("check", "status", "the validation checklist"),
            Entry("recover", "recover", "settle a commit that a crash left neither whole nor undone"),
        ),
    ),
    (
        "Reading",
        (
            Entry("items", "items", "list items"),
            Entry("show", "show", "one item whole: its record, source, chain, influence, and who refers to it"),
            Entry("findings", "findings", "everything the review found"),
            Entry("conflicts", "findings", "rows that contradict each other"),
            Entry("withdrawals", "withdrawals", "control records, and what each excludes now"),
            Entry("erasures", "erasures", "what was erased, and what became of every holder"),
            Entry("log", "log", "the operation log"),
            Entry("duplicates", "alike", "knowledge that may say the same: suggestions for a human"),
            Entry("proposals", "proposals", "what is proposed as a standing rule, and what it rests on"),
            Entry("plan", "plan", "the cleanup plan of the review; take a ticked one back in"),
        ),
    ),
    (
        "Deciding",
        (
            Entry("stale", "marks", "mark items stale: no longer applicable"),
            Entry("clear", "marks", "clear pending or stale items: they are active again"),
            Entry("pend", "marks", "mark items pending-cleanup: they wait for review"),
            Entry("repair", "marks", "repair an item's missing or broken fields"),
            Entry("supersede", "rows", "supersede a state row by its successor"),
            Entry("reconcile", "rows", "settle a conflict among rows"),
            Entry("reclassify", "curate", "change an item's kind: state or knowledge"),
            Entry("subject", "curate", "give a state item another subject"),
            Entry("cool", "curate", "move knowledge further from the hot path; it is kept"),
            Entry("warm", "curate", "bring cooled items back"),
            Entry("triggers", "curate", "say when a topic is to be read"),
            Entry("merge", "alike", "fold near-duplicate knowledge into one entry"),
            Entry("not-duplicate", "alike", "tell items apart that only look alike"),
            Entry("propose", "proposals", "propose a standing rule"),
            Entry("approve", "proposals", "approve a proposal: its rule is written to its target"),
            Entry("reject", "proposals", "reject a proposal, with a reason"),
            Entry("withdraw", "controls", "withdraw a bounded scope from influence"),
            Entry("reinstate", "controls", "reinstate a withdrawn scope"),
            Entry("settle", "controls", "settle control events that contradict each other"),
            Entry("undo", "undo", "undo your latest event, or the one named"),
        ),
    ),
    ("Help", (Entry("help", "help", "help on a command, or on exit-codes"),)),
)

ENTRIES: dict[str, Entry] = {entry.name: entry for _, entries in GROUPS for entry in entries}


def load(name: str) -> Command:
    """The command `name` of the table."""
    commands: dict[str, Command] = import_module(f"tui.cli.{ENTRIES[name].module}").COMMANDS
    return commands[name]


def parser_of(name: str, command: Command) -> Parser:
    """The parser of the command `name`."""
    parser = Parser(name, command.usage, command.description, command.examples)
    command.arguments(parser)
    return parser
