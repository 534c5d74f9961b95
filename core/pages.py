"""Items by the page they stand on: what a rule asks of a page is worked out once, while the page stays as it is.

A store shares the pages that did not change between its snapshots. A rule whose grain is the page or the item asks each
page by a pure function, and joins the answers; so a change costs what it touches. Who may influence what is no business
of a page: rules leave excluded items out when they join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import is_
from typing import Any, TypeVar, TypeVarTuple

from core.items import MemoryItem

T = TypeVar("T")
C = TypeVarTuple("C")
Q = TypeVar("Q", bound=Callable[..., object])

Items = tuple[MemoryItem, ...]


def name_of(question: Callable[..., object]) -> str:
    """What to keep the answers to a question under."""
    return f"{question.__module__}.{question.__qualname__}"


_WORTH_KEEPING: set[Callable[..., object]] = set()


def worth_keeping(question: Q) -> Q:
    """Mark a question that costs more than to read its answer again: it reads texts, or takes Sources apart."""
    _WORTH_KEEPING.add(question)
    return question


class Page:
    """The items of one file, in order, and what was asked of them."""

    __slots__ = ("_answers", "_file", "_kept", "items")

    def __init__(self, items: Items, kept: dict[str, Callable[[], Any]] | None = None) -> None:
        """`kept` gives answers about the same items that were worked out before, by `name_of` the question."""
        self.items = items
        self._answers: dict[Callable[..., object], tuple[tuple[object, ...], Any]] = {}
        self._kept = kept
        self._file: str | None = None

    @property
    def file(self) -> str:
        """The file that all of its items stand in; '' where it has none."""
        if self._file is None:
            self._file = self.items[0].place.file if self.items else ""
        return self._file

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


def gather(pages: Iterable[Page], question: Callable[[Items, *C], Sequence[T]], *context: *C) -> list[T]:
    """What the pages answer to `question`, one after the other."""
    found: list[T] = []
    for page in pages:
        known = page._answers.get(question)
        answer = known[1] if known is not None and not context else page.ask(question, *context)
        if answer:
            found += answer
    return found


class PagedItems(Items):
    """The items of several pages, in order: a tuple that knows the pages it was made of."""

    pages: tuple[Page, ...]

    @classmethod
    def of(cls, pages: Iterable[Page]) -> PagedItems:
        """All items of `pages`."""
        kept = tuple(pages)
        made = cls(chain.from_iterable(page.items for page in kept))
        made.pages = kept
        return made


def pages_of(items: Items) -> tuple[Page, ...]:
    """The pages that `items` were made of; new ones, of neighbours in one file, where nobody said."""
    if isinstance(items, PagedItems):
        return items.pages
    return tuple(_grouped(items))


def _grouped(items: Items) -> Iterator[Page]:
    for _, those in groupby(items, key=lambda item: item.place.file):
        yield Page(tuple(those))
