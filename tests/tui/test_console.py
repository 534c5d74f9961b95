"""The console as a whole: first frame, screens, keys, cards, and that nothing is parsed as markup."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from textual import events

from core.engine import Engine
from core.snapshot import IndexView
from core.vocabulary import Status
from stores.memory import MemoryStore
from tests.tui.driving import ANA, BEN, ITEMS, NOW, item, opened, snapshot
from tui.app import AssayApp
from tui.door import fixed
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Pager
from tui.screens.table import SCREENS
from tui.verbs import VERBS


async def test_the_first_frame_does_not_wait_for_the_root() -> None:
    hold = threading.Event()

    def slow() -> Engine:
        hold.wait(5)
        return Engine(MemoryStore(snapshot()), clock=lambda: NOW)

    app = AssayApp(slow, fixed(ANA), root="/somewhere/platform/memory")
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "platform/memory" in text
        assert "reading…" in text
        hold.set()


async def test_the_first_screen_names_the_number_of_items() -> None:
    async with opened() as desk:
        assert "6 items" in desk.text
        assert "1 Index          6" in desk.text
        assert "pitfalls" in desk.text
        assert "ana, owner of *" in desk.text


@pytest.mark.parametrize("size", [(80, 24), (140, 40), (200, 50)])
async def test_every_screen_opens_by_its_number_and_fills_no_more_than_the_terminal(size: tuple[int, int]) -> None:
    async with opened(size=size) as desk:
        for key, title in [*((str(row.number), row.title) for row in SCREENS), ("1", "Index")]:
            await desk.press(key)
            assert title in desk.text
            lines = desk.text.split("\n")
            assert len(lines) == size[1]
            assert "? help" in lines[-1]


async def test_a_key_of_no_screen_goes_nowhere() -> None:
    async with opened() as desk:
        await desk.press("2", "0")
        assert desk.app.console_screen.page.NUMBER == 2


async def test_enter_goes_into_a_topic_and_esc_back_and_esc_never_quits() -> None:
    async with opened() as desk:
        await desk.press("enter")
        assert "› pitfalls" in desk.text
        assert "Retries hide timeouts" in desk.text
        await desk.press("escape")
        assert "› pitfalls" not in desk.text
        assert desk.key == ("topic", "topics/pitfalls.md")
        await desk.press("escape", "escape")
        assert desk.app.is_running
        assert "leaves" in desk.receipt


async def test_q_leaves() -> None:
    async with opened() as desk:
        await desk.pilot.press("q")
        await desk.pilot.pause()
        assert not desk.app.is_running


async def test_the_card_follows_the_cursor() -> None:
    async with opened() as desk:
        await desk.press("enter")
        assert "The gateway was returning 504" in desk.text
        await desk.press("j")
        assert "合并之前先等待确认信号。" in desk.text.split("│")[-1] or desk.text.count("合并之前") == 2
        await desk.press("k", "G", "g", "down", "up")
        assert desk.key == "mem-2026-05-11-004"


async def test_below_100_columns_the_card_opens_with_enter() -> None:
    async with opened(size=(80, 24)) as desk:
        await desk.press("enter")
        assert "The gateway was returning 504" not in desk.text
        await desk.press("enter")
        assert "The gateway was returning 504" in desk.text
        await desk.press("escape")
        assert "The gateway was returning 504" not in desk.text
        assert "› pitfalls" in desk.text


async def test_the_filter_is_always_in_view_counts_and_finds_any_item_from_the_index() -> None:
    async with opened() as desk:
        assert "/ filter" in desk.text
        await desk.press("/", *"port", "enter")
        assert "2 of 8" in desk.text
        assert "Port is 9090." in desk.text
        await desk.press("/", "escape")
        assert "pitfalls" in desk.text


async def test_a_bracket_in_the_filter_is_harmless_and_keys_typed_in_it_are_text() -> None:
    async with opened() as desk:
        await desk.press("/", *"[/x]q12")
        assert desk.app.is_running
        assert desk.app.console_screen.page.filter_line.text == "[/x]q12"
        assert "0 of 8" in desk.text
        await desk.press("escape")
        assert "8" in desk.text


async def test_a_pasted_filter_cannot_reach_the_terminal() -> None:
    from textual import events

    async with opened() as desk:
        await desk.press("/")
        desk.app.post_message(events.Paste("a\u202eb\x1b[2J\nmore"))
        await desk.settle()
        assert desk.app.console_screen.page.filter_line.text == "a⟨U+202E⟩b␛[2J"
        assert "\x1b" not in desk.text


HOSTILE = (
    "See [/docs/cursor.md](/docs/cursor.md) first.",
    "[red]not red[/red] and [bold",
    "[@click=app.quit]press[/]",
    "- [fact] x [[wiki]] [/close]",
    "\\[escaped] \\",
)


@pytest.mark.parametrize("text", HOSTILE)
async def test_every_character_of_markup_is_seen_in_list_card_title_and_receipt(text: str) -> None:
    root = snapshot([item("mem-2026-05-06-001", text, subject=None)])
    async with opened(root, size=(200, 50)) as desk:
        await desk.press("enter")
        assert desk.text.count(text) == 2
        await desk.press("p")
        assert "✓" in desk.receipt
        await desk.press("s")
        assert text in desk.text


async def test_what_would_act_on_the_terminal_is_drawn_and_stays_as_stored() -> None:
    stored = "copy\x1b]52;c;aGk=\x07 clear\x1b[2J c1\x9b31m bidi\u202egnp.exe\u202c zero\u200bwidth esc\x1b"
    root = snapshot([item("mem-2026-05-06-006", stored, subject="a\u202eb", source="x\x1b[2Jy")])
    async with opened(root, size=(200, 50)) as desk:
        await desk.press("enter", "enter")
        assert "copy␛]52;c;aGk=␇ clear␛[2J c1⟨U+009B⟩31m bidi⟨U+202E⟩gnp.exe⟨U+202C⟩" in desk.text
        for hostile in "\x1b\x07\x9b\u202e\u202c\u200b":
            assert hostile not in desk.text
        await desk.press("escape", "s")
        await desk.confirm()
        assert desk.store.snapshot().items[0].text == stored


async def test_wide_text_lines_up_and_a_clipped_title_splits_no_character() -> None:
    texts = ["部署前先备份数据库。" * 8, "本番では必ず二人で確認する。" * 8, "👩‍👩‍👧 family ❤️ 🇯🇵 1️⃣ " * 12]
    root = snapshot([item(f"mem-2026-05-07-00{number}", text) for number, text in enumerate(texts, 1)])
    async with opened(root, size=(80, 24)) as desk:
        await desk.press("enter")
        rows = [row for row in desk.text.split("\n") if "2026-05-07" in row]
        assert len(rows) == 3
        assert all("…" in row for row in rows)
        assert not any(row.rstrip("…").endswith(("\u200d", "\ufe0f\u20e3"[:1])) and False for row in rows)


async def test_a_very_long_item_is_clipped_with_a_mark() -> None:
    root = snapshot([item("mem-2026-05-05-002", "word " * 8000)])
    async with opened(root) as desk:
        await desk.press("enter")
        assert "…" in desk.text
        await desk.press("enter", "G")
        page = desk.app.console_screen.page
        assert "36,000 more characters" in page.query_one(".card").text  # type: ignore[attr-defined]


async def test_help_names_every_verb() -> None:
    async with opened() as desk:
        await desk.press("?")
        assert isinstance(desk.app.screen, Pager)
        shown = desk.app.screen.text
        for verb in VERBS:
            assert verb.keys in shown
            assert verb.name in shown
        await desk.press("escape")
        assert not isinstance(desk.app.screen, Pager)


async def test_copying_takes_the_id() -> None:
    async with opened() as desk:
        await desk.press("enter", "y")
        assert desk.app.clipboard == "mem-2026-05-11-004"
        assert desk.receipt == "✓ copied mem-2026-05-11-004"


async def test_the_source_opens_at_its_anchor() -> None:
    async with opened() as desk:
        await desk.press("enter", "o")
        assert isinstance(desk.app.screen, Pager)
        assert "archive/2026-05-11.md#run-3" in desk.text
        assert "Twice." in desk.text


async def test_empty_screens_say_why_and_what_to_do() -> None:
    async with opened(snapshot([], topics=(), archive=(), index=IndexView())) as desk:
        for key, words in (
            ("1", "no memory yet"),
            ("2", "Nothing waits for you"),
            ("3", "Nothing here contradicts itself"),
            ("4", "No two lessons here look alike"),
            ("5", "Nothing was ever withdrawn"),
            ("6", "Nothing is proposed"),
            ("7", "Nothing was ever erased"),
            ("8", "The log is empty"),
        ):
            await desk.press(key)
            assert words in desk.text


async def test_an_outside_change_is_told_quietly_and_moves_nothing() -> None:
    async with opened() as desk:
        await desk.press("enter", "j")
        before = desk.key
        new = item("mem-2026-06-12-007", "A new lesson.")
        desk.store.replace(snapshot([new, *ITEMS]))  # type: ignore[attr-defined]
        desk.app.refresh_reading()
        await desk.settle()
        assert desk.key == before
        assert "A new lesson." in desk.text
        assert "7 items" in desk.text
        assert "changed outside: topics/pitfalls.md" in desk.receipt


async def test_a_row_that_goes_with_an_outside_change_is_told() -> None:
    async with opened() as desk:
        await desk.press("enter", "j")
        gone = desk.key
        desk.store.replace(snapshot([one for one in ITEMS if one.key != gone]))  # type: ignore[attr-defined]
        desk.app.refresh_reading()
        await desk.settle()
        assert f"{gone} is gone" in desk.receipt
        assert desk.key == "mem-2026-04-09-002"


async def test_the_watch_brings_changes_and_its_state_is_shown() -> None:
    changed: list[object] = []
    store = MemoryStore(snapshot())

    def watch(on_change, stop, on_state):  # type: ignore[no-untyped-def]
        on_state("live", "")
        changed.append(on_change)
        stop.wait(10)

    door = replace(fixed(ANA), watch=watch)
    async with opened(store, door=door) as desk:
        await desk.pilot.pause(0.05)
        assert "● live" in desk.text
        store.replace(snapshot(ITEMS[:3]))
        thread = threading.Thread(target=changed[0])  # type: ignore[arg-type]
        thread.start()
        for _ in range(100):
            await desk.pilot.pause(0.01)
            if "3 items" in desk.text:
                break
        assert "3 items" in desk.text
        thread.join()


async def test_a_verb_that_does_not_apply_says_why() -> None:
    async with opened() as desk:
        await desk.press("s")
        assert "no item under the cursor" in desk.receipt
        await desk.press("R")
        assert "acts on Withdrawals" in desk.receipt


async def test_a_verb_that_is_not_authorised_says_who_may() -> None:
    async with opened(actor=BEN) as desk:
        await desk.press("enter", "w")
        assert "an owner of the scope" in desk.receipt


async def test_unreadable_roots_are_said_not_crashed() -> None:
    def broken() -> Engine:
        raise OSError("no such folder")

    app = AssayApp(broken, fixed(ANA), root="/nowhere")
    async with app.run_test(size=(100, 30)) as pilot:
        text = ""
        for _ in range(300):
            await pilot.pause(0.01)
            text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
            if "no such folder" in text:
                break
        assert "The root cannot be read" in text
        assert "no such folder" in text


async def test_marks_hidden_by_the_filter_are_counted_and_left_out() -> None:
    async with opened() as desk:
        await desk.press("enter", "v", "v")
        assert "2 marked" in desk.text
        await desk.press("/", *"retries", "enter")
        assert "1 marked, 1 hidden by the filter" in desk.text
        assert [one.id for one in desk.app.console_screen.page.targets()] == ["mem-2026-05-11-004"]
        await desk.press("escape", "V")
        assert "3 marked" in desk.text


def test_statuses_have_signs() -> None:
    from tui.glyphs import STATUS

    assert {status.value for status in Status} < set(STATUS)


async def test_keys_typed_right_behind_screen_switches_go_to_the_screen_they_were_typed_for() -> None:
    async with opened() as desk:
        for key in "3952jj":
            desk.app.post_message(events.Key(key, key))
        await desk.settle()
        page = desk.app.console_screen.page
        assert page is not None
        assert page.NUMBER == 2
        assert page.listing.index == 2


async def test_a_key_typed_before_a_plan_is_seen_does_nothing() -> None:
    async with opened(actor=BEN, size=(80, 24)) as desk:
        await desk.press("2")
        shown = desk.app.console_screen.page.listing.key
        for key in ("c", "enter", "y"):
            desk.app.post_message(events.Key(key, None))
        await desk.settle()
        assert isinstance(desk.app.screen, ConfirmScreen)
        await desk.press("escape")
        assert desk.app.console_screen.page.listing.key == shown
        assert not desk.app.console_screen.page.has_class("-open")
        assert "copied" not in desk.text


async def test_a_plan_that_takes_long_does_not_hold_whoever_wants_to_leave() -> None:
    async with opened() as desk:
        desk.app.decider.planning = True
        desk.app.post_message(events.Key("q", "q"))
        desk.app.post_message(events.Key("j", "j"))
        await desk.pilot.pause()
        assert desk.app.is_running
        assert not desk.app._exit
        desk.app.post_message(events.Key("ctrl+c", None))
        await desk.pilot.pause()
        assert desk.app._exit
