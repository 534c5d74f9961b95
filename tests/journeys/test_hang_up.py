"""A terminal that is gone takes the console with it, with or without a signal."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEADLINE = 60.0


@pytest.mark.parametrize("words", [("review",), ("demo",)], ids=" ".join)
def test_the_console_ends_with_its_terminal(tmp_path: Path, words: tuple[str, ...]) -> None:
    root = tmp_path / "memory"
    shutil.copytree(ROOT / "tui" / "sample" / "memory", root)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment |= {"ASSAY_CONFIG_DIR": str(tmp_path / "config"), "ASSAY_ROOT": str(root)}
    program = subprocess.Popen(
        [sys.executable, "-m", "tui", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env=environment,
        start_new_session=True,  # no controlling terminal, so no signal tells it
    )
    os.close(theirs)
    try:
        seen = b""
        until = time.monotonic() + DEADLINE
        while b"161 items" not in seen:
            assert time.monotonic() < until, "the console does not open"
            if select.select([ours], [], [], 0.5)[0]:
                seen += os.read(ours, 65536)
        os.close(ours)
        program.wait(DEADLINE)
    finally:
        with contextlib.suppress(ProcessLookupError):
            program.kill()
    assert not list(tmp_path.glob("assay-*")), "the demo's copy goes with it"


def test_a_thread_that_waits_for_keys_for_ever_does_not_keep_the_program_alive() -> None:
    words = (
        "import sys, threading, tui.cli, tui.cli.run as run\n"
        "run.run = lambda words: 7\n"
        "tui.cli._PATIENCE = 0.2\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "sys.exit(tui.cli.main())\n"
    )
    ended = subprocess.run([sys.executable, "-c", words], cwd=ROOT, timeout=DEADLINE)
    assert ended.returncode == 7
