"""The parts of a root's files put together: keys, projections, the union of the records, one immutable snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import is_
from types import MappingProxyType
from typing import Any, TypeVar

from core.binding import Binding
from core.controls import ControlRecord, Tombstone
from core.events import Event, LogEntry
from core.findings import Finding
from core.pages import Page, PagedItems
from core.places import BINDING, INDEX, LOG, TOPICS_FOLDER
from core.snapshot import Archive, FileState, IndexView, Snapshot, item_key
from stores.markdown.document import Document
from stores.markdown.index_page import parse_index
from stores.markdown.layout import Role, nfc
from stores.markdown.log import LogPage, unreadable_record
from stores.markdown.parts import Part
from stores.markdown.records import unite

T = TypeVar("T", bound=tuple[Any, ...])


class Assembler:
    """Puts parts together, again and again: only what a changed part touches is computed anew."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._parts: dict[str, Part] = {}
        self._order: tuple[str, ...] = ()
        self._bearers: dict[str, tuple[str, ...]] = {}
        self._shared: set[str] = set()
        self._keyed: dict[str, tuple[Document, frozenset[str], Document]] = {}
        self._pages: dict[str, Page] = {}
        self._reserved: frozenset[str] = frozenset()
        self._last: tuple[object, Snapshot, Mapping[str, Document]] | None = None

    def assemble(
        self,
        parts: Mapping[str, Part],
        findings: tuple[Finding, ...],
        blocked: Mapping[str, str],
        sequence: int,
    ) -> tuple[Snapshot, Mapping[str, Document]]:
        """The snapshot of `parts` (path -> part) and its item pages by path.

        `findings` are those of the walk; `blocked` says why the contents at a path are not, or not newly, known: such a
        file must not be written. The last answer is given again where nothing is different.
        """
        changed = self._take(parts)
        if self._last is not None and not changed and self._last[0] == (findings, dict(blocked)):
            _, snapshot, documents = self._last
            if snapshot.sequence != sequence:
                snapshot = replace(snapshot, sequence=sequence)
                self._last = (self._last[0], snapshot, documents)
            return snapshot, documents
        documents = MappingProxyType(dict(self._documents()))
        index, projections = self._index(documents)
        log, controls, tombstones, bare = self._records()
        events = tuple(self._events())
        ordered = [self._parts[path] for path in self._order]
        archive = Archive(part.day for part in ordered if part.day is not None)
        last = self._last[1] if self._last is not None else Snapshot(self._root)
        snapshot = Snapshot(
            root=self._root,
            binding=self._binding(),
            items=PagedItems.of(self._pages_of(documents, projections)),
            topics=tuple(part.topic for part in ordered if part.topic is not None),
            archive=_shared(archive, last.archive),
            index=index,
            log=log,
            events=_shared(events, last.events),
            controls=controls,
            tombstones=last.tombstones if _equal(tombstones, last.tombstones) else tombstones,
            proposals=tuple(proposal for part in ordered for proposal in part.proposals),
            drift=(*findings, *self._drift(documents, projections), *bare),
            files=MappingProxyType(self._files(blocked)),
            reserved_ids=self._reserved,
            sequence=sequence,
        )
        self._last = ((findings, dict(blocked)), snapshot, documents)
        return snapshot, documents

    def _take(self, parts: Mapping[str, Part]) -> bool:
        """Take the parts over from the last ones; whether any is different."""
        gone = [path for path in self._parts if path not in parts]
        new = [path for path, part in parts.items() if self._parts.get(path) is not part]
        if not gone and not new:
            return False
        left = set[str]()
        for path in (*gone, *new):
            known = self._parts.pop(path, None)
            if known is not None:
                self._count(path, known, -1)
                left |= known.ids
        for path in new:
            self._parts[path] = parts[path]
            self._count(path, parts[path], 1)
        for path in gone:
            self._keyed.pop(path, None)
        self._order = tuple(sorted(self._parts))
        come = frozenset().union(*(parts[path].ids for path in new))
        left = {id for id in left - come if not any(id in part.ids for part in self._parts.values())}
        self._reserved = self._reserved.difference(left).union(come)
        return True

    def _count(self, path: str, part: Part, by: int) -> None:
        """Keep the table of who bears which id; index.md only projects what is borne elsewhere."""
        if part.document is None or part.role is Role.INDEX:
            return
        bearers, shared = self._bearers, self._shared
        here = (path,)
        for item in part.document.records:
            if item.id is None:
                continue
            known = bearers.get(item.id)
            if by > 0:
                bearers[item.id] = here if known is None else (*known, path)
                if known is not None:
                    shared.add(item.id)
            elif known is not None:
                left = list(known)
                left.remove(path)
                if left:
                    bearers[item.id] = tuple(left)
                else:
                    del bearers[item.id]
                if len(left) < 2:
                    shared.discard(item.id)

    def _documents(self) -> Iterator[tuple[str, Document]]:
        """The item pages in order, each with the keys that its records have in this root."""
        affected: dict[str, set[str]] = {}
        for id in self._shared:
            for path in self._bearers[id]:
                affected.setdefault(path, set()).add(id)
        for path in self._order:
            document = self._parts[path].document
            if document is None:
                continue
            if path == INDEX:
                yield path, self._index_document(document)
            elif path in affected:
                yield path, self._with_keys(path, document, frozenset(affected[path]))
            else:
                yield path, document

    def _with_keys(self, path: str, document: Document, shared: frozenset[str]) -> Document:
        """The page with its records' keys where it bears ids that are borne more than once."""
        kept = self._keyed.get(path)
        if kept is not None and kept[0] is document and kept[1] == shared:
            return kept[2]
        keyed = document.rekeyed(dict(_shared_keys(document, shared)))
        self._keyed[path] = (document, shared, keyed)
        return keyed

    def _index_document(self, document: Document) -> Document:
        """index.md: its own items that are borne twice within it get keys of their own."""
        own = Counter(item.id for item in document.records if item.id is not None and item.id not in self._bearers)
        twice = frozenset(id for id, count in own.items() if count > 1)
        return self._with_keys(INDEX, document, twice) if twice else document

    def _index(self, documents: Mapping[str, Document]) -> tuple[IndexView, frozenset[int]]:
        """The view of index.md, and the indexes of its records that only project an item borne elsewhere."""
        document = documents.get(INDEX)
        if document is None:
            return IndexView(), frozenset()
        page = parse_index(document, limit=self._binding().limits.index_lines, resolve=self._resolver())
        projections = (
            number for number, item in enumerate(document.records) if item.id is not None and item.id in self._bearers
        )
        return page.view, frozenset(projections)

    def _resolver(self) -> Callable[[str], str]:
        """A function from the file an index entry names, in any Unicode form, to the file that is there."""
        names = {nfc(path): path for path in self._parts}

        def resolve(target: str) -> str:
            bare, mark, anchor = nfc(target).removeprefix("./").removeprefix("memory/").partition("#")
            for candidate in (bare, f"{TOPICS_FOLDER}/{bare}"):
                if candidate in names:
                    return names[candidate] + mark + anchor
            return target

        return resolve

    def _pages_of(self, documents: Mapping[str, Document], projections: frozenset[int]) -> Iterator[Page]:
        """The items of each page; a page whose items are the same as before is the same."""
        known, self._pages = self._pages, {}
        for path, document in documents.items():
            items = document.records
            if path == INDEX and projections:
                items = tuple(item for number, item in enumerate(items) if number not in projections)
            if items:
                page = known.get(path)
                if page is None or (page.items is not items and not _same(page.items, items)):
                    page = Page(items)
                self._pages[path] = page
                yield page

    def _drift(self, documents: Mapping[str, Document], projections: frozenset[int]) -> Iterator[Finding]:
        """What reading the files found. A projection's drift is that of the item it projects."""
        for path in self._order:
            document = documents.get(path)
            if document is None:
                yield from self._parts[path].findings
            elif path == INDEX and projections:
                projected = {document.records[number].key for number in projections}
                yield from (finding for finding in document.findings if finding.item not in projected)
            else:
                yield from document.findings

    def _log_pages(self) -> list[LogPage]:
        """The segments of the log, oldest first: what was rotated out, then log.md."""
        pages = [part.log for path in self._order if (part := self._parts[path]).log is not None]
        return sorted((page for page in pages if page is not None), key=lambda page: (page.path == LOG, page.path))

    def _events(self) -> Iterator[Event]:
        """The replay records, each once: a copy that a sync tool left in another file is no second event."""
        seen: dict[str, list[Event]] = {}
        for path in self._order:
            for event in self._parts[path].events:
                bare = event
                if event.tombstone is not None:
                    bare = replace(event, tombstone=replace(event.tombstone, place=None))
                known = seen.setdefault(event.id, [])
                if bare not in known:
                    known.append(bare)
                    yield event

    def _records(
        self,
    ) -> tuple[tuple[LogEntry, ...], tuple[ControlRecord, ...], tuple[Tombstone, ...], tuple[Finding, ...]]:
        """The timeline, and the union of what the log and the replay records say (§12.2, §12.3)."""
        pages = self._log_pages()
        events = [event for path in self._order for event in self._parts[path].events]
        written = [
            *(control for page in pages for control in page.controls),
            *(event.control for event in events if event.control is not None),
        ]
        known = {control.withdrawal_id for control in written}
        bare = [one for page in pages for one in page.bare if one.withdrawal_id not in known]
        findings = tuple(
            unreadable_record(one.withdrawal_id or "of a withdrawal", one.unreadable or "", one.places[0])
            for one in bare
        )
        named = (one for one in bare if one.withdrawal_id or not one.scope.empty)
        tombstones: dict[Tombstone, Tombstone] = {}
        for tombstone in (
            *(tombstone for page in pages for tombstone in page.tombstones),
            *(event.tombstone for event in events if event.tombstone is not None),
        ):
            tombstones.setdefault(replace(tombstone, place=None), tombstone)
        entries = tuple(entry for page in pages for entry in page.entries)
        return entries, unite((*written, *named)), tuple(tombstones.values()), findings

    def _binding(self) -> Binding:
        part = self._parts.get(BINDING)
        return part.binding if part is not None and part.binding is not None else Binding()

    def _files(self, blocked: Mapping[str, str]) -> dict[str, FileState]:
        """Every governed file, and those that are not read, which must not be written either."""
        files = {path: self._parts[path].state for path in self._order if self._parts[path].role is not Role.LEFTOVER}
        for path, why in blocked.items():
            if not path.endswith((".md", ".jsonl", ".toml")):
                continue
            state = files.get(path, FileState("", 0))
            files[path] = replace(state, unwritable=why)
        return files


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _equal(one: tuple[Tombstone, ...], other: tuple[Tombstone, ...]) -> bool:
    return one == other and all(new.place == last.place for new, last in zip(one, other, strict=True))


def _shared(new: T, last: T) -> T:
    """`last` where it holds the very same things as `new`: what was worked out about it holds on."""
    return last if type(new) is type(last) and _same(new, last) else new


def _shared_keys(document: Document, shared: frozenset[str]) -> Iterable[tuple[int, str]]:
    seen: dict[str, int] = {}
    for number, item in enumerate(document.records):
        if item.id in shared:
            occurrence = seen.get(item.id, 0)
            seen[item.id] = occurrence + 1
            yield number, item_key(item.id, item.digest, document.path, occurrence, sole=False)
