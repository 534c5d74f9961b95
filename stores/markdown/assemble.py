"""The parts of a root's files put together: keys, projections, the union of the records, one immutable snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter, is_
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from core.binding import Binding
from core.controls import ControlRecord, Tombstone
from core.events import Event, LogEntry
from core.findings import Finding
from core.pages import Page, PagedItems
from core.places import BINDING, INDEX, LOG, TOPICS_FOLDER
from core.snapshot import Archive, FileState, IndexView, Snapshot, Topic
from stores.markdown.document import Document
from stores.markdown.index_page import parse_index
from stores.markdown.layout import Role, nfc
from stores.markdown.log import LogPage, unreadable_record
from stores.markdown.parts import Documents, Leaf, Part
from stores.markdown.records import unite
from stores.markdown.reserved import Reserved

_id = attrgetter("id")

Shared = TypeVar("Shared", bound=tuple[Any, ...])


class Kept(NamedTuple):
    """The part of the file `path`, and answers to questions about its records, by name."""

    path: str
    part: Part
    answers: Mapping[str, Any]


class _Changed(NamedTuple):
    """What differs from the last parts: the parts that are gone, or were at a path before, and those that are new."""

    gone: Mapping[str, Part]
    new: Mapping[str, Part]

    @property
    def moved(self) -> bool:
        """Whether files came or went, or are of another role now."""
        return self.gone.keys() != self.new.keys() or any(
            self.gone[path].role is not part.role for path, part in self.new.items()
        )

    def says(self, *names: str) -> bool:
        """Whether any of them has, or had, what these fields of a part are for."""
        those = (*self.gone.values(), *self.new.values())
        return any(getattr(part, name) not in (None, ()) for part in those for name in names)

    def same_topics(self) -> bool:
        """Whether the topic pages among them say the same about themselves."""
        paths = self.gone.keys() | self.new.keys()
        return all(_topic(self.gone.get(path)) == _topic(self.new.get(path)) for path in paths)


class Assembler:
    """Puts parts together, again and again: only what a changed part touches is computed anew."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._parts: dict[str, Part] = {}
        self._order: tuple[str, ...] = ()
        self._bearers: dict[str, tuple[str, ...]] = {}
        self._shared: set[str] = set()
        self._found: set[str] = set()
        """The paths of the parts with findings."""
        self._read: dict[str, Leaf] = {}
        """The item pages in order, as they were read."""
        self._keyed: dict[str, tuple[Leaf, frozenset[str], Leaf]] = {}
        self._leaves: dict[str, Leaf] = {}
        """The item pages in order, with the keys that their records have in this root."""
        self._pages: dict[str, Page] = {}
        self._states: dict[str, FileState] = {}
        self._view: tuple[tuple[object, ...], IndexView] = (), IndexView()
        """What the view of index.md was made of, and the view."""
        self._bare: tuple[Finding, ...] = ()
        self._reserved = Reserved(())
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
        if self._last is not None and not any(changed) and self._last[0] == (findings, dict(blocked)):
            _, snapshot, documents = self._last
            if snapshot.sequence != sequence:
                snapshot = replace(snapshot, sequence=sequence)
                self._last = (self._last[0], snapshot, documents)
            return snapshot, documents
        last = self._last[1] if self._last is not None else None
        known, self._leaves = self._leaves, self._with_all_keys()
        documents = Documents(self._leaves)
        index, projections = self._index()
        self._pages = dict(self._pages_of(known, projections))
        ordered = [self._parts[path] for path in self._order]
        if last is not None and not changed.says("log", "events"):
            log, events, controls, tombstones = last.log, last.events, last.controls, last.tombstones
        else:
            log, controls, tombstones, self._bare = self._records()
            events = tuple(self._events())
            if last is not None:
                events = _shared(events, last.events)
                tombstones = last.tombstones if _equal(tombstones, last.tombstones) else tombstones
        if last is not None and not changed.says("day"):
            archive = last.archive
        else:
            archive = Archive(part.day for part in ordered if part.day is not None)
            archive = _shared(archive, last.archive) if last is not None else archive
        if last is not None and changed.same_topics():
            topics = last.topics
        else:
            topics = tuple(part.topic for part in ordered if part.topic is not None)
        snapshot = Snapshot(
            root=self._root,
            binding=self._binding(),
            items=PagedItems.of(self._pages.values(), last.pages if last is not None else None),
            topics=topics,
            archive=archive,
            index=index,
            log=log,
            events=events,
            controls=controls,
            tombstones=tombstones,
            proposals=tuple(proposal for part in ordered for proposal in part.proposals),
            drift=(*findings, *self._drift(projections), *self._bare),
            files=MappingProxyType(self._files(blocked)),
            reserved_ids=self._reserved,
            sequence=sequence,
        )
        self._last = ((findings, dict(blocked)), snapshot, documents)
        return snapshot, documents

    def known(self, besides: Mapping[str, str]) -> Iterator[Kept]:
        """The parts that depend on no other file, with what was asked about their records so far.

        `besides` are digests, by path, of files that are left out where they are as they were then.
        """
        for path, part in self._parts.items():
            if besides.get(path) == part.state.digest:
                continue
            page = self._pages.get(path)
            if part.day is not None:
                yield Kept(path, part, {})
            elif part.leaf is not None and path != INDEX and (page is None or page.items is part.leaf.records):
                yield Kept(path, part, page.answers if page is not None else {})

    def _take(self, parts: Mapping[str, Part]) -> _Changed:
        """Take the parts over from the last ones; what is different."""
        new = {path: part for path, part in parts.items() if self._parts.get(path) is not part}
        left = [path for path in self._parts if path in new or path not in parts]
        changed = _Changed({path: self._parts[path] for path in left}, new)
        if not any(changed):
            return changed
        for path in left:
            self._forget(path, self._parts.pop(path))
            if path not in new:
                self._keyed.pop(path, None)
        self._parts.update(new)
        if self._bearers or not self._count_all(new):
            for path, part in new.items():
                self._count(path, part)
        if changed.moved:
            self._order = tuple(sorted(self._parts))
            ordered = [(path, self._parts[path]) for path in self._order]
            self._read = {path: part.leaf for path, part in ordered if part.leaf is not None}
            self._states = {path: part.state for path, part in ordered if part.role is not Role.LEFTOVER}
        else:
            self._read.update((path, part.leaf) for path, part in new.items() if part.leaf is not None)
            self._states.update((path, part.state) for path, part in new.items() if part.role is not Role.LEFTOVER)
        ids = (part.ids for part in self._parts.values())
        gone = (part.ids for part in changed.gone.values())
        self._reserved = Reserved(ids, self._reserved, gone, (part.ids for part in new.values()))
        return changed

    def _count_all(self, parts: Mapping[str, Part]) -> bool:
        """Make the table of who bears which id at once; False where an id is borne twice, and nothing was done."""
        bearers: dict[str, tuple[str, ...]] = {}
        count = 0
        for path, part in parts.items():
            ids = _borne(part)
            count += len(ids)
            bearers.update(dict.fromkeys(ids, (path,)))
        if len(bearers) != count:
            return False
        self._bearers = bearers
        self._found.update(path for path, part in parts.items() if part.findings)
        return True

    def _count(self, path: str, part: Part) -> None:
        """Add a page to the table of who bears which id; index.md only projects what is borne elsewhere."""
        if part.findings:
            self._found.add(path)
        bearers, here = self._bearers, (path,)
        ids = _borne(part)
        if len(set(ids)) == len(ids) and bearers.keys().isdisjoint(ids):
            bearers.update(dict.fromkeys(ids, here))
            return
        for id in ids:
            known = bearers.get(id)
            bearers[id] = here if known is None else (*known, path)
            if known is not None:
                self._shared.add(id)

    def _forget(self, path: str, part: Part) -> None:
        """Take a page out of that table."""
        self._found.discard(path)
        for id in _borne(part):
            left = list(self._bearers[id])
            left.remove(path)
            if left:
                self._bearers[id] = tuple(left)
            else:
                del self._bearers[id]
            if len(left) < 2:
                self._shared.discard(id)

    def _with_all_keys(self) -> dict[str, Leaf]:
        """The item pages in order, each with the keys that its records have in this root."""
        leaves = self._read.copy()
        affected: dict[str, set[str]] = {}
        for id in self._shared:
            for path in self._bearers[id]:
                affected.setdefault(path, set()).add(id)
        for path, ids in affected.items():
            leaves[path] = self._with_keys(path, leaves[path], frozenset(ids))
        if INDEX in leaves:
            leaves[INDEX] = self._index_leaf(leaves[INDEX])
        return leaves

    def _with_keys(self, path: str, leaf: Leaf, shared: frozenset[str]) -> Leaf:
        """The page with its records' keys where it bears ids that are borne more than once."""
        kept = self._keyed.get(path)
        if kept is not None and kept[0] is leaf and kept[1] == shared:
            return kept[2]
        document = leaf.document
        keyed = Leaf.of(document.rekeyed(document.keys_apart(shared)))
        self._keyed[path] = (leaf, shared, keyed)
        return keyed

    def _index_leaf(self, leaf: Leaf) -> Leaf:
        """index.md: its own items that are borne twice within it get keys of their own."""
        own = Counter(item.id for item in leaf.records if item.id is not None and item.id not in self._bearers)
        twice = frozenset(id for id, count in own.items() if count > 1)
        return self._with_keys(INDEX, leaf, twice) if twice else leaf

    def _index(self) -> tuple[IndexView, frozenset[int]]:
        """The view of index.md, and the indexes of its records that only project an item borne elsewhere."""
        leaf = self._leaves.get(INDEX)
        if leaf is None:
            return IndexView(), frozenset()
        limit = self._binding().limits.index_lines
        made_of = (leaf, limit, self._order)
        if not _same(self._view[0], made_of):
            self._view = made_of, parse_index(leaf.document, limit=limit, resolve=self._resolver()).view
        projections = (
            number for number, item in enumerate(leaf.records) if item.id is not None and item.id in self._bearers
        )
        return self._view[1], frozenset(projections)

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

    def _pages_of(self, known: Mapping[str, Leaf], projections: frozenset[int]) -> Iterator[tuple[str, Page]]:
        """The items of each page; a page whose items are the same as before, when its leaf was `known`, is the same."""
        for path, leaf in self._leaves.items():
            page = self._pages.get(path)
            if page is None or known.get(path) is not leaf or path == INDEX:
                items = leaf.records
                if path == INDEX and projections:
                    items = tuple(item for number, item in enumerate(items) if number not in projections)
                if page is None or (page.items is not items and not _same(page.items, items)):
                    part = self._parts[path]
                    page = Page(items, part.kept if part.leaf is leaf else None, file=path)
            if page.items:
                yield path, page

    def _drift(self, projections: frozenset[int]) -> Iterator[Finding]:
        """What reading the files found. A projection's drift is that of the item it projects."""
        for path in sorted(self._found):
            leaf = self._leaves.get(path)
            if leaf is None:
                yield from self._parts[path].findings
            elif path == INDEX and projections:
                projected = {leaf.records[number].key for number in projections}
                yield from (finding for finding in leaf.findings if finding.item not in projected)
            else:
                yield from leaf.findings

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
        files = self._states.copy()
        for path, why in blocked.items():
            if not path.endswith((".md", ".jsonl", ".toml")):
                continue
            state = files.get(path, FileState("", 0))
            files[path] = replace(state, unwritable=why)
        return files


def _borne(part: Part) -> list[str]:
    """The ids that the records of a page bear; index.md only repeats what others bear."""
    if part.leaf is None or part.role is Role.INDEX:
        return []
    return [*filter(None, map(_id, part.leaf.records))]


def _topic(part: Part | None) -> Topic | None:
    return part.topic if part is not None else None


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _equal(one: tuple[Tombstone, ...], other: tuple[Tombstone, ...]) -> bool:
    return one == other and all(new.place == last.place for new, last in zip(one, other, strict=True))


def _shared(new: Shared, last: Shared) -> Shared:
    """`last` where it holds the very same things as `new`: what was worked out about it holds on."""
    return last if type(new) is type(last) and _same(new, last) else new
