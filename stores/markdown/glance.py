"""What a front end showed of a root, kept in `.assay/glance.db` for its next start.

It is given again only while no file is another one than when it was made, down to inodes and times: the front end shows
it while the root is being read, and so shows what is there. A reading that finds anything else overwrites it.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

from stores.markdown.cache import WORTH_KEEPING, Cache, Row
from stores.markdown.watch import SETTLED_NS, Sweep, sweep

if TYPE_CHECKING:
    from core.snapshot import Snapshot

GLANCE_FILE = "glance.db"

PATIENCE = 0.1
"""Seconds that looking may take: the first frame waits for it, and on a slow disk is better empty than late."""

_ROOT = ""
"""What is kept is about the root as a whole."""


class Glance:
    """The glance of the root at `root`. Nothing it does fails. Not for several threads at once."""

    def __init__(
        self, root: str, pins: str, *, folder: str | None = None, now: Callable[[], int] = time.time_ns
    ) -> None:
        """`pins` is the file that says which owners count, `folder` where the cache's key lies (None: the user's own
        configuration). `now` gives the time in nanoseconds."""
        self._root = root
        self._pins = pins
        self._now = now
        self._cache = Cache(root, name=GLANCE_FILE, folder=folder)
        self._made_of: str | None = None
        """The digest of the root that is kept of, None where nothing is; only while `Cache.changed` is False."""

    def look(self) -> bytes | None:
        """What was kept, where every file is as it was then, and that is soon known."""
        row = self._cache.rows().get(_ROOT)
        if row is None:
            return None
        seen = sweep(self._root, time.monotonic() + PATIENCE)
        return row.record if row.digest.partition("-")[2] == _mark(seen, self._pins) else None

    def keep(self, record: bytes, read: Callable[[], Snapshot], shown: Snapshot) -> bool:
        """Keep `record`, which was made of `shown`, where `read` gives that still, and no file changed just now.

        A small root in which nothing was ever written is left without.
        """
        if not self._cache.has_folder and sum(state.size for state in shown.files.values()) < WORTH_KEEPING:
            return False
        seen = sweep(self._root)
        changed = max((ctime for *_, ctime in seen.entries.values()), default=0)
        digest = _digest(shown)
        if changed + SETTLED_NS > self._now() or _digest(read()) != digest:
            return False
        row = Row(f"{digest}-{_mark(seen, self._pins)}", record)
        if self._cache.rows().get(_ROOT) != row and not self._cache.keep({_ROOT: row}):
            return False
        self._made_of = digest
        return True

    def meet(self, snapshot: Snapshot) -> None:
        """A root was read: what was kept of another one is overwritten."""
        if self._cache.changed:
            row = self._cache.rows().get(_ROOT)
            self._made_of = row.digest.partition("-")[0] if row is not None else None
        if self._made_of is not None and self._made_of != _digest(snapshot):
            self.forget()

    def forget(self) -> None:
        """Overwrite what is kept."""
        if self._cache.forget((_ROOT,)):
            self._made_of = None


def _digest(snapshot: Snapshot) -> str:
    """A digest of every governed byte, and of the owners that count."""
    binding = snapshot.binding
    made = hashlib.sha256(repr((binding.owners_state, binding.owners)).encode("utf-8", "surrogateescape"))
    for path, state in snapshot.files.items():
        made.update(f"{path}\0{state.digest}\n".encode("utf-8", "surrogateescape"))
    return made.hexdigest()


def _mark(seen: Sweep, pins: str) -> str:
    """A digest of what a sweep saw, and of which file `pins` is now."""
    try:
        status = os.stat(pins)
        pinned: tuple[int, ...] = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    except OSError:
        pinned = ()
    made = hashlib.sha256(repr((pinned, sorted(seen.linked))).encode("utf-8", "surrogateescape"))
    for marks in (seen.folders, seen.entries):
        names = sorted(marks)
        made.update("\0".join(names).encode("utf-8", "surrogateescape"))
        made.update(" ".join(map(str, chain.from_iterable(map(marks.__getitem__, names)))).encode())
    return made.hexdigest()
