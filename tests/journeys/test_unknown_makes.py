"""Folders that no Assay ever saw: they are shown as far as they can be, what is odd is flagged, nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stores.markdown import MarkdownStore
from stores.pins import Pins
from tests.cli.conftest import HOSTILE, Program
from tests.tui.driving import Desk, opened
from tui.screens.table import SCREENS


def notes(folder: Path) -> None:
    """Markdown with frontmatter, and no ids."""
    for name, text in {"deploy": "Drain before a restart.", "net": "The pool has 40 connections."}.items():
        page = folder / "topics" / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(
            f"---\ntitle: {name}\ntags: [a, b]\n---\n# {name}\n\n- [2026-05-01] {text}\n- and a bare bullet\n"
        )


def wiki(folder: Path) -> None:
    """A wiki: prose, headings and tables, pages in folders."""
    (folder / "README.md").write_text("# Wiki\n\nSee [ops](ops/runbook.md).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n")
    (folder / "topics" / "ops").mkdir(parents=True)
    (folder / "topics" / "ops" / "runbook.md").write_text(
        "Runbook\n=======\n\n1. Drain\n2. Restart\n\n```sh\nrm -rf\n```\n"
    )


def vault(folder: Path) -> None:
    """A vault with links in double brackets, and its own hidden folder."""
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text("{}")
    (folder / "topics").mkdir()
    (folder / "topics" / "每日.md").write_text(
        "# [[Home]]\n\n- see [[Deploy|the deploy page]] #tag ^block\n- ![[image.png]]\n"
    )


def odd(folder: Path) -> None:
    """Ciphertext, nothing at all, and lines that have no end."""
    (folder / "topics").mkdir()
    (folder / "topics" / "secret.md").write_bytes(b"\x00GITCRYPT\x00" + bytes(range(256)) * 8)
    (folder / "topics" / "empty.md").write_bytes(b"")
    (folder / "memory.md").write_bytes(b"")
    (folder / "topics" / "long.md").write_text(f"# Long\n\n- [2026-05-01] {'endless ' * 380}\n")


def linked(folder: Path) -> None:
    """Links to the outside, to the inside, in a circle, and to nothing."""
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "theirs.md").write_text("# Theirs\n\n- [2026-05-01] A text from outside of the root.\n")
    topics = folder / "topics"
    topics.mkdir()
    (topics / "own.md").write_text("# Own\n\n- [2026-05-01] A text of the root.\n")
    (topics / "out.md").symlink_to(outside / "theirs.md")
    (topics / "in.md").symlink_to("own.md")
    (topics / "loop.md").symlink_to("loop.md")
    (topics / "gone.md").symlink_to("nowhere.md")
    (topics / "round").symlink_to("..")


MAKES: dict[str, tuple[Callable[[Path], None], str]] = {
    "notes": (notes, "Drain before a restart."),
    "wiki": (wiki, "runbook"),
    "vault": (vault, "每日"),
    "odd": (odd, "long"),
    "linked": (linked, "A text of the root."),
}
FLAGGED = {"notes": "missing-id", "odd": "topics/secret.md", "linked": "topics/out.md"}
READS = ("status", "check", "items", "findings", "conflicts", "withdrawals", "log", "duplicates", "proposals", "plan")


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every name below the folder and beside it: what it is, when it was changed, what it holds."""
    found: dict[str, tuple[object, ...]] = {}
    for here, folders, names in os.walk(folder.parent):
        for name in (*folders, *names):
            path = Path(here, name)
            made = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
            found[str(path)] = (made.st_mode, made.st_mtime_ns, content)
    return found


@pytest.fixture(params=MAKES)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    folder = tmp_path / "here" / "memory"
    folder.mkdir(parents=True)
    MAKES[request.param][0](folder)
    return str(request.param)


def shown(desk: Desk, seen: list[str]) -> None:
    lines = desk.text.split("\n")
    assert "? help" in lines[-1]
    seen.append(desk.text)


async def test_the_console_shows_what_it_can_and_writes_nothing(make: str, tmp_path: Path) -> None:
    folder = tmp_path / "here" / "memory"
    before = state(folder)
    store = MarkdownStore(str(folder), pins=Pins(str(folder), folder=str(tmp_path / "config")))
    seen: list[str] = []
    async with opened(store) as desk:
        for screen in SCREENS:
            await desk.press(str(screen.number))
            shown(desk, seen)
            assert screen.title in seen[-1]
            await desk.press("down", "down", "enter")
            seen.append(desk.text)
            await desk.press("escape", "escape")
            shown(desk, seen)
        await desk.press("1", "/", *MAKES[make][1][:12], "escape")
        desk.app.console_screen.visit(1)
        await desk.settle()
        await desk.press("g", "j", "j", "enter")
        seen.append(desk.text)
        assert desk.app.is_running
    everything = "\n".join(seen)
    assert MAKES[make][1] in everything
    assert "A text from outside" not in everything
    assert not [one for one in HOSTILE if one in everything]
    assert state(folder) == before


def test_the_command_line_shows_what_it_can_and_writes_nothing(make: str, tmp_path: Path) -> None:
    folder = tmp_path / "here" / "memory"
    program = Program(tmp_path)
    before = state(folder)
    said = ""
    for words in READS:
        for form in ((), ("--json",)):
            result = program.inside(words, "--root", str(folder), *form)
            assert result.status in (0, 1), (words, result.err)
            assert "a fault in Assay" not in result.err
            assert not [one for one in HOSTILE if one in result.out + result.err], words
            said += result.out
    if make in FLAGGED:
        findings = program.inside("findings", "--root", str(folder)).out
        assert FLAGGED[make] in findings, findings
    assert "A text from outside" not in said
    assert state(folder) == before
