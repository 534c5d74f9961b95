"""`assay`: the command line, the console's headless twin (same engine, same rules)."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence

_PATIENCE = 10.0
"""Seconds that a program that is done gets to end."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `assay` with the words `argv` (the process's own by default) and return the exit status."""
    from tui.cli.run import run

    if argv is not None:
        return run(argv)
    status = run(sys.argv[1:])
    if threading.active_count() > 1:
        # A thread that waits for the keys of a terminal that is gone waits for ever.
        last = threading.Timer(_PATIENCE, os._exit, (status,))
        last.daemon = True
        last.start()
    return status
