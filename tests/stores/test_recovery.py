"""Killed at any call, or cut off from power: reopened, the files are wholly before or wholly after the commit."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stores.markdown.edits import FileEdit, SpanEdit
from stores.markdown.journal import pending, sequence
from stores.markdown.port import OsPort
from stores.markdown.recovery import recover, resolve, settle_displaced
from stores.markdown.transaction import RootNeedsAttention, StrangerConflict, WriteRefused, commit
from tests.stores.faultport import (
    Call,
    Disk,
    FailAtPort,
    HookPort,
    PlainPort,
    RecordingPort,
    StopAtPort,
    Stopped,
    UnsyncedPort,
    WrappedPort,
    fast_folder,
    in_child,
    power_cuts,
    stops,
)

BEFORE = {
    "memory.md": b"# Inbox\n\n- one\n- two\n- three\n",
    "topics/deploy.md": b"# Deploy\n\n- runs on Monday\n  Status: active\n\n## Historical\n",
    "log.md": b"- [t0] capture\n",
}
# The last is new, in a folder that is new.
EDITS = [
    FileEdit("memory.md", BEFORE["memory.md"], (SpanEdit(15, 21, b""),)),
    FileEdit("topics/deploy.md", BEFORE["topics/deploy.md"], (SpanEdit(19, 25, b"Friday"),)),
    FileEdit("log.md", BEFORE["log.md"], (SpanEdit(15, 15, b"- [t1] archive\n"),)),
    FileEdit("archive/2026-05-26.md", None, (SpanEdit(0, 0, b"- two\n"),)),
]
AFTER = {edit.path: edit.after for edit in EDITS}
TAIL = b"\n- written by a stranger meanwhile\n"


@pytest.fixture
def folder() -> Iterator[Path]:
    with fast_folder() as made:
        yield made


@pytest.fixture
def template(folder: Path) -> Path:
    root = folder / "template"
    for name, data in BEFORE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def again(template: Path) -> Path:
    """A fresh copy of the root."""
    root = template.with_name("root")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(template, root, symlinks=True)
    return root


def do(root: Path, port: Any) -> None:
    commit(port, str(root), EDITS, tx="tx1")


def files(root: Path) -> dict[str, bytes]:
    found = {}
    for folder, folders, names in os.walk(root):
        if ".assay" in folders:
            folders.remove(".assay")
        for name in names:
            path = Path(folder, name)
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def assert_settled(root: Path) -> None:
    """No journal, and no temporary file anywhere but among the displaced, each of which a note names."""
    assert not pending(str(root))
    assert not sequence(str(root))[1]
    journal = root / ".assay/journal"
    assert not (journal.exists() and os.listdir(journal))
    assert not [name for name in files(root) if ".assay" in name]
    settle_displaced(UnsyncedPort(), str(root))
    displaced = root / ".assay/displaced"
    assert not (displaced.exists() and os.listdir(displaced))


def test_killed_at_each_call(template: Path) -> None:
    seen = set()
    for stop in stops(lambda port: do(again(template), port)):
        root = again(template)
        killed = in_child(lambda: do(root, StopAtPort(stop, kill=True, tear=True)))  # noqa: B023 - run at once
        assert killed == signal.SIGKILL
        recover(OsPort(), str(root))
        assert files(root) in (BEFORE, AFTER), stop
        seen.add(files(root) == AFTER)
        assert_settled(root)
    assert seen == {False, True}


@pytest.mark.parametrize("plain", [None, True, False], ids=["exchange", "no exchange", "no links"])
def test_stopped_at_each_call_then_every_file_is_edited_outside(template: Path, plain: bool | None) -> None:
    def inner() -> Any:
        return UnsyncedPort() if plain is None else PlainPort(links=plain, inner=UnsyncedPort())

    for stop in stops(lambda port: do(again(template), port if plain is None else PlainPort(links=plain, inner=port))):
        for edited in range(4):
            root = again(template)
            with pytest.raises(Stopped):
                do(root, StopAtPort(stop, tear=True, inner=inner()))
            path = root / EDITS[edited].path
            if not path.exists():
                continue
            path.write_bytes(path.read_bytes() + TAIL)
            report = recover(inner(), str(root))
            assert not report.stuck
            expected = [dict(state) for state in (BEFORE, AFTER)]
            for state in expected:
                # Where the stranger's tail was there before our own append, it stands before it.
                state[EDITS[edited].path] = state.get(EDITS[edited].path, b"") + TAIL
            now = files(root)
            if edited == 2 and now["log.md"] == BEFORE["log.md"] + TAIL + b"- [t1] archive\n":
                now["log.md"] = expected[1]["log.md"]
            assert now in expected, (stop, edited)
            assert_settled(root)


def test_stopped_during_recovery_at_each_call(template: Path) -> None:
    """And once more during the recovery of the recovery, at the same call."""
    for stop in stops(lambda port: do(again(template), port))[::4]:

        def crash() -> Path:
            root = again(template)
            with pytest.raises(Stopped):
                do(root, StopAtPort(stop, inner=UnsyncedPort()))  # noqa: B023 - run at once
            return root

        for second in stops(lambda port: recover(port, str(crash()))):
            root = crash()
            for _ in range(2):
                try:
                    recover(StopAtPort(second, tear=True, inner=UnsyncedPort()), str(root))
                except Stopped:
                    continue
            recover(UnsyncedPort(), str(root))
            assert files(root) in (BEFORE, AFTER)
            assert_settled(root)


def test_power_cut_after_each_call(folder: Path, template: Path) -> None:
    root = again(template)
    start = Disk.of(root)
    port = RecordingPort()
    do(root, port)
    commit_point = next(i for i, call in enumerate(port.trace) if (call.other or "").endswith(".committed"))
    outcomes = []
    for disk in power_cuts(start, port.trace, root):
        disk.write(folder / "disk")
        recover(UnsyncedPort(), str(folder / "disk"))
        now = files(folder / "disk")
        assert now in (BEFORE, AFTER)
        outcomes.append(now == AFTER)
        assert_settled(folder / "disk")
    assert len(outcomes) > 200
    early = power_cuts(start, port.trace[:commit_point], root)
    assert not any((disk.write(folder / "disk"), is_after(folder / "disk"))[1] for disk in early)
    # What was reported as done stays done, whatever of the tidying is lost.
    for disk in power_cuts(start, port.trace, root, first=len(port.trace)):
        disk.write(folder / "disk")
        assert is_after(folder / "disk")


def is_after(root: Path) -> bool:
    recover(UnsyncedPort(), str(root))
    assert files(root) in (BEFORE, AFTER)
    return files(root) == AFTER


def test_power_cut_then_a_file_is_edited_outside(folder: Path, template: Path) -> None:
    root = again(template)
    start = Disk.of(root)
    port = RecordingPort()
    do(root, port)
    for disk in power_cuts(start, port.trace, root):
        disk.write(folder / "disk")
        path = folder / "disk/topics/deploy.md"
        path.write_bytes(path.read_bytes() + TAIL)
        assert not recover(UnsyncedPort(), str(folder / "disk")).stuck
        now = files(folder / "disk")
        assert now in [state | {"topics/deploy.md": state["topics/deploy.md"] + TAIL} for state in (BEFORE, AFTER)]


def test_power_cut_during_a_second_commit_never_brings_the_first_one_back(folder: Path, template: Path) -> None:
    """Nor a temporary file of it; a stranger's edit between the two stands."""
    root = again(template)
    do(root, OsPort())
    (root / "log.md").write_bytes(AFTER["log.md"] + TAIL)
    first = files(root)
    start = Disk.of(root)
    port = RecordingPort()
    settle_displaced(port, str(root))
    edit = FileEdit("memory.md", first["memory.md"], (SpanEdit(0, 0, b"\n"),))
    commit(port, str(root), [edit], tx="tx2")
    second = first | {"memory.md": edit.after}
    for disk in power_cuts(start, port.trace, root):
        disk.write(folder / "disk")
        recover(UnsyncedPort(), str(folder / "disk"))
        assert files(folder / "disk") in (first, second)
        assert_settled(folder / "disk")


def test_power_cut_after_an_undone_commit_does_not_bring_it_back(folder: Path, template: Path) -> None:
    root = again(template)
    start = Disk.of(root)
    port = RecordingPort(FailAtPort(5, errno.EIO, name="link"))
    with pytest.raises(WriteRefused):
        do(root, port)
    assert files(root) == BEFORE
    outcomes = set()
    undoing = next(i for i, call in enumerate(port.trace) if (call.other or "").endswith(".undoing"))
    for disk in power_cuts(start, port.trace, root, first=undoing):
        disk.write(folder / "disk")
        outcomes.add(is_after(folder / "disk"))
        assert_settled(folder / "disk")
    assert True in outcomes  # before the undoing was marked, finishing it is as good
    for disk in power_cuts(start, port.trace, root, first=len(port.trace)):
        disk.write(folder / "disk")
        assert not is_after(folder / "disk")


# Edited outside between the kill and the recovery.


def kill_before(root: Path, name: str, which: int, port: Any = None) -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        do(root, HookPort({(name, which): stop}, inner=port))


def test_killed_after_the_first_of_three_replacements_then_the_third_is_edited_elsewhere(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    third = b"# Log\n\n" + BEFORE["log.md"]
    (root / "log.md").write_bytes(third)
    report = recover(OsPort(), str(root))
    assert report.finished == ("tx1",)
    assert report.merged == {"log.md"}
    assert files(root) == AFTER | {"log.md": third + b"- [t1] archive\n"}
    assert_settled(root)


def test_killed_after_the_first_of_three_replacements_then_the_third_is_edited_in_the_place(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    (root / "log.md").write_bytes(b"- [t0] rewritten\n")
    report = recover(OsPort(), str(root))
    assert report.undone == ("tx1",)
    assert files(root) == BEFORE | {"log.md": b"- [t0] rewritten\n"}
    assert_settled(root)


def test_undone_around_an_edit_of_what_was_already_replaced(template: Path) -> None:
    for when in range(2):
        root = again(template)
        kill_before(root, "exchange", 2)
        (root / "memory.md").write_bytes(AFTER["memory.md"] + TAIL)
        (root / "log.md").write_bytes(b"- [t0] rewritten\n")
        expected = BEFORE | {"memory.md": BEFORE["memory.md"] + TAIL, "log.md": b"- [t0] rewritten\n"}
        if when == 0:
            recover(OsPort(), str(root))
            assert files(root) == expected
            assert_settled(root)
            continue
        # And stopped at each call of that.
        crashed = Disk.of(root)
        count = RecordingPort(UnsyncedPort())
        recover(count, str(root))
        for stop in range(1, count.count + 1):
            crashed.write(root)
            with pytest.raises(Stopped):
                recover(StopAtPort(stop, tear=True, inner=UnsyncedPort()), str(root))
            recover(UnsyncedPort(), str(root))
            assert files(root) == expected, stop
            assert_settled(root)


def test_undone_where_a_stranger_put_an_old_copy_back(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    (root / "memory.md").write_bytes(BEFORE["memory.md"])
    (root / "log.md").write_bytes(b"- [t0] rewritten\n")
    assert recover(OsPort(), str(root)).undone == ("tx1",)
    assert files(root) == BEFORE | {"log.md": b"- [t0] rewritten\n"}


def test_finished_where_a_stranger_put_an_old_copy_back(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    (root / "memory.md").write_bytes(BEFORE["memory.md"])
    recover(OsPort(), str(root))
    assert files(root) == AFTER
    assert_settled(root)


def test_killed_while_a_new_file_that_is_being_taken_back_is_given_back_to_a_stranger(template: Path) -> None:
    """He appended to it in the instant between the look and the taking."""

    class Instant(WrappedPort):
        def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
            if call.name == "link" and call.path.endswith("-1.tmp"):
                raise OSError(errno.EIO, "input/output error", call.path)
            if call.name == "rename" and (call.other or "").endswith(".take.tmp"):
                with open(call.path, "ab") as file:
                    file.write(TAIL)
            if call.name == "unlink" and call.path.endswith(".take.tmp"):
                raise Stopped
            return do()

    root = again(template)
    edits = [EDITS[3], FileEdit("archive/also.md", None, ())]
    with pytest.raises(Stopped):
        commit(Instant(), str(root), edits, tx="tx1")
    recover(OsPort(), str(root))
    assert files(root) == BEFORE | {"archive/2026-05-26.md": TAIL}
    assert_settled(root)


def test_a_stranger_whose_save_was_displaced_when_the_process_was_killed(template: Path) -> None:
    """The exchange brought his bytes to light, and nobody lived to look at them."""
    root = again(template)
    saved = BEFORE["topics/deploy.md"] + TAIL
    port = HookPort({("exchange", 2): lambda: (root / "topics/deploy.md").write_bytes(saved)})
    kill_before(root, "exchange", 3, port)
    assert (root / "topics/deploy.md").read_bytes() == AFTER["topics/deploy.md"]
    recover(OsPort(), str(root))
    assert files(root) == AFTER | {"topics/deploy.md": AFTER["topics/deploy.md"] + TAIL}
    assert_settled(root)


def test_killed_then_appended_to_by_one_who_opens_the_file_and_one_who_holds_it_open(template: Path) -> None:
    """So that both the file that was displaced and ours have grown."""
    root = again(template)
    with open(root / "memory.md", "ab", buffering=0) as holder:
        kill_before(root, "exchange", 2)
        holder.write(b"- held\n")
    with open(root / "memory.md", "ab") as file:
        file.write(b"- opened\n")
    assert recover(OsPort(), str(root)).finished == ("tx1",)
    assert files(root) == AFTER | {"memory.md": AFTER["memory.md"] + b"- opened\n"}
    assert [late.tail for late in settle_displaced(OsPort(), str(root))] == [b"- held\n"]


def test_killed_while_undoing_then_appended_to_as_well(template: Path) -> None:
    """Our file, which had stood in place, grew after it was taken back; and so did the one that is back."""
    root = again(template)
    opened = []
    port = HookPort(
        {("exchange", 2): lambda: (root / "topics/deploy.md").write_bytes(b"# all new\n")},
        {("exchange", 1): lambda: opened.append(open(root / "memory.md", "ab", buffering=0))},  # noqa: SIM115
    )
    # Exchanges: memory.md; deploy.md, and back, for it is not as expected; then memory.md back.
    kill_before(root, "fsync_folder", 5, HookPort(after={("exchange", 4): lambda: None}, inner=port))
    assert files(root)["memory.md"] == BEFORE["memory.md"]
    opened[0].write(b"- held\n")
    opened[0].close()
    with open(root / "memory.md", "ab") as file:
        file.write(b"- opened\n")
    assert recover(OsPort(), str(root)).undone == ("tx1",)
    assert files(root) == BEFORE | {
        "memory.md": BEFORE["memory.md"] + b"- opened\n",
        "topics/deploy.md": b"# all new\n",
    }
    assert [late.tail for late in settle_displaced(OsPort(), str(root))] == [b"- held\n"]


def test_a_displaced_save_of_a_stranger_and_then_another_over_our_change(template: Path) -> None:
    """The last save stands as it is, the one before it is shown to a human, the transaction is finished."""
    root = again(template)
    saved = b"<!-- by a stranger -->\n" + BEFORE["topics/deploy.md"]
    port = HookPort({("exchange", 2): lambda: rename_save(root / "topics/deploy.md", saved)})
    kill_before(root, "exchange", 3, port)
    rename_save(root / "topics/deploy.md", b"# all new\n")
    assert recover(OsPort(), str(root)).finished == ("tx1",)
    assert files(root) == AFTER | {"topics/deploy.md": b"# all new\n"}
    [late] = settle_displaced(OsPort(), str(root))
    assert (late.path, late.found) == ("topics/deploy.md", saved)


def rename_save(path: Path, data: bytes) -> None:
    beside = path.with_name(path.name + "~")
    beside.write_bytes(data)
    os.rename(beside, path)


def sweep(folder: Path) -> None:
    """Another program that removes files it does not know."""
    for path in folder.glob(".assay-*"):
        path.unlink()


def test_where_others_removed_our_files_nothing_is_done_twice(template: Path) -> None:
    root = again(template)
    kill_before(root, "fsync_folder", 5)  # all files are in place
    sweep(root)
    (root / "log.md").write_bytes(AFTER["log.md"] + TAIL)
    stuck = {each.path: each.now for each in recover(OsPort(), str(root)).stuck}
    assert stuck["log.md"] == AFTER["log.md"] + TAIL
    assert files(root) == AFTER | {"log.md": AFTER["log.md"] + TAIL}


def test_where_others_removed_our_files_nothing_is_undone_by_half(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    sweep(root)
    (root / "memory.md").write_bytes(AFTER["memory.md"] + TAIL)
    (root / "log.md").write_bytes(b"- [t0] rewritten\n")
    stuck = {each.path: each.now for each in recover(OsPort(), str(root)).stuck}
    assert stuck["memory.md"] == AFTER["memory.md"] + TAIL
    assert stuck["log.md"] == b"- [t0] rewritten\n"


def test_where_others_removed_our_files_while_it_was_being_undone(template: Path) -> None:
    root = again(template)
    rewritten = b"# all new\n"
    port = HookPort({("exchange", 2): lambda: rename_save(root / "topics/deploy.md", rewritten)})
    kill_before(root, "exchange", 4, port)  # which would have brought memory.md back
    sweep(root)
    assert recover(OsPort(), str(root)).undone == ("tx1",)
    assert files(root) == BEFORE | {"topics/deploy.md": rewritten}
    assert_settled(root)


def test_a_root_that_was_moved_after_the_crash(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 3)
    moved = root.with_name("moved")
    os.rename(root, moved)
    recover(OsPort(), str(moved))
    assert files(moved) == AFTER
    assert not root.exists()


def test_a_failing_disk_during_recovery_is_reported_and_tried_again(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    crashed = Disk.of(root)
    count = RecordingPort(UnsyncedPort())
    recover(count, str(root))
    for fail in range(1, count.count + 1):
        crashed.write(root)
        failing = FailAtPort(fail, errno.EIO, inner=UnsyncedPort())
        with contextlib.suppress(WriteRefused):  # some failures (of tidying a name away) do not matter
            recover(failing, str(root))
        assert failing.failed
        recover(UnsyncedPort(), str(root))
        assert files(root) == AFTER
        assert_settled(root)


def test_nothing_is_committed_on_top_of_an_interrupted_commit(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    assert pending(str(root))
    assert sequence(str(root))[1]
    with pytest.raises(RootNeedsAttention):
        commit(OsPort(), str(root), [FileEdit("new.md", None, ())], tx="tx2")


# Where a human must choose.


def stuck_root(template: Path) -> Path:
    root = again(template)
    kill_before(root, "exchange", 2)
    (root / "memory.md").write_bytes(b"# Inbox, all new\n")
    (root / "log.md").write_bytes(b"- [t0] rewritten\n")
    return root


def test_where_neither_finishing_nor_undoing_is_safe_both_versions_are_offered(template: Path) -> None:
    root = stuck_root(template)
    for _ in range(2):  # recovering again changes nothing
        report = recover(OsPort(), str(root))
        found = {each.path: (each.before, each.after, each.now) for each in report.stuck}
        assert found["memory.md"] == (BEFORE["memory.md"], AFTER["memory.md"], b"# Inbox, all new\n")
        assert found["log.md"] == (BEFORE["log.md"], AFTER["log.md"], b"- [t0] rewritten\n")
        assert not [name for name in files(root) if ".assay" in name]
    assert os.listdir(root / ".assay/journal") == ["tx1.stuck"]
    assert not pending(str(root))
    commit(OsPort(), str(root), [FileEdit("other.md", None, ())], tx="tx2")  # other files can be written
    with pytest.raises(RootNeedsAttention):
        commit(OsPort(), str(root), [FileEdit("log.md", b"- [t0] rewritten\n", (SpanEdit(0, 0, b"\n"),))], tx="tx3")


def test_a_human_chooses(template: Path) -> None:
    root = stuck_root(template)
    report = recover(OsPort(), str(root))
    chosen = {each.path: each.after for each in report.stuck} | {"log.md": b"- [t0] rewritten\n- [t1] archive\n"}
    with pytest.raises(ValueError, match="must be chosen"):
        resolve(OsPort(), str(root), "tx1", {"log.md": b""})
    resolve(OsPort(), str(root), "tx1", chosen)
    assert files(root) == chosen
    assert not recover(OsPort(), str(root)).stuck
    assert_settled(root)


def test_a_choice_that_meets_a_stranger_leaves_the_choice_open(template: Path) -> None:
    root = stuck_root(template)
    report = recover(OsPort(), str(root))
    chosen = {each.path: each.after for each in report.stuck}
    port = HookPort({("exchange", 2): lambda: (root / "log.md").write_bytes(b"- [t0] again\n")})
    with pytest.raises(StrangerConflict):
        resolve(port, str(root), "tx1", chosen)
    assert {each.path for each in recover(OsPort(), str(root)).stuck} == set(chosen)
    resolve(OsPort(), str(root), "tx1", chosen)
    assert files(root) == chosen


def test_files_put_right_by_hand_are_noticed(template: Path) -> None:
    root = stuck_root(template)
    recover(OsPort(), str(root))
    for name, data in BEFORE.items():
        (root / name).write_bytes(data)
    report = recover(OsPort(), str(root))
    assert report.undone == ("tx1",)
    assert not report.stuck
    assert files(root) == BEFORE


def test_a_damaged_journal_bars_the_root(template: Path) -> None:
    root = again(template)
    kill_before(root, "exchange", 2)
    path = root / ".assay/journal/tx1.committed"
    path.write_bytes(path.read_bytes()[:-1])
    assert recover(OsPort(), str(root)).unreadable == ("tx1.committed",)
    with pytest.raises(RootNeedsAttention):
        commit(OsPort(), str(root), [FileEdit("new.md", None, ())], tx="tx2")


# Late bytes across a crash.


def test_late_bytes_are_dealt_with_once_whatever_call_is_the_last(template: Path) -> None:
    root = again(template)
    with open(root / "memory.md", "ab", buffering=0) as holder:
        do(root, OsPort())
        holder.write(b"- four\n")
    settled = Disk.of(root)
    live = AFTER["memory.md"]
    edit = FileEdit("memory.md", live, (SpanEdit(len(live), len(live), b"- four\n"),))

    def fold(port: Any) -> None:
        commit(port, str(root), [edit], tx="tx2", late=settle_displaced(port, str(root)))

    count = RecordingPort()
    fold(count)
    for stop in range(1, count.count + 1):
        settled.write(root)
        with pytest.raises(Stopped):
            fold(StopAtPort(stop, tear=True, inner=UnsyncedPort()))
        recover(UnsyncedPort(), str(root))
        late = settle_displaced(UnsyncedPort(), str(root))
        done = files(root)["memory.md"] == live + b"- four\n"
        assert done or files(root)["memory.md"] == live
        assert [each.tail for each in late] == ([] if done else [b"- four\n"]), stop
    settled.write(root)
    for disk in power_cuts(settled, count.trace, root):
        disk.write(root)
        recover(UnsyncedPort(), str(root))
        late = settle_displaced(UnsyncedPort(), str(root))
        done = files(root)["memory.md"] == live + b"- four\n"
        assert [each.tail for each in late] == ([] if done else [b"- four\n"])
