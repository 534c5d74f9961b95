"""A root's files to a snapshot, incrementally: what did not change on disk is neither read nor parsed again."""

from __future__ import annotations

import errno
import gc
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import NamedTuple

from core.binding import Binding
from core.errors import RootNotFound
from core.findings import Finding
from core.places import BINDING
from core.snapshot import Snapshot
from core.vocabulary import Severity
from stores.markdown.assemble import Assembler, Kept
from stores.markdown.cache import WORTH_KEEPING, Cache, Row
from stores.markdown.document import Document
from stores.markdown.layout import Role
from stores.markdown.links import FileEntry, LinkPolicy, Stamp, Tree, stamp_of, walk
from stores.markdown.parts import Part, digest_of, read_part
from stores.markdown.watch import SETTLED_NS

_MANY = 64
_TRIES = 3
_AT_ONCE = 1 << 20

_AT_A_TIME = 64
_PAUSE = 0.005
"""Seconds that others get between two lots of what is kept."""


class _Known(NamedTuple):
    stamp: Stamp
    settled: bool
    role: Role
    part: Part


class Reader:
    """Reads one root. Not for several threads at once."""

    def __init__(
        self,
        root: str,
        allowed: Iterable[str] = (),
        *,
        now: Callable[[], int] = time.time_ns,
        cache: Cache | None = None,
    ) -> None:
        """`root` may be a link. `allowed` are real paths that links may lead to, beside those in the binding record.

        `now` gives the time in nanoseconds, `cache` what was read before.
        """
        self.root = root
        self._allowed = tuple(allowed)
        self._now = now
        self._tree: Tree | None = None
        self._known: dict[str, _Known] = {}
        self._assembler = Assembler(root)
        self._read_once = False
        self._cache = cache
        self._rows: dict[str, Row] = {}
        """What the cache has of files that were not read yet; only while a root is read for the first time."""
        self._cached: dict[str, str] = {}
        """Path -> digest of the file whose record the cache has now, and of what was withheld of it (`_mark`)."""
        self._in_doubt: set[str] = set()
        """The paths of those that may have to leave it: all others are as the cache has them."""
        self._withheld: Mapping[str, frozenset[str]] | None = None
        self._marks: dict[str, str] = {}
        """Path -> what the digest of a file with withheld records is marked with (`_mark`)."""

    def read(self, *, sequence: int = 0) -> tuple[Snapshot, Mapping[str, Document]]:
        """The root as it is now, and its item pages by path. Never raises for bad data.

        What did not change is shared with the last answer. A file or folder that cannot be read any more keeps what was
        last read of it, with a finding, and so does a root that is gone. Raises `RootNotFound` where there never was
        one.
        """
        try:
            binding = self._binding()
            policy = LinkPolicy(self.root, (*self._allowed, *binding.allowed_links))
            hot = (name for name in binding.hot_entries if "/" not in name)
            tree = self._tree = walk(self.root, policy, hot, self._tree)
        except OSError as error:
            if not self._read_once:
                raise RootNotFound(
                    f"The memory root cannot be read: {error.strerror}.",
                    where=self.root,
                    remedy="Name another root, or make this one readable.",
                ) from error
            gone = _unreadable(".", f"{error.strerror}; what is shown was read before", "The root")
            return self._assembler.assemble(self._parts(), (gone,), {}, sequence)
        with _no_collection(sum(entry.path not in self._known for entry in tree.files) > _MANY):
            self._meet_cache()
            troubles = self._update(tree)
            self._read_once = True
            self._rows = {}
            self._forget_changed()
            findings = (*tree.findings, *(_unreadable(path, why) for path, why in troubles.items()))
            return self._assembler.assemble(self._parts(), findings, {**tree.blocked, **troubles}, sequence)

    def _parts(self) -> dict[str, Part]:
        return {path: known.part for path, known in self._known.items()}

    def _binding(self) -> Binding:
        """The binding record, which says where links may lead. One that is a link out of the root says nothing."""
        path = os.path.join(self.root, BINDING)
        policy = LinkPolicy(self.root, self._allowed)
        try:
            real = os.path.realpath(path, strict=True)
            status = os.stat(real)
            if not policy.permits(real) or (status.st_nlink > 1 and not policy.allows(real)):
                return Binding()
            binding = self._file(FileEntry(BINDING, real, Role.BINDING, stamp_of(status))).binding
        except FileNotFoundError:
            return Binding()
        except OSError:
            known = self._known.get(BINDING)
            binding = known.part.binding if known is not None else None
        return binding or Binding()

    def _update(self, tree: Tree) -> dict[str, str]:
        """Bring what is known up to date with the tree; path -> reason of what could not be read."""
        troubles: dict[str, str] = {}
        there = {entry.path for entry in tree.files}
        for entry in tree.files:
            if self._as_known(entry) is not None:
                continue
            try:
                self._file(entry)
            except (FileNotFoundError, NotADirectoryError):
                there.discard(entry.path)
            except OSError as error:
                troubles[entry.path] = error.strerror or "it fails"
        hidden = tuple(f"{folder}/" for folder in tree.unreadable)
        for path in self._known.keys() - there:
            if path.startswith(hidden):
                troubles[path] = "its folder cannot be read"
            elif path not in tree.failing:
                del self._known[path]
                self._in_doubt.add(path)
        return troubles

    def _as_known(self, entry: FileEntry) -> _Known | None:
        """What is known of a file, where its stat says that it is the same."""
        known = self._known.get(entry.path)
        same = known is not None and known.stamp == entry.stamp and known.settled and known.role is entry.role
        return known if same else None

    def _file(self, entry: FileEntry) -> Part:
        """The part of a file: the known one where its stat says so, or its bytes are the same. Raises `OSError`."""
        same = self._as_known(entry)
        if same is not None:
            return same.part
        known = self._known.get(entry.path)
        started = self._now()
        data, status = read_bytes(entry.real)
        settled = status.st_ctime_ns + SETTLED_NS < started
        if known is not None and known.role is entry.role and known.part.state.digest == digest_of(data):
            part = known.part
        else:
            part = self._part(entry, data)
            self._in_doubt.add(entry.path)
        self._known[entry.path] = _Known(stamp_of(status), settled, entry.role, part)
        return part

    # What is kept for the next start

    def _part(self, entry: FileEntry, data: bytes) -> Part:
        """The part of a file that is new or has changed: what was kept of these very bytes, else parsed."""
        row = self._rows.pop(entry.path, None)
        if row is not None and _bare(row.digest) == (digest := digest_of(data)):
            from stores.markdown.kept import load

            with suppress(ValueError, LookupError, TypeError):
                return load(entry.path, entry.role, data, digest, row.record)
        return read_part(entry.path, entry.role, data)

    def _meet_cache(self) -> None:
        """Learn what the cache has: at first, and where another process may have written to it."""
        if self._cache is not None and (not self._read_once or self._cache.changed):
            rows = self._cache.rows()
            self._cached = {path: row.digest for path, row in rows.items()}
            self._in_doubt.update(rows)
            if not self._read_once:
                self._rows = rows

    def _forget_changed(self) -> None:
        """What a file does not say any more leaves the cache at once, and so does what is withheld."""
        gone = [path for path in self._in_doubt if path in self._cached and not self._says(path, self._cached[path])]
        if self._leave(gone):  # else it is tried again with the next reading
            self._in_doubt.clear()

    def _says(self, path: str, digest: str) -> bool:
        """Whether a file says now what has this digest in the cache, and what is withheld of it is the same."""
        known = self._known.get(path)
        if known is None:
            return False
        if self._withheld is None:
            return known.part.state.digest == _bare(digest)
        return known.part.state.digest + self._marks.get(path, "") == digest

    def forget(self, paths: Iterable[str]) -> None:
        """The files at `paths` were written: what is kept of them goes, whether or not they are read again."""
        self._leave([path for path in paths if path in self._cached])

    def _leave(self, gone: Sequence[str]) -> bool:
        """Nothing is kept of these files any more; False where that fails."""
        if gone and self._cache is not None:
            if not self._cache.forget(gone):
                return False
            for path in gone:
                del self._cached[path]
        return True

    def to_keep(self, withheld: Mapping[str, frozenset[str]]) -> list[Kept]:
        """What the cache should have and has not. What is `withheld` (`core.store`) leaves it, and stays out."""
        if withheld != self._withheld:
            self._withheld, self._marks = withheld, {path: _mark(keys) for path, keys in withheld.items()}
            self._in_doubt.update(self._cached)
        self._forget_changed()
        worth = sum(known.part.state.size for known in self._known.values()) >= WORTH_KEEPING
        if self._cache is None or not worth:
            return []
        return list(self._assembler.known({path: _bare(digest) for path, digest in self._cached.items()}))

    def keep(self, those: Sequence[Kept], guard: AbstractContextManager[object]) -> None:
        """Keep what `to_keep` gave. The reader is asked and told under `guard`; the work is done beside.

        Changes that come meanwhile are met: what a file says no more does not stay.
        """
        from stores.markdown.kept import dump

        assert self._cache is not None
        withheld = self._withheld or {}
        for start in range(0, len(those), _AT_A_TIME):
            rows = {}
            for path, part, answers in those[start : start + _AT_A_TIME]:
                record = dump(path, part, answers, withheld.get(path))
                if record is not None:
                    rows[path] = Row(part.state.digest + self._marks.get(path, ""), record)
            if rows and not self._cache.keep(rows):
                return
            with guard:
                self._cached.update((path, row.digest) for path, row in rows.items())
                self._in_doubt.update(rows)
                self._forget_changed()
            time.sleep(_PAUSE)


def _mark(withheld: frozenset[str]) -> str:
    """What is put behind the digest of a file of which something was withheld: a digest of what."""
    return "-" + digest_of(chr(0).join(sorted(withheld)).encode("utf-8", "surrogateescape"))


def _bare(marked: str) -> str:
    return marked.partition("-")[0]


def read_bytes(real: str) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file that is no link, and its stat, of one moment where the file holds still.

    Raises `OSError`: also for what became a link or a pipe meanwhile, which is never opened for long.
    """
    for attempt in range(_TRIES):
        fd = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            before = os.fstat(fd)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.EINVAL, "it is no regular file any more", real)
            data = os.read(fd, before.st_size + 1)
            if len(data) != before.st_size:  # it grew or shrank, or was too much at once
                data = b"".join((data, *iter(partial(os.read, fd, _AT_ONCE), b"")))
            after = os.fstat(fd)
        finally:
            os.close(fd)
        if (stamp_of(before) == stamp_of(after) and len(data) == after.st_size) or attempt == _TRIES - 1:
            break
    return data, before


def _unreadable(path: str, why: str, what: str = "The file") -> Finding:
    return Finding(
        "unreadable-file",
        Severity.ERROR,
        f"{what} cannot be read: {why}.",
        file=path,
        remedy="Repair its mode or its disk; nothing of it is taken for deleted.",
    )


@contextmanager
def _no_collection(wanted: bool) -> Iterator[None]:
    """Hold the garbage collector back while many objects are made, and spare it looking through them ever after.

    What a root is parsed into has no cycles: it goes when nothing refers to it, collector or not.
    """
    if not (wanted and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
