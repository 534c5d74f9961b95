"""Where things stand in a file: byte spans, half open, in the order of the bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from core.items import MemoryItem

Span = tuple[int, int]


class Line(NamedTuple):
    """One line: content bytes `[start, end)`, followed by `eol` (`\\n`, `\\r\\n`, `\\r`, or nothing at the end)."""

    start: int
    end: int
    eol: bytes


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under an ATX heading.

    The heading's line begins at `heading_start`; `[start, end)` is what follows it, up to the next heading of the same
    or a higher level, or the end of the file. Sections nest. `title` is without its `#`s.
    """

    title: str
    level: int
    heading_start: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """One field of a record. `name` is spelled as in `core.items.FIELDS` (unknown names as written, '' for none).

    `[value_start, value_end)` is the value's bytes, without blanks around it (empty where there is no value).
    A sub-bullet (`inline` False): `[start, end)` is its whole line(s) with their line ends, nested bullets included.
    In the head line (`inline` True): `date`, `id` and `kind` with their brackets, `marker` with its brackets, and
    ` Subject: x.` / ` Source: y.` from the blank before the name to the full stop that ends the value, so that
    leaving `[start, end)` out leaves a well-formed record.
    """

    name: str
    start: int
    end: int
    value_start: int
    value_end: int
    inline: bool


@dataclass(frozen=True, slots=True)
class ItemSpan:
    """One record as it stands in its file.

    `[start, end)` is the whole record: its lines with their line ends, continuation lines and fenced lines that belong
    to the bullet included, following blank lines not. `[head_start, head_end)` is the content of its first line.
    `[text_start, text_end)` is the fact, over several lines where it wraps; no field lies within it. `fields` are in
    the order of the bytes, repeats included; `field` finds the one that counts. `indent` is what its sub-bullets are
    indented by (two blanks where it has none), `bullet` their bullet, `eol` the line end to write with.
    """

    item: MemoryItem
    start: int
    end: int
    head_start: int
    head_end: int
    text_start: int
    text_end: int
    fields: tuple[FieldSpan, ...]
    indent: bytes = b"  "
    eol: bytes = b"\n"
    bullet: bytes = b"-"

    def field(self, name: str) -> FieldSpan | None:
        """The span whose value counts for `name`: the first sub-bullet, else the one in the head, else None."""
        inline = None
        for span in self.fields:
            if span.name == name:
                if not span.inline:
                    return span
                inline = inline or span
        return inline

    @property
    def structured(self) -> bool:
        """True where the record has sub-bullets with fields."""
        return any(not span.inline for span in self.fields)


def bytes_digest(data: bytes, start: int, stop: int) -> str:
    """16 hexadecimal digits that identify the bytes of a record, `[start, stop)`, without the line end behind them."""
    return sha256(data[start:stop]).hexdigest()[:16]


_LINE = re.compile(rb"([^\r\n]*)(\r\n?|\n|)")


def split_lines(data: bytes, start: int = 0) -> list[Line]:
    """The lines of `data` from `start`; they break at `\\n`, `\\r\\n` and `\\r` only."""
    return [
        Line(match.start(1), match.end(1), match[2])
        for match in _LINE.finditer(data, start)
        if match.end() > match.start()
    ]
