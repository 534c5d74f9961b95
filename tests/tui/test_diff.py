"""A plan's diff: what changes is seen without colour, and nothing else is given away."""

from __future__ import annotations

from rich.style import Style

from core.changes import FileDiff
from tui.lines import plain
from tui.widgets.diff import diff_lines, summary, word_differences
from tui.widgets.paint import ROLE_LOOKS

BEFORE = """# Pitfalls

- [2026-05-11] (knowledge) Retries hide timeouts.
  - id: mem-2026-05-11-004
  - kind: knowledge
  - Status: pending-cleanup
  - Source: archive/2026-05-11.md#run-3
"""
AFTER = BEFORE.replace("pending-cleanup", "stale")


def as_is(text: str) -> str:
    return text


def shown(diff: FileDiff, clean=as_is, **options) -> list[str]:  # type: ignore[no-untyped-def]
    return [plain(spans) for spans in diff_lines(diff, clean, **options)]


def test_a_change_has_its_sign_its_line_number_and_the_lines_around_it() -> None:
    assert shown(FileDiff("topics/pitfalls.md", BEFORE.encode(), AFTER.encode())) == [
        "topics/pitfalls.md  +1 −1",
        "    4     - id: mem-2026-05-11-004",
        "    5     - kind: knowledge",
        "    6 -   - Status: pending-cleanup",
        "    6 +   - Status: stale",
        "    7     - Source: archive/2026-05-11.md#run-3",
    ]


def test_the_words_that_differ_are_emphasised() -> None:
    old, new = word_differences("  - Status: pending-cleanup", "  - Status: stale")
    assert [span.text for span in old if span.role == "word"] == ["pending-cleanup"]
    assert [span.text for span in new if span.role == "word"] == ["stale"]
    old, new = word_differences("合并之前先等待确认信号。", "合并之后先等待确认信号。")
    assert [span.text for span in old if span.role == "word"] == ["前"]
    assert [span.text for span in new if span.role == "word"] == ["后"]


def test_negations_numbers_and_names_stand_out_most_also_without_colour() -> None:
    for old, new, turned in (
        ("Retry the payment after a timeout.", "Never retry the payment after a timeout.", "Never"),
        ("The port is 8080.", "The port is 9090.", "9090"),
        ("Write it in C.", "Write it in C++.", "C++"),
        ("沙箱环境可以复用生产环境的证书。", "沙箱环境不可以复用生产环境的证书。", "不可以"),
    ):
        _, right = word_differences(old, new)
        assert [span.text for span in right if span.role == "turn"] == [turned]
    for role, mark in (("word", "underline"), ("turn", "reverse"), ("del turn", "reverse"), ("del word", "underline")):
        style = sum((ROLE_LOOKS[name][1] for name in role.split()), Style())
        assert getattr(style, mark)
        assert not style.dim


def test_a_line_among_others_is_set_against_the_one_that_it_was() -> None:
    before = "- Deploys run at 10:00.\n- Ask first.\n"
    after = "- A new line of its own kind.\n- Deploys run at 11:00.\n- Ask first.\n"
    lines = diff_lines(FileDiff("t.md", before.encode(), after.encode()), as_is)
    turned = [span.text for spans in lines for span in spans if "turn" in span.role]
    assert turned == ["10:00", "11:00"]


def test_blanks_that_differ_stand_out_too() -> None:
    old, new = word_differences("  - Status: stale", "    - Status: stale")
    assert [span.text for span in (*old, *new) if span.role == "word"] == ["  ", "    "]


def test_excluded_text_and_hostile_characters_do_not_show() -> None:
    diff = FileDiff("t.md", b"one\nsecret lesson\x1b[2J\n", b"one\nsecret lesson\x1b[2J!\n")
    lines = shown(diff, lambda text: text.replace("secret lesson", "[withheld]"))
    assert lines[2:] == ["    2 - [withheld]␛[2J", "    2 + [withheld]␛[2J!"]


def test_markup_is_text() -> None:
    diff = FileDiff("[x].md", None, b"[red]not red[/red] [/close] [@click=app.quit]press[/]\n")
    assert shown(diff) == [
        "[x].md new  +1",
        "    1 + [red]not red[/red] [/close] [@click=app.quit]press[/]",
    ]


def test_a_change_of_line_ends_is_seen() -> None:
    diff = FileDiff("t.md", b"a\r\nb\n", b"a\nb")
    assert shown(diff)[1:] == ["    1 - a␍␊", "    2 - b␊", "    1 + a␊", "    2 + b⟨no line end⟩"]


def test_bytes_that_are_no_text_are_shown_as_bytes() -> None:
    assert shown(FileDiff("t.md", b"ok \xff\n", None))[1:] == ["    1 - ok ⟨0xFF⟩"]


def test_long_diffs_say_what_is_left_out() -> None:
    diff = FileDiff("t.md", b"", b"".join(b"line %d\n" % number for number in range(30)))
    lines = shown(diff, limit=10)
    assert len(lines) == 12
    assert lines[-1] == "  … 20 more lines"
    assert summary([diff, diff]) == "2 more files, 60 lines"


def test_a_large_file_with_a_small_change_is_quick() -> None:
    before = b"".join(b"- item %d\n  - kind: knowledge\n" % number for number in range(50_000))
    after = before.replace(b"- item 25000\n", b"- item 25000 changed\n")
    assert len(shown(FileDiff("t.md", before, after))) == 7
