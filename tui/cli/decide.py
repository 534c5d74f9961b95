"""The path of every write: plan, show, ask, commit, receipt.

A `Decision` is made here alone, after a person at the terminal has seen the plan and typed `yes` or its phrase. The
one exception is a new root without owners (`found.py`): it takes nothing from anybody.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

from core.authority import Tier
from core.errors import Declined, NeedsHuman, NotAuthorised, PlanChanged, Refused
from core.plan import Plan, Receipt
from core.requests import Approve, NameOwner, Reinstate, Reject, Request, Settle, Withdraw
from tui import display
from tui.cli import exits
from tui.cli.opened import Opened
from tui.cli.output import Output, notice
from tui.cli.preview import item_lines, plan_json, plan_lines, receipt_json
from tui.cli.terminal import Terminal
from tui.cli.withheld import Withheld
from tui.widgets.diff import Clean

YES = "yes"

REMINDED = 10
"""So many items are named again right above the question: they fit on the smallest screen."""

OWNERS_ONLY = (Withdraw, Reinstate, Settle, Approve, Reject)


def carry_out(
    opened: Opened, request: Request, args: argparse.Namespace, out: Output, *, ask: bool | None = None
) -> int:
    """Carry out `request` on the root, asking where a human must decide (or as `ask` says); the exit status."""
    see_to_owners(opened, [request], out, dry_run=args.dry_run)
    plan = opened.engine.plan(request, opened.actor, opened.reading)
    if args.dry_run:
        clean = cleaner(opened, out)
        if out.json:
            out.data(plan_json(plan, clean))
        else:
            for line in plan_lines(plan, clean):
                out.line(line)
        return exits.OK
    receipt = decide(opened, plan, out, ask=ask)
    clean = cleaner(opened, out)
    if out.json:
        out.data(receipt_json(receipt, clean))
    else:
        out.line(display.one_line(clean(receipt.line())))
    for refusal in receipt.refusals:
        notice(f"{refusal.key}: left out: {clean(refusal.reason)}")
    return Refused.exit_status if receipt.refusals else exits.OK


def cleaner(opened: Opened, out: Output) -> Clean:
    """What makes stored text fit to be shown: excluded text withheld, secrets masked."""
    scrub = Withheld(opened.reading).scrub
    return lambda text: out.masked(scrub(text))


def decide(opened: Opened, plan: Plan, out: Output, *, ask: bool | None = None) -> Receipt:
    """Commit `plan`, after asking where it takes a human (or as `ask` says); the receipt.

    Where what the plan rests on changed meanwhile, the plan made anew is shown and asked about. Raises `NeedsHuman`,
    `Declined`, and what the engine raises.
    """
    if ask is None:
        ask = plan.human_only or plan.tier > Tier.FREE
    news = ""
    while True:
        if ask:
            _confirm([plan], cleaner(opened, out), news)
        decision = opened.engine.decide(plan, plan.actor) if ask or plan.human_only else None
        try:
            return opened.engine.commit(plan, decision)
        except PlanChanged as changed:
            if not isinstance(changed.plan, Plan):
                raise
            plan, ask, news = changed.plan, True, f"{changed} The plan is shown anew."
            opened.read_again()


def ask_yes(question: Callable[[Terminal], str], *, what: str) -> None:
    """Put `question` (which may show more first) to the person at the terminal. Raises `NeedsHuman`, `Declined`."""
    with _terminal(what) as terminal:
        _expect(terminal, question(terminal), YES)


def _terminal(what: str) -> Terminal:
    terminal = Terminal.open()
    if terminal is None:
        raise NeedsHuman(
            f"{what} takes a human at a terminal, and there is none; nothing was written.",
            remedy="--dry-run prints the plan.",
        )
    return terminal


def decide_all(opened: Opened, plans: Sequence[Plan], out: Output) -> Iterator[Receipt]:
    """Commit `plans` of one kind after one question about them all; the receipts, each once it is done.

    A plan whose ground changed meanwhile, be it by the one before, is shown anew and asked about by itself.
    """
    if plans:
        _confirm(plans, cleaner(opened, out), "")
    for plan in plans:
        yield decide(opened, plan, out, ask=False)
        opened.read_again()


def _confirm(plans: Sequence[Plan], clean: Clean, news: str) -> None:
    first = plans[0]
    with _terminal(clean(first.title)) as terminal:
        if news:
            terminal.show(f"\n{display.one_line(clean(news))}\n")
        for number, plan in enumerate(plans):
            if number:
                terminal.show("")
            for line in plan_lines(plan, clean):
                terminal.show(line)  # whole: nobody decides on what was not shown
        verb = first.verb if len(plans) == 1 else f"{first.verb}, all {len(plans)}"
        _remind(terminal, plans, clean)
        if any(plan.tier is Tier.PHRASE for plan in plans):
            phrase = first.phrase or first.verb
            terminal.show("This cannot be undone.")
            _expect(terminal, f"{verb}? Type {phrase!r}, or anything else to cancel:", phrase)
        else:
            _expect(terminal, f"{verb}? Type {YES}, or anything else to cancel:", YES)


def _remind(terminal: Terminal, plans: Sequence[Plan], clean: Clean) -> None:
    """What is decided, once more and short: the diff has pushed it off the screen."""
    terminal.show(f"\n{display.one_line(clean(plans[0].title))}")
    lines = [line for plan in plans for line in item_lines(plan, clean)]
    for line in lines[:REMINDED]:
        terminal.show(display.clip(line, terminal.columns))
    if len(lines) > REMINDED:
        terminal.show(f"  … and {len(lines) - REMINDED:,} more, as above")


def _expect(terminal: Terminal, question: str, answer: str) -> None:
    if terminal.ask(question) != answer:
        raise Declined("Cancelled; nothing was written.")


def see_to_owners(opened: Opened, requests: Sequence[Request], out: Output, *, dry_run: bool) -> None:
    """An owner-only action on a root without owners names one first; on one with unconfirmed owners it stops."""
    if not any(isinstance(request, OWNERS_ONLY) for request in requests):
        return
    state = opened.snapshot.binding.owners_state
    if state == "unconfirmed":
        raise unconfirmed(opened)
    if state != "none":
        return
    if dry_run:
        raise NotAuthorised(
            "This takes an owner, and the root has none.",
            where=opened.store.name,
            remedy="Name one with `assay owner add NAME`.",
        )
    with _terminal("Naming an owner") as terminal:
        terminal.show("This takes an owner, and the root has none. An owner withdraws, reinstates and approves here.")
        name = terminal.ask(f"Name to own it under (you are the user {opened.user}), or nothing to cancel:")
    if not name:
        raise Declined("Cancelled; nothing was written.")
    name_owner(opened, NameOwner(name=name, user=opened.user), out)


def unconfirmed(opened: Opened) -> NotAuthorised:
    """The error for an owner's action where the declared owners count for nothing yet."""
    return NotAuthorised(
        "The owners that this root declares are not confirmed on this machine.",
        where=opened.store.name,
        remedy="See them and confirm them with `assay owner confirm`.",
    )


def name_owner(opened: Opened, request: NameOwner, out: Output) -> Receipt:
    """Name an owner, asking at the terminal; they count on this machine from now on."""
    plan = opened.engine.plan(request, opened.actor, opened.reading)
    receipt = decide(opened, plan, out)
    opened.read_again()
    return receipt
