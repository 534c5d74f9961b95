"""Retrieval (§15): controls first, metadata before text, the newer state row by subject, and the Reconcile block."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.conflicts import Conflict, find_conflicts, newest, oldest_first
from core.eligibility import Influence
from core.items import MemoryItem
from core.places import TOPICS_FOLDER
from core.snapshot import Snapshot, Topic
from core.supersede import iso_date, live_row
from core.vocabulary import Confidence, Kind, Standing, Status

_SURFACED = frozenset({"two-active", "refuted-knowledge", "refuted-state", "two-items-one-id"})


@dataclass(frozen=True, slots=True)
class Served:
    """One item served: its key, whether as `current` or as `history`, and why it weighs less ('' where it does not).

    What is served as history is no factual basis for anything now (§15.2 step 3).
    """

    item: str
    framing: Literal["current", "history"]
    weight_note: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a retrieval serves, best first; `total` before the limit.

    `conflicts` are those that the served items are party to: they are surfaced before acting (§15.2 step 5).
    """

    served: tuple[Served, ...]
    total: int
    conflicts: tuple[Conflict, ...]


def retrieve(
    snapshot: Snapshot,
    influence: Influence,
    query: str | None,
    topic: str | None = None,
    limit: int | None = None,
    *,
    conflicts: Sequence[Conflict] | None = None,
) -> Retrieved:
    """Ordered candidates for `query` (None: all) within `topic` (its name, file or title; None: all).

    Excluded items are left out before anything is looked at. Every word of the query has to stand in the item's text,
    subject, id or Scope, or in a trigger or the title of its topic. Current items come before history, those that a
    trigger leads to before those whose text matches, full metadata before missing, hot places before historical, then
    newer before older. Of several active rows of a subject the newest is current and the others are history; where
    dates do not tell, all are current and the conflict is surfaced. `conflicts` are those of the snapshot, where the
    caller has them already.
    """
    items = [item for item in snapshot.own_items if influence.eligible(item.key)]
    if not items:
        return Retrieved((), 0, ())
    topics = {page.file: page for page in snapshot.topics}
    triggers = _triggers(snapshot)
    asked = _words(query or "")
    wanted = _fold(topic) if topic is not None else None
    conflicts = find_conflicts(snapshot, influence) if conflicts is None else conflicts
    older = _older(conflicts, items)
    ranked: list[tuple[tuple[object, ...], Served]] = []
    for item in items:
        page = topics.get(item.place.file)
        if wanted is not None and wanted not in _names(item, page):
            continue
        by_text, by_trigger = _matches(item, page, triggers, asked)
        if not (by_text or by_trigger):
            continue
        served = _frame(item, snapshot, influence, older)
        day = iso_date(item.date)
        rank = (
            served.framing != "current",
            not by_trigger,
            bool(served.weight_note),
            item.standing is Standing.HISTORICAL,
            -(day.toordinal() if day is not None else 0),
            item.place.file,
            item.place.line,
        )
        ranked.append((rank, served))
    ranked.sort(key=lambda one: one[0])
    served_now = tuple(served for _, served in (ranked if limit is None else ranked[: max(0, limit)]))
    keys = {served.item for served in served_now}
    party = tuple(one for one in conflicts if one.type in _SURFACED and keys.intersection(one.rows))
    return Retrieved(served_now, len(ranked), party)


def reconcile_block(rows: Sequence[MemoryItem]) -> str:
    """The Reconcile block of §15.2.1 for conflicting `rows`: all of them visible and dated, oldest first.

    The caller passes eligible rows only. Ends without a newline; '' for no rows.
    """
    ordered = oldest_first(rows)
    if not ordered:
        return ""
    subjects = list(dict.fromkeys(row.subject for row in ordered if row.subject))
    about = f"`subject: {_line(subjects[0])}`" if len(subjects) == 1 else "what these items say"
    active = [row for row in ordered if row.status is Status.ACTIVE]
    stateful = all(row.kind is Kind.STATE for row in ordered) and len(subjects) == 1
    current = newest(active) if stateful else None
    lines = [f"Conflict on {about}:"]
    for row in ordered:
        lines.append(f"  - [{row.date or 'undated'}] ({_kind(row)}) {_value(row)}   ← {_stands(row, current)}")
    lines.append("")
    if current is not None:
        lines += [
            f"Acting on [{current.date}]'s value. {_kept(len(ordered))}",
            "If another row should be the current truth, ask me to reconcile.",
        ]
    else:
        lines += ["Acting on none of them before they are reconciled.", "Ask me to reconcile, with evidence."]
    return "\n".join(lines)


def _kept(count: int) -> str:
    return "The earlier row is retained as history." if count == 2 else "The other rows are retained as history."


def _kind(row: MemoryItem) -> str:
    return row.kind.value if row.kind is not None else _line(row.kind_text or "no kind")


def _value(row: MemoryItem) -> str:
    text = _line(row.text)
    stop = "" if text.endswith((".", "。", "!", "?", "！", "？")) else "."
    return f"{text}{stop} Source: {_line(row.source) if row.source else 'none'}"


def _stands(row: MemoryItem, current: MemoryItem | None) -> str:
    if row is current:
        return "currently `active`, the newest"
    if row.status is Status.ACTIVE:
        return "`active`, read as superseded by the newer row" if current is not None else "`active`"
    return f"`Status: {row.status.value if row.status is not None else _line(row.status_text or '')}`"


def _line(text: str) -> str:
    return " ".join(text.split())


def _triggers(snapshot: Snapshot) -> Mapping[str, str]:
    """Topic file -> everything that leads to it, folded: its frontmatter triggers and its Topic Map lines."""
    said: dict[str, list[str]] = {page.file: [page.name, page.title or "", *page.triggers] for page in snapshot.topics}
    for line in snapshot.index.topic_map:
        target = (line.target or "").partition("#")[0]
        file = target if "/" in target else f"{TOPICS_FOLDER}/{target}"
        if file in said:
            said[file].append(line.trigger or line.text)
    return {file: _fold("\n".join(parts)) for file, parts in said.items()}


def _names(item: MemoryItem, page: Topic | None) -> set[str]:
    file = item.place.file
    names = {file, file.rsplit("/", 1)[-1].removesuffix(".md")}
    if page is not None:
        names |= {page.name, page.title or page.name}
    return {_fold(name) for name in names}


def _matches(
    item: MemoryItem, page: Topic | None, triggers: Mapping[str, str], asked: Sequence[str]
) -> tuple[bool, bool]:
    """Whether the words stand in the item itself, and whether the topic's triggers lead to it."""
    if not asked:
        return True, False
    own = _fold("\n".join(part for part in (item.text, item.subject, item.id, item.scope) if part))
    leads = triggers.get(page.file, "") if page is not None else ""
    by_trigger = bool(leads) and all(word in leads for word in asked)
    by_text = all(word in own or (bool(leads) and word in leads) for word in asked) and not by_trigger
    return by_text, by_trigger


def _older(conflicts: Iterable[Conflict], items: Iterable[MemoryItem]) -> dict[str, MemoryItem]:
    """Key of an active row that a newer active row of its subject outdates -> that newer row (§15.2 step 4)."""
    by_key = {item.key: item for item in items}
    return {
        key: by_key[conflict.suggested]
        for conflict in conflicts
        if conflict.type == "two-active" and conflict.suggested is not None and not conflict.acknowledged
        for key in conflict.rows
        if key != conflict.suggested
    }


def _frame(item: MemoryItem, snapshot: Snapshot, influence: Influence, older: Mapping[str, MemoryItem]) -> Served:
    newer = older.get(item.key)
    if newer is not None:
        said = f"Read as superseded: {newer.id or newer.place} of {newer.date} is newer; reconcile them."
        return Served(item.key, "history", said)
    if item.status is Status.SUPERSEDED:
        live = live_row(snapshot, item.superseded_by or "", influence)
        known = f"; the live row is {live.id}" if live is not None else "; no live row can be followed from it"
        return Served(item.key, "history", f"Superseded{known}.")
    if item.status is not Status.ACTIVE:
        notes = {
            Status.STALE: "Stale: a human judged it no longer applicable.",
            Status.PENDING_CLEANUP: "Pending cleanup: somebody doubts it, and nobody has reviewed it.",
        }
        unknown = f"Its Status “{_line(item.status_text or '')}” is no token of the protocol."
        return Served(item.key, "history", notes[item.status] if item.status is not None else unknown)
    return Served(item.key, "current", _doubts(item, snapshot))


def _doubts(item: MemoryItem, snapshot: Snapshot) -> str:
    """Why a current item bears less weight: what its record lacks, or says of itself (§15.2 step 2)."""
    lacks = [
        name
        for name, present in (
            ("id", item.id),
            ("kind", item.kind),
            ("Source", item.source),
            ("date", iso_date(item.date)),
            ("subject", item.subject if item.kind is Kind.STATE else "none needed"),
        )
        if not present
    ]
    notes = [f"It lacks {', '.join(lacks)}: not load-bearing until repaired."] if lacks else []
    if item.marker:
        notes.append("A legacy marker stands at its head: not load-bearing until reviewed.")
    if item.confidence in (Confidence.INFERRED, Confidence.UNKNOWN):
        notes.append(f"Its Confidence is {item.confidence}.")
    if item.standing is Standing.HISTORICAL:
        notes.append("Cooled: it stands among the historical lessons.")
    if item.id is not None and sum(one.standing is not Standing.INDEX for one in snapshot.by_id[item.id]) > 1:
        notes.append(f"Several items bear the id {item.id}.")
    return " ".join(notes)


def _words(query: str) -> list[str]:
    return _fold(query).split()


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
