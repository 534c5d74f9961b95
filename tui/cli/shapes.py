"""The JSON of every read: the names are stable; new ones may be added."""

from __future__ import annotations

from core.conflicts import Conflict
from core.eligibility import ControlView
from core.events import LogEntry
from core.findings import Finding
from core.items import MemoryItem, Place
from core.reading import Reading
from core.snapshot import Snapshot
from core.validation import Check
from tui.cli.output import Json
from tui.cli.withheld import Withheld


def item_json(item: MemoryItem, reading: Reading, withheld: Withheld) -> dict[str, Json]:
    """`id, key, date, kind, text, withheld, subject, scope, status, superseded_by, confidence, source, standing, place
    {file, line, section}, influence {eligible, by, why}`; further fields of §9 where the item has them.

    `text` is null and `withheld` true where a control record excludes the item; a Source in free words then is, too.
    `kind` and `status` are as written where they are no token.
    """
    verdict = reading.influence.verdict(item.key)
    value: dict[str, Json] = {
        "id": item.id,
        "key": item.key,
        "date": item.date,
        "kind": item.kind.value if item.kind else item.kind_text,
        "text": withheld.text(item),
        "withheld": not verdict.eligible,
        "subject": item.subject,
        "scope": item.scope,
        "status": item.status.value if item.status else item.status_text,
        "superseded_by": item.superseded_by,
        "confidence": item.confidence,
        "source": withheld.source(item),
        "standing": item.standing.value,
        "place": place_json(item.place),
        "influence": {"eligible": verdict.eligible, "by": list(verdict.by), "why": verdict.why},
    }
    more: dict[str, Json] = {
        "merged_into": item.merged_into,
        "conflicts_with": list(item.conflicts_with),
        "inspired_by": item.inspired_by,
        "corroborating_refs": list(item.corroborating_refs),
        "marker": item.marker,
        "extra": dict(item.extra) if verdict.eligible else None,
    }
    return value | {name: part for name, part in more.items() if part}


def place_json(place: Place) -> dict[str, Json]:
    """`file, line, section`."""
    return {"file": place.file, "line": place.line, "section": place.section}


def finding_json(finding: Finding, snapshot: Snapshot, withheld: Withheld) -> dict[str, Json]:
    """`code, severity, file, line, item, key, message, remedy, command`; `item` is an id, `key` the item's key."""
    bearer = snapshot.by_key.get(finding.item) if finding.item else None
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "file": finding.file,
        "line": finding.line,
        "item": finding.id or (bearer.id if bearer else None),
        "key": finding.item,
        "message": withheld.scrub(finding.message),
        "remedy": withheld.scrub(finding.remedy),
        "command": finding.command,
    }


def conflict_json(conflict: Conflict, withheld: Withheld) -> dict[str, Json]:
    """`type, subject, rows [ids], message, suggested, acknowledged, files`; a row without a sole id is its key."""
    return {
        "type": conflict.type,
        "subject": conflict.subject,
        "rows": list(conflict.rows),
        "message": withheld.scrub(conflict.message),
        "suggested": conflict.suggested,
        "acknowledged": conflict.acknowledged,
        "files": list(conflict.files),
    }


def control_json(view: ControlView, snapshot: Snapshot) -> dict[str, Json]:
    """`withdrawal_id, action, scope {memory_item_ids, archive_refs, source_or_run_refs}, reason, supersedes,
    decided_by, decided_at, effect, state, why, unreadable, excludes [ids]`."""
    record = view.record
    return {
        "withdrawal_id": record.withdrawal_id,
        "action": record.action,
        "scope": {
            "memory_item_ids": sorted(record.scope.memory_item_ids),
            "archive_refs": sorted(record.scope.archive_refs),
            "source_or_run_refs": sorted(record.scope.source_or_run_refs),
        },
        "reason": record.reason,
        "supersedes": list(record.supersedes),
        "decided_by": record.decided_by,
        "decided_at": record.decided_at,
        "effect": record.effect,
        "state": view.state.value,
        "why": view.reason,
        "unreadable": record.unreadable,
        "excludes": excluded_ids(view, snapshot),
    }


def excluded_ids(view: ControlView, snapshot: Snapshot) -> list[str]:
    """The ids (a key where there is none) of what the record excludes now, each once, in reading order."""
    bearers = ((key, snapshot.by_key.get(key)) for key in view.excludes)
    return list(dict.fromkeys((item.id if item else None) or key for key, item in bearers))


def check_json(check: Check) -> dict[str, Json]:
    """`number, level, title, result, evidence, remedy`."""
    return {
        "number": check.number,
        "level": check.level.value,
        "title": check.title,
        "result": check.result.value,
        "evidence": check.evidence,
        "remedy": check.remedy,
    }


def entry_json(entry: LogEntry, items: list[str], withheld: Withheld) -> dict[str, Json]:
    """`id, type, at, actor, summary, items [ids], place, record`; `type` is '' for a line that is no event."""
    return {
        "id": entry.id,
        "type": entry.type,
        "at": entry.at,
        "actor": entry.actor,
        "summary": withheld.scrub(entry.summary),
        "items": list(items),
        "place": place_json(entry.place),
        "record": None if entry.record is None else withheld.scrub(entry.record),
    }
