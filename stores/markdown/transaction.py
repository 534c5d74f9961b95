"""Committing: several files change together, or none does. Knows paths and bytes, nothing of what they mean."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core import errors
from stores.markdown.edits import FileEdit, rebase
from stores.markdown.journal import Home, Journal, Seen, Step, decode, journals, stage, step, temp_name
from stores.markdown.placing import Run
from stores.markdown.port import FilePort
from stores.markdown.slots import Busy, Conflict, Stuck


class StrangerConflict(errors.StrangerConflict):
    """Somebody else's save of `path` met the commit; nothing of the commit stands, their bytes do."""

    def __init__(self, path: str, detail: str) -> None:
        self.path = path
        self.detail = detail
        super().__init__(f"The change was undone: {detail}.", where=path, remedy="Look at the file, then try again.")


class WriteRefused(errors.WriteRefused):
    """`path` cannot be written (read-only, full, failing). Nothing of the commit stands, nothing is half written."""

    def __init__(self, path: str, detail: str) -> None:
        self.path = path
        self.detail = detail
        super().__init__(f"Nothing was written: {detail}.", where=path)


class RootNeedsAttention(errors.WriteRefused):
    """The root holds an interrupted transaction that stands in the way; see `recovery.recover`."""

    code = "root-needs-attention"

    def __init__(self, path: str, detail: str) -> None:
        self.path = path
        self.detail = detail
        super().__init__(f"{detail[:1].upper()}{detail[1:]}.", where=path, remedy="Health shows what is known of it.")


@dataclass(frozen=True, slots=True)
class CommitReport:
    """What a commit did: the transaction's name as filed, each file's bytes now, by path in the order of writing, and
    the paths where the edits were re-placed around a stranger's change. `tidy` False: a journal that is done was left
    for the next recovery to clear away."""

    tx: str
    after: Mapping[str, bytes]
    merged: frozenset[str]
    tidy: bool = True


@dataclass(frozen=True, slots=True)
class LateBytes:
    """A displaced file of `path` that some process wrote to after it was displaced.

    `known` is what of it is dealt with, `found` what it holds now. `note` and `temp` name it.
    """

    path: str
    known: bytes
    found: bytes
    note: str
    temp: str

    @property
    def tail(self) -> bytes | None:
        """What was appended; None where it was changed in another way."""
        return self.found[len(self.known) :] if self.found.startswith(self.known) else None


def commit(
    port: FilePort,
    root: str,
    edits: Sequence[FileEdit],
    *,
    tx: str,
    late: Sequence[LateBytes] = (),
    drops: Sequence[str] = (),
) -> CommitReport:
    """Carries out `edits` in the given order, all or none. The caller holds the root's lock, and has run `recover`.

    A file that no longer holds its edit's `before` takes the edits where their places are untouched. Links are
    followed, the mode of a file is kept. `late` are those of `settle_displaced` that these edits deal with: that they
    are dealt with becomes true with the same commit. `drops`: stuck journals that this commit settles (`resolve`).

    Raises StrangerConflict, WriteRefused: all is as before, apart from what strangers did. RootNeedsAttention: an
    earlier transaction is in the way, or this one could neither be finished nor undone, and the next `recover` must.
    ValueError for a path that leaves the root or comes twice, a bad `tx`, or edits that do not fit their `before`.
    """
    if not tx or not tx.replace("-", "").replace("_", "").isalnum() or not tx.isascii() or len(tx) > 100:
        raise ValueError(f"not a transaction name: {tx!r}")
    home = Home(port.realpath(root))
    with refusing(".assay"):
        _make_home(port, home)
        taken = {name.rpartition(".")[0] for name in (*port.listdir(home.journal), *port.listdir(home.displaced))}
        tx, base, count = tx, tx, 1
        while tx in taken:
            count += 1
            tx = f"{base}-{count}"
    barred = _barred(port, home, drops)
    steps, folders, merged = _plan(port, home, edits, tx)
    for each in steps:
        if each.real in barred:
            raise RootNeedsAttention(each.path, "an interrupted change of it waits for a human's choice")
    seen = tuple(Seen(each.note, each.temp, len(each.found)) for each in late)
    if not steps and not seen and not drops:
        return CommitReport(tx, MappingProxyType({}), frozenset())
    run = Run(port, home, Journal(tx, steps, folders=folders, seen=seen, drops=tuple(drops)), "committed")
    try:
        stage(port, home, run.journal, "committed")
    except OSError as error:
        if port.stat(run.file()) is not None:
            _roll_back(run, error)
        raise WriteRefused(".assay/journal", reason(error)) from error
    try:
        run.forward(fresh=True)
    except Conflict as conflict:
        _roll_back(run, conflict)
        raise StrangerConflict(conflict.path, conflict.detail) from conflict
    except OSError as error:
        _roll_back(run, error)
        raise WriteRefused(_named(run, error), reason(error)) from error
    after = MappingProxyType({each.path: each.want for each in run.journal.steps})
    return CommitReport(tx, after, merged | run.merged, tidy=_finish(run))


def _plan(
    port: FilePort, home: Home, edits: Sequence[FileEdit], tx: str
) -> tuple[tuple[Step, ...], tuple[str, ...], frozenset[str]]:
    """The steps, the folders to make, and the paths whose files are no longer as read. Touches nothing."""
    steps: list[Step] = []
    folders: list[str] = []
    merged: set[str] = set()
    reals: set[str] = set()
    for number, edit in enumerate(edits):
        names = edit.path.split("/")
        if os.path.isabs(edit.path) or names[0] == ".assay" or any(name in ("", ".", "..") for name in names):
            raise ValueError(f"not a path in the root: {edit.path!r}")
        joined = os.path.join(home.root, *names)
        with refusing(edit.path):
            if edit.before is None:
                parent = port.realpath(os.path.dirname(joined))
                real = os.path.join(parent, names[-1])
                folders += (folder for folder in _missing(port, parent) if folder not in folders)
                _check_free(port, edit.path, real, parent)
                live = None
            else:
                real = port.realpath(joined)
                live = _check_writable(port, edit.path, real)
        if real in reals:
            raise ValueError(f"{edit.path!r} comes twice")
        reals.add(real)
        spans = edit.edits
        if live != edit.before and live is not None and edit.before is not None:
            moved = rebase(edit.before, edit.edits, live)
            if moved is None:
                raise StrangerConflict(edit.path, "others changed the very place meanwhile")
            spans = moved
            merged.add(edit.path)
        planned = step(edit.path, real, temp_name(real, tx, number), live, spans, edit.mode)
        if planned.want != live:
            steps.append(planned)
    return tuple(steps), tuple(folders), frozenset(merged)


def _check_free(port: FilePort, path: str, real: str, parent: str) -> None:
    if port.stat(real) is not None:  # a dangling link too
        raise StrangerConflict(path, "a file of that name is there already")
    while port.stat(parent) is None:
        parent = os.path.dirname(parent)
    if not port.writable(parent):
        raise WriteRefused(path, "the folder is read-only")


def _check_writable(port: FilePort, path: str, real: str) -> bytes:
    found = port.stat(real)
    if found is None:
        raise StrangerConflict(path, "it was removed or renamed by others meanwhile")
    if not stat.S_ISREG(found.st_mode):
        raise WriteRefused(path, "it is not a regular file")
    if not port.writable(real):
        raise WriteRefused(path, "the file is read-only")
    if not port.writable(os.path.dirname(real)):
        raise WriteRefused(path, "the folder is read-only")
    live = port.read(real)
    if live is None:
        raise StrangerConflict(path, "it was removed or renamed by others meanwhile")
    return live


def _missing(port: FilePort, folder: str) -> list[str]:
    """The folders that are not there yet, outermost first."""
    missing: list[str] = []
    while port.stat(folder) is None:
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def _make_home(port: FilePort, home: Home) -> None:
    for folder in (home.assay, home.journal, home.displaced):
        found = port.stat(folder)
        if found is None:
            with contextlib.suppress(FileExistsError):
                port.mkdir(folder)
            port.fsync_folder(os.path.dirname(folder))
        elif not stat.S_ISDIR(found.st_mode):
            raise WriteRefused(".assay", "it is not a folder of this root")


def _barred(port: FilePort, home: Home, drops: Sequence[str]) -> set[str]:
    """Real paths of the files that wait for a human's choice. Raises RootNeedsAttention for any other journal."""
    barred: set[str] = set()
    for tx, state in journals(port, home):
        name = os.path.join(home.journal, f"{tx}.{state}")
        where = f".assay/journal/{tx}.{state}"
        if state != "stuck":
            raise RootNeedsAttention(where, "an interrupted change must be recovered first")
        if name in drops:
            continue
        try:
            with refusing(where):
                barred.update(each.real for each in decode(port.read(name) or b"", home).steps)
        except ValueError:
            raise RootNeedsAttention(where, "an interrupted change is unreadable") from None
    return barred


def _roll_back(run: Run, cause: Exception) -> None:
    """Undoes a committed transaction, or raises RootNeedsAttention."""
    try:
        run.undo()
    except Stuck as stuck:
        with contextlib.suppress(OSError):
            run.stick()
        detail = f"the change could neither be finished nor undone ({stuck.detail}); all versions are kept"
        raise RootNeedsAttention(stuck.path, detail) from cause
    except (OSError, Busy) as error:
        path, why = (error.path, error.detail) if isinstance(error, Busy) else (_named(run, error), reason(error))
        detail = f"the change is neither finished nor undone ({why}); it will be when the root is next opened"
        raise RootNeedsAttention(path, detail) from cause
    _finish(run)


def _finish(run: Run) -> bool:
    try:
        run.finish()
    except OSError:
        return False  # the outcome stands; `recover` tidies
    return True


class refusing(contextlib.AbstractContextManager[None]):
    """OSError within becomes WriteRefused of `path`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise WriteRefused(self._path, reason(error)) from error


def reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _named(run: Run, error: OSError) -> str:
    """The file that a failed call was about, as its path in the root where it is one of the transaction's."""
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else run.home.root
    for each in run.journal.steps:
        if name in (each.real, each.temp, each.part, each.old, each.take):
            return each.path
    return os.path.relpath(name, run.home.root)
