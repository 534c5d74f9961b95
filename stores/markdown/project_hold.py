"""Text of withdrawn items moves to `withdrawn/` and back, byte for byte (§12.2). The control record alone excludes.

In `withdrawn/<withdrawal id>.md` each record stands below a comment that says where it stood:

    <!-- from: topics/deploy.md#Facts and lessons; line: 3; rest: 5f…; after: mem-…; before: mem-… -->

`line` counts from the first line of the section (of the file's body, where there is none), with every record that is
held out of that section at the time in its place: so records that were held one after the other can return in any
order. `after` and `before` name the records beside it, `rest` is a digest of what stands around the records of the
section: where that is another, others wrote there, and the line says nothing any more. A held record keeps its section:
it stands below a heading of the same title, so that its place reads the same in the log and in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from core.changes import HoldItem, ReleaseItem
from core.errors import WriteRefused
from core.items import MemoryItem
from core.places import HELD_FOLDER, held_file
from stores.markdown.blocks import NEWLINE
from stores.markdown.document import BOM, Document
from stores.markdown.project_files import Files
from stores.markdown.project_items import Fields, bearer, start_page, take_out, whole_lines
from stores.markdown.project_page import Lead, Page
from stores.markdown.spans import Section, Span

_NOTE = re.compile(rb"<!-- from: ([^\r\n;>]*)((?:; [a-z]+: [^\r\n;>]*)*) -->[ \t]*(?:\r\n?|\n)")
_ESCAPED = re.compile(r"[%;>#\r\n]|--|-\Z")
_CODED = re.compile(r"%([0-9A-F]{2})")


@dataclass(frozen=True, slots=True)
class Note:
    """Where a held record stood.

    `nth` counts the sections of that title from 0. `lines` is how many lines the record has, `eol` whether its last
    line had a line end.
    """

    file: str
    section: str | None
    line: int
    rest: str
    after: str | None
    before: str | None
    lines: int
    nth: int = 0
    eol: bool = True

    def render(self) -> str:
        """The comment, without a line end."""
        place = _escaped(self.file) + (f"#{_escaped(self.section)}" if self.section is not None else "")
        parts = [f"from: {place}", *([f"nth: {self.nth}"] if self.nth else [])]
        parts += [f"line: {self.line}", f"rest: {self.rest}"]
        parts += [f"{name}: {_escaped(key)}" for name, key in (("after", self.after), ("before", self.before)) if key]
        parts += [] if self.eol else ["eol: none"]
        return f"<!-- {'; '.join(parts)} -->"


def read_note(data: bytes, start: int, end: int) -> tuple[Note, int] | None:
    """The note above the record `[start, end)` and the offset it begins at; None where there is none."""
    begin = max(data.rfind(b"<!-- from: ", 0, start), 0)
    match = _NOTE.fullmatch(data, begin, start)
    if match is None:
        return None
    file, hashed, section = match[1].decode("utf-8", "replace").partition("#")
    fields = dict(part.split(": ", 1) for part in match[2].decode("utf-8", "replace").split("; ") if part)
    lines = max(1, len(NEWLINE.findall(data, start, end)) + (0 if data[end - 1 : end] in (b"\n", b"\r") else 1))
    after, before = (_unescaped(fields[name]) if name in fields else None for name in ("after", "before"))
    return (
        Note(
            file=_unescaped(file),
            section=_unescaped(section) if hashed else None,
            line=_number(fields.get("line"), -1),
            rest=fields.get("rest", ""),
            after=after,
            before=before,
            lines=lines,
            nth=_number(fields.get("nth"), 0),
            eol=fields.get("eol") != "none",
        ),
        begin,
    )


def hold_items(files: Files, changes: Sequence[HoldItem], fields: Mapping[str, Fields]) -> tuple[tuple[str, str], ...]:
    """Move records to `withdrawn/`, best effort; `(key, reason)` of those that stay where they are."""
    skipped = []
    leaving = {change.key for change in changes}
    for change in changes:
        try:
            _hold(files, change, fields.get(change.key, {}), leaving)
        except WriteRefused as error:
            if change.key in fields:
                raise
            skipped.append((change.key, str(error)))
    return tuple(skipped)


def release_items(
    files: Files, changes: Sequence[ReleaseItem], fields: Mapping[str, Fields]
) -> tuple[tuple[str, str], ...]:
    """Put held records back: exactly where they stood if that can be told, else as the change says.

    Best effort like `hold_items`; `(key, reason)` of those that stay in `withdrawn/`.
    """
    skipped = []
    found = []
    for order, change in enumerate(changes):
        try:
            item = bearer(files, change.key)
            span = files.span(item)
            files.page(item.place.file).check(span.end)
            files.page(change.file).check_end()
        except WriteRefused as error:
            if change.key in fields:
                raise
            skipped.append((change.key, str(error)))
            continue
        noted = read_note(files.documents[item.place.file].data, span.start, span.end)
        found.append((noted[0].line if noted else -1, order, change, item, noted))
    for _, _, change, item, noted in sorted(found, key=lambda entry: entry[:2]):
        text = _let_go(files, item, fields.get(change.key, {}), noted[1] if noted else None)
        _put_back(files, change, text, noted[0] if noted else None)
    return tuple(skipped)


def held_notes(files: Files, file: str, section: str | None, nth: int = 0) -> Sequence[Note]:
    """The notes of the records that are held out of the `nth` `section` of `file`, in the order of their lines."""
    if files.held is None:
        files.held = {}
        for path, document in files.documents.items():
            if path.startswith(HELD_FOLDER + "/"):
                for index in range(len(document.records)):
                    noted = read_note(document.data, *document.items.bounds(index))
                    if noted is not None:
                        files.held.setdefault((noted[0].file, noted[0].section, noted[0].nth), []).append(noted[0])
        for notes in files.held.values():
            notes.sort(key=lambda note: note.line)
    return files.held.get((file, section, nth), ())


def _hold(files: Files, change: HoldItem, fields: Fields, leaving: set[str]) -> None:
    item = bearer(files, change.key)
    source, target = files.page(item.place.file), files.page(held_file(change.withdrawal_id))
    if source is target:
        raise WriteRefused("It is held there already.", where=str(item.place))
    source.check(source.bounds(files.index(item))[1])
    target.check_end()
    note = _note(files, source, item, leaving)
    text = whole_lines(take_out(files, item, fields), source.eol)
    if target.before is None and not target.inserts:
        intro = f"Withdrawn by {change.withdrawal_id}. Not to be read, quoted or used: log.md says what became of it."
        target.insert(0, intro.encode() + b"\n", bound=False)
    target.inserts = True
    _add_held(target, item.place.section, note.render().encode() + target.eol + text)


def _add_held(page: Page, section: str | None, block: bytes) -> None:
    """Put a held record in the file: below its section's heading, or in front of every heading."""
    sections = page.document.sections if page.document is not None else ()
    known = next((found for found in sections if found.title == section), None)
    if section is not None and known is None:
        page.add_to_new_section(section, block, apart=True)
        return
    at = page.body_end(known) if known is not None else sections[0].heading_start if sections else len(page.data)
    page.insert(at, block if at == len(page.data) else block + page.eol, lead=Lead.BLANK)


def _note(files: Files, page: Page, item: MemoryItem, leaving: set[str]) -> Note:
    """Where `item` stands now, beside records that are not leaving with it."""
    file, section = item.place.file, item.place.section
    index = files.index(item)
    start, end = page.bounds(index)
    region = _region_at(page, start)
    nth = max(0, _regions(page, section).index(region))
    line = len(NEWLINE.findall(page.data, region[0], start))
    for held in held_notes(files, file, section, nth):
        if held.line <= line:
            line += held.lines
    assert page.document is not None
    beside = page.records_between(*region)
    staying = [number for number in beside if page.document.records[number].key not in leaving]
    cut = bisect_left(staying, index)
    lines = max(1, len(NEWLINE.findall(page.data, start, end)))
    return Note(
        file,
        section,
        line,
        _rest(page, region),
        after=_label(page.document, staying[cut - 1]) if cut else None,
        before=_label(page.document, staying[cut]) if cut < len(staying) else None,
        lines=lines,
        nth=nth,
        eol=page.data[end - 1 : end] in (b"\n", b"\r"),
    )


def _let_go(files: Files, item: MemoryItem, fields: Fields, note_start: int | None) -> bytes:
    """Remove a held record with its note, and one of the blank lines around it; its bytes."""
    page = files.page(item.place.file)
    start, end = page.bounds(files.index(item))
    text = take_out(files, item, fields)
    begin = start if note_start is None else note_start
    if begin < start:
        page.replace(begin, start, b"")
    blank = NEWLINE.match(page.data, end)
    if blank is not None:
        page.replace(end, blank.end(), b"")
    return text


def _put_back(files: Files, change: ReleaseItem, text: bytes, note: Note | None) -> None:
    page = files.page(change.file)
    start_page(page)
    page.inserts = True
    if note is not None and page.document is not None and (note.file, note.section) == (page.path, change.section):
        at = _where_it_stood(files, page, note)
        if at is not None:
            bare = not note.eol and at == len(page.data)
            page.insert(at, text.rstrip(b"\r\n") if bare else whole_lines(text, page.eol), lead=Lead.LINE)
            return
    lines = whole_lines(text, page.eol)
    regions = _regions(page, change.section)
    after, before = (
        next((found for region in regions if (found := _find(page, label, region)) is not None), None)
        for label in ((note.after, note.before) if note else (None, None))
    )
    anchor = files.snapshot.by_key.get(change.before) if change.before is not None else None
    if anchor is not None and anchor.place.file == page.path:
        page.put_before(files.index(anchor), lines)
    elif before is not None:
        page.put_before(before, lines)
    elif after is not None:
        page.put_behind(after, lines)
    else:
        page.append_to_section(change.section, lines)


def _where_it_stood(files: Files, page: Page, note: Note) -> int | None:
    """The offset at which the record stood; None where others changed what stands around it."""
    if note.line < 0:
        return None
    held = held_notes(files, note.file, note.section, note.nth)
    line = note.line - sum(other.lines for other in held if other.line < note.line)
    regions = _regions(page, note.section)
    for region in (*regions[note.nth : note.nth + 1], *regions):
        at = _line_start(page.data, region, line)
        if at is None or _rest(page, region) != note.rest:
            continue
        low, high = _find(page, note.after, region), _find(page, note.before, region)
        torn = any(page.bounds(index)[0] < at < page.bounds(index)[1] for index in page.records_between(*region))
        if torn or (low is not None and at < page.bounds(low)[1]) or (high is not None and at > page.bounds(high)[0]):
            continue
        return at
    return None


def _rest(page: Page, region: Span) -> str:
    """A digest of what stands in the region around its records."""
    parts = []
    at = region[0]
    for index in page.records_between(*region):
        start, end = page.bounds(index)
        parts.append(page.data[at:start])
        at = end
    return blake2b(b"".join((*parts, page.data[at : region[1]])), digest_size=4).hexdigest()


def _regions(page: Page, section: str | None) -> list[Span]:
    """Where a record of `section` may stand: below each heading of that title, or in front of the first heading."""
    if page.document is None:
        return []
    if section is None:
        return [_body(page)]
    return [(found.start, page.body_end(found)) for found in page.document.sections if found.title == section]


def _region_at(page: Page, offset: int) -> Span:
    """The lines between the heading above `offset` (the end of the frontmatter) and the one below."""
    assert page.document is not None
    above: Section | None = None
    for section in page.document.sections:
        if section.heading_start > offset:
            break
        above = section
    return (above.start, page.body_end(above)) if above is not None else _body(page)


def _body(page: Page) -> Span:
    """What stands in front of the first heading, the frontmatter aside."""
    assert page.document is not None
    frontmatter = page.document.frontmatter
    first = min((section.heading_start for section in page.document.sections), default=len(page.data))
    start = len(BOM) if page.document.bom else 0
    return (frontmatter.end if frontmatter is not None else start), first


def _line_start(data: bytes, region: Span, line: int) -> int | None:
    """The offset of the 0-based `line` of the region; None where it has fewer."""
    at, end = region
    for _ in range(line):
        match = NEWLINE.search(data, at, end)
        if match is None:
            return None
        at = match.end()
    return at


def _find(page: Page, label: str | None, region: Span) -> int | None:
    """The index of the record of the region that a note calls `label`."""
    if label is None or page.document is None:
        return None
    return next((index for index in page.records_between(*region) if _label(page.document, index) == label), None)


def _label(document: Document, index: int) -> str:
    """What a note calls a record: its id, or its digest where it has none."""
    record = document.records[index]
    return record.id or f"~{record.digest}"


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else otherwise


def _escaped(text: str) -> str:
    """`text` without what would end the note, or a part of it."""

    def code(match: re.Match[str]) -> str:
        return "".join(f"%{ord(character):02X}" for character in match[0])

    return _ESCAPED.sub(code, text)


def _unescaped(text: str) -> str:
    return _CODED.sub(lambda match: chr(int(match[1], 16)), text)
