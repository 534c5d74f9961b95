"""status and check: the root at a glance, and the validation checklist (§21)."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from core.review import oldest_wait
from core.vocabulary import CheckResult, ControlState, Level, Severity
from tui import display
from tui.cli import exits
from tui.cli.commands import Command
from tui.cli.opened import Opened
from tui.cli.output import Output
from tui.cli.parser import add_reading
from tui.cli.shapes import check_json

_SIGNS = {
    CheckResult.PASS: ("✓", "+"),
    CheckResult.FAIL: ("✗", "!"),
    CheckResult.NOT_APPLICABLE: ("–", "-"),
    CheckResult.UNEVALUATED: ("·", "."),
}


def _status(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    value = status_json(opened)
    if out.json:
        out.data(value)
        return exits.OK
    for name, text in _lines(value):
        out.line(f"{display.pad(name, 13)}{out.one_line(text)}")
    return exits.OK


def status_json(opened: Opened) -> dict[str, Any]:
    """`root, path, protocol, version, level, timezone, owners [{name, user, scopes}], owners_state, actor, items
    {total, withheld, status {}, kind {}, standing {}}, topics, archive_days, waiting, oldest_wait_days, conflicts,
    unresolved, findings {error, warning, notice}`."""
    reading, snapshot = opened.reading, opened.snapshot
    binding = snapshot.binding
    items = snapshot.items
    severities = Counter(finding.severity.value for finding in reading.findings)
    return {
        "root": opened.store.name,
        "path": opened.path,
        "protocol": binding.protocol,
        "version": binding.version,
        "level": binding.level.value,
        "timezone": binding.timezone,
        "owners": [{"name": owner.name, "user": owner.user, "scopes": list(owner.scopes)} for owner in binding.owners],
        "owners_state": binding.owners_state,
        "actor": str(opened.actor),
        "items": {
            "total": len(items),
            "withheld": sum(not reading.influence.eligible(item.key) for item in items),
            "status": dict(Counter(item.status.value if item.status else "unknown" for item in items)),
            "kind": dict(Counter(item.kind.value if item.kind else "unknown" for item in items)),
            "standing": dict(Counter(item.standing.value for item in items)),
        },
        "topics": len(snapshot.topics),
        "archive_days": len(snapshot.archive),
        "waiting": len(reading.queue),
        "oldest_wait_days": oldest_wait(reading.queue),
        "conflicts": sum(not conflict.acknowledged for conflict in reading.conflicts),
        "unresolved": sum(view.state is ControlState.UNRESOLVED for view in reading.influence.controls),
        "findings": {severity.value: severities[severity.value] for severity in Severity},
    }


def _lines(value: dict[str, Any]) -> list[tuple[str, str]]:
    items, findings, owners = value["items"], value["findings"], value["owners"]
    names = ", ".join(f"{owner['name']} of {', '.join(owner['scopes'])}" for owner in owners)
    days = value["oldest_wait_days"]
    oldest = "" if days is None else f", the oldest for {days} day{'' if days == 1 else 's'}"
    return [
        ("root", f"{value['root']}  ({value['path']})"),
        ("level", f"{value['level']}, version {value['version']}, {value['timezone']}"),
        ("owners", f"{names} ({value['owners_state']})" if names else "none named"),
        ("you are", str(value["actor"])),
        ("items", f"{items['total']}, {items['withheld']} of them withdrawn"),
        ("  by status", _counts(items["status"])),
        ("  by kind", _counts(items["kind"])),
        ("  standing", _counts(items["standing"])),
        ("topics", str(value["topics"])),
        ("archive", f"{value['archive_days']} days"),
        ("waiting", f"{value['waiting']}{oldest}"),
        ("conflicts", str(value["conflicts"])),
        ("unresolved", f"{value['unresolved']} control events"),
        ("findings", _counts(findings)),
    ]


def _counts(table: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in table.items()) or "none"


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading(parser)


def _check(args: argparse.Namespace, out: Output) -> int:
    opened = Opened.of(args)
    checks = opened.reading.checks
    failed = any(check.result is CheckResult.FAIL for check in checks)
    if out.json:
        out.data([check_json(check) for check in checks])
        return exits.FOUND if failed else exits.OK
    for check in checks:
        sign = _SIGNS[check.result][out.ascii_only]
        level = "" if check.level is Level.L0 else f" ({check.level.value}+)"
        out.line(f"{check.number:>2} {sign} {check.result.value:<14} {out.one_line(check.title)}{level}")
        for text in (check.evidence, check.remedy if check.result is not CheckResult.PASS else ""):
            if text:
                out.line(f"{'':>20}{out.one_line(text)}")
    tally = Counter(check.result for check in checks)
    out.line(", ".join(f"{tally[result]} {result.value}" for result in CheckResult) + f"; {len(checks)} checks.")
    return exits.FOUND if failed else exits.OK


COMMANDS = {
    "status": Command(
        usage="[--json]",
        description="The root at a glance: level, owners, counts, and how long the oldest item waits.",
        examples=("status", "status --json", "status --root ~/.kiro/memories"),
        arguments=_check_arguments,
        run=_status,
    ),
    "check": Command(
        usage="[--json]",
        description="The validation checklist. Exits 1 where a check fails. What was not exercised is unevaluated.",
        examples=("check", "check --json"),
        arguments=_check_arguments,
        run=_check,
    ),
}
