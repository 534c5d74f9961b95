"""`assay`: the command line, the console's headless twin (same engine, same rules)."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run `assay` with the words `argv` (the process's own by default) and return the exit status."""
    from tui.cli.run import run

    return run(sys.argv[1:] if argv is None else argv)
