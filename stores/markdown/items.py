"""Memory items as people and agents write them (§9, §11): the tolerant grammar, one record at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from core.items import FIELDS, LIST_FIELDS, MemoryItem, Place
from core.vocabulary import Kind, Standing, Status
from stores.markdown.blocks import DATED, NEWLINE, Block, Scanner
from stores.markdown.blocks import Kind as Line
from stores.markdown.damage import is_placeholder
from stores.markdown.head import parse_head, split_inline
from stores.markdown.spans import FieldSpan, ItemSpan, bytes_digest

KNOWN = {name.lower(): name for name in FIELDS}
KINDS = {kind.value: kind for kind in Kind}
STATUSES = {status.value: status for status in Status}
_ATTRIBUTES = tuple((name, name.lower().replace("-", "_")) for name in FIELDS if name not in ("kind", "Status"))
_SCALARS = tuple(pair for pair in _ATTRIBUTES if pair[0] not in LIST_FIELDS)
_LISTS = tuple(pair for pair in _ATTRIBUTES if pair[0] in LIST_FIELDS)

_FIELD = re.compile(
    rb"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\*\*|__|`)?([^\s:`*\[\](){}<>\"'|][^:\r\n`*\[\]]{0,59}?)(?:\*\*|__|`)?"
    rb"[ \t]*(:|\xef\xbc\x9a)(?:\*\*|__)?"
)
_BULLET = re.compile(rb"(?:[-*+]|\d{1,9}[.)])[ \t]*")
_FLOW_LIST = re.compile(r"\[(.*)\]\Z", re.DOTALL)
_NOT_LAZY = (b"<", b">", b"|", b"=")
_BLANKS = b" \t"


class _Field:
    """A field while it is read: its span so far, and the parts of its value."""

    def __init__(self, name: str, start: int, end: int, value: tuple[int, int], text: str) -> None:
        self.name = name
        self.start = start
        self.end = end
        self.value_start, self.value_end = value
        self.text = text
        self.entries: list[str] = []

    def value(self) -> str | tuple[str, ...]:
        """The value as written: of a list field its entries, else the text with nested bullets behind it."""
        if self.name not in LIST_FIELDS:
            return ", ".join([self.text, *self.entries] if self.text else self.entries)
        listed = _FLOW_LIST.match(self.text)
        inner = listed[1] if listed else self.text
        parts = [part.strip() for part in inner.split(",")]
        if not listed and any(" " in part for part in parts):
            parts = [inner]
        bare = (part[1:-1] if len(part) > 1 and part[0] == part[-1] and part[0] in "\"'" else part for part in parts)
        return tuple(part for part in (*bare, *self.entries) if part)

    def span(self) -> FieldSpan:
        """The field's place."""
        return FieldSpan(self.name, self.start, self.end, self.value_start, self.value_end, inline=False)


class RawItem:
    """A record as it stands: spans and texts, nothing judged yet.

    `fields` are the spans in the order of the bytes; `values` the texts of the first sub-bullet of each name, `inline`
    those of the head; `repeated` the spans of later sub-bullets. `stop` is where the last line's content ends.
    """

    def __init__(self, data: bytes, head: Block) -> None:
        parsed = parse_head(data, head.start, head.end)
        assert parsed is not None
        self.data = data
        self.start = head.start
        self.end = head.next
        self.stop = self.head_end = head.end
        self.bullet = parsed.bullet
        self.text_start = self.text_end = parsed.text_start
        self.text = ""
        self.indent = b"  "
        self.fields: tuple[FieldSpan, ...] = parsed.fields
        self.values: dict[str, str | tuple[str, ...]] = {}
        self.inline: dict[str, str] = {}
        self.extra: list[tuple[str, str]] = []
        self.repeated: list[FieldSpan] = []
        self._parts = [(parsed.text_start, head.end)]
        self._subs: list[_Field] = []
        self._column = -1
        self._text_open = True

    def decode(self, start: int, end: int) -> str:
        """The text of a span; bytes that are no UTF-8 are shown as U+FFFD."""
        return self.data[start:end].decode("utf-8", "replace")

    @property
    def lazy(self) -> bool:
        """Whether an unindented line that follows at once would continue the fact."""
        return self._text_open and not self._subs

    def close_text(self) -> None:
        """Fenced lines or a comment end the fact."""
        self._text_open = False

    def continue_with(self, block: Block, *, after_blank: bool) -> None:
        """A further line of the record that is no bullet."""
        if not self._subs:
            if self._text_open:
                self._parts.append((block.body, block.end))
        elif not after_blank:
            field = self._subs[-1]
            text = self.decode(block.body, block.end).strip(" \t")
            if field.entries:
                field.entries[-1] += " " + text
            else:
                field.text = f"{field.text} {text}".strip()
            if field.value_start == field.value_end:
                field.value_start = block.body
            field.value_end = self._trimmed(block.body, block.end)[1]
            field.end = block.next

    def sub_bullet(self, block: Block) -> None:
        """A bullet beneath the head: a field, an entry of the field before it, or something of the user's own."""
        name, value, text = self._name_and_value(block)
        current = self._subs[-1] if self._subs else None
        if current is not None and block.indent >= self._column + 2:
            complete = current.name not in LIST_FIELDS and (current.text or current.entries)
            if not (complete and name in FIELDS):
                bullet = _BULLET.match(self.data, block.body, block.end)
                assert bullet is not None
                entry = self._trimmed(bullet.end(), block.end)
                current.entries.append(self.decode(*entry))
                if current.value_start == current.value_end:
                    current.value_start = entry[0]
                current.value_end = entry[1]
                current.end = block.next
                return
        if self._column < 0:
            self._column = block.indent
            self.indent = self.data[block.start : block.body]
        self._subs.append(_Field(name, block.start, block.next, value, text))

    def _name_and_value(self, block: Block) -> tuple[str, tuple[int, int], str]:
        match = _FIELD.match(self.data, block.body, block.end)
        if match is not None:
            written = match[1].decode("utf-8", "replace").strip()
            name = KNOWN.get(written.lower(), written)
            apart = match.end() == block.end or self.data[match.end()] in _BLANKS or match[2] != b":"
            if apart or name in KNOWN.values():
                value = self._trimmed(match.end(), block.end)
                return name, value, self.decode(*value)
        bullet = _BULLET.match(self.data, block.body, block.end)
        value = self._trimmed(bullet.end() if bullet else block.body, block.end)
        return "", value, self.decode(*value)

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        while end > start and self.data[end - 1] in _BLANKS:
            end -= 1
        while start < end and self.data[start] in _BLANKS:
            start += 1
        return start, end

    def finish(self) -> None:
        """Settle the fact's end, and which value counts for each name."""
        while len(self._parts) > 1 and self._trimmed(*self._parts[-1])[0] == self._parts[-1][1]:
            self._parts.pop()
        self.text_end = self._trimmed(*self._parts[-1])[1]
        self.text_end = max(self.text_start, self.text_end)
        self.text_end, tail = split_inline(self.data, self.text_start, self.text_end)
        self.text = self._joined(self.text_start, self.text_end)
        for span in self.fields:
            self.inline[span.name] = self.decode(span.value_start, span.value_end)
        for span in tail:
            self.inline[span.name] = self._joined(span.value_start, span.value_end)
        for field in self._subs:
            value = field.value()
            if field.name not in FIELDS:
                self.extra.append((field.name, value if isinstance(value, str) else ", ".join(value)))
            elif field.name in self.values:
                self.repeated.append(field.span())
            else:
                self.values[field.name] = value
        self.fields = (*self.fields, *tail, *(field.span() for field in self._subs))

    def _joined(self, start: int, end: int) -> str:
        """The text of a span that may run over several lines: they are joined by a blank, paragraphs by a newline."""
        text, before = "", start
        for part_start, part_end in self._parts:
            piece = self._trimmed(max(start, part_start), max(start, min(end, part_end)))
            if piece[0] < piece[1]:
                paragraph = len(NEWLINE.findall(self.data[before : piece[0]])) > 1
                text += ("" if not text else "\n" if paragraph else " ") + self.decode(*piece)
                before = piece[1]
        return text

    def get(self, name: str) -> str | None:
        """The value that counts for a scalar field: the first sub-bullet's, else the head's; None where absent."""
        value = self.values.get(name)
        if isinstance(value, str) and (value or name == "Status"):
            return value
        return self.inline.get(name) or None

    def listed(self, name: str) -> tuple[str, ...]:
        """The entries of a list field."""
        value = self.values.get(name)
        return value if isinstance(value, tuple) else ()

    def contradictions(self) -> Iterator[FieldSpan]:
        """Sub-bullets that say something else than the head does."""
        for field in self._subs:
            said = self.inline.get(field.name)
            if said and field.text and field.text != said and self.values.get(field.name) == field.text:
                yield field.span()

    def digest(self) -> str:
        """16 hexadecimal digits that identify the record's bytes, without the line end behind them."""
        return bytes_digest(self.data, self.start, self.stop)


def is_head(data: bytes, block: Block) -> bool:
    """Whether a memory item begins in this line."""
    return block.kind is Line.BULLET and DATED.match(data, block.start, block.end) is not None


def read_item(scanner: Scanner, head: Block) -> tuple[RawItem, Block | None]:
    """Read the record that begins in the line `head`; the record, and the first line that is no part of it."""
    data = scanner.data
    raw = RawItem(data, head)
    scanner.enter_item(head.indent)
    after_blank = False
    hidden = False
    while (block := scanner.read()) is not None:
        if block.kind is Line.BLANK:
            after_blank = True
            continue
        nested = block.indent >= max(2, head.indent + 1)
        if block.kind in (Line.CODE, Line.COMMENT):
            if not (nested or hidden):
                break
            hidden = scanner.open_at is not None
            raw.close_text()
        elif block.kind is Line.BULLET:
            if not nested or is_head(data, block):
                break
            raw.sub_bullet(block)
            hidden = scanner.open_at is not None
        elif block.kind is not Line.TEXT:
            break
        elif nested or (raw.lazy and not after_blank and _may_be_lazy(data, block)):
            raw.continue_with(block, after_blank=after_blank)
        else:
            break
        raw.end, raw.stop = block.next, block.end
        after_blank = False
    raw.finish()
    return raw, block


def _may_be_lazy(data: bytes, block: Block) -> bool:
    return not data.startswith(_NOT_LAZY, block.body) and not is_placeholder(data[block.start : block.end])


def to_item(raw: RawItem, place: Place, standing: Standing, digest: str, key: str) -> MemoryItem:
    """The record as a value (§9). A Status that is written but empty is no token; absent it is `active`."""
    values: dict[str, Any] = {attribute: raw.get(name) for name, attribute in _SCALARS}
    values |= {attribute: raw.listed(name) for name, attribute in _LISTS}
    kind, status = raw.get("kind"), raw.get("Status")
    return MemoryItem(
        key=key,
        text=raw.text,
        place=place,
        standing=standing,
        digest=digest,
        date=raw.get("date"),
        kind=KINDS.get(kind) if kind else None,
        kind_text=kind,
        status=Status.ACTIVE if status is None else STATUSES.get(status),
        status_text=status,
        marker=raw.get("marker"),
        extra=tuple(raw.extra),
        **values,
    )


def to_span(raw: RawItem, item: MemoryItem, eol: bytes) -> ItemSpan:
    """The record with its places; `eol` is the line end to write with where it has none of its own."""
    own = NEWLINE.search(raw.data, raw.head_end, raw.end)
    return ItemSpan(
        item=item,
        start=raw.start,
        end=raw.end,
        head_start=raw.start,
        head_end=raw.head_end,
        text_start=raw.text_start,
        text_end=raw.text_end,
        fields=raw.fields,
        indent=raw.indent,
        eol=own[0] if own else eol,
        bullet=raw.bullet,
    )
