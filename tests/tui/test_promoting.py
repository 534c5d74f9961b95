"""Screens 6, 7 and 8 on a root of Markdown files: proposals decided, erasures and the log read."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from core.authority import Actor, Role
from tests.tui.driving import opened
from tests.tui.files import BACKUP, RETRIES, Root, into, make
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Pager
from tui.screens.form import FormScreen
from tui.screens.owners import OwnersScreen
from tui.widgets.text_pane import TextPane

PROPOSAL = "mempolicy-2026-06-01-001"
FILE = f"proposals/{PROPOSAL}.md"
RULE = "Back up the database before each deploy."


def proposal(refs: str, rule: str = RULE, status: str = "pending-review") -> str:
    """A proposal's file."""
    return (
        f"```yaml\nproposal_id: {PROPOSAL}\ntarget: conventions.md\nproposed_change: {json.dumps(rule)}\n"
        f"supporting_refs: [{refs}]\nexpected_benefit: no lost data\nrisk: slower deploys\nstatus: {status}\n```\n"
    )


def proposed(tmp_path: Path, refs: str = f"{RETRIES}, {BACKUP}", *, confirmed: bool = True) -> Root:
    """The root with one proposal."""
    return make(tmp_path, lambda files: files.update({FILE: proposal(refs)}), confirmed=confirmed)


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Name an editor: a small program that gets the path as `path`."""
    script = folder / "editor"
    script.write_text(f"#!{sys.executable}\nimport sys\npath = sys.argv[1]\n{program}\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", str(script))


async def test_evidence_and_authority_stand_apart_and_each_reference_is_looked_up(tmp_path: Path) -> None:
    root = proposed(tmp_path, f"{RETRIES}, mem-2026-01-01-001")
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6")
        assert "6 Proposals      1" in desk.text
        assert f"✓ {RETRIES}" in desk.text
        assert "✗ mem-2026-01-01-001" in desk.text
        assert "not eligible: 1 of 2 references stand" in " ".join(desk.text.split())
        assert "ana may decide" in desk.text
        assert f"+ - {RULE}" in desk.text


async def test_approving_writes_the_rule_and_the_decision(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "a")
        assert isinstance(desk.app.screen, ConfirmScreen)
        assert "conventions.md" in desk.text
        await desk.confirm()
        assert RULE in root.text("conventions.md")
        assert PROPOSAL in root.text("conventions.md")
        text = root.text(FILE)
        assert "status: approved\n" in text
        assert "decided_by: owner:ana\n" in text
        assert "6 Proposals      0" in desk.text
        await desk.press("a")
        assert "It is approved, and waits for nothing" in desk.receipt


async def test_d_shows_the_diff_of_an_approval_and_writes_nothing(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "d", "a")
        assert "nothing is written" in desk.text
        assert isinstance(desk.app.screen, Pager)
        assert f"+ - {RULE}" in desk.app.screen.text
        assert not (root.path / "conventions.md").exists()


async def test_without_an_editor_the_rule_is_edited_in_a_field(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "e")
        assert isinstance(desk.app.screen, FormScreen)
        assert RULE in desk.text
        await desk.press("ctrl+u", *"Back up first.", "enter")
        await desk.confirm()
        assert "Back up first." in root.text("conventions.md")
        assert RULE not in root.text("conventions.md")
        assert "approved_text: Back up first.\n" in root.text(FILE)


async def test_with_an_editor_the_rule_is_edited_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(
        tmp_path,
        monkeypatch,
        "text = open(path).read()\nopen(path, 'w').write(text.replace('each deploy', 'every deploy'))",
    )
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "e")
        assert isinstance(desk.app.screen, ConfirmScreen), desk.text
        await desk.confirm()
        assert "Back up the database before every deploy." in root.text("conventions.md")


@pytest.mark.parametrize(
    ("program", "said"),
    [("sys.exit(3)", "ended with status 3"), ("open(path, 'w').close()", "cancelled; nothing was written")],
)
async def test_an_editor_that_fails_or_leaves_nothing_cancels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    editor(tmp_path, monkeypatch, program)
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "e")
        assert said in desk.receipt
        assert root.text(FILE) == proposal(f"{RETRIES}, {BACKUP}")


async def test_an_editor_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", str(tmp_path / "no such editor").replace(" ", "-"))
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "e")
        assert "nothing was written" in desk.receipt


async def test_rejecting_asks_why_and_keeps_the_reason(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "x", "enter")
        assert "reason: one line" in desk.text
        await desk.press(*"one graph is no rule", "enter")
        await desk.confirm()
        text = root.text(FILE)
        assert "status: rejected\n" in text
        assert "reason: one graph is no rule\n" in text
        assert not (root.path / "conventions.md").exists()
        assert "rejected" in desk.text


async def test_a_human_who_is_no_owner_may_not_decide(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, actor=Actor(Role.HUMAN, "ben")) as desk:
        await desk.press("6")
        for key in ("a", "e", "x"):
            await desk.press(key)
            assert "may not" in desk.receipt
        assert root.text(FILE) == proposal(f"{RETRIES}, {BACKUP}")


async def test_owners_that_nobody_confirmed_are_confirmed_first(tmp_path: Path) -> None:
    root = proposed(tmp_path, confirmed=False)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "a")
        assert isinstance(desk.app.screen, OwnersScreen)
        await desk.press("escape")
        assert root.text(FILE) == proposal(f"{RETRIES}, {BACKUP}")


async def test_what_rests_on_a_withdrawn_lesson_is_not_approved(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("w", "enter", "enter")
        await desk.confirm()
        await desk.press("6")
        assert f"✗ {BACKUP}" in desk.text
        await desk.press("a")
        assert "rests on what is withdrawn" in " ".join(desk.text.split())
        assert not (root.path / "conventions.md").exists()


async def test_a_reference_that_does_not_resolve_is_warned_of(tmp_path: Path) -> None:
    root = proposed(tmp_path, f"{RETRIES}, mem-2026-01-01-001")
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "a")
        assert "mem-2026-01-01-001 does not resolve" in desk.text
        assert "One incident is no stable rule" in desk.text


async def test_a_target_that_changed_meanwhile_shows_the_plan_anew(tmp_path: Path) -> None:
    root = proposed(tmp_path)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6", "a")
        (root.path / "conventions.md").write_text("# Conventions\n\n- Ask first.\n", encoding="utf-8")
        await desk.confirm()
        assert isinstance(desk.app.screen, ConfirmScreen), desk.text
        assert "changed" in desk.text
        assert RULE not in root.text("conventions.md")
        await desk.confirm()
        assert root.text("conventions.md").startswith("# Conventions\n\n- Ask first.\n")
        assert RULE in root.text("conventions.md")


async def test_hostile_words_of_a_proposal_are_drawn(tmp_path: Path) -> None:
    hostile = "[red]Never[/red] \\e[2J \u202erule [/close]"
    root = make(tmp_path, lambda files: files.update({FILE: proposal(RETRIES, hostile, "decided [bold]")}))
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("6")
        assert "[red]Never[/red]" in desk.text
        assert "decided [bold]" in desk.text
        assert "\u202e" not in desk.text
        await desk.press("a")
        assert "It is decided [bold]" in desk.receipt


# --- the log


async def test_the_log_names_each_event_and_marks_what_was_undone(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None)
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("p", "u")
        await desk.confirm()
        await into(desk, RETRIES)
        await desk.press("s")
        await desk.confirm()
        await desk.press("8")
        assert "8 Log            3" in desk.text
        rows = [row.partition("│")[2].partition("│")[0] for row in desk.text.split("\n")]
        assert ["undone  " in row for row in rows if "2026-06-12 10:00" in row] == [False, False, True]
        assert ["undone: 1 item" in row for row in rows if "2026-06-12 10:00" in row] == [False, True, False]
        assert "Status: pending-cleanup → stale" in desk.text
        assert "owner:ana" in desk.text


async def test_the_log_is_filtered_by_actor_and_by_item(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        lambda files: files.update(
            {
                "log.md": "# Log\n\n- [2026-06-11T10:00:00+00:00] archive (memlog-2026-06-11-001) by scheduler:cron — "
                "1 item archived\n"
            }
        ),
    )
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("p")
        await into(desk, RETRIES)
        await desk.press("s")
        await desk.confirm()
        await desk.press("8", "/", *"cron", "enter")
        assert "1 of 3" in desk.text
        assert "1 item archived" in desk.text
        await desk.press("escape", "/", *BACKUP, "enter")
        assert "1 of 3" in desk.text
        await desk.press("enter")
        assert desk.app.console_screen.current == 1
        assert desk.key == BACKUP


async def test_enter_on_a_withdrawal_goes_to_its_chain(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: None)
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("w", "enter", "enter")
        await desk.confirm()
        await desk.press("8")
        assert "部署前先备份数据库" not in desk.text
        await desk.press("enter")
        assert desk.app.console_screen.current == 5
        assert "memwd-2026-06-12-001" in desk.text


async def test_a_line_that_no_engine_wrote_stands_in_the_log_as_text(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        lambda files: files.update(
            {"log.md": "- [2026-06-11T10:00:00+00:00] [red]archive[/red] by x — \u202e[/close]\n- by hand\n"}
        ),
    )
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("8")
        assert "\u202e" not in desk.text
        await desk.press("j")
        card = desk.app.console_screen.page.query_one(".card", TextPane)
        assert "[red]archive[/red] by x — ⟨U+202E⟩[/close]" in " ".join(card.text.split())
        await desk.press("enter", "escape")
        assert desk.app.is_running


# --- erasures

TOMBSTONE = """\
- [2026-06-10T09:00:00+00:00] erase (memlog-2026-06-10-001) by owner:ana — memerase-2026-06-10-001
  ```yaml
  erasure_id: memerase-2026-06-10-001
  record_type: erasure-tombstone-v1
  scope_refs: [mem-2026-05-20-001]
  authority_ref: request-9
  decided_at: 2026-06-10T08:00:00+00:00
  executed_at: 2026-06-10T09:00:00+00:00
  holders:
    - holder_ref: topics/deploy.md
      result: completed
    - holder_ref: backup
      result: unevaluated
      limitation_ref: policy-3
  sanitized_replacement_refs: []
  ```
"""


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_tombstone_names_scope_authority_and_every_holder(tmp_path: Path, size: tuple[int, int]) -> None:
    root = make(tmp_path, lambda files: files.update({"log.md": TOMBSTONE}))
    async with opened(root.store, door=root.door(), size=size) as desk:
        await desk.press("7")
        assert "1 of 2 holders completed" in desk.text
        await desk.press("enter")
        for words in ("mem-2026-05-20-001", "request-9", "✓ topics/deploy.md", "◌ backup", "unevaluated", "policy-3"):
            assert words in desk.text
        await desk.press("y")
        assert desk.app.clipboard == "memerase-2026-06-10-001"
