"""A list of any length: rows drawn when seen, the cursor on a key."""

from __future__ import annotations

import time

import pytest
from textual.app import App, ComposeResult
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from tui.lines import Line, line
from tui.widgets.virtual_list import VirtualList


class ListApp(App[None]):
    def __init__(self, keys: list[str]) -> None:
        super().__init__()
        self.all_keys = keys
        self.drawn: list[str] = []
        self.gone: list[object] = []
        self.opened: list[object] = []

    def compose(self) -> ComposeResult:
        yield VirtualList()

    def on_mount(self) -> None:
        self.rows.show(self.all_keys, self.draw)
        self.rows.focus()

    @property
    def rows(self) -> VirtualList:
        return self.query_one(VirtualList)

    def draw(self, key: object, width: int) -> Line:
        self.drawn.append(str(key))
        return line(f"row {key}")

    def on_virtual_list_gone(self, message: VirtualList.Gone) -> None:
        self.gone.append(message.key)

    def on_virtual_list_opened(self, message: VirtualList.Opened) -> None:
        self.opened.append(message.key)

    def text(self) -> list[str]:
        rows = self.rows
        return [rows.render_line(y).text.rstrip() for y in range(rows.size.height)]


def keys(count: int) -> list[str]:
    return [f"{number:06}" for number in range(count)]


async def test_a_hundred_thousand_rows_show_at_once_and_only_those_in_view_are_drawn() -> None:
    app = ListApp(keys(100_000))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.text()[0] == "▌ row 000000"
        assert len(set(app.drawn)) <= 24
        begun = time.perf_counter()
        for _ in range(200):
            app.rows.action_move(1)
        app.rows.action_edge(1)
        app.rows.action_page(-1)
        app.rows.action_edge(-1)
        assert time.perf_counter() - begun < 1.0
        await pilot.press("G")
        assert app.rows.key == "099999"
        assert app.text()[-1] == "▌ row 099999"
        await pilot.press("g", "pagedown")
        assert app.rows.key == "000023"
        assert len(set(app.drawn)) < 200


async def test_showing_other_rows_keeps_the_key_and_its_height_on_the_screen() -> None:
    app = ListApp(keys(100_000))
    async with app.run_test(size=(80, 24)) as pilot:
        app.rows.go("050000")
        await pilot.pause()
        for _ in range(5):
            app.rows.action_move(-1)
        await pilot.pause()
        height = app.text().index("▌ row 049995")
        app.rows.show([f"new {n}" for n in range(7)] + keys(100_000))
        await pilot.pause()
        assert app.rows.key == "049995"
        assert app.text().index("▌ row 049995") == height
        assert app.gone == []


async def test_a_key_that_is_gone_is_told_and_the_cursor_stays_in_place() -> None:
    app = ListApp(keys(50))
    async with app.run_test(size=(80, 24)) as pilot:
        app.rows.go("000010")
        app.rows.show([key for key in keys(50) if key != "000010"])
        await pilot.pause()
        assert app.gone == ["000010"]
        assert app.rows.key == "000011"
        app.rows.show([key for key in keys(50) if key != "000011"], own=True)
        await pilot.pause()
        assert app.gone == ["000010"]
        assert app.rows.index == 10
        app.rows.show([])
        await pilot.pause()
        assert app.rows.key is None
        await pilot.press("enter", "j", "k", "G", "g")
        assert app.opened == []


async def test_the_cursor_passes_over_headings() -> None:
    app = ListApp(["head a", "1", "2", "head b", "3"])
    async with app.run_test(size=(80, 24)) as pilot:
        app.rows.show(app.all_keys, skip=frozenset({"head a", "head b"}))
        assert app.rows.key == "1"
        await pilot.press("j", "j")
        assert app.rows.key == "3"
        await pilot.press("k")
        assert app.rows.key == "2"
        await pilot.press("g")
        assert app.rows.key == "1"
        await pilot.press("k")
        assert app.rows.key == "1"
        await pilot.press("enter")
        assert app.opened == ["1"]


async def test_marks_are_by_key_and_only_shown_ones_are_taken() -> None:
    app = ListApp(keys(10))
    async with app.run_test(size=(80, 24)) as pilot:
        app.rows.toggle_mark()
        app.rows.toggle_mark()
        await pilot.pause()
        assert app.rows.marked() == ("000000", "000001")
        assert app.text()[0].startswith(" ◆row 000000")
        app.rows.show(["000001", "000005"])
        assert app.rows.marked() == ("000001",)
        assert app.rows.marks == {"000000", "000001"}
        app.rows.toggle_all()
        assert app.rows.marked() == ("000001", "000005")
        app.rows.toggle_all()
        assert app.rows.marks == {"000000"}


async def test_filter_text_is_drawn_emphasised() -> None:
    app = ListApp(["deploy now"])
    async with app.run_test(size=(80, 24)):
        app.rows.show(["deploy now"], needles=("DEPLOY",))
        strip = app.rows.render_line(0)
        (found,) = [segment for segment in strip if segment.text == "deploy"]
        assert found.style is not None
        assert found.style.underline


@pytest.mark.parametrize("width", [20, 80, 200])
async def test_rows_keep_to_the_width(width: int) -> None:
    app = ListApp(["部署前先备份数据库 " * 20, "👩‍👩‍👧 " * 90, "x" * 500])
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        for y in range(3):
            assert app.rows.render_line(y).cell_length == app.rows.room


async def test_scrolling_by_one_draws_one_row_anew_and_styles_only_the_cursors(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ListApp(keys(100_000))
    styled: list[str] = []
    strip = VirtualList.strip

    def counted(self: VirtualList, spans: Line, width: int, *, on: str = "") -> Strip:
        styled.append(on)
        return strip(self, spans, width, on=on)

    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * 30)
        monkeypatch.setattr(VirtualList, "strip", counted)
        for number in range(31, 36):
            app.drawn.clear()
            styled.clear()
            await pilot.press("down")
            await pilot.pause()
            assert app.drawn == [f"{number:06}"]
            assert sorted(styled) == ["", "cursor"]
            assert app.text()[-1] == f"▌ row {number:06}"


async def test_a_scroll_changes_the_screen_once_and_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ListApp(keys(100_000))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * 30)
        await pilot.pause()
        pictures: list[str] = []
        monkeypatch.setattr(app, "post_display_hook", lambda: pictures.append("picture"))
        monkeypatch.setattr(app.screen, "_refresh_layout", lambda *_, **__: pictures.append("layout"))
        await pilot.press("down")
        await pilot.pause(0.1)
        assert pictures == ["picture"]


async def test_the_scrollbar_is_drawn_when_it_looks_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ListApp(keys(100_000))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * 30)
        await pilot.pause()
        bars: list[float] = []
        render = ScrollBar.render
        monkeypatch.setattr(ScrollBar, "render", lambda bar: (bars.append(bar.position), render(bar))[1])
        await pilot.press(*["down"] * 10)
        await pilot.pause()
        assert bars == []
        assert app.rows.vertical_scrollbar.position == app.rows.scroll_offset.y == 17
        await pilot.press("G")
        await pilot.pause()
        assert bars == [100_000 - 24]
