"""A plan: what a request would do, made from a snapshot, shown to whoever decides, checked again at commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from core.authority import Actor, Tier
from core.changes import ChangeSet, FileDiff

if TYPE_CHECKING:
    from core.errors import AssayError
    from core.requests import Request


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One line an item: its key and id, what changes (`pending-cleanup → stale`), and the text it is about.

    `withheld` is True where the text belongs to an excluded item: show it on the withdrawal audit only.
    """

    key: str
    id: str | None
    change: str
    text: str
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """An item of a bulk request that the plan leaves out, and why."""

    key: str
    reason: str

    @classmethod
    def of(cls, key: str, error: AssayError) -> Refusal:
        """The refusal that `error` is; the item is named once."""
        said = error.where is not None and key.startswith(error.where)
        return cls(key, str(error).removeprefix(f"{error.where}: ") if said else str(error))


@dataclass(frozen=True, slots=True)
class Plan:
    """What `request` would do.

    `title` is a sentence for a dialog's head (`Mark 3 items stale`), `verb` its confirming button (`Mark stale`).
    `decides` says who decides (`ana, owner of *`), `undo` how it can be undone or that it cannot. `warnings` are
    sentences to show before confirming. `phrase` is to be typed where `tier` is PHRASE. `reads` are the digests of
    what the plan rests on; `digest` identifies the plan's effect whatever the clock says. `done` is what its receipt
    says was done; '' where the log's own words say it.
    `previews` is what each file would become. `moment` is the clock's reading that bracket, ids and log line show.
    """

    request: Request
    actor: Actor
    title: str
    verb: str
    tier: Tier
    decides: str
    lines: tuple[PlanLine, ...]
    refusals: tuple[Refusal, ...]
    changes: ChangeSet
    reads: Mapping[str, str]
    digest: str
    undo: str
    moment: datetime
    warnings: tuple[str, ...] = ()
    phrase: str | None = None
    human_only: bool = False
    done: str = ""
    previews: tuple[FileDiff, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a commit did: the event's id, `title` in the words of the log, the files it changed, and how to undo it.

    `line()` is the receipt as one line of text, without glyphs.
    """

    event: str
    title: str
    files: tuple[FileDiff, ...]
    undo: str
    refusals: tuple[Refusal, ...] = ()

    def line(self) -> str:
        """E.g. `3 items stale   3 files, 6 lines   memlog-2026-06-12-004   undo: assay undo`."""
        changed = sum(_changed_lines(diff) for diff in self.files)
        names = ", ".join(_short(self.files))
        return f"{self.title}   {names}, {changed} lines   {self.event}   {self.undo}"


def _changed_lines(diff: FileDiff) -> int:
    before = (diff.before or b"").splitlines()
    after = (diff.after or b"").splitlines()
    kept = set(before) & set(after)
    return sum(line not in kept for line in before) + sum(line not in kept for line in after)


def _short(files: Sequence[FileDiff]) -> list[str]:
    names = [diff.path for diff in files]
    return names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more files"]
