"""A root in memory to project change sets on: its Markdown stands in the test, the answer is bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.binding import Binding
from core.changes import AppendEvent, Change, ChangeSet, SetFields
from core.events import Event, FieldChange
from core.items import FieldValue
from core.places import standing_of
from core.shelf import assign_keys
from core.snapshot import Snapshot
from stores.markdown.document import Document, parse_document
from stores.markdown.project import Projection, project

AT = "2026-06-12T09:30:00+00:00"


class Root:
    """Files by path, parsed as the reader does."""

    def __init__(self, files: Mapping[str, str | bytes], *, binding: Binding | None = None, **more: object) -> None:
        self.files = {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}
        self.binding = binding or Binding()
        self.blocked: dict[str, str] = {}
        self._more = more

    @property
    def documents(self) -> dict[str, Document]:
        return self._parsed()[0]

    @property
    def snapshot(self) -> Snapshot:
        return self._parsed()[1]

    def project(self, *changes: Change) -> Projection:
        documents, snapshot = self._parsed()
        return project(
            ChangeSet(changes),
            snapshot,
            documents,
            self.files.get,
            root="/home/ana/memory",
            blocked=lambda path: self.blocked.get(path, ""),
        )

    def after(self, *changes: Change) -> dict[str, bytes]:
        """The files that `changes` change, afterwards."""
        return {edit.path: edit.after for edit in self.project(*changes).edits}

    def apply(self, *changes: Change) -> Root:
        """The root afterwards."""
        after = Root({**self.files, **self.after(*changes)}, binding=self.binding, **self._more)
        after.blocked = self.blocked
        return after

    def _parsed(self) -> tuple[dict[str, Document], Snapshot]:
        documents = {
            path: parse_document(path, data, standing_of(path, None))
            for path, data in sorted(self.files.items())
            if path in ("memory.md", "index.md") or path.startswith(("topics/", "withdrawn/"))
        }
        borne = {record.id for path, document in documents.items() if path != "index.md" for record in document.records}
        items = assign_keys(
            [
                record
                for path, document in documents.items()
                for record in document.records
                if path != "index.md" or record.id not in borne
            ]
        )
        keys = {(item.place.file, item.place.line): item.key for item in items}
        documents = {
            path: document.rekeyed(
                {
                    number: keys[path, record.place.line]
                    for number, record in enumerate(document.records)
                    if (path, record.place.line) in keys
                }
            )
            for path, document in documents.items()
        }
        snapshot = Snapshot(root="memory", binding=self.binding, items=items)
        return documents, replace(snapshot, **self._more)  # type: ignore[arg-type]


def event(type: str = "review", **fields: object) -> AppendEvent:
    """An event to write, at a fixed moment."""
    values = {"id": "memlog-2026-06-12-001", "at": AT, "actor": "human:ana", "summary": "1 item stale", **fields}
    return AppendEvent(Event(type=type, **values))  # type: ignore[arg-type]


def set_fields(key: str, **fields: FieldValue | None) -> SetFields:
    """Set fields by name; `-` in a name is written `_`, as in Confidence_Scheme."""
    named = {name.replace("Confidence_Scheme", "Confidence-Scheme"): value for name, value in fields.items()}
    return SetFields(key, tuple(FieldChange(name, None, value) for name, value in named.items()))
