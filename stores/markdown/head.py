"""The head line of a memory item (§9): date, id, kind, legacy marker, the fact, and `Subject:`/`Source:` behind it."""

from __future__ import annotations

import re
from typing import NamedTuple

from stores.markdown.blocks import DATED
from stores.markdown.spans import FieldSpan, Span

MARKERS = ("[待清理]", "[待确认]")
"""Legacy prose markers (§10), at the head of a fact only."""

_ID = re.compile(rb"[ \t]*\[([A-Za-z0-9_][A-Za-z0-9_.:-]{0,79})\](?!\((?!state\)|knowledge\)))")
_DATE = re.compile(rb"\d{4}-\d\d-\d\d")
_KIND = re.compile(rb"[ \t]*\((state|knowledge|[A-Za-z][A-Za-z_-]{0,31}(?=\)(?:[ \t]|\Z)))\)")
_MARKER = re.compile(rb"[ \t]*(" + b"|".join(re.escape(marker.encode()) for marker in MARKERS) + rb")")
_TAG = re.compile(rb"(Subject|Source)(?::|\xef\xbc\x9a)[ \t\r\n]*")
_BEFORE_TAG = re.compile(
    rb"(?:\A|[ \t\r\n]|\.|!|\?|;|,|\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f|\xef\xbc\x9b|\xef\xbc\x8c)\Z"
)
_SENTENCE_END = re.compile(rb"(?:\A|[.!?;)`\"]|\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f|\xef\xbc\x9b|\xef\xbc\x89)\Z")
_BREAK = re.compile(rb"[.!?][ \t\r\n]|\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f")
_STOPS = (b".", "。".encode())
_BLANKS = b" \t\r\n"


class Head(NamedTuple):
    """A head line parsed: where the fact begins, its bullet, and the fields in front of the fact."""

    bullet: bytes
    text_start: int
    fields: tuple[FieldSpan, ...]


def parse_head(data: bytes, start: int, end: int) -> Head | None:
    """The head of an item in the line `[start, end)`, None where the line is none."""
    head = DATED.match(data, start, end)
    if head is None:
        return None
    fields = [FieldSpan("date", head.start(2) - 1, head.end(2) + 1, *head.span(2), inline=True)]
    pos = head.end()
    seen: set[str] = set()
    for name, pattern in (("marker", _MARKER), ("id", _ID), ("marker", _MARKER), ("kind", _KIND), ("marker", _MARKER)):
        match = pattern.match(data, pos, end)
        if match is None or name in seen or (name == "id" and not _is_id(match[1])):
            continue
        seen.add(name)
        outer = match.span(1) if name == "marker" else (match.start(1) - 1, match.end())
        fields.append(FieldSpan(name, *outer, *match.span(1), inline=True))
        pos = match.end()
    while pos < end and data[pos] in b" \t":
        pos += 1
    return Head(head[1], pos, tuple(fields))


def _is_id(token: bytes) -> bool:
    return b"-" in token and any(48 <= byte <= 57 for byte in token) and not _DATE.fullmatch(token)


def split_inline(data: bytes, start: int, end: int) -> tuple[int, tuple[FieldSpan, ...]]:
    """Where the fact in `[start, end)` ends, and the `Subject:`/`Source:` that stand behind it, in order.

    The last Source and the last Subject count, so that a fact may speak of either word. A Subject is a key: it is
    taken where it begins behind a sentence, or has no blank in it, never where prose follows it.
    """
    region = data[start:end]
    if b"Source" not in region and b"Subject" not in region:
        return end, ()
    tags = [tag for tag in _TAG.finditer(region) if _BEFORE_TAG.search(region[max(0, tag.start() - 3) : tag.start()])]
    source = next((tag for tag in reversed(tags) if tag[1] == b"Source"), None)
    subject = next((tag for tag in reversed(tags) if tag[1] == b"Subject"), None)
    if source and subject and subject.start() > source.start():
        if _opens(region, subject) and _is_key(region, subject, len(region), behind_sentence=True):
            chain = [source, subject]
        else:
            chain = [source]
            subject = next((t for t in reversed(tags) if t[1] == b"Subject" and t.start() < source.start()), None)
            if subject is not None and _takes(region, subject, source.start()):
                chain.insert(0, subject)
    else:
        chain = [source] if source else []
        if subject is not None and _takes(region, subject, source.start() if source else len(region)):
            chain.insert(0, subject)
    if not chain:
        return end, ()
    starts = [*(_blanks_before(region, tag.start()) for tag in chain), len(region)]
    fields = []
    for tag, lead, stop in zip(chain, starts, starts[1:], strict=False):
        value = _without_stop(region, tag.end(), stop)
        name = "Source" if tag[1] == b"Source" else "subject"
        fields.append(FieldSpan(name, start + lead, start + stop, start + value[0], start + value[1], inline=True))
    return start + starts[0], tuple(fields)


def _takes(region: bytes, tag: re.Match[bytes], stop: int) -> bool:
    return _is_key(region, tag, stop, behind_sentence=_opens(region, tag))


def _opens(region: bytes, tag: re.Match[bytes]) -> bool:
    """Whether a sentence ends in front of the tag."""
    before = region[: tag.start()].rstrip(_BLANKS)
    return _SENTENCE_END.search(before[-3:] if len(before) > 3 else before) is not None


def _is_key(region: bytes, tag: re.Match[bytes], stop: int, *, behind_sentence: bool) -> bool:
    first, last = _without_stop(region, tag.end(), stop)
    value = region[first:last]
    if behind_sentence:
        return _BREAK.search(value) is None
    return bool(value) and not any(byte in _BLANKS for byte in value)


def _blanks_before(region: bytes, pos: int) -> int:
    while pos > 0 and region[pos - 1] in _BLANKS:
        pos -= 1
    return pos


def _without_stop(region: bytes, start: int, stop: int) -> Span:
    """The value in `[start, stop)` without blanks around it and without the full stop that ends it."""
    stop = max(start, _blanks_before(region, stop))
    for mark in _STOPS:
        if region.endswith(mark, start, stop):
            stop -= len(mark)
            break
    while start < stop and region[start] in _BLANKS:
        start += 1
    return start, max(start, _blanks_before(region, stop))
