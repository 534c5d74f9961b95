"""The ids that stand anywhere in the files of a root: none of them is ever given out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import chain, filterfalse
from typing import TypeVar

T = TypeVar("T")

_MANY = 1024


class Reserved(Set[str]):
    """The ids of all files, united when they are first asked for; after a change, only what differs is looked at."""

    def __init__(
        self,
        ids: Iterable[frozenset[str]],
        before: Reserved | None = None,
        gone: Iterable[frozenset[str]] = (),
        new: Iterable[frozenset[str]] = (),
    ) -> None:
        """`ids` are those of each file. `before` is the set to which `new` files came, and from which `gone` ones went.

        The memory of `before` is used where it has united its own already.
        """
        self._files = tuple(ids)
        self._known: frozenset[str] | None = None
        self._come: Set[str] = frozenset()
        """What is there beside `_known`."""
        self._left: Set[str] = frozenset()
        """What is `_known`, and not there."""
        if before is not None and before._known is not None:
            come = frozenset[str]().union(*new)
            left = {id for id in frozenset[str]().union(*gone) - come if not any(id in those for those in self._files)}
            self._known = before._known
            self._come = {id for id in come if id not in before._known}.union(before._come) - left
            self._left = {id for id in left if id in before._known}.union(before._left) - come
            if len(self._come) + len(self._left) > _MANY:
                self._known = (self._known - self._left) | self._come
                self._come = self._left = frozenset()

    def _united(self) -> frozenset[str]:
        if self._known is None:
            self._known = frozenset().union(*self._files)
        return self._known

    def __contains__(self, id: object) -> bool:
        return id in self._come or (id in self._united() and id not in self._left)

    def __iter__(self) -> Iterator[str]:
        known = self._united()
        return chain(self._come, filterfalse(self._left.__contains__, known) if self._left else known)

    def __len__(self) -> int:
        return len(self._united()) - len(self._left) + len(self._come)

    def __or__(self, others: Set[T]) -> Set[str | T]:
        return (self._united() - self._left).union(self._come, others)
