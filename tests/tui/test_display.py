"""Stored text becomes text for a screen: nothing acts on the terminal, nothing hides, columns line up."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui import display
from tui.glyphs import ASCII_FORMS, STATUS, ascii_wanted, kind_glyph, status_glyph

FAMILY, HEART, FLAG, KEYCAP = "👩‍👩‍👧", "❤️", "🇯🇵", "1️⃣"


@pytest.mark.parametrize(
    ("stored", "drawn"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b[2J", "␛[2J"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("a\u202egnp.exe\u202c", "a⟨U+202E⟩gnp.exe⟨U+202C⟩"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("\ufeffmark", "⟨U+FEFF⟩mark"),
        ("next\x85line", "next⟨U+0085⟩line"),
        ("a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"),
        ("\x0bform\x0cfeed", "␋form␌feed"),
        ("tab\there", "tab␉here"),
        ("carriage\rreturn", "carriage␍return"),
        ("del\x7f nul\x00", "del␡ nul␀"),
        ("tags\U000e0041\U000e0042", "tags⟨U+E0041⟩⟨U+E0042⟩"),
        ("b\udc80", "b⟨0x80⟩"),
        ("lone\ud800", "lone⟨U+D800⟩"),
        ("soft\xadhyphen", "soft⟨U+00AD⟩hyphen"),
        ("filler\u3164x", "filler⟨U+3164⟩x"),
        ("smuggled\ufe01\ufe02", "smuggled⟨U+FE01⟩⟨U+FE02⟩"),
        ("joined\u200dletters", "joined⟨U+200D⟩letters"),
        ("end\u200d", "end⟨U+200D⟩"),
    ],
)
def test_what_would_act_or_hide_is_drawn(stored: str, drawn: str) -> None:
    assert display.visible(stored) == drawn


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        HEART,
        FLAG,
        KEYCAP,
        "👍🏽",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "👩🏽‍💻",
        "❤️‍🔥",
        "部署前先备份数据库。",
        "می‌خواهم",
        "café",
        "葛󠄀",
        "plain [x] text",
    ],
)
def test_legitimate_text_stays_whole(text: str) -> None:
    assert display.visible(text) == text


def test_a_joiner_outside_an_emoji_sequence_is_drawn() -> None:
    assert display.visible(f"{FAMILY}\u200d!") == f"{FAMILY}⟨U+200D⟩!"
    assert display.visible(f"{HEART}\ufe0f") == f"{HEART}⟨U+FE0F⟩"


def test_piled_up_marks_are_cut_and_a_leading_one_keeps_off_its_neighbour() -> None:
    assert display.visible("e" + "\u0301" * 6) == "e" + "\u0301" * 4 + "⟨U+0301⟩⟨U+0301⟩"
    assert display.visible("\u0301x") == "\u00a0\u0301x"


@given(st.text(st.characters()))
def test_nothing_that_acts_on_a_terminal_is_left(text: str) -> None:
    shown = display.visible(text)
    for character in shown:
        assert character == "\n" or unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert character not in "\u200b\u200e\u200f\u2060\ufeff"
        assert not 0x202A <= ord(character) <= 0x202E
        assert not 0x2066 <= ord(character) <= 0x2069


@given(st.text(st.characters()))
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    shown = display.visible(text)
    assert display.visible(shown) == shown


def test_one_line_draws_line_breaks() -> None:
    assert display.one_line("  first\r\n  second\n\nthird ") == "first ⏎ second ⏎  ⏎ third"


@pytest.mark.parametrize(
    ("text", "cells", "clipped"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("部署前先备份", 7, "部署前…"),
        ("部署前先备份", 6, "部署…"),
        (f"a{FAMILY}b", 4, f"a{FAMILY}b"),
        (f"a{FAMILY}bc", 4, f"a{FAMILY}…"),
        (f"a{FAMILY}bc", 3, "a…"),
        (f"{FLAG}{FLAG}", 3, f"{FLAG}…"),
        (f"{FLAG}{FLAG}", 2, "…"),
        (f"{KEYCAP}{KEYCAP}", 3, f"{KEYCAP}…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
    ],
)
def test_clip_counts_cells_and_splits_no_grapheme(text: str, cells: int, clipped: str) -> None:
    assert display.clip(text, cells) == clipped


@given(st.text(), st.integers(0, 40))
def test_clip_and_pad_keep_to_their_width(text: str, cells: int) -> None:
    shown = display.visible(text.replace("\n", " "))
    assert display.width(display.clip(shown, cells)) <= cells
    assert display.width(display.pad(shown, cells)) == cells
    assert display.width(display.pad(shown, cells, right=True)) == cells


@given(st.text(), st.integers(4, 40))
def test_wrap_keeps_to_its_width_and_loses_only_blanks(text: str, cells: int) -> None:
    shown = display.visible(text)
    lines = display.wrap(shown, cells)
    assert all(display.width(line) <= cells for line in lines)
    assert "".join("".join(lines).split()) == "".join(shown.split())


def test_wrap_breaks_at_blanks_and_within_chinese() -> None:
    assert display.wrap("one two three", 8) == ["one two", "three"]
    assert display.wrap("部署前先备份数据库", 8) == ["部署前先", "备份数据", "库"]
    assert display.wrap("a\n\nb", 8) == ["a", "", "b"]
    assert display.wrap("one two three", 8, most=1) == ["one two"]
    assert display.wrap("one two three", 8, most=9) == ["one two", "three"]


def test_headline_is_cheap_and_says_that_it_is_clipped() -> None:
    assert display.headline("word " * 8000, 12) == "word word w…"
    assert display.headline("short\ntext", 20) == "short ⏎ text"


def test_status_and_kind_have_a_glyph_a_word_and_an_ascii_form() -> None:
    assert status_glyph("pending-cleanup").label() == "◌ pending"
    assert status_glyph("pending-cleanup").label(ascii_only=True) == "? pending"
    assert status_glyph("whatever").sign == "!"
    assert kind_glyph("state").sign == "S"
    assert kind_glyph(None).sign == "–"
    assert all(glyph.ascii.isascii() and display.width(glyph.sign) == 1 for glyph in STATUS.values())


def test_importing_the_sanitiser_loads_no_screen() -> None:
    code = "import sys, tui.display; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_sign_has_an_ascii_form_of_its_width() -> None:
    assert all(form.isascii() and len(form) == 1 for form in ASCII_FORMS.values())
    assert all(display.width(chr(sign)) == 1 for sign in ASCII_FORMS)
    assert "◌ pending → ◐ stale …".translate(ASCII_FORMS) == "? pending > ~ stale ~"


def test_the_ascii_forms_are_for_terminals_without_the_glyphs() -> None:
    assert not ascii_wanted({"TERM": "xterm-256color"})
    assert ascii_wanted({"TERM": "linux"})
    assert ascii_wanted({"TERM": "xterm", "ASSAY_ASCII": "1"})
    assert not ascii_wanted({"TERM": "linux", "ASSAY_ASCII": "0"})
    assert ascii_wanted({"TERM": "xterm", "LC_ALL": "C", "LANG": "de_DE.UTF-8"})
    assert not ascii_wanted({"TERM": "xterm", "LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"})


def test_plain_words_break_where_any_others_would() -> None:
    plain = ["  two  blanks   and a_word-that-is-longer than the line ", "x" * 30, "~ ! ~", "a  b"]
    for text in plain:
        for cells in range(1, 20):
            other = display.wrap(f"{text}\N{NO-BREAK SPACE}", cells)  # not ASCII: it goes by graphemes
            assert [part.rstrip() for part in display.wrap(text, cells) if part.strip()] == [
                part.rstrip() for part in other if part.strip()
            ]


@given(st.text(st.sampled_from([*map(chr, range(0x20, 0x7F)), *display.SINGLE])))
def test_plain_characters_are_graphemes_of_one_cell(text: str) -> None:
    found = [match.group() for match in display._cluster().finditer(text)]
    assert list(display.graphemes(text)) == [(one, display.width(one)) for one in found]
