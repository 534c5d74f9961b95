"""Non-destructive supersede of `state` rows (§14.2): its four constraints, near-equal subjects, the live row."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import date as Date
from operator import itemgetter
from typing import TYPE_CHECKING

from core.items import MemoryItem
from core.pages import Items, worth_keeping
from core.snapshot import Snapshot
from core.vocabulary import Kind, Standing, Status

if TYPE_CHECKING:
    from core.eligibility import Influence

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_SUFFIX = re.compile(r"[:./_@#-]+(?:ip)?(?:v?\d+(?:\.\d+)*|new|old|prev|previous|current|latest|copy|alt|tmp|bak)$")
"""The end of a subject that may be another name for the subject without it, e.g. `host:public-ip:v6`."""


def refusal(
    prior: MemoryItem, successor: MemoryItem, *, rows_of_subject: Sequence[MemoryItem], human: bool = False
) -> str | None:
    """Why `successor` may not supersede `prior`, as a sentence; None where it may (§14.2).

    `rows_of_subject` are the rows that bear the subject, `prior` and `successor` or copies of them among them or not.
    `human` is True where a human names the two rows: equal dates, further active rows and a stale prior are then
    theirs to judge. An earlier-dated row never supersedes a later one, whoever asks.
    """
    return (
        _wrong_rows(prior, successor)
        or _wrong_status(prior, successor, human)
        or _wrong_dates(prior, successor, human)
        or _wrong_company(prior, successor, rows_of_subject, human)
    )


def _wrong_rows(prior: MemoryItem, successor: MemoryItem) -> str | None:
    if prior.key == successor.key:
        return "A row does not supersede itself."
    for row in (prior, successor):
        if row.kind is None:
            return f"{_name(row)} does not carry a kind; both rows must be state by their own token."
        if row.kind is not Kind.STATE:
            return f"{_name(row)} is {row.kind}; only state is superseded, and only by state."
    if not prior.subject or not successor.subject:
        return (
            f"{_name(successor if prior.subject else prior)} has no subject, so nothing says that they are about one."
        )
    if prior.subject != successor.subject:
        return f"Their subjects differ: “{prior.subject}” and “{successor.subject}” are not equal to the byte."
    if prior.id is None or successor.id is None:
        return f"{_name(successor if prior.id is not None else prior)} has no id; repair it first."
    if not successor.source:
        return f"{_name(successor)} has no Source of its own; repair it first."
    return None


def _wrong_status(prior: MemoryItem, successor: MemoryItem, human: bool) -> str | None:
    if successor.status is not Status.ACTIVE:
        return f"{_name(successor)} is {_status(successor)}; only an active row supersedes."
    if successor.superseded_by:
        return f"{_name(successor)} names a successor itself, {successor.superseded_by}."
    if prior.status is Status.SUPERSEDED:
        return f"{_name(prior)} is superseded already, by {prior.superseded_by or 'nothing it names'}."
    if prior.status is Status.STALE and not human:
        return f"{_name(prior)} is stale: a human judges it."
    if prior.status is None:
        return f"{_name(prior)} has the Status “{prior.status_text}”, no token of the protocol; repair it first."
    return None


def _wrong_dates(prior: MemoryItem, successor: MemoryItem, human: bool) -> str | None:
    for row in (prior, successor):
        if iso_date(row.date) is None:
            return f"{_name(row)} has no date that can be compared; repair it first."
    earlier, later = str(prior.date), str(successor.date)
    if later < earlier:
        return f"{_name(successor)} ({later}) is earlier than {_name(prior)} ({earlier}); it never supersedes it."
    if later == earlier and not human:
        return f"Both rows are of {later}; in doubt both stay, and a human reconciles them."
    return None


def _wrong_company(prior: MemoryItem, successor: MemoryItem, rows: Sequence[MemoryItem], human: bool) -> str | None:
    others = [row for row in rows if row.key not in (prior.key, successor.key)]
    for row in (prior, successor):
        if any(other.id == row.id for other in others):
            return f"Several items bear the id {row.id}; repair one of them first."
    further = [
        row for row in others if row.subject == prior.subject and row.kind is Kind.STATE and row.status is Status.ACTIVE
    ]
    if further and not human:
        return f"{len(further) + 2} active rows bear “{prior.subject}”; in doubt all stay, and a human reconciles them."
    return None


def near_subjects(snapshot: Snapshot, influence: Influence | None = None) -> tuple[tuple[str, ...], ...]:
    """Groups of subjects of `state` items that differ, but hardly: for a human to judge, never linked.

    They differ in case, blanks or Unicode form alone, or one is another with a short suffix (`:v6`, `-old`). Groups
    are in the order of their first subject, subjects sorted. With `influence`, excluded items take no part.
    """
    rows = snapshot.gather(_subject_forms)
    alike = _alike(dict.fromkeys(map(_WORDS, rows)))
    forms: dict[str, tuple[str, str]] = {}
    for (subject, form, base), item in rows if alike else ():
        if (form in alike or base in alike) and (influence is None or influence.eligible(item.key)):
            forms[subject] = (form, base)
    known = {form for form, _ in forms.values()}
    groups: dict[str, list[str]] = {}
    for subject, (form, base) in forms.items():
        groups.setdefault(base if base in known else form, []).append(subject)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1))


_Words = tuple[str, str, str]
"""A subject, its folded form, and that form without a short suffix."""

_WORDS: Callable[[tuple[_Words, MemoryItem]], _Words] = itemgetter(0)
_FORM: Callable[[_Words], str] = itemgetter(1)


def _alike(subjects: Collection[_Words]) -> set[str]:
    """The forms and bases that more than one of the distinct `subjects` has: only those can be near one another."""
    having = Counter(map(_FORM, subjects))
    having.update(base for _, form, base in subjects if base != form)
    return {word for word, count in having.items() if count > 1}


@worth_keeping
def _subject_forms(items: Items) -> tuple[tuple[_Words, MemoryItem], ...]:
    """The words of the subject of each `state` item that has one."""
    rows = (item for item in items if item.kind is Kind.STATE and item.subject)
    forms = ((item, item.subject or "", _fold_subject(item.subject or "")) for item in rows)
    return tuple(((subject, form, _SUFFIX.sub("", form)), item) for item, subject, form in forms)


def live_row(snapshot: Snapshot, id: str, influence: Influence | None = None) -> MemoryItem | None:
    """The live row at the end of the `superseded_by` chain of `id`, itself where it is live.

    None where the chain is broken: a dangling pointer, a cycle, an id that several items bear, a superseded row
    without pointer, or (with `influence`) an excluded row. Always ends.
    """
    seen: set[str] = set()
    here = id
    while here not in seen:
        seen.add(here)
        row = sole_bearer(snapshot, here)
        if row is None or (influence is not None and not influence.eligible(row.key)):
            return None
        waits = row.status is Status.SUPERSEDED or (row.status is Status.PENDING_CLEANUP and row.superseded_by)
        if not waits:
            return row
        if not row.superseded_by:
            return None
        here = row.superseded_by
    return None


def sole_bearer(snapshot: Snapshot, id: str) -> MemoryItem | None:
    """The one item that bears `id`. What the index repeats of an item elsewhere is no second bearer."""
    bearers = snapshot.by_id.get(id, ())
    if len(bearers) > 1:
        bearers = tuple(item for item in bearers if item.standing is not Standing.INDEX)
    return bearers[0] if len(bearers) == 1 else None


def iso_date(text: str | None) -> Date | None:
    """The day that an ISO date names; None where it names none."""
    if text is None or not _ISO.fullmatch(text):
        return None
    try:
        return Date.fromisoformat(text)
    except ValueError:
        return None


def _fold_subject(subject: str) -> str:
    if subject.isascii():
        return "".join(subject.lower().split())
    return "".join(unicodedata.normalize("NFKC", subject).casefold().split())


def _name(row: MemoryItem) -> str:
    return row.id or str(row.place)


def _status(row: MemoryItem) -> str:
    return row.status.value if row.status is not None else f"“{row.status_text}”"
