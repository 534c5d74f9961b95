"""Memory items (§9): immutable, every scalar as written."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from core.vocabulary import Kind, Standing, Status

FieldValue = str | tuple[str, ...]
Record = Mapping[str, FieldValue]
"""An item's fields by the protocol's own names, in canonical order; absent fields are absent keys.

`text`, `date` and `place` (`FILE#SECTION`) stand beside the §9 fields, so that an event can carry a whole item.
"""

FIELDS: tuple[str, ...] = (
    "id",
    "kind",
    "subject",
    "Scope",
    "Status",
    "superseded_by",
    "merged_into",
    "conflicts_with",
    "promoted_to",
    "inspired_by",
    "corroborating_refs",
    "Source",
    "Confidence-Scheme",
    "Confidence",
)
"""Canonical field order of the structured form (§9). `merged_into`, `conflicts_with` and `promoted_to` are
binding extensions, ignored by other readers."""

LIST_FIELDS = frozenset({"corroborating_refs", "conflicts_with"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: root-relative posix `file`, 1-based `line`, nearest heading text or None."""

    file: str
    line: int
    section: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Unread(Protocol):
    """Where a store reads what it left out of an item."""

    def read(self, number: int, name: str) -> Any:
        """The field `name` of record `number`; always the same value. Raises `LookupError` where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One bearer of a memory item (§9). Archived copies are evidence, not bearers.

    A store may leave fields out that it can read later (`Unread`): they are read each time they are asked for.

    `key` identifies the bearer in lists and requests: the id where one bearer has it, else id or content digest
    with file and occurrence. `kind` and `status` are None where what is written is no token of the vocabulary
    (`kind_text`, `status_text` keep it). An absent Status is `active` (§9). `digest` is over the item's own bytes.
    """

    key: str
    text: str
    place: Place
    standing: Standing
    digest: str
    id: str | None = None
    date: str | None = None
    kind: Kind | None = None
    kind_text: str | None = None
    subject: str | None = None
    scope: str | None = None
    status: Status | None = Status.ACTIVE
    status_text: str | None = None
    superseded_by: str | None = None
    merged_into: str | None = None
    conflicts_with: tuple[str, ...] = ()
    promoted_to: str | None = None
    inspired_by: str | None = None
    corroborating_refs: tuple[str, ...] = ()
    source: str | None = None
    confidence: str | None = None
    confidence_scheme: str | None = None
    marker: str | None = None
    """A legacy prose marker at the head of the text, e.g. `[待清理]` (§10); `text` does not repeat it."""
    extra: tuple[tuple[str, str], ...] = ()
    """Unknown fields, in order, as written. Kept, shown, never interpreted."""
    _unread: Unread | None = field(default=None, init=False, repr=False, compare=False)
    _number: int = field(default=0, init=False, repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Reached for a field that was left out, and for what is no field."""
            if name not in ("_unread", "_number") and self._unread is not None:
                with suppress(LookupError):
                    return self._unread.read(self._number, name)
            raise AttributeError(f"A memory item has no {name!r}.", name=name, obj=self)

    @property
    def held(self) -> bool:
        """True where the item stands in `withdrawn/`, out of the ordinary pages."""
        return self.standing is Standing.HELD

    def record(self) -> Record:
        """The item's fields by the protocol's names (see `Record`)."""
        values: dict[str, FieldValue | None] = {
            "text": self.text,
            "date": self.date,
            "place": f"{self.place.file}#{self.place.section}" if self.place.section else self.place.file,
            "id": self.id,
            "kind": self.kind_text if self.kind is None else self.kind.value,
            "subject": self.subject,
            "Scope": self.scope,
            "Status": self.status_text,
            "superseded_by": self.superseded_by,
            "merged_into": self.merged_into,
            "conflicts_with": self.conflicts_with or None,
            "promoted_to": self.promoted_to,
            "inspired_by": self.inspired_by,
            "corroborating_refs": self.corroborating_refs or None,
            "Source": self.source,
            "Confidence-Scheme": self.confidence_scheme,
            "Confidence": self.confidence,
            "marker": self.marker,
        }
        return MappingProxyType({name: value for name, value in values.items() if value is not None})
