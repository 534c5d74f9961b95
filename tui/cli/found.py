"""init: a new root, never over one that is there."""

from __future__ import annotations

import argparse
import os

from core.requests import Init
from tui.cli.commands import Command
from tui.cli.decide import carry_out
from tui.cli.opened import Opened
from tui.cli.output import Output

DEFAULT = "memory"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=DEFAULT, metavar="DIR", help=f"the new root (default: {DEFAULT})")
    parser.add_argument("--owner", metavar="NAME", help="name yourself as its owner, under this name")
    parser.add_argument("--timezone", metavar="ZONE", help="the zone of its dates, e.g. Asia/Shanghai (default: yours)")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and write nothing")
    parser.add_argument("--json", action="store_true", help="print the receipt (or the plan) as JSON")


def local_zone() -> str:
    """The name of this machine's time zone; UTC where it cannot be told."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if "/" in named and not named.startswith("/"):
        return named
    _, found, zone = os.path.realpath("/etc/localtime").partition("/zoneinfo/")
    return zone if found and zone else "UTC"


def _run(args: argparse.Namespace, out: Output) -> int:
    opened = Opened(os.path.abspath(args.folder))
    user = opened.user if args.owner is not None else None
    request = Init(owner=args.owner, user=user, timezone=args.timezone or local_zone())
    return carry_out(opened, request, args, out, ask=args.owner is not None)


COMMANDS = {
    "init": Command(
        usage="[DIR] [--owner NAME] [--timezone ZONE] [--dry-run] [--json]",
        description="Lay out a new memory root. A root that is there already is left alone.",
        examples=("init", "init .kiro/memories --owner ana"),
        arguments=_arguments,
        run=_run,
    )
}
