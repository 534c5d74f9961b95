"""findings and conflicts: what the review found (§16)."""

from __future__ import annotations

import argparse

from core.conflicts import Conflict
from core.findings import Finding
from core.vocabulary import Severity
from tui import display
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.items import status_of
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_reading
from tui.cli.shapes import conflict_json, finding_json
from tui.cli.withheld import MARK, Withheld


def _findings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="exit 1 where there is an error or a warning")
    parser.add_argument("--code", metavar="CODE", help="findings of one code")
    add_reading(parser)


def _findings(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    withheld = Withheld(opened.reading)
    found = [finding for finding in opened.reading.findings if args.code in (None, finding.code)]
    if out.json:
        out.data([finding_json(finding, opened.snapshot, withheld) for finding in found])
    else:
        if not found:
            out.nothing("nothing was found.")
        out.table([_row(finding, withheld, out) for finding in found])
    serious = any(finding.severity is not Severity.NOTICE for finding in found)
    return exits.FOUND if args.strict and serious else exits.OK


def _row(finding: Finding, withheld: Withheld, out: Output) -> list[str]:
    place = finding.file or finding.id or "root"
    if finding.file and finding.line is not None:
        place = f"{finding.file}:{finding.line}"
    remedy = f"  {finding.remedy}" if finding.remedy else ""
    return [
        finding.severity.value,
        finding.code,
        out.one_line(place),
        out.one_line(withheld.scrub(finding.message + remedy)),
    ]


def _conflicts_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading(parser)


def _conflicts(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    withheld = Withheld(opened.reading)
    conflicts = opened.reading.conflicts
    if out.json:
        out.data([conflict_json(conflict, withheld) for conflict in conflicts])
        return exits.OK
    if not conflicts:
        out.nothing("no rows contradict each other.")
    for conflict in conflicts:
        _print(conflict, opened, withheld, out)
    return exits.OK


def _print(conflict: Conflict, opened: Opened, withheld: Withheld, out: Output) -> None:
    about = f"   {out.one_line(conflict.subject)}" if conflict.subject else ""
    settled = "   (let stay)" if conflict.acknowledged else ""
    out.line(f"{conflict.type}{about}{settled}")
    rows = [opened.snapshot.by_key[key] for key in conflict.rows if key in opened.snapshot.by_key]
    out.table(
        [
            [
                display.one_line(row.date or "no date"),
                display.one_line(row.key),
                out.label(status_of(row, withheld)),
                out.one_line(str(row.place)),
                MARK if (text := withheld.text(row)) is None else out.one_line(text),
            ]
            for row in rows
        ],
        indent="  ",
    )
    for file in conflict.files:
        out.line(f"  {out.one_line(file)}")
    out.line(f"  {out.one_line(withheld.scrub(conflict.message))}")
    if conflict.suggested:
        out.line(f"  suggested as current: {display.one_line(conflict.suggested)}")
    out.line()


COMMANDS = {
    "findings": Command(
        usage="[--strict] [--code CODE] [--json]",
        description="Everything the review found, errors first, then by place.",
        examples=("findings", "findings --strict --json", "findings --code no-source"),
        arguments=_findings_arguments,
        run=_findings,
    ),
    "conflicts": Command(
        usage="[--json]",
        description="Rows that contradict each other, with both sides, their dates and places.",
        examples=("conflicts", "conflicts --json"),
        arguments=_conflicts_arguments,
        run=_conflicts,
    ),
}
