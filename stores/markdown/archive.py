"""Archive days (§13): evidence, read for anchors, archived copies and lines; never a bearer of an item."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType

from core.findings import Finding
from core.items import MemoryItem
from core.snapshot import ArchiveDay, ArchivedCopy
from core.texts import fold_text, print_of
from core.vocabulary import Standing
from stores.markdown.blocks import LineNumbers
from stores.markdown.document import Document, parse_document
from stores.markdown.scan import Run
from stores.markdown.spans import split_lines

_id = attrgetter("id")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BRACED = re.compile(r"[ \t]*\{#([^\s{}]+)[^{}]*\}[ \t]*\Z")
_EXPLICIT = re.compile(
    rb"\{#([^\s{}]+)[^{}\r\n]*\}|<a\s+(?:id|name)\s*=\s*[\"']?([^\s\"'>]+)[\"']?[^>\r\n]*>", re.IGNORECASE
)
_TAGS = re.compile(r"<[^<>]*>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_PUNCTUATION = re.compile(r"[^\w -]")
_DAMAGE = frozenset({"undecodable", "nul-run", "frontmatter-broken", "merge-markers", "open-fence"})


class StoredDay(ArchiveDay):
    """An archive day whose lines and copies are made when they are asked for."""

    __slots__ = ("_copies", "_copy_ids", "_data", "_prints", "records", "run")

    records: tuple[MemoryItem, ...]
    """The archived copies as they would be read elsewhere."""
    run: Run
    """Where they stand."""
    _data: bytes
    _copies: tuple[ArchivedCopy, ...] | None
    _copy_ids: frozenset[str | None]
    _prints: frozenset[str] | None

    @property
    def lines(self) -> tuple[str, ...]:
        """The file's lines, without their ends."""
        data = self._data
        return tuple(data[line.start : line.end].decode("utf-8", "replace") for line in split_lines(data))

    @lines.setter
    def lines(self, _: tuple[str, ...]) -> None:
        """The dataclass sets its default here; the bytes are what counts."""

    @property
    def copies(self) -> tuple[ArchivedCopy, ...]:
        """The archived copies, in order."""
        if self._copies is None:
            object.__setattr__(self, "_copies", tuple(_copies(self.records, self.anchors)))
        return self._copies or ()

    @copies.setter
    def copies(self, _: tuple[ArchivedCopy, ...]) -> None:
        """As for the lines."""

    @property
    def copy_ids(self) -> frozenset[str | None]:
        """The ids of the copies; None among them where a copy bears none."""
        return self._copy_ids

    @property
    def copy_prints(self) -> frozenset[str]:
        """The prints of what the copies say."""
        if self._prints is None:
            object.__setattr__(self, "_prints", frozenset(print_of(fold_text(item.text)) for item in self.records))
        return self._prints or frozenset()

    @classmethod
    def of(
        cls,
        path: str,
        data: bytes,
        anchors: Mapping[str, tuple[int, int]],
        records: tuple[MemoryItem, ...],
        run: Run,
        prints: frozenset[str] | None = None,
    ) -> StoredDay:
        """The day of the archive file `path`. `prints` are its `copy_prints` where they are known."""
        name = path.rsplit("/", 1)[-1].removesuffix(".md")
        date = _DATE.match(name)
        day = cls(date[0] if date else name, path, anchors, ())
        ids = frozenset(map(_id, records))
        slots = {"_data": data, "records": records, "run": run, "_copy_ids": ids, "_copies": None, "_prints": prints}
        for slot, value in slots.items():
            object.__setattr__(day, slot, value)
        return day


@dataclass(frozen=True, slots=True)
class ArchivePage:
    """An archive file: the day, and its document for the writer. `findings` are those about the file as a whole."""

    day: ArchiveDay
    document: Document
    findings: tuple[Finding, ...]


def parse_archive(path: str, data: bytes) -> ArchivePage:
    """Read an archive file. Never raises; drift of archived copies is no finding, they are evidence."""
    document = parse_document(path, data, Standing.INBOX)
    damage = tuple(one for one in document.findings if one.code in _DAMAGE)
    day = StoredDay.of(path, data, _anchors(document), document.records, document.items.run)
    return ArchivePage(day, document, damage)


def slug(title: str) -> str:
    """The anchor that GitHub gives a heading: its text without marks, lower case, no punctuation, blanks as hyphens."""
    text = _TAGS.sub("", _LINK.sub(r"\1", title))
    return _PUNCTUATION.sub("", text.strip().lower()).replace(" ", "-")


def _anchors(document: Document) -> Mapping[str, tuple[int, int]]:
    """Anchor -> (first line, last line), 1-based, in the order of the file; trailing blank lines are left out.

    A heading's anchor covers its section. An explicit anchor in a heading covers the same; elsewhere, what stands from
    its line to the next explicit anchor or the end of its section.
    """
    data = document.data
    anchors: list[tuple[int, str, int]] = []
    """Offsets in the first and in the last line, and the name between them."""
    taken: dict[str, int] = {}
    for section in document.sections:
        start, end = section.heading_start, _filled(data, section.end)
        explicit = _BRACED.search(section.title)
        if explicit:
            anchors.append((start, explicit[1], end))
        bare = slug(_BRACED.sub("", section.title))
        count = taken.get(bare, 0)
        taken[bare] = count + 1
        anchors.append((start, f"{bare}-{count}" if count else bare, end))
    marks = []
    if b"{" in data or b"<" in data:  # one byte is looked for many times as fast
        marks = [mark for mark in _EXPLICIT.finditer(data) if not _within(document, mark.start())]
    heads = {section.heading_start: section for section in document.sections}
    starts = list(heads)
    for index, mark in enumerate(marks):
        head = heads.get(_line_start(data, mark.start()))
        if head is not None:
            if mark[2]:
                anchors.append((mark.start(), mark[2].decode("utf-8", "replace"), _filled(data, head.end)))
            continue
        following = bisect_right(starts, mark.start())
        end = starts[following] if following < len(starts) else len(data)
        if index + 1 < len(marks):
            end = min(end, _line_start(data, marks[index + 1].start()))
        name = (mark[1] or mark[2]).decode("utf-8", "replace")
        anchors.append((mark.start(), name, _filled(data, end)))
    numbers = LineNumbers(data)
    ends = ((start, max(start, end)) for start, _, end in anchors)
    lines = {offset: numbers.at(offset) for offset in sorted({offset for pair in ends for offset in pair})}
    found: dict[str, tuple[int, int]] = {}
    for start, name, end in sorted(anchors, key=lambda anchor: lines[anchor[0]]):
        found.setdefault(name, (lines[start], lines[max(start, end)]))
    return MappingProxyType(found)


def _filled(data: bytes, end: int) -> int:
    """The offset of the last byte before `end` that is not blank; -1 where there is none."""
    while end > 0 and data[end - 1] in b" \t\r\n":
        end -= 1
    return end - 1


def _line_start(data: bytes, offset: int) -> int:
    return max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1


def _within(document: Document, offset: int) -> bool:
    return any(start <= offset < end for start, end in document.hidden)


def _copies(records: tuple[MemoryItem, ...], anchors: Mapping[str, tuple[int, int]]) -> Iterator[ArchivedCopy]:
    firsts = [first for first, _ in anchors.values()]
    names = list(anchors)
    for item in records:
        above = bisect_right(firsts, item.place.line)
        yield ArchivedCopy(item.id, names[above - 1] if above else None, item.place.line, item.text)
