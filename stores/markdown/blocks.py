"""What each line of a Markdown file is: the tolerant scan, one line at a time, by the rules of CommonMark that matter.

Fenced code and HTML comments hide what stands in them. Both end with the list item that they stand in, so that a
record that was cut inside a bullet does not swallow the bullets after it.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from stores.markdown.spans import Span

NEWLINE = re.compile(rb"\r\n?|\n")
_LINE = re.compile(rb"([^\r\n]*)(\r\n?|\n|)")
_BLANKS = b" \t"
_EMPTY = re.compile(rb"(?:\r?\n)+")
_FENCE = re.compile(rb"(`{3,}(?=[^`]*\Z)|~{3,})")
_FENCES = (b"```", b"~~~")
_HEADING = re.compile(rb"(#{1,6})(?=[ \t]|\Z)")
_BULLET = re.compile(rb"([-*+]|\d{1,9}[.)])(?=[ \t]|\Z)[ \t]*")
_RULE = re.compile(rb"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
DATED = re.compile(rb" {0,3}([-*+])[ \t]+\[(\d{4}-\d\d-\d\d)\](?!\((?!state\)|knowledge\)))")
"""The head of a memory item, wherever it is nested: its bullet and date. A link with a date for a text is none."""


class Kind(IntEnum):
    """What a line is."""

    BLANK = 0
    TEXT = 1
    HEADING = 2
    BULLET = 3
    RULE = 4
    CODE = 5
    COMMENT = 6


class Block(NamedTuple):
    """A line: content `[start, end)`, the next line's start, what it is, and its indentation in columns.

    `body` is where the content begins behind the indentation; `marker` the length of a heading's `#`s.
    """

    kind: Kind
    start: int
    end: int
    next: int
    indent: int
    body: int
    marker: int = 0


class Scanner:
    """Reads `data` line by line from `start`. `hidden` lists the fenced and commented spans met so far.

    `cut` lists the offsets of lines that open a fence or comment which its list item ended before it was closed;
    `open_at` is the offset of the line whose fence or comment is open now.
    """

    def __init__(
        self, data: bytes, start: int = 0, limit: int | None = None, *, cuts: re.Pattern[bytes] | None = None
    ) -> None:
        """Read `[start, limit)` (None: to the end); both are where lines begin.

        By CommonMark any line that is indented less ends a fence with its list item; with `cuts` only one that matches
        it does, so that a record whose lines slipped to the left is still seen as one.
        """
        self.data = data
        self.pos = start
        self.limit = len(data) if limit is None else limit
        self._cuts = cuts
        self.hidden: list[Span] = []
        self.cut: list[int] = []
        self.open_at: int | None = None
        self._fence: bytes | None = None
        self._comment = False
        self._container = -1
        self._list = -1
        self._after_blank = True

    def enter_item(self, indent: int) -> None:
        """Say that a bullet at `indent` columns, read by somebody else, opens the list item that follows."""
        self._list = indent
        self._after_blank = False

    def read(self) -> Block | None:
        """The line at `pos`, None at the end of the data. Moves `pos` behind it."""
        start = self.pos
        if start >= self.limit:
            return None
        match = _LINE.match(self.data, start, self.limit)
        assert match is not None
        content = match[1]
        end = start + len(content)
        self.pos = match.end()
        body = content.lstrip(_BLANKS)
        indent = lead = len(content) - len(body)
        if lead and b"\t" in content[:lead]:
            indent = len(content[:lead].expandtabs(4))
        kind, marker = self._classify(start, body, indent)
        self._after_blank = kind is Kind.BLANK
        return Block(kind, start, end, self.pos, indent, start + lead, marker)

    def skip_empty(self) -> int:
        """Step over the empty lines at `pos`, where neither fence nor comment is open; the new `pos`."""
        match = _EMPTY.match(self.data, self.pos, self.limit)
        if match is not None:
            self.pos = match.end()
            self._after_blank = True
        return self.pos

    def _classify(self, start: int, body: bytes, indent: int) -> tuple[Kind, int]:
        if self.open_at is not None:
            if self._leaves(start, body, indent):
                self.cut.append(self.open_at)
                self._close(start)
            else:
                return self._inside(body, indent), 0
        if not body:
            return Kind.BLANK, 0
        inside = self._list >= 0 and indent >= self._list + 2
        if not inside and indent > 3:
            return Kind.TEXT, 0
        if body.startswith(_FENCES) and (fence := _FENCE.match(body)):
            self._open(start, fence[1], inside)
            return Kind.CODE, 0
        if body.startswith(b"<!--"):
            if b"-->" in body[4:]:
                self.hidden.append((start, self.pos))
            else:
                self._open(start, None, inside)
            return Kind.COMMENT, 0
        if not inside:
            if heading := _HEADING.match(body):
                self._list = -1
                return Kind.HEADING, heading.end()
            if _RULE.match(body):
                self._list = -1
                return Kind.RULE, 0
        if bullet := _BULLET.match(body):
            if not inside:
                self._list = indent
            if fence := _FENCE.match(body[bullet.end() :]):
                self._open(start, fence[1], True)
                self._container = max(indent, self._list)
            return Kind.BULLET, 0
        if not inside and self._after_blank:
            self._list = -1
        return Kind.TEXT, 0

    def _leaves(self, start: int, body: bytes, indent: int) -> bool:
        """Whether this line ends the list item that the open fence or comment stands in."""
        if not body or self._container < 0 or indent >= self._container + 2:
            return False
        return self._cuts is None or self._cuts.match(self.data, start) is not None

    def _inside(self, body: bytes, indent: int) -> Kind:
        """A line while a fence or comment is open; closes it where this line does."""
        if self._comment:
            if b"-->" in body:
                self._close(self.pos)
            return Kind.COMMENT
        assert self._fence is not None
        mark = body.rstrip(b" \t")
        closes = (
            len(mark) >= len(self._fence) and not mark.strip(self._fence[:1]) and (indent <= 3 or self._container >= 0)
        )
        if closes:
            self._close(self.pos)
        return Kind.CODE

    def _open(self, start: int, fence: bytes | None, inside: bool) -> None:
        self.open_at = start
        self._fence = fence
        self._comment = fence is None
        self._container = self._list if inside else -1
        if not inside:
            self._list = -1

    def _close(self, end: int) -> None:
        assert self.open_at is not None
        self.hidden.append((self.open_at, end))
        self.open_at = None
        self._fence = None
        self._comment = False


def title_of(data: bytes, block: Block) -> str:
    """The text of a heading line, without its `#`s (§11)."""
    text = data[block.body + block.marker : block.end].strip(b" \t")
    bare = text.rstrip(b"#")
    if bare != text and (not bare or bare.endswith((b" ", b"\t"))):
        text = bare.rstrip(b" \t")
    return text.decode("utf-8", "replace")


class LineNumbers:
    """1-based line numbers of offsets; cheap for one that is near the last one asked for. For several threads."""

    __slots__ = ("_data", "_last", "_plain")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._last = (0, 1)
        self._plain = b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")

    def at(self, offset: int) -> int:
        """The number of the line that `offset` stands in."""
        at, line = self._last
        if offset < at // 2:
            at, line = 0, 1
        if offset >= at:
            line += self._between(at, offset)
        else:
            line -= self._between(offset, at)
        self._last = (offset, line)
        return line

    def _between(self, start: int, end: int) -> int:
        if self._plain:
            return self._data.count(b"\n", start, end)
        return len(NEWLINE.findall(self._data[start:end]))
