"""What was read before is a matter of speed alone: whatever stands in `.assay/cache.db`, the root says the same."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.controls import Scope
from core.requests import Withdraw
from stores.markdown import cache as caching
from stores.markdown import kept, reader
from stores.markdown.cache import Cache, Row
from stores.markdown.store import MarkdownStore
from tests.support.roots import SEED, lay_out
from tests.support.sight import ANA, Sight

NAME = "topics/net.md"
SECRET = "unspeakable-thing"
SPOKEN = f"""\
- [2026-05-02] (state) The fact itself.
  - id: mem-2026-05-02-007
  - kind: state
  - subject: {SECRET}-subject
  - Status: active
  - Source: {SECRET}-source
  - reviewer: {SECRET}-field
- [2026-05-02] (knowledge) Another.
  - id: mem-2026-05-02-008
  - kind: {SECRET}-kind
  - Status: active
  - Source: chat
"""


@pytest.fixture(autouse=True)
def every_root_is_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reader, "WORTH_KEEPING", 0)
    monkeypatch.setattr(reader, "_PAUSE", 0)
    monkeypatch.setattr(caching, "_PATIENCE", 0.05)
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = lay_out(tmp_path / "memory", SEED)
    MarkdownStore(str(root)).confirm_owners()
    return root


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were taken from the cache."""
    names: list[str] = []
    load = kept.load

    def noting(path: str, *rest: object) -> object:
        part = load(path, *rest)  # type: ignore[arg-type]
        names.append(path)
        return part

    monkeypatch.setattr(kept, "load", noting)
    return names


def cache_of(folder: Path) -> Path:
    return folder / ".assay" / "cache.db"


def raw(folder: Path) -> bytes:
    """All bytes below `.assay/`."""
    return b"".join(path.read_bytes() for path in sorted((folder / ".assay").rglob("*")) if path.is_file())


def rewrite(path: Path, old: str, new: str) -> None:
    data = path.read_bytes()
    assert old.encode() in data
    path.write_bytes(data.replace(old.encode(), new.encode()))


# The same answers


def test_a_start_with_the_cache_says_the_same(folder: Path, loaded: list[str]) -> None:
    plain = Sight(str(folder)).keep()
    assert loaded == []
    assert Sight(str(folder)).values == plain.values
    assert sorted(loaded) == ["archive/2026-05-20.md", "memory.md", "topics/deploy.md"]


def test_the_page_whose_ids_are_borne_twice_is_read_anew(folder: Path, loaded: list[str]) -> None:
    """Its keys depend on other files."""
    Sight(str(folder)).keep()
    Sight(str(folder))
    assert NAME not in loaded


def test_a_changed_file_is_read_anew_and_the_others_are_not(folder: Path, loaded: list[str]) -> None:
    Sight(str(folder)).keep()
    rewrite(folder / "memory.md", "9090", "9091")
    assert "Port is 9091." in str(Sight(str(folder)).values["items"])
    assert sorted(loaded) == ["archive/2026-05-20.md", "topics/deploy.md"]


def test_a_page_that_became_a_leftover_is_not_memory(folder: Path) -> None:
    lay_out(folder, {"topics/ops (1).md": SPOKEN})
    assert "The fact itself." in str(Sight(str(folder)).keep().values["items"])
    lay_out(folder, {"topics/ops.md": "# Ops\n"})
    sight = Sight(str(folder))
    assert "The fact itself." not in str(sight.values["items"])
    assert ("conflicted-copy", "topics/ops (1).md") in [(one.code, one.file) for one in sight.values["drift"]]


def cut(length: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, length)


def nuls(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def twice(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data + data[len(caching.MAGIC) + 32 :])


def garbage(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\xff" * 1000)


def endless(path: Path) -> None:
    """An entry that claims to be as long as can be."""
    with path.open("ab") as file:
        file.write(b"KEPT" + b"\xff" * 28)


def sparse(path: Path) -> None:
    os.truncate(path, 1 << 40)


def other_key(path: Path) -> None:
    (path.parents[2] / "config" / "cache.key").unlink()


def short_key(path: Path) -> None:
    (path.parents[2] / "config" / "cache.key").write_bytes(b"x" * 5)


def known_key(path: Path) -> None:
    (path.parents[2] / "config" / "cache.key").chmod(0o644)


DAMAGE = [cut(n) for n in (0, 1, 20, 52, 60, 84, 85, 100, 116, 130, 500, 1500)]
DAMAGE += [nuls, twice, garbage, endless, sparse, other_key, short_key, known_key]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_says_nothing_and_is_made_anew(
    folder: Path, damage: Callable[[Path], None], loaded: list[str]
) -> None:
    plain = Sight(str(folder)).keep()
    damage(cache_of(folder))
    assert Sight(str(folder)).keep().values == plain.values
    loaded.clear()
    assert Sight(str(folder)).values == plain.values
    assert len(loaded) == 3
    assert cache_of(folder).stat().st_size < 1 << 20
    assert cache_of(folder).stat().st_mode & 0o777 == 0o600
    assert (folder.parent / "config" / "cache.key").stat().st_mode & 0o777 == 0o600


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_flipped_bytes_say_nothing(folder: Path, data: st.DataObject) -> None:
    lay_out(folder, SEED)
    plain = Sight(str(folder), plans=False).keep()
    whole = bytearray(cache_of(folder).read_bytes())
    for at, flip in data.draw(
        st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(1, 255)), min_size=1, max_size=4)
    ):
        whole[at % len(whole)] ^= flip
    cache_of(folder).write_bytes(whole)
    assert Sight(str(folder), plans=False).keep().values == plain.values
    lay_out(folder, {name: "# Empty\n" for name in SEED if name.endswith(".md")})
    MarkdownStore(str(folder)).snapshot()
    assert b"retro 2026" not in raw(folder)


def test_what_came_from_the_cache_is_kept_anew_as_it_was(folder: Path, loaded: list[str]) -> None:
    """A record that the tolerant grammar read is not taken for one that the strict scan did."""
    lay_out(folder, {"topics/odd.md": "* [2026-05-03] Text over\n  several lines\n  - Scope: here\n" + SPOKEN})
    plain = Sight(str(folder)).keep()
    running = Sight(str(folder))
    cache_of(folder).unlink()
    running.store.snapshot()
    running.keep()
    loaded.clear()
    assert Sight(str(folder)).values == plain.values
    assert "topics/odd.md" in loaded


def test_another_version_of_the_program_begins_anew(
    folder: Path, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Sight(str(folder)).keep()
    monkeypatch.setattr(caching, "_made_by", lambda: bytes(32))
    assert Sight(str(folder)).values == plain.values
    assert loaded == []
    assert b"archive/2026-05-20" not in raw(folder)


# What others put there


def a_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE pages (path, digest, record, seal)")
        database.execute("INSERT INTO pages VALUES ('memory.md', '', '{}', '')")
        database.execute("CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END")
    database.close()


def a_text(path: Path) -> None:
    path.write_text("The user's own notes.\n")


def a_folder(path: Path) -> None:
    path.mkdir()
    (path / "x").write_text("x")


def a_link(path: Path) -> None:
    target = path.parents[2] / "elsewhere"
    target.write_bytes(b"")
    path.symlink_to(target)


def a_link_to_another_cache(path: Path) -> None:
    target = path.parents[2] / "elsewhere"
    target.write_bytes(caching.MAGIC + bytes(300))
    path.symlink_to(target)


def a_link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parents[2] / "elsewhere")


def a_second_name(path: Path) -> None:
    target = path.parents[2] / "elsewhere"
    target.write_bytes(b"")
    os.link(target, path)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


STRANGE = [a_database, a_text, a_folder, a_link, a_link_to_another_cache, a_link_to_nothing, a_second_name, a_pipe]


def tree(folder: Path) -> dict[str, object]:
    return {
        str(path): (
            path.lstat().st_mode,
            os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
        if ".assay" in path.parts or path.name == "elsewhere"
    }


@pytest.mark.parametrize("put", STRANGE)
def test_what_somebody_else_put_there_is_left_alone(folder: Path, put: Callable[[Path], None]) -> None:
    plain = Sight(str(folder)).values
    cache_of(folder).parent.mkdir(exist_ok=True)
    put(cache_of(folder))
    before = tree(folder.parent)
    assert Sight(str(folder)).keep().values == plain
    running = Sight(str(folder))
    rewrite(folder / "memory.md", "9090", "9091")
    running.store.snapshot()
    running.keep()
    assert tree(folder.parent) == before


@pytest.mark.parametrize("put", STRANGE)
def test_there_is_nothing_to_forget_in_what_somebody_else_put_there(folder: Path, put: Callable[[Path], None]) -> None:
    cache_of(folder).parent.mkdir(exist_ok=True)
    put(cache_of(folder))
    before = tree(folder.parent)
    Cache(str(folder)).forget([NAME])
    after = tree(folder.parent)
    if put is a_second_name:  # which is that of an empty cache
        del before[str(cache_of(folder))]
    assert after == before


def test_what_was_put_in_the_place_of_the_cache_while_it_was_used_is_left_alone(folder: Path) -> None:
    running = Sight(str(folder)).keep()
    cache_of(folder).unlink()
    a_database(cache_of(folder))
    before = cache_of(folder).read_bytes()
    (folder / "memory.md").unlink()
    running.store.snapshot()
    running.keep()
    assert cache_of(folder).read_bytes() == before


@pytest.mark.parametrize("inside", [True, False])
def test_a_link_in_the_place_of_the_folder_is_not_followed(folder: Path, inside: bool) -> None:
    plain = Sight(str(folder)).values
    target = folder.parent / "theirs"
    target.mkdir()
    if inside:
        lay_out(folder.parent / "other", SEED)
        Sight(str(folder.parent / "other")).keep()
        shutil.move(cache_of(folder.parent / "other"), target / "cache.db")
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    (folder / ".assay").symlink_to(target)
    assert Sight(str(folder)).keep().values == plain
    rewrite(folder / "memory.md", "9090", "9091")
    Sight(str(folder)).keep()
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


def test_a_second_name_of_the_cache_is_not_written_through(folder: Path) -> None:
    Sight(str(folder)).keep()
    os.link(cache_of(folder), folder.parent / "backup")
    before = (folder.parent / "backup").read_bytes()
    Sight(str(folder)).keep()
    assert (folder.parent / "backup").read_bytes() == before


# Where it cannot be kept


def refusing(code: int, *names: str) -> dict[str, Callable[..., int]]:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code))

    return dict.fromkeys(names, refuse)


@pytest.mark.parametrize("call", ["pwrite", "ftruncate", "pread"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_disk_that_fails_changes_nothing(folder: Path, call: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    plain = Sight(str(folder)).keep()
    running = Sight(str(folder))
    with monkeypatch.context() as failing:
        for name, refuse in refusing(code, call).items():
            failing.setattr(os, name, refuse)
        assert Sight(str(folder)).keep().values == plain.values
        (folder / "topics/odd.md").unlink()
        running.store.snapshot()
    assert SECRET.encode() not in raw(folder)


def test_a_disk_that_fills_up_half_way_keeps_what_was_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    running = Sight(str(folder)).keep()
    lay_out(folder, {"topics/odd.md": SPOKEN})
    pwrite = os.pwrite

    def half(fd: int, data: bytes, at: int) -> int:
        if len(data) > 200:
            return pwrite(fd, data[:100], at)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    running.store.snapshot()
    size = cache_of(folder).stat().st_size
    with monkeypatch.context() as failing:
        failing.setattr(os, "pwrite", half)
        running.keep()
    assert cache_of(folder).stat().st_size == size
    Sight(str(folder))
    assert len(loaded) == 3


def test_a_folder_that_cannot_be_written_to_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Sight(str(folder)).keep()
    opened = os.open

    def read_only(path: str, flags: int, *rest: int, **more: int) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", read_only)
    names = Cache(str(folder)).rows()
    assert len(names) == 3
    assert Sight(str(folder)).keep().values == plain.values


def test_a_key_that_cannot_be_made_is_no_trouble(folder: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "config")
    (tmp_path / "config").write_text("a file")
    plain = Sight(str(folder)).keep().values
    assert Sight(str(folder)).values == plain
    assert not cache_of(folder).exists()


@pytest.fixture
def held(folder: Path) -> Iterator[Callable[[], None]]:
    """Holds the cache as another process would."""
    files = []

    def hold() -> None:
        files.append(cache_of(folder).open("rb"))
        fcntl.flock(files[0], fcntl.LOCK_EX)

    yield hold
    for file in files:
        file.close()


def test_a_cache_that_another_process_holds_is_waited_for_a_moment(folder: Path, held: Callable[[], None]) -> None:
    plain = Sight(str(folder)).keep()
    before = cache_of(folder).read_bytes()
    held()
    assert Sight(str(folder)).keep().values == plain.values
    assert cache_of(folder).read_bytes() == before


def test_what_cannot_be_forgotten_goes_with_the_cache(folder: Path, held: Callable[[], None]) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    running = Sight(str(folder)).keep()
    assert SECRET.encode() in raw(folder)
    held()
    (folder / "topics/odd.md").unlink()
    running.store.snapshot()
    assert not cache_of(folder).exists()


# What whoever can write to `.assay/` can do


def forge(folder: Path, change: Callable[[dict[str, Row]], dict[str, Row]], *, key: str) -> None:
    """Replace the rows; `key` is the folder of the key they are sealed with."""
    rows = Cache(str(folder)).rows()
    cache_of(folder).unlink()
    assert Cache(str(folder), folder=key).keep(change(rows))


def edited(rows: dict[str, Row]) -> dict[str, Row]:
    row = rows["topics/deploy.md"]
    return {"topics/deploy.md": row._replace(record=row.record.replace(b"app:port", b"app:evil"))}


def test_a_row_without_the_users_seal_is_not_believed(folder: Path, tmp_path: Path, loaded: list[str]) -> None:
    plain = Sight(str(folder)).keep()
    forge(folder, edited, key=str(tmp_path / "theirs"))
    assert b"app:evil" in raw(folder)
    assert Sight(str(folder)).values == plain.values
    assert loaded == []
    assert b"app:evil" not in raw(folder)


def test_an_edited_row_is_not_believed(folder: Path, loaded: list[str]) -> None:
    plain = Sight(str(folder)).keep()
    rewrite(cache_of(folder), "app:port", "app:evil")
    assert Sight(str(folder)).values == plain.values
    assert "topics/deploy.md" not in loaded


def test_a_withdrawn_item_does_not_pass_for_another(folder: Path, tmp_path: Path) -> None:
    sight = Sight(str(folder)).keep()
    engine = sight.engine
    plan = engine.plan(Withdraw(Scope(frozenset({"mem-2026-05-20-001"}))), ANA)
    engine.commit(plan, engine.decide(plan, ANA))
    plain = Sight(str(folder)).keep()
    data = cache_of(folder).read_bytes()
    for old, new in (("mem-2026-05-20-002", "mem-2026-05-20-001"), ("pending-cleanup", "active-active-x")):
        cache_of(folder).write_bytes(data.replace(old.encode(), new.encode()))
        assert Sight(str(folder)).values == plain.values


def test_a_sealed_row_of_another_file_is_not_believed(folder: Path, loaded: list[str]) -> None:
    lay_out(folder, {"topics/a.md": "# A\n", "topics/b.md": "# A\n"})
    plain = Sight(str(folder)).keep()
    data = cache_of(folder).read_bytes()
    start = data.index(b"topics/a.md")
    cache_of(folder).write_bytes(
        data[:start] + b"topics/b.md" + data[start + 11 :].replace(b"topics/b.md", b"topics/a.md", 1)
    )
    assert Sight(str(folder)).values == plain.values
    assert not {"topics/a.md", "topics/b.md"} & set(loaded)


def test_a_row_of_what_the_file_said_before_is_not_believed(folder: Path, loaded: list[str]) -> None:
    running = Sight(str(folder)).keep()
    old = cache_of(folder).read_bytes()
    rewrite(folder / "topics/deploy.md", "Status: pending-cleanup", "Status: active")
    running.store.snapshot()
    plain = Sight(str(folder)).values
    loaded.clear()
    cache_of(folder).write_bytes(old)
    assert Sight(str(folder)).values == plain
    assert "topics/deploy.md" not in loaded
    assert b"pending-cleanup" not in raw(folder)


# What is not said any more


def unsay(page: Path) -> None:
    page.write_bytes(b"# Empty\n")


GONE = [unsay, Path.unlink, lambda page: page.rename(page.with_name("elsewhere.md.bak"))]


@pytest.mark.parametrize("go", GONE)
@pytest.mark.parametrize("running", [True, False])
def test_what_a_file_says_no_more_leaves_the_cache(folder: Path, go: Callable[[Path], None], running: bool) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    sight = Sight(str(folder)).keep()
    assert raw(folder).count(SECRET.encode()) >= 4
    go(folder / "topics/odd.md")
    if running:
        sight.store.snapshot()
    else:
        MarkdownStore(str(folder)).snapshot()
    assert SECRET.encode() not in raw(folder)


def test_it_leaves_also_where_another_process_kept_it(folder: Path) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    first = MarkdownStore(str(folder))
    first.snapshot()
    second = Sight(str(folder)).keep()
    del second
    (folder / "topics/odd.md").unlink()
    first.snapshot()
    assert SECRET.encode() not in raw(folder)


def test_it_leaves_also_where_another_process_keeps_it_too_late(folder: Path) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    first, late = Sight(str(folder)).keep(), MarkdownStore(str(folder))
    cache_of(folder).unlink()
    late.snapshot()
    (folder / "topics/odd.md").unlink()
    first.store.snapshot()
    late.keep({})
    assert SECRET.encode() in raw(folder)
    first.store.snapshot()
    assert SECRET.encode() not in raw(folder)


def test_it_leaves_also_where_its_name_in_the_cache_was_damaged(folder: Path) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    running = Sight(str(folder)).keep()
    status = cache_of(folder).stat()
    rewrite(cache_of(folder), "topics/odd.md", "topics/0dd.md")
    os.utime(cache_of(folder), ns=(status.st_atime_ns, status.st_mtime_ns))
    (folder / "topics/odd.md").unlink()
    running.store.snapshot()
    assert SECRET.encode() not in raw(folder)


def test_it_leaves_also_where_it_was_moved_within_a_moment(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    rows = {"topics/a.md": Row("a", SECRET.encode()), "topics/longer.md": Row("b", b"1")}
    cache = Cache(str(root))
    assert cache.keep(rows)
    status = cache_of(root).stat()
    turned = tmp_path / "turned"
    turned.mkdir()
    assert Cache(str(turned)).keep(dict(reversed(rows.items())))
    cache_of(root).write_bytes(cache_of(turned).read_bytes())
    os.utime(cache_of(root), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not cache.changed, "it looks as it did"
    assert cache.forget(["topics/a.md"])
    assert SECRET.encode() not in raw(root)


def test_what_another_process_wrote_is_not_overlooked_for_what_one_wrote_oneself(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    one, other = Cache(str(root)), Cache(str(root))
    assert one.keep({"topics/a.md": Row("a", b"1")})
    assert not one.changed
    assert other.keep({"topics/b.md": Row("b", b"2")})
    one.forget(["topics/a.md"])
    assert one.changed
    assert one.rows() == {"topics/b.md": Row("b", b"2")}
    assert not one.changed


def test_it_leaves_also_while_it_is_being_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    sight = Sight(str(folder))
    keep = Cache.keep

    def meanwhile(cache: Cache, rows: dict[str, Row]) -> bool:
        (folder / "topics/odd.md").unlink()
        sight.store.snapshot()
        return keep(cache, rows)

    monkeypatch.setattr(Cache, "keep", meanwhile)
    sight.keep()
    assert SECRET.encode() not in raw(folder)


def test_two_consoles_forget_the_same_and_keep_the_rest(folder: Path, loaded: list[str]) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    first, second = Sight(str(folder)).keep(), Sight(str(folder))
    (folder / "topics/odd.md").unlink()
    first.store.snapshot()
    second.store.snapshot()
    loaded.clear()
    Sight(str(folder))
    assert len(loaded) == 3


def test_what_is_withdrawn_leaves_the_cache_and_stays_out(folder: Path) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN.replace(f"{SECRET}-kind", "knowledge")})
    sight = Sight(str(folder)).keep()
    assert SECRET.encode() in raw(folder)
    plan = sight.engine.plan(Withdraw(Scope(frozenset({"mem-2026-05-02-007"}))), ANA)
    sight.engine.commit(plan, sight.engine.decide(plan, ANA))
    assert SECRET.encode() not in cache_of(folder).read_bytes()
    Sight(str(folder)).keep()
    assert any(SECRET in page.read_text() for page in (folder / "withdrawn").iterdir())
    assert SECRET.encode() not in cache_of(folder).read_bytes()


def exclude(folder: Path, *ids: str) -> None:
    """A control record alone excludes; the item still stands where it stood."""
    log = (
        "- [2026-06-10T10:00:00+08:00] withdraw (memlog-2026-06-10-001) by owner:ana — x\n  ```yaml\n"
        "  withdrawal_id: memwd-2026-06-10-001\n  record_type: withdrawal-control-v1\n  action: withdraw\n"
        f"  scope:\n    memory_item_ids: [{', '.join(ids)}]\n  reason: r\n"
        "  decided_by: owner:ana\n  decided_at: 2026-06-10T10:00:00+08:00\n  effect: exclude-from-influence\n"
        "  ```\n"
    )
    lay_out(folder, {"log.md": log})


ONLY = SPOKEN.replace("\n  - reviewer: unspeakable-thing-field", "").replace(f"{SECRET}-kind", "knowledge")


@pytest.mark.parametrize(
    ("file", "page"),
    [
        ("topics/odd.md", ONLY),
        ("topics/odd.md", ONLY.replace("\n", "\r\n")),
        ("topics/odd.md", ONLY.replace("  - Status", "  - status")),
        ("memory.md", f"- [2026-05-02] [mem-2026-05-02-007] (state) A. Subject: {SECRET}. Source: {SECRET} 5.\n"),
        (
            "memory.md",
            f"- [2026-05-02] [mem-2026-05-02-007] (state) A。Subject: {SECRET} x. Source: chat, {SECRET}。\n",
        ),
    ],
)
def test_what_an_excluded_item_says_is_found_anew_in_its_file(
    folder: Path, file: str, page: str, loaded: list[str]
) -> None:
    lay_out(folder, {file: page})
    sight = Sight(str(folder)).keep()
    assert SECRET.encode() in raw(folder)
    exclude(folder, "mem-2026-05-02-007")
    sight.keep()
    assert SECRET.encode() not in raw(folder)
    plain = Sight(str(folder)).keep()
    assert SECRET in str(plain.values["items"])
    loaded.clear()
    before = cache_of(folder).read_bytes()
    assert Sight(str(folder)).keep().values == plain.values
    assert cache_of(folder).read_bytes() == before
    assert file in loaded
    (folder / ".assay/cache.db").unlink()
    assert Sight(str(folder)).values == plain.values


def test_a_page_whose_excluded_item_is_not_found_so_easily_is_not_kept(folder: Path, loaded: list[str]) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    sight = Sight(str(folder)).keep()
    exclude(folder, "mem-2026-05-02-007", "mem-2026-05-02-008")
    sight.keep()
    assert SECRET.encode() not in raw(folder)
    Sight(str(folder)).keep()
    Sight(str(folder))
    assert "topics/odd.md" not in loaded


def test_an_archive_day_with_an_excluded_copy_is_not_kept(folder: Path, loaded: list[str]) -> None:
    sight = Sight(str(folder)).keep()
    exclude(folder, "mem-2026-05-20-002")
    sight.keep()
    assert sorted(Cache(str(folder)).rows()) == ["memory.md", "topics/deploy.md"]
    plain = Sight(str(folder)).keep()
    assert Sight(str(folder)).values == plain.values


def test_what_is_reinstated_is_kept_again(folder: Path) -> None:
    exclude(folder, "mem-2026-05-20-002")
    sight = Sight(str(folder)).keep()
    (folder / "log.md").unlink()
    sight.keep()
    assert sorted(Cache(str(folder)).rows()) == ["archive/2026-05-20.md", "memory.md", "topics/deploy.md"]
    assert b"run-8" in Cache(str(folder)).rows()["topics/deploy.md"].record


def test_no_fact_is_in_the_cache(folder: Path) -> None:
    lay_out(folder, {"topics/odd.md": SPOKEN})
    sight = Sight(str(folder)).keep()
    data = raw(folder)
    assert b"mem-2026-05-02-007" in data
    facts = [item.text for item in sight.store.snapshot().items]
    facts += [copy.text for day in sight.store.snapshot().archive for copy in day.copies]
    assert [fact for fact in facts if fact.encode() in data] == []


# A crash


class Crash(BaseException):
    """The process ends here."""


class Disk:
    """What the cache writes through; the process ends at write `number`, when `share` of it is done."""

    def __init__(self, number: int, share: float) -> None:
        self.number, self.share = number, share
        self.count = 0
        self._pwrite, self._ftruncate = os.pwrite, os.ftruncate

    def pwrite(self, fd: int, data: memoryview, at: int) -> int:
        if not self._ends():
            return self._pwrite(fd, data, at)
        self._pwrite(fd, data[: int(len(data) * self.share)], at)
        raise Crash

    def ftruncate(self, fd: int, length: int) -> None:
        ends = self._ends()
        if not ends or self.share == 1:
            self._ftruncate(fd, length)
        if ends:
            raise Crash

    def _ends(self) -> bool:
        self.count += 1
        return self.count == self.number


@pytest.mark.parametrize("share", [0, 0.5, 1])
@pytest.mark.parametrize("deed", ["keep", "forget"])
def test_a_crash_leaves_nothing_behind_that_was_to_go(
    folder: Path, deed: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every write of the cache: before it, in the middle of it, and after it."""
    plain = Sight(str(folder)).values
    number, crashed = 0, True
    while crashed:
        number += 1
        shutil.rmtree(folder / ".assay", ignore_errors=True)
        lay_out(folder, {"topics/odd.md": SPOKEN, "topics/old.md": SPOKEN.replace("02-00", "02-01")})
        sight = Sight(str(folder), plans=False)
        if deed == "forget":
            sight.keep()
        disk = Disk(number, share)
        with monkeypatch.context() as failing:
            failing.setattr(os, "pwrite", disk.pwrite)
            failing.setattr(os, "ftruncate", disk.ftruncate)
            try:
                if deed == "keep":
                    sight.keep()
                for page in ("odd", "old"):
                    (folder / f"topics/{page}.md").unlink()
                sight.store.snapshot()
                crashed = False
            except Crash:
                pass
        for page in ("odd", "old"):
            (folder / f"topics/{page}.md").unlink(missing_ok=True)
        assert Sight(str(folder)).values == plain
        assert SECRET.encode() not in raw(folder)
    assert number > 4


# Room


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_life_of_a_cache_leaves_what_is_kept_and_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    root = tmp_path / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    caches = [Cache(str(root)) for _ in range(2)]
    live: dict[str, Row] = {}
    dead: set[bytes] = set()
    number = 0
    for _ in range(data.draw(st.integers(1, 12))):
        cache = data.draw(st.sampled_from(caches))
        paths = data.draw(st.lists(st.sampled_from([f"topics/{n}\udcff.md" for n in range(8)]), unique=True))
        if data.draw(st.booleans()):
            rows = {}
            for path in paths:
                number += 1
                rows[path] = Row(f"digest{number}", b"mark%06dx" % number * data.draw(st.integers(1, 9000)))
            assert cache.keep(rows)
            dead |= {live[path].record[:11] for path in rows if path in live}
            live |= rows
        else:
            cache.forget([path for path in paths if path in live])
            dead |= {live.pop(path).record[:11] for path in paths if path in live}
        assert cache.rows() == live
        kept_now = (root / ".assay" / "cache.db").read_bytes() if (root / ".assay" / "cache.db").exists() else b""
        assert [mark for mark in dead if mark in kept_now] == []
        assert len(kept_now) <= 4 * sum(len(row.record) for row in live.values()) + (1 << 19)


def test_room_of_what_is_gone_is_given_back(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    cache = Cache(str(root))
    assert cache.keep({"topics/a.md": Row("a", b"A")})
    for number in range(60):
        assert cache.keep({"topics/b.md": Row("b", b"%02d" % number * 25_000)})
    assert cache.rows() == {"topics/a.md": Row("a", b"A"), "topics/b.md": Row("b", b"59" * 25_000)}
    assert (root / ".assay" / "cache.db").stat().st_size < 300_000


def test_threads_keep_and_forget_at_once(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    cache = Cache(str(root))
    failed: list[object] = []

    def life(number: int) -> None:
        mine = {f"topics/{number}-{n}.md": Row("d", b"mark%d" % number * 500) for n in range(4)}
        for _ in range(10):
            if not cache.keep(mine):
                failed.append(number)
            if {path: row for path, row in cache.rows().items() if path in mine} != mine:
                failed.append(number)
            cache.forget(mine)

    threads = [threading.Thread(target=life, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert cache.rows() == {}
    assert b"mark" not in (root / ".assay" / "cache.db").read_bytes()


# Small roots


def test_a_small_root_has_no_cache(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reader, "WORTH_KEEPING", 1 << 20)
    before = sorted(folder.rglob("*"))
    Sight(str(folder)).keep()
    assert sorted(folder.rglob("*")) == before
    assert not (tmp_path / "config" / "cache.key").exists()


def test_a_large_root_has_one_for_its_user_alone(folder: Path, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        Sight(str(folder)).keep()
    finally:
        os.umask(old)
    assert cache_of(folder).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "config" / "cache.key").stat().st_mode & 0o777 == 0o600
    cache_of(folder).chmod(0o644)
    Sight(str(folder))
    assert cache_of(folder).stat().st_mode & 0o777 == 0o600
