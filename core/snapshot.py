"""One consistent, immutable view of a memory root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from core.binding import Binding
from core.controls import ControlRecord, Tombstone
from core.events import Event, LogEntry
from core.findings import Finding
from core.items import MemoryItem, Place
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
    reserved_ids: frozenset[str] = frozenset()
    """Every id that stands anywhere (items, archive, events, tombstones, proposals, log): never given out again."""
    sequence: int = 0

    @cached_property
    def by_key(self) -> Mapping[str, MemoryItem]:
        """Bearers by key."""
        return MappingProxyType({item.key: item for item in self.items})

    @cached_property
    def by_id(self) -> Mapping[str, tuple[MemoryItem, ...]]:
        """Bearers by id, in reading order; more than one is drift."""
        table: dict[str, tuple[MemoryItem, ...]] = {}
        for item in self.items:
            if item.id is not None:
                table[item.id] = (*table.get(item.id, ()), item)
        return MappingProxyType(table)

    def standing(self, *standings: Standing) -> tuple[MemoryItem, ...]:
        """Bearers that stand in one of `standings`, in reading order."""
        return tuple(item for item in self.items if item.standing in standings)


def item_key(id: str | None, digest: str, file: str, occurrence: int, *, sole: bool) -> str:
    """The key of a bearer: its id where it is the `sole` bearer, else id or digest with file and occurrence.

    `occurrence` is 0-based among bearers of the same id (or digest) within `file`.
    """
    if id is not None and sole:
        return id
    return f"{id or '~' + digest}@{file}#{occurrence}"
