"""What stands in the way of writing, as findings: interrupted commits, and locks that cannot be had."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.errors import AssayError
from core.findings import Finding
from core.snapshot import FileState
from core.vocabulary import Severity
from stores.markdown.journal import Home, decode, journals
from stores.markdown.port import FilePort


@dataclass(frozen=True, slots=True)
class Trouble:
    """Findings, and the files (path -> why) that must not be written; the key '' stands for every file."""

    findings: tuple[Finding, ...] = ()
    unwritable: Mapping[str, str] = field(default_factory=dict)

    def shut(self, files: Mapping[str, FileState]) -> Mapping[str, FileState]:
        """`files` with what must not be written marked so."""
        if not self.unwritable:
            return files
        everything = self.unwritable.get("", "")
        shut = {
            path: replace(state, unwritable=state.unwritable or self.unwritable.get(path, everything))
            for path, state in files.items()
        }
        gone = {path: FileState("", 0, why) for path, why in self.unwritable.items() if path and path not in files}
        return {**shut, **gone}


def no_lock(error: AssayError) -> Finding:
    """The finding for a root that cannot be locked: it can be read, and nothing may be written."""
    return Finding(
        "lock-unavailable",
        Severity.WARNING,
        f"The root cannot be locked, so nothing is written: {error.what.rstrip('.')}.",
        remedy="Make the root's folder writable, on a file system that has locks.",
    )


def journal_trouble(port: FilePort, root: str) -> Trouble:
    """What the journals and displaced files of the root say, without its lock. Never raises."""
    home = Home(os.path.realpath(root))
    findings: list[Finding] = []
    unwritable: dict[str, str] = {}
    try:
        found = journals(port, home)
    except OSError:
        return Trouble()
    for tx, state in found:
        path = f".assay/journal/{tx}.{state}"
        if state not in ("committed", "undoing", "stuck"):
            continue
        try:
            steps = decode(port.read(os.path.join(home.root, path)) or b"", home).steps
        except (OSError, ValueError):
            if port.stat(os.path.join(home.root, path)) is None:
                continue  # settled while we looked
            findings.append(
                Finding(
                    "journal-unreadable",
                    Severity.ERROR,
                    "The journal of an interrupted commit cannot be read, so nothing is written.",
                    file=path,
                    remedy="Compare the files with a backup, then remove that journal.",
                )
            )
            unwritable[""] = "the journal of an interrupted commit cannot be read"
            continue
        if state == "stuck":
            why = "an interrupted change of it waits for a choice"
            for step in steps:
                unwritable[step.path] = why
                findings.append(
                    Finding(
                        "journal-stuck",
                        Severity.ERROR,
                        "A commit that touched this file could neither be finished nor undone; all versions are kept.",
                        file=step.path,
                        remedy="Choose with `assay recover`; until then the file is read-only.",
                    )
                )
        else:
            findings.append(
                Finding(
                    "journal-interrupted",
                    Severity.WARNING,
                    f"A commit was cut short ({', '.join(step.path for step in steps)}); the next writer settles it.",
                    file=path,
                    remedy="Make the root writable and open it again.",
                )
            )
    return Trouble(tuple(findings), unwritable)
