"""What is decided can be read whole at 80 columns, in the dialog."""

from __future__ import annotations

import re
from pathlib import Path

from core.changes import FileDiff
from core.vocabulary import Status
from stores.memory import MemoryStore
from tests.tui.driving import item, opened, snapshot
from tests.tui.files import BACKUP, RETRIES, make
from tests.tui.test_promoting import FILE, proposal
from tui import display
from tui.lines import cells, plain
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Title
from tui.widgets.diff import diff_lines
from tui.widgets.text_pane import TextPane

SHARED = "The gateway's upstream timeout, which the load balancer in front of it must always exceed, is "
RULE = (
    "Retries are only added together with a budget, and never for calls that are not idempotent, "
    "unless the caller has asked for them by name in the request itself and the owner agreed"
)


def flat(text: str) -> str:
    """The text with every line break, border and indentation taken for one blank."""
    return " ".join(text.replace("│", " ").split())


async def test_rows_that_begin_alike_are_told_apart_at_80_columns() -> None:
    items = tuple(
        item(f"mem-2026-05-11-00{number}", f"{SHARED}{number}0 s.", status=Status.PENDING_CLEANUP)
        for number in (1, 2, 3)
    )
    async with opened(MemoryStore(snapshot(items)), size=(80, 24)) as desk:
        await desk.press("enter", "V", "s")
        assert isinstance(desk.app.screen, ConfirmScreen)
        for number in (1, 2, 3):
            assert f"{SHARED}{number}0 s." in flat(desk.text)


async def test_a_text_longer_than_its_row_is_said_to_be_and_stands_whole_with_d() -> None:
    text = " ".join(f"word{number}" for number in range(60))
    items = (item("mem-2026-05-11-001", text, status=Status.PENDING_CLEANUP),)
    async with opened(MemoryStore(snapshot(items)), size=(80, 24)) as desk:
        await desk.press("enter", "s")
        assert "word20" in desk.text
        assert "word59" not in desk.text
        assert "the ends of long texts" in desk.text
        await desk.armed()
        await desk.press("d")
        assert text in flat(desk.app.screen.text)


async def test_a_title_takes_two_lines_where_one_does_not_hold_it() -> None:
    async with opened(size=(80, 24)) as desk:
        await desk.press("enter", "s")
        title = desk.app.screen.query_one(Title)
        before = title.size.height
        title.retitle("Name " + "a very long " * 7 + "end")
        await desk.settle()
        assert (before, title.size.height) == (1, 2)
        assert "long end" in flat(desk.text)


async def test_a_rule_stands_whole_in_its_approval_and_the_log_waits_for_d(tmp_path: Path) -> None:
    refs = f"{RETRIES}, {BACKUP}"
    root = make(tmp_path, lambda files: files.update({FILE: proposal(refs, RULE)}), confirmed=True)
    async with opened(root.store, door=root.door(), size=(80, 24)) as desk:
        await desk.press("6", "a")
        assert isinstance(desk.app.screen, ConfirmScreen)
        (body,) = desk.app.screen.query("#body").results(TextPane)
        added = re.search(r"^ +\d+ \+ - .*\n(?: +│   .*\n)+", body.text, re.MULTILINE)
        assert added is not None
        assert f"+ - {RULE}" in flat(added.group())
        assert "log.md" not in body.text
        await desk.armed()
        await desk.press("d")
        assert "log.md" in body.text
        assert all(display.width(row) <= body.room for row in body.text.splitlines() if "+ " in row[:9])


def test_lines_that_come_and_go_wrap_marked_and_what_stands_around_them_does_not() -> None:
    diff = FileDiff("rules.md", f"- old {RULE}\n{RULE} {RULE}\n".encode(), f"- {RULE}\n{RULE} {RULE}\n".encode())
    shown = diff_lines(diff, str, wrap=72)
    texts = [plain(spans) for spans in shown]
    added = texts.index(next(text for text in texts if text[6:].startswith("+ ")))
    assert all(cells(spans) <= 72 for spans in shown[:-1])
    assert all(text.startswith("      │   ") for text in texts[added + 1 : -1])
    assert flat(" ".join(text[8:] for text in texts[added:-1])) == f"- {RULE}"
    assert texts[-1].endswith(f"{RULE} {RULE}")


def test_a_line_of_any_length_is_shown_up_to_a_bound() -> None:
    diff = FileDiff("rules.md", None, ("word " * 100_000).encode())
    assert len(diff_lines(diff, str, wrap=72, longest=2400)) < 60
