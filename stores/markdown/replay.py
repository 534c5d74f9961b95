"""The replay records: `log/YYYY-MM.jsonl`, one event a line (§7.1 capability 5).

A line is a JSON object in UTF-8. Keys are those of `core.events.Event`; what is absent or empty is left out. Whatever a
terminal, an editor or a line splitter could act on (controls, NEL, U+2028/9, bidi marks, lone surrogates) is escaped,
so that one event is one line to every reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.controls import ControlRecord, Scope, Tombstone
from core.events import Decision, Event, FieldChange, ItemChange
from core.findings import Finding
from core.items import FieldValue, Place, Record
from core.vocabulary import Severity
from stores.markdown.blocks import LineNumbers
from stores.markdown.document import BOM
from stores.markdown.spans import split_lines

_ESCAPED = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_CATEGORIES = ("memory_item_ids", "archive_refs", "source_or_run_refs")


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """One file of replay records, in the order of its lines; the controls and tombstones know their place."""

    path: str
    events: tuple[Event, ...] = ()
    findings: tuple[Finding, ...] = ()


def encode_event(event: Event) -> bytes:
    """The event as one line, newline included. `decode_event` gives the same event back, places apart."""
    text = json.dumps(_plain(event), ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode("utf-8") + b"\n"


def decode_event(line: bytes) -> Event:
    """The event that a line holds; unknown keys are ignored. Raises `ValueError` where it holds none."""
    try:
        value = json.loads(line.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    for name in ("id", "type"):
        if not isinstance(value.get(name), str) or not value[name]:
            raise ValueError(f"no {name}")
    try:
        return _event(value)
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError("not of the shape of an event") from error


def parse_replay(path: str, data: bytes) -> ReplayPage:
    """Read a file of replay records. Never raises; a line that holds no event is a finding."""
    events: list[Event] = []
    findings: list[Finding] = []
    numbers = LineNumbers(data)
    start = len(BOM) if data.startswith(BOM) else 0
    for line in split_lines(data, start):
        content = data[line.start : line.end].strip(b" \t")
        if not content:
            continue
        place = Place(path, numbers.at(line.start))
        try:
            events.append(_placed(decode_event(content), place))
        except ValueError as error:
            findings.append(
                Finding(
                    "replay-line-broken",
                    Severity.ERROR,
                    f"A replay record cannot be read: {_reason(error)}.",
                    file=path,
                    line=place.line,
                    remedy="Restore the line from version control or a backup.",
                )
            )
    return ReplayPage(path, tuple(events), tuple(findings))


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at column {error.colno}"
    return "it is no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def _placed(event: Event, place: Place) -> Event:
    if event.control is not None:
        event = replace(event, control=replace(event.control, places=(place,)))
    if event.tombstone is not None:
        event = replace(event, tombstone=replace(event.tombstone, place=place))
    return event


def _plain(event: Event) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": event.id,
        "type": event.type,
        "at": event.at,
        "actor": event.actor,
        "summary": event.summary,
        "items": [_plain_item(item) for item in event.items],
        "control": _plain_control(event.control) if event.control else None,
        "tombstone": _plain_tombstone(event.tombstone) if event.tombstone else None,
        "undoes": event.undoes,
        "decision": [event.decision.by, event.decision.at, event.decision.plan] if event.decision else None,
        "command": event.command,
        "detail": dict(event.detail),
    }
    return {name: one for name, one in value.items() if one not in (None, [], {})}


def _plain_item(item: ItemChange) -> dict[str, Any]:
    value: dict[str, Any] = {"id": item.id, "fields": [_plain_change(change) for change in item.fields]}
    if item.record is not None:
        value["record"] = dict(item.record)
    if item.corrections:
        value["corrections"] = [_plain_change(change) for change in item.corrections]
    return value


def _plain_change(change: FieldChange) -> list[object]:
    return [change.name, change.before, change.after]


def _plain_control(control: ControlRecord) -> dict[str, Any]:
    scope = {name: sorted(getattr(control.scope, name)) for name in _CATEGORIES}
    value: dict[str, Any] = {
        "withdrawal_id": control.withdrawal_id,
        "record_type": control.record_type,
        "action": control.action,
        "scope": {name: values for name, values in scope.items() if values},
        "reason": control.reason,
        "decided_by": control.decided_by,
        "decided_at": control.decided_at,
        "effect": control.effect,
    }
    if control.supersedes:
        value["supersedes"] = list(control.supersedes)
    if control.unreadable is not None:
        value["unreadable"] = control.unreadable
    return value


def _plain_tombstone(tombstone: Tombstone) -> dict[str, Any]:
    return {
        "erasure_id": tombstone.erasure_id,
        "scope_refs": list(tombstone.scope_refs),
        "authority_ref": tombstone.authority_ref,
        "decided_at": tombstone.decided_at,
        "executed_at": tombstone.executed_at,
        "holders": [list(holder) for holder in tombstone.holders],
        "sanitized_replacement_refs": list(tombstone.sanitized_replacement_refs),
    }


def _event(value: Mapping[str, Any]) -> Event:
    decision = value.get("decision")
    control = value.get("control")
    tombstone = value.get("tombstone")
    return Event(
        id=value["id"],
        type=value["type"],
        at=_text(value.get("at")),
        actor=_text(value.get("actor")),
        summary=_text(value.get("summary")),
        items=tuple(_item(item) for item in value.get("items") or ()),
        control=_control(control) if control else None,
        tombstone=_tombstone(tombstone) if tombstone else None,
        undoes=_optional(value.get("undoes")),
        decision=Decision(*(_text(part) for part in decision)) if decision else None,
        command=_optional(value.get("command")),
        detail=_record(value.get("detail") or {}),
    )


def _item(value: Mapping[str, Any]) -> ItemChange:
    record = value.get("record")
    return ItemChange(
        id=_text(value["id"]),
        fields=tuple(_change(change) for change in value.get("fields") or ()),
        record=_record(record) if record is not None else None,
        corrections=tuple(_change(change) for change in value.get("corrections") or ()),
    )


def _change(value: Any) -> FieldChange:
    name, before, after = value
    return FieldChange(
        _text(name),
        None if before is None else _field(before),
        None if after is None else _field(after),
    )


def _record(value: Mapping[str, Any]) -> Record:
    return {_text(name): _field(one) for name, one in value.items() if one is not None}


def _field(value: Any) -> FieldValue:
    return tuple(_text(one) for one in value) if isinstance(value, list) else _text(value)


def _text(value: Any) -> str:
    """A scalar as text; other readers may have written a number where a text belongs."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError("no scalar")


def _optional(value: Any) -> str | None:
    return None if value is None else _text(value)


def _control(value: Mapping[str, Any]) -> ControlRecord:
    scope = value.get("scope") or {}
    unreadable = _optional(value.get("unreadable"))
    unknown = sorted(set(scope) - set(_CATEGORIES))
    if unknown and unreadable is None:
        unreadable = f"the selector {unknown[0]} is not known"
    return ControlRecord(
        withdrawal_id=_text(value.get("withdrawal_id")),
        action=_text(value.get("action")),
        scope=Scope(**{name: frozenset(_texts(scope.get(name))) for name in _CATEGORIES}),
        reason=_text(value.get("reason")),
        decided_by=_text(value.get("decided_by")),
        decided_at=_text(value.get("decided_at")),
        effect=_text(value.get("effect")),
        supersedes=_texts(value.get("supersedes")),
        record_type=_text(value.get("record_type")) or "withdrawal-control-v1",
        unreadable=unreadable,
    )


def _tombstone(value: Mapping[str, Any]) -> Tombstone:
    return Tombstone(
        erasure_id=_text(value.get("erasure_id")),
        scope_refs=_texts(value.get("scope_refs")),
        authority_ref=_text(value.get("authority_ref")),
        decided_at=_text(value.get("decided_at")),
        executed_at=_text(value.get("executed_at")),
        holders=tuple(_holder(holder) for holder in value.get("holders") or ()),
        sanitized_replacement_refs=_texts(value.get("sanitized_replacement_refs")),
    )


def _holder(value: Any) -> tuple[str, str, str | None]:
    ref, result, limitation = value
    return _text(ref), _text(result), _optional(limitation)


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(_text(one) for one in value)
