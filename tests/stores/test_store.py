"""The Markdown store on a real disk: it writes what it previews, and nothing behind anybody's back."""

from __future__ import annotations

import errno
import os
import stat
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.binding import Owner
from core.changes import AddItem, ChangeSet, CreateRoot, DeclareOwner, HoldItem, KeepIndex, ReleaseItem
from core.controls import ControlRecord, Scope
from core.errors import RootBusy, RootExists, RootNotFound, RootReadOnly, StrangerConflict, WriteRefused
from core.events import Decision
from core.store import Store
from stores.markdown import MarkdownStore
from stores.markdown import store as module
from stores.markdown.edits import SpanEdit
from stores.markdown.journal import Home, Journal, sequence, stage, step, temp_name
from stores.markdown.port import OsPort
from stores.markdown.reader import Reader
from stores.pins import Pins
from tests.stores.faultport import Call, PlainPort, WrappedPort
from tests.stores.projecting import AT, event, set_fields

ONE = "mem-2026-05-20-001"
TWO = "mem-2026-05-20-002"
TOPIC = """\
# Deploy

- [2026-05-20] (knowledge) Conclusion one.
  - id: mem-2026-05-20-001
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-7
- [2026-05-20] (knowledge) Conclusion two.
  - id: mem-2026-05-20-002
  - kind: knowledge
  - Status: active
  - Source: archive/2026-05-20.md#run-8
"""
STALE = set_fields(ONE, Status="stale")
WITHDRAWAL = "memwd-2026-06-12-001"
HELD = f"withdrawn/{WITHDRAWAL}.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    (root / "topics").mkdir(parents=True)
    (root / "topics" / "deploy.md").write_text(TOPIC)
    (root / "log.md").write_text("# Log\n")
    return root


@pytest.fixture
def pins(root: Path, tmp_path: Path) -> Pins:
    return Pins(str(root), folder=str(tmp_path / "config"))


@pytest.fixture
def store(root: Path, pins: Pins) -> MarkdownStore:
    return MarkdownStore(str(root), pins=pins)


def write(store: Store, *changes: object) -> dict[str, bytes | None]:
    with store.writer("human:ana") as writer:
        return {diff.path: diff.after for diff in writer.apply(ChangeSet(changes))}  # type: ignore[arg-type]


def withdraw(*ids: str) -> tuple[object, ...]:
    control = ControlRecord(
        WITHDRAWAL, "withdraw", Scope(frozenset(ids)), "r", "owner:ana", AT, "exclude-from-influence"
    )
    holds = tuple(HoldItem(item_id, WITHDRAWAL) for item_id in ids)
    return (*holds, event("withdraw", control=control), KeepIndex(withdrawn=ids))


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".assay" not in path.parts
    }


# Reading


def test_a_root_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    snapshot = MarkdownStore(str(tmp_path / "none"), pins=Pins(str(tmp_path / "none"))).snapshot()

    assert (snapshot.items, snapshot.files, snapshot.drift) == ((), {}, ())


def test_what_is_no_folder_is_no_root(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(RootNotFound):
        MarkdownStore(str(tmp_path / "file"), pins=Pins(str(tmp_path))).snapshot()


def test_a_root_that_vanishes_is_not_taken_for_an_empty_one(store: MarkdownStore, root: Path) -> None:
    before = store.snapshot()
    root.rename(root.with_name("moved"))

    gone = store.snapshot()

    assert gone.items == before.items
    assert [finding.code for finding in gone.drift] == ["unreadable-file"]


def test_an_unchanged_root_is_the_same_snapshot(store: MarkdownStore, root: Path) -> None:
    first = store.snapshot()
    assert store.snapshot() is first

    (root / "memory.md").write_text("# 2026-06-12\n")
    second = store.snapshot()
    assert second is not first
    assert second.items[0] is first.items[0]


def test_reading_writes_nothing(store: MarkdownStore, root: Path) -> None:
    before = files(root)
    store.snapshot()
    store.preview(ChangeSet((STALE, event())), store.snapshot())

    assert files(root) == before
    assert not (root / ".assay").exists()


def test_a_commit_in_progress_is_waited_for(store: MarkdownStore, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([(1, True), (1, True), (1, False), (2, False), (2, False), (2, False)])
    monkeypatch.setattr(module, "sequence", lambda root: next(answers))
    monkeypatch.setattr(store, "_recover_if_abandoned", lambda: False)

    assert store.snapshot().sequence == 2
    assert list(answers) == []


def test_a_commit_that_never_ends_is_read_around_after_a_while(
    store: MarkdownStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "sequence", lambda root: (1, True))
    monkeypatch.setattr(store, "_recover_if_abandoned", lambda: False)
    monkeypatch.setattr(module, "PATIENCE", 0.05)

    assert len(store.snapshot().items) == 2


def left_behind(root: Path, state: str) -> None:
    """A journal that a writer left when it was killed, before it replaced the first file."""
    home = Home(str(root))
    port = OsPort()
    for folder in (home.assay, home.journal, home.displaced):
        os.mkdir(folder)
    real = str(root / "topics" / "deploy.md")
    at = TOPIC.index("active")
    edits = (SpanEdit(at, at + len("active"), b"stale"),)
    planned = step("topics/deploy.md", real, temp_name(real, "tx", 0), TOPIC.encode(), edits, None)
    stage(port, home, Journal("tx", (planned,)), state)


def test_what_a_killed_writer_left_is_finished_by_the_next_reader(store: MarkdownStore, root: Path) -> None:
    left_behind(root, "committed")

    snapshot = store.snapshot()

    assert snapshot.by_id[ONE][0].status_text == "stale"
    assert (root / "topics" / "deploy.md").read_text() == TOPIC.replace("active", "stale", 1)
    assert snapshot.drift == ()


def test_where_the_root_cannot_be_locked_it_is_a_finding(
    store: MarkdownStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_lock(*args: object, **options: object) -> object:
        raise RootReadOnly("its file system has no file locks", where=str(root))

    left_behind(root, "committed")
    monkeypatch.setattr("stores.markdown.lock.hold", no_lock)
    monkeypatch.setattr(module, "PATIENCE", 0.05)

    snapshot = store.snapshot()

    assert snapshot.by_id[ONE][0].status_text == "active"
    assert [finding.code for finding in snapshot.drift] == ["journal-interrupted", "lock-unavailable"]
    with pytest.raises(RootReadOnly):
        write(store, STALE, event())


def test_a_commit_that_waits_for_a_choice_shuts_its_files(store: MarkdownStore, root: Path) -> None:
    left_behind(root, "stuck")
    (root / "topics" / "deploy.md").write_text(TOPIC.replace("Status: active", "Status: both", 1))
    (root / "memory.md").write_text("- [2026-06-01] [mem-2026-06-01-001] (knowledge) New. Source: a.\n")

    with store.writer("human:ana"):
        snapshot = store.snapshot()

    assert [(finding.code, finding.file) for finding in snapshot.drift if "journal" in finding.code] == [
        ("journal-stuck", "topics/deploy.md")
    ]
    with pytest.raises(WriteRefused) as caught:
        store.preview(ChangeSet((STALE, event())), snapshot)
    assert caught.value.where == "topics/deploy.md"
    assert "memory.md" in write(store, set_fields("mem-2026-06-01-001", Status="stale"), event())


def test_an_unreadable_journal_shuts_the_root(store: MarkdownStore, root: Path) -> None:
    left_behind(root, "stuck")
    (root / ".assay" / "journal" / "tx.stuck").write_bytes(b"garbage")

    snapshot = store.snapshot()

    assert [finding.code for finding in snapshot.drift] == ["journal-unreadable"]
    assert all(state.unwritable for state in snapshot.files.values())


# Writing


def test_what_is_previewed_is_what_is_written(store: MarkdownStore, root: Path) -> None:
    changes = ChangeSet((STALE, event(), KeepIndex(topic_map=(("topics/deploy.md", "Read when deploying."),))))

    preview = store.preview(changes, store.snapshot())
    with store.writer("human:ana") as writer:
        written = writer.apply(changes)

    assert list(written) == list(preview)
    assert {diff.path: diff.after for diff in written} == {
        path: data for path, data in files(root).items() if path != "memory.md"
    }
    assert files(root)["topics/deploy.md"] == TOPIC.replace("active", "stale", 1).encode()
    assert store.snapshot().events[0].id == "memlog-2026-06-12-001"


class Onlooker(WrappedPort):
    """After each call that writes, reads the root as another process does, wherever no commit is in progress."""

    def __init__(self, root: Path, inner: Any = None) -> None:
        super().__init__(inner)
        self.root = str(root)
        self.seen: list[object] = []

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        answer = do()
        if not sequence(self.root)[1]:
            self.look()
        return answer

    def look(self) -> None:
        snapshot, _ = Reader(self.root).read()
        items = {item.id: (item.place.file, item.status_text) for item in snapshot.items}
        self.seen.append((items, len(snapshot.events), snapshot.drift))


@pytest.mark.parametrize("exchanges", [True, False])
def test_whoever_reads_meanwhile_sees_all_of_a_commit_or_nothing(root: Path, pins: Pins, exchanges: bool) -> None:
    port = Onlooker(root, None if exchanges else PlainPort())
    port.look()
    for changes in ((STALE, event()), withdraw(TWO)):
        port.seen = port.seen[-1:]
        write(MarkdownStore(str(root), pins=pins, port=port), *changes)
        port.look()
        before, after = port.seen[0], port.seen[-1]
        assert before != after
        assert len(port.seen) > 10
        assert [one for one in port.seen if one not in (before, after)] == []


def test_the_snapshot_under_the_lock_is_read_again_after_a_write(store: MarkdownStore) -> None:
    with store.writer("human:ana") as writer:
        before = writer.snapshot
        writer.apply(ChangeSet((STALE, event())))
        assert writer.snapshot.sequence != before.sequence
        assert writer.snapshot.by_id[ONE][0].status_text == "stale"


def test_a_preview_of_an_older_snapshot_is_of_that_snapshot(store: MarkdownStore, root: Path) -> None:
    base = store.snapshot()
    (root / "topics" / "deploy.md").write_text("# Rewritten\n")
    store.snapshot()

    (diff, *_) = (diff for diff in store.preview(ChangeSet((STALE, event())), base) if diff.path.startswith("topics"))

    assert diff.after == TOPIC.replace("active", "stale", 1).encode()


def test_others_lines_elsewhere_in_the_file_are_carried_along(store: MarkdownStore, root: Path) -> None:
    topic = root / "topics" / "deploy.md"
    with store.writer("human:ana") as writer:
        assert writer.snapshot.items
        topic.write_text(f"# Theirs\n\n{TOPIC}")
        writer.apply(ChangeSet((STALE, event())))

    assert topic.read_text() == f"# Theirs\n\n{TOPIC}".replace("active", "stale", 1)


def test_an_item_that_others_changed_a_moment_ago_is_not_written_over(store: MarkdownStore, root: Path) -> None:
    theirs = TOPIC.replace("Status: active", "Status: superseded", 1)
    with store.writer("human:ana") as writer:
        assert writer.snapshot.items
        (root / "topics" / "deploy.md").write_text(theirs)
        with pytest.raises(StrangerConflict) as caught:
            writer.apply(ChangeSet((STALE, event())))

    assert caught.value.where == "topics/deploy.md:3"
    assert files(root) == {"log.md": b"# Log\n", "topics/deploy.md": theirs.encode()}


def test_a_link_is_written_through_and_stays_a_link_and_the_mode_stays(
    store: MarkdownStore, root: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "inbox.md").write_text("- [2026-06-01] [mem-2026-06-01-001] (knowledge) New. Source: a.\n")
    (home / "inbox.md").chmod(0o640)
    (root / "memory.md").symlink_to(home / "inbox.md")
    (root / "assay.toml").write_text(f'[binding]\nid = "r"\nallowed_links = ["{home}"]\n')

    write(store, set_fields("mem-2026-06-01-001", Status="stale"), event())

    assert (root / "memory.md").is_symlink()
    assert (home / "inbox.md").read_text().endswith("Source: a.\n  - Status: stale\n")
    assert stat.S_IMODE((home / "inbox.md").stat().st_mode) == 0o640


def test_nothing_is_written_through_a_link_that_nobody_allowed(
    store: MarkdownStore, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "withdrawn").symlink_to(outside)
    record = {"text": "T.", "date": "2026-06-12", "id": "mem-1-1", "kind": "knowledge", "Source": "a"}

    with pytest.raises(WriteRefused, match="out of the root"):
        write(store, AddItem(record, "withdrawn/new.md"), event())
    write(store, *withdraw(ONE))

    assert os.listdir(outside) == []
    assert [key for key, _ in store.skipped] == [ONE]
    assert files(root)["topics/deploy.md"] == TOPIC.encode()


def test_a_root_behind_a_link(store: MarkdownStore, root: Path, tmp_path: Path, pins: Pins) -> None:
    (tmp_path / "link").symlink_to(root)

    write(MarkdownStore(str(tmp_path / "link"), pins=pins), STALE, event())

    assert store.snapshot().by_id[ONE][0].status_text == "stale"


def test_a_topic_with_a_decomposed_name_is_written_under_that_name(store: MarkdownStore, root: Path) -> None:
    stored = unicodedata.normalize("NFD", "déploiement.md")
    (root / "topics" / "deploy.md").rename(root / "topics" / stored)
    record = {"text": "T.", "date": "2026-06-12", "id": "mem-1-1", "kind": "knowledge", "Source": "a"}

    write(store, AddItem(record, unicodedata.normalize("NFC", f"topics/{stored}")), event())

    assert os.listdir(root / "topics") == [stored]
    assert (root / "topics" / stored).read_text().startswith(TOPIC)


def test_a_read_only_file_is_refused_and_nothing_is_written(store: MarkdownStore, root: Path) -> None:
    (root / "topics" / "deploy.md").chmod(0o444)
    before = files(root)

    with pytest.raises(WriteRefused, match="read-only") as caught:
        write(store, STALE, event())

    assert caught.value.where == "topics/deploy.md"
    assert files(root) == before


# A withdrawal acts through its record


def test_a_withdrawal_and_its_reinstatement_on_disk(store: MarkdownStore, root: Path) -> None:
    write(store, *withdraw(ONE))
    assert files(root)[HELD].decode().endswith(TOPIC.split("\n- ")[1].join(["- ", "\n"]))
    assert b"Conclusion one" not in files(root)["topics/deploy.md"]
    assert [control.withdrawal_id for control in store.snapshot().controls] == [WITHDRAWAL]

    write(store, ReleaseItem(ONE, "topics/deploy.md", "Deploy"), event("reinstate", id="memlog-2026-06-12-002"))

    assert files(root)["topics/deploy.md"] == TOPIC.encode()


@pytest.mark.parametrize("path", ["topics/deploy.md", "log.md", "index.md", "log/2026-06.jsonl"])
def test_no_read_only_file_keeps_the_record_from_being_written(store: MarkdownStore, root: Path, path: str) -> None:
    (root / "log").mkdir()
    (root / path).touch()
    (root / path).chmod(0o444)
    before = (root / path).read_bytes()

    write(store, *withdraw(ONE))

    assert (root / path).read_bytes() == before
    assert [control.withdrawal_id for control in store.snapshot().controls] == [WITHDRAWAL]
    assert store.snapshot().events[0].control is not None


class Failing(OsPort):
    """A disk on which replacing one file fails, once it is tried."""

    def __init__(self, name: str) -> None:
        self.name = name

    def exchange(self, one: str, two: str) -> None:
        if two.endswith(self.name):
            raise OSError(errno.EIO, "Input/output error", two)
        super().exchange(one, two)


def test_a_file_that_fails_in_the_middle_of_the_commit_is_left_out_of_a_withdrawal(root: Path, pins: Pins) -> None:
    store = MarkdownStore(str(root), pins=pins, port=Failing("/deploy.md"))

    written = write(store, *withdraw(ONE))

    assert "topics/deploy.md" not in written
    assert files(root)["topics/deploy.md"] == TOPIC.encode()
    assert [control.withdrawal_id for control in store.snapshot().controls] == [WITHDRAWAL]
    assert [(key, "deploy.md" in reason) for key, reason in store.skipped] == [(ONE, True)]
    with pytest.raises(WriteRefused):
        write(store, set_fields(TWO, Status="stale"), event(id="memlog-2026-06-12-002"))
    assert len(store.snapshot().events) == 1


# Others at the same time


def test_bytes_written_to_the_replaced_file_are_carried_over(store: MarkdownStore, root: Path) -> None:
    topic = root / "topics" / "deploy.md"
    with topic.open("ab") as late:
        write(store, STALE, event())
        late.write(b"- [2026-06-12] (knowledge) Late. Source: a.\n")
        late.flush()
        assert b"Late" not in topic.read_bytes()

    with store.writer("human:ana") as writer:
        assert [item.text for item in writer.snapshot.items][-1] == "Late."
    assert topic.read_text() == TOPIC.replace("active", "stale", 1) + "- [2026-06-12] (knowledge) Late. Source: a.\n"


def test_a_replaced_file_changed_in_place_is_a_finding(store: MarkdownStore, root: Path) -> None:
    with (root / "topics" / "deploy.md").open("r+b") as late:
        write(store, STALE, event())
        late.write(b"X")
        late.flush()
        with store.writer("human:ana") as writer:
            found = [finding for finding in writer.snapshot.drift if finding.code == "journal-late-bytes"]

    assert [finding.file for finding in found] == ["topics/deploy.md"]
    assert ".assay/displaced/" in found[0].remedy


def test_a_second_writer_waits_and_is_told_who_writes(store: MarkdownStore, root: Path, pins: Pins) -> None:
    other = MarkdownStore(str(root), pins=pins)
    with store.writer("human:ana"), pytest.raises(RootBusy, match="human:ana"), other.writer("bob", timeout=0.05):
        pass


def test_two_threads_write_in_turn_and_no_event_is_lost(store: MarkdownStore, root: Path, pins: Pins) -> None:
    stores = [store, MarkdownStore(str(root), pins=pins)]

    def work(number: int) -> None:
        for count in range(8):
            write(stores[number], event(id=f"memlog-2026-06-12-{number}{count:02}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({found.id for found in store.snapshot().events}) == 16
    assert len([entry for entry in store.snapshot().log if entry.id]) == 16


# Owners and new roots

DECIDED = Decision("human:ana", AT, "plan")
FILES = {"assay.toml": '[binding]\nid = "r"\n\n[[owners]]\nname = "ana"\n', "memory.md": "# 2026-06-12\n"}


def test_an_owner_declared_by_a_decision_counts_at_once(store: MarkdownStore) -> None:
    write(store, DeclareOwner(Owner("ana", "ana")), event(decision=DECIDED))
    write(store, DeclareOwner(Owner("bob", "bob")), event(id="memlog-2026-06-12-002", decision=DECIDED))

    assert store.snapshot().binding.owners_state == "confirmed"
    assert [owner.name for owner in store.snapshot().binding.owners] == ["ana", "bob"]


def test_an_owner_that_stands_in_the_file_counts_once_confirmed(store: MarkdownStore, root: Path) -> None:
    (root / "assay.toml").write_text(FILES["assay.toml"])
    assert store.snapshot().binding.owners_state == "unconfirmed"

    store.confirm_owners()
    assert store.snapshot().binding.owners_state == "confirmed"

    (root / "assay.toml").write_text(FILES["assay.toml"].replace("ana", "mallory"))
    assert store.snapshot().binding.owners_state == "changed"
    assert [owner.name for owner in store.snapshot().binding.owners] == ["ana"]
    assert [owner.name for owner in store.declared_binding().owners] == ["mallory"]


def test_a_new_root_is_laid_out_where_there_is_no_folder(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "memory"
    store = MarkdownStore(str(root), pins=Pins(str(root), folder=str(tmp_path / "config")))

    write(store, CreateRoot(FILES), event("bootstrap", decision=DECIDED))

    assert {path: files(root)[path].decode() for path in FILES} == FILES
    assert store.snapshot().binding.owners_state == "confirmed"
    with pytest.raises(RootExists):
        write(store, CreateRoot(FILES), event("bootstrap", id="memlog-2026-06-12-002"))


def test_a_folder_made_for_nothing_is_taken_away(tmp_path: Path) -> None:
    store = MarkdownStore(str(tmp_path / "deep" / "memory"), pins=Pins(str(tmp_path)))

    with store.writer("human:ana") as writer:
        assert writer.snapshot.items == ()

    assert os.listdir(tmp_path) == []


def test_the_name_is_the_path_from_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pins: Pins) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert MarkdownStore(str(tmp_path / "memory"), pins=pins).name == os.path.join("~", "memory")
    assert MarkdownStore("/elsewhere/memory", pins=pins).name == "/elsewhere/memory"


def test_importing_the_store_waits_for_nothing_that_only_writing_needs() -> None:
    import subprocess
    import sys

    code = "import sys; from stores.markdown import MarkdownStore; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"yaml", "watchfiles", "filelock", "platformdirs", "stores.markdown.project"} & set(loaded)
