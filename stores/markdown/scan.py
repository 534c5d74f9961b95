"""The strict scan: canonical records (§9) by one regular expression, several times as fast as the tolerant grammar.

It takes a record only where what follows cannot belong to it; everything else is left to `items.read_item`. Both give
the same items. This is the one loop that every record of a large root passes through: it is written for speed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any, NamedTuple

from core.items import MemoryItem, Place
from core.snapshot import item_key
from core.vocabulary import CONFIDENCE_SCHEME, Confidence, Kind, Standing, Status
from stores.markdown.drift import STORED, is_date
from stores.markdown.head import split_inline


class Patterns(NamedTuple):
    """The patterns for a file whose every line ends with the same `eol` bytes.

    `canonical` is a record in canonical form. `loose` has its fields in any order and case, under any one indentation.
    Each line end has its own, because general line ends cost more than all the rest of a match.
    """

    canonical: re.Pattern[bytes]
    loose: re.Pattern[bytes]
    eol: int


def _patterns(eol: bytes, length: int, rest: bytes) -> Patterns:
    """`rest` is what a line holds up to its end, no blank last."""
    value = rb"([^ \t\r\n]" + rest + rb")"
    head = (
        rb"(?:" + eol + rb")*- \[(\d{4}-\d\d-\d\d)\] (?:\[(mem-\d{4}-\d\d-\d\d-\d+)\] )?(?:\((state|knowledge)\) )?"
        rb"([^ \t\r\n\[(]" + rest + rb")" + eol
    )
    following = rb"(?=\Z|- |#{1,6} |(?:" + eol + rb")+(?:[^ \t\r\n]|\Z))"

    def optional(name: bytes, value: bytes = value) -> bytes:
        return rb"(?:  - " + name + rb": " + value + eol + rb")?"

    canonical = (
        head
        + optional(b"id")
        + optional(b"kind", rb"(state|knowledge)")
        + optional(b"subject")
        + optional(b"Scope")
        + optional(b"Status", rb"(" + "|".join(Status).encode() + rb")")
        + optional(b"superseded_by")
        + optional(b"Source")
        + rb"(?:  - Confidence-Scheme: (epistemic-status-v1)"
        + eol
        + rb"  - Confidence: (confirmed|observed-once|inferred|unknown)"
        + eol
        + rb")?"
        + following
    )
    fields = rb"(?=( {2,4}|\t)- )((?:\5- [A-Za-z_-]+: [^ \t\r\n]" + rest + eol + rb")+)"
    return Patterns(re.compile(canonical), re.compile(head + fields + following), length)


_LF = _patterns(rb"\n", 1, rb"[^\n]*(?<![ \t])")
_CRLF = _patterns(rb"\r\n", 2, rb"[^\r]*(?<![ \t])")
_PAIR = re.compile(rb"(?:\A|(?<=\n))[ \t]+- ([A-Za-z_-]+): ([^\r\n]+)")
_LOOSE_NAMES = (
    *(b"id", b"kind", b"subject", b"scope", b"status", b"superseded_by", b"source", b"confidence-scheme"),
    b"confidence",
)


def patterns_for(data: bytes) -> Patterns | None:
    """The patterns for a file's records; None where its lines end in more than one way."""
    if b"\r" not in data:
        return _LF
    ends = data.count(b"\r\n")
    return _CRLF if ends == data.count(b"\r") == data.count(b"\n") else None


_KINDS: dict[bytes | None, tuple[Kind | None, str | None]] = {one.value.encode(): (one, one.value) for one in Kind}
_KINDS[None] = (None, None)
_STATUSES: dict[bytes | None, tuple[Status, str | None]] = {one.value.encode(): (one, one.value) for one in Status}
_STATUSES[None] = (Status.ACTIVE, None)
_STOPS = (b".", "。".encode())
_SCHEMES = (None, CONFIDENCE_SCHEME.encode())
_CONFIDENCES = frozenset((None, *(one.value.encode() for one in Confidence)))


class _Draft:
    """A `MemoryItem` while it is filled: the same slots, without the frozen `__setattr__` that costs most."""

    __slots__ = MemoryItem.__slots__


class _PlaceDraft:
    """The same for a `Place`."""

    __slots__ = Place.__slots__


_COLON, _WIDE_COLON = 0x3A, 0xBC
_LATER_FIELDS = tuple(
    (one.name, one.default)
    for one in fields(MemoryItem)
    if one.name
    not in (
        *(
            "key",
            "text",
            "place",
            "standing",
            "digest",
            "id",
            "date",
            "kind",
            "kind_text",
            "subject",
            "scope",
            "status",
        ),
        *("status_text", "superseded_by", "merged_into", "conflicts_with", "promoted_to", "inspired_by"),
        *("corroborating_refs", "source", "confidence", "confidence_scheme", "marker", "extra"),
    )
)
"""Fields that `MemoryItem` has beyond those that the loop sets by name, with their defaults."""


_GROUPS = _LF.canonical.groups


@dataclass(slots=True)
class Run:
    """What the scan of a file has taken so far. `bounds` holds start and end of each record in turn.

    `unsound` are the indexes of records that the schema check has something to say about.
    """

    data: bytes
    path: str
    patterns: Patterns | None
    section: str | None = None
    standing: Standing = Standing.INBOX
    records: list[MemoryItem] = field(default_factory=list)
    bounds: array[int] = field(default_factory=lambda: array("q"))
    unsound: list[int] = field(default_factory=list)
    unnamed: dict[str, int] = field(default_factory=dict)

    def unnamed_key(self, digest: str) -> str:
        """The key of the next record without an id that has this digest."""
        occurrence = self.unnamed.get(digest, 0)
        self.unnamed[digest] = occurrence + 1
        return item_key(None, digest, self.path, occurrence, sole=False)


def take_records(run: Run, pos: int, line: int) -> tuple[int, int]:
    """Take the records that stand from `pos` on, the start of line number `line`; where they end, and that line."""
    data, path, section, standing = run.data, run.path, run.section, run.standing
    stored = standing in STORED
    if run.patterns is None:
        return pos, line
    canonical, loose, eol = run.patterns
    match_at = canonical.match
    new_item: Callable[[], Any] = _Draft
    new_place: Callable[[], Any] = _PlaceDraft
    add, bound = run.records.append, run.bounds.append
    while True:
        match = match_at(data, pos)
        if match is not None:
            texts = match.groups()
        else:
            match = loose.match(data, pos)
            if match is None or (found := _loose_texts(match)) is None:
                return pos, line
            texts = found
        (day, head_id, head_kind, fact, id, kind, subject, scope, status, successor, source, scheme, confidence) = texts
        lines = _GROUPS - texts.count(None) - (1 if head_id is None else 2) - (head_kind is not None)
        start, end = match.start(1) - 3, match.end()
        if (_COLON in fact or _WIDE_COLON in fact) and (b"Source" in fact or b"Subject" in fact):
            if end - match.end(4) > 2:
                return pos, line
            fact, subject, source = _tail_of(fact) or _any_tail_of(fact)
        elif (head_id and id and head_id != id) or (head_kind and kind and head_kind != kind):
            return pos, line
        if start != pos:
            line += data.count(b"\n", pos, start)
        kind = kind or head_kind
        id = id or head_id
        digest = sha256(data[start : end - eol]).hexdigest()[:16]
        date = day.decode()
        draft = new_item()
        draft.id = named = id.decode() if id else None
        draft.key = named or run.unnamed_key(digest)
        draft.text = fact.decode()
        draft.place = place = new_place()
        place.file = path
        place.line = line
        place.section = section
        place.__class__ = Place
        draft.standing = standing
        draft.digest = digest
        draft.date = date
        draft.kind, draft.kind_text = _KINDS[kind]
        draft.subject = subject.decode() if subject else None
        draft.scope = scope.decode() if scope else None
        draft.status, draft.status_text = _STATUSES[status]
        draft.superseded_by = successor.decode() if successor else None
        draft.source = source.decode() if source else None
        draft.confidence = confidence.decode() if confidence else None
        draft.confidence_scheme = scheme.decode() if scheme else None
        draft.merged_into = draft.promoted_to = draft.inspired_by = draft.marker = None
        draft.conflicts_with = draft.corroborating_refs = draft.extra = ()
        for name, default in _LATER_FIELDS:
            setattr(draft, name, default)
        draft.__class__ = MemoryItem
        if not (
            id and source and (status or not stored) and (subject or kind == b"knowledge") and kind and is_date(date)
        ):
            run.unsound.append(len(run.records))
        add(draft)
        bound(start)
        bound(end)
        line += lines
        pos = end


def _loose_texts(match: re.Match[bytes]) -> tuple[Any, ...] | None:
    """The texts of a loose record in canonical order; None where the tolerant grammar has to judge a field."""
    values: dict[bytes, bytes] = {}
    for name, value in _PAIR.findall(match[6]):
        known = name.lower()
        if known in values or known not in _LOOSE_NAMES:
            return None
        values[known] = value
    get = values.get
    if get(b"kind") not in _KINDS or get(b"status") not in _STATUSES:
        return None
    if get(b"confidence-scheme") not in _SCHEMES or get(b"confidence") not in _CONFIDENCES:
        return None
    if (b"confidence" in values) != (b"confidence-scheme" in values):
        return None
    return (*match.groups()[:4], *(get(name) for name in _LOOSE_NAMES))


def _tail_of(fact: bytes) -> tuple[bytes, bytes | None, bytes | None] | None:
    """Fact, Subject and Source of a one-liner as §9 writes it; None where `split_inline` has to look closer."""
    at = fact.find(b" Source: ")
    if at < 1 or fact.find(b"Source", at + 9) >= 0 or fact.find(b"Source", 0, at) >= 0:
        return None
    front, source = fact[:at], fact[at + 9 :]
    subject = None
    found = front.find(b"Subject")
    if found >= 0:
        subject = front[found + 9 :].removesuffix(b".")
        key = subject.isascii() and not subject.endswith(b".") and b" " not in subject and b"\t" not in subject
        if not (subject and key) or front[found - 1 : found + 9] != b" Subject: " or b"Subject" in subject:
            return None
        front = front[: found - 1]
    front = front.rstrip(b" \t")
    if not front or b"Subject" in source:
        return None
    for stop in _STOPS:
        if source.endswith(stop):
            source = source[: -len(stop)]
            break
    return front, subject, source.strip(b" \t") or None


def _any_tail_of(fact: bytes) -> tuple[bytes, bytes | None, bytes | None]:
    """The same by the tolerant grammar."""
    end, tail = split_inline(fact, 0, len(fact))
    values = {span.name: fact[span.value_start : span.value_end] or None for span in tail}
    return fact[:end], values.get("subject"), values.get("Source")
