"""The rail on one line, and what its numbers mean, read as a newcomer reads it."""

from __future__ import annotations

import re

from core.vocabulary import CheckResult
from tests.tui.driving import Desk, item, opened, snapshot

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
            assert f"{results.count(CheckResult.UNEVALUATED)} not exercised" in title


async def test_duplicates_are_counted_before_their_screen_is_opened() -> None:
    async with opened(snapshot(LESSONS)) as desk:
        assert "4 Duplicates     1" in desk.text
    async with opened(snapshot(LESSONS), size=(80, 24)) as desk:
        assert re.search(r"4 ?Dup 1", rail(desk))
