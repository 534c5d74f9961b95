"""Every verb of the console that writes, on a root of files: what is on disk is what its confirmation showed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.plan import Plan
from tests.cases.case import control
from tests.tui.driving import Desk, opened
from tests.tui.files import BACKUP, KEY, RETRIES, Root, into, make
from tests.tui.test_curating import twins
from tests.tui.test_promoting import FILE, proposal
from tui.screens.confirm import ConfirmScreen
from tui.verbs import DECISIONS, Verb
from tui.widgets.text_pane import TextPane

Change = Callable[[dict[str, str]], object]
PORT = "mem-2026-05-11-009"


@dataclass(frozen=True)
class Journey:
    """How to come to the confirmation: where to go (a screen, or an item), what to press first, the verb's key, and
    what to answer. `files` changes the root; `done` must stand in `where` afterwards, and did not before."""

    where: str
    done: str
    to: str = ""
    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    files: Change = lambda files: None
    owned: bool = True


def settled(files: dict[str, str]) -> None:
    files["topics/deploy.md"] = files["topics/deploy.md"].replace("pending-cleanup", "active")


def cooled(files: dict[str, str]) -> None:
    topic, _, key = files["topics/deploy.md"].partition("- [2026-05-11] The staging key")
    lesson = topic.index("- [2026-05-11] (knowledge) 部署前")
    files["topics/deploy.md"] = (
        f"{topic[:lesson]}- [2026-05-11] The staging key{key}\n## Historical lessons\n\n{topic[lesson:]}"
    )


def withdrawn(files: dict[str, str]) -> None:
    files["log.md"] = "# Log\n\n" + control("2026-06-01-001", "withdraw", ids=BACKUP)


def unordered(files: dict[str, str]) -> None:
    withdrawn(files)
    files["log.md"] += control("2026-06-02-001", "withdraw", ids=BACKUP)


def without_owners(files: dict[str, str]) -> None:
    files["assay.toml"] = files["assay.toml"].split("[[owners]]")[0]


def proposed(files: dict[str, str]) -> None:
    files[FILE] = proposal(f"{RETRIES}, {BACKUP}")


DEPLOY, NET = "topics/deploy.md", "topics/net.md"
JOURNEYS: dict[str, Journey] = {
    "clear": Journey(DEPLOY, "Status: active\n  - Source: archive/2026-05-11.md#run-3\n- [2026-05-11] (k", RETRIES),
    "stale": Journey(DEPLOY, "Status: stale", BACKUP),
    "pend": Journey(DEPLOY, "last_updated: 2026-06-12", BACKUP, first=("v", "j", "v")),
    "repair": Journey(
        DEPLOY, "kind: knowledge\n  - Status: active\n  - Source: ops", KEY, then=("enter", *"ops", "enter")
    ),
    "cool": Journey(DEPLOY, "## Historical lessons", "topic", first=("enter", "g", "v", "v"), files=settled),
    "warm": Journey(DEPLOY, "last_updated: 2026-06-12", BACKUP, files=cooled),
    "reclassify": Journey(DEPLOY, "subject: gw:retries", RETRIES, then=("enter", *"gw:retries", "enter")),
    "subject": Journey(NET, "subject: gw:port", PORT, then=("ctrl+u", *"gw:port", "enter")),
    "triggers": Journey(DEPLOY, "  - rolling back", "topic", then=(*", rolling back", "enter")),
    "left is current": Journey("memory.md", "superseded", "3", then=("enter",)),
    "right is current": Journey(NET, "superseded", "3", then=("enter",)),
    "both stay": Journey(NET, "conflicts_with", "3", then=("enter",)),
    "merge": Journey(DEPLOY, "merged_into", "4", then=("ctrl+u", *"Drain first.", "enter"), files=twins),
    "not a duplicate": Journey("log.md", "memlog-2026-06-12-001", "4", files=twins),
    "approve": Journey("conventions.md", "Back up the database before each deploy.", "6", files=proposed),
    "edit and approve": Journey(
        "conventions.md", "Back up.", "6", then=("ctrl+u", *"Back up.", "enter"), files=proposed
    ),
    "reject": Journey(FILE, "status: rejected", "6", then=(*"one incident", "enter"), files=proposed),
    "withdraw": Journey("log.md", "memwd-2026-06-12-001", BACKUP, then=("enter", "enter")),
    "reinstate": Journey("log.md", "memwd-2026-06-12-001", "5", then=("enter",), files=withdrawn),
    "settle": Journey("log.md", "memwd-2026-06-12-001", "5", then=("enter", "enter"), files=unordered),
    "owners": Journey("assay.toml", 'name = "ana"', "9", then=("enter",), files=without_owners, owned=False),
}


def tree(root: Root) -> dict[str, bytes]:
    """Every file but Assay's own workings."""
    return {
        path.relative_to(root.path).as_posix(): path.read_bytes()
        for path in root.path.rglob("*")
        if path.is_file() and ".assay" not in path.parts
    }


async def come_to(desk: Desk, to: str) -> None:
    """Go to a screen by its number, to the topic, or to an item."""
    if to.isdigit():
        await desk.press(to)
    elif to == "topic":
        desk.app.console_screen.visit(1, ("topic", DEPLOY))
        await desk.settle()
    else:
        await into(desk, to)


async def shown(desk: Desk) -> tuple[Plan, str]:
    """The plan on the screen, and everything that its dialog says, the whole diff too."""
    assert isinstance(desk.app.screen, ConfirmScreen), f"no confirmation:\n{desk.text}\n{desk.receipt}"
    await desk.armed()
    await desk.press("d")
    text = "\n".join(pane.text for pane in desk.app.screen.query(TextPane))
    return desk.app.screen.plan, text


@pytest.mark.parametrize("verb", DECISIONS, ids=lambda verb: verb.name)
async def test_on_disk_is_what_the_confirmation_showed(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verb.name in JOURNEYS, f"no journey leads to {verb.name}: add one"
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    journey = JOURNEYS[verb.name]
    root = make(tmp_path, journey.files, confirmed=journey.owned)
    before = tree(root)
    assert journey.done not in before.get(journey.where, b"").decode()
    async with opened(root.store, door=root.door()) as desk:
        await come_to(desk, journey.to)
        await desk.press(*journey.first, verb.key, *journey.then)
        plan, text = await shown(desk)
        assert tree(root) == before, "asking writes nothing"
        expected = {**before, **{one.path: one.after for one in plan.previews}}
        assert plan.previews
        for one in plan.previews:
            assert one.path in text
            old = (one.before or b"").decode().splitlines()
            added = [line for line in (one.after or b"").decode().splitlines() if line not in old]
            seen = "".join(text.split())
            for line in added:
                said = "".join(line.split())[:40]
                withheld = one.path.startswith("withdrawn/")  # its text is for the audit alone
                assert said in seen or withheld or one.path.endswith(".jsonl"), f"{line!r} is not shown"
        await desk.confirm()
        assert "✓" in desk.receipt, desk.text
        event = root.store.snapshot().events[-1]
        assert str(event.id) in desk.receipt
        assert event.command == verb.command
    assert tree(root) == {name: data for name, data in expected.items() if data is not None}
    assert journey.done in root.text(journey.where)


def test_there_is_no_journey_to_a_verb_that_is_gone() -> None:
    assert JOURNEYS.keys() == {verb.name for verb in DECISIONS}
