"""A text edited by the person at the terminal, in the editor of their choice."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence

from core.errors import Declined, NeedsHuman, UsageError
from tui.cli.terminal import Terminal

VARIABLES = ("VISUAL", "EDITOR")
CUT = "# ------ nothing below this line is kept; an empty text cancels ------"


def edit(text: str, notes: Sequence[str], *, what: str) -> str:
    """`text` as a person left it in their editor, on one line; `notes` stand below, for reading.

    Raises `NeedsHuman` without a terminal, `UsageError` without an editor, `Declined` for an empty text or an editor
    that failed.
    """
    terminal = Terminal.open()
    if terminal is None:
        raise NeedsHuman(
            f"{what} is edited by a human at a terminal, and there is none; nothing was written.",
            remedy="--text TEXT gives it without an editor.",
        )
    words = next((shlex.split(command) for name in VARIABLES if (command := os.environ.get(name, "").strip())), None)
    if not words:
        raise UsageError("No editor is named.", remedy="Set EDITOR, or give the text with --text.")
    # For this user alone: it holds memory as it stands, secrets unmasked.
    folder = tempfile.mkdtemp(prefix="assay-")
    path = os.path.join(folder, "TEXT.md")
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write("\n".join([text, "", CUT, *(f"# {line}".rstrip() for line in notes), ""]))
        with terminal:
            status = _run(terminal, [*words, path])
        if status:
            raise Declined(f"The editor ended with status {status}; nothing was written.")
        with open(path, encoding="utf-8", errors="replace") as file:
            kept = file.read().partition(CUT)[0]
    finally:
        _remove(folder)
    edited = " ".join(kept.split())
    if not edited:
        raise Declined("The text was empty; nothing was written.")
    return edited


def _run(terminal: Terminal, words: list[str]) -> int:
    """Run the editor on the terminal, wherever input and output are connected to."""
    try:
        return subprocess.run(
            words, stdin=terminal.reads, stdout=terminal.writes, stderr=terminal.writes, check=False
        ).returncode
    except OSError as error:
        raise UsageError(
            f"The editor cannot be run: {error.strerror or error}.",
            where=words[0],
            remedy="Set EDITOR to one that is there, or give the text with --text.",
        ) from error


def _remove(folder: str) -> None:
    """Remove the file, and what the editor left beside it."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
