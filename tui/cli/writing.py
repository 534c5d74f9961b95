"""A writing command: its words become a request, and the request a plan to be decided."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from core.requests import Request
from tui.cli.commands import Command
from tui.cli.opened import Opened
from tui.cli.output import Output


def writing(
    *,
    usage: str,
    description: str,
    examples: tuple[str, ...],
    arguments: Callable[[argparse.ArgumentParser], None],
    request: Callable[[Opened, argparse.Namespace], Request],
) -> Command:
    """The command that carries out what `request` makes of its words."""

    def run(args: argparse.Namespace, out: Output) -> int:
        from tui.cli.decide import carry_out

        opened = Opened.of(args)
        return carry_out(opened, request(opened, args), args, out)

    return Command(usage, description, examples, arguments, run, request)
