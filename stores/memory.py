"""The in-memory store: the contract's plainest reading, for tests and for trying a change without a disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from core.apply import apply
from core.changes import ChangeSet, CreateRoot, FileDiff, KeepIndex
from core.errors import RootBusy, RootExists, WriteRefused
from core.items import MemoryItem
from core.places import INDEX
from core.shelf import assign_keys
from core.snapshot import FileState, IndexLine, IndexView, Snapshot


class MemoryStore:
    """A root held as one snapshot. Files exist only as the rendering of their items, so that plans have a preview."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = replace(snapshot, items=assign_keys(snapshot.items))
        self._holder: str | None = None

    @property
    def name(self) -> str:
        """What to call the root."""
        return self._snapshot.root

    def snapshot(self) -> Snapshot:
        """The root as it is now."""
        return self._snapshot

    def replace(self, snapshot: Snapshot) -> None:
        """Put another snapshot in its place, as a stranger's write would."""
        self._snapshot = replace(snapshot, items=assign_keys(snapshot.items), sequence=self._snapshot.sequence + 1)

    def keep(self, withheld: Mapping[str, frozenset[str]]) -> None:
        """There is no next start."""

    def keep_glance(self, glance: bytes, shown: Snapshot) -> bool:
        """There is no next start."""
        return False

    def preview(self, changes: ChangeSet, base: Snapshot) -> Sequence[FileDiff]:
        """What `apply` would do, as renderings of the files before and after. Raises `WriteRefused`, `RootExists`."""
        after = _apply(base, changes)
        names = sorted({*_rendered(base), *_rendered(after)})
        before, now = _rendered(base), _rendered(after)
        diffs = [FileDiff(name, before.get(name), now.get(name)) for name in names]
        for diff in diffs:
            state = base.files.get(diff.path)
            if diff.before != diff.after and state is not None and state.unwritable:
                raise WriteRefused(f"It is not written: {state.unwritable}", where=diff.path)
        return tuple(diff for diff in diffs if diff.before != diff.after)

    @contextmanager
    def writer(self, actor: str, *, timeout: float = 5.0) -> Iterator[_MemoryWriter]:
        """Hold the root. Raises `RootBusy` at once where it is held."""
        if self._holder is not None:
            raise RootBusy(f"{self._holder} is writing.", where=self.name, remedy="Try again.")
        self._holder = actor
        try:
            yield _MemoryWriter(self)
        finally:
            self._holder = None


class _MemoryWriter:
    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    @property
    def snapshot(self) -> Snapshot:
        return self._store.snapshot()

    def apply(self, changes: ChangeSet) -> Sequence[FileDiff]:
        diffs = self._store.preview(changes, self.snapshot)
        self._store._snapshot = _apply(self.snapshot, changes)
        return diffs


def _apply(base: Snapshot, changes: ChangeSet) -> Snapshot:
    after = apply(base, changes)
    for change in changes.changes:
        if isinstance(change, KeepIndex):
            after = replace(after, index=_index(after.index, change))
        elif isinstance(change, CreateRoot):
            if base.files:
                raise RootExists("There is a memory root here already; nothing was written.", where=base.root)
            files = {name: FileState("", len(text.encode())) for name, text in change.files.items()}
            after = replace(after, files={**after.files, **files})
    return after


def _index(index: IndexView, keep: KeepIndex) -> IndexView:
    added = [f"[{entry.date}] ({entry.kind}) {entry.summary} → {entry.target}" for entry in keep.recent_add]
    kept = [line.text for line in index.recent if not any(text and text in line.text for text in keep.recent_drop)]
    recent = [*added, *kept][: keep.recent_limit] if added else kept
    mapped = [*index.topic_map, *(IndexLine(f"{file} — {why}", 0, file, why) for file, why in keep.topic_map)]
    return replace(
        index,
        present=True,
        recent=tuple(IndexLine(text, 0) for text in recent),
        topic_map=tuple(mapped),
        pending=tuple(IndexLine(str(record.get("text", "")), 0, str(record.get("id", ""))) for record in keep.pending),
        withdrawn=tuple(IndexLine(selector, 0, selector) for selector in keep.withdrawn),
    )


def _rendered(snapshot: Snapshot) -> dict[str, bytes]:
    """Each file's items as text, the log's events, and the kept sections of the index."""
    files: dict[str, list[str]] = {}
    for item in snapshot.items:
        files.setdefault(item.place.file, []).append(_rendered_item(item))
    if snapshot.events:
        files["log.md"] = [
            f"- {event.at} {event.type} {event.id} {event.actor} {event.summary}" for event in snapshot.events
        ]
    index = snapshot.index
    if index.present:
        files[INDEX] = [line.text for line in (*index.recent, *index.topic_map, *index.pending, *index.withdrawn)]
    return {name: ("\n".join(parts) + "\n").encode("utf-8", "surrogatepass") for name, parts in files.items()}


def _rendered_item(item: MemoryItem) -> str:
    return "\n".join(f"{name}: {value}" for name, value in item.record().items())
