"""One writer per root; who waits is told whom for."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import pytest

from core.errors import RootBusy, RootNotFound, RootReadOnly
from stores.markdown.lock import Holder, LockHeld, LockUnavailable, hold, holder

REPOSITORY = Path(__file__).parents[2]
HOLD = """
import sys, time
from stores.markdown.lock import hold
with hold(sys.argv[1], actor="agent:other", since="2026-05-26T12:30:00+08:00", extra=sys.argv[2:]):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def other_writer(root: Path, *extra: Path) -> Iterator[subprocess.Popen[str]]:
    arguments = [sys.executable, "-c", HOLD, str(root), *map(str, extra)]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    try:
        assert child.stdout
        assert child.stdout.readline() == "held\n"
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def take(root: Path, *extra: Path, timeout: float = 0.0) -> None:
    with hold(str(root), actor="human:me", since="now", timeout=timeout, extra=[str(each) for each in extra]):
        pass


def test_a_waiting_writer_says_who_holds_it_and_since_when(tmp_path: Path) -> None:
    with other_writer(tmp_path) as child:
        began = time.monotonic()
        with pytest.raises(LockHeld) as caught:
            take(tmp_path, timeout=0.2)
        assert time.monotonic() - began >= 0.2
        assert isinstance(caught.value, RootBusy)
        found = caught.value.holder
        assert found == holder(str(tmp_path))
        assert found == Holder("agent:other", child.pid, os.uname().nodename, "2026-05-26T12:30:00+08:00")
        assert "agent:other" in str(caught.value)
        assert "2026-05-26T12:30:00+08:00" in str(caught.value)


def test_a_killed_writer_holds_nothing(tmp_path: Path) -> None:
    with other_writer(tmp_path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
        take(tmp_path, timeout=5.0)
    assert holder(str(tmp_path)) is None


def test_two_writers_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    with hold(str(tmp_path), actor="human:me", since=lambda: "asked when taken"):
        found = holder(str(tmp_path))
        assert found is not None
        assert found.since == "asked when taken"
        with pytest.raises(LockHeld):
            take(tmp_path)
    take(tmp_path)


def test_it_may_be_released_by_another_thread(tmp_path: Path) -> None:
    held = hold(str(tmp_path), actor="human:me", since="now")
    held.__enter__()
    thread = threading.Thread(target=held.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    take(tmp_path)


def test_folders_outside_the_root_are_locked_too(tmp_path: Path) -> None:
    first, second, shared = tmp_path / "first", tmp_path / "second", tmp_path / "shared"
    for folder in (first, second, shared):
        folder.mkdir()
    (second / "topics").symlink_to(shared)
    with other_writer(first, shared):
        with pytest.raises(LockHeld) as caught:
            take(second, second / "topics")
        assert caught.value.holder is not None
        assert caught.value.holder.actor == "agent:other"
        take(second)  # without it, the second root is free
    take(second, second / "topics", second / "inside", timeout=5.0)


def test_a_folder_in_another_root_takes_that_roots_lock(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    (theirs / "topics").mkdir(parents=True)
    with other_writer(theirs), pytest.raises(LockHeld):
        take(mine, theirs / "topics")


def test_two_writers_with_the_same_folders_in_another_order_never_wait_for_each_other(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder in folders:
        folder.mkdir()

    def work(root: Path, extra: list[Path]) -> None:
        for _ in range(20):
            take(root, *extra, timeout=20.0)

    others = [threading.Thread(target=work, args=(folders[i], folders[i + 1 :] + folders[:i])) for i in range(3)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join(30)
        assert not thread.is_alive()


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_where_it_cannot_be_locked_the_root_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with pytest.raises(LockUnavailable) as caught:
        take(tmp_path)
    assert isinstance(caught.value, RootReadOnly)
    assert os.strerror(number).lower() in str(caught.value)


def test_there_is_no_soft_lock_to_fall_back_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that knows no flock: nothing pretends to be a lock."""
    import fcntl

    def missing(fd: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, "function not implemented")

    monkeypatch.setattr(fcntl, "flock", missing)
    with pytest.raises(LockUnavailable):
        take(tmp_path)


def test_a_link_in_place_of_the_machinery_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root/.assay").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LockUnavailable):
        take(tmp_path / "root")
    assert os.listdir(tmp_path / "elsewhere") == []


def test_no_root_no_lock(tmp_path: Path) -> None:
    with pytest.raises(RootNotFound):
        take(tmp_path / "none")
