"""Roots of any size for the benchmark: English and Chinese, near-duplicates, a log to match, withdrawals.

The same size and seed give the same bytes. At 100,000 items: about 44 MB in 2,000 files.

How alike the sentences are decides what a search for near-duplicates costs, so it is held to that of real prose. The
share of the character bigrams that two random texts of like length have in common, at 30, 80 and 140 characters up:

    these, English          0.26  0.38  0.46
    docstrings of this tree 0.33  0.38  0.46
    docstrings of CPython   0.25  0.31  0.37
    these, Chinese          0.06  0.10  0.14
    the sample, Chinese     0.04
    65 phrases recombined   0.63 in English, 0.36 in Chinese: that is nobody's memory
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from tests.bench.prose import Prose

START = date(2025, 1, 1)
DAYS = 400


def generate(folder: Path, items: int, *, seed: int = 7) -> Path:
    """Write a root of `items` items to `folder` (made where missing) and return it."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("topics", "archive", "log"):
        (folder / name).mkdir(exist_ok=True)
    topics = max(8, items * 16 // 1000)
    days = min(DAYS, max(10, items // 250))
    texts = list(_texts(rng, items))
    ordinals: dict[str, int] = {}
    pages: list[list[str]] = [[] for _ in range(topics)]
    raw: dict[str, list[str]] = {}
    ids: list[str] = []
    for number, text in enumerate(texts):
        day = (START + timedelta(days=number * days // items)).isoformat()
        ordinals[day] = ordinals.get(day, 0) + 1
        item_id = f"mem-{day}-{ordinals[day]:03d}"
        ids.append(item_id)
        run = f"run-{ordinals[day] // 50}"
        pages[number % topics].append(_item(rng, item_id, day, run, text, number))
        copy = f"- [{day}] [{item_id}] (knowledge) {text} Source: {run}.\n"
        raw.setdefault(day, []).append(copy if number % 6 == 0 else "")
    for number, page in enumerate(pages):
        name = f"topic-{number:04d}"
        head = f"---\ntitle: Topic {number}\nlayer: warm\ntriggers:\n  - work on {name}\n---\n# Topic {number}\n\n"
        _write(folder / "topics" / f"{name}.md", head + "## Facts and lessons\n\n" + "".join(page))
    for day, lines in raw.items():
        parts = [f"# {day}\n"]
        for start in range(0, len(lines), 50):
            parts.append(f"\n## Run {start // 50}\n\n" + "".join(lines[start : start + 50]))
        _write(folder / "archive" / f"{day}.md", "".join(parts))
    _index(folder, topics)
    _write(folder / "memory.md", f"# {START + timedelta(days=days)}\n")
    _write(folder / "assay.toml", _binding(items))
    _log(folder, rng, ids, min(200, max(4, items // 500)))
    return folder


def _texts(rng: random.Random, count: int) -> Iterator[str]:
    made: list[str] = []
    prose = Prose(rng)
    for number in range(count):
        if made and number % 100 < 3:
            made.append(_near(rng, made[rng.randrange(len(made))]))
        else:
            made.append(prose.chinese() if number % 3 == 0 else prose.english())
        yield made[-1]


def _near(rng: random.Random, text: str) -> str:
    at = rng.randrange(max(1, len(text) - 6))
    return text[:at] + text[at + rng.randrange(1, 4) :]


def _item(rng: random.Random, item_id: str, day: str, run: str, text: str, number: int) -> str:
    state = number % 10 == 0
    subject = f"  - subject: host-{number}:setting\n" if state else ""
    kind = "state" if state else "knowledge"
    status = "pending-cleanup" if number % 400 == 7 else "stale" if number % 500 == 9 else "active"
    confidence = rng.choice(("confirmed", "observed-once", "inferred"))
    return (
        f"- [{day}] ({kind}) {text}\n  - id: {item_id}\n  - kind: {kind}\n{subject}  - Scope: project\n"
        f"  - Status: {status}\n  - Source: archive/{day}.md#{run}\n"
        f"  - Confidence-Scheme: epistemic-status-v1\n  - Confidence: {confidence}\n"
    )


def _index(folder: Path, topics: int) -> None:
    names = [f"topic-{number:04d}" for number in range(min(topics, 150))]
    lines = [f"- {name}.md — Read when working on {name}.\n" for name in names]
    _write(folder / "index.md", "# Memory Index\n\n## Topic Map\n\n" + "".join(lines))


def _binding(items: int) -> str:
    return (
        f'[binding]\nid = "bench-{items}"\nprotocol = "memory"\nversion = "0.2.0"\nlevel = "memory:L4"\n'
        'timezone = "UTC"\n\n[[owners]]\nname = "ana"\nuser = "ana"\nscopes = ["*"]\n'
    )


def _log(folder: Path, rng: random.Random, ids: list[str], withdrawals: int) -> None:
    """Withdrawals of all selector kinds; every fourth is reinstated."""
    parts = ["# Log\n\n"]
    day = (START + timedelta(days=DAYS)).isoformat()
    number = 0
    for count in range(withdrawals):
        item_id = ids[rng.randrange(len(ids))]
        archive = f"archive/{item_id[4:14]}.md#run-{rng.randrange(3)}"
        kinds = {
            0: ("memory_item_ids", item_id),
            1: ("archive_refs", archive),
            2: ("source_or_run_refs", f"ci-{count}"),
        }
        category, value = kinds[count % 3]
        number += 1
        first = f"memwd-{day}-{number:03d}"
        parts.append(_control(day, number, first, "withdraw", category, value, None))
        if count % 4 == 3:
            number += 1
            parts.append(_control(day, number, f"memwd-{day}-{number:03d}", "reinstate", category, value, first))
    _write(folder / "log.md", "".join(parts))


def _control(
    day: str, number: int, control: str, action: str, category: str, value: str, supersedes: str | None
) -> str:
    effect = "exclude-from-influence" if action == "withdraw" else "restore-eligibility"
    chosen = {name: f"[{value}]" if name == category else "[]" for name in _SELECTORS}
    scope = "".join(f"    {name}: {chosen[name]}\n" for name in _SELECTORS)
    prior = f"  supersedes: {supersedes}\n" if supersedes else ""
    return (
        f"- [{day}T10:00:00+00:00] {action} (memlog-{day}-{number:03d}) by owner:ana — {control}\n  ```yaml\n"
        f"  withdrawal_id: {control}\n  record_type: withdrawal-control-v1\n  action: {action}\n  scope:\n{scope}"
        f"  reason: failed-exploration\n  decided_by: owner:ana\n  decided_at: {day}T10:00:00+00:00\n"
        f"  effect: {effect}\n{prior}  ```\n"
    )


_SELECTORS = ("memory_item_ids", "archive_refs", "source_or_run_refs")


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
