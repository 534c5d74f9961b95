"""The items of a snapshot while changes are made to them: only the pages that a change touches are opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from core.changes import AddItem, Change, ChangeSet, HoldItem, MoveItem, ReleaseItem, SetFields
from core.events import FieldChange
from core.items import MemoryItem, Place, Record
from core.pages import Page, PagedItems, pages_of
from core.places import held_file, standing_of
from core.snapshot import Snapshot, item_key
from core.vocabulary import Kind, Status

_ATTRIBUTES = {
    "id": "id",
    "subject": "subject",
    "Scope": "scope",
    "superseded_by": "superseded_by",
    "merged_into": "merged_into",
    "conflicts_with": "conflicts_with",
    "promoted_to": "promoted_to",
    "inspired_by": "inspired_by",
    "corroborating_refs": "corroborating_refs",
    "Source": "source",
    "Confidence-Scheme": "confidence_scheme",
    "Confidence": "confidence",
    "marker": "marker",
    "date": "date",
}


def with_fields(item: MemoryItem, fields: Sequence[FieldChange]) -> MemoryItem:
    """The item after `fields` are set; its digest is that of its new record."""
    values: dict[str, object] = {}
    for change in fields:
        value = change.after
        if change.name == "Status":
            values["status_text"] = value
            values["status"] = next((token for token in Status if token == value), None) if value else Status.ACTIVE
        elif change.name == "kind":
            values["kind_text"] = value
            values["kind"] = next((token for token in Kind if token == value), None)
        elif change.name in _ATTRIBUTES:
            listed = change.name in ("conflicts_with", "corroborating_refs")
            values[_ATTRIBUTES[change.name]] = () if listed and value is None else value
    changed = replace(item, **values)  # type: ignore[arg-type]
    return replace(changed, digest=record_digest(changed.record()))


def from_record(record: Record, *, file: str, section: str | None, line: int = 1) -> MemoryItem:
    """A new item from its fields, standing in `section` of `file`."""
    bare = MemoryItem(
        key=str(record.get("id", "")),
        text=str(record.get("text", "")),
        place=Place(file, line, section),
        standing=standing_of(file, section),
        digest="",
    )
    return with_fields(bare, [FieldChange(name, None, value) for name, value in record.items()])


def record_digest(record: Record) -> str:
    """A digest of a record, for stores that have no bytes of their own."""
    return sha256(repr(sorted(record.items())).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def assign_keys(items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
    """The items with the keys their ids, files and order give them."""
    return tuple(_keyed(items, Counter(item.id for item in items if item.id is not None), {}))


class Shelf:
    """The pages of `snapshot` after `changes`, in order."""

    def __init__(self, snapshot: Snapshot, changes: ChangeSet) -> None:
        self._snapshot = snapshot
        self._pages: list[Page | None] = list(snapshot.pages)
        """None for a page that is new."""
        self._open: dict[int, list[MemoryItem]] = {}
        self._numbers: dict[str, list[int]] = {}
        for number, page in enumerate(snapshot.pages):
            self._numbers.setdefault(page.file, []).append(number)
        for change in changes.changes:
            self._make(change)

    def changed(self) -> list[MemoryItem]:
        """The items that are new or not as they were, in order, under the keys they had."""
        before = self._snapshot.by_key
        return [
            item for number in sorted(self._open) for item in self._open[number] if before.get(item.key) is not item
        ]

    def paged(self) -> PagedItems:
        """All items, with the keys that their ids, files and order give them."""
        counts = self._bearers()
        seen: dict[tuple[str, str], int] = {}
        keyed = {number: tuple(_keyed(self._open[number], counts, seen)) for number in sorted(self._open)}
        closed = (page for number in range(len(self._pages)) for page in self._closed(number, keyed))
        return PagedItems.of(closed, self._snapshot.pages)

    def _closed(self, number: int, keyed: dict[int, tuple[MemoryItem, ...]]) -> Iterator[Page]:
        page, items = self._pages[number], keyed.get(number)
        if page is not None and (items is None or items == page.items):
            yield page
        elif items:
            yield from pages_of(items)

    def _bearers(self) -> dict[str, int]:
        """How many items bear each id on an open page. What else bears one, or stands in its file, is opened."""
        before = self._snapshot.by_id
        for number in tuple(self._open):
            page = self._pages[number]
            those = (*(page.items if page is not None else ()), *self._open[number])
            files = {item.place.file for item in those}
            files.update(other.place.file for item in those for other in before.get(item.id or "", ()))
            for there in (there for file in sorted(files) for there in self._numbers.get(file, ())):
                self._opened(there)
        ids = {item.id for items in self._open.values() for item in items if item.id is not None}
        counts = {id: len(before.get(id, ())) for id in ids}
        for number, items in self._open.items():
            page = self._pages[number]
            for item in page.items if page is not None else ():
                if item.id in counts:
                    counts[item.id] -= 1
            for item in items:
                if item.id is not None:
                    counts[item.id] += 1
        return counts

    def _make(self, change: Change) -> None:
        match change:
            case SetFields(key, fields):
                found = self._find(key)
                if found is not None:
                    items, at = found
                    items[at] = with_fields(items[at], fields)
            case AddItem(record, file, section, before):
                self._insert(from_record(record, file=file, section=section), before)
            case MoveItem(key, file, section):
                self._move(key, file, section, None)
            case HoldItem(key, withdrawal_id):
                found = self._find(key)
                section = found[0][found[1]].place.section if found is not None else None
                self._move(key, held_file(withdrawal_id), section, None)
            case ReleaseItem(key, file, section, before):
                self._move(key, file, section, before)
            case _:
                pass

    def _opened(self, number: int) -> list[MemoryItem]:
        items = self._open.get(number)
        if items is None:
            page = self._pages[number]
            items = self._open[number] = list(page.items) if page is not None else []
        return items

    def _find(self, key: str) -> tuple[list[MemoryItem], int] | None:
        """The open page on which the item with `key` stands now, and its index there."""
        known = self._snapshot.by_key.get(key)
        home = self._numbers[known.place.file] if known is not None else ()
        for number in (*home, *(number for number in self._open if number not in home)):
            for at, item in enumerate(self._opened(number)):
                if item.key == key:
                    return self._open[number], at
        return None

    def _move(self, key: str, file: str, section: str | None, before: str | None) -> None:
        found = self._find(key)
        if found is not None:
            item = found[0].pop(found[1])
            place = Place(file, item.place.line, section)
            self._insert(replace(item, place=place, standing=standing_of(file, section)), before)

    def _insert(self, item: MemoryItem, before: str | None) -> None:
        """Put `item` before the item of that key in its file; else last in its section, in its file, or of all."""
        found = self._find(before) if before is not None else None
        if found is not None and found[0][found[1]].place.file == item.place.file:
            found[0].insert(found[1], item)
            return
        there = self._numbers.get(item.place.file)
        if there is None:
            there = self._numbers[item.place.file] = [len(self._pages)]
            self._pages.append(None)
        for number in reversed(there):
            for at, other in reversed(tuple(enumerate(self._opened(number)))):
                if other.place.section == item.place.section and other.place.file == item.place.file:
                    self._open[number].insert(at + 1, item)
                    return
        self._opened(there[-1]).append(item)


def _keyed(
    items: Sequence[MemoryItem], counts: dict[str, int], seen: dict[tuple[str, str], int]
) -> Iterator[MemoryItem]:
    """The items with their keys. `counts` are the bearers of each id, `seen` those that came before in each file."""
    for item in items:
        label = item.id or "~" + item.digest
        occurrence = seen.get((label, item.place.file), 0)
        seen[(label, item.place.file)] = occurrence + 1
        sole = item.id is not None and counts[item.id] == 1
        key = item_key(item.id, item.digest, item.place.file, occurrence, sole=sole)
        yield item if item.key == key else replace(item, key=key)
