"""Items by the page they stand on: what a rule asks of a page is worked out once, while the page stays as it is.

A store shares the pages that did not change between its snapshots. A rule whose grain is the page or the item asks each
page by a pure function, and joins the answers; so a change costs what it touches. Pages are bound in sheaves, which
keep the answers of their own joined. Who may influence what is no business of a page: rules leave excluded items out
when they join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, zip_longest
from operator import is_
from typing import Any, TypeVar, TypeVarTuple
from zlib import crc32

from core.items import MemoryItem

T = TypeVar("T")
C = TypeVarTuple("C")
Q = TypeVar("Q", bound=Callable[..., object])

Items = tuple[MemoryItem, ...]


def name_of(question: Callable[..., object]) -> str:
    """What to keep the answers to a question under."""
    return f"{question.__module__}.{question.__qualname__}"


_SHEAF = 32
"""How many pages a sheaf has, more or less: about as many as a large root then has sheaves."""

_WORTH_KEEPING: set[Callable[..., object]] = set()


def worth_keeping(question: Q) -> Q:
    """Mark a question that costs more than to read its answer again: it reads texts, or takes Sources apart."""
    _WORTH_KEEPING.add(question)
    return question


class Page:
    """The items of one file, in order, and what was asked of them."""

    __slots__ = ("_answers", "_begins", "_file", "_kept", "items")

    def __init__(
        self, items: Items, kept: dict[str, Callable[[], Any]] | None = None, *, file: str | None = None
    ) -> None:
        """`kept` gives answers about the same items that were worked out before, by `name_of` the question.

        `file` is the one that all of them stand in, where the caller knows it.
        """
        self.items = items
        self._answers: dict[Callable[..., object], tuple[tuple[object, ...], Any]] = {}
        self._kept = kept
        self._file = file
        self._begins: bool | None = None

    @property
    def file(self) -> str:
        """The file that all of its items stand in; '' where it has none."""
        if self._file is None:
            self._file = self.items[0].place.file if self.items else ""
        return self._file

    @property
    def begins(self) -> bool:
        """Whether it begins a sheaf: the name of its file says so, for one in `_SHEAF` of them."""
        if self._begins is None:
            self._begins = crc32(self.file.encode("utf-8", "surrogatepass")) % _SHEAF == 0
        return self._begins

    def ask(self, question: Callable[[Items, *C], T], *context: *C) -> T:
        """`question(items, *context)`, which must be pure; answered anew only where it is asked with another context.

        Contexts are told apart by identity.
        """
        known = self._answers.get(question)
        if known is None or not all(map(is_, known[0], context)):
            known = self._answers[question] = (context, self._answer(question, *context))
        answer: T = known[1]
        return answer

    def _answer(self, question: Callable[[Items, *C], T], *context: *C) -> T:
        if not context and self._kept and (known := self._kept.pop(name_of(question), None)) is not None:
            answer: T = known()
            return answer
        return question(self.items, *context)

    @property
    def answers(self) -> Mapping[str, Any]:
        """The answers that are `worth_keeping`, by `name_of` the question."""
        asked = list(self._answers.items())  # others may go on asking
        return {name_of(question): answer for question, (_, answer) in asked if question in _WORTH_KEEPING}


class Sheaf:
    """Neighbouring pages with their answers joined: shared by all snapshots in which all of them are the same."""

    __slots__ = ("_joined", "items", "pages")

    def __init__(self, pages: tuple[Page, ...]) -> None:
        self.pages = pages
        self.items: Items = tuple(chain.from_iterable(page.items for page in pages))
        self._joined: dict[Callable[..., object], tuple[tuple[object, ...], list[Any]]] = {}

    def gather(self, question: Callable[[Items, *C], Sequence[T]], *context: *C) -> Sequence[T]:
        """What its pages answer to `question` (see `Page.ask`), one after the other."""
        known = self._joined.get(question)
        if known is None or not all(map(is_, known[0], context)):
            found: list[T] = []
            for page in self.pages:
                if answer := page.ask(question, *context):
                    found += answer
            known = self._joined[question] = (context, found)
        return known[1]


class Pages(tuple[Page, ...]):
    """All pages of a root, in order, bound in sheaves: after a change one sheaf is joined anew, and not all pages.

    Which page begins a sheaf is told by the name of its file, so a page that comes or goes moves no other.
    """

    sheaves: tuple[Sheaf, ...]

    @classmethod
    def of(cls, pages: Iterable[Page], before: Pages | None = None) -> Pages:
        """`pages` in sheaves, those of `before` where their pages are the same."""
        made = cls(pages)
        known = {sheaf.pages[0]: sheaf for sheaf in before.sheaves} if before is not None else {}
        starts = [number for number, page in enumerate(made) if page.begins or number == 0]
        made.sheaves = tuple(
            sheaf if (sheaf := known.get(those[0])) is not None and sheaf.pages == those else Sheaf(those)
            for those in (tuple(made[start:end]) for start, end in zip_longest(starts, starts[1:]))
        )
        return made

    def gather(self, question: Callable[[Items, *C], Sequence[T]], *context: *C) -> list[T]:
        """What the pages answer to `question` (see `Page.ask`), in reading order."""
        found: list[T] = []
        for sheaf in self.sheaves:
            found += sheaf.gather(question, *context)
        return found

    def without(self, others: Pages) -> list[Page]:
        """The pages that are not among `others`, in reading order."""
        known = set(others.sheaves)
        apart = [sheaf for sheaf in self.sheaves if sheaf not in known]
        if not apart:
            return []
        mine = set(self.sheaves)
        there = {page for sheaf in others.sheaves if sheaf not in mine for page in sheaf.pages}
        return [page for sheaf in apart for page in sheaf.pages if page not in there]


class PagedItems(Items):
    """The items of several pages, in order: a tuple that knows the pages it was made of."""

    pages: Pages

    @classmethod
    def of(cls, pages: Iterable[Page], before: Pages | None = None) -> PagedItems:
        """All items of `pages`; `before` are the pages of another moment, with which they share most."""
        kept = Pages.of(pages, before)
        items: list[MemoryItem] = []
        for sheaf in kept.sheaves:
            items += sheaf.items
        made = cls(items)
        made.pages = kept
        return made


def pages_of(items: Items) -> Pages:
    """The pages that `items` were made of; new ones, of neighbours in one file, where nobody said."""
    if isinstance(items, PagedItems):
        return items.pages
    return Pages.of(_grouped(items))


def _grouped(items: Items) -> Iterator[Page]:
    for file, those in groupby(items, key=lambda item: item.place.file):
        yield Page(tuple(those), file=file)
