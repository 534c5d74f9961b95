"""From words to a command and an exit status. Errors become one line on standard error here, and nowhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from core.errors import AssayError, UsageError
from tui.cli import commands, exits
from tui.cli.output import Output, notice, report
from tui.cli.parser import did_you_mean

_DEBUG = "ASSAY_DEBUG"


def run(words: Sequence[str]) -> int:
    """Carry out `words` and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _dispatch(list(words))
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at exit, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        notice("interrupted.")
        return exits.INTERRUPTED
    except SystemExit as ended:  # argparse, after printing help
        return ended.code if isinstance(ended.code, int) else exits.OK
    except AssayError as error:
        report(error)
        return error.exit_status
    except Exception as error:
        return _fault(error)
    return status


def _fault(error: Exception) -> int:
    if os.environ.get(_DEBUG):
        import traceback

        for line in traceback.format_exception(error):
            for part in line.splitlines():
                notice(part)
    if isinstance(error, OSError):
        notice(f"{error.filename or 'system'}: {error.strerror or error}.")
    else:
        # The message may quote memory, so it is for whoever asks for it.
        notice(f"a fault in Assay ({type(error).__name__}). Set {_DEBUG}=1 to see where.")
    return exits.INTERNAL


def _dispatch(words: list[str]) -> int:
    words, root = _leading_root(words)
    first = words[0] if words else None
    if first == "--version":
        print(f"assay {_version()}")
        return exits.OK
    if first in {"-h", "--help"}:
        first, words = "help", ["help"]
    if first is None or first.startswith("-") or first not in commands.ENTRIES:
        first, words = "review", ["review", *_console_words(words)]
    command = commands.load(first)
    args = commands.parser_of(first, command).read(words[1:])
    if root is not None:
        if not hasattr(args, "root"):
            raise UsageError("This works on no root that is there.", where=first, remedy="Leave --root out.")
        args.root = args.root or root
    out = Output(json=getattr(args, "json", False), reveal=getattr(args, "reveal", False))
    return command.run(args, out)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("assay")
    except PackageNotFoundError:
        return "(not installed: run from its source)"


def _leading_root(words: list[str]) -> tuple[list[str], str | None]:
    """`--root DIR` may stand in front of the command, too."""
    if words and words[0] == "--root":
        if len(words) < 2:
            raise UsageError("--root wants a folder.")
        return words[2:], words[1]
    if words and words[0].startswith("--root="):
        return words[1:], words[0].removeprefix("--root=")
    return words, None


def _console_words(words: list[str]) -> list[str]:
    """The words, where they can be meant for the console: a folder, or options. Raises `UsageError`."""
    if not words or words[0].startswith("-") or os.sep in words[0] or os.path.isdir(words[0]):
        return words
    near = did_you_mean(words[0], commands.ENTRIES)
    raise UsageError(f"There is no command or folder {words[0]!r}{near or '.'}", remedy="See `assay help`.")
