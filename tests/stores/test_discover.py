"""Finding the memory root from where one stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import RootNotFound
from stores.markdown.discover import find_root


def lay_out(root: Path) -> Path:
    root.mkdir(parents=True)
    (root / "memory.md").write_text("# Inbox\n")
    return root


def test_memory_beside_the_work(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "memory")

    assert find_root(str(tmp_path)) == str(root)


def test_the_nearest_one_upwards(tmp_path: Path) -> None:
    lay_out(tmp_path / "memory")
    near = lay_out(tmp_path / "project" / "memory")
    (tmp_path / "project" / "src" / "deep").mkdir(parents=True)

    assert find_root(str(tmp_path / "project" / "src" / "deep")) == str(near)


def test_kiro_memories(tmp_path: Path) -> None:
    root = lay_out(tmp_path / ".kiro" / "memories")
    (tmp_path / "project").mkdir()

    assert find_root(str(tmp_path / "project")) == str(root)


def test_memory_comes_before_kiro_memories_in_one_folder(tmp_path: Path) -> None:
    lay_out(tmp_path / ".kiro" / "memories")
    root = lay_out(tmp_path / "memory")

    assert find_root(str(tmp_path)) == str(root)


def test_from_within_the_root(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "memory")
    (root / "topics").mkdir()

    assert find_root(str(root / "topics")) == str(root)


def test_a_root_by_any_name_is_found_from_within(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "what-we-learned")
    (root / "topics").mkdir()

    assert find_root(str(root / "topics")) == str(root)


def test_a_programs_own_memory_folder_is_passed_over(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "memory")
    package = tmp_path / "engine" / "memory"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")

    assert find_root(str(tmp_path / "engine")) == str(root)


def test_a_linked_root_keeps_the_name_it_is_linked_by(tmp_path: Path) -> None:
    lay_out(tmp_path / "volume")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "memory").symlink_to(tmp_path / "volume")

    assert find_root(str(tmp_path / "project")) == str(tmp_path / "project" / "memory")


def test_no_root_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RootNotFound, match="assay init"):
        find_root(str(tmp_path))
