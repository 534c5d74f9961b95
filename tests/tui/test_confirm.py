"""The confirmation's guard rails: only a key pressed after the plan was in view confirms it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual._time import get_time

from core.authority import Tier
from core.engine import Engine
from core.errors import RootBusy
from core.plan import Plan
from core.vocabulary import Status
from stores.markdown import MarkdownStore
from tests.tui.driving import BEN, ITEMS, Desk, item, opened, snapshot
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Choice

PENDING = "mem-2026-05-11-004"


def topic(number: int) -> str:
    """A topic with one item that waits."""
    day = f"2026-05-{10 + number}"
    return (
        f"---\ntitle: T{number}\nlayer: warm\ntriggers:\n  - t\n---\n# T{number}\n\n## Facts and lessons\n\n"
        f"- [{day}] (knowledge) Lesson {number}.\n  - id: mem-{day}-001\n  - kind: knowledge\n"
        f"  - Status: pending-cleanup\n  - Source: user, {day}\n"
    )


def store_of(folder: Path, files: dict[str, str]) -> MarkdownStore:
    """A Markdown root of these files."""
    binding = '[binding]\nid = "t"\nprotocol = "memory"\nversion = "0.2.0"\nlevel = "memory:L4"\ntimezone = "UTC"\n'
    for name, text in {"assay.toml": binding, "index.md": "# Index\n", "memory.md": "# Inbox\n", **files}.items():
        path = folder / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return MarkdownStore(str(folder / "memory"))


async def ask_stale(desk: Desk) -> None:
    """Open the plan that marks the first item of the first topic stale."""
    await desk.press("enter", "s")
    assert isinstance(desk.app.screen, ConfirmScreen)


def still(desk: Desk) -> bool:
    """Whether the plan stands there unconfirmed, and nothing was written."""
    return isinstance(desk.app.screen, ConfirmScreen) and desk.status(PENDING) == "pending-cleanup"


async def test_the_plan_says_what_where_who_and_how_to_undo_with_cancel_focused() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        text = desk.text
        assert "Mark 1 item stale" in text
        assert "◌ pending → ◐ stale" in text
        assert "topics/pitfalls.md" in text
        assert "- Status: pending-cleanup" in text
        assert "+ Status: stale" in text
        assert "Decided by ana, owner of *." in text
        assert "Can be undone with u." in text
        focused = desk.app.screen.focused
        assert isinstance(focused, Choice)
        assert focused.id == "cancel"


async def test_y_confirms_and_the_receipt_stays_until_the_next_key() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.confirm()
        assert desk.status(PENDING) == "stale"
        assert "✓ 1 item stale" in desk.receipt
        assert "memlog-2026-06-12-001" in desk.receipt
        assert "u undoes" in desk.receipt
        assert desk.key == "mem-2026-04-02-001"
        await desk.press("j")
        assert desk.receipt == ""


@pytest.mark.parametrize("key", ["enter", "escape", "q", "s", "c", "space", "1", "ctrl+p", "n", "tab"])
async def test_no_other_key_confirms(key: str) -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.armed()
        await desk.press(key)
        assert desk.status(PENDING) == "pending-cleanup"
        if isinstance(desk.app.screen, ConfirmScreen):
            await desk.press("enter") if key == "tab" else await desk.press("escape")
        assert desk.status(PENDING) == "pending-cleanup"


async def test_cancelling_says_that_nothing_was_written() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.armed()
        await desk.press("enter")
        assert not isinstance(desk.app.screen, ConfirmScreen)
        assert "nothing was written" in desk.receipt


async def test_keys_typed_before_the_plan_opened_confirm_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConfirmScreen, "GUARD", 0.25)
    async with opened() as desk:
        before = get_time()
        await ask_stale(desk)
        for key in ("y", "y", "enter"):
            desk.send(key, at=before)
        await desk.settle()
        assert still(desk)
        await asyncio.sleep(0.3)  # a key that waited in the queue is as old as it is
        desk.send("y", at=before)
        await desk.settle()
        assert still(desk)


async def test_keys_in_the_first_moment_confirm_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConfirmScreen, "GUARD", 0.25)
    async with opened() as desk:
        begun = get_time()
        await ask_stale(desk)
        screen = desk.app.screen
        assert isinstance(screen, ConfirmScreen)
        opens = screen._open_at
        assert opens - begun >= 0.25
        for key in ("y", "Y", "enter"):
            desk.send(key, at=opens - 0.01)
        await desk.settle()
        assert still(desk)
        desk.send("y", at=opens + 0.01)
        await desk.settle()
        assert desk.status(PENDING) == "stale"


async def test_a_paste_confirms_nothing() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.armed()
        for text in ("y", "y\n", "\n\n\n", "\r\n"):
            desk.app.post_message(events.Paste(text))
            await desk.settle()
        assert still(desk)


async def test_the_palette_does_not_open_above_it() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.armed()
        await desk.press("ctrl+p")
        assert still(desk)
        assert len(desk.app.screen_stack) == 2


async def test_pressing_the_triggering_key_twice_asks_once() -> None:
    async with opened() as desk:
        await desk.press("enter")
        desk.send("s")
        desk.send("s")
        await desk.settle()
        assert len(desk.app.screen_stack) == 2
        assert still(desk)


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (200, 50)])
async def test_it_can_be_resized_and_keeps_its_choices_in_view(size: tuple[int, int]) -> None:
    many = [item(f"mem-2026-05-02-{number:03}", f"Lesson {number}.") for number in range(1, 60)]
    async with opened(snapshot(many)) as desk:
        await desk.press("enter", "V", "s")
        await desk.resize(*size)
        assert "[ Cancel ]" in desk.text
        assert "Mark stale" in desk.text
        assert "Decided by ana" in desk.text
        await desk.confirm()
        assert desk.status("mem-2026-05-02-059") == "stale"


async def test_a_bulk_decision_lists_what_it_leaves_out_and_why() -> None:
    async with opened(actor=BEN) as desk:
        await desk.press("enter", "V", "s")
        assert "Left out: 1" in desk.text
        assert "mem-2026-04-09-002" in desk.text
        await desk.confirm()
        assert desk.status("mem-2026-04-02-001") == "stale"
        assert "1 left out" in desk.receipt


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_what_is_not_shown_is_said_where_it_stays_in_view_and_d_goes_there_and_back(
    size: tuple[int, int], tmp_path: Path
) -> None:
    files = {f"topics/t{number}.md": topic(number) for number in range(6)}
    async with opened(store_of(tmp_path, files), actor=BEN, size=size) as desk:
        await desk.press("2", "V", "s")
        await desk.armed()
        before = desk.text
        said = re.search(r"… (\d+) more files, (\d+) lines: .*d shows them", before)
        assert said is not None, before
        previews = desk.app.screen.plan.previews
        assert int(said[1]) == len(previews) - 3
        assert "topics/t4.md" not in before.replace(said[0], "")
        for key in ("j", "G", "g"):
            await desk.press(key)
            assert said[0].partition(":")[0] in desk.text, "it is pinned"
        await desk.press("d")
        assert "topics/t3.md" in desk.text, "what was revealed is in view"
        assert "the whole diff" in desk.text
        await desk.press("G")
        assert "↓" not in desk.text
        await desk.press("d")
        assert desk.text == before, "and back to where one was"


async def test_how_much_is_below_is_said(tmp_path: Path) -> None:
    async with opened(
        store_of(tmp_path, {f"topics/t{n}.md": topic(n) for n in range(6)}), actor=BEN, size=(80, 24)
    ) as desk:
        await desk.press("2", "V", "s")
        await desk.armed()
        below = re.search(r"↓ (\d+) more lines", desk.text)
        assert below is not None
        await desk.press("j")
        assert f"↓ {int(below[1]) - 1} more lines" in desk.text
        await desk.press("G")
        assert "↓" not in desk.text


async def test_a_plan_that_changed_is_shown_anew_with_what_changed_and_asks_again() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        other = [
            replace(one, text="Retries hide time-outs.", digest="new") if one.id == PENDING else one for one in ITEMS
        ]
        desk.store.replace(snapshot(other))  # type: ignore[attr-defined]
        await desk.confirm()
        assert still(desk)
        assert "changed by somebody else" in desk.text
        assert "Retries hide time-outs." in desk.text
        assert desk.app.screen.focused is not None
        assert desk.app.screen.focused.id == "cancel"
        await desk.confirm()
        assert desk.status(PENDING) == "stale"


async def test_a_busy_root_is_said_and_can_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    commit = Engine.commit
    tries: list[Plan] = []

    def busy(engine: Engine, plan: Plan, decision: Any = None) -> Any:
        tries.append(plan)
        if len(tries) == 1:
            raise RootBusy("agent:bot is writing since 10:00.", where="platform/memory", remedy="Try again.")
        return commit(engine, plan, decision)

    monkeypatch.setattr(Engine, "commit", busy)
    async with opened() as desk:
        await ask_stale(desk)
        await desk.confirm()
        assert "agent:bot is writing since 10:00." in desk.text
        assert "Try again." in desk.text
        await desk.confirm()
        assert desk.status(PENDING) == "stale"


async def test_an_error_is_read_whole_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    where = "platform/memory/topics/a-topic-with-a-name-that-is-longer-than-most/and-a-folder/of-its-own/page.md"
    remedy = (
        "Wait until agent:nightly-distillation-of-the-platform-team is done, or end it, and then confirm again here."
    )

    def busy(engine: Engine, plan: Plan, decision: Any = None) -> Any:
        raise RootBusy("A".rjust(90, "a") + " is writing since 10:00.", where=where, remedy=remedy)

    monkeypatch.setattr(Engine, "commit", busy)
    async with opened(size=(80, 24)) as desk:
        await ask_stale(desk)
        await desk.confirm()
        said = "".join(row.strip(" │┃▌▐█▁▔") for row in desk.text.splitlines())
        assert where in said
        assert remedy.replace(" ", "") in said.replace(" ", "")
        assert "is writing since 10:00." in said


async def test_a_commit_that_fails_leaves_only_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(engine: Engine, plan: Plan, decision: Any = None) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Engine, "commit", full)
    async with opened() as desk:
        await ask_stale(desk)
        await desk.confirm()
        assert "No space left on device" in desk.text
        await desk.armed()
        await desk.press("y")
        assert still(desk)
        await desk.press("escape")
        assert desk.app.is_running


@pytest.fixture
def irreversible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans as an irreversible action makes them."""
    plan = Engine.plan

    def with_phrase(engine: Engine, *args: Any, **options: Any) -> Plan:
        made = plan(engine, *args, **options)
        return replace(
            made, tier=Tier.PHRASE, phrase="erase mem-1", undo="It cannot be undone.", warnings=("It is lost.",)
        )

    monkeypatch.setattr(Engine, "plan", with_phrase)


@pytest.mark.usefixtures("irreversible")
async def test_an_irreversible_plan_wants_its_phrase_typed() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.armed()
        assert "It is lost." in desk.text
        await desk.press("y", "Y")
        assert still(desk)
        await desk.press("shift+tab", *"erase mem", "enter")
        assert still(desk)
        await desk.press(*"-1", "enter")
        assert desk.status(PENDING) == "stale"


@pytest.mark.usefixtures("irreversible")
async def test_the_phrase_cannot_be_pasted() -> None:
    async with opened() as desk:
        await ask_stale(desk)
        await desk.armed()
        await desk.press("shift+tab")
        desk.app.post_message(events.Paste("erase mem-1\n"))
        await desk.settle()
        await desk.press("enter")
        assert desk.status(PENDING) == "pending-cleanup"


async def test_excluded_text_is_withheld_in_plan_and_diff() -> None:
    from core.controls import ControlRecord, Scope

    record = ControlRecord(
        "memwd-2026-06-01-001",
        "withdraw",
        Scope(frozenset({"mem-2026-04-02-001"})),
        "owner-decision",
        "owner:ana",
        "2026-06-01T10:00:00+00:00",
        "exclude-from-influence",
    )
    async with opened(snapshot(controls=(record,))) as desk:
        await desk.press("enter")
        assert "合并之前先等待确认信号" not in desk.text
        await desk.press("s", "d")
        assert "合并之前先等待确认信号" not in desk.text
        assert Status.STALE in desk.text
