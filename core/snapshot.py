"""One consistent, immutable view of a memory root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter
from types import MappingProxyType

from core.binding import Binding
from core.controls import ControlRecord, Tombstone
from core.events import Event, LogEntry, fold
from core.findings import Finding
from core.items import MemoryItem, Place, Record
from core.pages import C, Items, Page, Pages, T, pages_of
from core.texts import fold_text, print_of
from core.vocabulary import Standing


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic page (§11). `name` is NFC, without `.md`; frontmatter scalars as written."""

    name: str
    file: str
    title: str | None = None
    layer: str | None = None
    triggers: tuple[str, ...] = ()
    last_updated: str | None = None
    source_dates: tuple[str, ...] = ()
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class ArchivedCopy:
    """An archived copy of an item: evidence. `anchor` is the slug of the nearest heading above it, or None."""

    id: str | None
    anchor: str | None
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ArchiveDay:
    """One archive file (§13). `anchors` maps heading slug -> (first line, last line), 1-based, in order."""

    date: str
    file: str
    anchors: Mapping[str, tuple[int, int]]
    copies: tuple[ArchivedCopy, ...]
    lines: tuple[str, ...] = field(default=(), repr=False)

    @property
    def copy_ids(self) -> frozenset[str | None]:
        """The ids of the copies; None among them where a copy bears none."""
        return frozenset(copy.id for copy in self.copies)

    @property
    def copy_prints(self) -> frozenset[str]:
        """The prints of what the copies say (`core.texts`)."""
        return frozenset(print_of(fold_text(copy.text)) for copy in self.copies)


class Archive(tuple[ArchiveDay, ...]):
    """The archive days of a root: a tuple that knows what stands in them. Shared while no day changes."""

    @cached_property
    def by_file(self) -> Mapping[str, ArchiveDay]:
        """The days by file."""
        return {day.file: day for day in self}

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that archived copies bear."""
        return frozenset(id for day in self for id in day.copy_ids if id is not None)

    @cached_property
    def looked_up(self) -> dict[tuple[str, str | None], bool]:
        """Whether a file and anchor are there, as far as somebody asked (`core.sources.stands_in`)."""
        return {}


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One entry of an index section: its text as written, 1-based line, and what it points at (file or id)."""

    text: str
    line: int
    target: str | None = None
    trigger: str | None = None


@dataclass(frozen=True, slots=True)
class IndexView:
    """index.md (§10): its length in lines and the entries of the sections the protocol names."""

    present: bool = False
    lines: int = 0
    recent: tuple[IndexLine, ...] = ()
    topic_map: tuple[IndexLine, ...] = ()
    pending: tuple[IndexLine, ...] = ()
    withdrawn: tuple[IndexLine, ...] = ()
    beyond_limit: tuple[IndexLine, ...] = ()
    """Entries past the limit of lines, those that correct an earlier entry first."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A governed proposal (§23.5), one file. Unknown or missing fields are ''."""

    proposal_id: str
    target: str
    proposed_change: str
    supporting_refs: tuple[str, ...]
    expected_benefit: str
    risk: str
    status: str
    place: Place


@dataclass(frozen=True, slots=True)
class FileState:
    """A governed file: digest of its bytes, its size, and why it may not be written ('' where it may)."""

    digest: str
    size: int
    unwritable: str = ""


@dataclass(frozen=True)
class Snapshot:
    """A root at one moment. Tuples are in reading order: files by path, items as they stand."""

    root: str
    binding: Binding = field(default_factory=Binding)
    items: tuple[MemoryItem, ...] = ()
    topics: tuple[Topic, ...] = ()
    archive: tuple[ArchiveDay, ...] = ()
    index: IndexView = IndexView()
    log: tuple[LogEntry, ...] = ()
    events: tuple[Event, ...] = ()
    controls: tuple[ControlRecord, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    drift: tuple[Finding, ...] = ()
    """What reading found: damaged files, open fences, broken frontmatter, links, conflicted copies, journal trouble."""
    files: Mapping[str, FileState] = field(default_factory=dict)
    reserved_ids: Set[str] = frozenset()
    """Every id that stands anywhere (items, archive, events, tombstones, proposals, log): never given out again."""
    sequence: int = 0

    @cached_property
    def pages(self) -> Pages:
        """The items by file; a page is shared by all snapshots in which the file's items are the same."""
        return pages_of(self.items)

    def gather(self, question: Callable[[Items, *C], Sequence[T]], *context: *C) -> list[T]:
        """What the pages answer to `question` (see `Page.ask`), in reading order."""
        return self.pages.gather(question, *context)

    @cached_property
    def by_key(self) -> MappingProxyType[str, MemoryItem]:
        """Bearers by key."""
        return MappingProxyType(dict(zip(map(_KEY, self.items), self.items, strict=True)))

    @cached_property
    def by_id(self) -> MappingProxyType[str, Items]:
        """Bearers by id, each id's in reading order; more than one is drift."""
        table = dict(zip(map(_ID, self.items), zip(self.items), strict=True))
        table.pop(None, ())
        known: dict[str, Items] = table  # type: ignore[assignment]  # None is gone
        for id, bearers in self._shared.items():
            known[id] = tuple(bearers)
        return MappingProxyType(known)

    @cached_property
    def unborne(self) -> frozenset[str]:
        """The ids that archived copies bear, and no item does."""
        return self.days.ids.difference(self.by_id)

    @property
    def shared_ids(self) -> tuple[str, ...]:
        """The ids that more than one item bears, in reading order."""
        return tuple(self._shared)

    @cached_property
    def _shared(self) -> dict[str, list[MemoryItem]]:
        ids = [id for id in map(_ID, self.items) if id is not None]
        if len(set(ids)) == len(ids):
            return {}
        return _bearers(self.items, {id for id, count in Counter(ids).items() if count > 1})

    def learn(self, before: Snapshot) -> None:
        """Make the tables of ids and keys from those of `before`, where the two have most pages in common.

        They say the same as if they were made anew.
        """
        if "by_id" not in before.__dict__ or "by_key" not in before.__dict__ or "by_id" in self.__dict__:
            return
        gone, new = changed_pages(before, self)
        if sum(len(page.items) for page in (*gone, *new)) > len(self.items):
            return
        by_key, by_id = before.by_key.copy(), before.by_id.copy()
        left, come = ([item for page in pages for item in page.items] for pages in (gone, new))
        ids = {item.id for item in (*left, *come) if item.id is not None}
        several = set(before.shared_ids) - ids
        for item in left:
            del by_key[item.key]
            if item.id is not None:
                by_id[item.id] = tuple(other for other in by_id[item.id] if other is not item)
        for item in come:
            by_key[item.key] = item
            if item.id is not None:
                by_id[item.id] = (*by_id.get(item.id, ()), item)
        for id in ids:
            if not by_id[id]:
                del by_id[id]
            elif len(by_id[id]) > 1:
                several.add(id)
        if "unborne" in before.__dict__ and before.archive is self.archive:
            archived = {id for id in ids if id in self.days.ids}
            borne = {id for id in archived if id in by_id}
            self.__dict__["unborne"] = (before.unborne - borne) | (archived - borne)
        files = {item.place.file for id in several for item in by_id[id]}
        there = (page.items for page in (self.pages if files else ()) if page.file in files)
        shared = _bearers(chain.from_iterable(there), several)
        by_id.update((id, tuple(bearers)) for id, bearers in shared.items())
        self.__dict__.update(by_key=MappingProxyType(by_key), by_id=MappingProxyType(by_id), _shared=shared)

    @cached_property
    def own_items(self) -> Items:
        """The items without the entries of the index that repeat an item standing elsewhere."""
        repeated = self.repeated
        return tuple(item for item in self.items if item.key not in repeated) if repeated else self.items

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The keys of the entries of the index that repeat an item standing elsewhere."""
        return frozenset(
            entry.key
            for entry in self.gather(_index_entries)
            if entry.id is not None and any(item.standing is not Standing.INDEX for item in self.by_id[entry.id])
        )

    @cached_property
    def logged(self) -> Mapping[str, Record]:
        """What the log says each item it names is now, by id (texts with secrets are masked)."""
        return fold({}, self.events)

    @cached_property
    def days(self) -> Archive:
        """The archive, with what can be looked up in it."""
        return self.archive if isinstance(self.archive, Archive) else Archive(self.archive)

    def standing(self, *standings: Standing) -> tuple[MemoryItem, ...]:
        """Bearers that stand in one of `standings`, in reading order."""
        return tuple(item for item in self.items if item.standing in standings)


_ID: Callable[[MemoryItem], str | None] = attrgetter("id")
_KEY: Callable[[MemoryItem], str] = attrgetter("key")


def _index_entries(items: Items) -> Items:
    return tuple(item for item in items if item.standing is Standing.INDEX)


def _bearers(items: Iterable[MemoryItem], ids: Set[str]) -> dict[str, list[MemoryItem]]:
    """The bearers of `ids`, in reading order."""
    table: dict[str, list[MemoryItem]] = {}
    for item in items:
        if item.id in ids:
            table.setdefault(item.id or "", []).append(item)
    return table


def changed_pages(before: Snapshot, after: Snapshot) -> tuple[list[Page], list[Page]]:
    """The pages that `after` does not have any more, and those that it has anew, in reading order."""
    return before.pages.without(after.pages), after.pages.without(before.pages)


def item_key(id: str | None, digest: str, file: str, occurrence: int, *, sole: bool) -> str:
    """The key of a bearer: its id where it is the `sole` bearer, else id or digest with file and occurrence.

    `occurrence` is 0-based among bearers of the same id (or digest) within `file`.
    """
    if id is not None and sole:
        return id
    return f"{id or '~' + digest}@{file}#{occurrence}"
