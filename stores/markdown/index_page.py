"""index.md (§10): the sections the protocol names, and their entries, with spans for the writer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.snapshot import IndexLine, IndexView
from stores.markdown.document import Document
from stores.markdown.spans import Section

RECENT = "Recent Activity"
TOPIC_MAP = "Topic Map"
PENDING = "Pending Cleanup"
WITHDRAWN = "Withdrawn"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry (a bullet with what is indented under it): `[start, end)` is its whole lines, line ends included."""

    line: IndexLine
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndexPage:
    """index.md parsed. `sections` and `entries` are keyed by the protocol's names (RECENT, TOPIC_MAP, …)."""

    document: Document
    sections: Mapping[str, Section]
    entries: Mapping[str, tuple[Entry, ...]]
    view: IndexView


def parse_index(document: Document, *, limit: int = 200) -> IndexPage:
    """Read index.md's sections and entries; `limit` is the number of lines beyond which entries are listed."""
    raise NotImplementedError
