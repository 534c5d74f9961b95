"""Duplicates, and a maintainer's hand on kinds, subjects, triggers and what has cooled: screen text, bytes on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.vocabulary import Standing
from tests.tui.driving import Desk, opened
from tests.tui.files import BACKUP, RETRIES, Root, into, make
from tui.screens.confirm import ConfirmScreen
from tui.screens.form import FormScreen
from tui.verbs import DUPLICATES

ONE, TWO = "mem-2026-05-12-001", "mem-2026-05-13-001"
HOSTILE = "Never paste \x1b[2J into the console \u202e of production."


def alike(files: dict[str, str], *texts: str) -> None:
    """Add lessons to topics/deploy.md."""
    for number, text in enumerate(texts):
        day = f"2026-05-{12 + number}"
        files["topics/deploy.md"] += (
            f"- [{day}] (knowledge) {text}\n  - id: mem-{day}-001\n  - kind: knowledge\n  - Status: active\n"
            f"  - Source: archive/2026-05-11.md#run-3\n"
        )


def twins(files: dict[str, str]) -> None:
    """Two lessons that say the same, and two that only look as if they did."""
    alike(
        files,
        "Drain the node before restarting it.",
        "Always drain the node before restarting it.",
        "Never retry the payment after a timeout.",
        "Retry the payment after a timeout.",
    )


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return make(tmp_path, twins)


def every_byte(root: Root) -> dict[str, bytes]:
    """All files below the root."""
    return {
        os.path.join(folder, name): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(root.path)
        for name in names
    }


async def at(desk: Desk, words: str) -> None:
    """Put the cursor of screen 4 on the group whose row holds `words`."""
    await desk.press("4")
    page = desk.app.console_screen.page
    assert page is not None
    assert page.NUMBER == DUPLICATES
    for _ in page.listing.keys:
        if any(words in item.text for item in page.items_of(desk.key)):
            return
        await desk.press("j")
    raise AssertionError(desk.text)


async def test_a_suggestion_changes_nothing(root: Root) -> None:
    before = every_byte(root)
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("4")
        assert "4 Duplicates     2" in desk.text
        assert "1 group alike, 1 pair opposed" in desk.text
        await desk.press("j", "enter", "escape", "k", "d", "n", "escape", "m", "escape")
        assert every_byte(root) == before


async def test_what_the_score_means_is_said(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await at(desk, "Drain")
        assert "Score 9" in desk.text
        assert "says nothing about meaning" in " ".join(desk.text.split())
        assert ONE in desk.text
        assert TWO in desk.text


async def test_merging_keeps_the_originals_and_folds_them(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await at(desk, "Drain")
        await desk.press("m")
        assert isinstance(desk.app.screen, FormScreen)
        assert "Always drain the node" in desk.text
        await desk.press("ctrl+u", *"Drain a node, then restart it.", "enter")
        assert "the folded entry" in desk.text
        await desk.confirm()
        snapshot = root.store.snapshot()
        (fold,) = [item for item in snapshot.items if item.text == "Drain a node, then restart it."]
        assert fold.status_text == "active"
        for id in (ONE, TWO):
            (original,) = snapshot.by_id[id]
            assert original.merged_into == fold.id
            assert original.standing is Standing.HISTORICAL
        text = root.text("topics/deploy.md")
        assert "Always drain the node before restarting it." in text
        assert f"  - merged_into: {fold.id}\n" in text
        assert "merged into mem-2026-05-13-002" in desk.receipt
        assert "4 Duplicates     1" in desk.text


async def test_told_apart_they_are_gone_and_stay_gone(root: Root) -> None:
    topic = root.text("topics/deploy.md")
    async with opened(root.store, door=root.door()) as desk:
        await at(desk, "Drain")
        await desk.press("n")
        await desk.confirm()
        assert "Drain the node" not in desk.text
        assert "4 Duplicates     1" in desk.text
    assert root.text("topics/deploy.md") == topic
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("4")
        assert "Drain the node" not in desk.text
        assert "4 Duplicates     1" in desk.text


async def test_what_is_opposed_is_not_merged_and_says_why(root: Root) -> None:
    before = every_byte(root)
    async with opened(root.store, door=root.door()) as desk:
        await at(desk, "payment")
        await desk.press("m")
        assert "They do not say the same" in desk.receipt
        assert "never" in desk.receipt.lower()
        assert every_byte(root) == before


async def test_an_outside_edit_makes_the_suggestion_go(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await at(desk, "Drain")
        topic = root.path / "topics/deploy.md"
        text = root.text("topics/deploy.md").replace("Always drain the node before restarting it.", "Ask first.")
        topic.write_text(text, encoding="utf-8")
        desk.app.refresh_reading()
        await desk.settle()
        assert "Drain the node" not in desk.text
        assert "4 Duplicates     1" in desk.text


async def test_hostile_text_is_seen_in_the_form_and_merged_as_stored(tmp_path: Path) -> None:
    root = make(tmp_path, lambda files: alike(files, HOSTILE.replace("Never", "Do never"), HOSTILE))
    async with opened(root.store, door=root.door()) as desk:
        await desk.press("4", "m")
        assert "␛[2J" in desk.text
        assert "\x1b" not in desk.text
        await desk.press("enter")
        await desk.confirm()
        assert root.text("topics/deploy.md").count(HOSTILE) == 2


async def test_a_withdrawn_lesson_is_suggested_no_more(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await at(desk, "Drain")
        await into(desk, ONE)
        await desk.press("w", "enter", "enter")
        await desk.confirm()
        await desk.press("4")
        assert "Drain the node" not in desk.text


async def test_knowledge_cools_and_warms(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, BACKUP)
        await desk.press("l")
        assert "✓" in desk.receipt
        text = root.text("topics/deploy.md")
        assert BACKUP in text.split("## Historical lessons")[1]
        await into(desk, BACKUP)
        await desk.press("l")
        assert "not among a topic's facts" in desk.receipt
        await desk.press("L")
        await desk.confirm()
        facts = root.text("topics/deploy.md").split("## Historical lessons")
        assert BACKUP in facts[0]
        assert BACKUP not in "".join(facts[1:])
        await into(desk, BACKUP)
        await desk.press("L")
        assert "never cooled" in desk.receipt


async def test_state_does_not_cool(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, "mem-2026-05-11-009")
        await desk.press("l")
        assert "Only knowledge cools" in desk.receipt


async def test_a_lesson_becomes_state_with_its_subject_and_knowledge_again(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, RETRIES)
        await desk.press("K")
        assert "a lesson would lose its weight" in desk.text
        await desk.press("enter")
        assert "subject: the stable key" in desk.text
        await desk.press(*"gateway:retries", "enter")
        await desk.confirm()
        own = root.text("topics/deploy.md").split(RETRIES)[1].split("- [")[0]
        assert "  - kind: state\n" in own
        assert "  - subject: gateway:retries\n" in own
        await into(desk, RETRIES)
        await desk.press("K")
        assert isinstance(desk.app.screen, ConfirmScreen)
        await desk.confirm()
        own = root.text("topics/deploy.md").split(RETRIES)[1].split("- [")[0]
        assert "  - kind: knowledge\n" in own


async def test_a_subject_is_set_byte_for_byte(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        await into(desk, "mem-2026-05-11-009")
        await desk.press("B")
        assert "app:port" in desk.text
        await desk.press("ctrl+u", *"gateway:Port", "enter")
        await desk.confirm()
        assert "  - subject: gateway:Port\n" in root.text("topics/net.md")
        await into(desk, RETRIES)
        await desk.press("B")
        assert "Only a state item has a subject" in desk.receipt


async def test_triggers_are_set_in_the_topic_and_on_the_map(root: Root) -> None:
    async with opened(root.store, door=root.door()) as desk:
        desk.app.console_screen.visit(1, ("topic", "topics/deploy.md"))
        await desk.settle()
        await desk.press("t")
        assert "When is topics/deploy.md to be read?" in desk.text
        await desk.press(*", rolling back", "enter")
        await desk.confirm()
        assert "triggers:\n  - deploy\n  - rolling back\n" in root.text("topics/deploy.md")
        (line,) = [line for line in root.text("index.md").splitlines() if line.startswith("- topics/deploy.md")]
        assert "rolling back" in line
        await into(desk, RETRIES)
        await desk.press("t")
        assert "no topic under the cursor" in desk.receipt
