"""Items: added, their fields set, moved with all their bytes (§7.1 capability 3, §9)."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from core.changes import AddItem, MoveItem, SetFields
from core.errors import WriteRefused
from core.items import FieldValue, MemoryItem
from core.places import TOPICS_FOLDER
from stores.markdown.project_fields import field_patches, new_record, patched, style_like
from stores.markdown.project_files import Files
from stores.markdown.project_page import Page, Rank, ends_line
from stores.markdown.spans import ItemSpan

Fields = Mapping[str, FieldValue | None]


def gather_fields(changes: tuple[SetFields, ...]) -> dict[str, dict[str, FieldValue | None]]:
    """Key of the bearer -> the value each field is to have in the end; None removes it."""
    gathered: dict[str, dict[str, FieldValue | None]] = {}
    for change in changes:
        fields = gathered.setdefault(change.key, {})
        for field in change.fields:
            if field.name not in ("text", "place"):
                fields[field.name] = field.after
    return gathered


def bearer(files: Files, key: str) -> MemoryItem:
    """The bearer of `key`. Raises `WriteRefused` where the snapshot has none."""
    item = files.snapshot.by_key.get(key)
    if item is None:
        raise WriteRefused("There is no such item any more.", where=key, remedy="Read the root again, then try again.")
    return item


def set_fields(files: Files, item: MemoryItem, fields: Fields) -> None:
    """Set fields of a record where it stands."""
    span = files.span(item)
    page = files.page(item.place.file)
    for patch in field_patches(page.data, span, fields):
        if patch.line:
            page.insert(patch.start, patch.replacement, rank=Rank.WITHIN)
        else:
            page.replace(patch.start, patch.end, patch.replacement)


def add_item(files: Files, change: AddItem) -> None:
    """Add a new record, in the style of the record it will stand beside."""
    page = files.page(change.file)
    beside = _neighbour(files, page, change)
    text = new_record(change.record, style_like(page.data, beside, page.eol), where=page.path)
    _place(files, page, change.section, change.before, text)


def move_item(files: Files, change: MoveItem, fields: Fields) -> None:
    """Move a record, its bytes as they are but for `fields`, behind the last record of the section."""
    item = bearer(files, change.key)
    text = take_out(files, item, fields)
    page = files.page(change.file)
    _place(files, page, change.section, None, whole_lines(text, page.eol))


def take_out(files: Files, item: MemoryItem, fields: Fields) -> bytes:
    """Remove a record from where it stands; its bytes with `fields` set."""
    span = files.span(item)
    page = files.page(item.place.file)
    page.replace(span.start, span.end, b"")
    page.removes = True
    return patched(page.data, span, fields)


def whole_lines(record: bytes, eol: bytes) -> bytes:
    """The record with a line end at its end."""
    return record if ends_line(record) else record + eol


def start_page(page: Page) -> None:
    """Give a topic page that is not there yet its title (§11)."""
    if page.before is None and not page.inserts and page.path.startswith(TOPICS_FOLDER + "/"):
        words = posixpath.basename(page.path).removesuffix(".md").replace("-", " ").replace("_", " ").strip()
        if words:
            page.insert(0, f"# {words[:1].upper()}{words[1:]}\n".encode(), rank=Rank.WITHIN, bound=False)


def _place(files: Files, page: Page, section: str | None, before: str | None, text: bytes) -> None:
    start_page(page)
    page.inserts = True
    anchor = files.snapshot.by_key.get(before) if before is not None else None
    if anchor is not None and anchor.place.file == page.path:
        page.put_before(files.index(anchor), text)
    else:
        page.append_to_section(section, text)


def _neighbour(files: Files, page: Page, change: AddItem) -> ItemSpan | None:
    if page.document is None:
        return None
    anchor = files.snapshot.by_key.get(change.before) if change.before is not None else None
    if anchor is not None and anchor.place.file == page.path:
        return files.span(anchor)
    section = page.find_section(change.section) if change.section is not None else None
    records = page.records_under(section) if section is not None else range(0)
    records = records or range(len(page.document.records))
    return page.document.items[records[-1]] if records else None
