"""owner add, owner confirm: who may withdraw and reinstate, and what counts on this machine (§17)."""

from __future__ import annotations

import argparse

from core.binding import Binding, Owner
from core.errors import Refused, UsageError
from core.requests import NameOwner
from tui import display
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.decide import YES, ask_yes, carry_out, name_owner, unconfirmed
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_writing, did_you_mean
from tui.cli.terminal import Terminal

_ACTIONS = ("add", "confirm")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="add|confirm")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the owner's name (add)")
    parser.add_argument("--user", metavar="USER", help="the operating-system user who may act as them (default: you)")
    parser.add_argument(
        "--scope",
        nargs="+",
        action="extend",
        default=[],
        metavar="SELECTOR",
        help="*, topic:NAME, subject:PREFIX, scope:SCOPE, archive:DATE..DATE (default: *)",
    )
    add_writing(parser)


def _run(args: argparse.Namespace, out: Output) -> int:
    if args.action not in _ACTIONS:
        raise UsageError(
            f"There is no `owner {args.action}`{did_you_mean(args.action, _ACTIONS) or '.'}",
            where="owner",
            remedy="See `assay owner -h`.",
        )
    if (args.action == "add") != (args.name is not None):
        raise UsageError(
            "owner add wants a name." if args.action == "add" else "owner confirm wants no name.",
            where="owner",
            remedy="See `assay owner -h`.",
        )
    opened = Opened.of(args)
    return _add(opened, args, out) if args.action == "add" else _confirm(opened, args, out)


def _add(opened: Opened, args: argparse.Namespace, out: Output) -> int:
    if opened.snapshot.binding.owners_state == "unconfirmed":
        raise unconfirmed(opened)
    request = NameOwner(args.name, args.user or opened.user, tuple(args.scope) or ("*",))
    if args.dry_run:
        return carry_out(opened, request, args, out)
    receipt = name_owner(opened, request, out)
    if out.json:
        out.data({"event": receipt.event, "title": receipt.title, "owners_state": opened.snapshot.binding.owners_state})
    else:
        out.line(out.one_line(receipt.line()))
        if opened.snapshot.binding.owners_state != "confirmed":
            out.line("The owners declared before are not confirmed on this machine: `assay owner confirm`.")
    return exits.OK


def _confirm(opened: Opened, args: argparse.Namespace, out: Output) -> int:
    from stores.pins import Pins

    declared = opened.store.declared_binding()
    if not declared.owners:
        raise Refused(
            "This root declares no owners.", where=opened.store.name, remedy="Name one: `assay owner add NAME`."
        )
    counted = opened.snapshot.binding
    if counted.owners_state == "confirmed":
        out.line("The declared owners are confirmed on this machine already.")
        return exits.OK
    lines = [*_lines(declared.owners), *_lost(counted, declared)]
    if args.dry_run:
        for line in lines:
            out.line(line)
        return exits.OK

    def question(terminal: Terminal) -> str:
        for line in lines:
            terminal.show(line)
        return f"Do these own memory here, as far as this machine goes? Type {YES}, or anything else to cancel:"

    ask_yes(question, what="Confirming owners")
    # What was shown, whatever the file says by now.
    Pins(opened.path).confirm(declared.id, declared.owners)
    opened.read_again()
    state = opened.snapshot.binding.owners_state
    if out.json:
        out.data({"owners": [owner.name for owner in declared.owners], "owners_state": state})
    else:
        out.line(f"Owners {state}: {', '.join(display.one_line(owner.name) for owner in declared.owners)}.")
    return exits.OK


def _lines(owners: tuple[Owner, ...]) -> list[str]:
    return [
        display.one_line(f"{owner.name}   user {owner.user or 'nobody here'}   owns {', '.join(owner.scopes)}")
        for owner in owners
    ]


def _lost(counted: Binding, declared: Binding) -> list[str]:
    if counted.owners_state != "changed":
        return []
    return ["Until now, these counted on this machine:", *("  " + line for line in _lines(counted.owners))]


COMMANDS = {
    "owner": Command(
        usage="add NAME [--user USER] [--scope SELECTOR...] | confirm",
        description=(
            "Name an owner of the root, or confirm on this machine the owners that the root declares.\n"
            "What assay.toml says grants nothing until a human has confirmed it here."
        ),
        examples=("owner add ana", "owner add bob --user bob --scope topic:environment", "owner confirm"),
        arguments=_arguments,
        run=_run,
    )
}
