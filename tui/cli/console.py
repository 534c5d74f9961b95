"""review and demo: opening the console."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import threading

from core.errors import NeedsHuman
from tui.cli.commands import Command
from tui.cli.opened import root_path
from tui.cli.output import Output

FRAMES = "240"
"""Frames a second, at most: a key that comes right after one waits 4 ms for the next, not 16."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", metavar="ROOT", help="the memory root (else as with --root)")
    parser.add_argument("--root", metavar="DIR", help="the memory root (else ASSAY_ROOT, else the nearest upwards)")


def _review(args: argparse.Namespace, out: Output) -> int:
    return _open(root_path(args.folder or args.root))


def _open(root: str) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NeedsHuman(
            "The console wants a terminal, and there is none.", remedy="`assay status` and the other reads need none."
        )
    gc.disable()  # until the root is read (`tui.app`): what a start makes is here to stay
    from tui.app import run_console

    threading.Thread(target=_end_with_terminal, args=(sys.stdin.fileno(),), daemon=True).start()
    return run_console(root)


def _end_with_terminal(descriptor: int) -> None:
    """End as a closed window ends a program, also where the terminal goes without a signal (a lost session leader)."""
    poll = select.poll()
    poll.register(descriptor, 0)  # a hang-up is told unasked
    with contextlib.suppress(OSError):  # a terminal that cannot be polled tells nothing
        poll.poll()
        os.kill(os.getpid(), signal.SIGHUP)


def _demo(args: argparse.Namespace, out: Output) -> int:
    folder = tempfile.mkdtemp(prefix="assay-")  # for this user alone
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))

    def leave(number: int, frame: object) -> None:
        """A closed window ends the demo and its copy; there is no screen left to tidy up."""
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(128 + number)

    signal.signal(signal.SIGHUP, leave)
    try:
        root = os.path.join(folder, "sample", "memory")
        shutil.copytree(os.path.join(os.path.dirname(os.path.dirname(__file__)), "sample", "memory"), root)
        # Whoever looks around owns the copy; what they confirm in it stays out of their own configuration.
        os.environ["ASSAY_CONFIG_DIR"] = os.path.join(folder, "config")
        _own(root)
        status = _open(root)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    left = f"could not be removed: it lies in {folder}" if os.path.exists(folder) else "is removed"
    out.line(f"The demo's private copy, with all that was decided in it, {left}.")
    name = _called()
    out.line(f"Open a root of your own:   {name} ROOT")
    out.line(f"Lay out a new one:         {name} init")
    return status


def _called() -> str:
    """How to call this program from here, where it is not on the path."""
    own = sys.argv[0]
    return os.path.relpath(own) if os.path.basename(own) == "assay" and shutil.which("assay") is None else "assay"


def _own(root: str) -> None:
    """Let the user at this door act as the sample's owners."""
    from stores.identity import os_user
    from stores.markdown import MarkdownStore
    from stores.pins import Pins

    binding = os.path.join(root, "assay.toml")
    with open(binding, encoding="utf-8") as file:
        text = file.read()
    with open(binding, "w", encoding="utf-8") as file:
        file.write(re.sub(r'^user = ".*"$', lambda _: f'user = "{os_user()}"', text, flags=re.MULTILINE))
    declared = MarkdownStore(root).declared_binding()
    Pins(root).confirm(declared.id, declared.owners)


COMMANDS = {
    "review": Command(
        usage="[ROOT]",
        description="Open the console on a root.",
        examples=("review", "review ~/.kiro/memories", "./memory"),
        arguments=_arguments,
        run=_review,
    ),
    "demo": Command(
        usage="",
        description="Open the console on a private copy of a sample root. Nothing of it is kept.",
        examples=("demo",),
        arguments=lambda parser: None,
        run=_demo,
    ),
}
