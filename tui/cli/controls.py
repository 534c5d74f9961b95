"""withdraw, reinstate, settle: control events over a bounded scope (§12.2)."""

from __future__ import annotations

import argparse

from core.controls import Scope
from core.errors import ItemNotFound, Refused, UsageError
from core.requests import Reinstate, Settle, Withdraw
from core.sources import parse_source
from core.vocabulary import ControlAction
from tui.cli.naming import bearers_of
from tui.cli.opened import Opened
from tui.cli.parser import add_writing, nearest, token
from tui.cli.writing import writing

_REASON = "owner-decision"
_RIVALS = ("keep", "supersede")


def _withdraw_arguments(parser: argparse.ArgumentParser) -> None:
    for option, name, help in (
        ("--item", "ID", "items: an id covers every record that bears it"),
        ("--archive", "REF", "archive days, or segments of them"),
        ("--run", "REF", "sources or runs"),
    ):
        parser.add_argument(option, nargs="+", action="extend", default=[], metavar=name, help=help)
    _reason(parser)
    add_writing(parser)


def _reason(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", metavar="WORD", default=_REASON, help="e.g. failed-exploration; never the content")


def _withdraw(opened: Opened, args: argparse.Namespace) -> Withdraw:
    ids = frozenset(_id_of(opened, name) for name in args.item)
    scope = Scope(ids, frozenset(map(_archive_ref, args.archive)), frozenset(args.run))
    if scope.empty:
        raise UsageError(
            "A withdrawal bounds a scope.", where="withdraw", remedy="Name it with --item, --archive or --run."
        )
    return Withdraw(scope, args.reason)


def _archive_ref(text: str) -> str:
    """An archive reference as records write it: `archive/2026-05-20.md#run-7`."""
    refs = parse_source(text)
    if len(refs) != 1 or refs[0].kind != "archive":
        return text
    return f"{refs[0].file}#{refs[0].anchor}" if refs[0].anchor else str(refs[0].file)


def _id_of(opened: Opened, name: str) -> str:
    """The id to withdraw: one that anything in the root names, or that of the item at `FILE:LINE`."""
    if name in opened.snapshot.reserved_ids:
        return name
    item = bearers_of(opened.snapshot, name)[0]
    if item.id is None:
        raise Refused(
            "This item has no id to withdraw it by.", where=name, remedy=f"Give it one: `assay repair {name}`."
        )
    return item.id


def _control_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("withdrawal", metavar="MEMWD", help="the control record's id")


def _rivals(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rivals",
        type=token("answer", _RIVALS),
        metavar="ANSWER",
        help="rows of the same subject that became active meanwhile: keep (a conflict), or supersede the older",
    )


def _reinstate_arguments(parser: argparse.ArgumentParser) -> None:
    _control_arguments(parser)
    _rivals(parser)
    _reason(parser)
    add_writing(parser)


def _reinstate(opened: Opened, args: argparse.Namespace) -> Reinstate:
    _known(opened, args.withdrawal)
    return Reinstate(args.withdrawal, args.reason, args.rivals)


def _settle_arguments(parser: argparse.ArgumentParser) -> None:
    _control_arguments(parser)
    parser.add_argument("action", type=token("action", ControlAction), metavar="ACTION", help="withdraw or reinstate")
    _rivals(parser)
    _reason(parser)
    add_writing(parser)


def _settle(opened: Opened, args: argparse.Namespace) -> Settle:
    _known(opened, args.withdrawal)
    return Settle(args.withdrawal, args.action, args.reason, args.rivals)


def _known(opened: Opened, withdrawal: str) -> None:
    known = [record.withdrawal_id for record in opened.snapshot.controls]
    if withdrawal not in known:
        near = nearest(withdrawal, known)
        raise ItemNotFound(
            f"No such control record; did you mean {near}?" if near else "No such control record.",
            where=withdrawal,
            remedy="`assay withdrawals` lists them.",
        )


COMMANDS = {
    "withdraw": writing(
        usage="[--item ID...] [--archive REF...] [--run REF...] [--reason WORD] [--dry-run] [--json]",
        description="Withdraw a bounded scope from influence. Nothing is deleted or called false. Owners only.",
        examples=(
            "withdraw --item mem-2026-05-20-001 mem-2026-05-20-002 --reason failed-exploration",
            "withdraw --archive archive/2026-05-20.md#run-7",
        ),
        arguments=_withdraw_arguments,
        request=_withdraw,
    ),
    "reinstate": writing(
        usage="MEMWD [--rivals keep|supersede] [--reason WORD] [--dry-run] [--json]",
        description="Reinstate the exact scope of a withdrawal. It makes nothing current or true. Owners only.",
        examples=("reinstate memwd-2026-06-10-001", "reinstate memwd-2026-06-10-001 --rivals supersede"),
        arguments=_reinstate_arguments,
        request=_reinstate,
    ),
    "settle": writing(
        usage="MEMWD ACTION [--rivals keep|supersede] [--reason WORD] [--dry-run] [--json]",
        description="Settle control events of one scope that have no single order, by a new event. Owners only.",
        examples=("settle memwd-2026-06-10-001 withdraw", "settle memwd-2026-06-10-001 reinstate"),
        arguments=_settle_arguments,
        request=_settle,
    ),
}
