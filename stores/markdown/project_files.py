"""The files of one projection: found by their own names, edited once each, written in an order that never misleads."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from core.errors import WriteRefused
from core.items import MemoryItem
from core.places import INDEX, LOG, LOG_FOLDER, PROPOSALS_FOLDER
from core.snapshot import Snapshot
from stores.markdown.document import Document
from stores.markdown.edits import FileEdit
from stores.markdown.project_page import Page
from stores.markdown.spans import ItemSpan

if TYPE_CHECKING:
    from stores.markdown.project_hold import Note

Read = Callable[[str], bytes | None]
Blocked = Callable[[str], str]
"""Why the file at a root-relative path cannot be written, '' where it can."""


class Files:
    """A root's files while a change set is projected on them.

    `documents` are the parsed files of `snapshot`; `read` gives the bytes of any other file of the root, None where
    there is none; `blocked` says why a file cannot be written though it is understood (its mode, its folder).
    """

    def __init__(
        self, snapshot: Snapshot, documents: Mapping[str, Document], read: Read, blocked: Blocked = lambda path: ""
    ) -> None:
        self.snapshot = snapshot
        self.documents = documents
        self.held: dict[tuple[str, str | None, int], list[Note]] | None = None
        """The notes of held records by where they stood, once somebody asked for them."""
        self._read = read
        self._blocked = blocked
        self._pages: dict[str, Page] = {}
        self._lines: dict[str, dict[int, int]] = {}
        self._names = {_normal(path): path for path in (*snapshot.files, *documents)}

    def name(self, path: str) -> str:
        """`path` as the root's own folder spells it, where a file of that name (by NFC) is there."""
        if path in self.documents or path in self.snapshot.files:
            return path
        found = self._names.get(_normal(path))
        if found is not None:
            return found
        folder, base = posixpath.split(path)
        for known in self._names.values():  # a new file in a folder that spells its own name otherwise
            known_folder = posixpath.dirname(known)
            if folder and _normal(known_folder) == _normal(folder):
                return f"{known_folder}/{base}"
        return path

    def page(self, path: str) -> Page:
        """The page of `path`, parsed where it is a governed file. Raises `WriteRefused` where it may not be written."""
        path = self.name(path)
        if path not in self._pages:
            state = self.snapshot.files.get(path)
            document = self.documents.get(path)
            understood = document is None or not document.unwritable
            if understood and (why := (state.unwritable if state is not None else "") or self._blocked(path)):
                raise WriteRefused(
                    f"It is not written: {why}.", where=path, remedy="Make it writable again, then try again."
                )
            before = None if document is not None else self._read(path)
            self._pages[path] = Page(path, document=document, before=before)
        return self._pages[path]

    def open_as(self, path: str, document: Document) -> Page:
        """The page of a file that bears no items, with its headings and fences known. Before any edit of it."""
        self._pages[path] = Page(path, document=document)
        return self._pages[path]

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes of `path` before the change; None where it is not there."""
        document = self.documents.get(path)
        return document.data if document is not None else self._read(path)

    def span(self, item: MemoryItem) -> ItemSpan:
        """Where `item` stands in its document. Raises `WriteRefused` where it is not there any more."""
        return self.documents[item.place.file].items[self.index(item)]

    def index(self, item: MemoryItem) -> int:
        """Which record of its document `item` is. Raises `WriteRefused` where it is not there any more."""
        file = item.place.file
        document = self.documents.get(file)
        if document is not None:
            if file not in self._lines:
                self._lines[file] = {record.place.line: number for number, record in enumerate(document.records)}
            number = self._lines[file].get(item.place.line)
            if number is not None and document.records[number].digest == item.digest:
                return number
        raise WriteRefused(
            "The item is not where it was read.", where=str(item.place), remedy="Read the root again, then try again."
        )

    def edits(self) -> Iterator[FileEdit]:
        """The edits that change something, in the order to write them in.

        First what says what happened (the log, then the index and proposals, so that a withdrawal is known before its
        text moves, and a decision before the rule that it authorises), then files that lose an active row before the
        file that gets its successor, and a record arrives in its new file before it leaves the old one.
        """
        pages = sorted(self._pages.values(), key=_turn)
        for page in pages:
            edit = page.finish()
            if edit is not None:
                yield edit

    def touched(self) -> tuple[Page, ...]:
        """The pages opened so far."""
        return tuple(self._pages.values())


def _turn(page: Page) -> int:
    if page.path == LOG or page.path.startswith(LOG_FOLDER + "/"):
        return 0
    if page.path == INDEX or page.path.startswith(PROPOSALS_FOLDER + "/"):
        return 1
    if page.inserts:
        return 3
    return 4 if page.removes else 2


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path)
