"""The review's plan, written from the console: what would be done, by whom, and why, on paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tui.driving import opened


async def test_the_plan_is_written_as_markdown_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as desk:
        await desk.press("2", "P", "enter")
        assert "review-plan-2026-06-12.md" in desk.receipt
    plan = (tmp_path / "review-plan-2026-06-12.md").read_text()
    assert "- [ ] clear mem-2026-05-11-004" in plan
    rows = json.loads((tmp_path / "review-plan-2026-06-12.json").read_text())
    assert ["clear", "mem-2026-05-11-004"] in [row["command"] for row in rows]
    assert {"what", "who", "why", "waiting", "command", "line"} == set(rows[0])


async def test_a_file_that_is_there_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "review-plan-2026-06-12.md"
    there.write_text("mine")
    async with opened() as desk:
        await desk.press("2", "P", "enter")
        assert "there already" in desk.receipt
    assert there.read_text() == "mine"
