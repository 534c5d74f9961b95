"""The root a command works on: found, opened and read, each when first asked for."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from core.errors import RootNotFound

if TYPE_CHECKING:
    from core.authority import Actor
    from core.engine import Engine
    from core.reading import Reading
    from core.snapshot import Snapshot
    from stores.markdown import MarkdownStore

ROOT_VARIABLE = "ASSAY_ROOT"


def now() -> datetime:
    """The current moment, with a time zone."""
    return datetime.now(UTC)


def root_path(named: str | None) -> str:
    """The root's absolute path: the one `named`, else `ASSAY_ROOT`, else the nearest upwards. Raises `RootNotFound`."""
    named = named or os.environ.get(ROOT_VARIABLE)
    if not named:
        from stores.markdown.discover import find_root

        return find_root(os.getcwd())
    if not os.path.isdir(named):
        raise RootNotFound(
            "There is no such folder." if not os.path.exists(named) else "This is no folder.",
            where=named,
            remedy="Name the root's folder, or lay one out with `assay init`.",
        )
    return os.path.abspath(named)


class Opened:
    """One root, opened for one command."""

    def __init__(self, path: str) -> None:
        """`path` is the root's absolute path."""
        self.path = path

    @classmethod
    def of(cls, args: argparse.Namespace) -> Opened:
        """The root that `--root` names, or that is found."""
        return cls(root_path(args.root))

    @cached_property
    def store(self) -> MarkdownStore:
        """The store."""
        from stores.markdown import MarkdownStore

        return MarkdownStore(self.path)

    @cached_property
    def engine(self) -> Engine:
        """The one door to writing."""
        from core.engine import Engine

        return Engine(self.store, clock=now)

    @cached_property
    def reading(self) -> Reading:
        """The root as it was when first asked for."""
        return self.engine.reading()

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot of `reading`."""
        return self.reading.snapshot

    @cached_property
    def user(self) -> str:
        """The operating-system user at this door."""
        from stores.identity import os_user

        return os_user()

    @property
    def actor(self) -> Actor:
        """Who that user is on this root."""
        from stores.identity import actor_for

        return actor_for(self.snapshot.binding, self.user)

    def read_again(self) -> None:
        """Forget the reading; the next one is of now."""
        self.__dict__.pop("reading", None)
