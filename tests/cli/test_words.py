"""The command's words: help, mistyped ones, exit statuses, and what is echoed of them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from core.errors import AssayError
from tui.cli import commands, exits


def test_the_overview_names_every_command(empty):
    result = empty("--help")
    assert result.status == 0
    for name in commands.ENTRIES:
        assert re.search(rf"^  {name} ", result.out, re.MULTILINE), name


@pytest.mark.parametrize("name", sorted(commands.ENTRIES))
def test_each_command_has_help_with_an_example_that_parses(name):
    command = commands.load(name)
    parser = commands.parser_of(name, command)
    text = parser.format_help()
    assert command.description.splitlines()[0] in text.replace("\n", " ")
    assert command.examples
    for example in command.examples:
        words = re.findall(r"'[^']*'|\S+", example)
        if words[0] == name:
            parser.read([word.strip("'") for word in words[1:]])


def test_help_of_one_command(empty):
    result = empty("stale", "-h")
    assert (result.status, result.err) == (0, "")
    assert "usage: assay stale ITEM..." in result.out
    assert empty("help", "stale").out.strip() == result.out.strip()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["itmes"], "assay: There is no command or folder 'itmes'; did you mean items?"),
        (["items", "--jsno"], "assay: items: Unknown option --jsno; did you mean --json?"),
        (["items", "--status", "activ"], "'activ' is no status; did you mean active?"),
        (["stale"], "assay: stale: The following arguments are required: ITEM."),
        (["reconcile", "a", "b", "--evidence", "x"], "One of the arguments --current --both-stay --pend is required."),
        (["help", "stael"], "did you mean stale?"),
        (["owner", "confrim"], "There is no `owner confrim`; did you mean confirm?"),
        (["undo", "a", "b"], "assay: undo: Nothing is expected at 'b'."),
    ],
)
def test_a_mistyped_word_is_a_usage_error_that_names_the_nearest(empty, words, said):
    result = empty.inside(*words)
    assert (result.status, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_exit_statuses_are_one_table_of_all_errors(empty):
    rows = empty("help", "exit-codes").out.splitlines()
    assert [int(row.split()[0]) for row in rows] == [row.status for row in exits.TABLE]
    known = {(row.status, row.code) for row in exits.TABLE}
    for error in AssayError.__subclasses__():
        assert (error.exit_status, error.code) in known
    assert len({row.status for row in exits.TABLE}) == len(exits.TABLE)


def test_no_root_is_exit_3_and_says_what_to_do(empty):
    result = empty("status")
    assert (result.status, result.out) == (3, "")
    assert "assay init" in result.err
    assert empty("items", "--root", "nowhere").status == 3
    assert empty("items", ASSAY_ROOT="nowhere").err.startswith("assay: nowhere: There is no such folder.")


def test_the_console_without_a_terminal_is_exit_4(assay):
    result = assay()
    assert (result.status, result.out) == (4, "")


def test_echoed_words_cannot_act_on_the_terminal(empty):
    nasty = "x\x1b]52;c;aGk=\x07\x9b2J\u202e\x1b"
    for words in ([nasty], ["items", f"--{nasty}"], ["show", "--root", nasty, "x"], ["items", "--kind", nasty]):
        result = empty(*words)
        assert result.status in (2, 3)
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(result.err), words


def test_root_before_the_command(assay):
    assert assay.inside("--root", "memory", "status", "--json").data["path"] == str(assay.root)
    assert assay.inside("--root=memory", "items").status == 0
    result = assay.inside("--root", "memory", "init", "other")
    assert (result.status, (assay.folder / "other").exists()) == (2, False)


def test_the_demo_opens_on_a_copy_and_leaves_nothing(empty):
    empty.environment["TMPDIR"] = str(empty.folder)
    session = empty.at_terminal("demo")
    session.wait_for("Index")
    assert list(empty.folder.glob("assay-*/sample/memory/index.md"))
    session.type("q")
    assert session.end().status == 0
    said = session.screen.rpartition("\x1b")[2]
    assert "The demo's private copy, with all that was decided in it, is removed." in said
    assert re.search(r"Open a root of your own: +[\w./-]*assay ROOT", said)
    assert re.search(r"Lay out a new one: +[\w./-]*assay init", said)
    session.close()
    assert list(empty.folder.iterdir()) == []


def test_version(empty):
    result = empty("--version")
    assert (result.status, result.err) == (0, "")
    assert re.fullmatch(r"assay (\d+\.\d+\.\d+|\(not installed.*\))\n", result.out)


HEAVY = ("yaml", "watchfiles", "rapidfuzz", "numpy", "textual", "sqlmodel", "sqlalchemy")


@pytest.mark.parametrize("words", [["--help"], ["items"], ["status"], ["show", "mem-2026-05-20-001"]])
def test_reads_load_nothing_heavy_for_the_screen(assay, words):
    code = (
        "import sys; from tui.cli import main; status = main(sys.argv[1:]);"
        "print(*[name for name in ('textual', 'watchfiles', 'sqlmodel') if name in sys.modules], file=sys.stderr);"
        "sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=assay.folder, env=assay.environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode().strip()) == (0, "")


def test_the_way_to_the_console_loads_nothing_heavy(assay):
    code = (
        "import sys; import tui.cli.console as c; c._open = lambda root: print(root) or 0;"
        "from tui.cli import main; status = main([]);"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=assay.folder, env=assay.environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode().strip()) == (0, "")
    assert done.stdout.decode().strip() == str(assay.root)


def test_output_that_nobody_reads_is_quiet(assay):
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys, time; time.sleep(0.5); from tui.cli import main; sys.exit(main(['help']))"],
        cwd=assay.folder,
        env=assay.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(15) == exits.BROKEN_PIPE
