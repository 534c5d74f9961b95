"""One writer per root: a hard lock of the operating system, and beside it who holds it and since when."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import filelock

from core import errors
from stores.markdown.port import OsPort, discard

_POLL = 0.02


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: the actor, the process, its computer, and the ISO time of taking it, as written there."""

    actor: str
    pid: int
    host: str
    since: str


class LockHeld(errors.RootBusy):
    """Another writer has the lock of `path`; `holder` says who, None where that cannot be read."""

    def __init__(self, path: str, holder: Holder | None) -> None:
        self.path = path
        self.holder = holder
        who = f"{holder.actor} (process {holder.pid} on {holder.host})" if holder else "Another process"
        since = f" since {holder.since}" if holder else ""
        super().__init__(f"{who} has been writing here{since}.", where=path, remedy="Try again when it is done.")


class LockUnavailable(errors.RootReadOnly):
    """`path` cannot be locked (read-only, or its file system knows no locks), so nothing may be written there."""

    def __init__(self, path: str, detail: str) -> None:
        self.path = path
        self.detail = detail
        super().__init__(f"It can be read, but not written: {detail}.", where=path)


@contextlib.contextmanager
def hold(
    root: str, *, actor: str, since: str | Callable[[], str], timeout: float = 10.0, extra: Sequence[str] = ()
) -> Iterator[None]:
    """Holds the root's lock, and those of the real folders `extra` outside it, while the block runs.

    `since` is the time written for those who wait: an ISO text, or a function asked for one once the locks are taken.
    Locks are taken in the order of their paths, so that two writers never wait for each other; a folder that lies in
    another root takes that root's lock too. Waits at most `timeout` seconds in all, then raises LockHeld. Raises
    LockUnavailable where a lock cannot be had at all, RootNotFound where there is no such root. The lock is the
    operating system's: it ends with the process that holds it. It may be released by another thread.
    """
    real = os.path.realpath(root)
    if not os.path.isdir(real):
        raise errors.RootNotFound("There is no such folder.", where=root)
    folders = [os.path.realpath(folder) for folder in extra]
    paths = {_own_lock(real)}
    for folder in folders:
        if folder != real and not folder.startswith(os.path.join(real, "")):
            paths.add(os.path.join(folder, ".assay-lock"))
            paths.update(_enclosing(folder))
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as held:
        for path in sorted(paths, key=os.fsencode):
            held.callback(_take(path, max(deadline - time.monotonic(), 0.0)))
        holder = Holder(actor, os.getpid(), socket.gethostname(), since if isinstance(since, str) else since())
        for path in paths:
            held.callback(_sign(path, holder))
        yield


def holder(root: str) -> Holder | None:
    """Who last said that they hold the root's lock; None where nobody does, or it cannot be read. Takes no lock."""
    return _holder(os.path.join(os.path.realpath(root), ".assay", "lock"))


def _own_lock(root: str) -> str:
    assay = os.path.join(root, ".assay")
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(assay)
        if not stat.S_ISDIR(os.lstat(assay).st_mode):
            raise LockUnavailable(assay, "it is not a folder of this root")
    except OSError as error:
        raise LockUnavailable(root, _reason(error)) from error
    return os.path.join(assay, "lock")


def _enclosing(folder: str) -> list[str]:
    """The locks of the roots in which the folder lies."""
    found = []
    while True:
        if os.path.isdir(os.path.join(folder, ".assay")):
            found.append(os.path.join(folder, ".assay", "lock"))
        if folder == os.path.dirname(folder):
            return found
        folder = os.path.dirname(folder)


def _take(path: str, timeout: float) -> Callable[[], None]:
    """Takes one lock; answers what releases it."""
    folder = os.path.dirname(path)
    try:
        try:
            lock = filelock.FileLock(path, thread_local=False, fallback_to_soft=False)
        except TypeError:  # older versions have no fallback to forbid
            lock = filelock.FileLock(path, thread_local=False)
        if isinstance(lock, filelock.SoftFileLock):
            raise LockUnavailable(folder, "this platform has no file locks")
        lock.acquire(timeout=timeout, poll_interval=_POLL)
    except filelock.Timeout:
        raise LockHeld(folder, _holder(path)) from None
    except NotImplementedError as error:
        raise LockUnavailable(folder, "its file system has no file locks") from error
    except OSError as error:
        raise LockUnavailable(folder, _reason(error)) from error
    return lock.release


def _sign(path: str, holder: Holder) -> Callable[[], None]:
    """Writes who holds the lock; answers what removes that. Failing here is no reason not to write memory."""
    port = OsPort()
    with contextlib.suppress(OSError):
        discard(port, path + ".json.new")
        fd = port.create(path + ".json.new", 0o644)
        try:
            port.write(fd, json.dumps(asdict(holder)).encode())
        finally:
            port.close(fd)
        port.rename(path + ".json.new", path + ".json")

    def unsign() -> None:
        with contextlib.suppress(OSError):
            port.unlink(path + ".json")

    return unsign


def _holder(path: str) -> Holder | None:
    try:
        with open(path + ".json", "rb") as file:
            raw = json.load(file)
        return Holder(str(raw["actor"]), int(raw["pid"]), str(raw["host"]), str(raw["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
