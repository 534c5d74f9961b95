"""One Markdown file, losslessly: its bytes, and where in them sections, items and frontmatter stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import overload

from core.findings import Finding
from core.items import MemoryItem, Place
from core.places import HISTORICAL_SECTION
from core.snapshot import item_key
from core.vocabulary import Severity, Standing
from stores.markdown.blocks import Block, Kind, LineNumbers, Scanner, title_of
from stores.markdown.damage import byte_damage, is_placeholder, line_of, lost_rewrite, merge_markers
from stores.markdown.drift import schema_findings
from stores.markdown.frontmatter import Frontmatter, find_frontmatter, frontmatter_finding, second_frontmatter
from stores.markdown.items import RawItem, is_head, read_item, to_item, to_span
from stores.markdown.scan import Run, take_records
from stores.markdown.spans import FieldSpan, ItemSpan, Line, Section, Span, split_lines

__all__ = ["Document", "FieldSpan", "ItemSpan", "Line", "Section", "parse_document", "render", "split_lines"]

BOM = b"\xef\xbb\xbf"
_HISTORICAL = HISTORICAL_SECTION.casefold()
_ARROW = "→".encode()


class Items(Sequence[ItemSpan]):
    """The records of a file with their spans, each read again from its bytes when it is asked for."""

    __slots__ = ("_eol", "_records", "run")

    def __init__(self, run: Run, records: tuple[MemoryItem, ...], eol: bytes) -> None:
        """`run` says where the `records` stand."""
        self.run = run
        self._records = records
        self._eol = eol

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> ItemSpan: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ItemSpan, ...]: ...
    def __getitem__(self, index: int | slice) -> ItemSpan | tuple[ItemSpan, ...]:
        if isinstance(index, slice):
            return tuple(self[one] for one in range(*index.indices(len(self))))
        item = self._records[index]
        start, end = self.bounds(range(len(self))[index])
        scanner = Scanner(self.run.data, start, end)
        head = scanner.read()
        assert head is not None
        raw, _ = read_item(scanner, head)
        return to_span(raw, item, self._eol)

    def bounds(self, index: int) -> Span:
        """The bytes of a record, without making its spans."""
        return self.run.bounds[2 * index], self.run.bounds[2 * index + 1]

    def with_records(self, records: tuple[MemoryItem, ...]) -> Items:
        """The same places with other values (other keys) of the same records."""
        return Items(self.run, records, self._eol)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file.

    `items` are in the order of the bytes (spans made on demand); `records` are the same items without spans.
    `unwritable` says why the file must not be written ('' where it may). `eol` is the line end that most lines have.
    `open_fence` is the offset of the line that opens a fence or comment that is never closed, None where all are: a
    place behind it must not be written to. `hidden` are the fenced and commented spans.
    """

    path: str
    data: bytes
    standing: Standing
    sections: tuple[Section, ...]
    items: Items = field(compare=False)
    records: tuple[MemoryItem, ...]
    frontmatter: Frontmatter | None
    findings: tuple[Finding, ...]
    unwritable: str
    eol: bytes = b"\n"
    bom: bool = False
    open_fence: int | None = None
    hidden: tuple[Span, ...] = ()

    def section(self, title: str) -> Section | None:
        """The first section with this title (any case), None where there is none."""
        wanted = title.strip().casefold()
        return next((section for section in self.sections if section.title.casefold() == wanted), None)

    @property
    def lines(self) -> Sequence[Line]:
        """The file's lines, split anew at each call."""
        return split_lines(self.data)

    def find(self, key: str) -> ItemSpan | None:
        """The record with this key."""
        return next((self.items[index] for index, item in enumerate(self.records) if item.key == key), None)

    def keys_apart(self, shared: frozenset[str]) -> dict[int, str]:
        """The keys, by index, of the records whose id is `shared` with others in this root."""
        keys: dict[int, str] = {}
        seen: dict[str, int] = {}
        for number, item in enumerate(self.records):
            if item.id in shared:
                occurrence = seen.get(item.id, 0)
                seen[item.id] = occurrence + 1
                keys[number] = item_key(item.id, item.digest, self.path, occurrence, sole=False)
        return keys

    def rekeyed(self, keys: Mapping[int, str]) -> Document:
        """The same document where the records at some indexes have other keys; its findings follow."""
        records = list(self.records)
        by_line: list[tuple[int, str, str]] = []
        for index, key in keys.items():
            by_line.append((records[index].place.line, records[index].key, key))
            records[index] = replace(records[index], key=key)
        by_line.sort()
        findings = tuple(_refer(finding, by_line) for finding in self.findings)
        kept = tuple(records)
        return replace(self, records=kept, items=self.items.with_records(kept), findings=findings)


def _refer(finding: Finding, by_line: Sequence[tuple[int, str, str]]) -> Finding:
    """The finding with the new key of the item that it is about: the last one that begins at or above its line."""
    if finding.item is None or finding.line is None:
        return finding
    new = None
    for line, old, key in by_line:
        if line <= finding.line and old == finding.item:
            new = key
    return finding if new is None else replace(finding, item=new)


def render(document: Document) -> bytes:
    """The file's bytes: `render(parse_document(p, b, s)) == b` for all bytes."""
    return document.data


def parse_document(path: str, data: bytes, standing: Standing, *, strict: bool = True) -> Document:
    """Parse one file of memory items (inbox, topic, index, held page, archive). Never raises, whatever the bytes.

    `path` is root-relative. `strict` False reads every record by the tolerant grammar, with the same result.
    """
    return _Parser(path, data, standing, strict).document()


class _Parser:
    """One pass over a file."""

    def __init__(self, path: str, data: bytes, standing: Standing, strict: bool) -> None:
        self.path = path
        self.data = data
        self.standing = standing
        self.strict = strict and standing is not Standing.INDEX
        self.run = Run(data, path, standing)
        self.findings: list[Finding] = []
        self.headings: list[tuple[str, int, int, int]] = []
        self._historical = 0

    @property
    def numbers(self) -> LineNumbers:
        return self.run.numbers

    def document(self) -> Document:
        data = self.data
        bom = data.startswith(BOM)
        unwritable, damage = byte_damage(self.path, data)
        self.findings.extend(damage)
        self.strict = self.strict and not damage
        start = len(BOM) if bom else 0
        frontmatter = find_frontmatter(data, start)
        if frontmatter is not None:
            start, second = second_frontmatter(self.path, data, frontmatter)
            broken = frontmatter_finding(self.path, frontmatter)
            self.findings.extend(finding for finding in (broken, second) if finding is not None)
            if broken is not None:
                unwritable = unwritable or "its frontmatter does not parse"
        scanner = Scanner(data, start)
        self._walk(scanner)
        hidden = scanner.hidden if scanner.open_at is None else [*scanner.hidden, (scanner.open_at, len(data))]
        self._fence_findings(scanner)
        self.findings.extend(merge_markers(self.path, data, hidden))
        self.findings.sort(key=lambda finding: finding.line or 0)
        records = tuple(self.run.records)
        eol = _dominant_eol(data)
        return Document(
            path=self.path,
            data=data,
            standing=self.standing,
            sections=self._sections(),
            items=Items(self.run, records, eol),
            records=records,
            frontmatter=frontmatter,
            findings=tuple(self.findings),
            unwritable=unwritable,
            eol=eol,
            bom=bom,
            open_fence=scanner.open_at,
            hidden=tuple(hidden),
        )

    def _walk(self, scanner: Scanner) -> None:
        data = self.data
        block: Block | None = None
        while True:
            if self.strict and scanner.open_at is None:
                here = scanner.skip_empty() if block is None else block.start
                if data.startswith(b"- [", here) and self._take_strict(scanner, here):
                    block = None
                    continue
            if block is None:
                block = scanner.read()
                if block is None:
                    return
            if block.kind is Kind.HEADING:
                self._enter_section(block)
            elif is_head(data, block):
                raw, block = read_item(scanner, block)
                self._take(raw)
                if block is None:
                    return
                continue
            elif block.kind in (Kind.TEXT, Kind.BULLET, Kind.COMMENT) and is_placeholder(data[block.start : block.end]):
                self.findings.append(lost_rewrite(self.path, self.numbers.at(block.start)))
            block = None

    def _take_strict(self, scanner: Scanner, start: int) -> bool:
        """Take the canonical records that stand at `start`, if any."""
        run = self.run
        known = len(run.records)
        end = take_records(run, start)
        if end == start:
            return False
        scanner.pos = end
        scanner.enter_item(0)
        for index in run.unsound:
            item = run.records[index]
            self.findings.extend(schema_findings(item, partial(_head_line, item)))
        run.unsound.clear()
        return len(run.records) > known

    def _take(self, raw: RawItem) -> None:
        """Take a record that the tolerant grammar read."""
        run = self.run
        if not self._counts(raw.start, raw.head_end, raw.get("id"), raw.get("Source")):
            return
        digest = raw.digest()
        line = self.numbers.at(raw.start)
        key = raw.get("id") or run.unnamed_key(digest)
        item = to_item(raw, Place(self.path, line, run.section), run.standing, digest, key)
        run.records.append(item)
        run.bounds.extend((raw.start, raw.end))
        run.texts.extend((raw.text_start, raw.text_end))
        run.tolerant.append(item)

        def line_of_field(name: str) -> int:
            return next((self.numbers.at(s.start) for s in raw.fields if s.name == name and not s.inline), line)

        self.findings.extend(schema_findings(item, line_of_field))
        for code, spans, message in (
            ("duplicate-field", raw.repeated, "The field {} stands twice; the first counts."),
            ("contradicting-field", raw.contradictions(), "The field {} says something else than the item's head."),
        ):
            for span in spans:
                self.findings.append(
                    Finding(
                        code,
                        Severity.WARNING,
                        message.format(span.name),
                        file=self.path,
                        line=self.numbers.at(span.start),
                        item=key,
                        id=item.id,
                        remedy="Leave one of the two in the file.",
                    )
                )

    def _counts(self, start: int, head_end: int, id: str | None, source: str | None) -> bool:
        """Whether a dated bullet is an item here: in index.md a pointer, or a line without id and Source, is none."""
        if self.standing is not Standing.INDEX:
            return True
        return (id is not None or source is not None) and self.data.find(_ARROW, start, head_end) < 0

    def _enter_section(self, block: Block) -> None:
        title = title_of(self.data, block)
        self.run.section = title
        self.headings.append((title, block.marker, block.start, block.next))
        if self.standing is Standing.TOPIC:
            if title.casefold() == _HISTORICAL:
                self._historical = block.marker
            elif block.marker <= self._historical:
                self._historical = 0
            self.run.standing = Standing.HISTORICAL if self._historical else Standing.TOPIC

    def _sections(self) -> tuple[Section, ...]:
        sections = []
        ends = [len(self.data)] * 7
        """By level: where the nearest heading of that or a higher level begins, from the last one back."""
        for title, level, heading_start, start in reversed(self.headings):
            sections.append(Section(title, level, heading_start, start, ends[level]))
            ends[level:] = [heading_start] * (7 - level)
        return tuple(reversed(sections))

    def _fence_findings(self, scanner: Scanner) -> None:
        for offset in (*scanner.cut, *(() if scanner.open_at is None else (scanner.open_at,))):
            comment = self.data.startswith(b"<!--", offset) or self.data[offset:].lstrip(b" \t").startswith(b"<!--")
            at_end = offset == scanner.open_at
            thing = "comment" if comment else "fence"
            self.findings.append(
                Finding(
                    "open-fence",
                    Severity.ERROR if at_end else Severity.WARNING,
                    f"The {thing} that opens here is never closed; "
                    + ("nothing after it is read." if at_end else "it ends with its list item."),
                    file=self.path,
                    line=line_of(self.data, offset),
                    remedy=f"Close the {thing} where it should end.",
                )
            )


def _head_line(item: MemoryItem, _: str) -> int:
    """The line of a canonical record's fields as findings name it: what they are about is absent, so the head's."""
    return item.place.line


def _dominant_eol(data: bytes) -> bytes:
    """The line end that most lines have; `\\n` where none has one."""
    if b"\r" not in data:
        return b"\n"
    crlf = data.count(b"\r\n")
    counts = {b"\n": data.count(b"\n") - crlf, b"\r\n": crlf, b"\r": data.count(b"\r") - crlf}
    return max(counts, key=lambda eol: counts[eol])
