"""A pane of lines: what is drawn when another text is shown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.strip import Strip

from tui.lines import EMPTY, Line, line
from tui.widgets.text_pane import TextPane


class PaneApp(App[None]):
    CSS = "TextPane { height: 1fr; border-left: solid red; padding: 0 1; }"

    def compose(self) -> ComposeResult:
        yield TextPane()

    @property
    def pane(self) -> TextPane:
        return self.query_one(TextPane)

    def show(self, *texts: str) -> None:
        block: Sequence[Line] = [line(text) if text else EMPTY for text in texts]
        self.pane.show(lambda width: block)

    def seen(self) -> list[str]:
        return [strip.text[1:].strip() for strip in self.screen._compositor.render_strips()]


async def test_only_lines_that_read_otherwise_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = PaneApp()
    drawn: list[int] = []
    render_line = TextPane.render_line

    def counted(pane: TextPane, y: int) -> Strip:
        drawn.append(y)
        return render_line(pane, y)

    async with app.run_test(size=(40, 8)) as pilot:
        app.show("mem-1", "", "Port is 8080.", "", "source  ✓ run-3")
        await pilot.pause()
        monkeypatch.setattr(TextPane, "render_line", counted)
        app.show("mem-2", "", "Port is 8080.", "", "source  ✓ run-3", "scope   project")
        await pilot.pause()
        assert sorted(drawn) == [0, 5]
        assert app.seen() == ["mem-2", "", "Port is 8080.", "", "source  ✓ run-3", "scope   project", "", ""]
        app.show("mem-3")
        await pilot.pause()
        assert app.seen() == ["mem-3", *[""] * 7]


async def test_a_text_that_was_scrolled_is_drawn_from_its_top_again() -> None:
    app = PaneApp()
    async with app.run_test(size=(40, 8)) as pilot:
        app.show(*(f"line {number}" for number in range(30)))
        await pilot.pause()
        app.pane.scroll_to(y=20, animate=False)
        await pilot.pause()
        assert app.seen()[0].startswith("line 20")
        app.show(*(f"line {number}" for number in range(30)))
        await pilot.pause()
        assert app.seen()[0].startswith("line 0")
        app.show(*(f"line {number}" for number in range(20)), "the end")
        app.pane.scroll_to(y=13, animate=False)
        await pilot.pause()
        assert "the end" in app.seen()[-1]
