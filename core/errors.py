"""Every error a caller must handle: a stable code, an exit status, what went wrong, where, and what to do."""

from __future__ import annotations

from typing import ClassVar


class AssayError(Exception):
    """Base of all of Assay's errors.

    `what` is one sentence, `where` a place (`file:line`, an id, a path) or None, `remedy` what the reader can do.
    """

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 70

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"


class UsageError(AssayError):
    """The command's words are off."""

    code = "usage"
    exit_status = 2


class RootNotFound(AssayError):
    """No memory root where one was looked for."""

    code = "root-not-found"
    exit_status = 3


class NeedsHuman(AssayError):
    """A human-only action was asked for where no human can be asked (§17, no terminal)."""

    code = "needs-human"
    exit_status = 4


class NotAuthorised(AssayError):
    """The actor may not do this; the message says who may."""

    code = "not-authorised"
    exit_status = 5


class Refused(AssayError):
    """The protocol forbids it, or the records do not allow it (supersede constraints, duplicate id, lifecycle)."""

    code = "refused"
    exit_status = 6


class RivalRows(Refused):
    """A row that comes back would be active beside another of its subject: say what becomes of the older one."""


class ItemNotFound(AssayError):
    """No such item, event or control record."""

    code = "not-found"
    exit_status = 7


class PlanChanged(AssayError):
    """What the plan rests on changed before it was committed; `plan` is the plan made anew."""

    code = "plan-changed"
    exit_status = 8

    def __init__(self, what: str, *, plan: object, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.plan = plan


class WriteRefused(AssayError):
    """The store cannot write there: not understood, read-only, full, failing. Nothing was half written."""

    code = "write-refused"
    exit_status = 9


class StrangerConflict(AssayError):
    """Somebody else's save met the commit; the commit was undone, their bytes stand."""

    code = "stranger-conflict"
    exit_status = 10


class RootBusy(AssayError):
    """Another writer holds the root's lock; the message says who and since when."""

    code = "root-busy"
    exit_status = 11


class RootReadOnly(AssayError):
    """The root cannot be locked or written at all; it can be read."""

    code = "root-read-only"
    exit_status = 12


class RootExists(AssayError):
    """A memory root is there already; `init` never writes over one."""

    code = "root-exists"
    exit_status = 13


class Declined(AssayError):
    """The human said no; nothing was written."""

    code = "declined"
    exit_status = 14
