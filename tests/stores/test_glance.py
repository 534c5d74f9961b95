"""What is shown before a root is read: what was shown of the very same root, and nothing of it once it is another."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.authority import Actor, Role
from core.engine import Engine
from core.requests import Stale
from core.snapshot import Snapshot
from stores.configuration import pins_path
from stores.markdown import glance as glancing
from stores.markdown.cache import CACHE_FILE
from stores.markdown.glance import GLANCE_FILE, Glance
from stores.markdown.store import MarkdownStore
from tests.support.roots import SEED, lay_out

RECORD = b"topics and counts, unspeakable-title among them"


@pytest.fixture(autouse=True)
def the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(glancing, "SETTLED_NS", 0)
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = lay_out(tmp_path / "memory", SEED)
    MarkdownStore(str(root)).confirm_owners()
    (root / ".assay").mkdir(exist_ok=True)
    return root


def kept(folder: Path, record: bytes = RECORD) -> MarkdownStore:
    store = MarkdownStore(str(folder))
    assert store.keep_glance(record, store.snapshot())
    return store


def look(folder: Path) -> bytes | None:
    """As a new process does."""
    return Glance(str(folder), pins_path()).look()


def left(folder: Path) -> bytes:
    path = folder / ".assay" / GLANCE_FILE
    return path.read_bytes() if path.exists() else b""


def test_what_was_kept_is_given_again_while_nothing_changes(folder: Path) -> None:
    kept(folder)
    assert look(folder) == RECORD
    assert MarkdownStore(str(folder)).snapshot().items  # reading it takes nothing away
    assert look(folder) == RECORD


def test_a_slow_disk_shows_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(folder)
    monkeypatch.setattr(glancing, "PATIENCE", -1.0)
    assert look(folder) is None
    monkeypatch.setattr(glancing, "PATIENCE", 60.0)
    assert look(folder) == RECORD


def append(folder: Path) -> None:
    with open(folder / "memory.md", "ab") as file:
        file.write(b"\n- [2026-06-03] New.\n")


def replace_by_the_same_bytes(folder: Path) -> None:
    shutil.copy(folder / "memory.md", folder / "other")
    os.rename(folder / "other", folder / "memory.md")


def rewrite_with_the_old_times(folder: Path) -> None:
    path = folder / "memory.md"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"9090", b"9091"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def new_topic(folder: Path) -> None:
    (folder / "topics" / "new.md").write_text("# New\n")


def remove_topic(folder: Path) -> None:
    (folder / "topics" / "deploy.md").unlink()


def topics_elsewhere(folder: Path) -> None:
    shutil.move(folder / "topics", folder / "outside")
    shutil.copytree(folder / "outside", folder / "topics")


def log_written(folder: Path) -> None:
    with open(folder / "log.md", "ab") as file:
        file.write(b"\n")


def owners_withdrawn(folder: Path) -> None:
    os.unlink(pins_path())


CHANGES = (
    append,
    replace_by_the_same_bytes,
    rewrite_with_the_old_times,
    new_topic,
    remove_topic,
    topics_elsewhere,
    log_written,
    owners_withdrawn,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_after_any_change_it_is_not_shown(folder: Path, change: Callable[[Path], None]) -> None:
    kept(folder)
    change(folder)
    assert look(folder) is None


@pytest.mark.parametrize("change", [append, rewrite_with_the_old_times, new_topic, remove_topic, owners_withdrawn])
def test_whoever_reads_the_changed_root_overwrites_it(folder: Path, change: Callable[[Path], None]) -> None:
    kept(folder)
    assert b"unspeakable-title" in left(folder)
    change(folder)
    MarkdownStore(str(folder)).snapshot()
    assert b"unspeakable-title" not in left(folder)


def test_the_store_that_kept_it_overwrites_it_too(folder: Path) -> None:
    store = kept(folder)
    append(folder)
    store.snapshot()
    assert b"unspeakable-title" not in left(folder)


def test_whoever_writes_overwrites_it_and_reads_no_more(folder: Path) -> None:
    kept(folder)
    engine = Engine(MarkdownStore(str(folder)), clock=lambda: datetime(2026, 6, 12, 10, tzinfo=UTC))
    item = engine.reading().snapshot.items[0]
    ben = Actor(Role.HUMAN, "ben")
    plan = engine.plan(Stale((item.key,)), ben)
    engine.commit(plan, engine.decide(plan, ben))
    assert b"unspeakable-title" not in left(folder)


def test_a_file_that_goes_back_shows_nothing_old(folder: Path) -> None:
    """Between two readings a file was another one and is the same again: what is kept holds, by other times."""
    kept(folder)
    replace_by_the_same_bytes(folder)
    MarkdownStore(str(folder)).snapshot()
    assert look(folder) is None
    assert RECORD in left(folder)


def test_it_is_kept_of_what_was_shown_only(folder: Path) -> None:
    store = MarkdownStore(str(folder))
    shown = store.snapshot()
    append(folder)
    assert not store.keep_glance(RECORD, shown)
    assert look(folder) is None


def test_a_root_that_changed_just_now_may_change_unseen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glancing, "SETTLED_NS", 2_000_000_000)
    store = MarkdownStore(str(folder))
    shown = store.snapshot()
    append(folder)

    def read() -> Snapshot:
        return store.snapshot()

    def now(seconds: float) -> Glance:
        return Glance(str(folder), pins_path(), now=lambda: time.time_ns() + int(seconds * 1e9))

    shown = read()
    assert not now(1.0).keep(RECORD, read, shown)
    assert now(3.0).keep(RECORD, read, shown)


def test_another_glance_takes_the_place_of_the_last(folder: Path) -> None:
    kept(folder)
    kept(folder, b"another")
    assert look(folder) == b"another"
    assert RECORD not in left(folder)


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def nul(data: bytes) -> bytes:
    return bytes(len(data))


def other_title(data: bytes) -> bytes:
    return data.replace(b"unspeakable-title", b"innocuous-title!!")


@pytest.mark.parametrize("damage", [cut, nul, other_title, lambda data: b"", lambda data: b"somebody else's"])
def test_damage_costs_time_only(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    kept(folder)
    path = folder / ".assay" / GLANCE_FILE
    path.write_bytes(damage(path.read_bytes()))
    assert look(folder) is None
    assert MarkdownStore(str(folder)).snapshot().items


def test_what_another_user_kept_is_not_believed(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept(folder)
    shutil.copytree(tmp_path / "config", tmp_path / "other")
    (tmp_path / "other" / "cache.key").unlink()
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "other"))
    assert look(folder) is None


def test_a_small_root_in_which_nothing_was_written_gets_no_folder(folder: Path) -> None:
    (folder / ".assay").rmdir()
    store = MarkdownStore(str(folder))
    assert not store.keep_glance(RECORD, store.snapshot())
    assert not (folder / ".assay").exists()


def test_it_stands_in_a_file_of_its_own(folder: Path) -> None:
    kept(folder)
    assert [path.name for path in sorted((folder / ".assay").iterdir())] == [GLANCE_FILE]
    assert GLANCE_FILE != CACHE_FILE
    assert (folder / ".assay" / GLANCE_FILE).stat().st_mode & 0o077 == 0
