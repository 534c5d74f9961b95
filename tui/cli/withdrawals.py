"""withdrawals: every control record, what it does now, and what it excludes (§12.2)."""

from __future__ import annotations

import argparse

from core.eligibility import Chain, ControlView
from core.errors import NeedsHuman
from core.vocabulary import ControlAction, ControlState
from tui import display
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_reading
from tui.cli.shapes import control_json, excluded_ids

_SIGNS = {
    ControlState.CONTROLS: ("⊘", "x"),
    ControlState.UNRESOLVED: ("!", "!"),
    ControlState.SUPERSEDED: ("○", "o"),
    ControlState.INVALID: ("✗", "!"),
}
_REINSTATED = ("●", "*")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--audit", action="store_true", help="also show the text that is excluded; to a person at a terminal only"
    )
    add_reading(parser)


def _run(args: argparse.Namespace, out: Output) -> int:
    if args.audit and not out.terminal:
        raise NeedsHuman(
            "Withdrawn text is shown to a person at a terminal only.",
            where="withdrawals",
            remedy="Leave --audit out, or run it at a terminal without a pipe.",
        )
    opened = Opened.of(args)
    influence, snapshot = opened.reading.influence, opened.snapshot
    if out.json:
        values = []
        for view in influence.controls:
            value = control_json(view, snapshot)
            if args.audit:
                rows = [snapshot.by_key[key] for key in view.excludes if key in snapshot.by_key]
                value["texts"] = [{"id": row.id, "key": row.key, "text": row.text} for row in rows]
            values.append(value)
        out.data(values)
        return exits.OK
    if not influence.chains:
        out.nothing("nothing was ever withdrawn here.")
    for chain in influence.chains:
        _print_chain(chain, opened, out, audit=args.audit)
    return exits.OK


def _print_chain(chain: Chain, opened: Opened, out: Output, *, audit: bool) -> None:
    branch = "`- " if out.ascii_only else "└─ "
    depths: dict[str, int] = {}
    for view in chain.views:
        depth = max((depths[prior] + 1 for prior in view.record.supersedes if prior in depths), default=0)
        depths[view.record.withdrawal_id] = depth
        _print_view(view, opened, out, indent="" if depth == 0 else "   " * (depth - 1) + branch)
    if chain.unresolved and not chain.scope.empty:
        first = chain.views[0].record.withdrawal_id
        out.line(f"! unresolved: `assay settle {display.one_line(first)} withdraw` or `reinstate` says which stands")
    if audit:
        keys = dict.fromkeys(key for view in chain.views for key in view.excludes)
        for item in (opened.snapshot.by_key[key] for key in keys if key in opened.snapshot.by_key):
            out.line(f"   withdrawn text of {display.one_line(item.key)} at {out.one_line(str(item.place))}:")
            for line in display.wrap(display.visible(out.masked(item.text)), 100):
                out.line(f"     {line}")
    out.line()


def _print_view(view: ControlView, opened: Opened, out: Output, *, indent: str) -> None:
    record = view.record
    lifted = view.state is ControlState.CONTROLS and record.action == ControlAction.REINSTATE
    sign = (_REINSTATED if lifted else _SIGNS[view.state])[out.ascii_only]
    head = (record.withdrawal_id, record.action, record.reason, record.decided_by, record.decided_at)
    excluded = excluded_ids(view, opened.snapshot)
    out.line(f"{indent}{sign} {'   '.join(out.one_line(part) for part in head if part)}   {view.state.value}")
    below = " " * (len(indent) + 2)
    out.line(f"{below}scope: {out.one_line(str(record.scope))}")
    if view.reason:
        out.line(f"{below}{out.one_line(view.reason)}")
    if record.unreadable:
        out.line(f"{below}could not be read whole: {out.one_line(record.unreadable)}")
    if excluded:
        count = f"{len(excluded)} item{'' if len(excluded) == 1 else 's'}"
        out.line(f"{below}excludes {count} now: {out.one_line(', '.join(excluded))}")


COMMANDS = {
    "withdrawals": Command(
        usage="[--audit] [--json]",
        description="Each chain of control records, unresolved ones first, and what it excludes now.",
        examples=("withdrawals", "withdrawals --json", "withdrawals --audit"),
        arguments=_arguments,
        run=_run,
    )
}
