"""What may be seen of one reading: excluded text withheld, secrets masked, the rest made visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.items import MemoryItem
from core.pages import Items, Page, gather
from core.reading import Reading
from core.snapshot import Proposal
from core.vocabulary import Status
from tui import display
from tui.cli.withheld import Withheld

WITHHELD = "withheld while a withdrawal excludes it"


class Sight:
    """The eyes of the ordinary screens. Screen 5 alone looks past it, item by item, when asked to."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._withheld = Withheld(reading)

    def clean(self, text: str) -> str:
        """Stored text with excluded text withheld and secrets masked; not yet made visible."""
        return display.mask_secrets(self._withheld.scrub(text))

    def text(self, text: str) -> str:
        """Stored text as it may be shown, with its line breaks."""
        return display.visible(self.clean(text).replace("\r\n", "\n"))

    def line(self, text: str) -> str:
        """Stored text as it may be shown, on one line."""
        return display.one_line(self.clean(text))

    def head(self, text: str, cells: int) -> str:
        """The beginning of stored text on one line of at most `cells` cells; cheap for a text of any length."""
        return display.clip(self.line(text[: 16 * max(cells, 1)]), cells)

    def eligible(self, item: MemoryItem) -> bool:
        """True where ordinary screens may show the item's text."""
        return self.reading.influence.eligible(item.key)


class Census:
    """How many items stand where; counted once a reading, beside the screen."""

    def __init__(self, reading: Reading) -> None:
        self.eligible: list[str] = []
        """Keys of the items that ordinary screens show, in reading order."""
        self.by_file: dict[str, list[str]] = {}
        self.waiting: dict[str, int] = {}
        self.withheld = 0
        excluded = reading.influence.verdicts
        for page in reading.snapshot.pages:
            keys: Sequence[str] = page.ask(_keys)
            if not excluded.keys().isdisjoint(keys):
                self.withheld += len(keys)
                keys = [key for key in keys if key not in excluded]
                self.withheld -= len(keys)
            if keys:
                self.eligible += keys
                self.by_file.setdefault(page.file, []).extend(keys)
            waiting = sum(key not in excluded for key in page.ask(_waiting))
            if waiting:
                self.waiting[page.file] = self.waiting.get(page.file, 0) + waiting


def _keys(items: Items) -> tuple[str, ...]:
    return tuple(item.key for item in items)


def _waiting(items: Items) -> tuple[str, ...]:
    return tuple(item.key for item in items if item.status is Status.PENDING_CLEANUP)


class References:
    """Who names an id: looked up once a reading, for the cards."""

    def __init__(self, pages: Iterable[Page], proposals: Iterable[Proposal] = ()) -> None:
        self._by_id: dict[str, list[tuple[str, str]]] = {}
        for named, word, by in gather(pages, _naming):
            self._add(named, word, by)
        for proposal in proposals:
            for ref in proposal.supporting_refs:
                self._add(ref, "cited by proposal", proposal.proposal_id)

    def to(self, id: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
        """`(how, ids)` of everything that names `id`."""
        grouped: dict[str, list[str]] = {}
        for word, other in self._by_id.get(id or "", ()):
            if other != id:
                grouped.setdefault(word, []).append(other)
        yield from ((word, tuple(dict.fromkeys(ids))) for word, ids in grouped.items())

    def _add(self, named: str, word: str, by: str) -> None:
        self._by_id.setdefault(named, []).append((word, by))


def _naming(items: Items) -> tuple[tuple[str, str, str], ...]:
    """What the items of a page name: id, how, and who names it."""
    return tuple((named, word, item.id or str(item.place)) for item in items for word, named in _named(item))


def _named(item: MemoryItem) -> Iterable[tuple[str, str]]:
    if item.superseded_by:
        yield "supersedes", item.superseded_by
    if item.merged_into:
        yield "merged from", item.merged_into
    for other in item.conflicts_with:
        yield "in conflict with", other
    for ref in item.corroborating_refs:
        yield "corroborates", ref
    if item.source and item.source.startswith("mem-"):
        yield "source of", item.source
