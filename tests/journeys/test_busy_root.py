"""A root is opened while an agent rewrites fifty files a second: the console answers, and ends in the right state."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from stores.markdown.store import MarkdownStore
from tests.bench.generate import generate
from tests.cli.conftest import Program
from tests.journeys.terminal import Terminal, console

ITEMS = 2_000
FIRST_ROW = 2
"""Of a list, on the screen."""
BETWEEN = 0.02
"""Seconds between two rewrites."""
NEW = (
    "- [2026-03-{day:02d}] (knowledge) Rewritten for the {number}th time.\n  - id: mem-2026-03-{day:02d}-{number:03d}\n"
    "  - kind: knowledge\n  - Scope: project\n  - Status: active\n  - Source: retro\n"
)


class Agent(threading.Thread):
    """Puts one page after the other in the place of the old one, each with one more item, until it is told to stop."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root
        self.written = 0
        self._stop_asked = threading.Event()

    def run(self) -> None:
        """Write until told to stop."""
        pages = sorted((self.root / "topics").iterdir())
        while not self._stop_asked.wait(BETWEEN):
            self.written += 1
            page = pages[self.written % len(pages)]
            fresh = page.with_suffix(".fresh")
            item = NEW.format(day=self.written // 900 + 1, number=self.written % 900 + 1)
            fresh.write_text(page.read_text(encoding="utf-8") + item, encoding="utf-8")
            os.replace(fresh, page)

    def end(self) -> None:
        """Stop, and wait for the last page."""
        self._stop_asked.set()
        self.join()


def items_on(screen: str) -> int:
    found = re.search(r"([\d,]+) items", screen)
    return int(found[1].replace(",", "")) if found else -1


def test_a_root_opened_while_fifty_files_a_second_are_rewritten(tmp_path: Path) -> None:
    program = Program(tmp_path)
    busy = generate(tmp_path / "busy", ITEMS)
    agent = Agent(busy)
    agent.start()
    try:
        with console(program, "review", str(busy)) as terminal:
            terminal.wait("topic-0000")
            moves_while_the_agent_writes(terminal, agent)
            agent.end()
            snapshot = MarkdownStore(str(busy)).snapshot()
            assert len({item.id for item in snapshot.items}) == len(snapshot.items) >= ITEMS + agent.written
            withheld = items_withheld(busy)
            terminal.wait(lambda text: items_on(text) == len(snapshot.items) - withheld)
            terminal.type("q")
            assert terminal.ended() == 0
    finally:
        agent.end()


def moves_while_the_agent_writes(terminal: Terminal, agent: Agent) -> None:
    """Each key is answered while pages change, and nothing else moves the cursor."""
    terminal.type("\x1b[B\x1b[B\r")
    terminal.wait(lambda text: "› all items" in text and cursor_row(text) == FIRST_ROW)
    before = agent.written
    for row in range(FIRST_ROW + 1, FIRST_ROW + 16):
        terminal.type("j")
        terminal.wait(lambda text, at=row: cursor_row(text) == at)
    assert agent.written > before, "the agent wrote all the while"


def cursor_row(screen: str) -> int:
    return next((number for number, row in enumerate(screen.splitlines()) if "▌" in row), -1)


def items_withheld(root: Path) -> int:
    from core.reading import Reading

    reading = Reading(MarkdownStore(str(root)).snapshot(), today="2026-12-01")
    return len(reading.influence.verdicts)
