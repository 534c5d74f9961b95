"""Wherever two texts stand beside each other, what differs stands out, also in a terminal without colour."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual.filter import Monochrome, NoColor

from core.events import FieldChange
from tests.tui.driving import Desk, opened
from tests.tui.test_snapshots import pictured
from tui.lines import cells
from tui.screens.log import _step_lines


def standing_out(desk: Desk, *, reverse: bool) -> Iterator[str]:
    """The texts on the screen that are underlined (or reversed, for what turns the meaning) and bold."""
    for strip in desk.app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if style is not None and style.bold and (style.reverse if reverse else style.underline):
                yield text.strip()


@pytest.fixture(params=[False, True], ids=["colour", "NO_COLOR"])
def colourless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        monkeypatch.setenv("NO_COLOR", "1")
    return bool(request.param)


def plain_terminal(desk: Desk, colourless: bool) -> None:
    assert any(isinstance(one, NoColor | Monochrome) for one in desk.app._filters) == colourless


async def test_in_conflicts_and_first_of_all_in_words(colourless: bool) -> None:
    async with opened(size=(120, 30)) as desk:
        plain_terminal(desk, colourless)
        await desk.press("3")
        assert "! differs by a number: 8080 / 9090" in desk.text
        assert desk.text.index("differs by a number") < desk.text.index("Port is 8080")
        assert {"8080", "9090"} <= set(standing_out(desk, reverse=True))


async def test_in_duplicates_with_what_opposes_them_first(colourless: bool) -> None:
    async with opened(pictured(), size=(120, 40)) as desk:
        await desk.press("4", "G")
        assert desk.text.index("! differs by a negation") < desk.text.index("mem-2026-05-17-001")
        assert "Never" in set(standing_out(desk, reverse=True))
        await desk.press("g", "m")
        assert "Always" in set(standing_out(desk, reverse=False)), "in the form, too"


async def test_in_the_confirmation_s_diff(colourless: bool) -> None:
    async with opened(size=(120, 40)) as desk:
        await desk.press("enter", "s")
        await desk.armed()
        assert {"pending-cleanup", "stale"} <= set(standing_out(desk, reverse=False))


async def test_in_an_edited_rule_and_in_what_it_rests_on(colourless: bool) -> None:
    async with opened(pictured(), size=(120, 40)) as desk:
        await desk.press("6", "e", *" Never by hand.", "enter")
        assert "proposed" in desk.text
        assert "approved" in desk.text
        assert any("Never" in text for text in standing_out(desk, reverse=True))


@pytest.mark.parametrize("width", [100, 40])
async def test_in_the_log_before_and_after(width: int) -> None:
    step = FieldChange("text", "Retry the payment after a timeout.", "Never retry the payment after a timeout.")
    async with opened() as desk:
        assert desk.app.facts is not None
        block = _step_lines(step, desk.app.facts.sight, width)
        assert all(cells(spans) <= width for spans in block)
        assert [span.text for spans in block for span in spans if "turn" in span.role] == ["Never"]
