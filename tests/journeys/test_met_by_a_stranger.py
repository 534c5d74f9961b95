"""Somebody saves a file in the instant in which a decision is written to it."""

from __future__ import annotations

import os
from pathlib import Path

from core.requests import Stale
from stores.markdown.store import MarkdownStore
from tests.machine.test_machine import MetPort
from tests.support.roots import ANA, markdown_root

LAST = "- [2026-06-03] [mem-2026-06-03-009] (knowledge) The last of the page. Source: chat.\n"
PROSE = b"\nProse that a human appends.\n"


def test_a_line_added_to_the_last_item_stays_with_it(tmp_path: Path) -> None:
    root = markdown_root(tmp_path)
    page = tmp_path / "memory" / "memory.md"
    page.write_text(page.read_text() + LAST)

    def save() -> None:
        fresh = page.with_name("memory.md.swap")
        fresh.write_bytes(page.read_bytes() + PROSE)
        os.replace(fresh, page)

    port = MetPort(str(page), save)
    assert isinstance(root.store, MarkdownStore)
    root.store._port = port
    root.do(Stale(("mem-2026-06-03-009",)), ANA)
    assert port.met
    assert page.read_text().endswith(LAST + "  - Status: stale\n" + PROSE.decode())
    assert root.record("mem-2026-06-03-009")["Status"] == "stale"
