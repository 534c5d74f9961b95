"""What a change set does to the files of a root: span edits, computed and not carried out.

Everything outside the spans stays as it was, to the byte. Each kind of change has its module: `project_items.py`,
`project_hold.py`, `project_index.py`, `project_log.py`, `project_triggers.py`, `project_proposals.py`,
`project_binding.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never
from zoneinfo import ZoneInfo

from core.changes import (
    AddItem,
    AddRule,
    AppendEvent,
    ChangeSet,
    CreateRoot,
    DeclareOwner,
    HoldItem,
    KeepIndex,
    MoveItem,
    PutProposal,
    PutTriggers,
    ReleaseItem,
    SetFields,
)
from core.errors import WriteRefused
from core.items import FieldValue, MemoryItem, Record
from core.places import CONVENTIONS, HOT, INDEX, held_file, standing_of
from core.snapshot import Snapshot
from stores.markdown.document import Document, parse_document
from stores.markdown.edits import FileEdit
from stores.markdown.parts import digest_of
from stores.markdown.project_binding import create_root, declare_owner
from stores.markdown.project_files import Blocked, Files, Read
from stores.markdown.project_frontmatter import dates_of, keep_frontmatter
from stores.markdown.project_hold import hold_items, release_items
from stores.markdown.project_index import keep_index, keep_triggers
from stores.markdown.project_items import Fields, add_item, bearer, gather_fields, move_item, set_fields
from stores.markdown.project_log import append_event
from stores.markdown.project_proposals import add_rule, put_proposal
from stores.markdown.project_triggers import put_triggers


@dataclass(frozen=True, slots=True)
class Projection:
    """`edits` in the order to write them in.

    `skipped` are `(key, reason)` of items whose text stays where it is though the control record would have it moved,
    and `(index.md, reason)` where the index cannot follow a control record.
    """

    edits: tuple[FileEdit, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def project(
    changes: ChangeSet,
    snapshot: Snapshot,
    documents: Mapping[str, Document],
    read: Read,
    *,
    root: str = "",
    blocked: Blocked = lambda path: "",
) -> Projection:
    """What `changes` do to the files of `snapshot`. Pure but for `read` and `blocked`.

    `documents` are the parsed files that the snapshot was made of; `read` gives the bytes of any other file of the
    root (log, binding record), None where there is none; `blocked` says why a file cannot be written, '' where it can;
    `root` is the root's path. Raises `WriteRefused` for a place that may not be written, or a change that would not
    read back as meant; `RootExists` for a `CreateRoot` over files. A withdrawn item whose text cannot be moved is no
    error (§12.2): it is in `skipped`.
    """
    staying: dict[str, str] = {}
    while True:
        files = Files(snapshot, documents, read, blocked)
        try:
            return _project(changes, files, staying, root)
        except _ReadsOtherwise as error:
            # Taking a record away can make its neighbour read otherwise; then its text stays, and is excluded there.
            more = _moving_at(changes, files, error.where or "", staying)
            if not more:
                raise
            staying |= dict.fromkeys(more, str(error))


class _ReadsOtherwise(WriteRefused):
    """A file would not read back as meant."""


def _project(changes: ChangeSet, files: Files, staying: Mapping[str, str], root: str) -> Projection:
    """`project` once, where the items `staying` (key -> why) are neither held nor released."""
    sets = gather_fields(tuple(change for change in changes.changes if isinstance(change, SetFields)))
    last: dict[str, MoveItem | HoldItem | ReleaseItem] = {}
    for change in changes.changes:
        if isinstance(change, MoveItem | HoldItem | ReleaseItem) and change.key not in staying:
            last[change.key] = change
    for key, fields in sets.items():
        if key not in last:
            set_fields(files, bearer(files, key), fields)
    for change in changes.changes:
        match change:
            case CreateRoot():
                create_root(files, change)
            case DeclareOwner():
                declare_owner(files, change, root=root)
            case AddItem():
                add_item(files, change)
            case MoveItem() if last.get(change.key) is change:
                move_item(files, change, sets.get(change.key, {}))
            case PutTriggers(file, triggers):
                put_triggers(files, file, triggers)
            case PutProposal():
                put_proposal(files, change)
            case AddRule():
                add_rule(files, change)
            case SetFields() | MoveItem() | HoldItem() | ReleaseItem() | KeepIndex() | AppendEvent():
                pass  # before, or below
            case _:
                assert_never(change)
    skipped = [
        *staying.items(),
        *release_items(files, [change for change in last.values() if isinstance(change, ReleaseItem)], sets),
        *hold_items(files, [change for change in last.values() if isinstance(change, HoldItem)], sets),
    ]
    expected = _Expected(files, changes, sets, {key for key, _ in skipped})
    _keep_topics(files, changes, sets)
    control = next((c.event.control for c in changes.changes if isinstance(c, AppendEvent) and c.event.control), None)
    retriggered = [change for change in changes.changes if isinstance(change, PutTriggers)]
    kept = [change for change in changes.changes if isinstance(change, KeepIndex)]
    for change in changes.changes:
        if isinstance(change, AppendEvent):
            append_event(files, _with_hot(_as_done(change, files, skipped), files, changes))
    try:
        for keep in kept:
            keep_index(files, keep, control, retriggered)
        if not kept:
            keep_triggers(files, retriggered)
    except WriteRefused as error:
        if control is None:
            raise
        skipped.append((INDEX, str(error)))
    edits = tuple(files.edits())
    expected.check(edits)
    return Projection(edits, tuple(skipped))


def _as_done(change: AppendEvent, files: Files, skipped: Sequence[tuple[str, str]]) -> AppendEvent:
    """The event without the moves that are not made: the log says of each item where it stands."""
    staying = {bearer(files, key).id for key, _ in skipped if key != INDEX}
    if not staying:
        return change
    items = tuple(
        replace(one, fields=tuple(step for step in one.fields if step.name != "place")) if one.id in staying else one
        for one in change.event.items
    )
    return AppendEvent(replace(change.event, items=items))


def _with_hot(change: AppendEvent, files: Files, changes: ChangeSet) -> AppendEvent:
    """The event with the digests of the hot files that it leaves; a later change without a decision differs."""
    hot = {files.name(rule.file) for rule in changes.changes if isinstance(rule, AddRule)}
    if any(isinstance(one, CreateRoot) for one in changes.changes):
        hot.add(CONVENTIONS)
    left = {page.path: edit for page in files.touched() if page.path in hot and (edit := page.finish()) is not None}
    digests = {HOT + path: digest_of(edit.after) for path, edit in left.items()}
    event = change.event
    return AppendEvent(replace(event, detail={**event.detail, **digests})) if digests else change


def _moving_at(changes: ChangeSet, files: Files, path: str, staying: Mapping[str, str]) -> list[str]:
    """The keys of the items that are held or released from or to the file `path`, those in `staying` left out."""
    keys = []
    for change in changes.changes:
        if isinstance(change, HoldItem | ReleaseItem) and change.key not in staying:
            target = held_file(change.withdrawal_id) if isinstance(change, HoldItem) else change.file
            if path in (bearer(files, change.key).place.file, files.name(target)):
                keys.append(change.key)
    return keys


def _keep_topics(files: Files, changes: ChangeSet, sets: Mapping[str, Fields]) -> None:
    """Keep the frontmatter of the topics whose items change. A text that is held or returns changes no topic."""
    event = next((change.event for change in changes.changes if isinstance(change, AppendEvent)), None)
    if event is None:
        return
    dates: dict[str, set[str]] = {}
    for change in changes.changes:
        match change:
            case AddItem(record, file):
                source, date = record.get("Source"), record.get("date")
                found = dates_of(source if isinstance(source, str) else None, date if isinstance(date, str) else None)
                dates.setdefault(files.name(file), set()).update(found)
            case MoveItem(key, file):
                item = bearer(files, key)
                dates.setdefault(item.place.file, set())
                dates.setdefault(files.name(file), set()).update(dates_of(item.source, item.date))
            case SetFields(key):
                source = sets[key].get("Source")
                found = dates_of(source, None) if isinstance(source, str) else ()
                dates.setdefault(bearer(files, key).place.file, set()).update(found)
            case _:
                pass
    today = day_of(event.at, files.snapshot.binding.timezone)
    for path, found_dates in dates.items():
        keep_frontmatter(files.page(path), today, found_dates)


def day_of(at: str, timezone: str) -> str:
    """The ISO date of the moment `at` in the root's time zone; the date as written where either is unknown."""
    try:
        moment = datetime.fromisoformat(at)
        return (moment.astimezone(ZoneInfo(timezone)) if moment.tzinfo is not None else moment).date().isoformat()
    except (ValueError, KeyError, OSError):
        return at[:10]


class _Expected:
    """What the records of each file are to be afterwards, so that a write that would read back otherwise is refused."""

    def __init__(self, files: Files, changes: ChangeSet, sets: Mapping[str, Fields], skipped: set[str]) -> None:
        self._files = files
        self._leaving: dict[str, Counter[str]] = {}
        self._coming: dict[str, list[dict[str, FieldValue]]] = {}
        places: dict[str, str] = {}
        for change in changes.changes:
            match change:
                case AddItem(record, file):
                    wanted = {name: value for name, value in record.items() if name != "place" and value != ()}
                    self._coming.setdefault(files.name(file), []).append(wanted)
                case MoveItem(key, file) | ReleaseItem(key, file) if key not in skipped:
                    places[key] = files.name(file)
                case HoldItem(key, withdrawal_id) if key not in skipped:
                    places[key] = files.name(held_file(withdrawal_id))
                case _:
                    pass
        for key in {**sets, **places}:
            item = bearer(files, key)
            self._leaving.setdefault(item.place.file, Counter())[item.digest] += 1
            self._coming.setdefault(item.place.file, [])
            self._coming.setdefault(places.get(key, item.place.file), []).append(_with(item, sets.get(key, {})))

    def check(self, edits: tuple[FileEdit, ...]) -> None:
        """Raises `WriteRefused` where a file would not read back as meant."""
        after = {edit.path: edit.after for edit in edits}
        for path, coming in self._coming.items():
            if path not in after:
                continue
            document = self._files.documents.get(path)
            standing = document.standing if document is not None else standing_of(path, None)
            kept = Counter(record.digest for record in document.records) if document is not None else Counter[str]()
            kept.subtract(self._leaving.get(path, Counter()))
            fresh = []
            written = parse_document(path, after[path], standing)
            for record in written.records:
                if kept[record.digest] > 0:
                    kept[record.digest] -= 1
                else:
                    fresh.append(record)
            if written.unwritable or +kept or not _matches(fresh, coming):
                raise _ReadsOtherwise(
                    "The change cannot be written there so that it reads back as meant.",
                    where=path,
                    remedy="Look at the lines around it in an editor: an open fence, an odd bullet, a doubled field.",
                )


def _with(item: MemoryItem, fields: Fields) -> dict[str, FieldValue]:
    record = {name: value for name, value in item.record().items() if name != "place"}
    for name, value in fields.items():
        if value is None or value == ():
            record.pop(name, None)
        else:
            record[name] = value
    return record


def _matches(records: list[MemoryItem], wanted: list[dict[str, FieldValue]]) -> bool:
    """Whether the records are those wanted, in any order."""
    return Counter(_comparable(record.record()) for record in records) == Counter(map(_comparable, wanted))


def _comparable(record: Record) -> frozenset[tuple[str, FieldValue]]:
    """A record's fields without its place, its text as a reader would join it."""
    fields = {name: value for name, value in record.items() if name != "place"}
    return frozenset({**fields, "text": " ".join(str(record.get("text", "")).split())}.items())
