"""Carrying a committed journal out, or undoing it: one replacement after the other, strangers' saves kept.

Each method can be stopped at any call of the port and run again: it decides by what stands on the disk (see `slots`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import replace

from stores.markdown.edits import rebase
from stores.markdown.journal import Home, Journal, Kept, Step, bump, mark_seen, part_name, stage, step, temp_name
from stores.markdown.port import FilePort, discard
from stores.markdown.slots import Busy, Conflict, Slots, Stuck, back

_TRIES = 8  # for a stranger who saves again and again, each time within the same instant
_EXACT_TRIES = 2  # if he only appends, then what he appends is left to be found late: he must not starve the writer


class Run:
    """One transaction under way. `state` is that of its journal file. Methods raise OSError as the port does."""

    def __init__(self, port: FilePort, home: Home, journal: Journal, state: str) -> None:
        self.port = port
        self.home = home
        self.journal = journal
        self.state = state
        self.merged: set[str] = set()  # paths whose edits were re-placed on a stranger's version
        self._slots = Slots(port)
        self._tried: set[int] | None = None  # steps whose files may have stood in place; None: any

    def file(self, state: str | None = None) -> str:
        """The journal's file name in a state (its own by default)."""
        return os.path.join(self.home.journal, f"{self.journal.tx}.{state or self.state}")

    # Forward

    def forward(self, *, fresh: bool = False) -> None:
        """Replaces every file in order, then marks the journal. `fresh`: just committed, so nothing has begun.

        No file changes before every temporary file is written. Raises Conflict (Stuck where even undoing is unsafe).
        """
        if not self.journal.undo:
            for folder in self.journal.folders:
                with contextlib.suppress(FileExistsError):
                    self.port.mkdir(folder)
        if fresh:
            self._tried = set()
        waiting = []
        for number in range(len(self.journal.steps)):
            if fresh or not self._is_done(number):
                each = self.journal.steps[number]
                if fresh or self.port.stat(each.temp) is None:
                    self._write_temp(each)
                waiting.append(number)
        if waiting:
            bump(self.port, self.home, self.file())
        for number in waiting:
            self._place(number)
        self._mark("undone" if self.journal.undo else "done")

    def _is_done(self, number: int) -> bool:
        """Whether the step is done. Where it is not, afterwards it expects what the file holds now."""
        each = self.journal.steps[number]
        temp_there = self._slots.tidy(each)
        placed = self._slots.placed(each)
        live = self._slots.read(each)
        if placed and each.expect is None:
            return True
        if placed and each.expect is not None:
            displaced = self._slots.bytes_at(each.temp) or b""
            known = displaced.startswith(each.expect)
            if live == each.expect and known:
                self._adapt(number, live, known=each.expect)  # an old copy was put back over our change
                return False
            if displaced == each.expect or (live != each.want and not self._slots.same(each.part, each.real)):
                return True  # what others did since stands; what was displaced, if it is a stranger's, is reported
            if known and live != each.want:
                return True  # both grew; what came late to the displaced file is found late
            # A stranger's save was displaced, and we were stopped before it was given back.
            self._slots.try_swap(each, each.want, displaced, grown=True)
            live = self._slots.read(each)
        elif live == each.want:
            return True
        elif live == each.expect:
            return False
        elif not temp_there and live is not None and back(each, live) is not None:
            raise Stuck(each.path, "it is not certain whether the change was made before it was edited outside")
        self._adapt(number, live, known=each.want)
        return False

    def _write_temp(self, each: Step) -> None:
        owner = None if each.expect is None else self.port.stat(each.real)
        mode = each.mode
        if mode is None:
            mode = stat.S_IMODE(owner.st_mode) if owner else 0o644
        self._slots.prepare(each, mode=mode, exact=bool(owner or each.mode is not None), owner=owner)

    def _place(self, number: int) -> None:
        if self._tried is not None:
            self._tried.add(number)
        for attempt in range(_TRIES):
            each = self.journal.steps[number]
            if each.expect is None:
                try:
                    self._slots.link_new(each)
                except FileExistsError:
                    raise Conflict(each.path, "a file of that name appeared meanwhile") from None
                return
            if self._slots.try_swap(each, each.expect, each.want, grown=attempt >= _EXACT_TRIES):
                return
            self._slots.set_aside(each)
            self._adapt(number, self._slots.read(each), known=each.want)
            self._write_temp(self.journal.steps[number])
        raise Busy(self.journal.steps[number].path, "it is being saved by others again and again")

    def _adapt(self, number: int, live: bytes | None, *, known: bytes) -> None:
        """Re-places the step's edits on a stranger's version, in the journal first. `known`: what the file under the
        step's temporary name is known to have held; late bytes may come to it. Raises Conflict."""
        each = self.journal.steps[number]
        if live is None:
            raise Conflict(each.path, "it was removed or renamed by others meanwhile")
        if each.expect is None:
            raise Conflict(each.path, "a file of that name appeared meanwhile")
        moved = rebase(each.expect, each.edits, live)
        if moved is None:
            raise Conflict(each.path, "others changed the very place meanwhile")
        generation = self.journal.generation + 1
        temp = temp_name(each.real, self.journal.tx, number, generation)
        steps = list(self.journal.steps)
        steps[number] = step(each.path, each.real, temp, live, moved, each.mode)
        kept = (*self.journal.kept, Kept(each.path, each.real, each.temp, known), *self._lost(each))
        self._amend(replace(self.journal, steps=tuple(steps), kept=kept, generation=generation))
        self.merged.add(each.path)

    def _lost(self, each: Step) -> tuple[Kept, ...]:
        """A stranger's save that went under; what is known of it is none of it, so that it will be reported."""
        lost = self.port.stat(each.lost) is not None
        return (Kept(each.path, each.real, each.lost, each.want),) if lost else ()

    # Backward

    def undo(self) -> None:
        """Puts every file back as it was, strangers' changes kept, then marks the journal. Raises Busy, Stuck.

        Where nobody touched a file meanwhile it gets its very own file back, which takes no space on the disk.
        """
        try:
            if not self.journal.undo:
                if self.state != "undoing":
                    self._enter("undoing")
                self._take_all_back()
            if self.journal.undo:
                self.forward()
            else:
                self._mark("undone")
        except Busy:
            raise
        except Conflict as conflict:
            raise Stuck(conflict.path, conflict.detail) from conflict

    def _take_all_back(self) -> None:
        fixes: list[Step] = []
        kept = list(self.journal.kept)
        drops: list[str] = []
        plain = True  # every displaced file is what the journal says of one that is undone
        for number in reversed(range(len(self.journal.steps))):
            each = self.journal.steps[number]
            known, fix = self._take_back(number)
            lost = self._lost(each)
            kept += lost
            plain = plain and known == each.want and not lost
            if fix is not None:
                fixes.append(fix)
            if fix is not None and each.expect is None:
                drops += (each.temp, each.part, each.old)  # other names of the live file
            else:
                kept.append(Kept(each.path, each.real, each.temp, known))
        if fixes or not plain:
            self._amend(
                replace(
                    self.journal,
                    steps=tuple(fixes),
                    kept=tuple(kept),
                    drops=tuple(drops),
                    undo=True,
                    generation=self.journal.generation + 1,
                )
            )

    def _take_back(self, number: int) -> tuple[bytes, Step | None]:
        """Undoes a step. Answers what the file under its temporary name, if any, is known to have held; and a Step
        that will do the undoing, where a stranger changed the file since."""
        each = self.journal.steps[number]
        temp_there = self._slots.tidy(each)
        if not self._slots.placed(each):
            if self._tried is not None and number not in self._tried:
                for name in (each.part, each.temp):
                    discard(self.port, name)  # nobody ever saw it
            return each.want, None if temp_there else self._fix_unsure(number)
        live = self._slots.read(each)
        if each.expect is None:
            if live == each.want:
                self.port.rename(each.real, each.take)
                self._slots.tidy(each)
                live = self._slots.read(each)
            return each.want, None if live is None else self._fix(number, live)
        if live == each.want:
            displaced = self._slots.bytes_at(each.temp) or b""
            if self._slots.try_swap(each, each.want, displaced, grown=True):
                return each.want, None
            live = self._slots.read(each)
        if live is None or live == each.expect:
            return each.expect, None  # removed by a stranger, our change with it; or an old copy put back
        return each.expect, self._fix(number, live)

    def _fix_unsure(self, number: int) -> Step | None:
        """For a step that seems never to have begun; but its temporary file may have been swept away by others."""
        each = self.journal.steps[number]
        live = self._slots.bytes_at(each.real)
        if live is None or live == each.expect or back(each, live) is None:
            return None
        if live == each.want and each.expect is not None:
            return self._fix(number, live)
        raise Stuck(each.path, "it is not certain whether the change was made before it was edited outside")

    def _fix(self, number: int, live: bytes) -> Step:
        each = self.journal.steps[number]
        spans = back(each, live)
        if spans is None:
            raise Stuck(each.path, "others changed the very place after the change was made")
        temp = temp_name(each.real, self.journal.tx, number, self.journal.generation + 1)
        return step(each.path, each.real, temp, live, spans, None)

    # The journal

    def _amend(self, journal: Journal) -> None:
        stage(self.port, self.home, journal, self.state)
        self.journal = journal

    def _enter(self, state: str) -> None:
        self.port.rename(self.file(), self.file(state))
        self.state = state

    def _mark(self, state: str) -> None:
        """Everything so far is on the disk for good; from here on only left-overs are tidied."""
        folders = {os.path.dirname(each.real) for each in self.journal.steps}
        folders.update(os.path.dirname(kept.real) for kept in self.journal.kept)
        folders.update(os.path.dirname(folder) for folder in self.journal.folders)
        for folder in sorted(folders):
            with contextlib.suppress(FileNotFoundError):
                self.port.fsync_folder(folder)
        self._enter(state)
        self.port.fsync_folder(self.home.journal)

    def finish(self) -> None:
        """After the mark: puts displaced files aside, and the journal with them as their note."""
        undone = self.state == "undone"
        if self.journal.undo or not undone:
            for path in self.journal.drops:
                discard(self.port, path)
        self.shelve()
        if undone:
            for folder in reversed(self.journal.folders):
                with contextlib.suppress(OSError):  # gone already, or in use by others
                    self.port.rmdir(folder)
        else:
            for note in sorted({each.note for each in self.journal.seen}):
                mark_seen(self.port, self.home, note, [each for each in self.journal.seen if each.note == note])
        if self.journal.steps or self.journal.kept:
            self.port.rename(self.file(), os.path.join(self.home.displaced, os.path.basename(self.file())))
        else:
            discard(self.port, self.file())

    def shelve(self) -> None:
        """Moves displaced files from beside their targets into `.assay/`. Twice does no more."""
        for each in self.journal.steps:
            if each.expect is None:
                discard(self.port, each.old)
                if self.state == "done":
                    discard(self.port, each.temp)  # other names of the new file
                    discard(self.port, each.part)
        for kept in self.journal.leftovers(self.state):
            self._shelve(kept)

    def stick(self) -> None:
        """Gives up: the journal stays for a human, displaced files are put aside."""
        if self.state != "stuck":
            self._enter("stuck")
            self.port.fsync_folder(self.home.journal)
        for each in self.journal.steps:
            if each.expect is None and self._slots.same(each.temp, each.real):
                discard(self.port, each.temp)  # another name of the new file
            for name in (each.temp, each.lost):
                self._shelve(Kept(each.path, each.real, name, b""))
        for kept in self.journal.kept:
            self._shelve(kept)

    def unstick(self) -> None:
        """Leaves `stuck` where the files have meanwhile come to stand wholly after, or wholly before, the change."""
        live = [self._slots.bytes_at(each.real) for each in self.journal.steps]
        for state, wanted in (
            ("done", [each.want for each in self.journal.steps]),
            ("undone", [each.expect for each in self.journal.steps]),
        ):
            if live == wanted:
                self._mark(state)
                return

    def _shelve(self, kept: Kept) -> None:
        discard(self.port, part_name(kept.temp))
        if self.port.stat(kept.temp) is None:
            return
        try:
            self.port.rename(kept.temp, os.path.join(self.home.displaced, os.path.basename(kept.temp)))
        except OSError as error:
            if error.errno != errno.EXDEV:  # on another file system it stays where it is, as the note says
                raise
