"""Conflicts to surface before acting (§15.2): values for a human to settle, never settled here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from core.eligibility import Chain, Influence
from core.events import status_events
from core.items import MemoryItem
from core.pages import Items
from core.snapshot import Snapshot
from core.supersede import iso_date
from core.vocabulary import Kind, Status

REFUTED_BY = "refuted_by"
"""The key of an event's `detail` under which a `pending-cleanup` names what refutes the item."""

_FILES = {
    "conflicted-copy": "A copy left by a sync or a merge lies beside a governed file; it is not read.",
    "merge-markers": "Merge markers stand in the file; nothing is merged for you.",
}


@dataclass(frozen=True, slots=True)
class Conflict:
    """One conflict.

    `type` is one of `two-active`, `refuted-knowledge`, `refuted-state` (a pending row and what contradicts it),
    `two-items-one-id`, `dangling-pointer`, `pointer-cycle`, `superseded-without-pointer`, `pointer-without-status`,
    `unordered-controls`, `conflicted-copy`, `merge-markers`.
    `rows` are item keys, oldest first. `suggested` is the key of the row to take for current, None in doubt.
    `acknowledged` is True where a human has let the rows stay (each names the others in `conflicts_with`).
    `message` never repeats item text. `files` are root-relative, where the conflict is about files; `controls` are the
    control events, by their withdrawal ids, where it is about those.
    """

    type: str
    subject: str | None
    rows: tuple[str, ...]
    message: str
    suggested: str | None = None
    acknowledged: bool = False
    files: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()


def find_conflicts(snapshot: Snapshot, influence: Influence) -> tuple[Conflict, ...]:
    """Every conflict of `snapshot`, unacknowledged first, then by type as listed in `Conflict`, then by place.

    Excluded items take no part, nor does what the index repeats of an item that stands elsewhere.
    """
    rows = _Rows(snapshot, influence)
    conflicts = [
        *_two_active(rows),
        *_refuted(rows),
        *_two_items(rows),
        *_chains(rows),
        *(_controls(chain) for chain in influence.chains if chain.unresolved),
        *_files(snapshot),
    ]
    return tuple(sorted(conflicts, key=lambda conflict: conflict.acknowledged))


class _Rows:
    """The items that take part in conflicts."""

    def __init__(self, snapshot: Snapshot, influence: Influence) -> None:
        self.snapshot = snapshot
        self.influence = influence

    def among(self, question: Callable[[Items], Items]) -> Iterator[MemoryItem]:
        """Those among what each page answers."""
        return self.of_these(self.snapshot.gather(question))

    def of_these(self, items: Iterable[MemoryItem]) -> Iterator[MemoryItem]:
        """Those among `items`."""
        return (item for item in items if self._takes_part(item))

    def of(self, id: str) -> list[MemoryItem]:
        """Those that bear `id`."""
        return [item for item in self.snapshot.by_id.get(id, ()) if self._takes_part(item)]

    def _takes_part(self, item: MemoryItem) -> bool:
        return self.influence.eligible(item.key) and item.key not in self.snapshot.repeated


def own_items(snapshot: Snapshot) -> Items:
    """The bearers of `snapshot` without the entries of the index that repeat an item standing elsewhere."""
    return snapshot.own_items


def oldest_first(rows: Iterable[MemoryItem]) -> list[MemoryItem]:
    """Rows by date as written, undated ones first; then by place."""
    return sorted(rows, key=lambda row: (row.date or "", row.place.file, row.place.line))


def newest(rows: Sequence[MemoryItem]) -> MemoryItem | None:
    """The one row of the latest date; None where dates tie or one of them is no date."""
    days = [iso_date(row.date) for row in rows]
    known = [day for day in days if day is not None]
    if len(known) < len(rows) or not known or known.count(max(known)) > 1:
        return None
    return rows[days.index(max(known))]


_SUBJECT = attrgetter("subject")


def _active_states(items: Items) -> Items:
    return tuple(item for item in items if item.kind is Kind.STATE and item.status is Status.ACTIVE and item.subject)


def _two_active(taking_part: _Rows) -> list[Conflict]:
    subjects: dict[str, list[MemoryItem]] = {}
    active = taking_part.snapshot.gather(_active_states)
    several = {subject for subject, count in Counter(map(_SUBJECT, active)).items() if count > 1}
    for item in taking_part.of_these([item for item in active if item.subject in several] if several else ()):
        subjects.setdefault(item.subject or "", []).append(item)
    conflicts = []
    for subject, rows in subjects.items():
        if len(rows) < 2 or (rows[0].id is not None and len({row.id for row in rows}) == 1):
            continue
        rows = oldest_first(rows)
        current = newest(rows)
        dates = ", ".join(row.date or "undated" for row in rows)
        said = f"{current.id or current.place} is the newest." if current else "Their dates do not say which is newer."
        conflicts.append(
            Conflict(
                type="two-active",
                subject=subject,
                rows=tuple(row.key for row in rows),
                message=f"{len(rows)} active rows bear one subject ({dates}). {said}",
                suggested=current.key if current is not None else None,
                acknowledged=_acknowledged(rows),
            )
        )
    return conflicts


def _acknowledged(rows: Sequence[MemoryItem]) -> bool:
    return len(rows) > 1 and all(
        other.id is not None and other.id in row.conflicts_with for row in rows for other in rows if other is not row
    )


def _doubted(items: Items) -> Items:
    return tuple(
        item
        for item in items
        if item.status is Status.PENDING_CLEANUP
        and item.id is not None
        and (item.kind is Kind.KNOWLEDGE or (item.kind is Kind.STATE and item.subject and not item.superseded_by))
    )


def _refuted(taking_part: _Rows) -> list[Conflict]:
    """A pending item with what is recorded as refuting it; those that refute one another once."""
    refuting = refuters(taking_part.snapshot, taking_part.influence)
    conflicts: dict[frozenset[str], Conflict] = {}
    for item in taking_part.among(_doubted) if refuting else ():
        bearers = (taking_part.of(other) for other in refuting.get(item.id or "", ()))
        others = [those[0] for those in bearers if len(those) == 1 and still_refutes(those[0], item)]
        rows = oldest_first([item, *others])
        together = frozenset(row.key for row in rows)
        if not others or together in conflicts:
            continue
        names = ", ".join(other.id or "" for other in others)
        current = newest(rows) if item.kind is Kind.STATE else None
        conflicts[together] = Conflict(
            type=f"refuted-{item.kind}",
            subject=item.subject,
            rows=tuple(row.key for row in rows),
            message=f"{item.id} waits for review: {names} seems to refute it.",
            suggested=current.key if current is not None else None,
            acknowledged=_acknowledged(rows),
        )
    return list(conflicts.values())


def still_refutes(other: MemoryItem, item: MemoryItem) -> bool:
    """Whether `other` can still contradict the pending `item`: of a state row only one that could be current can."""
    if item.kind is not Kind.STATE:
        return True
    may_be_current = other.status in (Status.ACTIVE, Status.PENDING_CLEANUP)
    return other.kind is Kind.STATE and other.subject == item.subject and may_be_current


def _contradicting(items: Items) -> Items:
    return tuple(item for item in items if item.conflicts_with)


def refuters(snapshot: Snapshot, influence: Influence) -> dict[str, tuple[str, ...]]:
    """Id -> ids of what is recorded as contradicting it: by `conflicts_with` on either side, or by the log.

    Of the log, the event counts that gave the item its Status; what was undone or decided again since says nothing.
    """
    table: dict[str, dict[str, None]] = {}
    for item in _Rows(snapshot, influence).among(_contradicting):
        for other in item.conflicts_with:
            if item.id is not None and other != item.id:
                table.setdefault(item.id, {})[other] = None
                table.setdefault(other, {})[item.id] = None
    naming = [event for event in snapshot.events if REFUTED_BY in event.detail]
    marked = status_events(snapshot.events) if naming else {}
    for event in naming:
        named = event.detail[REFUTED_BY]
        for other in (named,) if isinstance(named, str) else named:
            for change in event.items:
                _, marking = marked.get(change.id, ("", None))
                if change.id != other and marking is not None and marking.id == event.id:
                    table.setdefault(change.id, {})[other] = None
    return {id: tuple(others) for id, others in table.items()}


def _two_items(taking_part: _Rows) -> list[Conflict]:
    shared = ((id, taking_part.of(id)) for id in taking_part.snapshot.shared_ids)
    return [
        Conflict(
            type="two-items-one-id",
            subject=None,
            rows=tuple(row.key for row in oldest_first(rows)),
            message=f"{len(rows)} items bear the id {id} ({', '.join(str(row.place) for row in rows)}); neither wins.",
        )
        for id, rows in shared
        if len(rows) > 1
    ]


def _pointing(items: Items) -> Items:
    return tuple(item for item in items if item.superseded_by or item.merged_into or item.status is Status.SUPERSEDED)


def _chains(taking_part: _Rows) -> list[Conflict]:
    snapshot = taking_part.snapshot
    pointing = list(taking_part.among(_pointing))
    erased = {ref for tombstone in snapshot.tombstones for ref in tombstone.scope_refs}
    dangling, cycles, lost, early = [], [], [], []
    for item in pointing:
        for name, target in (("superseded_by", item.superseded_by), ("merged_into", item.merged_into)):
            if target and target not in snapshot.by_id and target not in erased:
                said = f"{item.id or item.place}: {name} names {target}, which nothing bears."
                dangling.append(Conflict("dangling-pointer", item.subject, (item.key,), said))
        if item.status is Status.SUPERSEDED and not item.superseded_by and not item.merged_into:
            said = f"{item.id or item.place} is superseded, and does not say by what."
            lost.append(Conflict("superseded-without-pointer", item.subject, (item.key,), said))
        if item.superseded_by and item.status in (Status.ACTIVE, Status.STALE):
            said = f"{item.id or item.place} names {item.superseded_by} as its successor, and is {item.status}."
            early.append(Conflict("pointer-without-status", item.subject, (item.key,), said))
    for ids in _cycles(taking_part, pointing):
        rows = oldest_first(row for id in ids for row in taking_part.of(id))
        said = f"{', '.join(sorted(ids))} supersede one another; no row of them is current."
        cycles.append(Conflict("pointer-cycle", rows[0].subject, tuple(row.key for row in rows), said))
    return [*dangling, *cycles, *lost, *early]


def _cycles(taking_part: _Rows, pointing: Iterable[MemoryItem]) -> list[tuple[str, ...]]:
    """The cycles of `superseded_by`, each once; an id that several items bear points nowhere."""
    points = {
        item.id: item.superseded_by
        for item in pointing
        if item.id is not None and item.superseded_by and len(taking_part.of(item.id)) == 1
    }
    done: set[str] = set()
    cycles = []
    for start in points:
        path: dict[str, int] = {}
        here: str | None = start
        while here is not None and here in points and here not in done and here not in path:
            path[here] = len(path)
            here = points[here]
        if here is not None and here in path:
            cycles.append(tuple(list(path)[path[here] :]))
        done.update(path)
    return cycles


def _controls(chain: Chain) -> Conflict:
    ids = tuple(dict.fromkeys(view.record.withdrawal_id for view in chain.views))
    listed = ", ".join(ids)
    said = f"The control events over {chain.scope} are unresolved ({listed}); what is in doubt stays excluded."
    return Conflict("unordered-controls", None, (), said, controls=ids)


def _files(snapshot: Snapshot) -> list[Conflict]:
    files = dict.fromkeys(
        (finding.code, finding.file) for finding in snapshot.drift if finding.code in _FILES and finding.file
    )
    return [
        Conflict(code, None, (), f"{file}: {_FILES[code]}", files=(str(file),))
        for code, file in sorted(files, key=lambda one: (one[0], str(one[1])))
    ]
