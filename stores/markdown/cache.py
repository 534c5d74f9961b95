"""What was read of a large root before, kept in `.assay/cache.db`: losing it costs time, and nothing else.

A record is believed only where it is of the very bytes that the file has now, was made by this very program, and bears
a seal made with a key that lies outside the root: whoever can write to `.assay/` can make a start slow, not a record
false.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import secrets
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

import core
import stores
from stores.configuration import config_folder
from stores.markdown.cache_file import MAGIC, SEAL_LENGTH, CacheFile, Entry, NotOursError, is_ours
from stores.markdown.own import OWN_FOLDER

CACHE_FILE = "cache.db"
KEY_FILE = "cache.key"

WORTH_KEEPING = 1 << 20
"""Roots with fewer bytes are read faster than a cache is opened, and get no folder for it."""

_KEY_LENGTH = 32
_PATIENCE = 1.0
"""Seconds to wait for another process, which has the cache for a few milliseconds at a time."""
_PAUSE = 0.01
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Row(NamedTuple):
    """What is kept of one file: the digest of its bytes, and the record made of them."""

    digest: str
    record: bytes


class Cache:
    """The cache of one root. Nothing it does fails: what cannot be kept is not kept. For several threads."""

    def __init__(self, root: str, *, name: str = CACHE_FILE, folder: str | None = None) -> None:
        """`name` is that of its file in `.assay/`; `folder` is where the key lies (None: the user's own
        configuration)."""
        self._own = os.path.join(root, OWN_FOLDER)
        self._name = name
        self._path = os.path.join(self._own, name)
        self._folder = folder
        self._sealing: tuple[bytes, bytes] | None = None
        self._mutex = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._entries: Sequence[Entry] = ()
        """What stood in it when it was `_seen`."""

    @property
    def has_folder(self) -> bool:
        """Whether the folder that it stands in is there."""
        return os.path.isdir(self._own)

    @property
    def changed(self) -> bool:
        """Whether somebody else may have written to it since it was last read (`rows`)."""
        try:
            return self._seen != _stamp(os.lstat(self._path))
        except OSError:
            return self._seen is not None

    def rows(self) -> dict[str, Row]:
        """What is kept, by path. What bears no valid seal is left out, and overwritten."""
        found: dict[str, Row] = {}
        with suppress(OSError), self._open() as (file, sealing):
            broken = []
            for entry in file.entries:
                digest, record = file.content(entry)
                path = os.fsdecode(entry.path)
                if path in found or not hmac.compare_digest(entry.seal, _seal(sealing, entry.path, digest, record)):
                    broken.append(entry)
                else:
                    found[path] = Row(digest.decode(), record)
            file.seen = True
            file.wipe(broken)
        return found

    def keep(self, rows: Mapping[str, Row]) -> bool:
        """Keep `rows`, by path, in place of what was kept of the same files. Whether it was done."""
        with suppress(OSError):
            os.mkdir(self._own, 0o755)
        with suppress(OSError), self._open(make=True) as (file, sealing):
            file.wipe(_named(file, rows))
            made = []
            for path, row in rows.items():
                name, digest = os.fsencode(path), row.digest.encode()
                made.append((name, digest, row.record, _seal(sealing, name, digest, row.record)))
            file.add(made)
            return True
        return False

    def forget(self, paths: Iterable[str]) -> bool:
        """Overwrite what is kept of the files at `paths`; where that fails, the cache goes as a whole.

        Whether nothing is kept of them now.
        """
        names = frozenset(paths)
        try:
            with self._open() as (file, _):
                found = [entry for entry in _named(file, names) if file.holds(entry)]
                if file.seen and len(found) < len(names):
                    file.clear()  # what is known to be here, and is not found, is here under a name that was damaged
                    file.seen = False
                else:
                    file.wipe(found)
            return True
        except OSError:
            return self._drop()

    @contextmanager
    def _open(self, *, make: bool = False) -> Iterator[tuple[CacheFile, tuple[bytes, bytes]]]:
        """The file, locked, and what seals are made with. Raises `OSError` where there cannot be one."""
        with self._mutex:
            if not make and not os.path.lexists(self._path):
                self._seen = None
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._path)
            if self._sealing is None:
                self._sealing = _key_in(self._folder or config_folder()), _made_by()
            fd = self._locked(make)
            try:
                before = _stamp(os.fstat(fd))
                known = self._entries if before == self._seen else None
                file = CacheFile(fd, self._sealing[1], known)
                if os.fstat(fd).st_mode & 0o077:
                    os.fchmod(fd, 0o600)
                file.seen = file.seen or known is not None
                yield file, self._sealing
                self._seen, self._entries = (_stamp(os.fstat(fd)), file.entries) if file.seen else (None, ())
            finally:
                os.close(fd)

    def _locked(self, make: bool) -> int:
        """The file open and locked: a regular file of this user's, under one name, in a folder that is no link."""
        import fcntl

        deadline = time.monotonic() + _PATIENCE
        while True:
            fd = self._opened(make)
            try:
                with suppress(BlockingIOError):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    status = os.fstat(fd)
                    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or status.st_uid != os.geteuid():
                        raise NotOursError(errno.EEXIST, "it is no file of this user's alone", self._path)
                    if status.st_nlink:
                        return fd
                if time.monotonic() >= deadline:
                    raise BlockingIOError(errno.EAGAIN, "somebody else has it", self._path)
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)
            time.sleep(_PAUSE)

    def _opened(self, make: bool) -> int:
        with self._folder_open() as folder:
            try:
                return os.open(self._name, os.O_RDWR | _FLAGS, dir_fd=folder)
            except FileNotFoundError:
                if not make:
                    raise
            except OSError as error:
                if make or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                    raise
                return os.open(self._name, os.O_RDONLY | _FLAGS, dir_fd=folder)
            with suppress(FileExistsError):
                return os.open(self._name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600, dir_fd=folder)
            return os.open(self._name, os.O_RDWR | _FLAGS, dir_fd=folder)

    @contextmanager
    def _folder_open(self) -> Iterator[int]:
        fd = os.open(self._own, os.O_RDONLY | os.O_DIRECTORY | _FLAGS)
        try:
            yield fd
        finally:
            os.close(fd)

    def _drop(self) -> bool:
        """Take the cache's name away, whoever has it; whether it has none now. What is somebody else's stays."""
        try:
            with self._folder_open() as folder:
                status = os.stat(self._name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and _ours(folder, self._name):
                    os.unlink(self._name, dir_fd=folder)
            return True
        except FileNotFoundError:
            return True
        except OSError:
            return False


def _ours(folder: int, name: str) -> bool:
    with open(os.open(name, os.O_RDONLY | _FLAGS, dir_fd=folder), "rb") as file:
        return is_ours(file.read(len(MAGIC)))


def _named(file: CacheFile, paths: Iterable[str]) -> list[Entry]:
    names = {os.fsencode(path) for path in paths}
    return [entry for entry in file.entries if entry.path in names]


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _key_in(folder: str) -> bytes:
    """The user's key in `folder`, made where there is none, or none that is secret. Raises `OSError`."""
    path = os.path.join(folder, KEY_FILE)
    with suppress(FileNotFoundError):
        key = _secret(path)
        if key is not None:
            return key
    os.makedirs(folder, mode=0o700, exist_ok=True)
    fd, new = tempfile.mkstemp(prefix=".cache-key-", dir=folder)  # mkstemp makes it 0600
    try:
        with open(fd, "wb") as file:
            file.write(secrets.token_bytes(_KEY_LENGTH))
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise
    key = _secret(path)
    if key is None:
        raise OSError(errno.EACCES, "it is no secret key", path)
    return key


def _secret(path: str) -> bytes | None:
    """The key at `path`; None where what stands there is none, or others may have read or made it."""
    with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_mode & 0o077 or status.st_uid != os.geteuid():
            return None
        key = file.read(_KEY_LENGTH + 1)
    return key if len(key) == _KEY_LENGTH else None


def _seal(sealing: tuple[bytes, bytes], path: bytes, digest: bytes, record: bytes) -> bytes:
    key, made_by = sealing
    made = hashlib.blake2b(made_by, key=key, digest_size=SEAL_LENGTH)
    for part in (path, digest, record):
        made.update(len(part).to_bytes(8))
        made.update(part)
    return made.digest()


def _made_by() -> bytes:
    """A digest of what a record may depend on besides its file: the program, as it lies on the disk, and its Python."""
    found = [sys.version]
    for package in (core, stores):
        for folder, folders, names in os.walk(os.path.dirname(str(package.__file__))):
            folders.sort()
            found.append(folder)
            for name in sorted(names):
                if name.endswith(".py"):
                    with suppress(OSError):
                        status = os.stat(os.path.join(folder, name))
                        found.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(found).encode("utf-8", "surrogateescape")).digest()
