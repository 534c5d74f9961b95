"""The search for near-duplicates in another process finds what this one finds, and never outlives it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from core.reading import Reading
from tests.tui.driving import item, snapshot
from tui import alike
from tui.alike import Alike, Here
from tui.alike_beside import Beside, serve

TEXTS = [
    ("a", "Drain the node before a restart."),
    ("b", "Drain the node before any restart."),
    ("c", "Never drain the node before a restart."),
    ("d", "部署前先备份数据库。"),
    ("e", "Something else altogether."),
]


def never() -> bool:
    return False


def silent(done: int, total: int) -> None:
    pass


def test_it_finds_what_this_process_finds_and_goes_on_from_there() -> None:
    here, beside = Here(), Beside()
    try:
        assert beside.search(TEXTS, silent, never) == here.search(TEXTS, silent, never)
        changes: list[tuple[list[str], list[tuple[str, str]]]] = [
            (["a"], [("f", "Drain the node before each restart.")]),
            (["f", "b"], []),
            ([], [("g", "部署之前先备份数据库。"), ("h", "!")]),
        ]
        for gone, new in changes:
            assert sorted(beside.change(gone, new)) == sorted(here.change(gone, new))
    finally:
        beside.close()


def test_it_tells_how_far_it_is() -> None:
    asked = io.BytesIO(b'["search", 1]\n["a", "One."]\n["change", [], [["b", "one"]]]\n')
    answers = io.BytesIO()
    serve(asked, answers)
    assert [json.loads(line) for line in answers.getvalue().splitlines()] == [["pairs", []], ["found", [["a", "b"]]]]


def test_it_ends_with_whoever_asked() -> None:
    beside = Beside()
    beside.search(TEXTS, silent, never)
    beside._to.close()
    assert beside._process.wait(30) == 0


def test_once_cancelled_it_is_gone() -> None:
    beside = Beside()
    assert beside.search(TEXTS, silent, lambda: True) is None
    assert beside._process.poll() is not None
    with pytest.raises(BrokenPipeError):
        beside.change([], [("x", "y")])


def test_no_module_is_taken_from_the_folder_one_happens_to_be_in(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    (folder / "json.py").write_text("raise SystemExit('taken from the memory')\n")
    monkeypatch.chdir(folder)
    beside = Beside()
    try:
        assert beside.search(TEXTS, silent, never)
    finally:
        beside.close()


def reading(texts: Sequence[str]) -> Reading:
    items = [item(f"mem-2026-05-01-{number:03d}", text, line=number) for number, text in enumerate(texts, start=1)]
    return Reading(snapshot(items), today="2026-06-12")


def test_a_large_root_is_searched_beside_and_where_there_is_no_other_process_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alike, "BESIDE", 3)
    root = reading([text for _, text in TEXTS])
    large = Alike()
    found = large.search(root, silent, never)
    assert isinstance(large._searcher, Beside)
    large.close()

    def no_process(*words: object, **more: object) -> None:
        raise OSError("there is no other process")

    monkeypatch.setattr(subprocess, "Popen", no_process)
    small = Alike()
    assert small.search(root, silent, never) == found
    assert isinstance(small._searcher, Here)
    assert found


def test_a_search_whose_process_was_killed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "BESIDE", 3)
    texts = [text for _, text in TEXTS]
    more = reading([*texts, "Drain the node before each restart."])
    kept, fresh = Alike(), Alike()
    try:
        kept.search(reading(texts), silent, never)
        assert isinstance(kept._searcher, Beside)
        kept._searcher._process.kill()
        kept._searcher._process.wait()
        assert kept.search(more, silent, never) == fresh.search(more, silent, never)
    finally:
        kept.close()
        fresh.close()


def test_the_module_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tui.alike_beside"], input=b"", capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
