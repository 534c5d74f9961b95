"""The README is held to the program: its commands, options, keys, exit statuses, files and outputs are real."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.filter import Monochrome, NoColor

from core.commands.undo import UNDOABLE
from core.engine import STAMP_HOLDS, Engine
from stores.memory import MemoryStore
from tests.tui.driving import ANA, snapshot
from tui import themes
from tui.app import AssayApp
from tui.cli import main
from tui.cli.commands import ENTRIES, load, parser_of
from tui.cli.exits import TABLE
from tui.door import fixed
from tui.settings import read_settings
from tui.verbs import DECISIONS, VERBS
from tui.widgets.virtual_list import VirtualList

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SAMPLE = ROOT / "tui" / "sample" / "memory"
CONSOLE = re.findall(r"```console\n\$ assay ([^\n]+)\n(.*?)```", README, re.DOTALL)
SPOKEN = re.findall(r"`assay ([^`]+)`", README) + [
    line.split("#")[0].removeprefix("assay").strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("assay ")
]


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "memory"
    shutil.copytree(SAMPLE, root)
    monkeypatch.setenv("ASSAY_ROOT", str(root))
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))
    return root


@pytest.mark.parametrize(("words", "shown"), CONSOLE, ids=[words for words, _ in CONSOLE])
def test_outputs_are_what_the_program_prints(
    words: str, shown: str, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(shlex.split(words))
    printed = capsys.readouterr().out
    at = 0
    for line in shown.splitlines():
        if line.strip():
            found = printed.find(line.rstrip(), at)
            assert found >= 0, f"{line!r} is not printed, or out of order"
            at = found


def test_there_are_outputs_to_hold_it_to() -> None:
    assert len(CONSOLE) >= 4


@pytest.mark.parametrize("spoken", SPOKEN)
def test_commands_exist(spoken: str) -> None:
    first = spoken.split()[0] if spoken.split() else "review"
    if first.startswith(("~", "/")):
        first = "review"
    assert first in ENTRIES, f"assay {spoken}"
    options = set(re.findall(r"--[a-z][a-z-]*", spoken))
    known = {option for action in parser_of(first, load(first))._actions for option in action.option_strings}
    if first == "owner":
        return
    assert options <= known, f"assay {spoken}: {options - known}"


@pytest.mark.parametrize("row", [line for line in README.splitlines() if line.startswith("| ") and "`assay " in line])
def test_options_named_beside_a_command_are_its_own(row: str) -> None:
    commands = re.findall(r"`assay ([a-z-]+)", row)
    known = {
        option
        for command in commands
        for action in parser_of(command, load(command))._actions
        for option in action.option_strings
    }
    assert set(re.findall(r"--[a-z][a-z-]*", row)) <= known


def test_exit_statuses_are_the_programs() -> None:
    rows = re.findall(r"^\| (\d+) \| ([a-z-]+) \|", README, re.MULTILINE)
    assert rows == [(str(row.status), row.code) for row in TABLE]


def test_every_command_is_spoken_of() -> None:
    named = {words.split()[0] for words in SPOKEN if words.split()} | {words.split()[0] for words, _ in CONSOLE}
    assert set(ENTRIES) - {"review", "help"} - named == set()


def test_keys_are_the_tables() -> None:
    section = README.split("## Keys")[1].split("\n## ")[0]
    cells = [row.split("|")[1] for row in section.splitlines() if row.startswith(("| `", "| arrows"))]
    spoken = {key for cell in cells for key in re.findall(r"`([^`]+)`", cell)}
    known = {key for verb in VERBS for key in (verb.key, *re.split(r"[ ,/–]+", verb.keys), *verb.aliases)}
    bindings = [binding for binding in VirtualList.BINDINGS if isinstance(binding, Binding)]
    moving = {key for binding in bindings for key in binding.key.split(",")}
    assert spoken <= known | moving | {"/"}, spoken - known
    decisions = {verb.keys for verb in DECISIONS}
    assert decisions <= spoken, decisions - spoken


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "settings.toml"
    path.write_text(shown)
    chosen = read_settings(str(path), themes.names())
    assert chosen.theme == "high-contrast"
    assert {name: key for name, (key, _) in chosen.keys.items()} == {"stale": "z", "mark all": "ctrl+a"}
    assert set(re.findall(r'"([a-z-]+)"', shown.split("or any other")[1].splitlines()[0])) <= themes.names()


def test_the_environment_is_the_programs() -> None:
    source = "".join(path.read_text() for folder in ("core", "stores", "tui") for path in (ROOT / folder).rglob("*.py"))
    named = set(re.findall(r"\b(?:ASSAY|XDG)_[A-Z_]+\b", README))
    assert {name for name in named if f'"{name}"' not in source} == set()
    assert {"ASSAY_ROOT", "ASSAY_CONFIG_DIR", "ASSAY_ASCII"} <= named


def test_without_colours_where_nobody_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "`NO_COLOR`" in README
    monkeypatch.setenv("NO_COLOR", "1")
    app = AssayApp(lambda: Engine(MemoryStore(snapshot())), fixed(ANA), root="memory")
    assert any(isinstance(line_filter, NoColor | Monochrome) for line_filter in app._filters)


def test_the_checks_that_apply_to_the_sample_are_counted(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--json"])
    checks = json.loads(capsys.readouterr().out)
    applying = [check for check in checks if check["result"] != "not-applicable"]
    step = next(part for part in README.split("\n\n") if "is Health:" in part).split("is Health:")[1]
    assert [int(number) for number in re.findall(r"\b\d\d\b", step)] == [len(checks), len(applying)]


def test_the_bytes_written_are_those_confirmed_but_for_number_and_time() -> None:
    assert ("or the question stood for ten minutes" in README) == (timedelta(minutes=10) == STAMP_HOLDS)


def test_a_second_owner_is_refused_as_it_says(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "`assay owner add` is refused to everybody but a confirmed owner of `*`" in README
    assert main(["owner", "add", "somebody", "--dry-run"]) == 5
    assert "not confirmed on this machine" in capsys.readouterr().err


def test_what_undo_takes_back_is_what_it_says() -> None:
    assert "Approvals, rejections and control\n   events are taken back by a decision of their own" in README
    assert {"approve", "reject", "withdraw", "reinstate", "settle"} & set(UNDOABLE) == set()


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
