"""What was read of a large root before, kept in `.assay/cache.db`: losing it costs time, and nothing else.

A record is believed only where it is of the very bytes that the file has now, was made by this very program, and bears
a seal made with a key that lies outside the root: whoever can write to `.assay/` can make a start slow, not a record
false. What a file does not say any more is overwritten in the cache as soon as the change is read.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import core
import stores
from stores.markdown.layout import OWN_FOLDER
from stores.pins import config_folder

if TYPE_CHECKING:
    import sqlite3

CACHE_FILE = "cache.db"
KEY_FILE = "cache.key"

_MADE_BY = 0x41535359
"""SQLite's `application_id` of the file; a database of anybody else's is never touched."""
_FORMAT = "1"
_PATIENCE = 2.0
_IN_USE = frozenset({5, 6, 8, 13, 14})
"""SQLite's codes for a database that is busy, locked, read-only, full, or cannot be opened."""


class Row(NamedTuple):
    """What is kept of one file: the digest of its bytes, and the record made of them."""

    digest: str
    record: bytes


class Cache:
    """The cache of one root. Nothing it does fails: what cannot be kept is not kept. For several threads."""

    def __init__(self, root: str, *, folder: str | None = None) -> None:
        """`folder` is where the key lies (None: the user's own configuration)."""
        self._own = os.path.join(root, OWN_FOLDER)
        self._path = os.path.join(self._own, CACHE_FILE)
        self._folder = folder
        self._sealing: tuple[bytes, bytes] | None = None

    def rows(self) -> dict[str, Row]:
        """What is kept, by path; what bears no valid seal is left out."""
        sealing = self._key()
        if sealing is None or not os.path.lexists(self._path):
            return {}
        found: dict[str, Row] = {}
        with self._open() as database:
            if database is not None:
                for name, digest, record, seal in database.execute("SELECT path, digest, record, seal FROM pages"):
                    if all(isinstance(one, bytes) for one in (name, record, seal)) and isinstance(digest, str):
                        path = os.fsdecode(name)
                        if hmac.compare_digest(seal, _seal(sealing, path, digest, record)):
                            found[path] = Row(digest, record)
        return found

    def keep(self, rows: Mapping[str, Row]) -> bool:
        """Keep `rows`, by path, in place of what was kept of the same files. Whether it was done."""
        sealing = self._key()
        if sealing is None:
            return False
        with suppress(OSError):
            os.mkdir(self._own, 0o755)
        done = False
        with self._open() as database:
            if database is not None:
                database.executemany(
                    "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)",
                    (
                        (os.fsencode(path), row.digest, row.record, _seal(sealing, path, row.digest, row.record))
                        for path, row in rows.items()
                    ),
                )
                done = True
        return done

    def forget(self, paths: Iterable[str]) -> None:
        """Overwrite what is kept of the files at `paths`; where that fails, the cache goes as a whole."""
        names = [(os.fsencode(path),) for path in paths]
        if not names or not os.path.lexists(self._path):
            return
        done = False
        with self._open() as database:
            if database is not None:
                database.executemany("DELETE FROM pages WHERE path = ?", names)
                done = True
        if not done:
            self._drop()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """The database in a transaction; None where there cannot be one. A broken one is dropped."""
        import sqlite3

        if not self._may_open():
            yield None
            return
        database = None
        try:
            database = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            self._prepare(database)
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        except (sqlite3.Error, ValueError, OverflowError) as error:
            # Locked, read-only or without room, it may be used well by somebody else.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _IN_USE:
                self._drop()
        finally:
            if database is not None:
                with suppress(sqlite3.Error):
                    database.close()

    def _prepare(self, database: sqlite3.Connection) -> None:
        """The one table, empty where another version of the program, or nobody, made it."""
        for pragma in ("secure_delete = ON", "journal_mode = MEMORY", "synchronous = OFF", "trusted_schema = OFF"):
            database.execute(f"PRAGMA {pragma}")
        version = int.from_bytes(hashlib.sha256(_made_by().encode()).digest()[:4]) >> 1
        if database.execute("PRAGMA user_version").fetchone()[0] == version:
            return
        database.execute("DROP TABLE IF EXISTS pages")
        database.execute("CREATE TABLE pages (path BLOB PRIMARY KEY, digest TEXT, record BLOB, seal BLOB)")
        database.execute(f"PRAGMA application_id = {_MADE_BY}")
        database.execute(f"PRAGMA user_version = {version}")

    def _may_open(self) -> bool:
        """Whether the file is ours, or not there yet: no link, no second name, no other program's database."""
        try:
            if not stat.S_ISDIR(os.lstat(self._own).st_mode):
                return False
            status = os.lstat(self._path)
        except FileNotFoundError:
            return os.path.isdir(self._own) and self._make()
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            return False
        with suppress(OSError), open(self._path, "rb") as file:
            head = file.read(72)
            if not head or not head.startswith(b"SQLite format 3\0"):
                self._drop()
                return self._make()
            return int.from_bytes(head[68:72]) == _MADE_BY
        return False

    def _make(self) -> bool:
        """Make the file, for this user alone; SQLite takes an empty one for a new database."""
        import sqlite3

        with suppress(OSError, sqlite3.Error):
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            database = sqlite3.connect(self._path)
            database.execute(f"PRAGMA application_id = {_MADE_BY}")
            database.close()
            return True
        return False

    def _drop(self) -> None:
        with suppress(OSError):
            os.unlink(self._path)

    def _key(self) -> tuple[bytes, bytes] | None:
        """What seals are made with: the user's key, and what this program is. None where no key can be kept."""
        if self._sealing is None:
            key = _key_in(self._folder or config_folder())
            self._sealing = (key, _made_by().encode()) if key is not None else None
        return self._sealing


def _key_in(folder: str) -> bytes | None:
    path = os.path.join(folder, KEY_FILE)
    for _ in range(2):
        with suppress(OSError):
            with open(path, "rb") as file:
                key = file.read(64)
            return key if len(key) == 32 else None
        with suppress(OSError):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with open(fd, "wb") as file:
                file.write(secrets.token_bytes(32))
    return None


def _seal(sealing: tuple[bytes, bytes], path: str, digest: str, record: bytes) -> bytes:
    key, made_by = sealing
    about = b"\0".join((made_by, os.fsencode(path), digest.encode(), b""))
    return hashlib.blake2b(about + record, key=key, digest_size=16).digest()


def _made_by() -> str:
    """What a record may depend on besides its file: the program, as it lies on the disk, and its Python."""
    found = [_FORMAT, sys.version]
    for package in (core, stores):
        for folder, _, names in os.walk(os.path.dirname(str(package.__file__))):
            for name in sorted(names):
                if name.endswith(".py"):
                    with suppress(OSError):
                        status = os.stat(os.path.join(folder, name))
                        found.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(found)
