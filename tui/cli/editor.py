"""A text edited by the person at the terminal, in the editor of their choice."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from core.errors import Declined, NeedsHuman, UsageError
from tui.cli.terminal import Terminal
from tui.editor import edit_file, named


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
    words = named()
    if not words:
        raise UsageError("No editor is named.", remedy="Set EDITOR, or give the text with --text.")
    with terminal:
        status, edited = edit_file(text, notes, lambda path: _run(terminal, [*words, path]))
    if status:
        raise Declined(f"The editor ended with status {status}; nothing was written.")
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
