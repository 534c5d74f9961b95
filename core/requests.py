"""What a front end can ask of the engine: one value a command. Items are named by key."""

from __future__ import annotations

from dataclasses import dataclass

from core.controls import Scope


@dataclass(frozen=True, slots=True)
class Stale:
    """A human judges items no longer applicable, resolution not yet known (§9)."""

    items: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Clear:
    """A human clears pending or stale items: they are kept and active again (§16)."""

    items: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Pend:
    """Mark items `pending-cleanup`, awaiting review (§14.3)."""

    items: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """Repair drift of one item (§16 steps 2, 7, 8). None leaves a field alone; a missing id is always given.

    `new_id` True gives the bearer a fresh id (one id on two items). `marker` True turns a legacy prose marker into
    `Status: pending-cleanup`. `status` replaces an unknown Status token.
    """

    item: str
    kind: str | None = None
    subject: str | None = None
    source: str | None = None
    status: str | None = None
    marker: bool = False
    new_id: bool = False


@dataclass(frozen=True, slots=True)
class Supersede:
    """Supersede the `prior` state row by the `successor` row (§14.2's four constraints)."""

    prior: str
    successor: str


@dataclass(frozen=True, slots=True)
class Reconcile:
    """Settle a conflict among `rows` (§15.2.1). Exactly one of:

    `current`: the key of the row that is current (an older one writes a fresh row that both are superseded by);
    `both_stay`: the rows stay, and name each other in `conflicts_with`; `pend`: all rows are marked pending-cleanup.
    `evidence` is a reference, or the owner's decision where the matter is one of values or policy.
    """

    rows: tuple[str, ...]
    evidence: str
    current: str | None = None
    both_stay: bool = False
    pend: bool = False


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Withdraw a bounded scope from influence (§12.2)."""

    scope: Scope
    reason: str = "owner-decision"


@dataclass(frozen=True, slots=True)
class Reinstate:
    """Reinstate the scope of the controlling withdrawal `withdrawal_id` (§12.2).

    `rivals` settles, in the same plan, rows of the same subject that became active meanwhile: `keep` leaves a
    conflict, `supersede` supersedes the older row by the newer.
    """

    withdrawal_id: str
    reason: str = "owner-decision"
    rivals: str | None = None


@dataclass(frozen=True, slots=True)
class Settle:
    """Settle the unresolved control events of the scope of `withdrawal_id` (§12.2): a new event that supersedes them.

    `action` is `withdraw` (the scope stays excluded) or `reinstate`.
    """

    withdrawal_id: str
    action: str
    reason: str = "owner-decision"
    rivals: str | None = None


@dataclass(frozen=True, slots=True)
class Reclassify:
    """Change an item's kind (§4). To `state` it needs a `subject`; in doubt an item is `knowledge`."""

    item: str
    kind: str
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class SetSubject:
    """Give a `state` item another subject: supersede matches it byte for byte (§14.2)."""

    item: str
    subject: str


@dataclass(frozen=True, slots=True)
class Cool:
    """Move `knowledge` to its topic's Historical lessons: further from the hot path, kept (§14.3)."""

    items: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Warm:
    """Move cooled items back to their topic's Facts and lessons."""

    items: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """Fold near-duplicate `knowledge` into one entry with the human's `text` (§14.3).

    Sources are united, the date is the newest member's; the originals keep their Status, move to Historical lessons
    and name the fold in `merged_into`.
    """

    items: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NotDuplicate:
    """Remember that these items are no duplicates of one another; nothing about them changes."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetTriggers:
    """Say when a topic is to be read (§10, §11): its frontmatter's `triggers` and its line in the Topic Map."""

    file: str
    triggers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Propose:
    """Put a governed proposal in the review queue (§23.5)."""

    target: str
    proposed_change: str
    supporting_refs: tuple[str, ...]
    expected_benefit: str
    risk: str


@dataclass(frozen=True, slots=True)
class Approve:
    """Approve a proposal (§17): the decision is recorded, then the rule is written to its target. `text` edits it."""

    proposal_id: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """Reject a proposal, with a reason; it stays on file."""

    proposal_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo this actor's latest undoable event, or the `event` named."""

    event: str | None = None


@dataclass(frozen=True, slots=True)
class Recover:
    """Record that a human settled the stuck commit `tx`: which version (`before`, `after`, `now`) of which files.

    The choice itself is carried out by the store; only then can its log be written again.
    """

    tx: str
    kept: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameOwner:
    """Name an owner of the root: its first, or one more by an owner of `*`."""

    name: str
    user: str
    scopes: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class Init:
    """Lay out a new root."""

    owner: str | None = None
    user: str | None = None
    timezone: str = "UTC"


Request = (
    Stale
    | Clear
    | Pend
    | Repair
    | Supersede
    | Reconcile
    | Withdraw
    | Reinstate
    | Settle
    | Reclassify
    | SetSubject
    | Cool
    | Warm
    | Merge
    | NotDuplicate
    | SetTriggers
    | Propose
    | Approve
    | Reject
    | Undo
    | Recover
    | NameOwner
    | Init
)
