"""Frontmatter of a topic page (§11): found and understood, never rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.findings import Finding
from core.vocabulary import Severity
from stores.markdown.damage import line_of
from stores.markdown.spans import Span
from stores.markdown.yaml_read import Node, YamlError, read_yaml

Value = str | tuple[str, ...]

_OPEN = re.compile(rb"---[ \t]*(?:\r\n?|\n)")
_CLOSE = re.compile(rb"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")
_KEY = re.compile(rb"[\"']?[^\s:#\-\[\]{}>|*&!%@`,\"'][^:\r\n]{0,60}:(?:[ \t]|\r|\n|\Z)")
_KNOWN = re.compile(rb"(?:\A|(?<=[\r\n]))(?:title|layer|triggers|last_updated|source_dates)[ \t]*:")
_TOP_LINE = re.compile(rb"(?:\A|(?<=[\r\n]))[^\s#\-\]}][^\r\n]*")
_END_OF_LINE = re.compile(rb"\r\n?|\n")
_BLANK_LINES = re.compile(rb"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class DatesSpan:
    """Where a list of frontmatter stands. `form` is `block`, `flow`, `empty` or `scalar`.

    `block`: `entries` are the values' spans, `[start, end)` the entries' whole lines with line ends, `indent` what
    stands before each `-`. `flow`: `[start, end)` is the value with its brackets. `empty`: the key has no value;
    `start == end`, right behind the key's colon. `scalar`: one bare value at `[start, end)` where a list is meant.
    `key_start` is where the key's line begins.
    """

    form: str
    key_start: int
    start: int
    end: int
    entries: tuple[Span, ...] = ()
    indent: bytes = b"  "


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A frontmatter block. `[start, end)` runs from the opening to behind the closing `---` line.

    `[inner_start, inner_end)` is what stands between those lines. `values` are text as written (lists as tuples);
    it is empty where `error` says (1-based line of the file, 1-based column, why) that the block does not parse.
    `last_updated` is the span of that scalar (quotes included), `source_dates` that of the list; None where absent.
    """

    start: int
    end: int
    inner_start: int
    inner_end: int
    values: Mapping[str, Value] = field(default_factory=dict)
    last_updated: Span | None = None
    source_dates: DatesSpan | None = None
    error: tuple[int, int, str] | None = None


def find_frontmatter(data: bytes, start: int) -> Frontmatter | None:
    """The frontmatter that begins at `start` (behind a byte order mark), None where none does.

    A horizontal rule with prose below it is none: every unindented line must look like a key, or one be a key of §11.
    A block that opens like §11's but is never closed is an error of its own, and ends where it opens.
    """
    opening = _OPEN.match(data, start)
    if opening is None:
        return None
    inner = opening.end()
    closing = _CLOSE.search(data, inner)
    if closing is None:
        if not _KNOWN.match(data, inner):
            return None
        return Frontmatter(start, start, inner, inner, error=(line_of(data, start), 1, "it is never closed"))
    body = data[inner : closing.start()]
    if body.strip() and not _looks_like_keys(body):
        return None
    return _understood(data, body, (start, closing.end(), inner, closing.start()))


def second_frontmatter(path: str, data: bytes, first: Frontmatter) -> tuple[int, Finding | None]:
    """Where the body begins behind `first`, and the finding where a second block stands right below it."""
    start = first.end
    if first.error is not None and first.start == first.end:
        return start, None
    blanks = _BLANK_LINES.match(data, start)
    at = blanks.end() if blanks else start
    second = find_frontmatter(data, at)
    if second is None or second.start == second.end or second.inner_start == second.inner_end:
        return start, None
    return second.end, Finding(
        "second-frontmatter",
        Severity.WARNING,
        "A second frontmatter block stands below the first; only the first one counts.",
        file=path,
        line=line_of(data, at),
        remedy="Bring the two blocks together by hand.",
    )


def frontmatter_finding(path: str, frontmatter: Frontmatter) -> Finding | None:
    """The finding for frontmatter that does not parse."""
    if frontmatter.error is None:
        return None
    line, column, reason = frontmatter.error
    return Finding(
        "frontmatter-broken",
        Severity.ERROR,
        f"The frontmatter does not parse: line {line}, column {column}: {reason}.",
        file=path,
        line=line,
        remedy="Repair it in an editor; until then the file is not written to.",
    )


def _looks_like_keys(body: bytes) -> bool:
    if _KNOWN.search(body):
        return True
    lines = _TOP_LINE.findall(body)
    return bool(lines) and all(_KEY.match(line) for line in lines)


def _understood(data: bytes, raw: bytes, block: tuple[int, int, int, int]) -> Frontmatter:
    """The frontmatter whose text is `raw`; `block` are its places: `start`, `end`, `inner_start`, `inner_end`."""
    inner, inner_end = block[2:]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Frontmatter(*block, error=_place(data, inner + error.start, "bytes that are no UTF-8"))
    try:
        root = read_yaml(text) if text.strip() else Node({}, 0, 0)
    except YamlError as error:
        return Frontmatter(*block, error=_place(data, inner + _offset(text, error.index), error.reason))
    if not isinstance(root.value, dict):
        return Frontmatter(*block, error=_place(data, inner, "it is no mapping of keys to values"))

    def span(node: Node) -> Span:
        return inner + _offset(text, node.start), inner + _offset(text, node.end)

    updated = root.get("last_updated")
    dates = root.get("source_dates")
    return Frontmatter(
        *block,
        values={name: _value(text, node) for name, node in root.value.items()},
        last_updated=span(updated) if updated is not None and isinstance(updated.value, str) else None,
        source_dates=_dates(data, inner, inner_end, dates, span) if dates is not None else None,
    )


def _offset(text: str, index: int) -> int:
    """The offset in bytes of a character of `text`."""
    return len(text[:index].encode("utf-8"))


def _place(data: bytes, offset: int, reason: str) -> tuple[int, int, str]:
    """1-based line and column (in characters) of an offset, and the reason."""
    begin = max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1
    return line_of(data, offset), len(data[begin:offset].decode("utf-8", "replace")) + 1, reason


def _value(text: str, node: Node) -> Value:
    """A scalar as text, a list as a tuple; what is nested deeper stays as it is written."""
    if isinstance(node.value, str):
        return node.value
    if isinstance(node.value, list):
        return tuple(
            entry.value if isinstance(entry.value, str) else text[entry.start : entry.end].strip()
            for entry in node.value
        )
    return text[node.start : node.end].strip()


def _dates(data: bytes, inner: int, inner_end: int, node: Node, span: Callable[[Node], Span]) -> DatesSpan | None:
    start, end = span(node)
    key_start = data.rfind(b"source_dates", inner, max(start, inner + 1))
    if key_start < 0:
        return None
    line_start = max(data.rfind(b"\n", 0, key_start), data.rfind(b"\r", 0, key_start)) + 1
    if isinstance(node.value, list):
        entries = tuple(span(entry) for entry in node.value)
        if node.flow:
            return DatesSpan("flow", line_start, start, end, entries)
        first = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
        last = entries[-1][1]
        stop = _END_OF_LINE.search(data, last, inner_end)
        indent = data[first : data.index(b"-", first)]
        return DatesSpan("block", line_start, first, stop.end() if stop else inner_end, entries, indent)
    if node.value == "" and start == end:
        colon = data.index(b":", key_start) + 1
        return DatesSpan("empty", line_start, colon, colon)
    return DatesSpan("scalar", line_start, start, end, ((start, end),))
