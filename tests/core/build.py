"""Small roots for the tests of the rules: items, controls, archive days and events in as few words as they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.binding import Binding, Owner
from core.controls import ControlRecord, Scope
from core.events import Event, FieldChange, ItemChange, LogEntry
from core.items import MemoryItem, Place
from core.places import standing_of
from core.snapshot import ArchiveDay, ArchivedCopy, Snapshot, item_key
from core.vocabulary import Kind, Status

ANA = Owner("ana", "ana", ("*",))


def item(
    id: str | None,
    text: str = "Something was learned.",
    *,
    kind: str | None = "knowledge",
    status: str | None = "active",
    source: str | None = "retro 2026-05-02",
    file: str = "topics/t.md",
    section: str | None = None,
    line: int = 0,
    date: str | None = None,
    **more: object,
) -> MemoryItem:
    """An item of a topic (`file` and `section` decide where it stands). The date is that of the id where it has one.

    `kind` and `status` are tokens as written; a token of no vocabulary is kept as such. `line` 0 is set by `root`.
    """
    if date is None and id is not None and id.startswith("mem-"):
        date = id[4:14]
    return MemoryItem(
        key="",
        text=text,
        place=Place(file, line, section),
        standing=standing_of(file, section),
        digest=f"{abs(hash((id, text, source, status))):016x}"[:16],
        id=id,
        date=date,
        kind=next((token for token in Kind if token == kind), None),
        kind_text=kind,
        status=Status.ACTIVE if status is None else next((token for token in Status if token == status), None),
        status_text=status,
        source=source,
        **more,  # type: ignore[arg-type]
    )


def state(id: str | None, subject: str | None, text: str = "It is so.", **more: object) -> MemoryItem:
    """A `state` item."""
    return item(id, text, kind="state", subject=subject, **more)  # type: ignore[arg-type]


LOG_LINE = Place("log.md", 1)


def root(
    *items: MemoryItem,
    controls: Iterable[ControlRecord] = (),
    archive: Iterable[ArchiveDay] = (),
    owners: Sequence[Owner] = (ANA,),
    binding: Binding | None = None,
    **more: object,
) -> Snapshot:
    """A snapshot of `items`, with keys and lines given as a store gives them, owned by ana unless said otherwise."""
    bearers: dict[str, int] = {}
    for one in items:
        if one.id is not None:
            bearers[one.id] = bearers.get(one.id, 0) + 1
    seen: dict[tuple[str, str], int] = {}
    keyed = []
    for number, one in enumerate(items, start=1):
        label = one.id or "~" + one.digest
        occurrence = seen.get((label, one.place.file), 0)
        seen[(label, one.place.file)] = occurrence + 1
        sole = one.id is not None and bearers[one.id] == 1
        key = item_key(one.id, one.digest, one.place.file, occurrence, sole=sole)
        place = replace(one.place, line=one.place.line or number)
        keyed.append(replace(one, key=key, place=place))
    events = more.get("events", ())
    assert isinstance(events, tuple | list)
    if events and "log" not in more:
        more["log"] = tuple(LogEntry(one.id, one.type, one.at, one.actor, one.summary, LOG_LINE) for one in events)
    if binding is None:
        binding = Binding(owners=tuple(owners), owners_state="confirmed" if owners else "none", declared=True)
    return Snapshot(
        "case",
        binding=binding,
        items=tuple(keyed),
        controls=tuple(controls),
        archive=tuple(archive),
        **more,  # type: ignore[arg-type]
    )


def scope(ids: Iterable[str] = (), archive: Iterable[str] = (), runs: Iterable[str] = ()) -> Scope:
    """A scope in normal form."""
    return Scope(frozenset(ids), frozenset(archive), frozenset(runs))


def withdraw(
    id: str,
    ids: Iterable[str] = (),
    *,
    archive: Iterable[str] = (),
    runs: Iterable[str] = (),
    supersedes: tuple[str, ...] = (),
    by: str = "owner:ana",
    at: str = "2026-06-10T10:00:00+08:00",
    **more: object,
) -> ControlRecord:
    """A withdrawal of a scope."""
    record = ControlRecord(
        id, "withdraw", scope(ids, archive, runs), "failed-exploration", by, at, "exclude-from-influence", supersedes
    )
    return replace(record, **more)  # type: ignore[arg-type]


def reinstate(
    id: str,
    supersedes: str | tuple[str, ...],
    ids: Iterable[str] = (),
    *,
    archive: Iterable[str] = (),
    runs: Iterable[str] = (),
    by: str = "owner:ana",
    at: str = "2026-06-11T10:00:00+08:00",
    **more: object,
) -> ControlRecord:
    """A reinstatement of a scope."""
    named = (supersedes,) if isinstance(supersedes, str) else supersedes
    record = ControlRecord(
        id, "reinstate", scope(ids, archive, runs), "owner-decision", by, at, "restore-eligibility", named
    )
    return replace(record, **more)  # type: ignore[arg-type]


def day(text: str, date: str) -> ArchiveDay:
    """The archive day of `date`, from its Markdown: `## heading` begins a segment, `- [id] text` is an archived copy.

    A segment's first line is its heading, its last the line before the next heading of the same or a higher level.
    """
    lines = tuple(text.splitlines())
    headings = [
        (n, len(line) - len(line.lstrip("#")), line) for n, line in enumerate(lines, 1) if line.startswith("##")
    ]
    anchors = {
        line.strip("# ").lower().replace(" ", "-"): (
            number,
            next((other - 1 for other, depth, _ in headings if other > number and depth <= level), len(lines)),
        )
        for number, level, line in headings
    }
    copies = []
    for number, line in enumerate(lines, 1):
        if line.startswith("- "):
            above = [slug for slug, (first, _) in anchors.items() if first < number]
            id, bracket, said = line[2:].partition("] ")
            copies.append(
                ArchivedCopy(
                    id=id[1:] if bracket and id.startswith("[") else None,
                    anchor=max(above, key=lambda slug: anchors[slug][0]) if above else None,
                    line=number,
                    text=said if bracket else line[2:],
                )
            )
    return ArchiveDay(date, f"archive/{date}.md", anchors, tuple(copies), lines)


def event(
    id: str,
    type: str,
    *items: ItemChange,
    at: str = "2026-06-01T09:00:00+00:00",
    actor: str = "human:ben",
    **more: object,
) -> Event:
    """An event of the log."""
    return Event(id, type, at, actor, "", items, **more)  # type: ignore[arg-type]


def change(id: str, *fields: tuple[str, object, object], record: object = None) -> ItemChange:
    """What an event did to an item: `(field, before, after)`."""
    return ItemChange(id, tuple(FieldChange(*one) for one in fields), record)  # type: ignore[arg-type]


def codes(findings: Iterable[object]) -> list[str]:
    """The codes of findings, sorted."""
    return sorted(finding.code for finding in findings)  # type: ignore[attr-defined]
