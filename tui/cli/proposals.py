"""proposals, propose, approve, reject: from memory to a standing rule, by a recorded decision alone (§17, §23.5)."""

from __future__ import annotations

import argparse

from core.changes import ChangeSet, FileDiff
from core.commands.promotion import PENDING, rule_of
from core.errors import AssayError, ItemNotFound
from core.promotion import Support, deciders, eligibility, out_of_reach, rule_target, supports
from core.requests import Approve, Propose, Reject
from core.snapshot import Proposal, Snapshot
from tui import display
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.decide import cleaner
from tui.cli.editor import edit
from tui.cli.opened import Opened
from tui.cli.output import Json, Output
from tui.cli.parser import add_reading, add_writing, nearest
from tui.cli.preview import diff_lines
from tui.cli.shapes import place_json
from tui.cli.writing import writing


def _proposals_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also those that are decided")
    add_reading(parser)


def _proposals(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    shown = [one for one in opened.snapshot.proposals if args.all or one.status == PENDING]
    values = [proposal_json(proposal, opened, out) for proposal in shown]
    if out.json:
        out.data(values)
        return exits.OK
    if not values:
        out.nothing("no proposal waits for a decision." if opened.snapshot.proposals else "nothing was proposed.")
    for proposal in shown:
        _print(proposal, opened, out)
    return exits.OK


def proposal_json(proposal: Proposal, opened: Opened, out: Output) -> dict[str, Json]:
    """The fields of §23.5 (`proposal_id, target, proposed_change, supporting_refs [{ref, found, withdrawn, item, why}],
    expected_benefit, risk, status`), `place, eligible, why, decides [owner names], file, diff, refused`.

    `file` is where its rule would be written, `diff` what that changes; `refused` says why it cannot be written.
    Both are null where it is decided already.
    """
    clean = cleaner(opened, out)
    found = supports(proposal, opened.snapshot, opened.reading.influence)
    enough = eligibility(found)
    diff, refused = _rule_diff(proposal, opened)
    return {
        "proposal_id": proposal.proposal_id,
        "target": clean(proposal.target),
        "proposed_change": clean(proposal.proposed_change),
        "supporting_refs": [_support_json(support) for support in found],
        "expected_benefit": clean(proposal.expected_benefit),
        "risk": clean(proposal.risk),
        "status": proposal.status,
        "place": place_json(proposal.place),
        "eligible": enough.eligible,
        "why": enough.why,
        "decides": [owner.name for owner in deciders(found, opened.snapshot)],
        "file": rule_target(proposal.target, opened.snapshot.binding),
        "diff": None if diff is None else "\n".join(diff_lines(diff, clean)),
        "refused": refused,
    }


def _support_json(support: Support) -> dict[str, Json]:
    return {
        "ref": support.ref,
        "found": support.found,
        "withdrawn": support.withdrawn,
        "item": support.item.key if support.item is not None else None,
        "why": support.reason,
    }


def _rule_diff(proposal: Proposal, opened: Opened) -> tuple[FileDiff | None, str | None]:
    """What its rule would do to its target, and why it cannot be written there; neither for one that is decided."""
    if proposal.status != PENDING:
        return None, None
    file = rule_target(proposal.target, opened.snapshot.binding)
    if file is None:
        return None, "Its target names no file that a rule may be written to."
    barred = out_of_reach(file, opened.snapshot.binding)
    if barred is not None:
        return None, " ".join(barred)
    try:
        diffs = opened.store.preview(ChangeSet((rule_of(proposal, file),)), opened.snapshot)
    except AssayError as error:
        return None, str(error)
    return next(iter(diffs), None), None


def _print(proposal: Proposal, opened: Opened, out: Output) -> None:
    clean = cleaner(opened, out)
    found = supports(proposal, opened.snapshot, opened.reading.influence)
    enough = eligibility(found)
    out.line(display.one_line(f"{proposal.proposal_id}   {proposal.status or 'no status'}   {proposal.place}"))
    for name, text in (
        ("target", proposal.target),
        ("change", proposal.proposed_change),
        ("benefit", proposal.expected_benefit),
        ("risk", proposal.risk),
    ):
        out.line(f"  {display.pad(name, 9)}{display.one_line(clean(text))}")
    for number, support in enumerate(found):
        state = "withdrawn" if support.withdrawn else "found" if support.found else "not found"
        because = f": {support.reason}" if support.reason and support.reason != state else ""
        name = "rests on" if number == 0 else ""
        out.line(f"  {display.pad(name, 9)}{display.one_line(clean(support.ref))}   {state}{clean(because)}")
    out.line(f"  {display.pad('eligible', 9)}{'yes' if enough.eligible else 'no'}: {display.one_line(enough.why)}")
    names = ", ".join(owner.name for owner in deciders(found, opened.snapshot))
    if names and opened.snapshot.binding.owners_state == "unconfirmed":
        names += ", once confirmed on this machine: `assay owner confirm`"
    out.line(f"  {display.pad('decides', 9)}{display.one_line(names) or 'nobody here yet: `assay owner add NAME`'}")
    diff, refused = _rule_diff(proposal, opened)
    if refused is not None:
        out.line(f"  {display.pad('refused', 9)}{display.one_line(clean(refused))}")
    if diff is not None:
        for line in diff_lines(diff, clean):
            out.line(f"  {line}")
    out.line()


def _propose_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", required=True, metavar="TARGET", help="conventions, or a hot entry of assay.toml")
    parser.add_argument("--change", required=True, metavar="TEXT", help="the rule, in one line")
    parser.add_argument(
        "--ref",
        required=True,
        nargs="+",
        action="extend",
        metavar="REF",
        help="what it rests on: ids, archive references, or a statement",
    )
    parser.add_argument("--benefit", required=True, metavar="TEXT", help="what it is good for")
    parser.add_argument("--risk", required=True, metavar="TEXT", help="what it may cost")
    add_writing(parser)


def _propose(opened: Opened, args: argparse.Namespace) -> Propose:
    return Propose(args.target, args.change, tuple(args.ref), args.benefit, args.risk)


def _approve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("proposal", metavar="PROPOSAL", help="its id")
    text = parser.add_mutually_exclusive_group()
    text.add_argument("--text", metavar="TEXT", help="the rule as it is to be written, in place of the proposed one")
    text.add_argument("--edit", action="store_true", help="edit the rule first, in VISUAL or EDITOR")
    add_writing(parser)


def _approve(opened: Opened, args: argparse.Namespace) -> Approve:
    proposal = _known(opened.snapshot, args.proposal)
    if not args.edit:
        return Approve(proposal.proposal_id, args.text)
    found = supports(proposal, opened.snapshot, opened.reading.influence)
    notes = [
        f"The rule of {rule_target(proposal.target, opened.snapshot.binding) or proposal.target}, on one line.",
        "",
        f"benefit: {proposal.expected_benefit}",
        f"risk: {proposal.risk}",
        *(f"rests on: {support.ref}{'' if support.found else ' (not found)'}" for support in found),
    ]
    return Approve(proposal.proposal_id, edit(proposal.proposed_change, notes, what="The rule"))


def _reject_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("proposal", metavar="PROPOSAL", help="its id")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why, in one line; it stays on file")
    add_writing(parser)


def _reject(opened: Opened, args: argparse.Namespace) -> Reject:
    return Reject(_known(opened.snapshot, args.proposal).proposal_id, args.reason)


def _known(snapshot: Snapshot, name: str) -> Proposal:
    """The proposal named. Raises `ItemNotFound`."""
    for proposal in snapshot.proposals:
        if proposal.proposal_id == name:
            return proposal
    near = nearest(name, [proposal.proposal_id for proposal in snapshot.proposals])
    raise ItemNotFound(
        f"No such proposal; did you mean {near}?" if near else "No such proposal.",
        where=name,
        remedy="`assay proposals` lists them.",
    )


COMMANDS = {
    "proposals": Command(
        usage="[--all] [--json]",
        description=(
            "What is proposed as a standing rule: what it rests on, whether that is enough, who decides, and what it\n"
            "would write where. Evidence makes a rule eligible; only a decision writes it."
        ),
        examples=("proposals", "proposals --all --json"),
        arguments=_proposals_arguments,
        run=_proposals,
    ),
    "propose": writing(
        usage="--target TARGET --change TEXT --ref REF... --benefit TEXT --risk TEXT [--dry-run] [--json]",
        description="Propose a standing rule. It waits for an owner's decision, and authorises nothing.",
        examples=(
            "propose --target conventions --change 'Back the database up before each deploy.' "
            "--ref mem-2026-05-20-002 archive/2026-05-20.md#run-8 --benefit 'no lost data' --risk 'slower deploys'",
        ),
        arguments=_propose_arguments,
        request=_propose,
    ),
    "approve": writing(
        usage="PROPOSAL [--text TEXT | --edit] [--dry-run] [--json]",
        description="Approve a proposal: the decision is recorded, and its rule written to its target. Owners only.",
        examples=(
            "approve mempolicy-2026-07-15-001 --dry-run",
            "approve mempolicy-2026-07-15-001",
            "approve mempolicy-2026-07-15-001 --text 'Verify live when a source is older than 30 days.'",
            "approve mempolicy-2026-07-15-001 --edit",
        ),
        arguments=_approve_arguments,
        request=_approve,
    ),
    "reject": writing(
        usage="PROPOSAL --reason TEXT [--dry-run] [--json]",
        description="Reject a proposal; it stays on file with the reason. Owners only.",
        examples=("reject mempolicy-2026-07-15-001 --reason 'one graph is no rule'",),
        arguments=_reject_arguments,
        request=_reject,
    ),
}
