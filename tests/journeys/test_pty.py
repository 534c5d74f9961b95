"""The real program as a person has it: in a terminal, with hostile memory, with wide text, with others writing."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from wcwidth import wcwidth

from tests.cases.case import control, item
from tests.cli.conftest import HOSTILE, Program
from tests.journeys.terminal import Terminal, console, undrawn
from tui.screens.table import SCREENS

ESCAPES = "\x1b]52;c;aGVsbG8=\x07 \x1b[3J \x9b5;35m \x1b[5;35m \u202egnp.exe\u202c \u2066i\u2069 z\u200bw \x7f esc\x1b"
DRAWN = "␛]52;c;aGVsbG8=␇"
MARKUP = "[@click=app.quit]press[/] [/close] [red]x[/red] [bold"
NASTY = f"{MARKUP} {ESCAPES}"
NAME = "h[red]\x1b]52;c;aGk=\x07\u202e\u200b\x9b2J"
"""A topic's file name."""
SECRET_SEQUENCES = ("\x1b]52", "\x1b[3J", "\x1b[5;35m", "\x9b")

BINDING = """\
[binding]
id = "pty"
protocol = "memory"
version = "0.2.0"
level = "memory:L4"
timezone = "UTC"
"""


def hostile_root() -> dict[str, str]:
    """Hostile text wherever a root has room for it."""
    topic = (
        f"---\ntitle: Hostile\nlayer: warm\ntriggers:\n  - '{MARKUP}'\n---\n# {NASTY}\n\n## Facts and lessons\n\n"
        + item("mem-2026-05-06-001", f"One {NASTY}", status="pending-cleanup", source=f"archive/2026-05-02.md {NASTY}")
        + item("mem-2026-05-06-002", f"Two {NASTY}", kind="state", subject=f"app:{NASTY}")
        + item("mem-2026-05-06-003", f"Three {NASTY}", kind="state", subject=f"app:{NASTY}")
        + item("mem-2026-05-06-004", f"One {NASTY}.")
        + item("mem-2026-05-06-005", f"Five {NASTY}", more=f"  - {NASTY}: {NASTY}")
        + f"- [2026-05-06] no record: {NASTY}\n"
    )
    reason = json.dumps(NASTY)  # YAML reads it as it was
    event = {
        "id": "memlog-2026-06-01-001",
        "type": "manual-correction",
        "at": "2026-06-01T10:00:00+00:00",
        "actor": f"human:{NASTY}",
        "summary": NASTY,
        "items": [{"id": "mem-2026-05-06-001", "fields": [["Scope", NASTY, f"{NASTY}."]], "record": {"text": NASTY}}],
        "command": "repair",
    }
    log = (
        f"# {NASTY}\n\n- [2026-06-01T10:00:00+00:00] manual-correction (memlog-2026-06-01-001) by human:x — {NASTY}\n"
        f"- [{NASTY}] {NASTY} ({NASTY}) by {NASTY} — {NASTY}\n- {NASTY}\n"
        + control("2026-06-10-001", "withdraw", ids="mem-2026-05-06-005").replace("failed-exploration", reason)
        + control("2026-06-10-002", "withdraw", runs=json.dumps(f"run {NASTY}"), by=f"human:{MARKUP}")
    )
    proposal = (
        f"---\nproposal_id: mempolicy-2026-06-01-001\ntarget: conventions.md\nproposed_change: {reason}\n"
        f"supporting_refs:\n  - mem-2026-05-06-001\nexpected_benefit: {reason}\nrisk: {reason}\n"
        'status: "pending-review"\n---\n'
    )
    return {
        "assay.toml": BINDING,
        "index.md": f"# Memory Index\n\n## Recent Activity\n\n- {NASTY}\n\n## Topic Map\n\n- topics/a.md — {NASTY}\n",
        "memory.md": f"# 2026-06-03\n\n- [2026-06-03] [mem-2026-06-03-001] (knowledge) {NASTY} Source: {NASTY}.\n",
        f"topics/{NAME}.md": topic,
        "archive/2026-05-02.md": f"# {NASTY}\n\n## {NASTY}\n\n- {NASTY}\n",
        "log.md": log,
        "log/2026-06.jsonl": json.dumps(event) + "\n",
        "proposals/mempolicy-2026-06-01-001.md": proposal,
    }


def harmless(terminal: Terminal) -> None:
    """Nothing of the hostile text reached the terminal as it is."""
    raw = terminal.raw.decode()
    for sequence in SECRET_SEQUENCES:
        assert sequence not in raw, f"{sequence!r} in {raw[max(0, raw.index(sequence) - 80) :][:160]!r}"
    left = undrawn(terminal.raw)
    found = {character for character in [*HOSTILE, "\u2066", "\u2069"] if character in left}
    assert not found, [left[max(0, left.index(one) - 60) :][:120] for one in found]


def under_cursor(terminal: Terminal) -> str:
    """The row that the cursor is on."""
    (row,) = [row for row in terminal.text.split("\n") if "▌" in row]
    return row


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_from_the_demo_to_a_receipt(program: Program) -> None:
    with console(program, "demo", TMPDIR=str(program.folder)) as terminal:
        terminal.wait("owner of *")
        terminal.wait(lambda text: re.search(r"2 Review +\d", text) is not None)
        terminal.press("2")
        terminal.wait("why here")
        (sample,) = program.folder.glob("assay-*/sample/memory")
        first = re.search(r"mem-\d{4}-\d\d-\d\d-\d{3}", terminal.text)  # the card of the item under the cursor
        assert first is not None
        (topic,) = (path for path in sample.glob("topics/*.md") if f"id: {first[0]}\n" in path.read_text())
        assert "Status: pending-cleanup" in topic.read_text().split(f"id: {first[0]}\n")[1].split("\n- ")[0]
        terminal.type("s")
        terminal.wait("Mark 1 item stale")
        terminal.confirm()
        terminal.wait("✓ 1 item stale")
        receipt = re.search(r"memlog-[\d-]+", terminal.text.split("✓ 1 item stale")[1])
        assert receipt is not None
        assert f"({receipt[0]})" in (sample / "log.md").read_text()
        assert "Status: stale" in topic.read_text().split(f"id: {first[0]}\n")[1].split("\n- ")[0]
        terminal.type("q")
        assert terminal.ended() == 0
    assert not list(program.folder.glob("assay-*")), "nothing of a demo is kept"


def test_an_outside_write_shows_and_the_cursor_stays(program: Program) -> None:
    topic = "# Deploy\n\n" + "".join(item(f"mem-2026-05-0{n}-001", f"Lesson number {n}.") for n in range(2, 8))
    program.lay_out({"assay.toml": BINDING, "topics/deploy.md": topic})
    with console(program, "review", str(program.root)) as terminal:
        terminal.wait("● live")
        terminal.wait("6 items")
        terminal.press("down", "down", "enter")  # all items
        terminal.wait("Lesson number 5.")
        terminal.press("down", "down", "down")
        assert "Lesson number 5." in under_cursor(terminal)
        path = program.root / "topics/deploy.md"
        fresh = path.with_name(".deploy.md.swap")
        fresh.write_text(topic.replace("# Deploy\n\n", "# Deploy\n\n" + item("mem-2026-05-01-001", "Written outside.")))
        fresh.rename(path)
        terminal.wait("7 items")
        terminal.wait("changed outside: topics/deploy.md")
        terminal.wait("Written outside.")
        assert "Lesson number 5." in under_cursor(terminal)


def test_no_hostile_text_reaches_the_terminal_from_any_screen(program: Program) -> None:
    files = hostile_root()
    program.lay_out(files)
    program.own()
    before = program.bytes()
    with console(program, "review", str(program.root), size=(150, 44)) as terminal:
        terminal.wait("owner of *")
        terminal.wait(lambda text: re.search(r"9 Health +\d", text) is not None)
        seen = ""
        for screen in SCREENS:
            terminal.press(str(screen.number))
            terminal.wait(screen.title)
            seen += terminal.text
            for _ in range(4):
                terminal.press("down", "enter")
                seen += terminal.text
                terminal.press("escape")
            assert terminal.process.poll() is None, "nothing in memory ends the console"
        assert DRAWN in seen
        assert "[@click=app.quit]press[/] [/close] [red]x[/red] [bold" in seen
        assert "h[red]␛]52" in seen
        assert "⟨U+202E⟩" in seen
        assert "⟨U+009B⟩" in seen
        harmless(terminal)
        assert program.bytes() == before

        terminal.press("1", "/")
        terminal.type("\x1b[200~[/x]\u202e\x9b5m\x1b[201~")
        terminal.rest()
        assert "[/x]⟨U+202E⟩" in terminal.text, terminal.text
        terminal.press("escape", "escape")

        terminal.press("2", "g")
        terminal.wait("mem-2026-05-06-001")
        terminal.type("s")
        terminal.wait("Mark 1 item stale")
        assert "[@click=app.quit]" in terminal.text
        terminal.press("d")
        terminal.confirm()
        terminal.wait("✓ 1 item stale")
        harmless(terminal)
        terminal.type("q")
        assert terminal.ended() == 0
        harmless(terminal)
    topic = program.bytes()[f"topics/{NAME}.md"].decode()
    assert f"One {NASTY}" in topic, "what is shown is never what is stored"
    assert "Status: stale" in topic


READS = (
    *("status", "check", "items", "findings", "conflicts", "withdrawals", "log", "log --records", "duplicates"),
    *("duplicates --cutoff 1", "proposals", "proposals --all", "plan", "show mem-2026-05-06-001 --history"),
    *("show mem-2026-05-06-002", "show mem-2026-05-06-005", "items --json", "log --json", "stale mem-2026-05-06-002"),
)


def test_no_hostile_text_reaches_the_terminal_from_any_read(program: Program) -> None:
    program.lay_out(hostile_root())
    program.own()
    code = (
        "import sys\nfrom tui.cli import main\n"
        "for words in sys.argv[2:]:\n"
        "    print('<<' + words)\n    main([*words.split(), '--root', sys.argv[1]])\nprint('<<end')"
    )
    reads = [f"{words} --dry-run" if words.startswith("stale") else words for words in READS]
    terminal = Terminal(
        [sys.executable, "-c", code, str(program.root), *reads], program.folder, program.environment, (200, 50)
    )
    try:
        terminal.ended()
    finally:
        terminal.close()
    raw = terminal.raw.decode()
    assert raw.count("<<") == len(reads) + 1
    for part in raw.split("<<")[1:-1]:
        words, _, said = part.partition("\r\n")
        assert "a fault in Assay" not in said, part
        left = said.replace("\r\n", "\n")
        found = [one for one in [*HOSTILE, "\u2066", "\u2069"] if one in left]
        assert not found, (words, found)
    assert DRAWN in raw
    assert "[@click=app.quit]" in raw
    assert "\x1b" not in raw


WIDE = (
    "部署前先备份数据库，再重启服务，最后看日志里有没有错误。",
    "本番環境では必ずロールバック手順を確認してから公開する。",
    "배포하기 전에 항상 데이터베이스를 백업하고 확인하십시오.",
    "🚀 Ship it 🎉 after 🔥 the drill, and tell 🐛 everybody who waits.",
    "Plain letters, and the line is just as long as all the others are.",
    "a宽b한c🚀d宽e한f🚀g宽h한i🚀j宽k한l🚀m宽n한o🚀p宽q한r🚀s宽t한u🚀v",
)


@pytest.mark.parametrize("size", [(120, 30), (101, 30), (80, 24)])
def test_columns_line_up_by_cells(program: Program, size: tuple[int, int]) -> None:
    items = (item(f"mem-2026-05-0{n}-001", text, status="pending-cleanup") for n, text in enumerate(WIDE, 1))
    program.lay_out({"assay.toml": BINDING, "topics/备份.md": "# 备份\n\n" + "".join(items)})
    columns, rows = size
    with console(program, "review", str(program.root), size=size) as terminal:
        terminal.wait("● live")
        terminal.press("2")
        terminal.wait("Plain letters")
        terminal.rest()
        lines = [[terminal.screen.buffer[y][x].data for x in range(columns)] for y in range(rows)]
        listed = [line for line in lines if any(text[:4] in "".join(line) for text in WIDE) and "◌" in line]
        assert len(listed) >= len(WIDE)
        kinds = {line.index("K") for line in listed}
        assert len(kinds) == 1, ["".join(line) for line in listed]
        bars = {tuple(x for x, cell in enumerate(line) if cell == "│") for line in listed}
        assert len(bars) == 1, ["".join(line) for line in listed]
        for line in listed:
            for cell, after in pairwise(line):
                assert after == "" or not wide(cell), "a wide character is whole"


def wide(cell: str) -> bool:
    """Whether a terminal draws this character in two cells."""
    return bool(cell) and wcwidth(cell[0]) == 2
