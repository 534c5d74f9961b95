"""The strict scan: canonical records (§9) by one regular expression, several times as fast as the tolerant grammar.

It takes a record only where what follows cannot belong to it; everything else is left to `items.read_item`. Both give
the same items. This is the one loop that every record of a large root passes through: it is written for speed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from core.items import MemoryItem, Place
from core.snapshot import item_key
from core.vocabulary import CONFIDENCE_SCHEME, Confidence, Kind, Standing, Status
from stores.markdown.blocks import LineNumbers
from stores.markdown.drift import STORED, is_date
from stores.markdown.head import split_inline
from stores.markdown.spans import bytes_digest


class Patterns(NamedTuple):
    """The patterns for a file whose every line ends with the same `eol` bytes.

    `canonical` is a record in canonical form; `whole` is the same, and has also the fields that are read `LATER`.
    `loose` has its fields in any order and case, under any one indentation. Each line end has its own, because general
    line ends cost more than all the rest of a match; and none goes back on what it took, for no line is two things.
    """

    canonical: re.Pattern[bytes]
    whole: re.Pattern[bytes]
    loose: re.Pattern[bytes]
    eol: int


def _patterns(eol: bytes, length: int, rest: bytes) -> Patterns:
    """`rest` is what a line holds up to its end, no blank last."""
    value = rb"([^ \t\r\n]" + rest + rb")"
    head = (
        rb"(?:" + eol + rb")*+- \[(\d{4}-\d\d-\d\d)\] "
        rb"(?:\[(mem-\d{4}-\d\d-\d\d-\d+)\] )?+(?:\((state|knowledge)\) )?+"
        rb"([^ \t\r\n\[(]" + rest + rb")" + eol
    )
    following = rb"(?=- |\Z|#{1,6} |(?:" + eol + rb")+(?:[^ \t\r\n]|\Z))"

    def optional(name: bytes, value: bytes = value) -> bytes:
        return rb"(?:  - " + name + rb": " + value + eol + rb")?+"

    whole = (
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
        + rb")?+"
        + following
    )
    canonical = whole
    for name in (b"Scope: ", b"Confidence-Scheme: ", b"Confidence: "):
        canonical = canonical.replace(name + b"(", name + b"(?:")
    fields = rb"(?=( {2,4}|\t)- )((?:\5- [A-Za-z_-]+: [^ \t\r\n]" + rest + eol + rb")+)"
    return Patterns(re.compile(canonical), re.compile(whole), re.compile(head + fields + following), length)


_LF = _patterns(rb"\n", 1, rb"[^\n]*+(?<![ \t])")
_CRLF = _patterns(rb"\r\n", 2, rb"[^\r]*+(?<![ \t])")
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
_WIDE_STOP = "。".encode()
_STOPS = (b".", _WIDE_STOP)
_SCHEMES = (None, CONFIDENCE_SCHEME.encode())
_CONFIDENCES = frozenset((None, *(one.value.encode() for one in Confidence)))


class ItemDraft(MemoryItem):
    """A `MemoryItem` while it is made, without the `__init__` and the frozen `__setattr__` that cost most.

    It has no slots of its own: where there are others to compare, becoming a `MemoryItem` takes four times as long.
    """

    __slots__ = ()
    if TYPE_CHECKING:

        def __init__(self) -> None: ...
    else:
        __init__ = object.__init__
        __setattr__ = object.__setattr__
        __delattr__ = object.__delattr__


_DASH, _INITIAL, _COLON, _WIDE_COLON = b"-S:\xbc"
_NONE = ("merged_into", "promoted_to", "inspired_by", "marker")
_EMPTY = ("conflicts_with", "corroborating_refs", "extra")
AT_ONCE = (
    *("key", "standing", "id", "date", "kind", "kind_text", "subject", "status", "status_text", "source"),
    *("superseded_by", *_NONE, *_EMPTY),
)
"""The fields that the scan sets."""
LATER = ("text", "place", "digest", "scope", "confidence", "confidence_scheme")
"""The fields that are read when they are asked for."""
assert {*AT_ONCE, *LATER, "_unread", "_number"} == {one.name for one in fields(MemoryItem)}, "the scan sets every field"

_SHARED: dict[bytes, str] = {}
_DAYS: dict[bytes, tuple[str, bool]] = {}
_MOST_SHARED = 1 << 16


def _shared(value: bytes) -> str:
    """The text of a value that many records have; the same object each time, within reason."""
    if len(_SHARED) >= _MOST_SHARED:
        _SHARED.clear()
    return _SHARED.setdefault(value, value.decode())


def _day(value: bytes) -> tuple[str, bool]:
    """A date as written, and whether the calendar has it."""
    text = value.decode()
    if len(_DAYS) >= _MOST_SHARED:
        _DAYS.clear()
    return _DAYS.setdefault(value, (text, is_date(text)))


class Run:
    """What the scan of a file has taken so far.

    `records` are all of the file, `tolerant` those of them that the tolerant grammar read.
    `bounds` holds start and end of each record in turn, `texts` those of its fact. `unsound` are the indexes of records
    that the schema check has something to say about. `section` and `standing` are those of the records to come.
    """

    def __init__(self, data: bytes, path: str, standing: Standing = Standing.INBOX) -> None:
        self.data = data
        self.path = path
        self.standing = standing
        self.section: str | None = None
        self.records: list[MemoryItem] = []
        self.bounds = array("q")
        self.texts = array("q")
        self.tolerant: list[MemoryItem] = []
        self.unsound: list[int] = []
        self._unnamed: dict[str, int] = {}
        self._patterns: Patterns | Literal[False] | None = False
        self._numbers: LineNumbers | None = None

    @property
    def patterns(self) -> Patterns | None:
        """The patterns for the file's records, where its lines end in one way."""
        found = self._patterns
        if found is False:
            found = self._patterns = patterns_for(self.data)
        return found

    @property
    def numbers(self) -> LineNumbers:
        """The numbers of the file's lines."""
        if self._numbers is None:
            self._numbers = LineNumbers(self.data)
        return self._numbers

    def unnamed_key(self, digest: str) -> str:
        """The key of the next record without an id that has this digest."""
        occurrence = self._unnamed.get(digest, 0)
        self._unnamed[digest] = occurrence + 1
        return item_key(None, digest, self.path, occurrence, sole=False)

    def texts_at(self, start: int) -> tuple[bytes | None, ...]:
        """The texts of a record that the scan took."""
        assert self.patterns is not None
        match = self.patterns.whole.match(self.data, start)
        if match is not None:
            return match.groups()
        match = self.patterns.loose.match(self.data, start)
        found = _loose_texts(match) if match is not None else None
        assert found is not None
        return found


def said_at(run: Run, number: int) -> tuple[str | None, str | None, str | None]:
    """Subject, successor and Source of a record that the scan took, read again."""
    texts = run.texts_at(run.bounds[2 * number])
    fact, subject, successor, source = texts[3] or b"", texts[6], texts[9], texts[10]
    if _has_tail(fact):
        _, subject, source = _tail_of(fact) or _any_tail_of(fact)
    return (
        subject.decode() if subject else None,
        successor.decode() if successor else None,
        _shared(source) if source else None,
    )


class Stretch:
    """The records that the scan took one after the other: it reads of them what was left (`core.items.Unread`)."""

    __slots__ = ("_run", "_section")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._section = run.section

    def read(self, number: int, name: str) -> str | Place | None:
        """One of the fields that the scan left out."""
        run = self._run
        if name == "text":
            return run.data[run.texts[2 * number] : run.texts[2 * number + 1]].decode()
        start = run.bounds[2 * number]
        if name == "place":
            return Place(run.path, run.numbers.at(start), self._section)
        if name == "digest":
            assert run.patterns is not None
            return bytes_digest(run.data, start, run.bounds[2 * number + 1] - run.patterns.eol)
        found = run.texts_at(start)[_AT[name]]
        return _shared(found) if found else None


_AT = {"scope": 7, "confidence_scheme": 11, "confidence": 12}
"""Where the texts of a record have them."""


def take_records(run: Run, pos: int) -> int:
    """Take the records that stand from `pos` on, the start of a line; where they end."""
    data, standing = run.data, run.standing
    stored = standing in STORED
    if run.patterns is None:
        return pos
    canonical, _, loose, eol = run.patterns
    match_at = canonical.match
    new_item: Callable[[], Any] = ItemDraft
    stretch = Stretch(run)
    add, bound, text = run.records.append, run.bounds.append, run.texts.append
    days, shared = _DAYS.get, _SHARED.get
    number = len(run.records)
    while True:
        match = match_at(data, pos)
        if match is not None:
            texts = match.groups()
        else:
            match = loose.match(data, pos)
            if match is None or (found := _loose_texts(match)) is None:
                return pos
            texts = (*found[:7], *found[8:11])
        day, head_id, head_kind, fact, id, kind, subject, status, successor, source = texts
        start, pos_after = pos if data[pos] == _DASH else match.start(1) - 3, match.end()
        # `_has_tail(fact)`, without the call
        if _INITIAL in fact and (_COLON in fact or _WIDE_COLON in fact) and (b"Source" in fact or b"Subject" in fact):
            if pos_after - match.end(4) > 2:
                return pos
            fact, subject, source = _tail_of(fact) or _any_tail_of(fact)
        elif (head_id and id and head_id != id) or (head_kind and kind and head_kind != kind):
            return pos
        kind = kind or head_kind
        id = id or head_id
        draft = new_item()
        draft._unread = stretch
        draft._number = number
        if id:
            draft.id = draft.key = id.decode()
        else:
            draft.id = None
            draft.key = run.unnamed_key(bytes_digest(data, start, pos_after - eol))
        draft.standing = standing
        draft.date, is_day = days(day) or _day(day)
        draft.kind, draft.kind_text = _KINDS[kind]
        draft.subject = subject.decode() if subject else None
        draft.status, draft.status_text = _STATUSES[status]
        draft.superseded_by = successor.decode() if successor else None
        draft.source = (shared(source) or _shared(source)) if source else None
        draft.merged_into = draft.promoted_to = draft.inspired_by = draft.marker = None
        draft.conflicts_with = draft.corroborating_refs = draft.extra = ()
        draft.__class__ = MemoryItem
        if not (id and source and (status or not stored) and (subject or kind == b"knowledge") and kind and is_day):
            run.unsound.append(number)
        add(draft)
        bound(start)
        bound(pos_after)
        text(told := match.start(4))
        text(told + len(fact))
        pos = pos_after
        number += 1


def _has_tail(fact: bytes) -> bool:
    """Whether Subject or Source may stand behind the fact, on its line. Most have not even the bytes that it takes."""
    return _INITIAL in fact and (_COLON in fact or _WIDE_COLON in fact) and (b"Source" in fact or b"Subject" in fact)


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
    if at < 1 or fact.count(b"Source") > 1:
        return None
    front, source = fact[:at], fact[at + 9 :]
    subject = None
    found = fact.find(b"Subject")
    if found >= 0:
        if found > at:
            return None
        subject = front[found + 9 :].removesuffix(b".")
        key = subject.isascii() and not subject.endswith(b".") and b" " not in subject and b"\t" not in subject
        if not (subject and key) or front[found - 1 : found + 9] != b" Subject: " or b"Subject" in subject:
            return None
        front = front[: found - 1]
    front = front.rstrip(b" \t")
    if not front:
        return None
    if source.endswith(_STOPS):
        source = source[: -1 if source.endswith(b".") else -len(_WIDE_STOP)]
    return front, subject, source.strip(b" \t") or None


def _any_tail_of(fact: bytes) -> tuple[bytes, bytes | None, bytes | None]:
    """The same by the tolerant grammar."""
    end, tail = split_inline(fact, 0, len(fact))
    values = {span.name: fact[span.value_start : span.value_end] or None for span in tail}
    return fact[:end], values.get("subject"), values.get("Source")
