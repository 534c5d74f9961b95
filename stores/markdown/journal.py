"""The journal of a transaction: one file that holds all it takes to finish the transaction, or to undo it.

`.assay/journal/<tx>.<state>`; the state is the end of the name, so that one rename takes a step:

    preparing   being written; counts for nothing
    committed   the transaction happened; files are being replaced
    undoing     it cannot be finished; files are being put back
    done        every file is replaced (undone: put back), and synced; only left-over temporary files remain
    stuck       neither could be done without losing somebody's bytes; a human must choose

A journal that is done, or undone, moves to `.assay/displaced/`: it is the note of which displaced files are kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from stores.markdown.edits import SpanEdit, apply_edits
from stores.markdown.port import FilePort, discard, write_new

_MAGIC = b"assay-journal 1 "
_TEMP = ".assay-", ".tmp"


class Home:
    """Where a root's machinery lives; `root` is its real path."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.assay = os.path.join(root, ".assay")
        self.journal = os.path.join(self.assay, "journal")
        self.displaced = os.path.join(self.assay, "displaced")
        self.sequence = os.path.join(self.assay, "sequence")


@dataclass(frozen=True, slots=True)
class Step:
    """One file to replace: `real` (the target, links followed) holds `expect` and is to hold `want`.

    `expect` None: a new file. `edits` turn `expect` into `want`. `temp` stands beside `real`: first it holds `want`,
    then, once exchanged, what `real` held.
    """

    path: str
    real: str
    temp: str
    expect: bytes | None
    edits: tuple[SpanEdit, ...]
    want: bytes
    mode: int | None = None

    @property
    def part(self) -> str:
        """Our file, from its first byte on (see `slots`); what stands under `temp` is whole, always."""
        return part_name(self.temp)

    @property
    def old(self) -> str:
        """Where names cannot be exchanged: holds what `real` held, until it moves to `temp`."""
        return self.temp.removesuffix(".tmp") + ".old.tmp"

    @property
    def lost(self) -> str:
        """A stranger's save that another save replaced while it was being given back."""
        return self.temp.removesuffix(".tmp") + ".lost.tmp"

    @property
    def take(self) -> str:
        """Holds a new file while it is taken back."""
        return self.temp.removesuffix(".tmp") + ".take.tmp"


def step(path: str, real: str, temp: str, expect: bytes | None, edits: Sequence[SpanEdit], mode: int | None) -> Step:
    """A Step; `want` follows from `expect` and `edits`."""
    return Step(path, real, temp, expect, tuple(edits), apply_edits(expect or b"", edits), mode)


@dataclass(frozen=True, slots=True)
class Kept:
    """A displaced file that is kept because some process may still write to it. `known` is what it held, and is dealt
    with. It stands in `.assay/displaced/` under the last name of `temp`; on another file system, still at `temp`."""

    path: str
    real: str
    temp: str
    known: bytes


@dataclass(frozen=True, slots=True)
class Seen:
    """Of the kept file `temp` in `note`, the first `size` bytes are dealt with by this transaction."""

    note: str
    temp: str
    size: int


@dataclass(frozen=True, slots=True)
class Journal:
    """A transaction. `folders` are made for it, outermost first. `undo`: the steps themselves put files back.
    `drops` are files of ours that go when it is done. `generation` counts its rewrites."""

    tx: str
    steps: tuple[Step, ...]
    folders: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    seen: tuple[Seen, ...] = ()
    drops: tuple[str, ...] = ()
    undo: bool = False
    generation: int = 0

    def leftovers(self, state: str) -> tuple[Kept, ...]:
        """Every file that the transaction displaced, once it is done or undone."""
        forward = self.undo or state != "undone"
        own = (
            Kept(s.path, s.real, s.temp, s.expect or b"" if forward else s.want)
            for s in self.steps
            if not (forward and s.expect is None)
        )
        return (*self.kept, *own)


def temp_name(real: str, tx: str, number: int, generation: int = 0) -> str:
    """The temporary file beside `real`. Never `.md`, so that no reader of memory takes it for a page."""
    again = f".{generation}" if generation else ""  # a dot, which no transaction's name has
    return os.path.join(os.path.dirname(real), f"{_TEMP[0]}{tx}-{number}{again}{_TEMP[1]}")


def is_temp_name(name: str) -> bool:
    """Whether a file of this name is one that a commit keeps beside another for a while."""
    return name.startswith(_TEMP[0]) and name.endswith(_TEMP[1])


def part_name(temp: str) -> str:
    """The first name of the file of ours that `temp` is made from."""
    return temp.removesuffix(".tmp") + ".part.tmp"


def encode(journal: Journal, home: Home) -> bytes:
    """The journal's file: a line with the checksum of the rest, a line of JSON, then the bytes that it counts.

    Paths in the root are written relative to it, so that a root that was moved can be recovered.
    """
    blobs: list[bytes] = []

    def blob(data: bytes) -> int:
        blobs.append(data)
        return len(data)

    def within(path: str) -> str:
        inside = path.startswith(os.path.join(home.root, ""))
        return os.path.relpath(path, home.root) if inside else path

    head = {
        "tx": journal.tx,
        "undo": journal.undo,
        "generation": journal.generation,
        "folders": [within(folder) for folder in journal.folders],
        "drops": [within(path) for path in journal.drops],
        "seen": [[s.note, s.temp, s.size] for s in journal.seen],
        "steps": [
            {
                "path": s.path,
                "real": within(s.real),
                "temp": os.path.basename(s.temp),
                "mode": s.mode,
                "before": None if s.expect is None else blob(s.expect),
                "edits": [[e.start, e.end, blob(e.replacement)] for e in s.edits],
            }
            for s in journal.steps
        ],
        "kept": [[k.path, within(k.real), os.path.basename(k.temp), blob(k.known)] for k in journal.kept],
    }
    body = (json.dumps(head, separators=(",", ":")).encode() + b"\n", *blobs)
    check = 0
    for part in body:
        check = zlib.crc32(part, check)
    return b"".join((_MAGIC, b"%08x\n" % check, *body))


def decode(data: bytes, home: Home) -> Journal:
    """The Journal in its file's bytes. Raises ValueError where they are not all there."""
    start = data.find(b"\n") + 1
    if data[:start] != _MAGIC + b"%08x\n" % zlib.crc32(memoryview(data)[start:]):
        raise ValueError("the journal is damaged")
    at = data.index(b"\n", start) + 1
    head: dict[str, Any] = json.loads(data[start:at])

    def blob(size: int) -> bytes:
        nonlocal at
        at += size
        return data[at - size : at]

    def beside(real: str, name: str) -> str:
        return os.path.join(os.path.dirname(real), name)

    steps = []
    for raw in head["steps"]:
        real = os.path.join(home.root, raw["real"])
        before = None if raw["before"] is None else blob(raw["before"])
        edits = [SpanEdit(start, end, blob(size)) for start, end, size in raw["edits"]]
        steps.append(step(raw["path"], real, beside(real, raw["temp"]), before, edits, raw["mode"]))
    kept = []
    for path, within, name, size in head["kept"]:
        real = os.path.join(home.root, within)
        kept.append(Kept(path, real, beside(real, name), blob(size)))
    return Journal(
        head["tx"],
        tuple(steps),
        folders=tuple(os.path.join(home.root, folder) for folder in head["folders"]),
        kept=tuple(kept),
        seen=tuple(Seen(*raw) for raw in head["seen"]),
        drops=tuple(os.path.join(home.root, path) for path in head["drops"]),
        undo=head["undo"],
        generation=head["generation"],
    )


def stage(port: FilePort, home: Home, journal: Journal, state: str) -> None:
    """Writes the journal and gives it `state` by one rename, synced; it replaces the transaction's older journal.

    OSError where that fails: before the rename nothing has happened.
    """
    preparing = os.path.join(home.journal, f"{journal.tx}.preparing")
    # The journal holds copies of memory, so it is never more open than the most private of its files.
    write_new(port, preparing, encode(journal, home), mode=0o600)
    try:
        port.rename(preparing, os.path.join(home.journal, f"{journal.tx}.{state}"))
    except OSError:
        with contextlib.suppress(OSError):
            port.unlink(preparing)
        raise
    port.fsync_folder(home.journal)


def journals(port: FilePort, home: Home) -> list[tuple[str, str]]:
    """(transaction, state) of each journal, in byte order."""
    return [(tx, state) for tx, _, state in (name.rpartition(".") for name in port.listdir(home.journal))]


def notes(port: FilePort, home: Home) -> list[tuple[str, Journal, str]]:
    """(file name, journal, state) of each readable note of displaced files, oldest first."""
    found = []
    for name in port.listdir(home.displaced):
        state = name.rpartition(".")[2]
        if state in ("done", "undone"):
            with contextlib.suppress(OSError, ValueError):
                found.append((name, decode(port.read(os.path.join(home.displaced, name)) or b"", home), state))
    ages = {name: made.st_mtime_ns for name, _, _ in found if (made := port.stat(os.path.join(home.displaced, name)))}
    return sorted(found, key=lambda note: ages.get(note[0], 0))


def mark_seen(port: FilePort, home: Home, note: str, seen: Sequence[Seen]) -> None:
    """Notes, synced, that of these kept files so many bytes are dealt with. Doing it twice does no more."""
    path = os.path.join(home.displaced, note)
    try:
        journal = decode(port.read(path) or b"", home)
    except ValueError:
        return  # gone, or damaged: then it names nothing any more
    sizes = {each.temp: each.size for each in seen}
    kept = []
    for each in journal.leftovers(note.rpartition(".")[2]):
        size = sizes.get(os.path.basename(each.temp))
        found = None if size is None else port.read(kept_at(port, home, each))
        kept.append(each if found is None else replace(each, known=found[:size]))
    rewritten = Journal(journal.tx, (), kept=tuple(kept))
    write_new(port, path + ".new", encode(rewritten, home), mode=0o600)
    port.rename(path + ".new", path)
    port.fsync_folder(home.displaced)


def kept_at(port: FilePort, home: Home, kept: Kept) -> str:
    """Where the displaced file stands now (it may be gone)."""
    shelf = os.path.join(home.displaced, os.path.basename(kept.temp))
    return kept.temp if port.stat(shelf) is None else shelf


def bump(port: FilePort, home: Home, journal_file: str) -> None:
    """Moves the root's sequence number on. Its floor is the journal's time stamp, so that a lost number never returns.

    It must happen after the commit point and before the first file changes: see `sequence`.
    """
    made = port.stat(journal_file)
    number = max(_number(home) + 1, made.st_mtime_ns if made else 0)
    # Not synced: after a power cut no reader is left who knows an older number.
    discard(port, home.sequence + ".new")
    fd = port.create(home.sequence + ".new", 0o644)
    try:
        port.write(fd, b"%d\n" % number)
    finally:
        port.close(fd)
    port.rename(home.sequence + ".new", home.sequence)


def sequence(root: str) -> tuple[int, bool]:
    """(a number that differs after each commit, whether a commit is in progress); takes no lock, never raises.

    A reader asks before it reads and after: equal numbers and neither in progress, and it has seen no half of a
    commit. The number is read first: it moves on after the journal appears and before any file changes, so a commit
    that began in between shows in one of the two answers.
    """
    home = Home(os.path.realpath(root))
    number = _number(home)
    return number, any(name.endswith((".committed", ".undoing")) for name in _names(home.journal))


def pending(root: str) -> bool:
    """Whether a journal is there that a lock holder would have to deal with (or is dealing with); takes no lock."""
    return any(not name.endswith(".stuck") for name in _names(Home(os.path.realpath(root)).journal))


def _number(home: Home) -> int:
    try:
        with open(home.sequence, "rb") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
