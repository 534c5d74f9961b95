"""The review (§16): drift as findings, the queue of what waits for a human, and the cleanup plan made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date
from typing import NamedTuple

from core.catalogue import CATALOGUE, CodeInfo
from core.conflicts import refuters, still_refutes
from core.drift import find_drift
from core.eligibility import Influence
from core.events import Event, status_events
from core.findings import Finding
from core.items import MemoryItem, Place
from core.pages import Items
from core.review_plan import CleanupRow, cleanup_markdown, cleanup_plan
from core.secrets import mask
from core.snapshot import Snapshot
from core.supersede import iso_date, live_row
from core.vocabulary import Kind, Severity, Status

__all__ = [
    "CATALOGUE",
    "CleanupRow",
    "CodeInfo",
    "QueueEntry",
    "cleanup_markdown",
    "cleanup_plan",
    "find_drift",
    "oldest_wait",
    "review_queue",
]

_LAST = {"boundary-violation": 1, "undistilled-archive": 2, "missing-trigger": 3}
"""Findings that come after the other drift, in this order (§16)."""

_SET_UP = frozenset({"owners-unconfirmed"})
"""Findings about this machine, not about the memory: they wait where they are settled, and count nowhere else."""

REPAIR = "repair"
"""What a repair settles: all of it in one item is one entry."""

_MISSING = "missing-"
_WAITING = (Status.PENDING_CLEANUP, Status.STALE)
_TITLE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One thing that waits for a human.

    `code` is a finding's, or `pending-cleanup` or `stale` for an item of that Status. `item` is a key or None; `since`
    an ISO date, `age_days` counted from it to today; `title` one line of text (secrets masked), `reason` a sentence;
    `proposed` the engine command that settles it, '' where there is none. `findings` are all that the entry stands
    for: several where one repair of the item settles them, and `code` is then that of the first.
    """

    code: str
    item: str | None
    file: str | None
    line: int | None
    since: str | None
    age_days: int | None
    title: str
    reason: str
    proposed: str
    findings: tuple[Finding, ...] = ()

    @property
    def finding(self) -> Finding | None:
        """The first of `findings`; None for an item that waits by its Status."""
        return self.findings[0] if self.findings else None

    @property
    def codes(self) -> tuple[str, ...]:
        """The code of each finding; `code` alone where there is none."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings)) or (self.code,)


def review_queue(
    snapshot: Snapshot, influence: Influence, findings: Sequence[Finding], *, today: str
) -> tuple[QueueEntry, ...]:
    """What waits for a human, in the order to take it (§16); `today` is an ISO date.

    Pending items (oldest first), stale items (oldest first), drift, boundary violations, undistilled archive, missing
    triggers. Notices wait for nobody, and what has to be set up on this machine is no drift of the memory. What one
    repair of an item settles is one entry. Excluded items never appear: a finding about a withdrawal stands without
    item.
    """
    now = iso_date(today)
    due = [
        one
        for one in snapshot.gather(_due)
        if influence.eligible(one.item.key) and one.item.key not in snapshot.repeated
    ]
    marked = status_events(snapshot.events)
    why = refuters(snapshot, influence)
    waiting = [
        *_waiting(Status.PENDING_CLEANUP, due, marked, now, lambda item: _pending(item, snapshot, influence, why)),
        *_waiting(Status.STALE, due, marked, now, _stale),
    ]
    drift = sorted(
        (one for one in findings if one.severity is not Severity.NOTICE and one.code not in _SET_UP),
        key=lambda finding: _LAST.get(finding.code, 0),
    )
    days: dict[str | None, str] = {day.file: day.date for day in snapshot.archive}
    return (*waiting, *(_of_findings(group, snapshot, influence, days, now) for group in _by_remedy(drift, influence)))


def oldest_wait(queue: Iterable[QueueEntry]) -> int | None:
    """For how many days the oldest entry has waited; None where no age is known."""
    return max((entry.age_days for entry in queue if entry.age_days is not None), default=None)


def _by_remedy(drift: Iterable[Finding], influence: Influence) -> Iterable[tuple[Finding, ...]]:
    """The findings one by one, those that one repair of an eligible item settles together where the first stands."""
    groups: dict[object, list[Finding]] = {}
    for number, finding in enumerate(drift):
        together = finding.command == REPAIR and finding.item is not None and influence.eligible(finding.item)
        groups.setdefault(finding.item if together else number, []).append(finding)
    return (tuple(group) for group in groups.values())


class _Due(NamedTuple):
    """An item that waits by its Status, and what its entry shows of it."""

    item: MemoryItem
    place: Place
    title: str


def _due(items: Items) -> tuple[_Due, ...]:
    return tuple(_Due(item, item.place, _title(item.text)) for item in items if item.status in _WAITING)


def _waiting(
    status: Status,
    due: Iterable[_Due],
    marked: Mapping[str, tuple[str, Event]],
    now: Date | None,
    explain: Callable[[MemoryItem], tuple[str, str]],
) -> list[QueueEntry]:
    """The entries of the items of one Status, oldest first; what has no date comes last."""
    entries = []
    for item, place, title in due:
        if item.status is not status:
            continue
        token, event = marked.get(item.id or "", ("", None))
        if token != status:
            event = None
        since = event.at[:10] if event is not None and iso_date(event.at[:10]) else item.date
        reason, proposed = explain(item)
        since = since if iso_date(since) else None
        entries.append(
            QueueEntry(
                code=status.value,
                item=item.key,
                file=place.file,
                line=place.line,
                since=since,
                age_days=_age(since, now),
                title=title,
                reason=reason if event is None else f"{reason} Marked by {event.actor} on {event.at[:10]}.",
                proposed=proposed,
            )
        )
    return sorted(entries, key=lambda entry: (entry.since or "9999", entry.file or "", entry.line or 0))


def _pending(
    item: MemoryItem, snapshot: Snapshot, influence: Influence, why: Mapping[str, tuple[str, ...]]
) -> tuple[str, str]:
    """`(reason, proposed command)` of a pending item. What is in doubt is kept."""
    others = [
        other
        for other in why.get(item.id or "", ())
        if any(influence.eligible(row.key) and still_refutes(row, item) for row in snapshot.by_id.get(other, ()))
    ]
    if item.kind is Kind.STATE and item.superseded_by and live_row(snapshot, item.superseded_by, influence):
        return f"Its successor {item.superseded_by} is known.", "clear"
    if others:
        return f"{', '.join(others)} seems to refute it.", "reconcile"
    return "It is marked pending-cleanup: somebody doubts it.", "clear"


def _stale(item: MemoryItem) -> tuple[str, str]:
    """`(reason, proposed command)` of a stale item: lower its weight where that can be, and decide."""
    said = "A human judged it no longer applicable; merge, demote or replace it."
    return said, "cool" if item.kind is Kind.KNOWLEDGE else ""


def _of_findings(
    group: tuple[Finding, ...],
    snapshot: Snapshot,
    influence: Influence,
    days: Mapping[str | None, str],
    now: Date | None,
) -> QueueEntry:
    finding = group[0]
    item = snapshot.by_key.get(finding.item) if finding.item is not None else None
    if item is not None and not influence.eligible(item.key):
        item = None
    since = item.date if item is not None else days.get(finding.file)
    since = since if iso_date(since) else None
    meaning = CATALOGUE[finding.code].meaning if finding.code in CATALOGUE else ""
    return QueueEntry(
        code=finding.code,
        item=item.key if item is not None else None,
        file=finding.file,
        line=finding.line,
        since=since,
        age_days=_age(since, now),
        title=_title(item.text if item is not None else finding.message),
        reason=_lacks(group) if item is not None else meaning,
        proposed=finding.command or "",
        findings=group,
    )


def _lacks(group: tuple[Finding, ...]) -> str:
    """What is wrong with one item: what several findings say is missing in one sentence, the others as they are."""
    missing = [one.code.removeprefix(_MISSING) for one in group if one.code.startswith(_MISSING)]
    if len(missing) < 2:
        return " ".join(dict.fromkeys(_title(one.message) for one in group))
    *most, last = ("Source" if name == "source" else name for name in missing)
    others = (_title(one.message) for one in group if not one.code.startswith(_MISSING))
    return " ".join((f"It lacks {', '.join(most)} and {last}.", *dict.fromkeys(others)))


def _age(since: str | None, now: Date | None) -> int | None:
    day = iso_date(since)
    return max(0, (now - day).days) if day is not None and now is not None else None


def _title(text: str) -> str:
    line = " ".join(mask(text).split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
