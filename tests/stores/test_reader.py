"""A root on disk to a snapshot: everything in it once, unchanged parts shared, nothing unreadable taken for deleted."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from core.controls import ControlRecord, Scope, Tombstone
from core.errors import RootNotFound
from core.events import Event
from core.snapshot import Snapshot
from core.vocabulary import Level, Severity, Standing
from stores.markdown import links
from stores.markdown import reader as reading
from stores.markdown.reader import Reader
from stores.markdown.replay import encode_event

Make = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Lay out a root from path -> content."""

    def lay_out(files: dict[str, str | bytes]) -> Path:
        root = tmp_path / "memory"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return lay_out


def item(id: str, text: str = "A fact.", *, source: str = "chat") -> str:
    fields = f"  - id: {id}\n  - kind: knowledge\n  - Status: active\n  - Source: {source}\n"
    return f"- [{id[4:14]}] (knowledge) {text}\n{fields}"


def found(snapshot: Snapshot) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.file) for finding in snapshot.drift]


WITHDRAWAL = ControlRecord(
    "memwd-2026-06-10-001",
    "withdraw",
    Scope(frozenset({"mem-2026-05-20-001"})),
    "failed-exploration",
    "owner:ana",
    "2026-06-10T10:00:00+08:00",
    "exclude-from-influence",
)
LOGGED = """\
- [2026-06-10T10:00:00+08:00] withdraw (memlog-2026-06-10-001) by owner:ana — memwd-2026-06-10-001
  ```yaml
  withdrawal_id: memwd-2026-06-10-001
  record_type: withdrawal-control-v1
  action: withdraw
  scope:
    memory_item_ids: [mem-2026-05-20-001]
  reason: failed-exploration
  decided_by: owner:ana
  decided_at: 2026-06-10T10:00:00+08:00
  effect: exclude-from-influence
  ```
"""


def test_scalar_triggers_and_merged_items(make: Make) -> None:
    merged = item("mem-2026-05-01-001").replace("active", "superseded\n  - merged_into: mem-2026-05-09-998")
    root = make({"topics/a.md": "---\ntriggers: deploy\nlayer: [x]\n---\n## Summary\n\n- a list\n\n" + merged})
    snapshot, _ = Reader(str(root)).read()
    (topic,) = snapshot.topics
    assert (topic.triggers, topic.layer, topic.summary, topic.title) == (("deploy",), None, None, None)
    assert "mem-2026-05-09-998" in snapshot.reserved_ids


def test_a_tombstone_in_both_logs_is_one(make: Make) -> None:
    tombstone = Tombstone("memerase-2026-06-12-001", ("x",), "r", "d", "e", (("h", "completed", None),))
    event = Event("memlog-2026-06-12-001", "erase", "", "owner:ana", "", tombstone=tombstone)
    log = (
        "- [2026-06-12T09:00Z] erase (memlog-2026-06-12-001) by owner:ana — memerase-2026-06-12-001\n  ```yaml\n"
        "  erasure_id: memerase-2026-06-12-001\n  scope_refs: [x]\n  authority_ref: r\n  decided_at: d\n"
        "  executed_at: e\n  holders:\n    - holder_ref: h\n      result: completed\n  ```\n"
    )
    root = make({"log.md": log, "log/2026-06.jsonl": encode_event(event), "log/copy.jsonl": encode_event(event)})
    snapshot, _ = Reader(str(root)).read()
    assert [one.place and one.place.file for one in snapshot.tombstones] == ["log.md"]
    assert len(snapshot.events) == 1


def test_a_whole_root(make: Make) -> None:
    root = make(
        {
            "memory.md": "- [2026-06-01] [mem-2026-06-01-001] (knowledge) In the inbox. Source: chat.\n",
            "index.md": "# Memory Index\n\n## Topic Map\n\n- deploy.md — Read when deploying.\n",
            "conventions.md": "# Conventions\n\n- [2026-01-01] (state) Not an item here.\n",
            "log.md": LOGGED,
            "topics/deploy.md": (
                "---\ntitle: Deploying\nlayer: warm\ntriggers: [deploy, ship]\nlast_updated: 2026-05-20\n"
                "source_dates:\n  - 2026-05-20\n---\n# Deploying, by hand\n\n"
                "## Summary\n\nFor whoever\nships.\n\nMore.\n\n## Facts and lessons\n\n"
                + item("mem-2026-05-20-001")
                + "\n## Historical lessons\n\n"
                + item("mem-2026-05-20-002")
            ),
            "archive/2026-05-20.md": "# 2026-05-20\n\n" + item("mem-2026-05-20-001") + item("mem-2026-05-20-009"),
            "withdrawn/memwd-2026-06-10-001.md": item("mem-2026-05-20-003"),
            "proposals/p.md": "---\nproposal_id: mempolicy-2026-07-15-001\ntarget: conventions\n---\n",
            "assay.toml": '[binding]\nid = "x"\nlevel = "memory:L3"\n',
        }
    )
    snapshot, documents = Reader(str(root)).read(sequence=7)
    assert [(one.id, one.standing, one.place.file) for one in snapshot.items] == [
        ("mem-2026-06-01-001", Standing.INBOX, "memory.md"),
        ("mem-2026-05-20-001", Standing.TOPIC, "topics/deploy.md"),
        ("mem-2026-05-20-002", Standing.HISTORICAL, "topics/deploy.md"),
        ("mem-2026-05-20-003", Standing.HELD, "withdrawn/memwd-2026-06-10-001.md"),
    ]
    assert all(one.key == one.id for one in snapshot.items), "an archived copy is no second bearer"
    (topic,) = snapshot.topics
    assert (topic.name, topic.title, topic.layer, topic.triggers) == ("deploy", "Deploying", "warm", ("deploy", "ship"))
    assert (topic.last_updated, topic.source_dates, topic.summary) == (
        "2026-05-20",
        ("2026-05-20",),
        "For whoever ships.",
    )
    assert [copy.id for copy in snapshot.archive[0].copies] == ["mem-2026-05-20-001", "mem-2026-05-20-009"]
    assert [line.target for line in snapshot.index.topic_map] == ["topics/deploy.md"]
    assert [entry.id for entry in snapshot.log] == ["memlog-2026-06-10-001"]
    assert [control.withdrawal_id for control in snapshot.controls] == ["memwd-2026-06-10-001"]
    assert [proposal.target for proposal in snapshot.proposals] == ["conventions"]
    assert (snapshot.binding.id, snapshot.binding.level, snapshot.sequence) == ("x", Level.L3, 7)
    assert snapshot.root == str(root)
    assert snapshot.drift == ()
    assert sorted(documents) == ["index.md", "memory.md", "topics/deploy.md", "withdrawn/memwd-2026-06-10-001.md"]
    assert sorted(snapshot.files) == [
        *("archive/2026-05-20.md", "assay.toml", "conventions.md", "index.md", "log.md", "memory.md", "proposals/p.md"),
        *("topics/deploy.md", "withdrawn/memwd-2026-06-10-001.md"),
    ]
    assert snapshot.files["memory.md"].size == os.path.getsize(root / "memory.md")
    assert {
        *("mem-2026-05-20-009", "memwd-2026-06-10-001", "memlog-2026-06-10-001", "mempolicy-2026-07-15-001"),
        *("mem-2026-06-01-001", "mem-2026-05-20-003"),
    } <= snapshot.reserved_ids


def test_ids_that_stand_anywhere_are_reserved(make: Make) -> None:
    root = make(
        {
            "topics/a.md": item("mem-2026-05-01-001").replace(
                "active", "superseded\n  - superseded_by: mem-2026-05-09-999"
            )
            + "\n```\n"
            + item("mem-2026-05-01-002"),
            "topics/a.sync-conflict-20260512-003022-X.md": item("mem-2026-05-01-003"),
            "log.md": "- [2026-05-01] cleanup: mem-2026-05-01-004 and memwd-2026-05-01-005\n",
        }
    )
    snapshot, _ = Reader(str(root)).read()
    assert {f"mem-2026-05-01-00{n}" for n in (1, 2, 3, 4)} | {"memwd-2026-05-01-005"} <= snapshot.reserved_ids
    assert "mem-2026-05-09-999" in snapshot.reserved_ids
    assert [one.id for one in snapshot.items] == ["mem-2026-05-01-001"]


def test_one_id_on_two_items_gives_each_a_key_of_its_own(make: Make) -> None:
    root = make(
        {
            "topics/a.md": item("mem-2026-05-01-001", "One.") + item("mem-2026-05-01-001", "Two."),
            "topics/b.md": item("mem-2026-05-01-001", "Three.")
            .replace("(knowledge)", "(state)")
            .replace(": knowledge", ": state")
            + item("mem-2026-05-01-002"),
        }
    )
    reader = Reader(str(root))
    snapshot, documents = reader.read()
    keys = [one.key for one in snapshot.items]
    assert keys == [
        "mem-2026-05-01-001@topics/a.md#0",
        "mem-2026-05-01-001@topics/a.md#1",
        "mem-2026-05-01-001@topics/b.md#0",
        "mem-2026-05-01-002",
    ]
    assert [record.key for record in documents["topics/a.md"].records] == keys[:2]
    assert [(f.code, f.item) for f in snapshot.drift] == [("missing-subject", "mem-2026-05-01-001@topics/b.md#0")]
    (root / "topics" / "b.md").unlink()
    (root / "topics" / "a.md").write_text(item("mem-2026-05-01-001", "One."))
    snapshot, documents = reader.read()
    assert [one.key for one in snapshot.items] == ["mem-2026-05-01-001"], "alone again"
    assert [record.key for record in documents["topics/a.md"].records] == ["mem-2026-05-01-001"]


def test_a_copy_that_returned_beside_a_held_item_is_a_second_bearer(make: Make) -> None:
    root = make({"topics/a.md": item("mem-2026-05-01-001"), "withdrawn/memwd-1.md": item("mem-2026-05-01-001")})
    snapshot, _ = Reader(str(root)).read()
    assert [one.key for one in snapshot.items] == [
        "mem-2026-05-01-001@topics/a.md#0",
        "mem-2026-05-01-001@withdrawn/memwd-1.md#0",
    ]


def test_index_entries_of_items_borne_elsewhere_are_projections(make: Make) -> None:
    pending = "- [2026-05-01] [mem-2026-05-01-001] Maybe wrong. Source: chat.\n"
    own = "- [2026-05-02] [mem-2026-05-02-001] (knowledge) Only here. Source: chat.\n"
    root = make({"index.md": "## Pending Cleanup\n\n" + pending + own, "topics/a.md": item("mem-2026-05-01-001")})
    reader = Reader(str(root))
    snapshot, _ = reader.read()
    assert [(one.key, one.standing) for one in snapshot.items] == [
        ("mem-2026-05-02-001", Standing.INDEX),
        ("mem-2026-05-01-001", Standing.TOPIC),
    ]
    assert snapshot.drift == (), "the projection's missing kind is no drift of its own"
    assert [line.target for line in snapshot.index.pending] == ["mem-2026-05-01-001", "mem-2026-05-02-001"]
    (root / "topics" / "a.md").unlink()
    snapshot, _ = reader.read()
    assert [one.key for one in snapshot.items] == ["mem-2026-05-01-001", "mem-2026-05-02-001"]
    (root / "index.md").write_text(own + own)
    assert [one.key for one in reader.read()[0].items] == [f"mem-2026-05-02-001@index.md#{n}" for n in (0, 1)]


def test_controls_are_the_union_of_the_log_and_the_replay_records(make: Make) -> None:
    event = Event("memlog-2026-06-10-001", "withdraw", "2026-06-10T10:00:00+08:00", "owner:ana", "", control=WITHDRAWAL)
    other = LOGGED.replace("failed-exploration", "owner-decision")
    root = make(
        {"log.md": LOGGED, "log/2026-06.jsonl": encode_event(event) * 2, "log/log-1.md": "- [2026-01-01] review: old\n"}
    )
    reader = Reader(str(root))
    snapshot, _ = reader.read()
    assert snapshot.controls == (WITHDRAWAL,)
    assert [place.file for place in snapshot.controls[0].places] == ["log.md", "log/2026-06.jsonl", "log/2026-06.jsonl"]
    assert [one.id for one in snapshot.events] == ["memlog-2026-06-10-001"], "a doubled line is one event"
    assert [entry.place.file for entry in snapshot.log] == ["log/log-1.md", "log.md"], "segments come first"
    (root / "log.md").write_text(other)
    assert [one.reason for one in reader.read()[0].controls] == ["owner-decision", "failed-exploration"]


def test_a_withdrawal_whose_record_is_nowhere_still_names_what_it_covers(make: Make) -> None:
    line = LOGGED.splitlines()[0] + " covers mem-2026-05-20-001\n"
    root = make({"log.md": line})
    reader = Reader(str(root))
    snapshot, _ = reader.read()
    (control,) = snapshot.controls
    assert control.unreadable is not None
    assert control.scope.memory_item_ids == {"mem-2026-05-20-001"}
    assert found(snapshot) == [("control-unreadable", "log.md")]
    event = Event("memlog-2026-06-10-001", "withdraw", "", "owner:ana", "", control=WITHDRAWAL)
    make({"log/2026-06.jsonl": encode_event(event)})
    snapshot, _ = reader.read()
    assert (snapshot.controls, found(snapshot)) == ((WITHDRAWAL,), [])


def test_a_decomposed_name_is_found_by_the_composed_one(make: Make) -> None:
    decomposed = unicodedata.normalize("NFD", "환경.md")
    root = make(
        {f"topics/{decomposed}": "# 환경\n", "index.md": "## Topic Map\n\n- topics/환경.md — Read when building.\n"}
    )
    snapshot, documents = Reader(str(root)).read()
    assert [topic.name for topic in snapshot.topics] == ["환경"]
    assert snapshot.topics[0].file == f"topics/{decomposed}"
    assert snapshot.index.topic_map[0].target == f"topics/{decomposed}"
    assert f"topics/{decomposed}" in documents


def test_any_folder_of_markdown_opens(make: Make) -> None:
    root = make(
        {
            "MEMORY.md": "- plain\n",
            "notes.md": "# Notes\n\n" + item("mem-2026-05-01-001"),
            "README.md": item("mem-2026-05-01-002"),
            "cipher.md": os.urandom(2_000) + b"\xff\0",
            "empty.md": "",
            "long.md": "x" * 300_000,
            "sub/deep.md": item("mem-2026-05-01-003"),
        }
    )
    snapshot, _ = Reader(str(root)).read()
    assert [topic.name for topic in snapshot.topics] == ["MEMORY", "cipher", "empty", "long", "notes"]
    assert [one.id for one in snapshot.items] == ["mem-2026-05-01-001"]
    assert snapshot.files["cipher.md"].unwritable
    assert not snapshot.index.present


def test_unchanged_files_are_shared_and_nothing_is_read_twice(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001"), "topics/a.md": item("mem-2026-05-01-002"), "log.md": LOGGED})
    later = os.stat(root / "log.md").st_ctime_ns + 10 * 10**9
    reader = Reader(str(root), now=lambda: later)
    first, before = reader.read()
    reads: list[str] = []
    real = reading.read_bytes
    monkeypatch.setattr(reading, "read_bytes", lambda path: reads.append(os.path.basename(path)) or real(path))
    again, documents = reader.read()
    assert again is first
    assert documents is before
    assert reads == []
    (root / "memory.md").write_text(item("mem-2026-05-01-001", "Changed.") + item("mem-2026-05-01-003"))
    second, after = reader.read()
    assert reads == ["memory.md"]
    assert [one.text for one in second.items] == ["Changed.", "A fact.", "A fact."]
    assert after["topics/a.md"] is before["topics/a.md"]
    assert second.items[2] is first.items[1]
    assert second.controls == first.controls
    assert reader.read(sequence=9)[0].sequence == 9


def test_a_file_that_changed_just_now_is_read_again(make: Make) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001", "One.")})
    status = os.stat(root / "memory.md")
    frozen = (0, 0, 0, status.st_ctime_ns, 0, 0, 1)
    reader = Reader(str(root), now=lambda: status.st_ctime_ns + 10**9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "stamp_of", lambda _: frozen)
        patch.setattr(links, "stamp_of", lambda _: frozen)
        first, documents = reader.read()
        assert reader.read()[1]["memory.md"] is documents["memory.md"], "the same bytes are parsed once"
        (root / "memory.md").write_text(item("mem-2026-05-01-001", "Two."))
        assert [one.text for one in reader.read()[0].items] == ["Two."], "though its stat says nothing new"
    assert [one.text for one in first.items] == ["One."]


def test_a_file_that_turns_unreadable_keeps_what_was_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001"), "topics/a.md": item("mem-2026-05-01-002")})
    reader = Reader(str(root))
    before, _ = reader.read()
    real = reading.read_bytes

    def fail(path: str) -> tuple[bytes, os.stat_result]:
        if path.endswith("a.md"):
            raise OSError(errno.EIO, "Input/output error")
        return real(path)

    monkeypatch.setattr(reading, "read_bytes", fail)
    snapshot, documents = reader.read()
    assert snapshot.items == before.items
    assert "topics/a.md" in documents
    assert found(snapshot) == [("unreadable-file", "topics/a.md")]
    assert snapshot.drift[0].severity is Severity.ERROR
    assert snapshot.files["topics/a.md"].unwritable == "Input/output error"
    assert "mem-2026-05-01-002" in snapshot.reserved_ids
    fresh, _ = Reader(str(root)).read()
    assert [one.id for one in fresh.items] == ["mem-2026-05-01-001"]
    assert found(fresh) == [("unreadable-file", "topics/a.md")], "never read: just the finding"
    assert fresh.files["topics/a.md"].unwritable
    monkeypatch.undo()
    assert reader.read()[0].drift == ()


def test_a_folder_that_turns_unreadable_takes_nothing_away(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001"), "topics/a.md": item("mem-2026-05-01-002")})
    reader = Reader(str(root))
    before, _ = reader.read()
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("topics"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    snapshot, _ = reader.read()
    assert snapshot.items == before.items
    assert set(found(snapshot)) == {("unreadable-file", "topics"), ("unreadable-file", "topics/a.md")}
    assert snapshot.files["topics/a.md"].unwritable


def test_a_removed_file_is_gone(make: Make) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001"), "topics/a.md": item("mem-2026-05-01-002")})
    reader = Reader(str(root))
    reader.read()
    (root / "topics" / "a.md").unlink()
    snapshot, documents = reader.read()
    assert [one.id for one in snapshot.items] == ["mem-2026-05-01-001"]
    assert list(documents) == ["memory.md"]
    assert snapshot.reserved_ids == {"mem-2026-05-01-001"}


def test_a_root_that_is_gone_shows_what_was_read_and_comes_back(make: Make, tmp_path: Path) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001")})
    reader = Reader(str(root))
    before, _ = reader.read()
    root.rename(tmp_path / "away")
    gone, _ = reader.read()
    assert gone.items == before.items
    assert found(gone) == [("unreadable-file", ".")]
    (tmp_path / "away").rename(root)
    assert reader.read()[0].drift == ()
    with pytest.raises(RootNotFound):
        Reader(str(tmp_path / "nowhere")).read()


def test_links_that_the_binding_record_allows(make: Make, tmp_path: Path) -> None:
    outside = tmp_path / "shared"
    outside.mkdir()
    (outside / "2026-05-01.md").write_text(item("mem-2026-05-01-001"))
    (tmp_path / "page.md").write_text(item("mem-2026-05-01-002"))
    root = make({"memory.md": "", "topics/a.md": ""})
    (root / "archive").symlink_to(outside)
    (root / "topics" / "page.md").symlink_to(tmp_path / "page.md")
    reader = Reader(str(root))
    snapshot, _ = reader.read()
    assert (snapshot.items, snapshot.archive) == ((), ())
    assert sorted(found(snapshot)) == [("blocked-link", "archive"), ("blocked-link", "topics/page.md")]
    assert snapshot.files["topics/page.md"].unwritable
    assert "archive" not in snapshot.files
    assert "mem-2026-05-01-002" not in snapshot.reserved_ids, "the contents are never read"
    (root / "assay.toml").write_text(f'[binding]\nallowed_links = ["{outside}", "../page.md"]\n')
    snapshot, _ = reader.read()
    assert ([one.id for one in snapshot.items], len(snapshot.archive)) == (["mem-2026-05-01-002"], 1)
    assert snapshot.drift == ()
    (root / "assay.toml").unlink()
    snapshot, documents = reader.read()
    assert (snapshot.items, "topics/page.md" in documents) == ((), False), "what is blocked again is not shown any more"
    allowed, _ = Reader(str(root), [str(tmp_path)]).read()
    assert [one.id for one in allowed.items] == ["mem-2026-05-01-002"]


def test_a_binding_record_outside_the_root_allows_nothing(make: Make, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(item("mem-2026-05-01-002"))
    (tmp_path / "foreign.toml").write_text(f'[binding]\nallowed_links = ["{tmp_path}"]\n')
    root = make({"topics/a.md": ""})
    (root / "topics" / "page.md").symlink_to(tmp_path / "page.md")
    (root / "assay.toml").symlink_to(tmp_path / "foreign.toml")
    snapshot, _ = Reader(str(root)).read()
    assert snapshot.items == ()
    assert not snapshot.binding.declared
    assert sorted(found(snapshot)) == [("blocked-link", "assay.toml"), ("blocked-link", "topics/page.md")]


def test_a_broken_binding_record_is_a_finding(make: Make) -> None:
    snapshot, _ = Reader(str(make({"assay.toml": "[binding\n", "memory.md": ""}))).read()
    assert not snapshot.binding.declared
    assert found(snapshot) == [("binding-broken", "assay.toml")]


def test_a_binding_record_that_turns_unreadable_still_allows_what_it_did(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.md").write_text(item("mem-2026-05-01-002"))
    root = make({"topics/a.md": "", "assay.toml": '[binding]\nallowed_links = ["../page.md"]\n'})
    (root / "topics" / "page.md").symlink_to(tmp_path / "page.md")
    reader = Reader(str(root))
    assert len(reader.read()[0].items) == 1
    real = reading.read_bytes

    def fail(path: str) -> tuple[bytes, os.stat_result]:
        if path.endswith(".toml"):
            raise OSError(errno.EIO, "Input/output error")
        return real(path)

    monkeypatch.setattr(reading, "read_bytes", fail)
    snapshot, _ = reader.read()
    assert len(snapshot.items) == 1
    assert (snapshot.binding.declared, found(snapshot)) == (True, [("unreadable-file", "assay.toml")])


def test_a_link_swapped_in_after_the_walk_is_not_opened(make: Make, tmp_path: Path) -> None:
    root = make({"memory.md": item("mem-2026-05-01-001")})
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    (root / "memory.md").unlink()
    (root / "memory.md").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic links"):
        reading.read_bytes(str(root / "memory.md"))
    os.mkfifo(root / "pipe.md")
    with pytest.raises(OSError, match="no regular file"):
        reading.read_bytes(str(root / "pipe.md"))


@pytest.mark.parametrize("least", [0, 1, 7])
@pytest.mark.parametrize("data", [b"", b"one line\n", b"0123456" * 3])
def test_a_file_is_read_whole_however_little_comes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, least: int
) -> None:
    path = tmp_path / "memory.md"
    path.write_bytes(data)
    real = os.read
    monkeypatch.setattr(os, "read", lambda fd, size: real(fd, min(size, least or size)))
    found, status = reading.read_bytes(str(path))
    assert (found, status.st_size) == (data, len(data))


def test_a_file_that_grows_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.md"
    path.write_bytes(b"before")
    real = os.read

    def grown(fd: int, size: int) -> bytes:
        if not path.read_text().endswith("after"):
            with path.open("ab") as file:
                file.write(b" and after")
        return real(fd, size)

    monkeypatch.setattr(os, "read", grown)
    found, status = reading.read_bytes(str(path))
    assert (found, status.st_size) == (b"before and after", 16)


def test_a_root_of_many_files_is_read_with_the_collector_held_back(make: Make) -> None:
    import gc

    root = make({f"topics/{number}.md": item(f"mem-2026-05-01-{number:03}") for number in range(80)})
    assert gc.isenabled()
    snapshot, _ = Reader(str(root)).read()
    assert gc.isenabled()
    assert len(snapshot.items) == 80
