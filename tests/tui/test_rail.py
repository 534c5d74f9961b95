"""The rail on one line, and what its numbers mean, read as a newcomer reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from core.duplicates import Index
from core.reading import Reading
from core.vocabulary import CheckResult
from tests.tui.driving import Desk, item, opened, snapshot
from tui.alike import Alike

LESSONS = (
    item("mem-2026-05-15-001", "Drain the node before restarting it."),
    item("mem-2026-05-16-001", "Always drain the node before restarting it."),
)


def rail(desk: Desk) -> str:
    """The line beneath the head line."""
    return desk.text.split("\n")[1]


async def test_at_80_columns_every_screen_has_a_name_that_can_be_read() -> None:
    async with opened(size=(80, 24)) as desk:
        names = re.findall(r"\d ?([A-Za-z]+)", rail(desk))
        assert names == ["INDEX", "Review", "Conf", "Dup", "Withd", "Prop", "Eras", "Log", "Health"]
        assert re.search(r"2 ?Review \d", rail(desk))


async def test_health_says_what_its_numbers_are() -> None:
    for size in ((80, 24), (160, 45)):
        async with opened(size=size) as desk:
            await desk.press("9")
            results = [check.result for check in desk.app.facts.reading.checks]
            applicable = sum(result is not CheckResult.NOT_APPLICABLE for result in results)
            title = next(line for line in desk.text.split("\n") if "checks hold" in line)
            assert f"{results.count(CheckResult.PASS)} of {applicable} checks hold" in title
            assert f"{results.count(CheckResult.UNEVALUATED)} unevaluated" in title


async def test_duplicates_are_counted_before_their_screen_is_opened() -> None:
    async with opened(snapshot(LESSONS)) as desk:
        assert "4 Duplicates     1" in desk.text
    async with opened(snapshot(LESSONS), size=(80, 24)) as desk:
        assert re.search(r"4 ?Dup 1", rail(desk))


async def test_the_index_of_texts_is_made_once_and_then_added_to(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    init = Index.__init__

    def counted(self: Index, items: Iterable[tuple[str, str]] = (), **options: Any) -> None:
        texts = tuple(items)
        made.append(len(texts))
        init(self, texts, **options)

    monkeypatch.setattr(Index, "__init__", counted)
    many = (*LESSONS, *(item(f"mem-2026-05-02-{number:03}", f"Lesson {number}.") for number in range(1, 30)))
    more = item("mem-2026-05-18-001", "Always drain each node before restarting it.")
    alike = Alike()
    for items in (many, (*many, more), many):
        reading = Reading(snapshot(items), today="2026-06-12")
        pairs = alike.search(reading, lambda done, total: None, lambda: False)
        assert pairs is not None
        found = {(pair.a, pair.b) for pair in pairs}
        assert ((LESSONS[1].key, more.key) in found) == (more in items)
        assert (LESSONS[0].key, LESSONS[1].key) in found
    assert len([count for count in made if count >= len(many)]) == 1
