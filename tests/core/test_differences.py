"""Differences between two texts: where they are, which weigh most, and what is said of them."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.differences import OPPOSING, DifferenceKind, Differences, Reading, Span, compare, opposed
from core.words import WordKind, tokens
from tests.support.sentences import sentences

NEGATION, NUMBER, SYMBOL, WORD, ORDER, PUNCTUATION = DifferenceKind


def changed(a: str, b: str) -> list[tuple[str, str, str]]:
    """Each change as (kind, what stands in a, what stands in b)."""
    return [
        (change.kind.value, a[change.a.start : change.a.end], b[change.b.start : change.b.end])
        for change in compare(a, b).changes
    ]


def words(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


# Words


def test_words_are_told_in_any_script_and_names_numbers_and_negations_stay_whole() -> None:
    assert words("C++17, C# and .NET don't need 3.11+!") == ["C++17", "C#", "and", ".NET", "don't", "need", "3.11+"]
    assert words("等 30 秒，不可以重试三次") == ["等", "30 秒", "不可以", "重", "试", "三次"]
    assert words("см. кэш: नमस्ते दुनिया") == ["см", "кэш", "नमस्ते", "दुनिया"]
    assert words("max_retries=-1 in main.py (5 ms)") == ["max_retries", "-1", "in", "main.py", "5 ms"]
    assert words("--- *** 。") == []


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("Do not merge; never rebase, it isn’t safe without tests", ["not", "never", "isn’t", "without"]),
        ("We cannot avoid it: nothing else is non-blocking", ["cannot", "avoid", "nothing", "non"]),
        ("禁止直连，不要跳过，没有备份勿动", ["禁止", "不要", "没有", "勿"]),
        ("非生产环境，请别改，未测试不得上线，无法回滚", ["非", "别", "未", "不得", "无法"]),
        ("Knot, notary, another, nonetheless", []),
        ("不仅如此，无论如何，未来非常重要，别名", []),
    ],
)
def test_negations_are_known_as_such(text: str, negations: list[str]) -> None:
    assert [token.text for token in tokens(text) if token.kind is WordKind.NEGATION] == negations


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("5 s", "5 seconds"),
        ("1,000 ms", "1000ms"),
        ("3 times", "three times"),
        ("三次", "3 次"),
        ("2  days", "两天"),
        ("−1", "-1"),
    ],
)
def test_numbers_of_one_value_are_one_word(a: str, b: str) -> None:
    (one,), (other,) = tokens(a), tokens(b)
    assert (one.kind, one.key) == (WordKind.NUMBER, other.key)


# What is said of a difference


@pytest.mark.parametrize(
    ("a", "b", "notes"),
    [
        ("Never rebase main.", "Rebase main.", ("differs by a negation: Never", "differs by signs or letter case")),
        ("Keep 3 backups", "Keep 5 backups", ("differs by a number: 3 / 5",)),
        ("Wait 5 s", "Wait 5 ms", ("differs by a number: 5 s / 5 ms",)),
        ("Returns -1 on failure", "Returns 1 on failure", ("differs by a number: -1 / 1",)),
        ("Speaks HTTP2 only", "Speaks HTTP3 only", ("differs by a number: HTTP2 / HTTP3",)),
        ("Built with C++", "Built with C#", ("differs by a symbol: C++ / C#",)),
        ("alert if load > 5", "alert if load < 5", ("differs by a symbol: > / <",)),
        ("可以改配置", "不可以改配置", ("differs by a negation: 不可以",)),
        ("重试三次", "重试五次", ("differs by a number: 三次 / 五次",)),
        ("enable the cache", "disable the cache", ("differs by a negation: enable / disable",)),
        ("The input is valid", "The input is invalid", ("differs by a negation: valid / invalid",)),
        ("Use tabs", "Use spaces", ("differs by a word: tabs / spaces",)),
        ("drain, then stop", "then stop, drain", ("same words, another order",)),
        ("先备份，再迁移", "再迁移，先备份", ("same words, another order",)),
        ("Push a tag", "Push a tag!", ("differs by signs or letter case",)),
        ("from 3 to 5", "from 5 to 3", ("a number bears on something else: 5", "a number bears on something else: 3")),
    ],
)
def test_differences_are_named(a: str, b: str, notes: tuple[str, ...]) -> None:
    assert sorted(compare(a, b).notes) == sorted(notes)


def test_what_weighs_most_comes_first() -> None:
    a = "Please stop the queue. Wait 5 s, then start C++ builds; do not skip tests"
    b = "please halt the queue. Wait 9 s, then start C# builds; do skip tests!"

    differences = compare(a, b)

    assert [change.kind for change in differences.changes] == [NEGATION, NUMBER, SYMBOL, WORD, PUNCTUATION, PUNCTUATION]
    assert differences.notes == (
        "differs by a negation: not",
        "differs by a number: 5 s / 9 s",
        "differs by a symbol: C++ / C#",
        "differs by a word: stop / halt",
        "differs by signs or letter case",
    )


def test_words_that_only_stand_elsewhere_are_not_said_to_differ() -> None:
    a, b = "Read the docs before an upgrade.", "Before an upgrade, read the docs twice."

    differences = compare(a, b)

    assert differences.notes[0] == "differs by a number: twice"
    assert "some words stand elsewhere" in differences.notes


# Opposed


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Don't use tabs", "Do not use tabs"),
        ("Never use tabs", "Never use spaces"),
        ("Never ever force it", "Never force it"),
        ("On Fridays never deploy by hand", "Never deploy by hand on Fridays"),
        ("without a cache", "with no cache"),
        ("Use 3 retries with a 5 s timeout", "With a timeout of 5 seconds use 3 retries"),
        ("when the limit is 5, wait", "wait when the limit is 5"),
        ("不要在周五部署", "别在周五部署"),
        ("需要一个锁", "需要锁"),
        ("one of the hosts", "the hosts"),
    ],
)
def test_what_says_the_same_in_other_words_is_not_opposed(a: str, b: str) -> None:
    assert not compare(a, b).opposed
    assert not opposed(Reading(a), Reading(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Never push a; merge b", "Never merge b; push a"),
        ("2 workers become 9 workers", "9 workers become 2 workers"),
        ("写五个测试，跑三次", "写三个测试，跑五次"),
        ("不要备份，直接迁移", "直接备份，不要迁移"),
        ("one retry is enough", "two retries are enough"),
        ("needs .env", "needs env"),
        ("设为 30 秒", "设为 30 天"),
        ("blocking calls", "non-blocking calls"),
    ],
)
def test_what_says_something_else_is_opposed_in_either_direction(a: str, b: str) -> None:
    for one, other in ((a, b), (b, a)):
        assert compare(one, other).opposed
        assert opposed(Reading(one), Reading(other))


# Spans

TEXTS = st.lists(
    st.sampled_from(
        [
            "not",
            "Never",
            "the",
            "cache",
            "3",
            "5 s",
            "C++",
            "C#",
            "不",
            "可",
            "以",
            "。",
            ",",
            "\n",
            "  ",
            "x" * 9,
            "a\u0301",
            "🙂",
        ]
    )
    | st.text(max_size=4),
    max_size=14,
).flatmap(lambda parts: st.sampled_from([" ".join(parts), "".join(parts)]))


def holds(a: str, b: str, differences: Differences) -> None:
    for text, spans in ((a, differences.a), (b, differences.b)):
        assert "".join(text[span.start : span.end] for span in spans) == text
        assert all(before.end == after.start for before, after in pairwise(spans))
    assert len(differences.a) == len(differences.b)
    for one, other in zip(differences.a, differences.b, strict=True):
        assert (one.kind is None) == (other.kind is None)
        if one.kind is None:
            assert "".join(a[one.start : one.end].split()) == "".join(b[other.start : other.end].split())
    weights = [list(DifferenceKind).index(change.kind) for change in differences.changes]
    assert weights == sorted(weights)
    assert differences.opposed == any(change.kind in OPPOSING for change in differences.changes)
    assert bool(differences.notes) == bool(differences.changes)


@settings(deadline=None, max_examples=150)
@given(TEXTS, TEXTS)
def test_spans_cover_both_texts_and_stand_against_each_other(a: str, b: str) -> None:
    differences = compare(a, b)

    holds(a, b, differences)
    assert differences.opposed == opposed(Reading(a), Reading(b)) == compare(b, a).opposed
    assert compare(a, a).changes == ()


def test_spans_are_offsets_into_the_texts_as_written() -> None:
    a, b = "  Keep 3 backups.", "Keep\n5 backups."

    differences = compare(a, b)

    assert differences.a == (Span(0, 7, None), Span(7, 8, NUMBER), Span(8, 17, None))
    assert differences.b == (Span(0, 5, None), Span(5, 6, NUMBER), Span(6, 15, None))


def test_a_word_that_is_missing_is_an_empty_span_where_it_would_stand() -> None:
    assert changed("Merge it later", "Merge it") == [("word", "later", "")]
    change = compare("Merge it later", "Merge it").changes[0]
    assert (change.b.start, change.b.end) == (8, 8)


# Long texts


def test_texts_of_40000_characters_are_compared() -> None:
    rng = random.Random(3)
    parts, _ = sentences(900, planted=0)
    text = " ".join(parts)
    assert len(text) > 40_000
    other = list(parts)
    for number in rng.sample(range(900), 20):
        other[number] = other[number].replace("the", "no", 1).replace("会", "不会", 1)
    moved = rng.sample(parts, len(parts))

    few = compare(text, " ".join(other))
    holds(text, " ".join(other), few)
    assert 5 <= len(few.changes) <= 40
    assert few.opposed
    holds(text, " ".join(moved), compare(text, " ".join(moved)))
    holds(text, text[::-1], compare(text, text[::-1]))


@pytest.mark.parametrize("one", ["x ", "不", "1,", "a. ", "C+", "+", "a", "not ", "7 s "])
def test_long_texts_of_one_word_over_and_over_are_compared(one: str) -> None:
    a, b = (one * 20_000)[:40_000], (one * 19_000)[:38_000] + "but never y " * 100

    differences = compare(a, b)

    holds(a, b, differences)
    assert differences.opposed
    assert all(len(note) < 200 for note in differences.notes)
