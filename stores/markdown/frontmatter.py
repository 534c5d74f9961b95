"""Frontmatter of a topic page (§11): found and understood, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stores.markdown.spans import Span

Value = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatesSpan:
    """Where a list of frontmatter stands. `form` is `block`, `flow` or `empty`.

    `block`: `entries` are the values' spans, `[start, end)` the entries' whole lines with line ends, `indent` what
    stands before each `-`. `flow`: `[start, end)` is the value with its brackets. `empty`: the key has no value;
    `start == end`, right behind the key's colon. `key_start` is where the key's line begins.
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
