"""The operation log (§7.1 capability 5): the readable line, the records the protocol wants there, the replay record."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.changes import AppendEvent
from core.controls import ControlRecord, Tombstone
from core.errors import WriteRefused
from core.events import Event
from core.items import FieldValue
from core.places import LOG, LOG_FOLDER
from core.vocabulary import EventType
from stores.markdown.blocks import NEWLINE
from stores.markdown.damage import byte_damage, line_of
from stores.markdown.log import parse_log
from stores.markdown.project_files import Files
from stores.markdown.project_page import Lead, Page, dominant_eol, ends_line
from stores.markdown.replay import encode_event
from stores.markdown.yaml_text import Value, fence, mapping

TITLE = b"# Log"
INDENT = "  "

SUPERSEDE_FIELDS = ("subject", "prior_id", "prior_date", "prior_value", "new_id", "new_date", "new_value")
"""What the log says of a supersede (§14.2), in this order."""

_OWN_RECORDS = re.compile(
    rb"^- \[[^\r\n]*(?:\r\n|\n)(?:  (`{3,})yaml(?:\r\n|\n)(?:  [^\r\n]*(?:\r\n|\n))*?  \1(?:\r\n|\n))+", re.MULTILINE
)
"""Entries with their records as they are written here: their fences are closed."""

_OPENER = re.compile(rb"`{3}|~{3}|<!--")
_ENTRY = re.compile(rb"^- \[(\d{4}-\d{2}-\d{2})", re.MULTILINE)
_HEADING = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*(#{1,6}[ \t][^\r\n]*)")
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def append_event(files: Files, change: AppendEvent) -> None:
    """Append one event to log.md and to the month's replay file.

    A log.md that would grow beyond the binding's limit moves, whole, to `log/`, and begins anew. Where log.md cannot
    be written, a control record goes to a file of its own in `log/` (§12.2: it always commits); any other event is
    refused with `WriteRefused`.
    """
    event = change.event
    entry = entry_lines(event)
    try:
        _append_entry(files, event, entry)
    except WriteRefused:
        if event.control is None:
            raise
        _control_file(files, event, entry)
    _append_replay(files, event)


def entry_lines(event: Event) -> tuple[str, ...]:
    """The event's bullet and the records beneath it, without line ends."""
    lines = [f"- [{_shown(event.at)}] {_shown(event.type)} ({_shown(event.id)}) by {_shown(event.actor)}"]
    if summary := _shown(event.summary):
        lines[0] += f" — {summary}"
    for record in _records(event):
        body = mapping(record, indent=INDENT)
        mark = fence(body)
        lines += [f"{INDENT}{mark}yaml", *body, f"{INDENT}{mark}"]
    return tuple(lines)


def control_fields(record: ControlRecord) -> dict[str, Value]:
    """A WithdrawalRecord's fields in the order of §12.2."""
    fields: dict[str, Value] = {
        "withdrawal_id": record.withdrawal_id,
        "record_type": record.record_type,
        "action": record.action,
        "scope": {
            name: sorted(getattr(record.scope, name))
            for name in ("memory_item_ids", "archive_refs", "source_or_run_refs")
        },
        "reason": record.reason,
        "decided_by": record.decided_by,
        "decided_at": record.decided_at,
        "effect": record.effect,
    }
    if record.supersedes:
        fields["supersedes"] = record.supersedes[0] if len(record.supersedes) == 1 else record.supersedes
    return fields


def tombstone_fields(tombstone: Tombstone) -> dict[str, Value]:
    """An erasure tombstone's fields in the order of §12.3."""
    holders = []
    for holder, result, limitation in tombstone.holders:
        limit = {"limitation_ref": limitation} if limitation is not None else {}
        holders.append({"holder_ref": holder, "result": result, **limit})
    return {
        "erasure_id": tombstone.erasure_id,
        "record_type": "erasure-tombstone-v1",
        "scope_refs": tombstone.scope_refs,
        "authority_ref": tombstone.authority_ref,
        "decided_at": tombstone.decided_at,
        "executed_at": tombstone.executed_at,
        "holders": holders,
        "sanitized_replacement_refs": tombstone.sanitized_replacement_refs,
    }


def _records(event: Event) -> list[Mapping[str, Value]]:
    """What stands beneath the bullet: the control record, a supersede's rows, a tombstone, and nothing else."""
    records: list[Mapping[str, Value]] = []
    if event.control is not None:
        records.append(control_fields(event.control))
    if event.type == EventType.SUPERSEDE or "prior_value" in event.detail:
        rows = {name: _text(event.detail[name]) for name in SUPERSEDE_FIELDS if name in event.detail}
        if rows:
            records.append(rows)
    if event.tombstone is not None:
        records.append(tombstone_fields(event.tombstone))
    return records


def _append_entry(files: Files, event: Event, entry: tuple[str, ...]) -> None:
    page = files.page(LOG)
    eol = page.eol
    text = eol.join(line.encode() for line in entry) + eol
    _check_readable(page, event, text)
    limit = files.snapshot.binding.limits.log_bytes
    if _ENTRY.search(page.data) and len(page.data) + len(text) > limit:
        _rotate(files, page, event, text)
        return
    if page.before is None:
        page.insert(0, TITLE + b"\n", bound=False)
    page.insert(len(page.data), text, lead=_lead(page), bound=False)


def _check_readable(page: Page, event: Event, text: bytes) -> None:
    """Raises `WriteRefused` where what is appended to the log would be taken for a part of what stands there."""
    unwritable, damage = byte_damage(page.path, page.data)
    if unwritable:
        raise WriteRefused(
            f"The log is not written: {unwritable}.", where=f"{page.path}:{damage[0].line}", remedy=damage[0].remedy
        )
    if _OPENER.search(_OWN_RECORDS.sub(b"", page.data)) is None:
        return
    open_fence = parse_log(page.path, page.data).open_fence
    if open_fence is None:
        return
    # One that a record left open, cut in its bullet, ends where the next bullet begins.
    after = parse_log(page.path, page.data + (b"" if ends_line(page.data) else page.eol) + text)
    if after.entries and after.entries[-1].id == event.id:
        return
    raise WriteRefused(
        "The log is not written: a fence or comment that opens here is never closed.",
        where=f"{page.path}:{line_of(page.data, open_fence)}",
        remedy="Close it in an editor, then try again.",
    )


def _rotate(files: Files, page: Page, event: Event, text: bytes) -> None:
    """Move the whole log to a segment, and begin it anew with a pointer there."""
    days = [day.decode() for day in _ENTRY.findall(page.data)] or [event.at[:10]]
    stem = f"{LOG_FOLDER}/log-{min(days)}-{max(days)}"
    segment, number = f"{stem}.md", 1
    while files.bytes_of(segment) is not None or segment in files.snapshot.files:
        number += 1
        segment = f"{stem}-{number}.md"
    files.page(segment).insert(0, page.data, bound=False)
    eol = dominant_eol(page.data)
    heading = _HEADING.match(page.data)
    title = heading[1] if heading else TITLE
    pointer = f"Earlier entries: [{segment}]({segment})".encode()
    page.replace(0, len(page.data), eol.join([title, b"", pointer, b"", text]))


def _control_file(files: Files, event: Event, entry: tuple[str, ...]) -> None:
    assert event.control is not None
    path = f"{LOG_FOLDER}/control-{event.control.withdrawal_id}.md"
    page = files.page(path)
    if page.before is None:
        page.insert(0, TITLE + b"\n", bound=False)
    page.insert(len(page.data), "\n".join([*entry, ""]).encode(), lead=Lead.BLANK, bound=False)


def _append_replay(files: Files, event: Event) -> None:
    line = encode_event(event)
    data = line if isinstance(line, bytes) else line.encode()
    try:
        page = files.page(f"{LOG_FOLDER}/{event.at[:7]}.jsonl")
    except WriteRefused:
        if event.control is None:
            raise
        page = files.page(f"{LOG_FOLDER}/{event.at[:7]}-{event.control.withdrawal_id}.jsonl")
    page.insert(len(page.data), data.rstrip(b"\n") + b"\n", lead=Lead.LINE, bound=False)


def _lead(page: Page) -> Lead:
    """A blank line in front of the entry, except behind another entry."""
    last = page.data.rstrip(b" \t\r\n")
    line_ends = [match.end() for match in NEWLINE.finditer(last)]
    line = last[line_ends[-1] if line_ends else 0 :]
    return Lead.LINE if line.startswith((b"- ", b" ", b"\t")) else Lead.BLANK


def _shown(text: str) -> str:
    """`text` as a part of the bullet's line: no line break, and nothing that would open a comment."""
    return _UNSHOWN.sub(" ", text).replace("<!--", "&lt;!--").strip()


def _text(value: FieldValue) -> str:
    return value if isinstance(value, str) else ", ".join(value)
