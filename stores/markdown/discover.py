"""Where the memory root is (§7.3, §19): beside the work, or further up."""

from __future__ import annotations

import os

from core.errors import RootNotFound

ROOTS = ("memory", os.path.join(".kiro", "memories"))
"""Names of a root below a working folder, in the order they are tried."""

_FILES = ("memory.md", "index.md", "log.md", "conventions.md", "assay.toml")
_FOLDERS = ("topics", "archive")


def find_root(start: str) -> str:
    """The absolute path of the nearest memory root, from the folder `start` upwards.

    In each folder: the folder itself where it is laid out as a root, then `memory/`, then `.kiro/memories/`. A folder
    of that name that holds nothing of the layout (§7.3) is passed over: many programs have a `memory/` of their own.
    Symlinks in the path given are kept as they are written. Raises `RootNotFound`.
    """
    folder = os.path.abspath(start)
    while True:
        if _is_root(folder):
            return folder
        for name in ROOTS:
            candidate = os.path.join(folder, name)
            if looks_like_root(candidate):
                return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            raise RootNotFound(
                "No memory root here or in any folder above: looked for memory/ and .kiro/memories/.",
                where=os.path.abspath(start),
                remedy="Name the root, or lay one out with `assay init`.",
            )
        folder = parent


def looks_like_root(folder: str) -> bool:
    """True where `folder` is a folder that holds a file or folder of the reference layout."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in _FILES) or any(
        os.path.isdir(os.path.join(folder, name)) for name in _FOLDERS
    )


def _is_root(folder: str) -> bool:
    """True where `folder` is unmistakably a root: a working folder may well have a `memory.md` or `archive/`."""
    if os.path.isfile(os.path.join(folder, "assay.toml")):
        return True
    return os.path.isfile(os.path.join(folder, "memory.md")) and (
        os.path.isfile(os.path.join(folder, "index.md")) or os.path.isdir(os.path.join(folder, "topics"))
    )
