"""Every deciding verb on a root of Markdown files: what the screen says, and the bytes on disk."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.authority import Actor, Role
from core.engine import Engine
from core.requests import Reconcile
from tests.tui.driving import ANA, Desk, opened
from tests.tui.files import BACKUP, FILES, KEY, RETRIES, Root, into, items_of, make
from tui.lines import plain
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Pager
from tui.screens.form import FormScreen
from tui.screens.owners import OwnersScreen


def rows_of(desk: Desk) -> list[str]:
    """The rows of the list, as they stand on the screen."""
    page = desk.app.console_screen.page
    return [plain(page.row(key, 100)) for key in page.listing.keys]


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path, FILES)


@pytest.mark.parametrize(
    ("key", "id", "before", "after"),
    [
        ("s", RETRIES, "  - Status: pending-cleanup\n", "  - Status: stale\n"),
        ("c", RETRIES, "  - Status: pending-cleanup\n", "  - Status: active\n"),
        ("s", BACKUP, "  - Status: active\n", "  - Status: stale\n"),
    ],
)
async def test_a_status_is_changed_in_its_own_bytes(root: Root, key: str, id: str, before: str, after: str) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, id)
        await desk.press(key)
        await desk.confirm()
        head, _, tail = old.replace("last_updated: 2026-05-11", "last_updated: 2026-06-12").partition(f"id: {id}\n")
        assert root.text("topics/deploy.md") == f"{head}id: {id}\n{tail.replace(before, after, 1)}"
        assert "memlog-2026-06-12-001" in root.text("log.md")
        assert "✓" in desk.receipt


async def test_one_item_is_marked_pending_without_a_question_and_u_shows_its_plan_first(root: Root) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("p")
        assert not isinstance(desk.app.screen, ConfirmScreen)
        assert root.text("topics/deploy.md").count("Status: pending-cleanup") == 2
        assert "u undoes" in desk.receipt
        assert BACKUP in root.text("index.md")
        await desk.press("u")
        assert "Undo: 1 item pending-cleanup" in desk.text
        await desk.press("escape")
        assert root.text("topics/deploy.md").count("Status: pending-cleanup") == 2, "seen, and left alone"
        await desk.press("u")
        await desk.confirm()
        assert items_of(root.text("topics/deploy.md")) == items_of(old)
        assert "✓ undone: 1 item pending-cleanup   " in desk.receipt
        assert "memlog-2026-06-12-002" in desk.receipt
        assert "— undone: 1 item pending-cleanup (memlog-2026-06-12-001)\n" in root.text("log.md")
        await desk.press("u")
        assert "nothing to undo" in desk.text


async def test_undo_says_that_it_passes_over_what_cannot_be_undone(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, RETRIES)
        await desk.press("s")
        await desk.confirm()
        await into(desk, BACKUP)
        await desk.press("w", "enter", "enter")
        await desk.confirm()
        await desk.press("u")
        assert "Undo: 1 item stale" in desk.text
        assert "! Decided since: memwd-2026-06-12-001 (withdraw). That cannot be undone" in desk.text


async def test_undo_of_a_human_decision_asks(root: Root) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("s")
        await desk.confirm()
        await desk.press("u")
        await desk.confirm()
        assert items_of(root.text("topics/deploy.md")) == items_of(old)


async def test_after_an_undo_the_cursor_is_on_what_came_back_and_the_queue_is_as_it_was(root: Root) -> None:
    async with opened(root.store, door=root.door(), now=datetime(2026, 6, 12, 10, tzinfo=UTC)) as desk:
        await desk.press("2", "g")
        before, key = rows_of(desk), desk.key
        assert "32 d" in before[0]
        for decision in ("s", "c"):
            await desk.press("g", decision)
            await desk.confirm()
            assert desk.key != key
            await desk.press("u")
            await desk.confirm()
            assert desk.key == key
            assert rows_of(desk) == before
        await desk.press("1", "escape")
        await into(desk, RETRIES)
        await desk.press("s")
        await desk.confirm()
        assert desk.key == BACKUP
        await desk.press("u")
        await desk.confirm()
        assert desk.key == RETRIES


async def test_an_undo_leaves_the_cursor_where_the_list_does_not_show_what_came_back(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("s")
        await desk.confirm()
        await desk.press("3")
        key = desk.key
        await desk.press("u")
        await desk.confirm()
        assert desk.status(BACKUP) == "active"
        assert desk.key == key


async def test_a_decision_on_marks_is_one_event(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, RETRIES)
        await desk.press("v", "v", "s")
        assert "Mark 2 items stale" in desk.text
        await desk.confirm()
        assert root.text("topics/deploy.md").count("Status: stale") == 2
        assert root.text("log.md").count("memlog-") == 1
        assert "marked" not in desk.text


async def test_d_then_a_key_shows_the_diff_and_writes_nothing(root: Root) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("d")
        assert "s stale" in desk.receipt
        await desk.press("s")
        assert isinstance(desk.app.screen, Pager)
        assert "+   - Status: stale" in desk.text
        assert "log.md" in desk.text
        await desk.press("escape")
        assert root.text("topics/deploy.md") == old
        await desk.press("d", "escape", "s")
        assert isinstance(desk.app.screen, ConfirmScreen)


async def test_repair_asks_only_for_what_is_missing_with_knowledge_preselected(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, KEY)
        await desk.press("r")
        assert isinstance(desk.app.screen, FormScreen)
        assert "(•) knowledge" in desk.text
        assert "subject" not in desk.text.split("Repair")[1].split("Cancel")[0]
        await desk.press("enter", *"ops handbook", "enter")
        await desk.confirm()
        text = root.text("topics/deploy.md")
        assert "  - kind: knowledge\n" in text.split(KEY)[1]
        assert "Source: ops handbook\n" in text.split(KEY)[1]


async def test_what_an_item_lacks_is_one_row_of_the_review_and_one_repair_of_it(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("2", "g", "j")
        assert desk.text.count("The staging key") == 2, "its row and its card"
        assert "missing kind, source  The staging key" in desk.text
        assert "It lacks kind and Source." in desk.text
        await desk.press("r", "enter", *"ops handbook", "enter")
        await desk.confirm()
        assert "The staging key" not in desk.text
        assert "  - kind: knowledge\n" in root.text("topics/deploy.md").split(KEY)[1]
        assert "Source: ops handbook\n" in root.text("topics/deploy.md").split(KEY)[1]


async def test_repair_as_state_asks_for_the_subject(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, KEY)
        await desk.press("r", "right")
        assert "subject" in desk.text
        await desk.press("enter", "enter", *"ops handbook", "enter")
        assert isinstance(desk.app.screen, FormScreen)
        assert "subject: the stable key" in desk.text
        await desk.press(*"staging:key", "enter", "enter")
        await desk.confirm()
        assert "  - subject: staging:key\n" in root.text("topics/deploy.md")


async def test_a_form_can_be_left_without_a_trace(root: Root) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, KEY)
        await desk.press("r", "escape")
        assert not isinstance(desk.app.screen, FormScreen)
        assert root.text("topics/deploy.md") == old


@pytest.mark.parametrize(("key", "loser"), [(">", "topics/net.md"), ("<", "memory.md")])
async def test_a_conflict_is_settled_on_evidence(root: Root, key: str, loser: str) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("3")
        assert "Port is 8080." in desk.text
        assert "Port is 9090." in desk.text
        assert "suggested" in desk.text
        await desk.press(key)
        assert isinstance(desk.app.screen, FormScreen)
        await desk.press("enter")
        await desk.confirm()
        assert "superseded" in root.text(loser)
        assert "Nothing here contradicts itself" in desk.text


async def test_on_a_narrow_terminal_the_suggestion_is_whole(root: Root) -> None:
    async with opened(root.store, door=root.door(), size=(80, 24)) as desk:
        await desk.press("3", "enter")
        assert "suggested as current" in desk.text


async def test_both_rows_may_stay(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("3", "b", "enter")
        await desk.confirm()
        assert "conflicts_with" in root.text("topics/net.md")
        assert "acknowledged, both stay" in desk.text
        await desk.press("b")
        assert "Both stay already." in desk.receipt


async def test_all_rows_may_be_marked_pending(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("3", "p", "enter")
        await desk.confirm()
        assert "Status: pending-cleanup" in root.text("topics/net.md")
        rows = "mem-2026-05-11-009", "mem-2026-06-03-001"
        (event,) = map(json.loads, root.text("log/2026-06.jsonl").splitlines())
        assert event["type"] == "pending-cleanup"
        assert event["detail"]["refuted_by"] == list(rows)
        assert "refuted state           app:port" in desk.text
        assert "Port is 8080." in desk.text
        assert "Port is 9090." in desk.text
        await desk.press(">", "enter")
        await desk.confirm()
        assert desk.status(rows[0]) == "superseded"
        assert desk.status(rows[1]) == "active"
        assert "Nothing here contradicts itself." in desk.text


async def test_pending_knowledge_stands_beside_what_refutes_it(root: Root) -> None:
    engine = Engine(root.store, clock=lambda: datetime(2026, 6, 12, 9, tzinfo=UTC))
    plan = engine.plan(Reconcile((RETRIES, BACKUP), "incident 7", pend=True), ANA)
    assert plan.title == "Mark 1 row pending-cleanup"
    engine.commit(plan, engine.decide(plan, ANA))
    (event,) = map(json.loads, root.text("log/2026-06.jsonl").splitlines())
    assert event["detail"]["refuted_by"] == [RETRIES, BACKUP]
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("3", "j")
        assert f"{BACKUP} waits for review: {RETRIES} seems to refute it." in desk.text
        assert "Retries hide timeouts" in desk.text
        assert "部署前先备份数据库" in desk.text
        await desk.press("2", "u")
        await desk.confirm()
        await desk.press("3")
        assert "refuted" not in desk.text


async def test_withdrawing_hides_the_text_everywhere_but_on_screen_five(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("w")
        assert BACKUP in desk.text
        await desk.press("enter", "enter")
        await desk.confirm()
        assert "部署前先备份数据库" not in root.text("topics/deploy.md")
        assert "memwd-2026-06-12-001" in root.text("log.md")
        for screen in ("1", "2", "3", "9", "5"):
            await desk.press(screen)
            assert "部署前先备份数据库" not in desk.text
        await desk.press("g", "enter")
        assert "部署前先备份数据库。" in desk.text
        await desk.press("escape", "escape")
        assert "部署前先备份数据库" not in desk.text


async def test_reinstating_puts_the_text_back_where_it_stood(root: Root) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("w", "enter", "enter")
        await desk.confirm()
        await desk.press("5", "R", "enter")
        await desk.confirm()
        assert "部署前先备份数据库。" in root.text("topics/deploy.md")
        assert root.text("topics/deploy.md").split("## Facts")[1].count("\n- [") == old.split("## Facts")[1].count(
            "\n- ["
        )
        assert "reinstates" in desk.text
        await desk.press("R")
        assert "no controlling withdrawal" in desk.receipt


async def test_a_typed_scope_is_withdrawn_from_screen_five(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("5", "w", *"archive/2026-05-11.md#run-3", "enter", "enter")
        assert isinstance(desk.app.screen, ConfirmScreen)
        await desk.confirm()
        assert "archive/2026-05-11.md#run-3" in root.text("log.md")
        assert "excludes 3 items now" in desk.text


async def test_events_without_one_order_are_settled(tmp_path: Path) -> None:
    def record(number: int, action: str, effect: str, supersedes: str = "") -> str:
        return f"""\
- [2026-06-0{number}T10:00:00+00:00] {action} (memlog-2026-06-0{number}-001) by owner:ana — memwd-2026-06-0{number}-001
  ```yaml
  withdrawal_id: memwd-2026-06-0{number}-001
  record_type: withdrawal-control-v1
  action: {action}
  scope:
    memory_item_ids: [{BACKUP}]
  reason: failed-exploration
  decided_by: owner:ana
  decided_at: 2026-06-0{number}T10:00:00+00:00
  effect: {effect}
{supersedes}  ```
"""

    log = (
        "# Log\n\n"
        + record(1, "withdraw", "exclude-from-influence")
        + record(2, "reinstate", "restore-eligibility", "  supersedes: memwd-2026-06-01-001\n")
        + record(3, "withdraw", "exclude-from-influence")
    )
    root = make(tmp_path, lambda files: files.update({"log.md": log}))
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("3", "G")
        assert "memwd-2026-06-01-001 and 2 more" in desk.text
        assert "3 events" in desk.text
        assert "settle them on 5 Withdrawals" in desk.text
        await desk.press("5")
        assert "1 unresolved" in desk.text
        await desk.press("R")
        assert "settle it with S" in desk.receipt
        await desk.press("S", "right", "enter", "enter")
        await desk.confirm()
        assert "memwd-2026-06-12-001" in root.text("log.md")
        assert "unresolved" not in desk.text.split(" excluded")[0]
        assert root.store.snapshot().by_id[BACKUP]


async def test_a_root_without_owners_names_one_first(tmp_path: Path) -> None:
    def without(files: dict[str, str]) -> None:
        files["assay.toml"] = files["assay.toml"].split("[[owners]]")[0]

    root = make(tmp_path, without, confirmed=False)
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("w")
        assert "no owner yet" in desk.text
        await desk.press("enter")
        assert "Name ana an owner of *" in desk.text
        await desk.confirm()
        assert 'name = "ana"' in root.text("assay.toml")
        assert desk.app.actor == ANA
        assert isinstance(desk.app.screen, FormScreen), desk.text
        await desk.press("enter", "enter")
        await desk.confirm()
        assert "memwd-2026-06-12-001" in root.text("log.md")


async def test_declared_owners_are_shown_and_confirmed_first(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None, confirmed=False)
    async with opened(root.store, door=root.door()) as desk:
        assert "owner of" not in desk.text
        await into(desk, BACKUP)
        await desk.press("w")
        assert isinstance(desk.app.screen, OwnersScreen)
        assert "ana   owns *" in desk.text
        await desk.armed()
        await desk.press("enter")
        assert root.store.snapshot().binding.owners_state == "unconfirmed"
        await desk.press("w")
        await desk.armed()
        await desk.press("y")
        assert root.store.snapshot().binding.owners_state == "confirmed"
        assert isinstance(desk.app.screen, FormScreen)
        assert desk.app.actor == ANA
        assert desk.receipt == "✓ owners confirmed on this machine: ana"


async def test_two_items_of_one_id_are_parted(tmp_path: Path) -> None:
    def twice(files: dict[str, str]) -> None:
        files["topics/net.md"] = files["topics/net.md"].replace("mem-2026-05-11-009", BACKUP)

    root = make(tmp_path, twice)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("3")
        while "fresh id" not in desk.text:
            await desk.press("j")
        await desk.press("r", "enter")
        await desk.confirm()
        ids = [one.id for one in root.store.snapshot().items]
        assert len(set(ids)) == len(ids)


async def test_review_goes_on_to_the_next_entry(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("2")
        first = desk.key
        await desk.press("j")
        second = desk.key
        await desk.press("k", "c")
        await desk.confirm()
        assert first not in desk.app.console_screen.page.listing.keys
        assert desk.key == second


async def test_an_edit_of_the_item_meanwhile_shows_the_plan_anew(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("s")
        topic = root.path / "topics/deploy.md"
        topic.write_text(root.text("topics/deploy.md").replace("备份数据库", "备份整个数据库"), encoding="utf-8")
        await desk.confirm()
        assert isinstance(desk.app.screen, ConfirmScreen)
        assert "备份整个数据库" in desk.text
        await desk.confirm()
        text = root.text("topics/deploy.md")
        assert "备份整个数据库" in text
        assert "Status: stale" in text


async def test_an_edit_elsewhere_meanwhile_is_carried_along(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("s")
        topic = root.path / "topics/deploy.md"
        topic.write_text(root.text("topics/deploy.md").replace("Retries hide", "Retries often hide"), encoding="utf-8")
        await desk.confirm()
        text = root.text("topics/deploy.md")
        assert "Retries often hide" in text
        assert "Status: stale" in text


async def test_an_agent_at_the_door_may_only_look(root: Root) -> None:
    old = root.text("topics/deploy.md")
    async with opened(root.store, actor=Actor(Role.AGENT, "bot")) as desk:
        await into(desk, BACKUP)
        for key in ("s", "c", "r", "w"):
            await desk.press(key)
            assert "may not" in desk.receipt
        assert root.text("topics/deploy.md") == old


async def test_a_damaged_file_refuses_and_says_why(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None)
    topic = root.path / "topics/deploy.md"
    topic.write_bytes(topic.read_bytes() + b"- cut \xe4\xb8\n")
    before = topic.read_bytes()
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("s")
        assert "not written" in desk.text or "no UTF-8" in desk.text
        assert topic.read_bytes() == before


async def test_an_outside_change_is_on_the_screen_within_a_second_and_moves_nothing(root: Root) -> None:
    from stores.markdown.watch import watch

    def watched(on_change, stop, on_state):  # type: ignore[no-untyped-def]
        watch(str(root.path), on_change, stop, on_state=on_state)

    door = replace(root.door(), watch=watched)
    async with opened(root.store, door=door) as desk:
        await into(desk, BACKUP)
        for _ in range(300):
            await desk.pilot.pause(0.01)
            if desk.app.watch_state[0] == "live":
                break
        assert "● live" in desk.text
        begun = time.monotonic()
        with (root.path / "memory.md").open("a", encoding="utf-8") as inbox:
            inbox.write("- [2026-06-04] [mem-2026-06-04-001] (knowledge) Drain first. Source: retro.\n")
        while "6 items" not in desk.text and time.monotonic() - begun < 5:
            await desk.pilot.pause(0.01)
        assert "6 items" in desk.text
        assert time.monotonic() - begun < 5  # a second on a machine that has nothing else to do
        await desk.settle()
        assert desk.key == BACKUP
        assert "changed outside: memory.md" in desk.receipt
