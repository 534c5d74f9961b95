"""A receipt at any width says which event it was and how it is taken back."""

from __future__ import annotations

import pytest

from core.changes import FileDiff
from core.plan import Receipt
from core.plan import Refusal as Left
from tests.tui.driving import opened
from tui.deciding import receipt_line
from tui.lines import cells, plain

FILES = tuple(FileDiff(f"topics/a-topic-with-a-long-name-{number}.md", b"", b"x\n") for number in range(4))
LONG = "mem-2026-05-20-010, mem-2026-05-27-005 merged into mem-2026-05-27-010, the folded entry"
EVENT = "memlog-2026-12-01-001"
SENTENCES = {
    "Can be undone with undo.": "u undoes",
    "Can be undone with undo; the folded entry stays as history, stale.": "u undoes",
    "Not undone with undo: edit assay.toml, then confirm the owners.": "Not undone with u",
    "Cannot be undone itself; decide again instead.": "Cannot be undone",
}


@pytest.mark.parametrize("width", [60, 80, 100, 160, 200])
@pytest.mark.parametrize("undo", SENTENCES)
@pytest.mark.parametrize("refusals", [(), (Left("mem-1", "why"),)])
def test_the_event_and_the_way_back_always_stand(width: int, undo: str, refusals: tuple[Left, ...]) -> None:
    shown = receipt_line(Receipt(EVENT, LONG, FILES, undo, refusals), width)
    assert cells(shown) <= width
    text = plain(shown)
    assert text.startswith(" ✓ mem-")
    assert EVENT in text
    assert SENTENCES[undo] in text or (width <= 100 and "no undo" in text)
    assert ("1 left out" in text) == bool(refusals)


def test_where_there_is_room_nothing_is_shortened() -> None:
    text = plain(receipt_line(Receipt(EVENT, "1 item stale", FILES[:1], "Can be undone with undo."), 100))
    assert text == f" ✓ 1 item stale   {FILES[0].path}   {EVENT}   u undoes"


def test_what_was_done_comes_first_and_gives_way_last_at_its_end() -> None:
    undone = Receipt(
        EVENT, "undone: mem-2026-05-20-010 cleared", FILES, "Cannot be undone itself; decide again instead."
    )
    assert plain(receipt_line(undone, 80)) == f" ✓ undone: mem-2026-05-20-010 cleared   {EVENT}   no undo"
    text = plain(receipt_line(Receipt(EVENT, LONG, FILES, undone.undo), 80))
    assert text == f" ✓ {LONG[:42]}…   {EVENT}   no undo"


async def test_at_80_columns_and_after_a_resize() -> None:
    async with opened(size=(160, 45)) as desk:
        await desk.press("enter", "s")
        await desk.confirm()
        for size in ((160, 45), (80, 24), (60, 20)):
            await desk.resize(*size)
            assert "memlog-2026-06-12-001" in desk.text
            assert "u undoes" in desk.text
