"""Watching a root: every change is seen, by a native event or by the sweep."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stores.markdown import watch as module
from stores.markdown.watch import sweep, watch

PATIENCE = 5.0


class Watched:
    """A watch in a thread, and what it told."""

    def __init__(self, root: Path, *, sweep_seconds: float = 0.1, on_change: Callable[[], None] | None = None) -> None:
        self.changes = 0
        self.states: list[tuple[str, str]] = []
        self.error: Exception | None = None
        self._root = str(root)
        self._told = threading.Condition()
        self._stop = threading.Event()
        self._on_change = on_change
        self._thread = threading.Thread(target=self._run, args=(sweep_seconds,), daemon=True)
        self._thread.start()

    def _run(self, sweep_seconds: float) -> None:
        try:
            watch(self._root, self._changed, self._stop, on_state=self._state, sweep_seconds=sweep_seconds)
        except Exception as error:
            self.error = error

    def _changed(self) -> None:
        with self._told:
            self.changes += 1
            self._told.notify_all()
        if self._on_change:
            self._on_change()

    def _state(self, state: str, detail: str) -> None:
        with self._told:
            self.states.append((state, detail))
            self._told.notify_all()

    def until(self, state: str) -> None:
        with self._told:
            assert self._told.wait_for(lambda: bool(self.states) and self.states[-1][0] == state, PATIENCE), self.states

    def sees(self, act: Callable[[], object]) -> None:
        """`act`, in a quiet moment, leads to a notice."""
        before = self.settled()
        act()
        with self._told:
            assert self._told.wait_for(lambda: self.changes > before, PATIENCE), "the change was not seen"

    def settled(self, quiet: float = 0.2) -> int:
        """The number of notices once none has come for `quiet` seconds."""
        while True:
            count = self.changes
            time.sleep(quiet)
            if self.changes == count:
                return count

    def end(self) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    (root / "topics").mkdir(parents=True)
    (root / "memory.md").write_text("# Inbox\n")
    (root / "topics" / "deploy.md").write_text("# Deploy\n")
    return root


@pytest.fixture
def start() -> Iterator[Callable[..., Watched]]:
    running: list[Watched] = []

    def begin(root: Path, state: str = "live", **options: Any) -> Watched:
        watched = Watched(root, **options)
        running.append(watched)
        watched.until(state)
        return watched

    yield begin
    for watched in running:
        watched.end()


def save_by_rename(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.replace(path)


def test_a_file_saved_by_rename_twice_is_seen_twice(root: Path, start: Callable[..., Watched]) -> None:
    watched = start(root)

    watched.sees(lambda: save_by_rename(root / "memory.md", "# One\n"))
    watched.sees(lambda: save_by_rename(root / "memory.md", "# Two\n"))


def test_a_new_folder_with_a_file_made_at_once_is_seen_and_watched_from_then_on(
    root: Path, start: Callable[..., Watched]
) -> None:
    watched = start(root)

    def make() -> None:
        (root / "withdrawn").mkdir()
        (root / "withdrawn" / "memwd-2026-06-10-001.md").write_text("# Held\n")

    watched.sees(make)
    watched.sees(lambda: (root / "withdrawn" / "memwd-2026-06-10-001.md").write_text("# Held still\n"))


def test_a_root_removed_and_restored_is_seen_and_watched_again(
    root: Path, tmp_path: Path, start: Callable[..., Watched]
) -> None:
    watched = start(root)
    kept = tmp_path / "kept"
    shutil.copytree(root, kept)

    watched.sees(lambda: shutil.rmtree(root))
    watched.until("off")
    watched.sees(lambda: shutil.copytree(kept, root))
    watched.until("live")
    watched.sees(lambda: save_by_rename(root / "topics" / "deploy.md", "# Deployed\n"))


def test_a_folder_replaced_within_a_moment_is_still_watched(root: Path, start: Callable[..., Watched]) -> None:
    watched = start(root)

    def swap() -> None:
        shutil.rmtree(root / "topics")
        (root / "topics").mkdir()
        (root / "topics" / "deploy.md").write_text("# Deploy\n")

    watched.sees(swap)
    watched.sees(lambda: (root / "topics" / "deploy.md").write_text("# Deploy again\n"))


def test_a_burst_is_told_in_few_notices(root: Path, start: Callable[..., Watched]) -> None:
    watched = start(root)
    before = watched.settled()

    for number in range(300):
        (root / "topics" / f"t{number}.md").write_text("# T\n")

    assert before < watched.settled() < before + 60


def test_the_last_change_of_a_burst_is_followed_by_a_notice(root: Path, start: Callable[..., Watched]) -> None:
    read: list[str] = []
    watched = start(root, on_change=lambda: read.append((root / "memory.md").read_text()))

    for number in range(200):
        save_by_rename(root / "memory.md", f"# {number}\n")
    watched.settled()

    assert read[-1] == "# 199\n"


def test_a_file_behind_a_link_is_seen_and_its_neighbours_are_not(
    root: Path, tmp_path: Path, start: Callable[..., Watched]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "inbox.md").write_text("# Inbox\n")
    (root / "memory.md").unlink()
    (root / "memory.md").symlink_to(home / "inbox.md")
    watched = start(root)

    watched.sees(lambda: save_by_rename(home / "inbox.md", "# Elsewhere\n"))
    before = watched.settled()
    (home / "unrelated.txt").write_text("x")
    assert watched.settled() == before


def test_a_folder_behind_a_link_is_watched(root: Path, tmp_path: Path, start: Callable[..., Watched]) -> None:
    shutil.move(root / "topics", tmp_path / "pages")
    (root / "topics").symlink_to(tmp_path / "pages")
    watched = start(root)

    watched.sees(lambda: (tmp_path / "pages" / "new.md").write_text("# New\n"))


def test_the_engines_own_folder_is_not_news(root: Path, start: Callable[..., Watched]) -> None:
    (root / ".assay").mkdir()
    watched = start(root)
    before = watched.settled()

    (root / ".assay" / "lock").write_text("")
    (root / ".assay" / "journal").mkdir()

    assert watched.settled() == before


def test_without_native_events_the_sweep_sees_and_the_state_says_so(
    root: Path, start: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_watch(*paths: str, **options: object) -> Iterator[set[tuple[int, str]]]:
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr("watchfiles.watch", no_watch)
    watched = start(root, state="polling")

    assert watched.states == [("polling", "Native watching failed: OS file watch limit reached.")]
    watched.sees(lambda: save_by_rename(root / "memory.md", "# One\n"))
    watched.sees(lambda: (root / "topics" / "new.md").write_text("# New\n"))


def test_events_that_the_system_swallows_are_found_by_the_sweep(
    root: Path, start: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    def deaf(*paths: str, stop_event: threading.Event, **options: object) -> Iterator[set[tuple[int, str]]]:
        while not stop_event.wait(0.05):
            yield set()

    monkeypatch.setattr("watchfiles.watch", deaf)
    watched = start(root)

    watched.sees(lambda: save_by_rename(root / "topics" / "deploy.md", "# One\n"))


def test_native_watching_is_tried_again_after_a_while(
    root: Path, start: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    real = watchfiles.watch
    failures = iter([OSError("no space left on device")])

    def once(*paths: str, **options: Any) -> Iterator[Any]:
        for failure in failures:
            raise failure
        yield from real(*paths, **options)

    monkeypatch.setattr("watchfiles.watch", once)
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.3)

    assert [state for state, _ in start(root).states] == ["polling", "live"]


def test_what_a_callback_raises_ends_the_watch(root: Path) -> None:
    def fail() -> None:
        raise LookupError("the reader's own fault")

    watched = Watched(root, on_change=fail)
    watched.until("live")
    (root / "memory.md").write_text("# changed\n")
    watched._thread.join(PATIENCE)

    assert isinstance(watched.error, LookupError)


def test_a_root_that_is_not_there_yet_is_waited_for(tmp_path: Path, start: Callable[..., Watched]) -> None:
    watched = start(tmp_path / "memory", state="off")

    watched.sees((tmp_path / "memory").mkdir)
    watched.until("live")


def test_a_sweep_ends_in_loops_of_links(root: Path) -> None:
    (root / "topics" / "again").symlink_to(root / "topics")
    (root / "topics" / "up").symlink_to(root)
    (root / "topics" / "gone.md").symlink_to(root / "nowhere.md")

    assert sorted(os.path.relpath(name, root) for name in sweep(str(root)).folders) == [".", "topics"]
