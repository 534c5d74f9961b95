"""A queue of forty items is emptied by keys alone, and the keys are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import opened
from tests.tui.files import FILES, Root
from tui.screens.confirm import ConfirmScreen

MANY = 40


def queued(tmp_path: Path) -> Root:
    """A fresh root with forty pending items in two topics, and nothing else that waits."""
    files = {name: text for name, text in FILES.items() if not name.startswith(("topics/", "memory.md"))}
    files["memory.md"] = ""
    for name in ("deploy", "net"):
        numbers = range(1, MANY // 2 + 1)
        date = "2026-05-11" if name == "deploy" else "2026-05-12"
        entries = "".join(
            f"- [{date}] (knowledge) Lesson {number} of {name} stands alone: {number * 7919}.\n"
            f"  - id: mem-{date}-{number:03}\n  - kind: knowledge\n  - Status: pending-cleanup\n"
            "  - Source: retro of that week\n"
            for number in numbers
        )
        files[f"topics/{name}.md"] = (
            f"---\ntitle: {name}\nlayer: warm\ntriggers:\n  - {name}\nlast_updated: {date}\n"
            f"source_dates:\n  - {date}\n---\n\n# {name}\n\n## Facts and lessons\n\n{entries}"
        )
    files["archive/2026-05-11.md"] = "# 2026-05-11\n"
    return Root(tmp_path, files)


@pytest.mark.parametrize(("key", "status"), [("c", "active"), ("s", "stale")])
async def test_forty_items_take_two_keys_each(
    tmp_path: Path, key: str, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = queued(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("2")
        assert "2 Review        40" in desk.text
        pressed = 0
        while any(item.status_text == "pending-cleanup" for item in root.store.snapshot().items):
            await desk.press(key)
            assert isinstance(desk.app.screen, ConfirmScreen), desk.text
            await desk.armed()
            await desk.press("y")
            pressed += 2
            assert "✓" in desk.receipt
        assert {item.status_text for item in root.store.snapshot().items} == {status}
        assert root.text("log.md").count("memlog-") == MANY
        assert pressed <= 2 * MANY
        if key == "c":
            assert "Nothing waits for you" in desk.text
            assert "2 Review         0" in desk.text
        else:  # what is to become of what is stale is still open (§9), so it stays in view
            assert "2 Review        40" in desk.text
            assert "◌" not in desk.text
    with capsys.disabled():
        print(f"\n{MANY} pending items to {status}: {pressed} keys, {pressed / MANY:g} an item")


async def test_forty_items_marked_at_once_take_three_keys(tmp_path: Path) -> None:
    root = queued(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("2", "V", "c")
        await desk.confirm()
        assert "Nothing waits for you" in desk.text
        assert "Status: pending-cleanup" not in root.text("topics/deploy.md") + root.text("topics/net.md")
        assert root.text("log.md").count("memlog-") == 1
