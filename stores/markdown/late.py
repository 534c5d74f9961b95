"""Bytes that others wrote to a file in the moment that it was replaced: carried over, or shown to a human."""

from __future__ import annotations

import os
from collections.abc import Sequence

from core.errors import StrangerConflict, WriteRefused
from core.findings import Finding
from core.vocabulary import Severity
from stores.markdown.edits import FileEdit, SpanEdit
from stores.markdown.port import FilePort
from stores.markdown.project_page import ends_line
from stores.markdown.recovery import settle_displaced
from stores.markdown.transaction import LateBytes, commit


def carry_late_bytes(port: FilePort, root: str, tx: str) -> tuple[Finding, ...]:
    """Append, by a commit of their own, what others wrote to a file in the moment that it was replaced.

    Under the lock. What cannot be appended is kept where it is, and is a finding.
    """
    late = settle_displaced(port, root)
    carried = tuple(each for each in late if each.tail)
    left = [each for each in late if not each.tail]
    if carried:
        try:
            commit(port, root, _appended(port, os.path.realpath(root), carried), tx=tx, late=carried)
        except (OSError, StrangerConflict, WriteRefused):
            left += carried
    return tuple(
        Finding(
            "journal-late-bytes",
            Severity.ERROR,
            "Somebody went on writing to an earlier version of this file after it was replaced; it is kept.",
            file=each.path,
            remedy=f"Bring over what is missing from .assay/displaced/{each.temp}.",
        )
        for each in left
    )


def _appended(port: FilePort, root: str, late: Sequence[LateBytes]) -> list[FileEdit]:
    texts: dict[str, bytes] = {}
    for each in late:
        before = texts.get(each.path, b"")
        texts[each.path] = before + (b"" if ends_line(before) else b"\n") + (each.tail or b"")
    edits = []
    for path, text in texts.items():
        data = port.read(port.realpath(os.path.join(root, path)))
        lead = b"" if ends_line(data or b"") else b"\n"
        end = len(data or b"")
        edits.append(FileEdit(path, data, (SpanEdit(end, end, lead + text),)))
    return edits
