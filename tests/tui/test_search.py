"""Finding rows by what is seen of them, in any script."""

from __future__ import annotations

from tui.search import Haystack, fold, needles_of

ROWS = (
    ("a", "Retries hide timeouts behind the gateway."),
    ("b", "合并之前先等待确认信号。"),
    ("c", "Straße, ＦＵＬＬ width, ① and ﬁne"),
    ("d", "the gateway pages from 1"),
    ("e", "lone \ud800 surrogate, ␛[2J"),
)


def find(query: str) -> list[object] | None:
    return Haystack(ROWS).find(query)


def test_case_and_compatibility_forms_do_not_matter() -> None:
    assert find("GATEWAY") == ["a", "d"]
    assert find("strasse") == ["c"]
    assert find("full") == ["c"]
    assert find("fine") == ["c"]
    assert fold("ASCII") == "ascii"


def test_two_characters_of_chinese_are_enough() -> None:
    assert find("确认") == ["b"]
    assert find("认确") == []


def test_every_word_has_to_be_there_in_any_order() -> None:
    assert find("gateway hide") == ["a"]
    assert find("pages hide") == []
    assert needles_of("  two   Words ") == ("two", "words")


def test_no_match_reaches_over_two_rows() -> None:
    assert Haystack((("a", "one"), ("b", "two"))).find("onetwo") == []
    assert Haystack((("a", "one"), ("b", "two"))).find("one\x00two") == []


def test_an_empty_query_shows_all_and_hostile_text_is_found_as_it_is_drawn() -> None:
    assert find(" ") == ["a", "b", "c", "d", "e"]
    assert find("␛[2j") == ["e"]
    assert find("[") == ["e"]


def test_a_cancelled_search_has_no_answer() -> None:
    many = Haystack((number, "same text") for number in range(10_000))
    assert len(many) == 10_000
    assert many.find("same", cancelled=lambda: True) is None
    assert len(Haystack(((n, "x") for n in range(10_000)), cancelled=lambda: True)) == 0
