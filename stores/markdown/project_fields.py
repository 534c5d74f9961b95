"""Fields of one record (§9): which bytes change when one is set, added or removed, and how a new record is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.errors import WriteRefused
from core.items import FIELDS, LIST_FIELDS, FieldValue, Record
from stores.markdown.blocks import NEWLINE
from stores.markdown.edits import SpanEdit, apply_edits
from stores.markdown.project_page import ends_line
from stores.markdown.spans import FieldSpan, ItemSpan

_ORDER = {name: number for number, name in enumerate(FIELDS)}
_UNSAFE_IN_HEAD = re.compile(r"[.!?。！？;；]\s|[.。！？]\Z|Source\s*[:：]|Subject\s*[:：]")
_TAGGED = re.compile(r"(?:Source|Subject)\s*[:：]")
_BLANKS = b" \t"


class Patch(NamedTuple):
    """An edit within a record, by offsets into its file. `line`: whole lines put between two lines of the record."""

    start: int
    end: int
    replacement: bytes
    line: bool = False


class Style(NamedTuple):
    """How a new record is written: line end, bullet of its head, what its sub-bullets are led by, their bullet."""

    eol: bytes = b"\n"
    bullet: bytes = b"-"
    indent: bytes = b"  "
    sub_bullet: bytes = b"-"


def field_patches(data: bytes, span: ItemSpan, fields: Mapping[str, FieldValue | None]) -> list[Patch]:
    """What to change in `data` so that the record `span` has `fields`; None removes a field.

    In the order of the bytes, except that several additions at one offset stand in canonical order. Values already
    there change nothing. Raises `WriteRefused` for a value that no line can hold.
    """
    patches: list[Patch] = []
    added: dict[str, FieldValue] = {}
    for name, value in fields.items():
        if value is None or value == ():
            patches += _removed(data, span, name)
            continue
        if name not in _ORDER and name not in ("date", "marker"):
            raise ValueError(f"{name} is not set as a field")
        present = span.field(name)
        if present is None:
            if name == "marker":
                patches.append(Patch(span.text_start, span.text_start, _encoded(value, span) + b" "))
            else:
                added[name] = value
        elif name in LIST_FIELDS:
            patches.append(_listed(data, span, present, _entries(value, span)))
        elif present.inline and name in ("subject", "Source") and not _fits_head(value):
            patches += _removed(data, span, name)
            added[name] = value
        else:
            patches += _replaced(data, span, name, present, _encoded(value, span))
    for name in sorted(added, key=_ORDER.__getitem__):
        patches.append(_addition(data, span, name, added[name]))
    patches = [patch for patch in patches if data[patch.start : patch.end] != patch.replacement]
    return sorted(patches, key=lambda patch: (patch.start, patch.end))


def patched(data: bytes, span: ItemSpan, fields: Mapping[str, FieldValue | None]) -> bytes:
    """The record's own bytes with `fields` set."""
    edits = [
        SpanEdit(patch.start - span.start, patch.end - span.start, patch.replacement)
        for patch in field_patches(data, span, fields)
    ]
    return apply_edits(data[span.start : span.end], edits)


def new_record(record: Record, style: Style, *, where: str) -> bytes:
    """A record in the canonical structured form (§9), whole lines.

    A line break in the text begins a new paragraph of it. Raises `WriteRefused` where a value fits no line.
    """
    head = f"[{_line(record.get('date', ''), where)}] "
    if kind := record.get("kind"):
        head += f"({_line(kind, where)}) "
    if marker := record.get("marker"):
        head += f"{_line(marker, where)} "
    text = str(record.get("text", "")).strip("\r\n")
    source = record.get("Source")
    if _TAGGED.search(text) and isinstance(source, str) and _fits_head(source):
        # The last Source of a head is the one that is read, so a text that speaks of one needs the real one behind it.
        text += f" Source: {source}."
    first, *paragraphs = (part.strip(" \t") for part in re.split(r"[\r\n]+", text))
    lines = [style.bullet + b" " + _bytes((head + first).rstrip(" \t"))]
    for paragraph in paragraphs:
        lines += [b"", style.indent + _bytes(paragraph)]
    for name in FIELDS:
        if value := record.get(name):
            lines += _field_lines(name, value, style.indent, style.sub_bullet, style.eol, where).split(style.eol)
    return style.eol.join(lines) + style.eol


def style_like(data: bytes, span: ItemSpan | None, eol: bytes) -> Style:
    """The style of the record `span`, or the canonical one with `eol` where there is none to follow."""
    if span is None:
        return Style(eol)
    line = data[span.start : span.head_end].lstrip(_BLANKS)
    return Style(span.eol, line[:1] if line[:1] in (b"-", b"*", b"+") else b"-", _indent(data, span), span.bullet)


def _replaced(data: bytes, span: ItemSpan, name: str, counts: FieldSpan, value: bytes) -> list[Patch]:
    """Replace the value that counts; `id` and `kind` in the head as well, so that both agree."""
    patches = []
    for field in span.fields:
        if field is counts or (field.name == name and field.inline and name in ("id", "kind")):
            glue = b" " if not field.inline and field.value_start == field.value_end else b""
            if glue and data[field.value_start - 1 : field.value_start] in (b" ", b"\t"):
                glue = b""
            patches.append(Patch(field.value_start, field.value_end, glue + value))
    return patches


def _removed(data: bytes, span: ItemSpan, name: str) -> list[Patch]:
    """Leave out every field of the name: a later one would count once the first is gone."""
    patches = []
    for field in span.fields:
        if field.name != name:
            continue
        end = field.end
        if field.inline and name not in ("subject", "Source") and data[field.start - 1 : field.start] in (b" ", b"\t"):
            while data[end : end + 1] in (b" ", b"\t"):
                end += 1
        patches.append(Patch(field.start, end, b""))
    return patches


def _listed(data: bytes, span: ItemSpan, field: FieldSpan, entries: Sequence[str]) -> Patch:
    """Replace a list: nested bullets keep the style of the first, any other form becomes nested bullets."""
    if field.value_start < field.value_end:
        begin = max(data.rfind(b"\n", 0, field.value_start), data.rfind(b"\r", 0, field.value_start)) + 1
        if begin > field.start:  # the first entry stands on a line of its own
            lead = data[begin : field.value_start]
            joined = (span.eol + lead).join(_bytes(entry) for entry in entries)
            return Patch(field.value_start, field.value_end, joined)
    lines = _field_lines(field.name, tuple(entries), _indent(data, span), span.bullet, span.eol, f"{span.item.place}")
    ended = ends_line(data[field.start : field.end])
    return Patch(field.start, field.end, lines + span.eol if ended else lines)


def _addition(data: bytes, span: ItemSpan, name: str, value: FieldValue) -> Patch:
    """A new sub-bullet, behind the last one that comes before it in canonical order."""
    subs = [field for field in span.fields if not field.inline]
    earlier = [field for field in subs if _ORDER.get(field.name, len(FIELDS)) < _ORDER[name]]
    if earlier:
        at = earlier[-1].end
    elif subs:
        at = subs[0].start
    else:
        at = span.end
    lines = _field_lines(name, value, _indent(data, span), span.bullet, span.eol, f"{span.item.place}")
    return Patch(at, at, lines + span.eol if ends_line(data[:at]) else span.eol + lines, line=True)


def _field_lines(name: str, value: FieldValue, indent: bytes, bullet: bytes, eol: bytes, where: str) -> bytes:
    """The lines of a field, without the last line end."""
    lead = indent + bullet + b" " + name.encode() + b":"
    if name not in LIST_FIELDS:
        return lead + b" " + _bytes(_line(value, where))
    entries = (value,) if isinstance(value, str) else value
    inner = b"\t" if indent.endswith(b"\t") else b"  "
    return eol.join([lead, *(indent + inner + bullet + b" " + _bytes(_line(entry, where)) for entry in entries)])


def _indent(data: bytes, span: ItemSpan) -> bytes:
    """What leads the record's sub-bullets: more than what leads its head."""
    line = data[span.start : span.head_end]
    own = line[: len(line) - len(line.lstrip(_BLANKS))]
    if span.structured or len(span.indent.expandtabs(4)) > len(own.expandtabs(4)) + 1:
        return span.indent
    return own + b"  "


def _fits_head(value: FieldValue) -> bool:
    return isinstance(value, str) and _UNSAFE_IN_HEAD.search(value) is None


def _entries(value: FieldValue, span: ItemSpan) -> tuple[str, ...]:
    entries = (value,) if isinstance(value, str) else value
    return tuple(_line(entry, str(span.item.place)) for entry in entries)


def _encoded(value: FieldValue, span: ItemSpan) -> bytes:
    return _bytes(_line(value, str(span.item.place)))


def _line(value: FieldValue, where: str) -> str:
    """`value` as what one line can hold. Raises `WriteRefused`."""
    text = value if isinstance(value, str) else ", ".join(value)
    if not text or text != text.strip(" \t") or NEWLINE.search(_bytes(text)):
        raise WriteRefused(
            f"The value {text!r} does not fit one line of a record.",
            where=where,
            remedy="Give a value without line breaks, and without blanks around it.",
        )
    return text


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise WriteRefused(
            f"The value {text!r} cannot be written as UTF-8.", remedy="Give it in plain characters."
        ) from None
