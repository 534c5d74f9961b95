"""The Markdown binding: the reference layout of §7.3, read losslessly and written by span edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stores.markdown.store import MarkdownStore

__all__ = ["MarkdownStore"]


def __getattr__(name: str) -> object:
    # Looking for a root or watching one must not wait for what it takes to write one.
    if name == "MarkdownStore":
        from stores.markdown.store import MarkdownStore

        return MarkdownStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
