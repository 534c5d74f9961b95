"""The exit statuses of every command, in one table: help, README and tests read it here."""

from __future__ import annotations

from typing import NamedTuple

from core import errors

OK = 0
FOUND = 1
INTERNAL = errors.AssayError.exit_status
INTERRUPTED = 130
BROKEN_PIPE = 141


class Exit(NamedTuple):
    """One exit status: the number, the stable code, and what it means."""

    status: int
    code: str
    meaning: str


def _meaning(error: type[errors.AssayError]) -> str:
    return (error.__doc__ or "").strip().splitlines()[0]


TABLE: tuple[Exit, ...] = (
    Exit(OK, "ok", "Done; for a read, whatever it found."),
    Exit(FOUND, "found", "`check` has a failed check, or `findings --strict` an error or a warning."),
    *sorted(Exit(error.exit_status, error.code, _meaning(error)) for error in errors.AssayError.__subclasses__()),
    Exit(INTERNAL, errors.AssayError.code, "The system failed, or Assay has a fault. Nothing was half written."),
    Exit(INTERRUPTED, "interrupted", "Interrupted at the keyboard; at a question, nothing was written."),
    Exit(BROKEN_PIPE, "broken-pipe", "Whoever read the output has gone."),
)


def table_text() -> str:
    """The table as lines of text."""
    return "\n".join(f"{row.status:>4}  {row.code:<18} {row.meaning}" for row in TABLE)
