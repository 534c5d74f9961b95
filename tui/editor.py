"""A text in a human's own editor: the file it is edited in, for the console and the command line alike."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Sequence

VARIABLES = ("VISUAL", "EDITOR")
CUT = "# ------ nothing below this line is kept; an empty text cancels ------"


def named() -> list[str] | None:
    """The words of the editor that the human named; None where they named none."""
    return next((shlex.split(command) for name in VARIABLES if (command := os.environ.get(name, "").strip())), None)


def edit_file(text: str, notes: Sequence[str], run: Callable[[str], int]) -> tuple[int, str]:
    """Let `run` edit a file of `text`, with `notes` beneath a cut; its status, and what was left above it on one line.

    The file is for this user alone, and gone afterwards: it holds memory as it stands, secrets unmasked.
    """
    folder = tempfile.mkdtemp(prefix="assay-")
    path = os.path.join(folder, "TEXT.md")
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write("\n".join([text, "", CUT, *(f"# {line}".rstrip() for line in notes), ""]))
        status = run(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            kept = file.read().partition(CUT)[0]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return status, " ".join(kept.split())
