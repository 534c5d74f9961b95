"""How far control records reach (§12.2): which items name, bear or rest on anything that they are about.

An item beyond their reach follows from nothing that is covered, so nothing follows from it: whether it is there or not,
every other item stays as eligible as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from core.findings import Finding
from core.items import MemoryItem
from core.pages import Page
from core.snapshot import Snapshot, changed_pages
from core.sources import embedded_archive_refs, pieces
from core.tokens import TokenFinder

_CONVENTIONAL = re.compile(r"(?<![A-Za-z0-9_])mem-\d{4}-\d{2}-\d{2}-\d+(?![A-Za-z0-9_]|-[A-Za-z0-9])")
_PLAIN_WORD = 8
"""A shorter id of letters and digits alone is taken for an id only where it is a whole piece of a Source."""


def is_conventional(item_id: str) -> bool:
    """Whether an id has the form of §9, `mem-YYYY-MM-DD-NNN`."""
    return _CONVENTIONAL.fullmatch(item_id) is not None


def item_ids_in(text: str) -> set[str]:
    """The ids of the conventional form (`mem-YYYY-MM-DD-NNN`) that stand in `text`."""
    return set(_CONVENTIONAL.findall(text)) if "mem-" in text else set()


class IdFinder:
    """Finds the ids that a Source names: any of the conventional form, and those of `known` that have another."""

    def __init__(self, known: Iterable[str]) -> None:
        odd = {item_id for item_id in known if not is_conventional(item_id)}
        self._words = {item_id for item_id in odd if item_id.isalnum() and len(item_id) < _PLAIN_WORD}
        self._finder = TokenFinder(odd - self._words)

    def find(self, source: str) -> set[str]:
        """The ids that `source` names."""
        named = item_ids_in(source)
        if self._finder:
            named |= self._finder.find(source)
        if self._words:
            named |= self._words & set(pieces(source))
        return named


@dataclass(frozen=True)
class Reach:
    """`ids` that are covered or asked for, archive `files` that are asked about, and `tokens` asked for in Sources."""

    ids: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()

    def holds(self, item: MemoryItem) -> bool:
        """Whether what control records say may have to do with `item`."""
        return item.held or item.id in self.ids or item.merged_into in self.ids or self._names_any(item.source or "")

    def _names_any(self, source: str) -> bool:
        return bool(source) and (
            not self.ids.isdisjoint(self._ids.find(source))
            or any(file in self.files for file, _ in embedded_archive_refs(source))
            or bool(self._tokens.find(source))
        )

    @cached_property
    def _ids(self) -> IdFinder:
        return IdFinder(self.ids)

    @cached_property
    def _tokens(self) -> TokenFinder:
        return TokenFinder(self.tokens)


class Answer(Protocol):
    """What `unchanged` has to know of the answer that it is asked about."""

    @property
    def reach(self) -> Reach: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...


def unchanged(before: Snapshot, after: Snapshot, answer: Answer) -> bool:
    """Whether the control records' `answer` for `before` holds for `after`: all that differs is beyond their reach."""
    gone, new = changed_pages(before, after)
    placed = {finding.item for finding in answer.findings}
    return (
        before.archive is after.archive
        and before.binding == after.binding
        and _listed(before, answer) == _listed(after, answer)
        and _records(before) == _records(after)
        and _touched(gone, answer.reach, placed) == _touched(new, answer.reach, placed)
        and (before.events is after.events or not _owned_by_topic(after))
    )


def _listed(snapshot: Snapshot, answer: Answer) -> list[tuple[object, ...]]:
    said = any(finding.code == "withdrawn-without-record" for finding in answer.findings)
    return [(line.text, line.target, line.line if said else None) for line in snapshot.index.withdrawn]


def _records(snapshot: Snapshot) -> list[object]:
    unread = [one for one in snapshot.drift if one.code == "control-unreadable"]
    return [*((record, record.places) for record in snapshot.controls), *unread]


def _owned_by_topic(snapshot: Snapshot) -> bool:
    """Whether the log may decide who owns a scope: it says in which topic a held item stood."""
    return any(scope.startswith("topic:") for owner in snapshot.binding.owners for scope in owner.scopes)


def _touched(pages: Iterable[Page], reach: Reach, placed: Set[str | None]) -> list[tuple[object, ...]]:
    """The items that the records may have to do with, and what may matter of them: the line where a finding has it."""
    return [
        (
            *(item.place.file, item.key, item.id, item.merged_into, item.source, item.standing, item.text),
            *(item.subject, item.scope, item.place.line if item.id is None or item.key in placed else None),
        )
        for page in pages
        for item in page.items
        if reach.holds(item)
    ]
