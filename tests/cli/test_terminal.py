"""Asking a person: what answers a question, and what does not."""

from __future__ import annotations

import os
import pty
import threading
import time

import pytest

from tui.cli.terminal import Terminal


@pytest.fixture
def line():
    here, there = pty.openpty()
    yield here, Terminal(there, there, owned=True)
    os.close(here)
    os.close(there)


def read(here: int, until: str) -> str:
    seen = ""
    while until not in seen:
        seen += os.read(here, 4096).decode()
    return seen


def answers(here: int, terminal: Terminal, question: str, typed: str) -> str | None:
    """What the terminal makes of `typed`, typed once the question stands there."""

    def person() -> None:
        read(here, question)
        os.write(here, typed.encode())

    thread = threading.Thread(target=person)
    thread.start()
    answer = terminal.ask(question)
    thread.join()
    return answer


def test_one_line_is_an_answer(line):
    assert answers(*line, "Sure?", "  yes \n") == "yes"
    assert answers(*line, "And now?", "\n") == ""


def test_the_end_of_input_is_no_answer(line):
    assert answers(*line, "Sure?", "\x04") is None


def test_what_was_typed_before_the_question_answers_nothing(line):
    here, terminal = line
    os.write(here, b"yes\nyes\n")
    assert answers(here, terminal, "Sure?", "no\n") == "no"


def test_the_rest_of_a_paste_answers_nothing(line):
    here, terminal = line

    def paste() -> None:
        for _ in range(5):
            os.write(here, b"yes\n")
            time.sleep(0.02)

    thread = threading.Thread(target=paste)
    thread.start()
    answer = answers(here, terminal, "Sure?", "no\n")
    thread.join()
    assert answer == "no"


def test_nothing_written_acts_on_the_terminal(line):
    here, terminal = line
    terminal.show("a\x1b]52;c;aGk=\x07\x9b2J\u202eb")
    seen = read(here, "\n")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(seen)
    assert "␛]52" in seen
