"""What the engine costs on one root, without a screen: `python -m tests.bench.inside ROOT [quick] [cpu]`, as JSON."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from core.authority import Actor, Role
from core.engine import Engine
from core.reading import Reading
from core.requests import Stale
from core.vocabulary import Status
from stores.markdown import MarkdownStore
from stores.markdown.edits import FileEdit, difference
from stores.markdown.port import OsPort
from stores.markdown.reader import Reader
from stores.markdown.transaction import commit

clock = time.process_time if "cpu" in sys.argv else time.perf_counter
"""Processor time says what code costs on a machine that has other work to do; waiting for the disk is not in it."""
ANSWERS = ("influence", "conflicts", "findings", "queue", "checks")
NEW = (
    "- [2026-02-02] (knowledge) Something new, number {0}, was seen.\n  - id: mem-2026-02-02-{0}\n"
    "  - kind: knowledge\n  - Scope: project\n  - Status: active\n  - Source: archive/2025-01-01.md#run-0\n"
)


def timed(work: Callable[[], object], times: int = 1) -> list[float]:
    """Seconds that `work` takes, each time."""
    taken = []
    for _ in range(times):
        began = clock()
        work()
        taken.append(clock() - began)
    return taken


def answer(reading: Reading) -> None:
    """Ask for every answer of the rules."""
    for name in ANSWERS:
        getattr(reading, name)


def bytes_of(root: Path) -> list[bytes]:
    """Every governed byte of the root."""
    return [path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file() and ".assay" not in path.parts]


def measure(root: Path, *, quick: bool) -> dict[str, list[float]]:
    """Seconds by what was done, each several times; `memory` in bytes."""
    found: dict[str, list[float]] = {"bytes": timed(lambda: bytes_of(root), 3)}
    found["parse"] = timed(lambda: Reader(str(root)).read(), 4)[1:]  # the first one imports
    found["kept"] = timed(lambda: MarkdownStore(str(root)).snapshot(), 4)[1:]
    gc.collect()
    engine = Engine(MarkdownStore(str(root)), clock=lambda: datetime.now(UTC))
    reading = engine.reading()
    for name in ANSWERS:
        found[name] = timed(lambda name=name: getattr(reading, name))
    found["rules"] = [sum(found[name][0] for name in ANSWERS)]
    gc.freeze()
    found["change"] = [_changed(engine, root, number) for number in range(5)]
    found["plan"], found["commit"] = _decided(engine, 5)
    found["four files"], found["by hand"] = _written(root, 9)
    found["find"] = _found(engine)
    if not quick or len(reading.snapshot.items) < 20_000:
        found["duplicates"] = _duplicates(engine.reading())
    return found


def _changed(engine: Engine, root: Path, number: int) -> float:
    with open(root / "topics" / "topic-0003.md", "a", encoding="utf-8") as file:
        file.write(NEW.format(900 + number))
    return timed(lambda: answer(engine.reading()))[0]


def _decided(engine: Engine, times: int) -> tuple[list[float], list[float]]:
    """One item marked stale: seconds to plan it, and to commit it."""
    person = Actor(Role.HUMAN, "bob")
    planned, committed = [], []
    for _ in range(times):
        reading = engine.reading()
        answer(reading)
        items = reading.snapshot.items
        key = next(
            item.key
            for item in reversed(items)
            if item.status is Status.ACTIVE and reading.influence.eligible(item.key)
        )
        began = clock()
        plan = engine.plan(Stale((key,)), person, reading)
        planned.append(clock() - began)
        decision = engine.decide(plan, person)
        began = clock()
        engine.commit(plan, decision)
        committed.append(clock() - began)
    return planned, committed


def _written(root: Path, times: int) -> tuple[list[float], list[float]]:
    """The same new bytes of four files: by a transaction, and staged, renamed and synced by hand."""
    names = sorted(path.relative_to(root).as_posix() for path in (root / "topics").iterdir())[:4]
    ours, floor = [], []
    for number in range(times):
        for kept, write in ((ours, _by_transaction), (floor, _by_hand)):
            before = {name: (root / name).read_bytes() for name in names}
            after = {name: data + f"<!-- {number} -->\n".encode() for name, data in before.items()}
            began = clock()
            write(root, before, after, number)
            kept.append(clock() - began)
    return ours, floor


def _by_transaction(root: Path, before: dict[str, bytes], after: dict[str, bytes], number: int) -> None:
    edits = [FileEdit(name, data, difference(data, after[name])) for name, data in before.items()]
    commit(OsPort(), str(root), edits, tx=f"bench-{number}")


def _by_hand(root: Path, before: dict[str, bytes], after: dict[str, bytes], number: int) -> None:
    for name, data in after.items():
        staged = root / (name + ".bench")
        with open(staged, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(staged, root / name)
        folder = os.open((root / name).parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def _found(engine: Engine) -> list[float]:
    from tui.search import Haystack

    haystack = Haystack((item.key, item.text) for item in engine.reading().snapshot.items)
    return [
        timed(lambda query=query: haystack.find(query), 5)[1] for query in ("gateway", "网关", "port 51", "租约 队列")
    ]


def _duplicates(reading: Reading) -> list[float]:
    from core.duplicates import suggest_duplicates

    return timed(lambda: suggest_duplicates(reading.snapshot, reading.influence))


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), quick="quick" in sys.argv[2:])))
