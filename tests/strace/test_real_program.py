"""The real program under strace: a writing call of a commit fails, or kills it. No root is half written.

A run is recorded first: which calls change something below the root, and which call of its kind on its path each is.
Then a run for each of them (evenly chosen ones, where there are many), from the same root, with the fault put there.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import pytest

from core.errors import AssayError
from stores.markdown.store import MarkdownStore
from tests.cli.conftest import PATIENCE, Program, Result, Session

OLD, NEW, LESSON = "mem-2026-05-01-009", "mem-2026-06-03-001", "mem-2026-05-20-002"
FIRST = "mem-2026-05-20-001"
COMMANDS = {
    "supersede": ("supersede", OLD, "--by", NEW),
    "withdraw": ("withdraw", "--item", LESSON),
    "merge": ("merge", FIRST, LESSON, "--text", "Back the database up before a deploy."),
    "approve": ("approve", "mempolicy-2026-06-01-001"),
}
PROPOSAL = f"""\
---
proposal_id: mempolicy-2026-06-01-001
target: conventions.md
proposed_change: Back the database up before a deploy.
supporting_refs:
  - {FIRST}
  - {LESSON}
expected_benefit: no lost data
risk: slower deploys
status: pending-review
---
"""
CALLS = (
    *("openat", "write", "fsync", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "fchmod", "fchown"),
)
NEEDS_SPACE = ("openat", "write", "fsync", "rename", "renameat2", "link", "linkat", "mkdir")
KILLS, FAILS = 14, 6
"""At most so many runs for each command and fault."""

_CLOCK = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"
STATUSES = {error.exit_status for error in AssayError.__subclasses__()}
STRACE = ("strace", "-f", "-qq", "-y", "-s", "0")
QUICK = "--seccomp-bpf"
"""Stops at the traced calls alone; but no signal can be put in there."""


def hindrance() -> str:
    """Why the program cannot be traced here; '' where it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(
        [*STRACE, QUICK, "-o", "/dev/null", "-e", "trace=openat", "-e", "inject=openat:error=EIO:when=9999", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if tried.returncode == 0 else f"strace does not work here (ptrace not permitted?): {tried.stderr.strip()}"


HINDRANCE = hindrance()
pytestmark = pytest.mark.skipif(bool(HINDRANCE), reason=HINDRANCE or "it works")


@dataclass(frozen=True)
class Call:
    """The `nth` call of its name that touches `path`."""

    name: str
    path: str
    nth: int


class Traced(Program):
    """The program under strace, on a root that is laid out anew for each run, always at the same place."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
        self.trace = folder / "trace"
        self._options: Sequence[str] = ()
        self.lay_out(**{"proposals__mempolicy-2026-06-01-001": PROPOSAL, "conventions": "# Conventions\n"})
        self.own()
        self._kept = folder / "kept"
        shutil.copytree(self.root, self._kept)

    def words(self, words: Sequence[str]) -> list[str]:
        traced = ("-e", f"trace={','.join(CALLS)}", "-e", "signal=none")
        return [*STRACE, "-o", str(self.trace), *traced, *self._options, *super().words(words)]

    def agree(self, words: Sequence[str], *options: str) -> Result:
        """Run from the beginning, with these options of strace; somebody at the terminal says yes, once asked."""
        self._options = options
        shutil.rmtree(self.root)
        shutil.copytree(self._kept, self.root)
        session = Answering(self, words)
        try:
            if session.asks():
                session.type("yes\n")
            return session.end()
        finally:
            session.close()

    def changing(self) -> Iterator[Call]:
        """The calls of the recorded run that changed something below the root, in their order."""
        counts: Counter[tuple[str, str]] = Counter()
        below = str(self.root)
        for line in self.trace.read_text(errors="replace").splitlines():
            name, arguments, answer = re.fullmatch(r"\d+\s+(\w+)\((.*)\)\s+= (.*)", line).groups()  # type: ignore[union-attr]
            told = re.findall(r"^\d+<([^>]*)>", arguments) or re.findall(r'"([^"]*)"', arguments)
            paths = [path for path in told if path == below or path.startswith(below + "/")]
            seen = paths[:1] if name == "rename" else paths  # there, strace -P looks at the first path alone
            counts.update({(name, path) for path in seen})
            only_reads = name == "openat" and "O_CREAT" not in arguments
            if paths and not only_reads and not answer.startswith("-1"):
                yield Call(name, paths[0], counts[name, paths[0]])

    def stands(self) -> dict[str, str]:
        """Every file of the root but Assay's own workings; clocks in it are all the same.

        A control event goes to a file of its own where the month's cannot be written.
        """
        return {
            re.sub(r"-memwd-[\d-]+\.jsonl$", ".jsonl", name): re.sub(_CLOCK, "T", content.decode())
            for name, content in self.bytes().items()
            if not Path(name).name.startswith(".assay-")
        }


class Answering(Session):
    """Somebody who looks whether there is a question."""

    def __init__(self, program: Program, words: Sequence[str]) -> None:
        super().__init__(program, words, pipe=False, controlling=True)

    def asks(self) -> bool:
        """Wait for the question; false where the program ended before it."""
        end = time.monotonic() + 4 * PATIENCE
        while "cancel:" not in self.screen:
            assert time.monotonic() < end, f"neither a question nor an end: {self.screen!r}"
            if not self._read(0.1) and self._process.poll() is not None:
                return False
        return True


def chosen(calls: Sequence[Call], most: int) -> list[Call]:
    """At most `most` of the calls, evenly, with the first and the last."""
    if len(calls) <= most:
        return list(calls)
    return [calls[round(number * (len(calls) - 1) / (most - 1))] for number in range(most)]


@dataclass
class Recorded:
    """A command that ran undisturbed."""

    program: Traced
    words: tuple[str, ...]
    before: dict[str, str]
    after: dict[str, str]
    calls: list[Call]

    def with_fault(self, call: Call, fault: str) -> Result:
        inject = f"inject={call.name}:{fault}:when={call.nth}"
        quick = () if fault.startswith("signal") else (QUICK,)
        return self.program.agree(self.words, *quick, "-P", call.path, "-e", inject)

    def reopened(self, call: Call) -> bool:
        """Open the root as the next user does. Whether it is wholly after the command; else it is wholly before it."""
        status = self.program.inside("status", "--root", str(self.program.root))
        assert status.status == 0, (call, status.err)
        journal = self.program.root / ".assay" / "journal"
        left = {path.suffix for path in journal.glob("*")}
        assert left <= {".preparing", ".done"}, f"{left} is left after {call}"  # nothing hangs on these
        now = self.program.stands()
        assert now in (self.before, self.after) or self.in_place(now), f"half: {call}: {difference(now, self.after)}"
        with MarkdownStore(str(self.program.root)).writer("human:next"):
            pass
        assert not list(journal.glob("*"))
        assert not self._left()
        assert self.program.stands() == now
        return now != self.before

    def _left(self) -> list[Path]:
        """Temporary files that are left outside `.assay/`."""
        return [path for path in self.program.root.rglob(".assay-*") if ".assay" not in path.parts]

    def in_place(self, now: dict[str, str]) -> bool:
        """Whether this is the withdrawal whose text could not be moved, or that the index could not follow (§12.2).

        The record stands all the same, and excludes; what it could not do is found at the next look.
        """
        if self.words[0] != "withdraw":
            return False
        moved = {
            name for name in self.before.keys() | self.after.keys() if name.split("/")[0] in ("topics", "withdrawn")
        }
        (replay,) = (name for name in self.after if name.endswith(".jsonl"))
        events = [json.loads(line) for line in now.get(replay, "").splitlines()]
        if [event["type"] for event in events] != ["withdraw"]:
            return False
        unmoved = not any(event_item.get("fields") for event_item in events[0]["items"])
        tree = self.before if unmoved else self.after
        rest = self.after.keys() - moved - {replay, "index.md"}
        return (
            all(now.get(name) == tree.get(name) for name in moved)
            and all(now.get(name) == self.after[name] for name in rest)
            and now["index.md"] in (self.before["index.md"], self.after["index.md"])
        )


def difference(now: dict[str, str], after: dict[str, str]) -> str:
    """Where two trees differ."""
    lines = unified_diff(
        *("\n".join(f"{name}:\n{tree[name]}" for name in sorted(tree)).split("\n") for tree in (now, after))
    )
    return "\n".join(lines)


@pytest.fixture
def recorded(tmp_path: Path, request: pytest.FixtureRequest) -> Recorded:
    program = Traced(tmp_path)
    words = (*COMMANDS[request.param], "--root", str(program.root))
    before = program.stands()
    done = program.agree(words, QUICK)
    assert done.status == 0, done.err
    after = program.stands()
    calls = list(program.changing())
    assert after.keys() > before.keys()
    kinds = {call.name for call in calls}
    assert {"openat", "write", "fsync", "rename"} <= kinds, kinds
    assert len(calls) > 25
    return Recorded(program, words, before, after, calls)


both = pytest.mark.parametrize("recorded", COMMANDS, indirect=True)


@both
def test_killed_at_a_writing_call(recorded: Recorded) -> None:
    ends = set()
    for call in chosen(recorded.calls, KILLS):
        result = recorded.with_fault(call, "signal=SIGKILL")
        assert result.status == -signal.SIGKILL, f"{call} did not come again: {result.err}"
        ends.add(recorded.reopened(call))
    assert ends == {False, True}


@both
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_a_writing_call_fails(recorded: Recorded, error: str) -> None:
    refused = 0
    calls = [call for call in recorded.calls if error == "EIO" or call.name in NEEDS_SPACE]
    for call in chosen(calls, FAILS):
        result = recorded.with_fault(call, f"error={error}")
        assert "(INJECTED)" in recorded.program.trace.read_text(errors="replace"), f"{call} did not come again"
        assert result.status in STATUSES | {0}, (call, result.status, result.err)
        assert "Traceback" not in result.err
        done = recorded.reopened(call)
        if result.status:
            refused += 1
            said = result.err.rstrip().splitlines()[-1]
            assert said.startswith("assay: "), (call, result.err)
            assert not done, f"{call}: the program said {said!r}, and the change stands"
        else:
            assert done, f"{call}: the program said that it is done, and nothing is written"
    assert refused
