"""What may be seen of one reading: excluded text withheld, secrets masked, the rest made visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from core.eligibility import Verdict
from core.items import MemoryItem
from core.pages import Items, Pages
from core.reading import Reading
from core.snapshot import Proposal
from core.vocabulary import Status
from tui import display
from tui.cli.withheld import Withheld

WITHHELD = "withheld while a withdrawal excludes it"


class Sight:
    """The eyes of the ordinary screens. Screen 5 alone looks past it, item by item, when asked to."""

    def __init__(self, reading: Reading, before: Sight | None = None) -> None:
        """`before` is the sight of another reading of the same root."""
        self.reading = reading
        self._withheld: Withheld
        if before is not None and excludes_the_same(before.reading, reading):
            self._withheld = before._withheld
        else:
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


def excludes_the_same(one: Reading, other: Reading) -> bool:
    """Whether the same texts are withheld in two readings; where that is not plain, False."""
    before, after = one.influence, other.influence
    return (
        before.verdicts is after.verdicts
        and one.snapshot.archive is other.snapshot.archive
        and one.snapshot.events is other.snapshot.events
    )


class Census:
    """How many items stand where; counted once a reading, beside the screen."""

    def __init__(self, reading: Reading) -> None:
        self.by_file: dict[str, Sequence[str]] = {}
        """Keys of the items that ordinary screens show, by file, in reading order."""
        self.waiting: dict[str, int] = {}
        self.withheld = 0
        excluded = reading.influence.verdicts
        pages = reading.snapshot.pages
        for page, (shown, withheld, waiting) in zip(pages, pages.gather(_counted, excluded), strict=True):
            file = page.file
            self.withheld += withheld
            if shown:
                known = self.by_file.get(file)
                self.by_file[file] = shown if known is None else (*known, *shown)
            if waiting:
                self.waiting[file] = self.waiting.get(file, 0) + waiting

    @cached_property
    def eligible(self) -> Sequence[str]:
        """Keys of the items that ordinary screens show, in reading order."""
        return [*chain.from_iterable(self.by_file.values())]


def _counted(items: Items, excluded: Mapping[str, Verdict]) -> tuple[tuple[tuple[str, ...], int, int]]:
    """One count a page: the keys of the items that are shown, how many are not, and how many of the former wait."""
    shown = tuple(item for item in items if item.key not in excluded)
    waiting = sum(item.status is Status.PENDING_CLEANUP for item in shown)
    return ((tuple(item.key for item in shown), len(items) - len(shown), waiting),)


class References:
    """Who names an id: looked up once a reading, for the cards."""

    def __init__(self, pages: Pages, proposals: Iterable[Proposal] = ()) -> None:
        self._by_id: dict[str, list[tuple[str, str]]] = {}
        for named, word, by in pages.gather(_naming):
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
