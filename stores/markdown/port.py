"""The file port: every call by which this binding changes a disk goes through here, so that tests can stand in it."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import signal
import stat
import sys
from typing import Protocol

_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


class RenameUnsupported(OSError):
    """The platform or the file system has no such kind of rename (exchange, or without replacing)."""


class FilePort(Protocol):
    """Paths are absolute. All calls raise OSError as the operating system does, unless it says otherwise.

    `read` and `stat` answer None where nothing is there; neither follows a link in the last name.
    """

    # Calls that change the disk, or order its changes.
    def create(self, path: str, mode: int) -> int:
        """A descriptor for writing to a new file (less the umask). FileExistsError where something is there."""

    def write(self, fd: int, data: bytes) -> None:
        """Writes all of `data`."""

    def chmod(self, fd: int, mode: int) -> None: ...
    def chown(self, fd: int, uid: int, gid: int) -> None: ...
    def fsync(self, fd: int) -> None: ...
    def fsync_folder(self, path: str) -> None: ...
    def rename(self, source: str, target: str) -> None: ...
    def rename_new(self, source: str, target: str) -> None:
        """Renames where `target` is free, else FileExistsError. Raises RenameUnsupported."""

    def exchange(self, one: str, two: str) -> None:
        """Swaps what two names stand for, at once. Raises RenameUnsupported."""

    def link(self, source: str, target: str) -> None: ...
    def unlink(self, path: str) -> None: ...
    def mkdir(self, path: str) -> None: ...
    def rmdir(self, path: str) -> None: ...

    # Calls that look.
    def close(self, fd: int) -> None: ...
    def read(self, path: str) -> bytes | None:
        """The whole of a regular file; OSError(EINVAL or ELOOP) for anything else that stands there."""

    def stat(self, path: str) -> os.stat_result | None: ...
    def listdir(self, path: str) -> list[str]:
        """Names in byte order; empty where there is no such folder."""

    def realpath(self, path: str) -> str: ...
    def writable(self, path: str) -> bool:
        """Whether this process may write there, and the owner's own mode bits allow it (root ignores modes)."""

    def writer_holds(self, path: str) -> bool | None:
        """Whether some process has the file open for writing; None where the platform cannot tell."""


WRITING_CALLS = (
    *("create", "write", "chmod", "chown", "fsync", "fsync_folder", "rename", "rename_new"),
    *("exchange", "link", "unlink", "mkdir", "rmdir"),
)


class OsPort:
    """The real file system."""

    def create(self, path: str, mode: int) -> int:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)

    def write(self, fd: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]

    def chmod(self, fd: int, mode: int) -> None:
        os.fchmod(fd, mode)

    def chown(self, fd: int, uid: int, gid: int) -> None:
        os.fchown(fd, uid, gid)

    def fsync(self, fd: int) -> None:
        if sys.platform == "darwin":
            import fcntl

            # There, fsync alone leaves the bytes in the drive's own cache. Network volumes know fsync only.
            with contextlib.suppress(OSError):
                fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
                return
        os.fsync(fd)

    def fsync_folder(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:  # some network file systems cannot, and order renames themselves
                raise
        finally:
            os.close(fd)

    def rename(self, source: str, target: str) -> None:
        os.rename(source, target)

    def rename_new(self, source: str, target: str) -> None:
        _special_rename(source, target, linux=1, darwin=4)

    def exchange(self, one: str, two: str) -> None:
        _special_rename(one, two, linux=2, darwin=2)

    def link(self, source: str, target: str) -> None:
        os.link(source, target, follow_symlinks=False)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def mkdir(self, path: str) -> None:
        os.mkdir(path)

    def rmdir(self, path: str) -> None:
        os.rmdir(path)

    def close(self, fd: int) -> None:
        os.close(fd)

    def read(self, path: str) -> bytes | None:
        try:
            # Non-blocking, so that a pipe under this name cannot hang the commit.
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with open(fd, "rb", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "not a regular file", path)
            return file.readall()

    def stat(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def listdir(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(path), key=os.fsencode)
        except FileNotFoundError:
            return []

    def realpath(self, path: str) -> str:
        return os.path.realpath(path)

    def writable(self, path: str) -> bool:
        return bool(os.stat(path).st_mode & stat.S_IWUSR) and os.access(path, os.W_OK)

    def writer_holds(self, path: str) -> bool | None:
        if not sys.platform.startswith("linux"):
            return None
        import fcntl

        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            # A read lease is granted only while nobody has the file open for writing. Should somebody open it while
            # the lease is held, the kernel signals; SIGIO would end this process, SIGURG is ignored by default.
            fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return False
        except OSError as error:
            return True if error.errno == errno.EAGAIN else None
        finally:
            os.close(fd)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _special_rename(source: str, target: str, *, linux: int, darwin: int) -> None:
    """rename with flags: renameat2 on Linux, renamex_np on macOS. Raises RenameUnsupported elsewhere."""
    libc = _libc()
    one, two = os.fsencode(source), os.fsencode(target)
    try:
        if sys.platform.startswith("linux"):
            here = -100  # AT_FDCWD; the paths are absolute
            failed = libc.renameat2(here, one, here, two, ctypes.c_uint(linux))
        elif sys.platform == "darwin":
            failed = libc.renamex_np(one, two, ctypes.c_uint(darwin))
        else:
            raise AttributeError
    except AttributeError:
        raise RenameUnsupported(errno.ENOSYS, "this platform has no such rename", source) from None
    if failed:
        number = ctypes.get_errno()
        kind = RenameUnsupported if number in _UNSUPPORTED else OSError
        raise kind(number, os.strerror(number), source, None, target)


def write_new(
    port: FilePort, path: str, data: bytes, *, mode: int, exact: bool = False, owner: os.stat_result | None = None
) -> None:
    """A new file of `data`, synced (its folder is not).

    `mode` is less the umask unless `exact`. Owner and group are those of `owner`, where given and where this process
    may set them. A file that is there already is the left-over of an earlier try, and is replaced. Raises OSError;
    then no half-written file stays, as far as it can be removed.
    """
    first_mode = 0o600 if exact else mode  # nobody else reads it before it has its owner
    try:
        fd = port.create(path, first_mode)
    except FileExistsError:
        port.unlink(path)
        fd = port.create(path, first_mode)
    try:
        try:
            port.write(fd, data)
            made = port.stat(path) if owner else None
            if owner and made and (made.st_uid, made.st_gid) != (owner.st_uid, owner.st_gid):
                with contextlib.suppress(PermissionError):
                    port.chown(fd, owner.st_uid, owner.st_gid)
            if exact:
                port.chmod(fd, mode)  # after chown, which clears bits
            port.fsync(fd)
        finally:
            port.close(fd)
    except OSError:
        with contextlib.suppress(OSError):
            port.unlink(path)
        raise


def discard(port: FilePort, path: str) -> None:
    """Unlinks the file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        port.unlink(path)
