"""Several files, one outcome: what is on the disk after a commit, and after one that could not be."""

from __future__ import annotations

import contextlib
import errno
import multiprocessing
import os
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from stores.markdown.edits import FileEdit, SpanEdit, difference
from stores.markdown.journal import pending, sequence, temp_name
from stores.markdown.port import OsPort
from stores.markdown.recovery import recover, settle_displaced
from stores.markdown.transaction import (
    CommitReport,
    LateBytes,
    RootNeedsAttention,
    StrangerConflict,
    WriteRefused,
    commit,
)
from tests.stores.faultport import (
    Call,
    FailAtPort,
    HookPort,
    PlainPort,
    RecordingPort,
    UnsyncedPort,
    WrappedPort,
    stops,
)

BEFORE = {
    "memory.md": b"# Inbox\n\n- one\n- two\n- three\n",
    "topics/deploy.md": b"# Deploy\n\n- runs on Monday\n  Status: active\n\n## Historical\n",
    "log.md": b"- [t0] capture\n",
}
AFTER = {
    "memory.md": b"# Inbox\n\n- one\n- three\n",
    "topics/deploy.md": b"# Deploy\n\n- runs on Friday\n  Status: active\n\n## Historical\n",
    "log.md": b"- [t0] capture\n- [t1] archive\n",
    "archive/2026/2026-05-26.md": b"- two\n",
}


def make_root(folder: Path) -> Path:
    for name, data in BEFORE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "root")


def the_edits() -> list[FileEdit]:
    return [FileEdit(name, BEFORE.get(name), difference(BEFORE.get(name, b""), after)) for name, after in AFTER.items()]


def do(root: Path, port: Any = None, tx: str = "tx1") -> CommitReport:
    return commit(port or UnsyncedPort(), str(root), the_edits(), tx=tx)


def files(root: Path) -> dict[str, bytes]:
    """Everything in the root but what is in `.assay`."""
    found = {}
    for folder, folders, names in os.walk(root):
        if ".assay" in folders:
            folders.remove(".assay")
        for name in names:
            path = Path(folder, name)
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def journal_is_empty(root: Path) -> bool:
    journal = root / ".assay" / "journal"
    return not (journal.exists() and os.listdir(journal)) and not pending(str(root))


def rename_save(path: Path, data: bytes) -> None:
    """As editors do."""
    beside = path.with_name(path.name + "~")
    beside.write_bytes(data)
    os.rename(beside, path)


def test_four_files_change_together(root: Path) -> None:
    report = do(root)
    assert files(root) == AFTER
    assert report.after == AFTER
    assert list(report.after) == list(AFTER)
    assert report.tidy
    assert not report.merged
    assert journal_is_empty(root)


def test_files_are_replaced_in_the_given_order_after_everything_is_prepared(root: Path) -> None:
    port = RecordingPort()
    do(root, port)
    names = [call.name for call in port.trace]
    new = str(root / "archive/2026/2026-05-26.md")
    placed = [i for i, call in enumerate(port.trace) if call.name == "exchange" or call.other == new]
    assert [os.path.basename(port.trace[i].other or "") for i in placed] == [os.path.basename(name) for name in AFTER]
    assert "create" not in names[placed[0] :]
    assert "write" not in names[placed[0] :]


def test_syncs_are_counted(root: Path) -> None:
    """One for each file, one for the journal, and of folders: the journal's twice, each folder of a file once."""
    do(root)
    port = RecordingPort()
    edits = [FileEdit(name, data, (SpanEdit(0, 0, b"\n"),)) for name, data in files(root).items()]
    commit(port, str(root), edits, tx="tx2")
    names = [call.name for call in port.trace]
    assert names.count("fsync") == 4 + 1
    assert names.count("fsync_folder") == 2 + 3


def test_a_conflict_that_is_there_already_stages_nothing(root: Path) -> None:
    (root / "log.md").write_bytes(b"- [t0] capture, unfinis")
    kept = files(root)
    with pytest.raises(StrangerConflict) as caught:
        do(root)
    assert caught.value.path == "log.md"
    assert files(root) == kept
    assert journal_is_empty(root)


def test_a_change_elsewhere_in_a_file_is_carried_along(root: Path) -> None:
    (root / "log.md").write_bytes(BEFORE["log.md"] + b"- [t0] by a stranger\n")
    assert do(root).merged == {"log.md"}
    assert files(root) == AFTER | {"log.md": BEFORE["log.md"] + b"- [t0] by a stranger\n- [t1] archive\n"}


# A stranger saves in the very instant of the commit.

ELSEWHERE = BEFORE["topics/deploy.md"] + b"- ran on Sunday\n"
MERGED = AFTER["topics/deploy.md"] + b"- ran on Sunday\n"
THE_PLACE = BEFORE["topics/deploy.md"].replace(b"Monday", b"Tuesday")


@pytest.mark.parametrize("moment", [("exchange", 1), ("exchange", 2)])
def test_a_save_between_check_and_replacement_stands_beside_the_change(root: Path, moment: tuple[str, int]) -> None:
    port = HookPort({moment: lambda: rename_save(root / "topics/deploy.md", ELSEWHERE)})
    assert do(root, port).merged == {"topics/deploy.md"}
    assert files(root) == AFTER | {"topics/deploy.md": MERGED}
    assert journal_is_empty(root)


def test_a_save_of_the_very_place_undoes_the_commit_and_says_so(root: Path) -> None:
    port = HookPort({("exchange", 2): lambda: rename_save(root / "topics/deploy.md", THE_PLACE)})
    with pytest.raises(StrangerConflict, match="undone") as caught:
        do(root, port)
    assert caught.value.path == "topics/deploy.md"
    assert files(root) == BEFORE | {"topics/deploy.md": THE_PLACE}
    assert not (root / "archive").exists()
    assert journal_is_empty(root)


def test_a_file_that_appears_under_a_new_name_is_never_overwritten(root: Path) -> None:
    def appear() -> None:
        (root / "archive/2026").mkdir(parents=True, exist_ok=True)
        (root / "archive/2026/2026-05-26.md").write_bytes(b"a stranger's day\n")

    for port in (HookPort({("link", 5): appear}), HookPort({("rename_new", 1): appear}, inner=PlainPort(links=False))):
        with pytest.raises(StrangerConflict):
            do(root, port)
        assert files(root) == BEFORE | {"archive/2026/2026-05-26.md": b"a stranger's day\n"}
        assert journal_is_empty(root)
        (root / "archive/2026/2026-05-26.md").unlink()
    appear()
    with pytest.raises(StrangerConflict):
        do(root)
    assert files(root) == BEFORE | {"archive/2026/2026-05-26.md": b"a stranger's day\n"}


def test_what_was_changed_after_its_replacement_keeps_that_change_when_the_commit_is_undone(root: Path) -> None:
    """memory.md is replaced, then edited outside; then deploy.md turns out to be in conflict."""

    def twice() -> None:
        rename_save(root / "memory.md", AFTER["memory.md"] + b"- four\n")
        rename_save(root / "topics/deploy.md", THE_PLACE)

    with pytest.raises(StrangerConflict):
        do(root, HookPort({("exchange", 2): twice}))
    assert files(root) == BEFORE | {
        "memory.md": BEFORE["memory.md"] + b"- four\n",
        "topics/deploy.md": THE_PLACE,
    }
    assert journal_is_empty(root)


def test_an_old_copy_put_back_over_a_replaced_file_is_nothing_to_undo(root: Path) -> None:
    def twice() -> None:
        rename_save(root / "memory.md", BEFORE["memory.md"])
        rename_save(root / "topics/deploy.md", THE_PLACE)

    with open(root / "memory.md", "ab", buffering=0) as holder:
        with pytest.raises(StrangerConflict):
            do(root, HookPort({("exchange", 2): twice}))
        assert files(root) == BEFORE | {"topics/deploy.md": THE_PLACE}
        assert journal_is_empty(root)
        holder.write(b"- late\n")  # to the file that memory.md was at first
    assert [late.tail for late in settle_displaced(OsPort(), str(root))] == [b"- late\n"]


def test_where_undoing_would_lose_bytes_all_versions_are_kept_for_a_human(root: Path) -> None:
    mine = AFTER["memory.md"].replace(b"- one\n- three\n", b"- three, one\n")

    def twice() -> None:
        rename_save(root / "memory.md", mine)
        rename_save(root / "topics/deploy.md", THE_PLACE)

    with pytest.raises(RootNeedsAttention):
        do(root, HookPort({("exchange", 2): twice}))
    assert files(root)["memory.md"] == mine
    assert files(root)["topics/deploy.md"] == THE_PLACE
    stuck = {file.path: file for file in recover(OsPort(), str(root)).stuck}
    assert stuck["memory.md"].before == BEFORE["memory.md"]
    assert stuck["memory.md"].after == AFTER["memory.md"]
    assert stuck["memory.md"].now == mine
    with pytest.raises(RootNeedsAttention):
        commit(OsPort(), str(root), [FileEdit("memory.md", mine, (SpanEdit(0, 0, b"x"),))], tx="tx2")


def test_a_new_file_that_was_appended_to_in_place_is_taken_back_around_the_append(root: Path) -> None:
    def append() -> None:
        with open(root / "archive/2026/2026-05-26.md", "ab") as file:
            file.write(b"- by a stranger\n")

    edits = [*the_edits()[3:], *the_edits()[:3]]  # the new file first
    conflict = HookPort({("exchange", 1): lambda: (append(), rename_save(root / "memory.md", b"- all new\n"))})
    with pytest.raises(StrangerConflict):
        commit(conflict, str(root), edits, tx="tx1")
    assert files(root) == BEFORE | {
        "memory.md": b"- all new\n",
        "archive/2026/2026-05-26.md": b"- by a stranger\n",
    }
    assert journal_is_empty(root)
    assert settle_displaced(OsPort(), str(root)) == ()


def test_a_stranger_who_saves_over_the_change_while_his_own_save_is_given_back(root: Path) -> None:
    """He saves twice, each time in the instant before an exchange: his last version is the one that stands."""
    last = ELSEWHERE + b"- and on Saturday\n"
    port = HookPort(
        {
            ("exchange", 2): lambda: rename_save(root / "topics/deploy.md", ELSEWHERE),
            ("exchange", 3): lambda: rename_save(root / "topics/deploy.md", last),
        }
    )
    do(root, port)
    assert files(root) == AFTER | {"topics/deploy.md": MERGED + b"- and on Saturday\n"}
    # The one in between was never live again, and is not lost either.
    assert [late.found for late in settle_displaced(OsPort(), str(root))] == [ELSEWHERE]


def test_a_stranger_who_saves_twice_and_whose_last_save_is_of_the_very_place(root: Path) -> None:
    port = HookPort(
        {
            ("exchange", 2): lambda: rename_save(root / "topics/deploy.md", ELSEWHERE),
            ("exchange", 3): lambda: rename_save(root / "topics/deploy.md", THE_PLACE),
        }
    )
    with pytest.raises(StrangerConflict):
        do(root, port)
    assert files(root) == BEFORE | {"topics/deploy.md": THE_PLACE}
    assert journal_is_empty(root)
    assert [late.found for late in settle_displaced(OsPort(), str(root))] == [ELSEWHERE]


@pytest.mark.parametrize("plain", [False, True])
def test_a_stranger_who_appends_at_each_and_every_instant_cannot_starve_the_writer(root: Path, plain: bool) -> None:
    written = []

    class Appending(WrappedPort):
        def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
            for path in (call.path, call.other):
                if call.name in ("exchange", "rename", "link") and path == str(root / "log.md"):
                    written.append(b"- line %d\n" % len(written))
                    with open(path, "ab") as file:
                        file.write(written[-1])
            return do()

    do(root, Appending(PlainPort() if plain else None))
    late = settle_displaced(OsPort(), str(root))
    lines = files(root)["log.md"].splitlines(keepends=True)
    assert lines[0] == BEFORE["log.md"]
    found = [*lines[1:], *(line for each in late for line in (each.tail or b"").splitlines(keepends=True))]
    assert sorted(found) == sorted([*written, b"- [t1] archive\n"])


def test_names_of_temporary_files_never_meet(root: Path) -> None:
    names = {temp_name("/x", tx, n, again) for tx in ("a", "a-1", "a-1-1") for n in range(3) for again in range(3)}
    assert len(names) == 27
    assert not [name for name in names if name.endswith(".md")]


def test_without_exchange_a_save_before_the_check_is_found(root: Path) -> None:
    """Before its old file is linked, or between that and the last look."""
    save = {("link", 6): lambda: rename_save(root / "topics/deploy.md", ELSEWHERE)}
    for hooks in ((save, None), (None, save)):
        do(root, HookPort(*hooks, inner=PlainPort()))
        assert files(root) == AFTER | {"topics/deploy.md": MERGED}
        assert journal_is_empty(root)
        make_root(root)
        (root / "archive/2026/2026-05-26.md").unlink()


def test_without_exchange_late_bytes_to_a_file_saved_in_that_instant_are_found(root: Path) -> None:
    """Saved with the very bytes that were expected, but it is another file."""
    opened = []

    def save() -> None:
        rename_save(root / "topics/deploy.md", BEFORE["topics/deploy.md"])
        opened.append(open(root / "topics/deploy.md", "ab", buffering=0))  # noqa: SIM115

    do(root, HookPort(after={("link", 6): save}, inner=PlainPort()))
    assert files(root) == AFTER
    opened[0].write(b"- late\n")
    opened[0].close()
    assert [late.tail for late in settle_displaced(OsPort(), str(root))] == [b"- late\n"]


@pytest.mark.parametrize("links", [True, False])
def test_file_systems_without_exchange_or_links_do_as_well(root: Path, links: bool) -> None:
    do(root, PlainPort(links=links))
    assert files(root) == AFTER
    assert journal_is_empty(root)
    make_root(root)
    (root / "archive/2026/2026-05-26.md").unlink()
    with pytest.raises(WriteRefused):  # and back again
        do(root, FailAtPort(2, errno.EIO, name="fsync_folder", inner=PlainPort(links=links)), tx="tx2")
    assert files(root) == BEFORE
    assert journal_is_empty(root)


# Modes, links, refusals.


def test_a_link_stays_a_link_and_the_mode_stays(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.rename(root / "memory.md", elsewhere / "inbox.md")
    (root / "memory.md").symlink_to(elsewhere / "inbox.md")
    os.chmod(elsewhere / "inbox.md", 0o640)
    os.rename(root / "topics", elsewhere / "topics")
    (root / "topics").symlink_to("../elsewhere/topics")
    do(root)
    assert (root / "memory.md").is_symlink()
    assert (elsewhere / "inbox.md").read_bytes() == AFTER["memory.md"]
    assert stat.S_IMODE(os.stat(elsewhere / "inbox.md").st_mode) == 0o640
    assert (elsewhere / "topics/deploy.md").read_bytes() == AFTER["topics/deploy.md"]
    assert sorted(os.listdir(elsewhere)) == ["inbox.md", "topics"]
    assert os.listdir(elsewhere / "topics") == ["deploy.md"]


def test_the_mode_of_a_new_file(root: Path) -> None:
    umask = os.umask(0o027)
    try:
        commit(OsPort(), str(root), [FileEdit("a.md", None, ()), FileEdit("b.md", None, (), mode=0o666)], tx="tx1")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(os.stat(root / "a.md").st_mode) == 0o640
    assert stat.S_IMODE(os.stat(root / "b.md").st_mode) == 0o666
    assert os.stat(root / "a.md").st_nlink == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(root: Path) -> None:
    os.chown(root / "memory.md", 1234, 2345)
    do(root)
    found = os.stat(root / "memory.md")
    assert (found.st_uid, found.st_gid) == (1234, 2345)


def test_a_read_only_file_or_folder_is_refused_before_anything_is_staged(root: Path) -> None:
    for path, mode in ((root / "memory.md", 0o444), (root / "topics", 0o555), (root / "topics/deploy.md", 0o400)):
        kept = stat.S_IMODE(os.stat(path).st_mode)
        os.chmod(path, mode)
        port = RecordingPort()
        with pytest.raises(WriteRefused, match="read-only"):
            do(root, port)
        assert {call.name for call in port.trace} <= {"mkdir", "fsync_folder"}
        os.chmod(path, kept)
    assert files(root) == BEFORE


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("memory.md", path), os.mkdir])
def test_things_that_are_not_files_are_refused(root: Path, make: Callable[[Path], None]) -> None:
    (root / "memory.md").unlink()
    make(root / "memory.md")
    with pytest.raises(WriteRefused, match="not a regular file"):
        do(root)
    assert (root / "topics/deploy.md").read_bytes() == BEFORE["topics/deploy.md"]
    assert journal_is_empty(root)


@pytest.mark.parametrize("path", ["/etc/x", "../x", "topics/../x", "", "a//b", "./a", ".assay/x"])
def test_paths_that_leave_the_root_are_a_mistake(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match="not a path in the root"):
        commit(OsPort(), str(root), [FileEdit(path, None, ())], tx="tx1")


def test_one_file_by_two_names_is_a_mistake(root: Path) -> None:
    (root / "also.md").symlink_to("memory.md")
    edits = [FileEdit(name, BEFORE["memory.md"], (SpanEdit(0, 0, b"x"),)) for name in ("memory.md", "also.md")]
    with pytest.raises(ValueError, match="twice"):
        commit(OsPort(), str(root), edits, tx="tx1")


def test_a_link_for_the_machinery_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (root / ".assay").symlink_to(tmp_path / "other")
    with pytest.raises(WriteRefused):
        do(root)
    assert os.listdir(tmp_path / "other") == []


# Disks that are full, or fail.


@pytest.mark.parametrize(
    ("number", "sticky"),
    [(errno.ENOSPC, True), (errno.EIO, False), (errno.EACCES, False)],
    ids=["full", "io", "access"],
)
@pytest.mark.parametrize("plain", [False, True], ids=["exchange", "plain"])
def test_a_failure_of_any_call_leaves_all_or_nothing(tmp_path: Path, number: int, sticky: bool, plain: bool) -> None:
    def inner() -> Any:
        return PlainPort(links=False, inner=UnsyncedPort()) if plain else UnsyncedPort()

    refusals: list[str] = []
    for fail in stops(
        lambda port: do(make_root(tmp_path / "probe"), port if not plain else PlainPort(links=False, inner=port))
    ):
        root = make_root(tmp_path / str(fail))
        port = FailAtPort(fail, number, sticky=sticky, inner=inner())
        outcomes = [BEFORE, AFTER]
        try:
            report = do(root, port)
        except WriteRefused as error:
            refusals.append(error.detail)
            assert files(root) == BEFORE
            outcomes = [BEFORE]  # and recovery does not bring it back
        except RootNeedsAttention:
            pass  # neither finished nor undone for now; recovered below
        else:
            assert files(root) == AFTER or not report.tidy
        recovered = recover(UnsyncedPort(), str(root))
        assert not recovered.stuck
        assert files(root) in outcomes
        assert journal_is_empty(root)
    assert set(refusals) == {os.strerror(number).lower()}


@pytest.mark.parametrize(
    ("name", "which"), [("write", 1), ("write", 3), ("create", 6), ("mkdir", 4), ("link", 1), ("link", 5)]
)
def test_a_full_disk_is_refused_and_rolling_back_needs_no_space(root: Path, name: str, which: int) -> None:
    """Everything is written before the first file is touched; from then on only names change."""
    port = FailAtPort(which, errno.ENOSPC, sticky=True, name=name)
    with pytest.raises(WriteRefused, match="no space left"):
        do(root, port)
    assert port.failed
    assert files(root) == BEFORE
    assert not (root / "archive").exists()
    assert journal_is_empty(root)
    if (name, which) != ("link", 5) and (root / ".assay/displaced").exists():
        assert not [kept for kept in os.listdir(root / ".assay/displaced") if kept.endswith(".tmp")]


# Late bytes.


def test_bytes_appended_late_by_a_process_that_holds_the_file_open_are_not_lost(root: Path) -> None:
    holder = open(root / "memory.md", "ab", buffering=0)  # noqa: SIM115 - held over several commits
    do(root)
    holder.write(b"- four\n- fi")
    [late] = settle_displaced(OsPort(), str(root))
    assert (late.path, late.tail) == ("memory.md", b"- four\n")  # the rest of the line is still to come
    assert settle_displaced(OsPort(), str(root)) == (late,)  # until it is dealt with
    fold(root, late, "tx2")
    assert (root / "memory.md").read_bytes() == AFTER["memory.md"] + b"- four\n"
    assert settle_displaced(OsPort(), str(root)) == ()
    holder.write(b"ve\n")
    [late] = settle_displaced(OsPort(), str(root))
    assert late.tail == b"- five\n"
    fold(root, late, "tx3")
    holder.write(b"- six")
    holder.close()
    [late] = settle_displaced(OsPort(), str(root))
    assert late.tail == b"- six"  # nobody will finish that line
    fold(root, late, "tx4")
    assert settle_displaced(OsPort(), str(root)) == ()
    assert (root / "memory.md").read_bytes() == AFTER["memory.md"] + b"- four\n- five\n- six"
    assert os.listdir(root / ".assay/displaced") == []


def fold(root: Path, late: LateBytes, tx: str) -> None:
    live = (root / late.path).read_bytes()
    edit = FileEdit(late.path, live, (SpanEdit(len(live), len(live), late.tail or b""),))
    commit(OsPort(), str(root), [edit], tx=tx, late=[late])


def test_bytes_that_come_late_to_a_version_that_was_undone_are_not_lost(root: Path) -> None:
    """A stranger opened the new memory.md while it stood; then the commit was undone, and then he wrote."""
    opened = []
    look = HookPort(
        {("exchange", 2): lambda: rename_save(root / "topics/deploy.md", THE_PLACE)},
        {("exchange", 1): lambda: opened.append(open(root / "memory.md", "ab", buffering=0))},  # noqa: SIM115
    )
    with pytest.raises(StrangerConflict):
        do(root, look)
    opened[0].write(b"- four\n")
    opened[0].close()
    [late] = settle_displaced(OsPort(), str(root))
    assert (late.path, late.tail) == ("memory.md", b"- four\n")


def test_two_strangers_who_go_on_appending_while_the_inbox_is_emptied(root: Path) -> None:
    """One opens the file for each line, one holds it open: each line is in the archive or the inbox, once."""
    inbox, archive = root / "memory.md", root / "archive.md"
    inbox.write_bytes(b"")
    archive.write_bytes(b"")

    def each_time() -> None:
        for i in range(2000):
            with open(inbox, "ab") as file:
                file.write(b"each %d\n" % i)
            if i % 20 == 0:
                time.sleep(0.005)

    def held() -> None:
        with open(inbox, "ab", buffering=0) as file:
            for i in range(2000):
                file.write(b"held %d\n" % i)
                if i % 20 == 0:
                    time.sleep(0.005)

    strangers = [multiprocessing.get_context("fork").Process(target=work) for work in (each_time, held)]
    for stranger in strangers:
        stranger.start()
    running, round_ = True, 0
    while running:
        running = any(stranger.is_alive() for stranger in strangers)
        round_ += 1
        late = settle_displaced(OsPort(), str(root))
        live, old = inbox.read_bytes(), archive.read_bytes()
        new = live[: live.rfind(b"\n") + 1] + b"".join(each.tail or b"" for each in late)
        edits = [
            FileEdit("archive.md", old, (SpanEdit(len(old), len(old), new),)),
            FileEdit("memory.md", live, (SpanEdit(0, live.rfind(b"\n") + 1, b""),)),
        ]
        with contextlib.suppress(StrangerConflict):
            commit(OsPort(), str(root), edits, tx=f"t{round_}", late=late)
    lines = (inbox.read_bytes() + archive.read_bytes()).splitlines()
    lines += [line for late in settle_displaced(OsPort(), str(root)) for line in (late.tail or b"").splitlines()]
    assert round_ > 3
    assert sorted(lines) == sorted(b"%s %d" % (who, i) for who in (b"each", b"held") for i in range(2000))


def test_a_displaced_file_that_was_rewritten_in_place_is_shown_whole(root: Path) -> None:
    with open(root / "memory.md", "r+b", buffering=0) as holder:
        do(root)
        holder.write(b"# INBOX")
    [late] = settle_displaced(OsPort(), str(root))
    assert late.tail is None
    assert late.found == b"# INBOX" + BEFORE["memory.md"][7:]
    commit(OsPort(), str(root), [], tx="tx2", late=[late])
    assert settle_displaced(OsPort(), str(root)) == ()


def test_where_nobody_can_say_who_holds_a_file_the_last_eight_commits_are_kept(root: Path) -> None:
    class Blind(OsPort):
        def writer_holds(self, path: str) -> bool | None:
            return None

    for i in range(12):
        live = (root / "log.md").read_bytes()
        settle_displaced(Blind(), str(root))
        commit(Blind(), str(root), [FileEdit("log.md", live, (SpanEdit(len(live), len(live), b"-\n"),))], tx=f"t{i}")
    notes = [name for name in os.listdir(root / ".assay/displaced") if name.endswith(".done")]
    assert sorted(notes) == sorted(f"t{i}.done" for i in range(3, 12))


def test_displaced_files_on_another_file_system_stay_beside_the_target_until_the_next_commit(
    root: Path, tmp_path: Path
) -> None:
    class Apart(OsPort):
        def rename(self, source: str, target: str) -> None:
            if os.path.dirname(source) == str(root) and "/.assay/displaced/" in target:
                raise OSError(errno.EXDEV, "cross-device link", source)
            super().rename(source, target)

    holder = open(root / "memory.md", "ab", buffering=0)  # noqa: SIM115
    do(root, Apart())
    assert {name for name in files(root) if name.startswith(".assay-tx1-")} == {".assay-tx1-0.tmp", ".assay-tx1-2.tmp"}
    holder.write(b"- four\n")
    holder.close()
    [late] = settle_displaced(Apart(), str(root))
    assert late.tail == b"- four\n"
    commit(Apart(), str(root), [], tx="tx2", late=[late])
    settle_displaced(Apart(), str(root))
    assert files(root) == AFTER


# Readers.


def test_a_reader_sees_that_a_commit_happened_or_is_happening(root: Path) -> None:
    number, busy = sequence(str(root))
    assert not busy
    during: list[tuple[int, bool]] = []
    look: Callable[[], object] = lambda: during.append(sequence(str(root)))  # noqa: E731
    hooks: Mapping[tuple[str, int], Callable[[], object]] = {
        ("exchange", 1): look,
        ("exchange", 2): look,
        ("link", 5): look,
    }
    do(root, HookPort(hooks))
    assert len(during) == 3
    assert all(busy for _, busy in during)
    after, busy = sequence(str(root))
    assert after > number
    assert not busy
    assert {number for number, _ in during} == {after}  # moved on before the first file changed


def test_a_name_used_before_is_no_trouble(root: Path) -> None:
    assert do(root).tx == "tx1"
    edit = FileEdit("log.md", AFTER["log.md"], (SpanEdit(0, 0, b"\n"),))
    assert commit(OsPort(), str(root), [edit], tx="tx1").tx == "tx1-2"
    with pytest.raises(ValueError, match="transaction name"):
        commit(OsPort(), str(root), [edit], tx="a/b")


def test_nothing_to_do_touches_nothing(root: Path) -> None:
    edit = FileEdit("log.md", BEFORE["log.md"], (SpanEdit(0, 1, b"-"),))
    assert commit(OsPort(), str(root), [edit], tx="tx1").after == {}
    assert os.listdir(root / ".assay/displaced") == []
