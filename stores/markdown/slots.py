"""One step's names on the disk: what they tell, and the few moves that change them.

Everything is decided by what stands on the disk, so that a transaction can be stopped at any call and taken up again.
It is decided by which file it is, not by what it holds, for anybody may write to any of them at any time:

- `part` is our file, from its first byte until all is over. When it is whole it gets a second name, `temp`.
- `temp` is absent: the step has not begun. It is our file: not exchanged yet, or exchanged back. It is another:
  exchanged, and this is what was displaced.
- A new file gets its name as a third of our file.

Where a file system has no second names, what a file holds must do.
"""

from __future__ import annotations

import errno
import os

from stores.markdown.edits import SpanEdit, inverse, rebase
from stores.markdown.journal import Step
from stores.markdown.port import FilePort, RenameUnsupported, discard, write_new

_NOT_A_FILE = (errno.EINVAL, errno.ELOOP)
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


class Conflict(Exception):
    """A stranger's version of a step's file cannot take the edits."""

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(path, detail)
        self.path = path
        self.detail = detail


class Busy(Conflict):
    """A stranger saves the file again and again; another time it may go well."""


class Stuck(Conflict):
    """The file can neither be finished nor put back without losing somebody's bytes."""


def back(each: Step, live: bytes) -> tuple[SpanEdit, ...] | None:
    """The edits that take the step's change out of `live`; None where that is not certain."""
    return rebase(each.want, inverse(each.expect or b"", each.edits), live)


class Slots:
    """The moves, over a port. Methods raise OSError as the port does."""

    def __init__(self, port: FilePort) -> None:
        self.port = port
        self._exchanges = True

    def prepare(self, each: Step, *, mode: int, exact: bool, owner: os.stat_result | None) -> None:
        """Writes our file. `mode`, `exact` and `owner` as in `write_new`."""
        write_new(self.port, each.part, each.want, mode=mode, exact=exact, owner=owner)
        try:
            self.port.link(each.part, each.temp)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self.port.rename(each.part, each.temp)

    def tidy(self, each: Step) -> bool:
        """Tidies what a stop between two calls left of a step's names. Answers whether `temp` is there.

        Raises Stuck where a new file that was being taken back has no name to return to.
        """
        there = self.port.stat(each.temp) is not None
        if each.expect is not None:
            if self.port.stat(each.old) is not None:
                if there:
                    discard(self.port, each.old)
                else:
                    self.port.rename(each.old, each.temp)
        elif self.port.stat(each.take) is not None:
            if self.same(each.take, each.real) or (there and self.bytes_at(each.take) == each.want):
                discard(self.port, each.take)
            elif self.bytes_at(each.take) == each.want:
                self.port.rename(each.take, each.temp)
            else:
                self._give_back(each)
        return self.port.stat(each.temp) is not None

    def placed(self, each: Step) -> bool:
        """Whether our file was put in its place, and not taken back. Raises Conflict as `read`."""
        if self.port.stat(each.temp) is None:
            return each.expect is None and self.port.stat(each.old) is not None
        if each.expect is not None:
            if self.port.stat(each.part) is not None:
                return not self.same(each.temp, each.part)
            return self.bytes_at(each.temp) != each.want
        if self.same(each.temp, each.real):
            return True
        live = self.read(each)
        return live is not None and (live == each.want or back(each, live) is not None)

    def link_new(self, each: Step) -> None:
        """Gives a new file its name. FileExistsError where that is taken."""
        try:
            self.port.link(each.temp, each.real)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            write_new(self.port, each.old, b"", mode=0o600)  # the trace that a link would have left
            self.port.rename_new(each.temp, each.real)

    def _give_back(self, each: Step) -> None:
        """A stranger changed the new file in the instant that it was taken back."""
        try:
            self.port.link(each.take, each.real)
            self.port.unlink(each.take)
        except FileExistsError:
            raise Stuck(each.path, "it was saved by others more than once while it was taken back") from None
        except OSError:
            self.port.rename_new(each.take, each.real)

    def try_swap(self, each: Step, expected: bytes, ours: bytes, *, grown: bool) -> bool:
        """Puts `temp` (which holds `ours`) in the file's place if that holds `expected` (or, where `grown` will do,
        more than that); else answers False, and the file stays. What was displaced then stands under `temp`."""
        if not self._swap(each, expected, grown):
            return False
        found = self.bytes_at(each.temp)
        if found == expected or (grown and found is not None and found.startswith(expected)):
            return True
        self._swap(each, ours, grown=True)
        if self._exchanges and not (self.bytes_at(each.temp) or b"").startswith(ours):
            # Saved once more, over our version: the latest save is the one that stays. (Bytes only appended to our
            # version are found when the next commit looks at it.)
            self._swap(each, b"", grown=True)
        return False

    def set_aside(self, each: Step) -> None:
        """After a `try_swap` of our file that failed: if what it displaced could not be given back, because the file
        was saved once more, then that goes to `lost`, and `temp` is our file again."""
        if self.port.stat(each.part) is not None and not self.same(each.temp, each.part):
            self.port.rename(each.temp, each.lost)
            self.port.link(each.part, each.temp)

    def _swap(self, each: Step, expected: bytes, grown: bool) -> bool:
        """Exchanges file and `temp`. False where the file is gone, or (if it must be looked at) not as expected."""
        if self._exchanges:
            try:
                self.port.exchange(each.temp, each.real)
                return True
            except FileNotFoundError:
                return False
            except RenameUnsupported:
                self._exchanges = False
        discard(self.port, each.old)
        linked = True
        try:
            self.port.link(each.real, each.old)
        except FileNotFoundError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            linked = False
        found = self.bytes_at(each.real)
        if found is None or not (found == expected or (grown and found.startswith(expected))):
            discard(self.port, each.old)
            return False
        if not linked:
            write_new(self.port, each.old, found, mode=0o600)  # late bytes to the displaced file go unnoticed here
        elif not self.same(each.real, each.old):
            discard(self.port, each.old)
            return False
        self.port.rename(each.temp, each.real)
        self.port.rename(each.old, each.temp)
        return True

    def bytes_at(self, path: str) -> bytes | None:
        """What a file holds; None where there is none."""
        try:
            return self.port.read(path)
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                return None
            raise

    def same(self, one: str, two: str) -> bool:
        first, second = self.port.stat(one), self.port.stat(two)
        return first is not None and second is not None and os.path.samestat(first, second)

    def read(self, each: Step) -> bytes | None:
        """What the file holds; None where it is gone. Raises Conflict where something else stands there."""
        try:
            return self.port.read(each.real)
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                raise Conflict(each.path, "others put something there that is not a file") from None
            raise
