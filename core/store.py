"""The contract of a storage binding (§7): what the engine asks of a place where memory lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from core.changes import ChangeSet, FileDiff
from core.snapshot import Snapshot


class Writer(Protocol):
    """Held for the length of one commit, by one writer per root (§7.2)."""

    @property
    def snapshot(self) -> Snapshot:
        """The root as it is now, read under the lock, after any recovery."""
        ...

    def apply(self, changes: ChangeSet) -> Sequence[FileDiff]:
        """Carry `changes` out, wholly or not at all; what was done to each file, in order.

        Raises `WriteRefused`, `StrangerConflict`.
        """
        ...


class Store(Protocol):
    """A place where memory lives."""

    @property
    def name(self) -> str:
        """What to call the root on screen and in messages."""
        ...

    def snapshot(self) -> Snapshot:
        """The root as it is now, consistent; never raises for bad data. It shares what did not change."""
        ...

    def keep(self, withheld: Mapping[str, frozenset[str]]) -> None:
        """Keep what was read for the next start, where that is worth it. No memory changes by it; never raises.

        `withheld` are the keys of the excluded items of each page: what they say is not copied elsewhere (§12.2). Of an
        archive day that it names, nothing is kept.
        """
        ...

    def keep_glance(self, glance: bytes, shown: Snapshot) -> bool:
        """Keep what a front end made of the snapshot `shown`, to be shown at its next start while the root is the same.

        Excluded text must not be in it. Whether it was kept: not where the root is another one by now, or has only just
        changed. Once it is read to be another one, nothing of it is left. No memory changes by it; never raises.
        """
        ...

    def preview(self, changes: ChangeSet, base: Snapshot) -> Sequence[FileDiff]:
        """What `apply` would do to each file, without doing it. Raises `WriteRefused` like `apply`."""
        ...

    def writer(self, actor: str, *, timeout: float = 5.0) -> AbstractContextManager[Writer]:
        """Take the root's lock, recover what a crash left, and write. Raises `RootBusy`, `RootReadOnly`."""
        ...
