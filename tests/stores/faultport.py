"""File ports that record, stop, fail or interfere; and a small model of what a power cut leaves. For tests.

All ports wrap another (`OsPort` by default) and can be stacked. They count *writing calls* (see
`port.WRITING_CALLS`) from 1.

    RecordingPort()                     .trace: the writing calls in order, as Call
    StopAtPort(n)                       raises Stopped instead of carrying out call n (tear=True: half a write)
    StopAtPort(n, kill=True)            the same by SIGKILL: use it in `in_child`
    FailAtPort(n, errno.ENOSPC)         call n raises OSError; sticky=True: so do all later calls that need space;
                                        name="link": the n-th call of that name
    HookPort(before={("exchange", 1): f})   runs f() just before the first exchange (after={...}: just after)
    PlainPort(links=False)              a file system without exchange (and without links)
    UnsyncedPort()                      the real file system without waiting for fsync: faster, for crash tests

Crash at every call, for any operation that writes through a port (an engine command, say):

    for n in stops(lambda port: operation(port, fresh_root())):     # one number for each call it makes
        root = fresh_root()
        in_child(lambda: operation(StopAtPort(n, kill=True), root)) # dies by SIGKILL at call n
        recover(OsPort(), root); assert ...

Power cuts: record a run, then ask the model for each disk that a cut after any of its calls could leave:

    base = tmp_path / "disk"            # everything that the run touches lies below base
    start = Disk.of(base)
    port = RecordingPort(); operation(port, base / "root")
    for disk in power_cuts(start, port.trace, base):
        disk.write(other_folder)        # then recover and check there

The model (deliberately harsher than a journalling file system): names and data are separate. Data of a file is certain
only up to its last fsync; later writes may be whole, missing, half there or zeros. A change of names (create, rename,
exchange, link, unlink, mkdir, rmdir) is certain once every folder it touches was synced after it; any subset of the
uncertain ones may have happened, in their order, each wholly or not at all; one whose ground is missing (its source
was never created) did not. Few uncertain changes: all subsets; many: none, all, every prefix, each one missing, each
one alone, and some at random (seeded). Equal disks are given once. Modes follow chmod; times are not modelled.
"""

from __future__ import annotations

import contextlib
import errno as errors
import os
import random
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from stores.markdown.port import WRITING_CALLS, OsPort, RenameUnsupported

NEEDS_SPACE = ("create", "write", "mkdir", "link")


class Stopped(BaseException):
    """The process 'died' here. Not an Exception, so that no cleaning up happens on the way out."""


@dataclass(frozen=True)
class Call:
    """One writing call. `path` is what it is about (for calls on a descriptor: the file created under it)."""

    name: str
    path: str
    other: str | None = None  # second path of rename, rename_new, exchange, link
    data: bytes | int | None = None  # what write writes, what mode chmod sets


class WrappedPort:
    """Base of all here: `around` is asked to carry out each writing call."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner or OsPort()
        self.count = 0
        self._open: dict[int, str] = {}

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        return do()

    def __getattr__(self, name: str) -> Any:
        plain = getattr(self.inner, name)
        if name not in WRITING_CALLS:
            return plain

        def call(*args: Any) -> Any:
            self.count += 1
            about = self._open[args[0]] if isinstance(args[0], int) else args[0]
            second = args[1] if len(args) > 1 else None
            noted = Call(
                name,
                about,
                second if isinstance(second, str) else None,
                bytes(second) if isinstance(second, bytes | bytearray) else second if isinstance(second, int) else None,
            )
            answer = self.around(self.count, noted, lambda: plain(*args))
            if name == "create":
                self._open[answer] = about
            return answer

        return call


class RecordingPort(WrappedPort):
    def __init__(self, inner: Any = None) -> None:
        super().__init__(inner)
        self.trace: list[Call] = []

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        answer = do()
        self.trace.append(call)
        return answer


class StopAtPort(WrappedPort):
    def __init__(self, stop: int, *, kill: bool = False, tear: bool = False, inner: Any = None) -> None:
        super().__init__(inner)
        self.stop, self.kill, self.tear = stop, kill, tear

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        if number < self.stop:
            return do()
        if self.tear and call.name == "write" and isinstance(call.data, bytes):
            with open(call.path, "ab") as file:
                file.write(call.data[: len(call.data) // 2])
        if self.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        raise Stopped(call.name, call.path)


class FailAtPort(WrappedPort):
    def __init__(self, fail: int, number: int, *, sticky: bool = False, name: str = "", inner: Any = None) -> None:
        super().__init__(inner)
        self.fail, self.error, self.sticky, self.name = fail, number, sticky, name
        self.failed: Call | None = None
        self.counted = 0

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        self.counted += not self.name or call.name == self.name
        if (not self.failed and self.counted == self.fail) or (
            self.sticky and self.failed and call.name in NEEDS_SPACE
        ):
            self.failed = self.failed or call
            raise OSError(self.error, os.strerror(self.error), call.path)
        return do()


class HookPort(WrappedPort):
    """Keys are (call name, how many-th call of that name, from 1)."""

    def __init__(
        self,
        before: Mapping[tuple[str, int], Callable[[], object]] | None = None,
        after: Mapping[tuple[str, int], Callable[[], object]] | None = None,
        inner: Any = None,
    ) -> None:
        super().__init__(inner)
        self.before, self.after = dict(before or {}), dict(after or {})
        self.seen: dict[str, int] = {}

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        self.seen[call.name] = self.seen.get(call.name, 0) + 1
        key = (call.name, self.seen[call.name])
        self.before.pop(key, lambda: None)()
        answer = do()
        self.after.pop(key, lambda: None)()
        return answer


class PlainPort(WrappedPort):
    def __init__(self, *, links: bool = True, inner: Any = None) -> None:
        super().__init__(inner)
        self.links = links

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        if call.name == "exchange":
            raise RenameUnsupported(errors.EINVAL, "no exchange here")
        if call.name == "link" and not self.links:
            raise OSError(errors.EPERM, "no links here")
        return do()


class UnsyncedPort(OsPort):
    def fsync(self, fd: int) -> None:
        pass

    def fsync_folder(self, path: str) -> None:
        os.stat(path)


@contextlib.contextmanager
def fast_folder() -> Iterator[Path]:
    """A folder in memory, where there is such a thing: crash tests write thousands of small disks."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="assay-", dir=memory) as folder:
        yield Path(folder)


def stops(operation: Callable[[Any], object]) -> range:
    """Runs `operation(port)` once, and answers the numbers of the writing calls that it makes."""
    port = RecordingPort(UnsyncedPort())
    operation(port)
    return range(1, port.count + 1)


def in_child(work: Callable[[], object]) -> int:
    """Runs `work` in a forked child; answers the signal that killed it, 0 if it came to its end. Fails if it raised."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    assert os.WEXITSTATUS(status) == 0, "the child raised"
    return 0


@dataclass
class Disk:
    """Files and folders below one folder. Paths are relative to it; two names of one number are one file."""

    folders: set[str] = field(default_factory=set)
    names: dict[str, int] = field(default_factory=dict)
    data: dict[int, bytes] = field(default_factory=dict)
    modes: dict[int, int] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, base: str | os.PathLike[str]) -> Disk:
        disk, numbers = cls(), {}
        for folder, folders, files in os.walk(base):
            for name in (*folders, *files):
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, base)
                if os.path.islink(path):
                    disk.links[relative] = os.readlink(path)
                elif name in folders:
                    disk.folders.add(relative)
                else:
                    found = os.stat(path)
                    number = numbers.setdefault(found.st_ino, len(numbers))
                    disk.names[relative] = number
                    with open(path, "rb") as file:
                        disk.data[number] = file.read()
                    disk.modes[number] = found.st_mode & 0o7777
        return disk

    def write(self, base: str | os.PathLike[str]) -> None:
        """Makes the folder `base` be this disk."""
        shutil.rmtree(base, ignore_errors=True)
        os.makedirs(base)
        for folder in sorted(self.folders):
            os.makedirs(os.path.join(base, folder), exist_ok=True)
        first: dict[int, str] = {}
        for name, number in sorted(self.names.items()):
            path = os.path.join(base, name)
            if number in first:
                os.link(first[number], path)
                continue
            first[number] = path
            with open(path, "wb") as file:
                file.write(self.data[number])
            os.chmod(path, self.modes.get(number, 0o600))
        for name, target in self.links.items():
            os.symlink(target, os.path.join(base, name))

    def copy(self) -> Disk:
        return Disk(set(self.folders), dict(self.names), dict(self.data), dict(self.modes), dict(self.links))

    def key(self) -> object:
        """Equal for disks that no program could tell apart."""
        groups: dict[int, list[str]] = {}
        for name, number in self.names.items():
            groups.setdefault(number, []).append(name)
        files = frozenset((tuple(sorted(group)), self.data[number]) for number, group in groups.items())
        return frozenset(self.folders), files


def power_cuts(
    start: Disk, trace: Sequence[Call], base: str | os.PathLike[str], *, first: int = 0, seed: int = 0
) -> Iterator[Disk]:
    """Every disk (see the module's text) that a power cut after each of the calls `first`.. could leave."""
    seen: set[object] = set()
    dice = random.Random(seed)
    for cut in range(first, len(trace) + 1):
        for disk in _cut(start, trace[:cut], os.fspath(base), dice):
            key = disk.key()
            if key not in seen:
                seen.add(key)
                yield disk


_NAME_CALLS = ("create", "rename", "rename_new", "exchange", "link", "unlink", "mkdir", "rmdir")


def _cut(start: Disk, trace: Sequence[Call], base: str, dice: random.Random) -> Iterator[Disk]:
    def at(path: str) -> str:
        return os.path.relpath(path, base)

    # Data: what each created file holds now, and what it held at its last fsync. Its number is that of its creation.
    now: dict[int, bytes] = {}
    synced: dict[int, bytes] = {}
    modes: dict[int, int] = {}
    current: dict[str, int] = {}
    uncertain: list[int] = []
    changes = [index for index, call in enumerate(trace) if call.name in _NAME_CALLS]
    for index, call in enumerate(trace):
        if call.name == "create":
            current[call.path] = index
            now[index] = synced[index] = b""
            modes[index] = 0o600
        elif call.name == "write" and isinstance(call.data, bytes):
            now[current[call.path]] += call.data
        elif call.name == "chmod" and isinstance(call.data, int):
            modes[current[call.path]] = call.data
        elif call.name == "fsync":
            synced[current[call.path]] = now[current[call.path]]
    for index in changes:
        call = trace[index]
        waiting = {os.path.dirname(path) for path in (call.path, call.other) if path}
        for later in trace[index + 1 :]:
            if later.name == "fsync_folder":
                waiting.discard(later.path)
        if waiting:
            uncertain.append(index)

    def play(happened: set[int], contents: Mapping[int, bytes]) -> Disk:
        disk = start.copy()
        for index in changes:
            if index in happened:
                call = trace[index]
                _play(disk, call.name, at(call.path), at(call.other) if call.other else "", -1 - index)
        for number in set(disk.names.values()):
            if number < 0:
                disk.data[number] = contents[-1 - number]
                disk.modes[number] = modes[-1 - number]
        return disk

    certain = set(changes) - set(uncertain)
    wounded = [index for index in now if now[index] != synced[index]]
    variants = [now]
    if wounded:
        variants.append(synced)
        variants.append({i: d[: len(d) // 2] if i in wounded else d for i, d in now.items()})
        variants.append({i: bytes(len(d)) if i in wounded else d for i, d in now.items()})
    for subset in _subsets(uncertain, dice):
        for contents in variants:
            yield play(certain | set(subset), contents)


def _subsets(items: list[int], dice: random.Random) -> Iterator[tuple[int, ...]]:
    if len(items) <= 5:
        for size in range(len(items) + 1):
            yield from combinations(items, size)
        return
    for end in range(len(items) + 1):
        yield tuple(items[:end])
    for index in range(len(items)):
        yield (items[index],)
        yield (*items[:index], *items[index + 1 :])
    for _ in range(4):
        yield tuple(item for item in items if dice.random() < 0.5)


def _play(disk: Disk, name: str, path: str, other: str, number: int) -> None:
    names, folders = disk.names, disk.folders
    target = other or path
    parent = os.path.dirname(target)
    if parent and parent not in folders:
        return
    if name == "create" and path not in names:
        names[path] = number
    elif name in ("rename", "rename_new") and path in names and not (name == "rename_new" and other in names):
        names[other] = names.pop(path)
    elif name == "exchange" and path in names and other in names:
        names[path], names[other] = names[other], names[path]
    elif name == "link" and path in names and other not in names:
        names[other] = names[path]
    elif name == "unlink":
        names.pop(path, None)
    elif name == "mkdir":
        folders.add(path)
    elif name == "rmdir" and not any(each.startswith(path + "/") for each in (*names, *folders)):
        folders.discard(path)
