"""Notice changes below a root: native events on its folders, and a stat sweep beside them.

Folders are watched, not files: a file replaced by a rename is another file, and a folder's watch outlives it. Native
events are fast but not complete (a file made at once in a new folder, a root removed and put back), so the sweep
compares names, inodes, sizes and times about once a second (more rarely the larger the root), and what it finds counts
the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Protocol

from stores.markdown.own import OWN_FOLDER

DEBOUNCE_MS = 50
STEP_MS = 5
SWEEP_SECONDS = 1.0
SHARE = 0.005
"""So much of its time, at most, goes to sweeps while native events come: keys share the processor with them."""
AFTER_SECONDS = 0.3
"""How soon after an event there is a sweep; at once where a folder comes, which is not watched yet."""
POLL_SECONDS = 0.5
"""How often to sweep while there are no native events."""
RETRY_SECONDS = 60.0
"""How long after a failure to try native watching again."""

FOLDERS = ("topics", "archive", "withdrawn", "log", "proposals")
"""The folders of a root whose files are read, each with the folders below it."""

SETTLED_NS = 2_000_000_000
"""A file that changed within this time before it was looked at may change again and look the same."""

OnState = Callable[[str, str], None]
"""`on_state(state, detail)`: `live` (native events and the sweep), `polling` (no native events; detail says why),
`off` (the root is not there; detail says so, and it is looked for)."""

Mark = tuple[int, int, int, int, int]


class Stop(Protocol):
    """What ends a watch: `threading.Event`, or anything with these two."""

    def is_set(self) -> bool:
        """True once the watch is to end."""
        ...

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until set, at most `timeout` seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep saw: each folder's own mark, each entry's mark, and the folders behind symlinks."""

    folders: Mapping[str, Mark] = field(default_factory=dict)
    entries: Mapping[str, Mark] = field(default_factory=dict)
    linked: frozenset[str] = frozenset()

    def watched(self) -> tuple[str, ...]:
        """The folders to watch natively, sorted."""
        return tuple(sorted({*self.folders, *self.linked}))

    def only(self, other: Sweep, paths: Set[str]) -> bool:
        """True where nothing but the entries at `paths` differs."""
        names = (mine.keys() | theirs.keys() for mine, theirs in self._beside(other))
        differ = (
            name
            for (mine, theirs), those in zip(self._beside(other), names, strict=True)
            for name in those
            if mine.get(name) != theirs.get(name)
        )
        return self.linked == other.linked and all(name in paths for name in differ)

    def _beside(self, other: Sweep) -> tuple[tuple[Mapping[str, Mark], Mapping[str, Mark]], ...]:
        return (self.folders, other.folders), (self.entries, other.entries)

    def same_folders(self, other: Sweep) -> bool:
        """True where the folders are the same ones, not merely of the same names."""
        return self.linked == other.linked and {name: mark[:2] for name, mark in self.folders.items()} == {
            name: mark[:2] for name, mark in other.folders.items()
        }


def watch(
    root: str,
    on_change: Callable[[], None],
    stop: Stop,
    *,
    on_state: OnState | None = None,
    sweep_seconds: float = SWEEP_SECONDS,
) -> None:
    """Call `on_change` after each burst of changes below `root`, until `stop` is set. For a thread of its own.

    `on_change` and `on_state` are called in this thread; while one runs, further changes gather into the next call. A
    call may come without a change that matters (the engine's own commits are seen like anybody's), never the other way
    round. Nothing is raised for what happens on the disk; what the callbacks raise ends the watch.
    """
    try:
        _watch(root, _guarded(on_change), stop, _States(on_state), sweep_seconds)
    except _Callback as callback:
        raise callback.cause from None


def _watch(root: str, on_change: Callable[[], None], stop: Stop, say: _States, sweep_seconds: float) -> None:
    seen: Sweep | None = None
    native_from = 0.0
    while not stop.is_set():
        now = sweep(root)
        if seen is not None and now != seen:
            on_change()
        seen = now
        if not now.folders:
            say("off", f"{root} is not there; looking for it.")
            stop.wait(sweep_seconds)
            continue
        if time.monotonic() >= native_from:
            try:
                seen = _watch_natively(root, seen, on_change, stop, say, sweep_seconds)
                continue
            except _Callback:
                raise
            except Exception as error:  # whatever the native watcher raises, the sweep goes on without it
                if not os.path.isdir(root):
                    continue
                native_from = time.monotonic() + RETRY_SECONDS
                say("polling", f"Native watching failed: {error}.")
        stop.wait(min(sweep_seconds, POLL_SECONDS))


def sweep(root: str, until: float | None = None) -> Sweep:
    """Look at everything that is watched below `root`: names, inodes, sizes and times, through symlinks. Never raises.

    Empty where the root is not there, or where it takes longer than `until` (`time.monotonic`). Link loops end, since a
    real folder is looked at once.
    """
    folders: dict[str, Mark] = {}
    entries: dict[str, Mark] = {}
    linked: set[str] = set()
    visited: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            own = os.stat(folder)
            if (own.st_dev, own.st_ino) in visited:
                continue
            with os.scandir(folder) as scan:
                found = list(scan)
        except OSError:
            continue
        visited.add((own.st_dev, own.st_ino))
        folders[folder] = (own.st_dev, own.st_ino, 0, 0, 0)
        for entry in found:
            if entry.name.startswith(OWN_FOLDER):
                continue
            if until is not None and time.monotonic() > until:
                return Sweep()
            mark, is_folder = _look(entry)
            entries[entry.path] = mark
            if is_folder and (folder != root or entry.name in FOLDERS):
                waiting.append(entry.path)
            elif entry.is_symlink() and not is_folder:
                linked.add(os.path.dirname(os.path.realpath(entry.path)))
    return Sweep(folders, entries, frozenset(name for name in linked if os.path.isdir(name) and name not in folders))


def _look(entry: os.DirEntry[str]) -> tuple[Mark, bool]:
    try:
        found = entry.stat()
    except OSError:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return (0, 0, 0, 0, 0), False
    is_folder = found.st_mode & 0o170000 == 0o040000
    if is_folder:  # its own entries tell what changes in it; its times would tell the same twice
        return (found.st_dev, found.st_ino, 0, 0, 0), True
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns), False


def _watch_natively(
    root: str, seen: Sweep, on_change: Callable[[], None], stop: Stop, say: _States, sweep_seconds: float
) -> Sweep:
    """Watch the folders of `seen` until they are others (or `stop`); the last sweep that `on_change` knows of.

    Raises whatever the native watcher raises.
    """
    from watchfiles import watch as native_watch

    targets = frozenset(os.path.realpath(path) for path in seen.entries)
    events = native_watch(
        *seen.watched(),
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=STEP_MS,
        stop_event=stop,
        rust_timeout=max(1, int(sweep_seconds * 1000 / 4)),
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=False,
        ignore_permission_denied=True,
    )
    # The first sweep after the watch stands covers what happened between the last sweep and its beginning.
    due = 0.0
    told: set[str] = set()
    for changes in events:  # the watch stands from the first turn on, or raised before
        say("live", "")
        paths = {path for _, path in changes}
        if any(_matters(path, seen, targets) for path in paths):
            on_change()  # at once; the sweep may take longer than the reading, which it would only hold up
            told |= paths
            due = min(due, time.monotonic() + AFTER_SECONDS)
        if time.monotonic() < due and not any(map(os.path.isdir, paths - seen.entries.keys())):
            continue
        began = time.monotonic()
        now = sweep(root)
        due = began + max(sweep_seconds, (time.monotonic() - began) / SHARE)
        if now != seen and not (told and now.only(seen, told)):
            on_change()
        # A folder removed and made again may bear the old inode, so the event about it counts as well.
        if not now.same_folders(seen) or any(path in seen.folders for path in told | paths):
            return now
        seen, told = now, set()
    return seen


def _matters(path: str, seen: Sweep, targets: Iterable[str]) -> bool:
    """False for the engine's own folder, and for what else happens in a folder that a link merely leads into."""
    folder, name = os.path.split(path)
    if name.startswith(OWN_FOLDER):
        return False
    return folder in seen.folders or folder not in seen.linked or path in targets


class _Callback(Exception):
    """Carries what a callback raised past the native watcher's own errors."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _guarded(callback: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        try:
            callback()
        except Exception as error:
            raise _Callback(error) from error

    return call


class _States:
    """Tells a state once, not at every turn."""

    def __init__(self, on_state: OnState | None) -> None:
        self._on_state = on_state
        self._last: tuple[str, str] | None = None

    def __call__(self, state: str, detail: str) -> None:
        if self._on_state is not None and (state, detail) != self._last:
            self._last = (state, detail)
            on_state = self._on_state
            _guarded(lambda: on_state(state, detail))()
