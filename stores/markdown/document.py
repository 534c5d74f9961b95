"""One Markdown file, losslessly: its bytes, and where in them sections, items and frontmatter stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.findings import Finding
from core.items import MemoryItem
from core.vocabulary import Standing
from stores.markdown.frontmatter import Frontmatter
from stores.markdown.spans import FieldSpan, ItemSpan, Line, Section

__all__ = ["Document", "FieldSpan", "ItemSpan", "Line", "Section", "parse_document", "render", "split_lines"]


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file.

    `items` are in the order of the bytes (spans made on demand); `records` are the same items without spans.
    `unwritable` says why the file must not be written ('' where it may). `eol` is the line end that most lines have.
    `open_fence` is the offset of the line that opens a fence or comment that is never closed, None where all are.
    """

    path: str
    data: bytes
    standing: Standing
    sections: tuple[Section, ...]
    items: Sequence[ItemSpan]
    records: tuple[MemoryItem, ...]
    frontmatter: Frontmatter | None
    findings: tuple[Finding, ...]
    unwritable: str
    eol: bytes = b"\n"
    bom: bool = False
    open_fence: int | None = None

    def section(self, title: str) -> Section | None:
        """The first section with this title (any case), None where there is none."""
        raise NotImplementedError

    @property
    def lines(self) -> Sequence[Line]:
        """The file's lines, split anew at each call."""
        raise NotImplementedError


def split_lines(data: bytes, start: int = 0) -> list[Line]:
    """The lines of `data` from `start`; they break at `\\n`, `\\r\\n` and `\\r` only."""
    raise NotImplementedError


def render(document: Document) -> bytes:
    """The file's bytes: `render(parse_document(p, b, s)) == b` for all bytes."""
    return document.data


def parse_document(path: str, data: bytes, standing: Standing) -> Document:
    """Parse one file of memory items (inbox, topic, index or held page). Never raises, whatever the bytes."""
    raise NotImplementedError
