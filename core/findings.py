"""Findings: what a rule has to say about a root. Values, never exceptions."""

from __future__ import annotations

from dataclasses import dataclass

from core.vocabulary import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    `code` is stable and kebab-case; the catalogue of codes stands in `review.py`. `file` and `line` name the place
    (line 1-based, None where the file as a whole is meant), `item` the item's key, `id` its id as written, `remedy`
    what a human can do, `command` the engine command that does it (e.g. `repair`), None where there is none.
    """

    code: str
    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None
    item: str | None = None
    id: str | None = None
    remedy: str = ""
    command: str | None = None
