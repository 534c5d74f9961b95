"""Items as lines: a row in a list, and a card beside it. Pure: from a reading to spans."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from core.items import MemoryItem
from core.sources import Resolved, parse_source, resolve
from tui import display, glyphs
from tui.lines import EMPTY, LABEL, Line, Span, flow, labelled, line, spread
from tui.sight import WITHHELD, References, Sight

TEXT_LIMIT = 4000
EXCERPT_LINES = 4


def days_between(earlier: str | None, later: str) -> int | None:
    """Days from one ISO date to another; None where one of them is no date."""
    try:
        return (date.fromisoformat(later[:10]) - date.fromisoformat((earlier or "")[:10])).days
    except ValueError:
        return None


def age(days: int | None) -> str:
    """`12 d`, `7 mo`, `2 y`; '' where it is not known."""
    if days is None:
        return ""
    if days < 100:
        return f"{days} d"
    return f"{round(days / 30.4)} mo" if days < 730 else f"{days // 365} y"


def age_words(days: int | None) -> str:
    """`12 days`, `7 months`, `2 years`; '' where it is not known."""
    if days is None:
        return ""
    number, unit = (
        (days, "day") if days < 100 else (round(days / 30.4), "month") if days < 730 else (days // 365, "year")
    )
    return f"{number} {unit}{'' if number == 1 else 's'}"


def status_span(item: MemoryItem, sight: Sight, *, word: bool = False) -> Span:
    """The item's status as a glyph, with its word where asked; withdrawn goes before any Status."""
    token = "withdrawn" if not sight.eligible(item) else item.status.value if item.status is not None else None
    glyph = glyphs.status_glyph(token)
    text = glyph.sign
    if word:
        text = glyph.label() if token else f"{glyph.sign} {display.one_line(item.status_text or 'no status')}"
    return Span(text, {"pending-cleanup": "waits", None: "waits", "active": ""}.get(token, "dim"))


def kind_span(item: MemoryItem, *, word: bool = False) -> Span:
    """The item's kind as a letter or a word."""
    glyph = glyphs.kind_glyph(item.kind.value if item.kind is not None else None)
    return Span(glyph.word if word else glyph.sign, "" if item.kind is not None else "waits")


def item_row(item: MemoryItem, sight: Sight, width: int) -> Line:
    """One item on one line: status, kind, date, text; the status word at the right where it is not plain active."""
    seen = sight.eligible(item)
    quiet = "" if seen and (item.status is None or item.status.value != "superseded") else "dim"
    status = status_span(item, sight, word=True)
    plain = seen and item.status is not None and item.status.value == "active"
    right = EMPTY if plain or width < 48 else line((status.text.partition(" ")[2], status.role or "dim"))
    left = line(
        status_span(item, sight),
        " ",
        kind_span(item),
        "  ",
        (display.pad(display.one_line(item.date or "no date"), 10), "dim"),
        "  ",
        (sight.head(item.text, width) if seen else WITHHELD, quiet),
    )
    return spread(left, right, width)


def card_head(item: MemoryItem, sight: Sight, width: int) -> Line:
    """The card's first line: id, kind, status."""
    name = display.one_line(item.id) if item.id else "no id"
    roomy = width >= display.width(name) + 26
    return spread(
        line((name, "strong" if item.id else "waits")),
        line(kind_span(item, word=roomy), "  ", status_span(item, sight, word=True)),
        width,
    )


def text_lines(item: MemoryItem, sight: Sight, width: int, *, reveal: bool = False) -> list[Line]:
    """The item's text, wrapped; clipped with a mark where it is very long; withheld where it is excluded."""
    if not sight.eligible(item) and not reveal:
        return [line((WITHHELD, "dim"))]
    raw = item.text[:TEXT_LIMIT]
    shown = display.show(raw.replace("\r\n", "\n")) if reveal else sight.text(raw)
    block = flow(shown, width)
    if len(item.text) > TEXT_LIMIT:
        more = len(item.text) - TEXT_LIMIT
        block.append(
            line((f"… clipped here; {more:,} more characters stand in {display.one_line(item.place.file)}", "dim"))
        )
    return block


def source_lines(item: MemoryItem, sight: Sight, width: int, *, excerpt: int = EXCERPT_LINES) -> list[Line]:
    """What the item rests on: each reference with whether it resolves, and the excerpt beneath it."""
    if not item.source:
        return [line((glyphs.NO_SOURCE.label(), "waits"))]
    reading = sight.reading
    block: list[Line] = []
    for ref in parse_source(item.source):
        if ref.kind == "statement":
            block.extend(_with_sign(glyphs.WORD.sign, "", sight.line(ref.text), width))
            continue
        found = resolve(reading.snapshot, ref, reading.influence, item_id=item.id)
        sign = glyphs.RESOLVES.sign if found.found else glyphs.DANGLING.sign
        block.extend(_with_sign(sign, "good" if found.found else "waits", sight.line(ref.text), width))
        block.extend(_excerpt(found, item.id, sight, width, excerpt))
    return block


def _with_sign(sign: str, role: str, text: str, width: int) -> Iterator[Line]:
    for index, part in enumerate(display.wrap(text, max(width - 2, 8))):
        yield line((f"{sign} " if index == 0 else "  ", role), part)


def _excerpt(found: Resolved, item_id: str | None, sight: Sight, width: int, limit: int) -> Iterator[Line]:
    if found.excerpt is None:
        if not found.found or found.reason:
            yield from flow(sight.line(found.reason), width, role="dim", indent=2)
        return
    parts = [part for part in found.excerpt.splitlines() if part.strip()]
    # In a section of several items, the one that is meant comes first.
    start = next((at for at, part in enumerate(parts) if item_id and item_id in part), 0)
    text = sight.text("\n".join(parts[start:]))
    lines = flow(text, width - 2, role="dim", indent=2, most=limit + 1)
    for index, spans in enumerate(lines[:limit]):
        yield spans if index or not limit else line("  ", ("“ ", "dim"), *spans[1:])
    if len(lines) > limit:
        yield line(("  … o opens it", "dim"))


def fields(item: MemoryItem, sight: Sight, references: References, today: str, width: int) -> list[Line]:
    """Everything else on the card, label by label; what is absent is not mentioned, what is missing is."""
    room = width - LABEL
    block: list[Line] = []

    def add(label: str, text: str, role: str = "") -> None:
        block.extend(labelled(label, flow(text, room, role=role)))

    if item.subject or (item.kind is not None and item.kind.value == "state"):
        add("subject", sight.line(item.subject or "! none"), "" if item.subject else "waits")
    if item.marker:
        add("marker", sight.line(item.marker), "waits")
    block.extend(labelled("source", source_lines(item, sight, room)))
    if item.scope:
        add("scope", sight.line(item.scope))
    if item.confidence:
        add("belief", sight.line(item.confidence))
    days = days_between(item.date, today)
    add("age", f"{age_words(days)}, since {display.one_line(item.date or '')}" if days is not None else "no date")
    section = f"  {item.place.section}" if item.place.section else ""
    add("stands in", sight.line(f"{item.place}{section}"))
    for label, ids in _pointers(item):
        add(label, sight.line(", ".join(ids)))
    for label, ids in references.to(item.id):
        add(label, sight.line(", ".join(ids[:8]) + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")))
    for name, value in item.extra:
        add(display.clip(display.one_line(name), LABEL - 1), sight.line(value), "dim")
    return block


def _pointers(item: MemoryItem) -> Iterator[tuple[str, tuple[str, ...]]]:
    if item.superseded_by:
        yield "superseded", (f"by {item.superseded_by}",)
    if item.merged_into:
        yield "merged", (f"into {item.merged_into}",)
    if item.conflicts_with:
        yield "beside", item.conflicts_with
    if item.corroborating_refs:
        yield "backed by", item.corroborating_refs
    if item.inspired_by:
        yield "inspired", (f"by {item.inspired_by}",)


def card(
    item: MemoryItem,
    sight: Sight,
    references: References,
    width: int,
    *,
    why: tuple[tuple[str, str], ...] = (),
) -> list[Line]:
    """The whole card of an item. `why` holds `(label, sentence)` that come first, beneath the text."""
    today = sight.reading.today
    block = [card_head(item, sight, width), EMPTY, *text_lines(item, sight, width), EMPTY]
    for label, sentence in why:
        if sentence:
            block.extend(labelled(label, flow(sight.line(sentence), width - LABEL)))
    if sight.eligible(item):
        block.extend(fields(item, sight, references, today, width))
    else:
        verdict = sight.reading.influence.verdict(item.key)
        reason = sight.line(verdict.why or ", ".join(verdict.by))
        block.extend(labelled("withdrawn", flow(reason, width - LABEL)))
    return block
