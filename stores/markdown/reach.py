"""What of a root's disk can be reached for writing: its files through links, its folders, the folders to lock."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from core.errors import RootReadOnly, WriteRefused
from stores.markdown.links import LinkPolicy
from stores.markdown.own import OWN_FOLDER
from stores.markdown.port import FilePort


def bytes_of(port: FilePort, root: str, path: str) -> bytes | None:
    """The bytes of the file at a root-relative path, links followed; None where there is none.

    Raises `WriteRefused` where it is there and cannot be read.
    """
    try:
        return port.read(port.realpath(os.path.join(root, path)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WriteRefused(
            f"It cannot be read: {error.strerror or error}.", where=path, remedy="Repair it, then try again."
        ) from error


def blocked(port: FilePort, root: str, path: str, links: LinkPolicy) -> str:
    """Why the file at a root-relative path cannot be written, '' where it can."""
    real = port.realpath(os.path.join(root, path))
    if not links.permits(real):
        return f"it leads out of the root, to {real}"
    try:
        if port.stat(real) is not None and not port.writable(real):
            return "the file is read-only"
        folder = os.path.dirname(real)
        while port.stat(folder) is None and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        return "" if port.writable(folder) else "its folder is read-only"
    except OSError as error:
        return error.strerror or str(error)


def linked_folders(root: str, links: LinkPolicy) -> Iterator[str]:
    """The real folders outside the root that its links lead to, where they may. Never raises."""
    waiting = [root]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError:
            continue
        for entry in found:
            if entry.is_symlink():
                real = os.path.realpath(entry.path)
                if links.permits(real) and not links.inside(real):
                    yield real if os.path.isdir(real) else os.path.dirname(real)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def make_root(port: FilePort, root: str) -> list[str]:
    """Make the folders of a root that is not there yet, and the engine's own folder in it, durably.

    Those made for the root, innermost first. Raises `RootReadOnly`.
    """
    made: list[str] = []
    folder = root
    while not os.path.lexists(folder):
        made.append(folder)
        folder = os.path.dirname(folder)
    try:
        for folder in reversed(made):
            port.mkdir(folder)
            port.fsync_folder(os.path.dirname(folder))
    except OSError as error:
        raise RootReadOnly(
            f"The root cannot be made: {error.strerror or error}.", where=root, remedy="Name another folder."
        ) from error
    own = os.path.join(port.realpath(root), OWN_FOLDER)
    with suppress(OSError):  # the lock, which needs that folder, says what is wrong with it
        if port.stat(own) is None:
            # Made here and synced: a journal in a folder that a power cut can take away is no journal.
            port.mkdir(own)
            port.fsync_folder(os.path.dirname(own))
    return made


def unmake_root(root: str, made: Sequence[str]) -> None:
    """Remove the folders `made` for a root that nothing was written to."""
    try:
        if not made or any(name != OWN_FOLDER for name in os.listdir(root)):
            return
    except OSError:
        return
    with suppress(OSError):
        for folder, _, names in os.walk(os.path.join(root, OWN_FOLDER), topdown=False):
            for name in names:
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)
        for folder in made:
            os.rmdir(folder)
