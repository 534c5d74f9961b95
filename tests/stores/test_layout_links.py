"""What in a root is read: the layout's names, leftovers beside them, and links that stay inside or were allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.findings import Finding
from core.vocabulary import Severity
from stores.markdown.layout import Role, leftover, role_of, topic_name
from stores.markdown.links import LinkPolicy, Tree, walk


def tree(root: Path, *allowed: Path | str) -> Tree:
    return walk(str(root), LinkPolicy(str(root), [str(path) for path in allowed]))


def paths(found: Tree) -> list[str]:
    return [entry.path for entry in found.files]


def said(found: Tree) -> list[tuple[str, str | None]]:
    return sorted((finding.code, finding.file) for finding in found.findings)


def only(found: Tree, code: str) -> Finding:
    (finding,) = (finding for finding in found.findings if finding.code == code)
    return finding


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    (folder / "topics").mkdir(parents=True)
    (folder / "memory.md").write_text("")
    (folder / "topics" / "a.md").write_text("")
    return folder


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("memory.md", Role.INBOX),
        ("index.md", Role.INDEX),
        ("log.md", Role.LOG),
        ("conventions.md", Role.CONVENTIONS),
        ("assay.toml", Role.BINDING),
        ("topics/a.md", Role.TOPIC),
        ("topics/sub/a.md", Role.TOPIC),
        ("archive/2026-05-20.md", Role.ARCHIVE),
        ("withdrawn/memwd-1.md", Role.HELD),
        ("log/2026-06.jsonl", Role.REPLAY),
        ("log/log-1.md", Role.LOG),
        ("proposals/p.md", Role.PROPOSAL),
        ("notes.md", None),
        ("README.md", None),
        ("topics/a.txt", None),
        ("topics/data.jsonl", None),
        ("scripts/a.md", None),
    ],
)
def test_roles_of_the_reference_layout(path: str, role: Role | None) -> None:
    assert role_of(path, topics_folder=True) is role


def test_without_a_topics_folder_pages_stand_in_the_root() -> None:
    assert role_of("notes.md", topics_folder=False) is Role.TOPIC
    assert role_of("README.md", topics_folder=False) is None
    assert role_of("CLAUDE.md", topics_folder=False) is None
    assert role_of("memory.md", topics_folder=False) is Role.INBOX


def test_topic_names_are_composed() -> None:
    assert topic_name("topics/환경.md") == "환경"
    assert topic_name("topics/sub/a.md") == "sub/a"
    assert topic_name("notes.md") == "notes"


@pytest.mark.parametrize(
    "name",
    [
        "environment.sync-conflict-20260512-003022-FUKIKK4.md",
        "environment (conflicted copy 2026-05-12).md",
        "environment (ana's conflicted copy 2026-05-12).md",
        "environment (Conflict 2026-05-12).md",
        "environment (SFConflict ana 2026-05-12).md",
        "environment (ana 的冲突副本).md",
        "environment_LOCAL_1234.md",
        "environment.md.orig",
        "environment.md.rej",
        "environment.md~",
        ".#environment.md",
        "#environment.md#",
        ".environment.md.swp",
        "environment.md.bak",
        "environment (1).md",
        "environment copy.md",
    ],
)
def test_leftovers_are_listed_and_never_read(root: Path, name: str) -> None:
    (root / "topics" / "environment.md").write_text("")
    (root / "topics" / name).write_text("- [2026-05-01] (state) x\n")
    found = tree(root)
    assert only(found, "conflicted-copy").file == f"topics/{name}"
    assert [entry.path for entry in found.files if entry.role is Role.TOPIC] == ["topics/a.md", "topics/environment.md"]


@pytest.mark.parametrize(
    "name",
    ["phase (1).md", "merge (conflict handling).md", "copy.md", "a.orig", "notes.txt~", "conflicted.md", "LOCAL.md"],
)
def test_pages_that_only_sound_like_leftovers_are_none(name: str) -> None:
    assert leftover(name, {"memory.md"}) is None


def test_how_much_a_leftover_matters() -> None:
    conflict = leftover("a.sync-conflict-20260512-1.md", ())
    editor = leftover("a.md~", ())
    assert conflict is not None
    assert editor is not None
    assert (conflict[1], editor[1]) == (Severity.WARNING, Severity.NOTICE)


def test_leftovers_in_the_root_itself(root: Path) -> None:
    (root / "memory.sync-conflict-20260512-003022-X.md").write_text("")
    (root / "memory.md.orig").write_text("")
    (root / "notes.md~").write_text("")
    (root / ".assay-1-2.tmp").write_text("")
    (root / ".assay").mkdir()
    (root / ".assay" / "x.md").write_text("")
    files = [file for _, file in said(tree(root))]
    assert files == ["memory.md.orig", "memory.sync-conflict-20260512-003022-X.md"]


def test_hidden_folders_and_others_are_not_read(root: Path) -> None:
    for folder in (".git", "scripts", "topics/.obsidian"):
        (root / folder).mkdir()
        (root / folder / "x.md").write_text("")
    (root / "notes.md").write_text("")
    assert paths(tree(root)) == ["memory.md", "topics/a.md"]


def test_the_root_may_be_a_link(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    found = tree(link)
    assert (paths(found), said(found)) == (["memory.md", "topics/a.md"], [])


def test_links_inside_the_root_are_followed(root: Path) -> None:
    (root / "store").mkdir()
    (root / "store" / "b.md").write_text("")
    (root / "days").mkdir()
    (root / "days" / "2026-05-20.md").write_text("")
    (root / "topics" / "b.md").symlink_to("../store/b.md")
    (root / "archive").symlink_to("days")
    found = tree(root)
    assert (paths(found)[0], said(found)) == ("archive/2026-05-20.md", [])
    entry = next(entry for entry in found.files if entry.path == "topics/b.md")
    assert entry.real == str((root / "store" / "b.md").resolve())


def test_a_link_out_of_the_root_is_blocked_with_its_real_path(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    (root / "topics" / "b.md").symlink_to(outside)
    found = tree(root)
    finding = only(found, "blocked-link")
    assert (finding.file, finding.severity) == ("topics/b.md", Severity.WARNING)
    assert str(outside) in finding.message
    assert "topics/b.md" in found.blocked
    assert paths(found) == ["memory.md", "topics/a.md"]


def test_a_folder_of_the_layout_may_lead_out_only_where_allowed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "archive"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "2026-05-20.md").write_text("")
    (root / "archive").symlink_to(outside)
    assert said(tree(root)) == [("blocked-link", "archive")]
    for allowed in (outside, tmp_path, "../archive", os.path.join(str(root), "..", "archive")):
        found = tree(root, allowed)
        assert (paths(found), said(found)) == (["archive/deep/2026-05-20.md", "memory.md", "topics/a.md"], [])
    assert said(tree(root, tmp_path / "arch")) == [("blocked-link", "archive")]


def test_a_link_inside_an_allowed_folder_is_judged_anew(root: Path, tmp_path: Path) -> None:
    outside, elsewhere = tmp_path / "shared", tmp_path / "elsewhere.md"
    outside.mkdir()
    elsewhere.write_text("")
    (outside / "e.md").symlink_to(elsewhere)
    (root / "archive").symlink_to(outside)
    assert said(tree(root, outside)) == [("blocked-link", "archive/e.md")]


def test_loops_end(root: Path) -> None:
    (root / "topics" / "loop").symlink_to("..")
    (root / "topics" / "self").symlink_to(".")
    (root / "topics" / "x.md").symlink_to("y.md")
    (root / "topics" / "y.md").symlink_to("x.md")
    found = tree(root)
    assert [code for code, _ in said(found)] == ["link-loop"] * 4
    assert paths(found) == ["memory.md", "topics/a.md"]


def test_a_dangling_link_is_a_finding(root: Path) -> None:
    (root / "topics" / "b.md").symlink_to("gone.md")
    assert said(tree(root)) == [("dangling-link", "topics/b.md")]
    assert tree(root).blocked == {"topics/b.md": "its link leads to nothing"}, "nothing is made behind it"


def test_a_second_name_by_link_is_read_once(root: Path) -> None:
    (root / "topics" / "0.md").symlink_to("a.md")
    found = tree(root)
    assert (paths(found), said(found)) == (["memory.md", "topics/a.md"], [("link-loop", "topics/0.md")])


def test_a_hard_link_that_leaves_the_root_is_blocked(root: Path, tmp_path: Path) -> None:
    os.link(root / "topics" / "a.md", tmp_path / "elsewhere.md")
    found = tree(root)
    assert paths(found) == ["memory.md"]
    assert only(found, "hard-link").file == "topics/a.md"
    assert "topics/a.md" in found.blocked
    assert paths(tree(root, root / "topics" / "a.md")) == ["memory.md", "topics/a.md"]


def test_the_names_that_a_commit_gives_a_file_for_a_while_block_nothing(root: Path, tmp_path: Path) -> None:
    os.link(root / "topics" / "a.md", root / "topics" / ".assay-memlog-1-0.part.tmp")
    os.link(root / "topics" / "a.md", root / "topics" / ".assay-memlog-1-0.tmp")
    found = tree(root)
    assert (paths(found), said(found)) == (["memory.md", "topics/a.md"], [])
    os.link(root / "topics" / "a.md", tmp_path / "elsewhere.md")
    assert "1 more name" in tree(root).blocked["topics/a.md"]


def test_a_hard_link_inside_the_root_is_read_once(root: Path) -> None:
    os.link(root / "topics" / "a.md", root / "topics" / "b.md")
    found = tree(root)
    assert paths(found) == ["memory.md", "topics/a.md"]
    assert only(found, "hard-link").file == "topics/b.md"


def test_what_is_no_regular_file_is_never_opened(root: Path) -> None:
    os.mkfifo(root / "topics" / "pipe.md")
    found = tree(root)
    assert "topics/pipe.md" in found.blocked
    assert "no regular file" in only(found, "unreadable-file").message


def test_a_name_that_is_no_utf8_is_said_and_not_read(root: Path) -> None:
    with open(os.path.join(os.fsencode(root), b"topics", b"caf\xe9.md"), "w"):
        pass
    found = tree(root)
    assert only(found, "unreadable-file").file == "topics/caf\ufffd.md"
    assert paths(found) == ["memory.md", "topics/a.md"]


def test_a_folder_that_cannot_be_listed_is_a_finding(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("topics"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = tree(root)
    assert (found.unreadable, paths(found)) == (["topics"], ["memory.md"])
    assert only(found, "unreadable-file").severity is Severity.ERROR
