"""recover: a commit that can be neither finished nor undone waits for a human, and loses no version meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stores.identity import os_user
from stores.markdown.edits import SpanEdit
from stores.markdown.journal import Home, Journal, stage, step
from stores.markdown.placing import temp_name
from stores.markdown.port import OsPort
from tests.cases.case import item
from tests.cli.conftest import Program

BEFORE = "# T\n\n" + item("mem-2026-05-01-001", "Drain first.")
AFTER = BEFORE.replace("Status: active", "Status: stale")
NOW = BEFORE.replace("Status: active", "Status: both")
PAGE = "topics/t.md"


@pytest.fixture
def stuck(empty: Program) -> Path:
    """A root where a commit was cut short, and somebody then edited the very line it was about."""
    root = Path(empty.root)
    (root / "topics").mkdir(parents=True, exist_ok=True)
    (root / PAGE).write_text(BEFORE)
    home, port, real = Home(str(root)), OsPort(), str(root / PAGE)
    for folder in (home.assay, home.journal, home.displaced):
        Path(folder).mkdir()
    at = BEFORE.index("active")
    edits = (SpanEdit(at, at + len("active"), b"stale"),)
    planned = step(PAGE, real, temp_name(real, "tx", 0), BEFORE.encode(), edits, None)
    stage(port, home, Journal("tx", (planned,)), "stuck")
    (root / PAGE).write_text(NOW)
    return root


def test_it_lists_what_waits_and_shows_what_differs(empty: Program, stuck: Path) -> None:
    (waiting,) = empty.inside("recover", "--json").data
    assert waiting["commit"] == "tx"
    assert waiting["files"] == [
        {"path": PAGE, "versions": {"before": len(BEFORE), "after": len(AFTER), "now": len(NOW)}}
    ]
    shown = empty.inside("recover", "tx").out
    assert "Status: stale" in shown
    assert "Status: both" in shown
    assert (stuck / PAGE).read_text() == NOW
    assert "journal-stuck" in empty.inside("findings").out


@pytest.mark.parametrize(
    ("keep", "wanted"), [("before", BEFORE), ("after", AFTER), ("now", NOW)], ids=["before", "after", "now"]
)
def test_a_human_chooses_and_the_file_can_be_written_again(empty: Program, stuck: Path, keep: str, wanted: str) -> None:
    result = empty.agreed("recover", "tx", "--keep", keep)
    assert result.status == 0, result.err
    assert (stuck / PAGE).read_text() == wanted
    assert list((stuck / ".assay" / "journal").iterdir()) == []
    assert "journal-stuck" not in empty.inside("findings").out
    (line,) = (stuck / "log.md").read_text().splitlines()[-1:]
    assert f") by human:{os_user()} — recovery of tx: {keep} kept of {PAGE}" in line
    (event,) = [json.loads(one) for file in (stuck / "log").iterdir() for one in file.read_text().splitlines()]
    assert (event["type"], event["command"]) == ("manual-correction", "recover")
    assert event["detail"] == {"commit": "tx", "kept": keep, "files": [PAGE]}
    assert event["decision"][0] == f"human:{os_user()}"
    assert event["id"] in result.out
    assert empty.agreed("undo").status == 6


def test_what_could_not_be_recorded_is_said(empty: Program, stuck: Path) -> None:
    (stuck / "log.md").write_bytes(b"- \xff\n")
    result = empty.agreed("recover", "tx", "--keep", "after")
    assert result.status == 9
    assert "tx is settled: after kept. The log could not be told so." in result.err
    assert (stuck / PAGE).read_text() == AFTER


def test_nobody_chooses_without_a_terminal_or_against_the_answer(empty: Program, stuck: Path) -> None:
    assert empty("recover", "tx", "--keep", "after").status == 4
    assert empty.agreed("recover", "tx", "--keep", "after", answer="no").status == 14
    assert (stuck / PAGE).read_text() == NOW
    assert empty.inside("recover", "other", "--keep", "after").status == 7
