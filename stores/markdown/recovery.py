"""After a crash: what is not committed is discarded, what is committed is finished, or undone. And late bytes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from stores.markdown.edits import FileEdit, difference
from stores.markdown.journal import Home, Journal, Kept, decode, journals, kept_at, notes
from stores.markdown.placing import Run
from stores.markdown.port import FilePort, discard
from stores.markdown.slots import Busy, Conflict, Stuck
from stores.markdown.transaction import CommitReport, LateBytes, RootNeedsAttention, commit, refusing

_NOTES_KEPT = 8  # where the platform cannot say whether a displaced file is still held open


@dataclass(frozen=True, slots=True)
class StuckFile:
    """A file of a transaction that could neither be finished nor undone. It must be treated as read-only.

    `before` and `after` are the file without and with the transaction's change (`before` None: it made the file),
    `now` is what stands there (None: nothing), `displaced` are further versions that others saved in that instant.
    """

    tx: str
    path: str
    before: bytes | None
    after: bytes
    now: bytes | None
    displaced: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """Transactions by name: committed and now finished, committed and now undone, never committed; paths whose edits
    were re-placed around a stranger's change; files that wait for a human, also from before; journals that cannot be
    read (their transactions' files are unknown, so the whole root must be treated as read-only)."""

    finished: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    discarded: tuple[str, ...] = ()
    merged: frozenset[str] = frozenset()
    stuck: tuple[StuckFile, ...] = ()
    unreadable: tuple[str, ...] = ()


def recover(port: FilePort, root: str) -> RecoveryReport:
    """Settles what a crash left, under the root's lock. Run it after each taking of the lock; twice does no more.

    A file that strangers changed meanwhile keeps their change beside the transaction's where the places are untouched;
    else the whole transaction is undone; where that would lose bytes too, its journal stays, as `<tx>.stuck`, and its
    files are reported. It may be killed at any call, and run again. Raises WriteRefused where a call fails, and
    RootNeedsAttention where a stranger saves one of the files over and over: then try again.
    """
    home = Home(port.realpath(root))
    done: dict[str, list[str]] = {"done": [], "undone": [], "preparing": []}
    merged: set[str] = set()
    stuck: list[StuckFile] = []
    unreadable: list[str] = []
    with refusing(".assay"):
        for tx, state in journals(port, home):
            name = os.path.join(home.journal, f"{tx}.{state}")
            if state == "preparing":
                discard(port, name)
                done[state].append(tx)
                continue
            try:
                run = Run(port, home, decode(port.read(name) or b"", home), state)
            except ValueError:
                unreadable.append(f"{tx}.{state}")
                continue
            _settle(run)
            merged |= run.merged
            if run.state == "stuck":
                stuck += _versions(port, home, run.journal)
            else:
                done[run.state].append(tx)
        discard(port, home.sequence + ".new")
        for _, journal, state in notes(port, home):
            Run(port, home, journal, state).shelve()
    return RecoveryReport(
        finished=tuple(done["done"]),
        undone=tuple(done["undone"]),
        discarded=tuple(done["preparing"]),
        merged=frozenset(merged),
        stuck=tuple(stuck),
        unreadable=tuple(unreadable),
    )


def _settle(run: Run) -> None:
    """Brings one journal to its end, or to `stuck`."""
    try:
        if run.state == "committed":
            try:
                run.forward()
            except Stuck:
                raise
            except Conflict:
                run.undo()
        elif run.state == "undoing":
            run.undo()
        elif run.state == "stuck":
            run.unstick()
    except Busy as busy:
        raise RootNeedsAttention(busy.path, f"an interrupted change cannot be recovered: {busy.detail}") from busy
    except Stuck:
        run.stick()
    if run.state == "stuck":
        run.stick()
    else:
        run.finish()


def _versions(port: FilePort, home: Home, journal: Journal) -> list[StuckFile]:
    found = []
    for each in journal.steps:
        # A journal that undoes holds the change in what it expects.
        before, after = (each.want, each.expect or b"") if journal.undo else (each.expect, each.want)
        displaced: list[bytes] = []
        own = (Kept(each.path, each.real, name, each.want) for name in (each.temp, each.lost))
        for kept in (*journal.kept, *own):
            if kept.real == each.real:
                data = port.read(kept_at(port, home, kept))
                if data is not None and data not in (each.expect, each.want, kept.known, *displaced):
                    displaced.append(data)
        found.append(StuckFile(journal.tx, each.path, before, after, port.read(each.real), tuple(displaced)))
    return found


def resolve(port: FilePort, root: str, tx: str, chosen: Mapping[str, bytes]) -> CommitReport:
    """Settles a stuck transaction as a human chose: each of its files gets the bytes in `chosen`, all or none.

    `chosen` must name every file that `recover` reported for `tx`, else ValueError. Raises as `commit` does.
    """
    home = Home(port.realpath(root))
    name = os.path.join(home.journal, f"{tx}.stuck")
    with refusing(".assay/journal"):
        stuck = decode(port.read(name) or b"", home)
        if {each.path for each in stuck.steps} != set(chosen):
            raise ValueError(f"a version must be chosen for each of {sorted(each.path for each in stuck.steps)}")
        edits = []
        for each in stuck.steps:
            now = port.read(each.real)
            edits.append(FileEdit(each.path, now, difference(now or b"", chosen[each.path])))
    return commit(port, root, edits, tx=f"{tx}-resolved", drops=(name,))


def settle_displaced(port: FilePort, root: str) -> tuple[LateBytes, ...]:
    """Looks again at the files that earlier commits displaced: has anybody written to them since?

    Under the lock, after `recover` and before each commit. The caller adds what came late to the edits of its next
    commit (`tail` at the end of the file of that path, on a line of its own; where `tail` is None the file was changed
    in place, and the whole of `found` is to be shown to a human), and passes the LateBytes to that commit, so that
    nothing is dealt with twice, or not at all. Until then they are answered again.

    A displaced file that nobody wrote to is dropped as soon as no process holds it open for writing. While one does,
    only whole lines are answered. Where the platform cannot tell, the last eight commits' files are kept. Raises
    WriteRefused where a call fails.
    """
    home = Home(port.realpath(root))
    late: list[LateBytes] = []
    with refusing(".assay/displaced"):
        noted = notes(port, home)
        wanted = {name for name, _, _ in noted}
        for age, (name, journal, state) in enumerate(reversed(noted)):
            alive = False
            for kept in journal.leftovers(state):
                path = kept_at(port, home, kept)
                held = port.writer_holds(path)  # before it is read: nobody can open it any more
                found = port.read(path)
                if found is None:
                    continue
                if held and found.startswith(kept.known):
                    found = found[: max(found.rfind(b"\n") + 1, len(kept.known))]
                if found != kept.known:
                    late.append(LateBytes(kept.path, kept.known, found, name, os.path.basename(kept.temp)))
                elif not held and (held is False or age >= _NOTES_KEPT):
                    discard(port, path)
                    continue
                alive = True
                wanted.add(os.path.basename(kept.temp))
            if not alive:
                discard(port, os.path.join(home.displaced, name))
        _sweep(port, home, wanted)
    return tuple(reversed(late))


def _sweep(port: FilePort, home: Home, wanted: set[str]) -> None:
    """Removes displaced files that no note names any more, unless some journal is left that might."""
    for name in port.listdir(home.displaced):
        if name not in wanted and name.startswith(".assay-") and not port.listdir(home.journal):
            discard(port, os.path.join(home.displaced, name))
