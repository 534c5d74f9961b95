"""The file of a cache: a head, then entries one after the other, each overwritten where it stands.

So what is to be forgotten is gone for certain, and a crash leaves at worst an entry that its seal betrays. A database
would not do: SQLite, told to delete securely, leaves copies of what it had moved about before it was deleted.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from typing import NamedTuple

MAGIC = b"Assay's cache of this folder, to be deleted at will\n"
"""How the file begins."""
VERSION_LENGTH = 32
SEAL_LENGTH = 16

_HEAD = len(MAGIC) + VERSION_LENGTH
_FRAME = struct.Struct(f"<4sIII{SEAL_LENGTH}s")
_KEPT, _GONE = b"KEPT", b"GONE"
_LONGEST_PATH = 1 << 16
_LARGEST = 1 << 30
_WASTE = 1 << 16


class NotOursError(OSError):
    """What stands at the cache's place was made by somebody else: it is left alone."""


class Entry(NamedTuple):
    """An entry as it stands in the file at `start`: the name of a file, and how long what is kept of it is."""

    start: int
    path: bytes
    digest_length: int
    record_length: int
    seal: bytes

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.start + _FRAME.size + len(self.path) + self.digest_length + self.record_length


class CacheFile:
    """The open file `fd`, which must be locked. All of it raises `OSError`."""

    def __init__(self, fd: int, version: bytes, known: Sequence[Entry] | None = None) -> None:
        """A file of another `version`, or one that was damaged, is emptied. Raises `NotOursError`.

        `known` are the entries where nobody wrote to the file since they were read.
        """
        self._fd = fd
        self._version = version
        self.seen = False
        """Whether the reader knows all that stands here."""
        self._entries = list(known) if known is not None else None
        self.size = os.fstat(fd).st_size
        head = self._read(0, _HEAD)
        if head != MAGIC + version or self.size > _LARGEST:
            if not is_ours(head):
                raise NotOursError(errno.EEXIST, "it is no cache of Assay's")
            self.clear()
            self.seen = True

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries that are kept, in order. The file ends where something else stands."""
        if self._entries is None:
            self._entries = list(self._found())
        return self._entries

    def _found(self) -> Iterator[Entry]:
        at = _HEAD
        while at < self.size:
            found = self._at(at)
            if found is None:
                os.ftruncate(self._fd, at)
                self.size = at
                return
            tag, entry = found
            if tag == _KEPT:
                yield entry
            at = entry.end

    def _at(self, start: int) -> tuple[bytes, Entry] | None:
        """What stands at `start`, kept or gone; None where it is no entry."""
        frame = self._read(start, _FRAME.size)
        if len(frame) < _FRAME.size:
            return None
        tag, path_length, digest_length, record_length, seal = _FRAME.unpack(frame)
        if tag not in (_KEPT, _GONE) or path_length > _LONGEST_PATH:
            return None
        path = self._read(start + _FRAME.size, path_length)
        entry = Entry(start, path, digest_length, record_length, seal)
        return (tag, entry) if len(path) == path_length and entry.end <= self.size else None

    def holds(self, entry: Entry) -> bool:
        """Whether an entry stands in the file as it is known."""
        return self._at(entry.start) == (_KEPT, entry)

    def content(self, entry: Entry) -> tuple[bytes, bytes]:
        """Digest and record of an entry."""
        data = self._read(entry.end - entry.digest_length - entry.record_length, entry.end - entry.start)
        return data[: entry.digest_length], data[entry.digest_length : entry.digest_length + entry.record_length]

    def wipe(self, entries: Iterable[Entry]) -> None:
        """Overwrite entries. A crash leaves one of them half overwritten, and its seal says so."""
        gone = set()
        for entry in entries:
            gone.add(entry.start)
            body = entry.start + _FRAME.size
            self._write(body, bytes(entry.end - body))
            lengths = (len(entry.path), entry.digest_length, entry.record_length)
            self._write(entry.start, _FRAME.pack(_GONE, *lengths, bytes(SEAL_LENGTH)))
        if gone:
            self._entries = [entry for entry in self.entries if entry.start not in gone]

    def add(self, entries: Sequence[tuple[bytes, bytes, bytes, bytes]]) -> None:
        """Put entries, `(path, digest, record, seal)`, at the end; all of them, or none."""
        there = self.entries
        new = list(entries)
        used = _HEAD + sum(entry.end - entry.start for entry in there)
        if self.size - used > max(_WASTE, self.size // 2):
            new = [(entry.path, *self.content(entry), entry.seal) for entry in there] + new
            self.clear()
        framed = b"".join(map(_framed, new))
        end = self.size
        if end + len(framed) > _LARGEST:
            raise OSError(errno.EFBIG, "the cache is too large")
        try:
            self._write(end, framed)
        except OSError:
            os.ftruncate(self._fd, end)
            raise
        self.size = end + len(framed)
        made = list(self.entries)
        for path, digest, record, seal in new:
            made.append(Entry(end, path, len(digest), len(record), seal))
            end = made[-1].end
        self._entries = made

    def clear(self) -> None:
        """Leave nothing in it."""
        os.ftruncate(self._fd, 0)
        self.size = 0
        self._entries = []
        self._write(0, MAGIC + self._version)
        self.size = _HEAD

    def _read(self, start: int, length: int) -> bytes:
        found = os.pread(self._fd, length, start)
        while 0 < len(found) < length and (more := os.pread(self._fd, length - len(found), start + len(found))):
            found += more
        return found

    def _write(self, start: int, data: bytes) -> None:
        left = memoryview(data)
        while left:
            done = os.pwrite(self._fd, left, start)
            start, left = start + done, left[done:]


def is_ours(head: bytes) -> bool:
    """Whether a file that begins with `head` is a cache, be it cut off, overwritten with NULs or flipped in places."""
    begun = head[: len(MAGIC)]
    return not begun.strip(b"\0") or sum(map(eq, begun, MAGIC)) * 2 > len(begun)


def _framed(entry: tuple[bytes, bytes, bytes, bytes]) -> bytes:
    path, digest, record, seal = entry
    return b"".join((_FRAME.pack(_KEPT, len(path), len(digest), len(record), seal), path, digest, record))
