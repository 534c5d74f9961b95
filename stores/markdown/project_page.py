"""One file while edits to it are gathered: insertions keep to their lines, and nothing outside the spans changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import IntEnum

from core.errors import WriteRefused
from stores.markdown.blocks import NEWLINE
from stores.markdown.document import Document
from stores.markdown.edits import FileEdit, SpanEdit
from stores.markdown.spans import Section, Span

_BOM = b"\xef\xbb\xbf"
_ENDS = (b"\n", b"\r")
_ENOUGH = 4096
_IN_LIST = (b"- ", b"* ", b"+ ", b"  ", b"\t")
_DAMAGE = ("undecodable", "nul-run", "frontmatter-broken")
"""The findings that make a file unwritable."""


class Lead(IntEnum):
    """What must stand in front of an insertion: nothing in particular, a line's end, a blank line."""

    NONE = 0
    LINE = 1
    BLANK = 2


class Rank(IntEnum):
    """The order of edits at one offset: what belongs to the record that ends there, new records, what begins there."""

    WITHIN = 0
    BETWEEN = 1
    OVER = 2


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    replacement: bytes
    rank: Rank
    lead: Lead
    bound: bool


class Page:
    """Edits of one file.

    `document` is None for a file that is not there, or that holds no items (log, binding record); then `before` is
    its bytes, None where it is not there.
    """

    def __init__(self, path: str, *, document: Document | None = None, before: bytes | None = None) -> None:
        self.path = path
        self.document = document
        self.before = document.data if document is not None else before
        self.removes = False
        """Whether a record leaves this file."""
        self.inserts = False
        """Whether a record comes to this file."""
        self._edits: list[_Edit] = []
        self._sections: dict[str, list[bytes]] = {}

    @property
    def data(self) -> bytes:
        """The bytes before; none where the file is not there."""
        return self.before or b""

    @property
    def eol(self) -> bytes:
        """The line end most lines have."""
        if self.document is not None:
            return self.document.eol
        return dominant_eol(self.data)

    def replace(self, start: int, end: int, replacement: bytes, *, rank: Rank = Rank.OVER) -> None:
        """Put `replacement` in the place of `[start, end)`."""
        self.check(start)
        if self.data[start:end] != replacement:
            self._edits.append(_Edit(start, end, replacement, rank, Lead.NONE, False))

    def insert(
        self, at: int, text: bytes, *, lead: Lead = Lead.NONE, rank: Rank = Rank.BETWEEN, bound: bool = True
    ) -> None:
        """Insert `text`; insertions at one offset stand in the order of their ranks, then of the calls.

        `lead` is made true where it is not. `bound`: at the end of the file the text belongs to what stands above,
        so that it stays there should somebody else append to the file meanwhile.
        """
        self.check(at)
        if text:
            self._edits.append(_Edit(at, at, text, rank, lead, bound))

    def append_to_section(self, title: str | None, text: bytes) -> None:
        """Insert whole lines behind the last record of the section, which is made at the end where it is missing.

        None: behind the last record of the file, or at its end.
        """
        if title is None:
            records = range(len(self.document.records)) if self.document is not None else range(0)
            if records:
                self._behind(records, text)
            else:
                self.insert(len(self.data), text, lead=Lead.BLANK)
            return
        section = self.find_section(title)
        if section is None:
            self.add_to_new_section(title, text)
            return
        records = self.records_under(section)
        if records:
            self._behind(records, text)
        else:
            self.append_to_bare_section(section, text)

    def add_to_new_section(self, title: str, text: bytes, *, apart: bool = False) -> None:
        """Insert whole lines in a section that is made at the end of the file, once for all that goes in it.

        `apart`: with a blank line in front of what is there already.
        """
        self.check_end()
        blocks = self._sections.setdefault(title, [])
        blocks.append(self.eol + text if apart and blocks else text)

    def put_before(self, index: int, text: bytes) -> None:
        """Insert whole lines in front of the record `index` of the file, apart from it as records are there."""
        start, _ = self.bounds(index)
        apart = index > 0 and self._apart(index - 1, index)
        self.insert(start, text + self.eol if apart else text, lead=Lead.LINE)

    def put_behind(self, index: int, text: bytes) -> None:
        """Insert whole lines behind the record `index` of the file, apart from it as it is from the one before."""
        self._behind(range(max(0, index - 1), index + 1), text)

    def find_section(self, title: str) -> Section | None:
        """The section with exactly this title, else the first that differs in case only; None where there is none."""
        if self.document is None:
            return None
        same = next((section for section in self.document.sections if section.title == title), None)
        return same or self.document.section(title)

    def body_end(self, section: Section) -> int:
        """Where the section's own lines end: at the next heading of any level, else at the end of the file."""
        assert self.document is not None
        return min(
            (other.heading_start for other in self.document.sections if other.heading_start >= section.start),
            default=section.end,
        )

    def records_under(self, section: Section) -> range:
        """The indexes of the records that stand right under the section's heading."""
        return self.records_between(section.start, self.body_end(section))

    def records_between(self, start: int, end: int) -> range:
        """The indexes of the records that begin in `[start, end)`."""
        assert self.document is not None
        indexes = range(len(self.document.records))
        first = bisect_left(indexes, start, key=lambda index: self.bounds(index)[0])
        return range(first, bisect_left(indexes, end, key=lambda index: self.bounds(index)[0]))

    def bounds(self, index: int) -> Span:
        """The bytes of the record `index`."""
        assert self.document is not None
        return self.document.items.bounds(index)

    def finish(self) -> FileEdit | None:
        """The edits in the order of the bytes; None where nothing changes. Raises ValueError where they overlap."""
        data = self.data
        eol = self.eol
        pending = sorted(enumerate(self._edits), key=lambda pair: (pair[1].start, pair[1].rank, pair[0]))
        ordered = [edit for _, edit in pending]
        for title, blocks in self._sections.items():
            text = heading(title, eol) + eol + b"".join(blocks)
            ordered.append(_Edit(len(data), len(data), text, Rank.BETWEEN, Lead.BLANK, True))
        made: list[SpanEdit] = []
        for edit in ordered:
            text = edit.replacement
            if edit.lead is not Lead.NONE:
                text = _led(edit, _tail(data, made, edit.start), eol) + text
            if edit.bound and edit.start == len(data) and data:
                _bind(data, made, text)
            elif made and made[-1].end == edit.start and edit.start == edit.end and made[-1].start == made[-1].end:
                made[-1] = SpanEdit(edit.start, edit.end, made[-1].replacement + text)
            else:
                made.append(SpanEdit(edit.start, edit.end, text))
        if not made and self.before is not None:
            return None
        return FileEdit(self.path, self.before, tuple(made))

    def _behind(self, records: range, text: bytes) -> None:
        """Insert behind the last of `records`, apart from it as it is from the one before."""
        apart = len(records) > 1 and self._apart(records[-2], records[-1])
        self.insert(self.bounds(records[-1])[1], text, lead=Lead.BLANK if apart else Lead.LINE)

    def _apart(self, one: int, other: int) -> bool:
        """Whether nothing but blank lines, and at least one, stands between two records."""
        between = self.data[self.bounds(one)[1] : self.bounds(other)[0]]
        return bool(between) and not between.strip(b" \t\r\n")

    def append_to_bare_section(self, section: Section, text: bytes, *, as_bullet: bool = False) -> None:
        """Insert whole lines behind what stands right under the heading, a blank line between.

        `as_bullet`: no blank line behind a bullet.
        """
        end = self.body_end(section)
        body = self.data[section.start : end].rstrip(b" \t\r\n")
        last = body[max(body.rfind(b"\n"), body.rfind(b"\r")) + 1 :]
        lead = Lead.LINE if as_bullet and last.startswith(_IN_LIST) else Lead.BLANK
        if end == len(self.data):
            self.insert(end, text, lead=lead)
            return
        at = section.start
        if body:
            line_end = NEWLINE.search(self.data, at + len(body))
            at = line_end.end() if line_end else end
        followed = NEWLINE.match(self.data, at) is not None
        self.insert(at, text if followed else text + self.eol, lead=lead)

    def check_end(self) -> None:
        """Raises `WriteRefused` where nothing may be added at the end of the file."""
        self.check(len(self.data))

    def check(self, at: int) -> None:
        """Raises `WriteRefused` where the file may not be written at the offset `at`."""
        document = self.document
        if document is None:
            return
        if document.unwritable:
            fault = next((finding for finding in document.findings if finding.code in _DAMAGE), None)
            raise WriteRefused(
                f"It is not written: {document.unwritable}.",
                where=f"{self.path}:{fault.line}" if fault is not None and fault.line else self.path,
                remedy=fault.remedy if fault is not None else "Repair the file in an editor, then try again.",
            )
        if document.open_fence is not None and at > document.open_fence:
            line = len(NEWLINE.findall(document.data, 0, document.open_fence)) + 1
            raise WriteRefused(
                "A fence or comment that opens here is never closed, so what follows it cannot be told from code.",
                where=f"{self.path}:{line}",
                remedy="Close it in an editor, then try again.",
            )


def dominant_eol(data: bytes) -> bytes:
    """The line end most lines of `data` have, `\\n` where it has none."""
    crlf = data.count(b"\r\n")
    counts = {b"\n": data.count(b"\n") - crlf, b"\r\n": crlf, b"\r": data.count(b"\r") - crlf}
    best = max(counts, key=lambda eol: counts[eol])
    return best if counts[best] else b"\n"


def heading(title: str, eol: bytes) -> bytes:
    """An ATX heading of level 2 that reads back as `title`."""
    closing = " ##" if title.endswith("#") else ""
    return f"## {title}{closing}".encode() + eol


def ends_line(data: bytes) -> bool:
    """Whether what follows `data` begins a line (behind a byte order mark one does)."""
    return data in (b"", _BOM) or data.endswith(_ENDS)


def ends_blank(data: bytes) -> bool:
    """Whether `data` ends with a blank line (or is empty, a byte order mark aside)."""
    if not data.removeprefix(_BOM).strip(b" \t\r\n"):
        return ends_line(data)
    return ends_line(data) and len(NEWLINE.findall(data[len(data.rstrip(b" \t\r\n")) :])) > 1


def _led(edit: _Edit, tail: bytes, eol: bytes) -> bytes:
    """The line ends to put in front of an insertion so that its `lead` is true."""
    lead = b""
    if edit.lead >= Lead.LINE and not ends_line(tail):
        lead = eol
    if edit.lead is Lead.BLANK and not ends_blank(tail + lead):
        lead += eol
    return lead


def _tail(data: bytes, made: list[SpanEdit], start: int) -> bytes:
    """The end of the file as it will be in front of `start`: enough of it to see a blank line."""
    parts: list[bytes] = []
    at = start
    enough = _ENOUGH
    for edit in reversed(made):
        parts += (data[max(edit.end, at - enough) : at], edit.replacement)
        enough -= at - edit.end + len(edit.replacement)
        at = edit.start
        if enough <= 0:
            break
    else:
        parts.append(data[max(0, at - enough) : at])
    return b"".join(reversed(parts))


def _bind(data: bytes, made: list[SpanEdit], text: bytes) -> None:
    """Add `text` at the end of the file as part of an edit of its last line."""
    if made and made[-1].end == len(data):
        made[-1] = SpanEdit(made[-1].start, len(data), made[-1].replacement + text)
        return
    starts = [0, *(match.end() for match in NEWLINE.finditer(data))]
    last = starts[bisect_right(starts, len(data) - 1) - 1]
    start = max(last, made[-1].end if made else 0)
    made.append(SpanEdit(start, len(data), data[start:] + text))
