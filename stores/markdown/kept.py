"""A part as bytes to be kept, and back: what reading a file gave, and what was worked out about its records.

The file's own bytes are not kept, and no item's text is: both are read from the file, which has to be the same.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from itertools import groupby, repeat
from operator import attrgetter
from sys import intern
from types import MappingProxyType
from typing import Any

from core.findings import Finding
from core.items import MemoryItem
from core.snapshot import FileState, Topic
from core.sources import SourceRef
from core.vocabulary import Kind, Severity, Standing, Status
from stores.markdown.archive import StoredDay
from stores.markdown.document import Document, parse_document
from stores.markdown.layout import STANDINGS, Role
from stores.markdown.parts import Leaf, Part
from stores.markdown.scan import AT_ONCE, LATER, ItemDraft, Run, Stretch, said_at

_PRINT = re.compile(r"[0-9a-f]{16}|mem-\d{4}-\d\d-\d\d-\d{3,}")
PAGES = frozenset(STANDINGS) - {Role.INDEX, Role.HELD}
"""The roles of files whose parts are kept, besides the archive. What the index says depends on the other files; what is
held is excluded, and not to be copied elsewhere (§12.2)."""


def dump(path: str, part: Part, answers: Mapping[str, Any], withheld: frozenset[str] | None = None) -> bytes | None:
    """The part of the file `path` with `answers` about its records; None for a part that is not kept.

    `withheld` are the keys of records of which nothing is kept but where they stand; of an archive day, nothing is kept
    where it is given.
    """
    kept: dict[str, Any]
    if part.role is Role.ARCHIVE and isinstance(part.day, StoredDay):
        if withheld is not None:
            return None
        kept = _records(part.day.records, part.day.run)
        kept["prints"] = sorted(part.day.copy_prints)
        kept["anchors"] = [[name, *lines] for name, lines in part.day.anchors.items()]
    elif part.role in PAGES and part.leaf is not None:
        run = part.leaf.document.items.run
        left = [number for number, item in enumerate(part.leaf.records) if item.key in withheld] if withheld else []
        if left and not _may_be_left(part, run, left):
            return None
        kept = _records(part.leaf.records, run, frozenset(left))
        kept["topic"] = astuple(part.topic) if part.topic is not None else None
        kept["answers"] = _encoded(answers, part.leaf.records, silent=bool(left))
    else:
        return None
    kept["findings"] = [astuple(one) for one in part.findings]
    kept["ids"] = sorted(part.ids.difference(kept["columns"][_ID][0]) if kept["columns"] else part.ids)
    kept |= {"role": part.role, "size": part.state.size, "unwritable": part.state.unwritable}
    return json.dumps(kept, separators=(",", ":")).encode()


def load(path: str, role: Role, data: bytes, digest: str, record: bytes) -> Part:
    """The part that `dump` made `record` of. `data` are the bytes of the file, which have to be those of then.

    Raises `ValueError` where the file had another role then: a page may have become a leftover.
    """
    kept = json.loads(record)
    if kept["role"] != role:
        raise ValueError("it was kept of a file of another role")
    state = FileState(digest, kept["size"], kept["unwritable"])
    parse = _Parse(path, data, STANDINGS.get(role, Standing.INBOX))
    run = Run(data, path)
    records = tuple(_read(run, kept, parse))
    ids = frozenset((*kept["ids"], *(item.id for item in records if item.id is not None)))
    findings = tuple(map(_found, kept["findings"]))
    if role is Role.ARCHIVE:
        anchors = MappingProxyType({name: (first, last) for name, first, last in kept["anchors"]})
        day = StoredDay.of(path, data, anchors, records, run, frozenset(kept["prints"]))
        return Part(role, state, findings, ids, day=day)
    topic = Topic(*_tuples(kept["topic"])) if kept["topic"] else None
    leaf = Leaf(records, findings, parse)
    return Part(role, state, findings, ids, leaf=leaf, kept=_answers(kept["answers"], records), topic=topic)


class _Parse:
    """Parses a page once, when its document is asked for; reads what the scan could not take (`Unread`)."""

    def __init__(self, path: str, data: bytes, standing: Standing) -> None:
        self._parsed: Callable[[], Document] = partial(parse_document, path, data, standing)
        self._document: Document | None = None

    def __call__(self) -> Document:
        if self._document is None:
            self._document = self._parsed()
        return self._document

    def read(self, number: int, name: str) -> Any:
        """A field that was left out of record `number`."""
        if name not in LATER:
            raise LookupError(name)
        return getattr(self().records[number], name)


# Records: a column a field, each value once.


_ID = AT_ONCE.index("id")


_LEFT = ("subject", "superseded_by", "source")
"""What the scan finds anew in a record that is withheld."""


_said = attrgetter(*_LEFT)


def _may_be_left(part: Part, run: Run, numbers: Sequence[int]) -> bool:
    """Whether what these records say can be left out, and found anew."""
    assert part.leaf is not None
    items = [part.leaf.records[number] for number in numbers]
    return all(
        isinstance(item._unread, Stretch) and said_at(run, number) == _said(item)
        for number, item in zip(numbers, items, strict=True)
    )


def _records(records: Sequence[MemoryItem], run: Run, left: frozenset[int] = frozenset()) -> dict[str, Any]:
    def values(name: str) -> list[object]:
        if left and name in _LEFT:
            return [None if number in left else getattr(item, name) for number, item in enumerate(records)]
        return [getattr(item, name) for item in records]

    return {
        "columns": [_column(values(name)) for name in AT_ONCE] if records else [],
        "left": sorted(left),
        "count": len(records),
        "sections": _column([item.place.section for item in records]),
        "read whole": [number for number, item in enumerate(records) if not isinstance(item._unread, Stretch)],
        "bounds": run.bounds.tolist(),
        "texts": run.texts.tolist(),
    }


def _column(values: Sequence[object]) -> list[object]:
    """The values, each once, and which of them each record has; the latter is left out where it says nothing."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1 or len(distinct) == len(values):
        return [distinct]
    places = {value: number for number, value in enumerate(distinct)}
    return [distinct, [places[value] for value in values]]


def _values(column: Sequence[Sequence[Any]], count: int, meant: Callable[[Any], Any] | None = None) -> Iterable[Any]:
    distinct = column[0]
    if meant is not None:
        distinct = [None if value is None else meant(value) for value in distinct]
    if len(column) > 1:
        return map(distinct.__getitem__, column[1])
    return repeat(distinct[0], count) if len(distinct) == 1 else distinct


def _tuples(value: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_tuples(one) if isinstance(one, list) else one for one in value)


_MEANT: dict[str, Callable[[Any], Any]] = {
    "standing": Standing,
    "kind": Kind,
    "status": Status,
    "conflicts_with": _tuples,
    "corroborating_refs": _tuples,
    "extra": _tuples,
    "source": intern,
    "date": intern,
}


def _read(run: Run, kept: Mapping[str, Any], parse: _Parse) -> Iterator[MemoryItem]:
    count: int = kept["count"]
    if not count:
        return
    run.bounds, run.texts = array("q", kept["bounds"]), array("q", kept["texts"])
    columns = [_values(column, count, _MEANT.get(name)) for name, column in zip(AT_ONCE, kept["columns"], strict=True)]
    whole, left = frozenset(kept["read whole"]), frozenset(kept["left"])
    number = 0
    rows = zip(*columns, strict=True)
    for section, those in groupby(_values(kept["sections"], count)):
        run.section = section
        stretch = Stretch(run)
        for _ in those:
            draft: Any = ItemDraft()
            draft._unread = parse if number in whole else stretch
            draft._number = number
            row = next(rows)
            draft.key, draft.standing, draft.id, draft.date, draft.kind, draft.kind_text = row[:6]
            draft.subject, draft.status, draft.status_text, draft.source, draft.superseded_by = row[6:11]
            draft.merged_into, draft.promoted_to, draft.inspired_by, draft.marker = row[11:15]
            draft.conflicts_with, draft.corroborating_refs, draft.extra = row[15:]
            if number in left:
                draft.subject, draft.superseded_by, draft.source = said_at(run, number)
            draft.__class__ = MemoryItem
            yield draft
            number += 1


# Answers: items by their number on the page.


def _answers(encoded: Mapping[str, Any], records: tuple[MemoryItem, ...]) -> dict[str, Callable[[], Any]]:
    """Answers as they were kept, each made anew when it is asked for."""
    return {name: partial(_decoded, answer, records) for name, answer in encoded.items()}


class _NotKeptError(Exception):
    """An answer that holds something else than what is kept."""


def _encoded(answers: Mapping[str, Any], records: tuple[MemoryItem, ...], *, silent: bool) -> dict[str, Any]:
    """The answers that can be kept; where `silent`, those that say nothing: no texts but prints."""
    numbers = {id(item): number for number, item in enumerate(records)}
    kept = {}
    for name, answer in answers.items():
        if not name.startswith("core."):
            continue  # by whose rules it was given is no part of what the cache knows of its maker
        try:
            encoded = _encode(answer, numbers)
            if not silent or _says_nothing(encoded):
                kept[name] = encoded
        except _NotKeptError:
            continue
    return kept


def _encode(value: object, numbers: Mapping[int, int]) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [_encode(one, numbers) for one in value]
    if isinstance(value, MemoryItem) and id(value) in numbers:
        return numbers[id(value)]
    if isinstance(value, Finding):
        return {"finding": astuple(value)}
    if isinstance(value, SourceRef):
        return {"ref": astuple(value)}
    raise _NotKeptError


def _says_nothing(encoded: Any) -> bool:
    if isinstance(encoded, list):
        return all(map(_says_nothing, encoded))
    return encoded is None or isinstance(encoded, int) or (isinstance(encoded, str) and bool(_PRINT.fullmatch(encoded)))


def _decoded(value: Any, records: tuple[MemoryItem, ...]) -> Any:
    if isinstance(value, int):
        return records[value]
    if isinstance(value, list):
        kinds = set(map(type, value))
        if kinds <= {str}:
            return tuple(value)
        return tuple(map(records.__getitem__, value) if kinds == {int} else [_decoded(one, records) for one in value])
    if isinstance(value, dict):
        return _found(value["finding"]) if "finding" in value else SourceRef(*value["ref"])
    return value


def _found(kept: Sequence[Any]) -> Finding:
    code, severity, *rest = kept
    return Finding(code, Severity(severity), *rest)
