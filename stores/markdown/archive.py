"""Archive days (§13): evidence, read for anchors, archived copies and lines; never a bearer of an item."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.findings import Finding
from core.snapshot import ArchiveDay, ArchivedCopy
from core.vocabulary import Standing
from stores.markdown.document import Document, parse_document
from stores.markdown.spans import split_lines

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BRACED = re.compile(r"[ \t]*\{#([^\s{}]+)[^{}]*\}[ \t]*\Z")
_EXPLICIT = re.compile(
    rb"\{#([^\s{}]+)[^{}\r\n]*\}|<a\s+(?:id|name)\s*=\s*[\"']?([^\s\"'>]+)[\"']?[^>\r\n]*>", re.IGNORECASE
)
_TAGS = re.compile(r"<[^<>]*>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_DAMAGE = frozenset({"undecodable", "nul-run", "frontmatter-broken", "merge-markers", "open-fence"})


class StoredDay(ArchiveDay):
    """An archive day whose lines are cut from its bytes when they are asked for."""

    __slots__ = ("_data",)

    _data: bytes

    @property
    def lines(self) -> tuple[str, ...]:
        """The file's lines, without their ends."""
        data = self._data
        return tuple(data[line.start : line.end].decode("utf-8", "replace") for line in split_lines(data))

    @lines.setter
    def lines(self, _: tuple[str, ...]) -> None:
        """The dataclass sets its default here; the bytes are what counts."""


@dataclass(frozen=True, slots=True)
class ArchivePage:
    """An archive file: the day, and its document for the writer. `findings` are those about the file as a whole."""

    day: ArchiveDay
    document: Document
    findings: tuple[Finding, ...]


def parse_archive(path: str, data: bytes) -> ArchivePage:
    """Read an archive file. Never raises; drift of archived copies is no finding, they are evidence."""
    document = parse_document(path, data, Standing.INBOX)
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    date = _DATE.match(name)
    day = StoredDay(date[0] if date else name, path, _anchors(document), ())
    object.__setattr__(day, "_data", data)
    object.__setattr__(day, "copies", tuple(_copies(document, day.anchors)))
    return ArchivePage(day, document, tuple(one for one in document.findings if one.code in _DAMAGE))


def slug(title: str) -> str:
    """The anchor that GitHub gives a heading: its text without marks, lower case, no punctuation, blanks as hyphens."""
    text = _TAGS.sub("", _LINK.sub(r"\1", title))
    kept = (character for character in text.strip().lower() if character.isalnum() or character in " -_")
    return "".join(kept).replace(" ", "-")


def _anchors(document: Document) -> Mapping[str, tuple[int, int]]:
    """Anchor -> (first line, last line), 1-based, in the order of the file; trailing blank lines are left out.

    A heading's anchor covers its section. An explicit anchor in a heading covers the same; elsewhere, what stands from
    its line to the next explicit anchor or the end of its section.
    """
    data = document.data
    lines = split_lines(data)
    starts = [line.start for line in lines]
    filled = [data[line.start : line.end].strip(b" \t") != b"" for line in lines]

    def number(offset: int) -> int:
        return bisect_right(starts, offset)

    def last(end: int, first: int) -> int:
        number_of_last = number(end - 1) if end > 0 else first
        while number_of_last > first and not filled[number_of_last - 1]:
            number_of_last -= 1
        return max(first, number_of_last)

    anchors: list[tuple[int, str, int]] = []
    taken: dict[str, int] = {}
    for section in document.sections:
        end = last(section.end, number(section.heading_start))
        explicit = _BRACED.search(section.title)
        if explicit:
            anchors.append((number(section.heading_start), explicit[1], end))
        bare = slug(_BRACED.sub("", section.title))
        count = taken.get(bare, 0)
        taken[bare] = count + 1
        anchors.append((number(section.heading_start), f"{bare}-{count}" if count else bare, end))
    marks = [mark for mark in _EXPLICIT.finditer(data) if not _within(document, mark.start())]
    heads = [section.heading_start for section in document.sections]
    headings = {number(section.heading_start) for section in document.sections}
    for index, mark in enumerate(marks):
        first = number(mark.start())
        if first in headings:
            if mark[2]:
                section_end = next(s.end for s in document.sections if number(s.heading_start) == first)
                anchors.append((first, mark[2].decode("utf-8", "replace"), last(section_end, first)))
            continue
        end = heads[bisect_right(heads, mark.start())] if heads and heads[-1] > mark.start() else len(data)
        if index + 1 < len(marks):
            end = min(end, starts[number(marks[index + 1].start()) - 1])
        name = (mark[1] or mark[2]).decode("utf-8", "replace")
        anchors.append((first, name, last(end, first)))
    anchors.sort(key=lambda anchor: anchor[0])
    found: dict[str, tuple[int, int]] = {}
    for first, name, end in anchors:
        found.setdefault(name, (first, end))
    return MappingProxyType(found)


def _within(document: Document, offset: int) -> bool:
    return any(start <= offset < end for start, end in document.hidden)


def _copies(document: Document, anchors: Mapping[str, tuple[int, int]]) -> Iterator[ArchivedCopy]:
    firsts = [first for first, _ in anchors.values()]
    names = list(anchors)
    for item in document.records:
        above = bisect_right(firsts, item.place.line)
        yield ArchivedCopy(item.id, names[above - 1] if above else None, item.place.line, item.text)
