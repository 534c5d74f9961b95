"""The real program, run as people and scripts run it: with pipes, without a terminal, and in a pty."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2]
PATIENCE = 15.0

ROOT = {
    "assay.toml": """\
[binding]
id = "cli"
protocol = "memory"
version = "0.2.0"
level = "memory:L4"
timezone = "UTC"
""",
    "index.md": """\
# Memory Index

## Topic Map

- deploy.md — Read when deploying.
""",
    "memory.md": """\
# 2026-06-03

- [2026-06-03] [mem-2026-06-03-001] (state) Port is 9090. Subject: app:port. Source: deploy log 2026-06-03.
- [2026-06-07] [mem-2026-06-07-001] (state) Deploy key is AKIAIOSFODNN7EXAMPLE. Subject: deploy:key. Source: chat.
""",
    "topics/deploy.md": """\
---
title: Deploy
layer: warm
triggers:
  - deploying
last_updated: 2026-05-20
source_dates:
  - 2026-05-01
  - 2026-05-20
---
# Deploy

## Facts and lessons

- [2026-05-01] (state) Port is 8080.
  - id: mem-2026-05-01-009
  - kind: state
  - subject: app:port
  - Status: active
  - Source: archive/2026-05-20.md#run-6
- [2026-05-20] (knowledge) Retries hide timeouts behind the gateway.
  - id: mem-2026-05-20-001
  - kind: knowledge
  - Status: pending-cleanup
  - Source: archive/2026-05-20.md#run-7
- [2026-05-20] (knowledge) 部署前先备份数据库。
  - id: mem-2026-05-20-002
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-8
- [2026-05-21] (knowledge) Drain before a restart.
  - Source: archive/2026-05-20.md#run-8
""",
    "topics/escapes.md": (
        "# Escapes\n\n"
        "- [2026-05-06] (knowledge) copy\x1b]52;c;aGVsbG8=\x07 clear\x1b[2J c1\x9b31m bidi\u202egnp.exe\u202c"
        " zero\u200bwidth del\x7f esc\x1b\n"
        "  - id: mem-2026-05-06-006\n"
        "  - kind: knowledge\n"
        "  - Status: active\n"
        "  - Source: archive/2026-05-20.md\n"
    ),
    "archive/2026-05-20.md": """\
# 2026-05-20

## Run 6

- [2026-05-20] raw notes of run 6

## Run 7

- [2026-05-20] [mem-2026-05-20-001] (knowledge) Retries hide timeouts behind the gateway. Source: run 7.

## Run 8

- [2026-05-20] [mem-2026-05-20-002] (knowledge) 部署前先备份数据库。 Source: run 8.
""",
}

HOSTILE = [chr(point) for point in (*range(0x20), *range(0x7F, 0xA0), 0x200B, 0x202C, 0x202E) if point != 0x0A]


@dataclass(frozen=True)
class Result:
    """What a run left: its exit status, its output, and what it said."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)


class Program:
    """`assay` in a folder of its own, with its own configuration and no root from outside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "memory"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "XDG_"))}
        self.environment = {
            **kept,
            "PYTHONPATH": str(SOURCE),
            "ASSAY_CONFIG_DIR": str(folder / "config"),
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm",
        }

    def lay_out(self, files: dict[str, str] = ROOT, **more: str) -> Path:
        """Write the files of a root; `more` names further ones, with `/` as `__` and `.md` left out."""
        named = {f"{name.replace('__', '/')}.md": text for name, text in more.items()}
        for name, text in {**files, **named}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return self.root

    def words(self, words: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "tui", *words]

    def __call__(self, *words: str, typed: str | None = None, **environment: str) -> Result:
        """Run without a terminal; `typed` comes down a pipe."""
        done = subprocess.run(
            self.words(words),
            cwd=self.folder,
            env={**self.environment, **environment},
            input=None if typed is None else typed.encode(),
            stdin=subprocess.DEVNULL if typed is None else None,
            capture_output=True,
            start_new_session=True,
            timeout=PATIENCE,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def inside(self, *words: str) -> Result:
        """The same in this process: quicker, for the many reads. What it prints goes through the same encodings."""
        from tui.cli import main

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            for name in ("ASSAY_ROOT", "ASSAY_CONFIG_DIR"):
                patch.delenv(name, raising=False)
            patch.setenv("ASSAY_CONFIG_DIR", self.environment["ASSAY_CONFIG_DIR"])
            status = main(words)
        return Result(status, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())

    def agreed(self, *words: str, answer: str = "yes") -> Result:
        """The same with somebody at the terminal who answers every question so: quicker than a pty."""
        from tui.cli.terminal import Terminal

        said: list[str] = []

        class Person(Terminal):
            def show(self, text: str) -> None:
                said.append(text)

            def ask(self, question: str) -> str:
                said.append(question)
                return answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Terminal, "open", lambda: Person(-1, -1, owned=False))
            result = self.inside(*words)
        return Result(result.status, result.out, "\n".join(said) + result.err)

    def alone(self, *words: str) -> Result:
        """The same with nobody at a terminal."""
        from tui.cli.terminal import Terminal

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Terminal, "open", lambda: None)
            return self.inside(*words)

    def at_terminal(self, *words: str, pipe: bool = False, controlling: bool = True) -> Session:
        """Run in a pty; with `pipe`, standard output goes elsewhere, and the terminal shows the rest.

        Without `controlling` the pty is standard input and error, and no more.
        """
        return Session(self, words, pipe=pipe, controlling=controlling)

    def own(self, name: str = "ana", user: str | None = None) -> None:
        """Declare an owner of everything, acting as `user` (whoever runs this), confirmed on this machine."""
        from stores.identity import os_user
        from stores.markdown import MarkdownStore
        from stores.pins import Pins

        binding = self.root / "assay.toml"
        owner = f'\n[[owners]]\nname = "{name}"\nuser = "{user or os_user()}"\nscopes = ["*"]\n'
        binding.write_text(binding.read_text() + owner)
        declared = MarkdownStore(str(self.root)).declared_binding()
        pins = Pins(str(self.root), folder=self.environment["ASSAY_CONFIG_DIR"])
        pins.confirm(declared.id, declared.owners)

    def bytes(self) -> dict[str, bytes]:
        """Every file of the root that is not the engine's own bookkeeping."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".assay" not in path.parts
        }


class Session:
    """A run of the program with a person at its terminal."""

    def __init__(self, program: Program, words: Sequence[str], *, pipe: bool, controlling: bool) -> None:
        self._here, there = pty.openpty()
        self._process = subprocess.Popen(
            program.words(words),
            cwd=program.folder,
            env=program.environment,
            stdin=there,
            stdout=subprocess.PIPE if pipe else there,
            stderr=there,
            start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None,
        )
        os.close(there)
        self.screen = ""

    def type(self, text: str) -> None:
        """Type `text`."""
        os.write(self._here, text.encode())

    def wait_for(self, text: str) -> None:
        """Read the screen until `text` stands on it."""
        end = time.monotonic() + PATIENCE
        while text not in self.screen:
            assert time.monotonic() < end, f"never saw {text!r} in {self.screen!r}"
            if not self._read(0.2) and self._process.poll() is not None:
                self._read(0)
                assert text in self.screen, f"never saw {text!r} in {self.screen!r}"

    def answer(self, text: str, question: str = "cancel:") -> Result:
        """Wait for the question, type the answer, and see the program out."""
        self.wait_for(question)
        self.type(text + "\n")
        return self.end()

    def end(self) -> Result:
        """Wait until the program has ended. `out` is what went down the pipe, `err` what the terminal shows."""
        out = b""
        while self._read(0.1) or self._process.poll() is None:
            pass
        if self._process.stdout is not None:
            out = self._process.stdout.read()
            self._process.stdout.close()
        status = self._process.wait(PATIENCE)
        return Result(status, out.decode(), self.screen)

    def close(self) -> None:
        """End the program, whatever it is doing."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(PATIENCE)
        os.close(self._here)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._here], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._here, 65536)
        except OSError:  # the program has closed its end
            return False
        self.screen += data.decode("utf-8", "replace")
        return bool(data)


@pytest.fixture
def hostile() -> Callable[[str], list[str]]:
    """The characters of an output that would act on a terminal, or hide."""
    return lambda output: [character for character in HOSTILE if character in output]


@pytest.fixture
def empty(tmp_path: Path) -> Program:
    """The program where there is no root."""
    return Program(tmp_path)


@pytest.fixture
def assay(tmp_path: Path) -> Program:
    """The program beside a root of a few items, without owners."""
    program = Program(tmp_path)
    program.lay_out()
    return program


@pytest.fixture
def person(assay: Program) -> Iterator[Callable[..., Session]]:
    """`assay` at a terminal."""
    sessions: list[Session] = []

    def start(*words: str, pipe: bool = False, controlling: bool = True) -> Session:
        sessions.append(assay.at_terminal(*words, pipe=pipe, controlling=controlling))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()
