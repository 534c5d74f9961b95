"""The README is held to the program: its commands, options, keys, exit statuses, files and outputs are real."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from textual.binding import Binding

from tui.cli import main
from tui.cli.commands import ENTRIES, load, parser_of
from tui.cli.exits import TABLE
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


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
