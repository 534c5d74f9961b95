"""The only language of writing: what is to change, in the protocol's words. Each store does it in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.binding import Owner
from core.events import Event, FieldChange
from core.items import Record
from core.snapshot import Proposal


@dataclass(frozen=True, slots=True)
class AddItem:
    """Add a new item. `record` has `date`, `text` and §9 fields; `file` is a root-relative path, `section` a heading
    (None: the end of the file's items). `before` names the key of an item of that file to stand in front of."""

    record: Record
    file: str
    section: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class SetFields:
    """Set fields of the bearer `key`; an `after` of None removes the field. Only `text` and `place` are not set so."""

    key: str
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class MoveItem:
    """Move the bearer `key`, bytes and all, to `section` of `file` (created where missing)."""

    key: str
    file: str
    section: str | None


@dataclass(frozen=True, slots=True)
class HoldItem:
    """Move the bearer `key` to `withdrawn/` while the control `withdrawal_id` excludes it (§12.2)."""

    key: str
    withdrawal_id: str


@dataclass(frozen=True, slots=True)
class ReleaseItem:
    """Put a held bearer back: where it stood (`file`, `section`), in front of the item `before` where that is there."""

    key: str
    file: str
    section: str | None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """A line of Recent Activity (§10): `- [date] (kind) summary → target`."""

    date: str
    kind: str
    summary: str
    target: str


@dataclass(frozen=True, slots=True)
class KeepIndex:
    """The engine-kept sections of index.md (§10) as they must be afterwards. All else in index.md is the user's.

    `recent_add` is put on top of Recent Activity, which is cut to `recent_limit`; entries whose text matches one of
    `recent_drop` (texts no longer to be served) go. `topic_map` lists topics that must have a line, as
    (file, trigger text); existing lines are kept as written. `pending` is the whole of Pending Cleanup, as records,
    `pending_more` the number left out of it.
    `withdrawn` is the whole of `## Withdrawn`: selectors, at most the binding's limit, `withdrawn_more` beyond it.
    """

    recent_add: tuple[RecentEntry, ...] = ()
    recent_drop: tuple[str, ...] = ()
    recent_limit: int = 10
    topic_map: tuple[tuple[str, str], ...] = ()
    pending: tuple[Record, ...] = ()
    pending_more: int = 0
    withdrawn: tuple[str, ...] = ()
    withdrawn_more: int = 0


@dataclass(frozen=True, slots=True)
class PutTriggers:
    """Set `triggers` in the frontmatter of a topic `file` (where it has one), and its line in the Topic Map."""

    file: str
    triggers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PutProposal:
    """Write a proposal (§23.5), one file each: a new one whole, of one that is there the fields that differ.

    `decision` are further fields in order, e.g. `decided_by`, `decided_at`, `reason`.
    """

    proposal: Proposal
    decision: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AddRule:
    """Append a standing rule to conventions.md or a steering `file` (§17), as a bullet under `section`.

    `text` is one line; `pointer` names the proposal that authorises it.
    """

    file: str
    section: str
    text: str
    pointer: str


@dataclass(frozen=True, slots=True)
class AppendEvent:
    """Append one event to the operation log: the readable line, its record, and the replay record."""

    event: Event


@dataclass(frozen=True, slots=True)
class DeclareOwner:
    """Write an owner into the binding record (made where missing)."""

    owner: Owner


@dataclass(frozen=True, slots=True)
class CreateRoot:
    """Lay out a new root (§7.3): file -> whole text."""

    files: Mapping[str, str] = field(default_factory=dict)


Change = (
    AddItem
    | SetFields
    | MoveItem
    | HoldItem
    | ReleaseItem
    | KeepIndex
    | PutTriggers
    | PutProposal
    | AddRule
    | AppendEvent
    | DeclareOwner
    | CreateRoot
)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Changes in order. Keys are those of the snapshot that the set was made on."""

    changes: tuple[Change, ...]

    @property
    def event(self) -> Event:
        """The one event of this set (every engine write has exactly one)."""
        (event,) = (change.event for change in self.changes if isinstance(change, AppendEvent))
        return event


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a change set does to one file: the bytes before (None: no such file) and after (None: removed)."""

    path: str
    before: bytes | None
    after: bytes | None
