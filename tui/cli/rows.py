"""supersede and reconcile: which row is current (§14.2, §15.2.1)."""

from __future__ import annotations

import argparse

from core.requests import Reconcile, Supersede
from tui.cli.naming import item_of, keys_of
from tui.cli.opened import Opened
from tui.cli.parser import add_writing
from tui.cli.writing import writing


def _supersede_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prior", metavar="PRIOR", help="the older row: an id, or FILE:LINE")
    parser.add_argument("--by", required=True, metavar="SUCCESSOR", help="the newer row of the same subject")
    add_writing(parser)


def _supersede(opened: Opened, args: argparse.Namespace) -> Supersede:
    prior, successor = (item_of(opened.snapshot, name).key for name in (args.prior, args.by))
    return Supersede(prior, successor)


def _reconcile_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rows", nargs="+", metavar="ROW", help="the rows in conflict: ids, or FILE:LINE")
    outcome = parser.add_mutually_exclusive_group(required=True)
    outcome.add_argument("--current", metavar="ROW", help="the row that is current; the others are kept as history")
    outcome.add_argument("--both-stay", action="store_true", help="all stay as they are, and name each other")
    outcome.add_argument("--pend", action="store_true", help="all wait for review")
    parser.add_argument("--evidence", required=True, metavar="TEXT", help="a reference, or the owner's decision")
    add_writing(parser)


def _reconcile(opened: Opened, args: argparse.Namespace) -> Reconcile:
    current = None if args.current is None else item_of(opened.snapshot, args.current).key
    rows = keys_of(opened.snapshot, args.rows)
    if current is not None and current not in rows:
        rows = (*rows, current)
    return Reconcile(rows, args.evidence, current=current, both_stay=args.both_stay, pend=args.pend)


COMMANDS = {
    "supersede": writing(
        usage="PRIOR --by SUCCESSOR [--dry-run] [--json]",
        description="Supersede a state row by a newer one of byte-equal subject. The prior row is kept as history.",
        examples=("supersede mem-2026-05-01-009 --by mem-2026-06-03-001",),
        arguments=_supersede_arguments,
        request=_supersede,
    ),
    "reconcile": writing(
        usage="ROW ROW... (--current ROW | --both-stay | --pend) --evidence TEXT [--dry-run] [--json]",
        description="Settle a conflict among rows, by evidence or by the owner's decision. Asks at the terminal.",
        examples=(
            "reconcile mem-2026-05-01-009 mem-2026-06-03-001 --current mem-2026-06-03-001 "
            "--evidence archive/2026-06-03.md#deploy",
            "reconcile mem-2026-05-01-009 mem-2026-06-03-001 --pend --evidence 'nobody can say yet'",
        ),
        arguments=_reconcile_arguments,
        request=_reconcile,
    ),
}
