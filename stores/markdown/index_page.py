"""index.md (§10): the sections the protocol names, and their entries, with spans for the writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from core.snapshot import IndexLine, IndexView
from stores.markdown.blocks import Block, Kind, LineNumbers, Scanner
from stores.markdown.document import BOM, Document
from stores.markdown.spans import Section

RECENT = "Recent Activity"
TOPIC_MAP = "Topic Map"
PENDING = "Pending Cleanup"
WITHDRAWN = "Withdrawn"
NAMED = (RECENT, TOPIC_MAP, PENDING, WITHDRAWN)

_BULLET = re.compile(r"[-*+][ \t]+")
_ARROW = re.compile(r"\s*(?:→|->|=>)\s*")
_DASH = re.compile(r"[\s`*_\"')\]]*(?:[—–]|-{1,2}(?=\s)|[:：])\s*")
_FILE = re.compile(r"[\s`*_\"']*(?P<target>[^`*\"'\[\]()<>:]*?\.md)(?=[\s`*_\"'):：]|\Z)")
_LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]*)[^)]*\)")
_WIKI = re.compile(r"\[\[(?P<target>[^\]|#]*)[^\]]*\]\]")
_ID = re.compile(r"(?<![\w-])mem[a-z]*-\d{4}-\d\d-\d\d-\d+")
_ARCHIVE = re.compile(r"(?<![\w/-])archive/[^\s`'\"\])]+")
_CORRECTS = re.compile(
    r"\bcorrect(?:s|ed|ion|ions|ing)?\b|\berrat(?:a|um)\b|\bsupersed\w*\b|\breplaces?\b|\bno longer\b|\binstead of\b"
    r"|\b(?:to|of|in|see|for|above|at)\s+(?:entry|line|item|row)\s+#?\d+|更正|纠正|修正|勘误|取代|作废|第\s*\d+\s*[行条]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry (a bullet with what is indented under it): `[start, end)` is its whole lines, line ends included."""

    line: IndexLine
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndexPage:
    """index.md parsed. `sections` and `entries` are keyed by the protocol's names (RECENT, TOPIC_MAP, …).

    A name that has no section has no key in `sections`, and no entries.
    """

    document: Document
    sections: Mapping[str, Section]
    entries: Mapping[str, tuple[Entry, ...]]
    view: IndexView


def parse_index(
    document: Document, *, limit: int = 200, resolve: Callable[[str], str] = lambda target: target
) -> IndexPage:
    """Read index.md's sections and entries.

    `limit` is the number of lines beyond which entries are listed, those that correct another first. `resolve` turns
    the file that an entry points at, as it is written, into the name of the file that is there.
    """
    sections = {name: found for name in NAMED if (found := document.section(name)) is not None}
    entries = tuple(_entries(document, resolve))
    named = {
        name: tuple(entry for entry in entries if section.start <= entry.start < section.end)
        for name, section in sections.items()
    }
    beyond = [entry.line for entry in entries if entry.line.line > limit]
    beyond.sort(key=lambda line: _CORRECTS.search(line.text) is None)
    view = IndexView(
        present=True,
        lines=len(document.lines),
        recent=_lines(named, RECENT),
        topic_map=_lines(named, TOPIC_MAP),
        pending=_lines(named, PENDING),
        withdrawn=_lines(named, WITHDRAWN),
        beyond_limit=tuple(beyond),
    )
    return IndexPage(document, sections, named, view)


def _lines(named: Mapping[str, tuple[Entry, ...]], name: str) -> tuple[IndexLine, ...]:
    return tuple(entry.line for entry in named.get(name, ()))


def _entries(document: Document, resolve: Callable[[str], str]) -> Iterator[Entry]:
    """Every top-level bullet outside fences and comments, with the indented lines that follow it."""
    data = document.data
    numbers = LineNumbers(data)
    start = document.frontmatter.end if document.frontmatter else len(BOM) if document.bom else 0
    scanner = Scanner(data, start)
    head: Block | None = None
    end = start
    while (block := scanner.read()) is not None:
        if head is not None:
            inside = block.kind in (Kind.BLANK, Kind.CODE, Kind.COMMENT, Kind.BULLET, Kind.TEXT) and (
                block.kind is Kind.BLANK or block.indent >= head.indent + 2 or scanner.open_at is not None
            )
            if inside:
                end = end if block.kind is Kind.BLANK else block.next
                continue
            yield Entry(_line(data, head, numbers, resolve), head.start, end)
            head = None
        if block.kind is Kind.BULLET:
            head, end = block, block.next
    if head is not None:
        yield Entry(_line(data, head, numbers, resolve), head.start, end)


def _line(data: bytes, block: Block, numbers: LineNumbers, resolve: Callable[[str], str]) -> IndexLine:
    written = data[block.body : block.end].decode("utf-8", "replace").strip(" \t")
    bullet = _BULLET.match(written)
    text = written[bullet.end() :] if bullet else written
    target, trigger = _target(text)
    return IndexLine(
        text=text,
        line=numbers.at(block.start),
        target=resolve(target) if target is not None and _is_file(target) else target,
        trigger=trigger,
    )


def _target(text: str) -> tuple[str | None, str | None]:
    """What an entry points at (a file or an id), and the trigger that stands behind a Topic Map entry's dash."""
    arrow = list(_ARROW.finditer(text))
    if arrow:
        return _named(text[arrow[-1].end() :]), None
    front = _LINK.match(text) or _WIKI.match(text) or _FILE.match(text)
    if front is not None:
        target = _named(front[0])
        dash = _DASH.match(text, front.end())
        trigger = text[dash.end() :].strip() if dash else ""
        if target is not None and _is_file(target):
            return target, trigger or None
    found = _ID.search(text) or _ARCHIVE.search(text)
    return (found[0].rstrip(".,;") if found else None), None


def _named(text: str) -> str | None:
    """The file or id that `text` names, without a link's or a code span's marks."""
    if link := _LINK.search(text):
        return link["target"] or None
    if wiki := _WIKI.search(text):
        name = wiki["target"].strip()
        return name if _is_file(name) or _ID.search(name) else f"{name}.md"
    if found := _ID.search(text):
        return found[0]
    bare = text.strip().strip("`*_\"'").strip()
    if bare.endswith("."):
        bare = bare[:-1]
    return bare if bare and _is_file(bare) else None


def _is_file(target: str) -> bool:
    return re.search(r"\.md(?:#\S*)?\Z", target) is not None
