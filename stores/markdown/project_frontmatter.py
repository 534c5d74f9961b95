"""A topic's frontmatter kept true where it is there (§11): when its items changed last, and its source dates."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.vocabulary import Standing
from stores.markdown.blocks import NEWLINE
from stores.markdown.frontmatter import DatesSpan
from stores.markdown.project_page import Page, Rank

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ARCHIVED = re.compile(r"archive/(\d{4}-\d{2}-\d{2})\b")


def keep_frontmatter(page: Page, today: str, source_dates: Iterable[str]) -> None:
    """Set `last_updated` to `today` and add what is missing of `source_dates`, where those keys are there.

    A later `last_updated` stays: another machine's clock may be ahead. Quotes and the form of the list are kept.
    """
    document = page.document
    frontmatter = document.frontmatter if document is not None else None
    if document is None or frontmatter is None or frontmatter.error or document.standing is not Standing.TOPIC:
        return
    if frontmatter.last_updated is not None:
        start, end = frontmatter.last_updated
        value = page.data[start:end]
        written = value.strip(b"\"'").decode("utf-8", "replace")
        if not (_DATE.fullmatch(written) and written >= today):
            page.replace(start, end, _as(value, today))
    if frontmatter.source_dates is not None:
        _add_dates(page, frontmatter.source_dates, sorted(set(source_dates)))


def dates_of(source: str | None, date: str | None) -> tuple[str, ...]:
    """The dates that a record's Source stands for: those of the archive days it names, else the record's own."""
    archived = tuple(dict.fromkeys(_ARCHIVED.findall(source or "")))
    return archived or ((date,) if date is not None and _DATE.fullmatch(date) else ())


def _add_dates(page: Page, span: DatesSpan, dates: list[str]) -> None:
    entries = [(start, page.data[start:end]) for start, end in span.entries]
    known = {value.strip(b"\"'").decode("utf-8", "replace") for _, value in entries}
    missing = [date for date in dates if date not in known]
    if span.form == "flow":
        _add_to_flow(page, span, missing)
    elif span.form == "empty" and missing:
        lines = b"".join(page.eol + span.indent + b"- " + date.encode() for date in missing)
        page.insert(span.start, lines, rank=Rank.WITHIN, bound=False)
    elif span.form == "block":
        for date in missing:
            # In front of the first later date, so that a sorted list stays sorted.
            later = next((start for start, value in entries if value.strip(b"\"'") > date.encode()), None)
            at = span.end if later is None else _line_start(page.data, later)
            end = NEWLINE.search(page.data, span.start)
            line = span.indent + b"- " + _as(entries[0][1] if entries else b"", date)
            page.insert(at, line + (end[0] if end else page.eol), rank=Rank.WITHIN, bound=False)


def _add_to_flow(page: Page, span: DatesSpan, missing: list[str]) -> None:
    if not missing:
        return
    like = page.data[slice(*span.entries[0])] if span.entries else b""
    added = b", ".join(_as(like, date) for date in missing)
    if span.entries:
        page.insert(span.entries[-1][1], b", " + added, rank=Rank.WITHIN, bound=False)
    else:
        page.insert(span.start + 1, added, rank=Rank.WITHIN, bound=False)


def _as(like: bytes, date: str) -> bytes:
    """`date` in the quotes of the value `like`."""
    quote = like[:1] if like[:1] in (b'"', b"'") and like[-1:] == like[:1] else b""
    return quote + date.encode() + quote


def _line_start(data: bytes, offset: int) -> int:
    return max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1
