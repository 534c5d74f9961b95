"""Measure speed and memory against the budgets: `python -m tests.bench [--items 1000,10000,100000] [--quick] [--cpu]`.

Each size gets a generated root of its own. What is measured stands beside its floor, measured in the same run; machines
differ, ratios differ less. Prints a table and writes bench.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench import floor
from tests.bench.generate import generate
from tests.bench.inside import NEW
from tests.bench.terminal import Terminal

KEYS = 40
ALL_ITEMS = "\x1b[B\x1b[B\r"
"""From the top of the index into the list of all items."""
CACHE, GLANCE = ".assay/cache.db", ".assay/glance.db"
PATIENCE = 30.0
FIRST = ("Review",)
FILLED = ("topic-0000", "Topic 0")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Times are in milliseconds; `budget` is a ratio where there is a floor, else a limit."""

    items: int
    what: str
    median: float
    p95: float
    floor: float | None
    budget: float | None
    unit: str = "ms"

    @property
    def measure(self) -> float:
        """What the budget is about: the ratio to the floor, or the value itself."""
        return self.median / self.floor if self.floor else self.median

    @property
    def verdict(self) -> str:
        """Whether the budget is kept."""
        return "" if self.budget is None else "ok" if self.measure <= self.budget else "OVER"


def row(
    items: int, what: str, taken: Sequence[float], floor: Sequence[float] | None = None, budget: float | None = None
) -> Row:
    """A line from seconds."""
    median = statistics.median(taken) * 1000
    base = statistics.median(floor) * 1000 if floor else None
    return Row(items, what, median, percentile(taken) * 1000, base, budget)


def percentile(taken: Sequence[float]) -> float:
    """The 95th percentile."""
    ordered = sorted(taken)
    return ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]


def console_rows(items: int, root: Path, environment: Mapping[str, str], runs: int) -> list[Row]:
    """What a person at the console waits for."""
    _compile(root, environment)
    (root / GLANCE).parent.mkdir(exist_ok=True)  # as in a root that was written to
    names = ("floor", "never seen", "never seen, filled", "warm")
    starts: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(runs):  # in turn, so that all of them meet the same machine
        for kept in (CACHE, GLANCE):
            (root / kept).unlink(missing_ok=True)
        with Terminal("tests.bench.floor", environment=environment) as screen:
            starts["floor"].append(screen.until((floor.READY,)))
        with Terminal("tui", "review", str(root), environment=environment) as screen:
            starts["never seen"].append(screen.until(FIRST))
            starts["never seen, filled"].append(screen.until(FILLED))
            _until_kept(root)
        with Terminal("tui", "review", str(root), environment=environment) as screen:
            starts["warm"].append(screen.until(FILLED))
    with Terminal("tests.bench.floor", environment=environment) as screen:
        screen.until((floor.READY,))
        screen.rest()
        base = [screen.key("\x1b[B") for _ in range(KEYS)]
    with Terminal("tui", "review", str(root), environment=environment) as screen:
        screen.until(FILLED)
        screen.rest(3.0 if items < 50_000 else 8.0)
        screen.type(ALL_ITEMS)
        screen.rest(2.0)
        keys = [screen.key("\x1b[B") for _ in range(KEYS)]
        memory = screen.memory() / 1e6
        changes = [_seen(screen, root, number) for number in range(5)]
    limit = 1.5 if items >= 50_000 else 1.2 if items >= 10_000 else None
    return [
        row(items, "never seen: first frame / minimal app", starts["never seen"], starts["floor"], limit),
        row(items, "never seen: rows on the screen", starts["never seen, filled"], starts["floor"]),
        row(items, "first frame, with rows / minimal app", starts["warm"], starts["floor"], limit),
        Row(
            items, "key, p95 / one label's key", percentile(keys) * 1000, max(keys) * 1000, percentile(base) * 1000, 3.0
        ),
        row(items, "change on disk to the screen", changes, None, 100.0),
        Row(items, "resident memory", memory, memory, None, 300.0, "MB"),
    ]


def _compile(root: Path, environment: Mapping[str, str]) -> None:
    """Start each program once: Python keeps what it compiles, here as on the machine of whoever installs it."""
    with Terminal("tests.bench.floor", environment=environment) as screen:
        screen.until((floor.READY,))
    with Terminal("tui", "review", str(root), environment=environment) as screen:
        screen.until(FILLED)
        screen.rest(2.0)


def _until_kept(root: Path) -> None:
    """Wait until the console has kept what it shows: the last thing that it keeps."""
    until = time.perf_counter() + PATIENCE
    while not (root / GLANCE).exists() and time.perf_counter() < until:
        time.sleep(0.1)
    time.sleep(0.5)


def _seen(screen: Terminal, root: Path, number: int) -> float:
    began = time.perf_counter()
    with open(root / "topics" / "topic-0004.md", "a", encoding="utf-8") as file:
        file.write(NEW.format(800 + number))
    seen = screen.until(("changed outside",), began)
    screen.rest(2.0)
    screen.type("\x1b[B")
    screen.rest()
    return seen


def engine_rows(items: int, root: Path, environment: Mapping[str, str], modes: Sequence[str]) -> list[Row]:
    """What the engine costs, in a process of its own."""
    words = [sys.executable, "-m", "tests.bench.inside", str(root), *modes]
    printed = subprocess.run(words, env=dict(environment), check=True, capture_output=True, text=True).stdout
    found: dict[str, list[float]] = json.loads(printed)
    rows = [
        row(items, "parse, never seen / bytes read", found["parse"], found["bytes"], 8.0 if items >= 50_000 else None),
        row(items, "read, seen before / bytes read", found["kept"], found["bytes"]),
        row(items, "all answers of the rules", found["rules"]),
        row(items, "a changed file, read and answered", found["change"], None, 100.0),
        row(items, "plan one item", found["plan"], None, 150.0),
        row(items, "commit one item", found["commit"], None, 150.0),
        row(items, "commit of four files / by hand", found["four files"], found["by hand"], 2.0),
        row(items, "find", found["find"], None, 20.0),
    ]
    if "duplicates" in found:
        rows.append(
            row(items, "duplicates, all against all", found["duplicates"], None, 60e3 if items > 10_000 else 3e3)
        )
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as text."""
    lines = [f"{'items':>7}  {'what':<38} {'median':>9} {'p95':>9} {'floor':>8} {'ratio':>6} {'budget':>7}"]
    for one in rows:
        base = f"{one.floor:8.1f} {one.measure:6.2f}" if one.floor else f"{'':8} {'':6}"
        budget = f"{one.budget:7g}" if one.budget is not None else f"{'':7}"
        unit = f"{one.median:9.1f} {one.p95:9.1f}"
        lines.append(f"{one.items:>7}  {one.what:<38} {unit} {base} {budget} {one.verdict}")
    return "\n".join(lines)


def main() -> int:
    """Measure, print, write; 0 whatever the budgets say."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure speed and memory against the budgets.")
    parser.add_argument("--items", default="1000,10000,100000", help="sizes, parted by commas")
    parser.add_argument("--quick", action="store_true", help="fewer runs, no duplicates at the largest size")
    parser.add_argument("--out", default="bench.json", help="where to write the numbers")
    parser.add_argument(
        "--cpu", action="store_true", help="the engine in processor time: for a machine with other work"
    )
    args = parser.parse_args()
    modes = [name for name in ("quick", "cpu") if getattr(args, name)]
    rows: list[Row] = []
    folder = Path(tempfile.mkdtemp(prefix="assay-bench-"))
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**own, "XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")}
    try:
        for items in (int(size) for size in args.items.split(",")):
            root = generate(folder / str(items), items)
            parts: tuple[Callable[[], list[Row]], ...] = (
                lambda root=root, items=items: console_rows(items, root, environment, 3 if args.quick else 9),
                lambda root=root, items=items: engine_rows(items, root, environment, modes),
            )
            for part in parts:
                rows += part()
            print(table([one for one in rows if one.items == items]), flush=True)
    finally:
        shutil.rmtree(folder)
    named = [{**asdict(one), "ratio": one.measure if one.floor else None, "verdict": one.verdict} for one in rows]
    Path(args.out).write_text(json.dumps(named, indent=1) + "\n", encoding="utf-8")
    print(f"written: {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
