"""The Markdown store (§7): a consistent view of a root, and one writer at a time.

Locks, journals and recovery are the transaction's business (`lock.py`, `transaction.py`, `recovery.py`), parsing is the
reader's, and what a change set means for the files is the projection's. Here they meet.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from core.binding import Binding
from core.changes import ChangeSet, CreateRoot, DeclareOwner, FileDiff, HoldItem, MoveItem, ReleaseItem, SetFields
from core.errors import AssayError, RootBusy, RootReadOnly, StrangerConflict, WriteRefused
from core.findings import Finding
from core.places import BINDING
from core.snapshot import Snapshot
from stores.markdown.binding_file import parse_binding
from stores.markdown.cache import Cache
from stores.markdown.document import Document
from stores.markdown.glance import Glance
from stores.markdown.journal import sequence
from stores.markdown.links import LinkPolicy
from stores.markdown.port import FilePort, OsPort
from stores.markdown.reach import blocked, bytes_of, linked_folders, make_root, unmake_root
from stores.markdown.reader import Reader
from stores.markdown.trouble import journal_trouble, no_lock
from stores.pins import Pins

if TYPE_CHECKING:
    from stores.markdown.project import Projection
    from stores.markdown.recovery import StuckFile
    from stores.markdown.transaction import CommitReport

# What it takes to lock and to write is imported where it is used: the first frame of a console only reads.

PATIENCE = 5.0
"""How many seconds a reader waits for a commit in progress to end."""

_PAUSE = 0.01
_VIEWS = 8


@dataclass(frozen=True, slots=True)
class _View:
    """The parsed files that a snapshot was made of."""

    snapshot: weakref.ref[Snapshot]
    documents: Mapping[str, Document]


class MarkdownStore:
    """The root at `root`, a folder of Markdown files (§7.3). For several threads."""

    def __init__(
        self,
        root: str,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        pins: Pins | None = None,
        port: FilePort | None = None,
    ) -> None:
        """`root` may be a link, and need not be there yet. `pins` None: those of this root in the user's own
        configuration. `clock` says since when a lock is held."""
        self.root = os.path.abspath(root)
        self.skipped: tuple[tuple[str, str], ...] = ()
        """What the last commit left as it was, `(key or file, reason)`; the control record stands all the same."""
        self._pins = pins or Pins(self.root)
        self._port = port or OsPort()
        self._clock = clock
        self._reader = Reader(self.root, cache=Cache(self.root))
        self._glance = Glance(self.root, self._pins.path)
        self._mutex = threading.RLock()
        self._views: list[_View] = []
        self._last: tuple[tuple[object, ...], Snapshot] | None = None
        self._lock_trouble: Finding | None = None
        self._late: tuple[Finding, ...] = ()
        self._there = False

    @property
    def name(self) -> str:
        """What to call the root on screen and in messages: its path, from the user's home where it lies in it."""
        home = os.path.expanduser("~")
        inside = self.root.startswith(os.path.join(home, ""))
        return os.path.join("~", os.path.relpath(self.root, home)) if inside else self.root

    def snapshot(self) -> Snapshot:
        """The root as it is now, consistent; never raises for bad data. Unchanged parts are shared with the last one.

        A root that is not there yet is empty. A commit in progress is waited for; one that a crash cut short is
        finished or undone first, where the root can be locked. Raises `RootNotFound` for what is no folder.
        """
        with self._mutex:
            return self._read_consistently()

    def preview(self, changes: ChangeSet, base: Snapshot) -> Sequence[FileDiff]:
        """What `apply` would do to each file, without doing it. Raises `WriteRefused`, `RootExists` like `apply`."""
        with self._mutex:
            projection = self._project(changes, base, self._documents_of(base), {})
        return tuple(FileDiff(edit.path, edit.before, edit.after) for edit in projection.edits)

    def keep(self, withheld: Mapping[str, frozenset[str]]) -> None:
        """Keep what was read and worked out, so that the next start is faster. May take a while; never raises."""
        with self._mutex:
            those = self._reader.to_keep(withheld)
        self._reader.keep(those, self._mutex)

    def keep_glance(self, glance: bytes, shown: Snapshot) -> bool:
        """Keep `glance`, which is made of the snapshot `shown`, for `Glance.look`; whether it was kept."""
        with self._mutex, suppress(AssayError):
            return self._glance.keep(glance, self._read_consistently, shown)
        return False

    @contextmanager
    def writer(self, actor: str, *, timeout: float = 5.0) -> Iterator[MarkdownWriter]:
        """Take the root's lock, recover what a crash left, and write; `actor` is told to others who wait.

        Makes the root's folder where there is none. Raises `RootBusy`, `RootReadOnly`, and `WriteRefused` where what a
        crash left can be neither finished nor undone.
        """
        from stores.markdown.late import carry_late_bytes
        from stores.markdown.recovery import recover

        made = make_root(self._port, self.root)
        if self._last is None:
            self.snapshot()  # says which links are allowed, and so what is to be locked
        try:
            with _with_remedy(), self._held(actor, timeout):
                self._lock_trouble = None
                recover(self._port, self.root)
                self._late = carry_late_bytes(self._port, self.root, "late")
                yield MarkdownWriter(self)
        except RootReadOnly as error:
            self._lock_trouble = no_lock(error)
            raise
        finally:
            unmake_root(self.root, made)

    def stuck(self, actor: str) -> tuple[StuckFile, ...]:
        """The files of commits that could be neither finished nor undone, with every version that is kept.

        Takes the lock. Raises `RootBusy`, `RootReadOnly`.
        """
        from stores.markdown.recovery import recover

        with _with_remedy(), self._held(actor, PATIENCE):
            return recover(self._port, self.root).stuck

    def settle_stuck(self, actor: str, chosen: Mapping[str, Mapping[str, bytes]]) -> tuple[str, ...]:
        """Give each file of the stuck commits (tx -> path -> bytes) the version a human chose; the files changed.

        All files of one commit change as one. Raises `RootBusy`, `RootReadOnly`, `WriteRefused`, `StrangerConflict`.
        """
        from stores.markdown.recovery import resolve

        with _with_remedy(), self._held(actor, PATIENCE):
            reports = [resolve(self._port, self.root, tx, files) for tx, files in chosen.items()]
        return tuple(path for report in reports for path in report.after)

    def declared_binding(self) -> Binding:
        """The binding record as `assay.toml` says it, whoever confirmed it."""
        data = bytes_of(self._port, self.root, BINDING)
        return Binding() if data is None else parse_binding(BINDING, data)[0]

    def confirm_owners(self) -> None:
        """Pin the owners that `assay.toml` declares now. For a confirmation by a human who was shown them."""
        binding = self.declared_binding()
        self._pins.confirm(binding.id, binding.owners)

    # Reading

    def _read_consistently(self) -> Snapshot:
        deadline = time.monotonic() + PATIENCE
        tried = False
        while True:
            number, busy = sequence(self.root)
            if busy and not tried:
                tried = True
                if self._recover_if_abandoned():
                    continue
            if busy and time.monotonic() < deadline:
                time.sleep(_PAUSE)
                continue
            snapshot, documents = self._read(number)
            if busy or sequence(self.root) == (number, False) or time.monotonic() >= deadline:
                return self._finished(snapshot, documents)

    def _read(self, number: int) -> tuple[Snapshot, Mapping[str, Document]]:
        if not self._there and not os.path.lexists(self.root):
            return Snapshot(root=self.root), {}
        read = self._reader.read(sequence=number)
        self._there = True  # from now on a root that is gone is trouble, and no empty root
        return read

    def _finished(self, snapshot: Snapshot, documents: Mapping[str, Document]) -> Snapshot:
        """The snapshot with the owners that count, and what stands in the way of writing."""
        binding = self._pins.resolve(snapshot.binding)
        trouble = journal_trouble(self._port, self.root)
        findings = (*trouble.findings, *self._late, *self._lock_findings())
        seen = (snapshot, binding, findings, trouble.unwritable)
        if self._last is not None and _same(self._last[0], seen):
            return self._last[1]
        files = trouble.shut(snapshot.files)
        finished = replace(snapshot, binding=binding, drift=(*snapshot.drift, *findings), files=files)
        self._glance.meet(finished)
        self._last = (seen, finished)
        self._views = [view for view in self._views if view.snapshot() is not None][-_VIEWS:]
        self._views.append(_View(weakref.ref(finished), documents))
        return finished

    def _recover_if_abandoned(self) -> bool:
        """Finish or undo a commit that its writer did not live to finish. False while a writer is at it."""
        from stores.markdown.recovery import recover

        try:
            with self._held("recovery", 0.0):
                recover(self._port, self.root)
            return True
        except RootBusy:
            return False
        except RootReadOnly as error:
            self._lock_trouble = no_lock(error)
            return False
        except AssayError:
            return False

    def _lock_findings(self) -> tuple[Finding, ...]:
        if self._lock_trouble is not None:
            return (self._lock_trouble,)
        if os.path.isdir(self.root) and not os.access(self.root, os.W_OK):
            return (no_lock(RootReadOnly("the folder is read-only", where=self.root)),)
        return ()

    def _documents_of(self, base: Snapshot) -> Mapping[str, Document]:
        for view in self._views:
            if view.snapshot() is base:
                return view.documents
        return self._read(sequence(self.root)[0])[1]

    # Writing

    def _project(
        self, changes: ChangeSet, base: Snapshot, documents: Mapping[str, Document], shut: Mapping[str, str]
    ) -> Projection:
        from stores.markdown.project import project

        links = LinkPolicy(self.root, base.binding.allowed_links)
        return project(
            changes,
            base,
            documents,
            lambda path: bytes_of(self._port, self.root, path),
            root=self.root,
            blocked=lambda path: shut.get(path) or blocked(self._port, self.root, path, links),
        )

    def _apply(self, changes: ChangeSet, planned: Snapshot | None) -> Sequence[FileDiff]:
        """Project on the root as it is, and commit; a withdrawal gives way, file by file, to what cannot be written."""
        from stores.markdown.transaction import commit

        shut: dict[str, str] = {}
        before = planned if planned is not None else self._read_consistently()
        fresh = planned is None
        while True:
            projection = self._project(changes, before, self._documents_of(before), shut)
            if not fresh and any(bytes_of(self._port, self.root, e.path) != e.before for e in projection.edits):
                before = self._read_consistently()
                fresh = True
                _check_unchanged(changes, planned or before, before)
                continue
            edits = {edit.path: edit for edit in projection.edits}
            try:
                report = commit(self._port, self.root, projection.edits, tx=self._tx(changes.event.id))
                break
            except (StrangerConflict, WriteRefused) as error:
                path = getattr(error, "path", "")
                if changes.event.control is None or path not in edits or path in shut:
                    raise
                shut[path] = getattr(error, "detail", "") or error.what
                before, fresh = self._read_consistently(), True
        self._reader.forget(report.after)
        self._glance.forget()
        self.skipped = projection.skipped
        self._pin(changes, before.binding)
        return tuple(_diff(path, edits[path].before, report) for path in report.after)

    def _pin(self, changes: ChangeSet, before: Binding) -> None:
        """Count the owners that a human's decision has just declared. Failing here leaves them unconfirmed, no more."""
        if changes.event.decision is None:
            return
        with suppress(WriteRefused):
            for change in changes.changes:
                if isinstance(change, DeclareOwner):
                    self._pins.declare(before, self.declared_binding().id, change.owner)
                elif isinstance(change, CreateRoot) and BINDING in change.files:
                    self.confirm_owners()

    def _held(self, actor: str, timeout: float) -> AbstractContextManager[None]:
        """The locks of the root, and of the folders outside it that its links lead to."""
        from stores.markdown.lock import hold

        allowed = self._last[1].binding.allowed_links if self._last is not None else ()
        extra = tuple(linked_folders(self.root, LinkPolicy(self.root, allowed)))
        return hold(self.root, actor=actor, since=self._now, timeout=timeout, extra=extra)

    def _now(self) -> str:
        return self._clock().isoformat(timespec="seconds")

    def _tx(self, name: str) -> str:
        """A transaction's name: that of its event, as far as a file name may have it."""
        return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)[:60] or "write"


class MarkdownWriter:
    """The root under its lock. `snapshot` is read once, and anew after each `apply`."""

    def __init__(self, store: MarkdownStore) -> None:
        self._store = store
        self._snapshot: Snapshot | None = None

    @property
    def snapshot(self) -> Snapshot:
        """The root as it is now, read under the lock, after any recovery."""
        if self._snapshot is None:
            self._snapshot = self._store.snapshot()
        return self._snapshot

    def apply(self, changes: ChangeSet) -> Sequence[FileDiff]:
        """Carry `changes` out, wholly or not at all; what was done to each file, in the order of writing.

        Raises `WriteRefused`, `StrangerConflict`, `RootExists`. Text that a control record would move, and that cannot
        be moved, stays: `MarkdownStore.skipped` says which.
        """
        planned, self._snapshot = self._snapshot, None
        with self._store._mutex:
            return self._store._apply(changes, planned)


@contextmanager
def _with_remedy() -> Iterator[None]:
    """Say what to do where the layer below, which knows bytes and paths only, does not."""
    try:
        yield
    except WriteRefused as error:
        error.remedy = error.remedy or "Make room on the disk, or mend its access, then try again."
        raise
    except RootReadOnly as error:
        error.remedy = error.remedy or "Make the folder writable, on a file system that has locks."
        raise


def _check_unchanged(changes: ChangeSet, planned: Snapshot, now: Snapshot) -> None:
    """Raises `StrangerConflict` where an item that the set changes is no longer as the set was made on."""
    for change in changes.changes:
        if isinstance(change, SetFields | MoveItem | HoldItem | ReleaseItem):
            was, item = planned.by_key.get(change.key), now.by_key.get(change.key)
            if was is not None and (item is None or item.digest != was.digest):
                raise StrangerConflict(
                    "The item was changed by others a moment ago; nothing was written.",
                    where=str(was.place),
                    remedy="Look at it, then try again.",
                )


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[0] is other[0] and one[1:] == other[1:]


def _diff(path: str, before: bytes | None, report: CommitReport) -> FileDiff:
    return FileDiff(path, before, report.after[path])
