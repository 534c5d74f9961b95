"""Drift of one memory item (§9, §10): what its record lacks or says in no token of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache

from core.findings import Finding
from core.items import MemoryItem
from core.vocabulary import CONFIDENCE_SCHEME, Confidence, Kind, Severity, Standing

STORED = frozenset({Standing.TOPIC, Standing.HISTORICAL})
"""Where Status must be materialised (§9): in the item store, not in the inbox."""

CONFIDENCES = frozenset(Confidence)


@lru_cache(maxsize=4096)
def is_date(text: str) -> bool:
    """Whether `YYYY-MM-DD` is a day of the calendar."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def schema_findings(item: MemoryItem, line_of: Callable[[str], int]) -> Iterator[Finding]:
    """What §9 asks of `item` and its record does not have, in the order of the fields.

    `line_of` gives the line of a field by its name (the head's where it stands there, or is absent).
    """

    def finding(
        code: str, severity: Severity, message: str, remedy: str, *, field: str = "", repair: bool = True
    ) -> Finding:
        return Finding(
            code,
            severity,
            message,
            file=item.place.file,
            line=line_of(field),
            item=item.key,
            id=item.id,
            remedy=remedy,
            command="repair" if repair else None,
        )

    warning = Severity.WARNING
    if item.date is not None and not is_date(item.date):
        yield finding(
            "impossible-date",
            warning,
            f"The calendar has no {item.date}.",
            "Correct the date in the file, from the archive it came from.",
            repair=False,
        )
    if item.id is None:
        yield finding("missing-id", warning, "The item has no id: nothing can refer to it.", "Give it an id.")
    if item.kind_text is None:
        yield finding(
            "missing-kind",
            warning,
            "The item has no kind, so nothing may supersede it.",
            "Say whether it is state or knowledge; in doubt knowledge.",
        )
    elif item.kind is None:
        yield finding(
            "unknown-kind",
            warning,
            f"“{_shown(item.kind_text)}” is no kind.",
            "Say whether it is state or knowledge; in doubt knowledge.",
            field="kind",
        )
    if item.kind is Kind.STATE and item.subject is None:
        yield finding(
            "missing-subject",
            warning,
            "A state item without a subject can never be superseded.",
            "Name the subject, or make it knowledge.",
        )
    if item.status is None:
        yield finding(
            "unknown-status",
            warning,
            f"“{_shown(item.status_text or '')}” is no Status; the item cannot be relied on.",
            "Choose active, superseded, stale or pending-cleanup.",
            field="Status",
        )
    elif item.status_text is None and item.standing in STORED and item.marker is None:
        yield finding(
            "status-missing",
            Severity.NOTICE,
            "The item stands in a topic without its Status; it is read as active.",
            "Write Status: active.",
        )
    if item.source is None:
        yield finding(
            "missing-source", warning, "The item has no Source: it cannot be audited.", "Name where it came from."
        )
    if item.confidence is not None:
        yield from _confidence_findings(item, finding)
    if item.marker is not None:
        yield finding(
            "legacy-marker",
            warning,
            f"The marker {item.marker} heads the item; no reader of Status sees it.",
            "Turn it into Status: pending-cleanup.",
        )


def _confidence_findings(item: MemoryItem, finding: Callable[..., Finding]) -> Iterator[Finding]:
    if item.confidence_scheme is None:
        yield finding(
            "confidence-without-scheme",
            Severity.WARNING,
            "Confidence stands without its scheme.",
            f"Write Confidence-Scheme: {CONFIDENCE_SCHEME} above it.",
            field="Confidence",
            repair=False,
        )
    elif item.confidence_scheme != CONFIDENCE_SCHEME:
        yield finding(
            "unknown-confidence",
            Severity.WARNING,
            f"The Confidence scheme “{_shown(item.confidence_scheme)}” is not known.",
            f"Use {CONFIDENCE_SCHEME}.",
            field="Confidence-Scheme",
            repair=False,
        )
    if item.confidence not in CONFIDENCES:
        yield finding(
            "unknown-confidence",
            Severity.WARNING,
            f"“{_shown(item.confidence or '')}” is no Confidence.",
            "Choose confirmed, observed-once, inferred or unknown.",
            field="Confidence",
            repair=False,
        )


def _shown(token: str) -> str:
    """A token as written, cut where it is no token at all."""
    return token if len(token) <= 32 else token[:31] + "…"
