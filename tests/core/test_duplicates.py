"""Near-duplicates: what is suggested, what is never taken for the same, and that the search loses no pair."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import signatures
from core.duplicates import Index, Pair, candidates, find_duplicates, fold, group_pairs, suggest_duplicates
from core.influence import resolve_influence
from tests.bench.prose import Prose
from tests.core.build import item, root, state, withdraw
from tests.support.sentences import OPPOSED, SAME, sentences

TEXTS, PLANTED = sentences(2400)


def keyed(texts: list[str] | tuple[str, ...]) -> list[tuple[str, str]]:
    return [(str(number), text) for number, text in enumerate(texts)]


def scored(texts: list[str], cutoff: float) -> dict[tuple[str, str], float]:
    """Every pair that reaches the cutoff, by scoring each."""
    from rapidfuzz.fuzz import ratio

    folded = [fold(text) for text in texts]
    return {
        (str(a), str(b)): score
        for a in range(len(texts))
        for b in range(a + 1, len(texts))
        if folded[a] and folded[b] and (score := ratio(folded[a], folded[b])) >= cutoff
    }


def found(pairs: tuple[Pair, ...]) -> dict[tuple[str, str], float]:
    return {(pair.a, pair.b): pair.score for pair in pairs}


def pair_of(a: str, b: str) -> Pair | None:
    return next(iter(find_duplicates([("a", a), ("b", b)])), None)


# What is suggested, and what is not


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "Rotate the signing key before you renew the certificate.",
            "Before you renew the certificate rotate the signing key.",
        ),
        ("Stop the queue first, then drain the workers.", "First stop the queue; then drain the workers!"),
        ("上线之前先跑回归测试，再通知客服。", "先跑回归测试，上线之前再通知客服。"),
        ("Сначала сделай резервную копию базы.", "Резервную копию базы сделай сначала."),
        ("ＡＰＩ keys are read once at start", "API keys are read once at start."),
        ("Cafe\u0301 orders are rounded twice", "Caf\u00e9 orders are rounded twice"),
    ],
)
def test_the_same_in_another_order_or_spelling_is_suggested_as_one(a: str, b: str) -> None:
    pair = pair_of(a, b)

    assert pair is not None
    assert not pair.opposed
    assert group_pairs([pair])[0].keys == ("a", "b")


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        (
            "Never deploy the billing service by hand on a Friday.",
            "Deploy the billing service by hand on a Friday.",
            "Never",
        ),
        ("The importer of the ledger is written in C++.", "The importer of the ledger is written in C#.", "C++ / C#"),
        ("测试环境可以直接清空缓存和队列。", "测试环境不可以直接清空缓存和队列。", "不可以"),
        ("Give up after 3 attempts at the upload.", "Give up after 5 attempts at the upload.", "3 / 5"),
        (
            "The exporter of the old ledger needs .NET to run.",
            "The exporter of the old ledger needs NET to run.",
            ".NET",
        ),
        (
            "Before a demo always enable the response cache of the vendor.",
            "Before a demo always disable the response cache of the vendor.",
            "enable / disable",
        ),
        (
            "Retry from 2 workers up to 9 workers",
            "Retry from 9 workers up to 2 workers",
            "number bears on something else: 2",
        ),
        (
            "Never push tags; always sign commits",
            "Always push tags; never sign commits",
            "negation bears on something else",
        ),
    ],
)
def test_what_says_something_else_is_opposed_and_the_difference_pointed_out(a: str, b: str, note: str) -> None:
    pair = pair_of(a, b)

    assert pair is not None
    assert pair.opposed
    assert note in pair.differences.notes[0]
    assert group_pairs([pair]) == ()


@pytest.mark.parametrize("sign", ["---", "***", "…", "", "  ", "。。。", "🙂🙂", ">>>", "==", "॥"])
def test_punctuation_alone_never_takes_part(sign: str) -> None:
    assert fold(sign) == ""
    assert find_duplicates([("a", sign), ("b", sign)]) == ()

    index = Index([("a", sign)])
    index.add("b", sign)
    assert (len(index), index.matches(sign)) == (0, ())


def test_names_made_by_their_signs_are_scored_as_names() -> None:
    assert fold("C++, then C#; .NET.") == ".net c# c++ then"
    assert fold("file.Next one... #5 a#b") == "5 a b file.next one"


def test_planted_copies_are_found_and_those_that_say_something_else_are_opposed() -> None:
    pairs = {(pair.b, pair.a): pair for pair in find_duplicates(keyed(TEXTS))}

    assert {how for _, _, how in PLANTED} == {*SAME, *OPPOSED}
    for copy, original, how in PLANTED:
        pair = pairs[str(copy), str(original)]
        assert pair.opposed is (how in OPPOSED), (how, pair.a_text, pair.b_text, pair.differences.notes)
    for pair in pairs.values():
        assert pair.opposed is pair.differences.opposed
        assert pair.differences.notes or pair.a_text.split() == pair.b_text.split()


# The search is exact


@pytest.mark.parametrize(("count", "cutoff"), [(len(TEXTS), 88.0), (500, 60.0), (800, 97.5), (300, 100.0)])
def test_the_search_finds_what_scoring_every_pair_finds(count: int, cutoff: float) -> None:
    texts = TEXTS[:count]

    pairs = find_duplicates(keyed(texts), cutoff=cutoff)

    assert found(pairs) == scored(texts, cutoff)
    order = [(-pair.score, int(pair.a), int(pair.b)) for pair in pairs]
    assert order == sorted(order)


def test_of_long_texts_none_is_lost() -> None:
    rng = random.Random(4)
    texts = [" ".join(rng.sample(TEXTS, rng.randrange(3, 9))) for _ in range(160)]
    texts += [text.replace("the", "a", 3) for text in rng.sample(texts, 40)]

    with patch.multiple(signatures, _ENOUGH=0, _WORTH=0):
        pairs = find_duplicates(keyed(texts), cutoff=80.0)

    assert len(pairs) >= 40
    assert found(pairs) == scored(texts, 80.0)


texts_of_few_letters = st.lists(st.text("abe c不1", max_size=24), min_size=2, max_size=24)
cutoffs = st.sampled_from([30.0, 66.7, 75.0, 80.0, 88.0, 90.0, 100.0]) | st.floats(1.0, 100.0)


@settings(deadline=None, max_examples=300)
@given(
    texts_of_few_letters,
    cutoffs,
    st.tuples(st.integers(1, 9), st.integers(1, 70), st.integers(1, 9)),
    st.integers(1, 30),
)
def test_no_pair_is_lost_whatever_shares_a_column(
    texts: list[str], cutoff: float, sizes: tuple[int, int, int], lanes: int
) -> None:
    with (
        patch.multiple("core.lanes", **dict(zip(("CLASSES", "COLUMNS", "COUNTED"), sizes, strict=True))),
        patch("core.lanes._CHUNK", 5),
        patch("core.duplicates.LANES", lanes),
        patch.multiple(signatures, _ENOUGH=-1, _WORTH=0),
        patch.multiple("core.duplicates", _WORD=0, _FEW=0),
    ):
        assert found(find_duplicates(keyed(texts), cutoff=cutoff)) == scored(texts, cutoff)


@pytest.mark.parametrize("cutoff", [70.0, 88.0])
def test_no_copy_is_lost_however_much_of_it_was_changed(cutoff: float) -> None:
    rng = random.Random(3)
    prose = Prose(rng)
    texts = [make() for _ in range(250) for make in (prose.english, prose.english, prose.chinese)]
    for original in rng.sample(texts, 250):
        letters = list(original)
        for _ in range(rng.randrange(len(letters) // 3)):
            letters[rng.randrange(len(letters))] = rng.choice(("", "", "x", "不", letters[0]))
        texts.append("".join(letters))

    with patch.multiple(signatures, _ENOUGH=0, _WORTH=0):
        pairs = find_duplicates(keyed(texts), cutoff=cutoff)

    assert found(pairs) == scored(texts, cutoff)
    assert min(found(pairs).values()) < cutoff + 1


@settings(deadline=None, max_examples=300)
@given(st.text("abc ", max_size=30), st.text("abc ", max_size=30), st.floats(1.0, 100.0))
def test_a_pair_that_reaches_the_cutoff_has_as_many_characters_in_common_as_the_bound_says(
    a: str, b: str, cutoff: float
) -> None:
    from rapidfuzz.fuzz import ratio

    if ratio(a, b) >= cutoff:
        assert (Counter(a) & Counter(b)).total() >= signatures.least_matched(len(a) + len(b), cutoff)
        assert signatures.shortest_partner(len(a), cutoff) <= len(b) <= signatures.longest_partner(len(a), cutoff)


@settings(deadline=None)
@given(st.text("abe i", max_size=30), st.text("abe i", max_size=30))
def test_thinned_texts_are_never_further_apart(a: str, b: str) -> None:
    from rapidfuzz.distance.Indel import distance

    assert distance(signatures.thinned(a), signatures.thinned(b)) <= distance(a, b)


def test_an_index_that_grows_and_shrinks_answers_as_scoring_all_of_it_would() -> None:
    from rapidfuzz.fuzz import ratio

    rng = random.Random(7)
    index = Index(keyed(TEXTS[:300]))
    texts = dict(keyed(TEXTS[:300]))
    with patch.multiple(signatures, _ENOUGH=3, _WORTH=20):
        for step in range(1500):
            key = str(rng.randrange(600))
            if rng.random() < 0.55:
                texts[key] = rng.choice(TEXTS) + rng.choice(("", " " + rng.choice(TEXTS)))
                index.add(key, texts[key])
            else:
                texts.pop(key, None)
                index.remove(key)
            if step % 25 == 0:
                asked = rng.choice(list(texts.values())[-1 if step % 2 else 0 :])
                scores = {key: ratio(fold(asked), fold(text)) for key, text in texts.items()}
                matches = index.matches(asked)
                assert dict(matches) == {key: score for key, score in scores.items() if score >= 88}
                assert [score for _, score in matches] == sorted((score for _, score in matches), reverse=True)
        everything = {frozenset(pair[:2]) for some in index.pairs() for pair in some}
    assert len(index) == len(texts)
    assert all(key in index for key in texts)
    assert sum(len(block.texts) for block, _ in index._blocks) <= 2 * len(index) + len(index._blocks)
    assert everything == {frozenset((pair.a, pair.b)) for pair in find_duplicates(list(texts.items()))}


# Groups


def test_a_group_links_what_is_alike_by_way_of_others_but_never_what_is_opposed() -> None:
    pairs = [
        Pair("a", "b", 99.0, opposed=False),
        Pair("d", "e", 97.0, opposed=True),
        Pair("b", "c", 92.0, opposed=False),
        Pair("a", "c", 90.0, opposed=True),
        Pair("c", "d", 89.0, opposed=True),
        Pair("x", "y", 88.5, opposed=False),
    ]

    first, second = group_pairs(pairs)

    assert (first.keys, first.best, first.pairs) == (("a", "b", "c"), 99.0, (pairs[0], pairs[2]))
    assert first.opposed == (pairs[3],)
    assert (second.keys, second.best, second.opposed) == (("x", "y"), 88.5, ())


# The door: which items take part


SAID = "Restart the gateway after the certificate was renewed"


def test_only_eligible_current_knowledge_takes_part() -> None:
    snapshot = root(
        item("mem-2026-05-01-001", f"{SAID}."),
        item("mem-2026-05-01-002", f"{SAID}!"),
        item("mem-2026-05-01-003", f"{SAID}?"),
        item("mem-2026-05-01-004", f"{SAID};", status="superseded", superseded_by="mem-2026-05-01-001"),
        item("mem-2026-05-01-005", f"{SAID},", merged_into="mem-2026-05-01-001"),
        state("mem-2026-05-01-006", "gateway", f"{SAID}:"),
        item("mem-2026-05-01-007", SAID, kind=None),
        item("mem-2026-05-01-008", SAID, file="withdrawn/t.md"),
        item("mem-2026-05-01-002", f"{SAID}!", file="index.md"),
        item("mem-2026-05-01-009", f"{SAID}~", section="Historical lessons"),
        item("mem-2026-05-01-010", f"{SAID}~", status="stale"),
        controls=[withdraw("memlog-2026-06-10-001", ["mem-2026-05-01-003"])],
    )
    influence = resolve_influence(snapshot)

    keys = [key for key, _ in candidates(snapshot, influence)]

    assert [snapshot.by_key[key].id for key in keys] == [
        "mem-2026-05-01-001",
        "mem-2026-05-01-002",
        "mem-2026-05-01-009",
    ]
    assert {(pair.a, pair.b) for pair in suggest_duplicates(snapshot, influence)} == {
        (keys[0], keys[1]),
        (keys[0], keys[2]),
        (keys[1], keys[2]),
    }


def test_what_a_human_said_is_no_duplicate_and_one_id_on_two_items_are_left_out() -> None:
    snapshot = root(
        item("mem-2026-05-01-001", f"{SAID}."),
        item("mem-2026-05-01-002", f"{SAID}!"),
        item("mem-2026-05-01-003", f"{SAID}?"),
        item("mem-2026-05-01-003", f"{SAID};"),
        item(None, f"{SAID}:"),
    )
    said = frozenset({frozenset({"mem-2026-05-01-002", "mem-2026-05-01-001"})})

    pairs = suggest_duplicates(snapshot, resolve_influence(snapshot), not_duplicates=said)

    keys = [one.key for one in snapshot.items]
    everything = {(a, b) for number, a in enumerate(keys) for b in keys[number + 1 :]}
    assert {(pair.a, pair.b) for pair in pairs} == everything - {(keys[0], keys[1]), (keys[2], keys[3])}


# Progress, cancelling, limits


def test_progress_is_told_in_order_and_to_the_end() -> None:
    told: list[tuple[int, int]] = []

    find_duplicates(keyed(TEXTS[:500]), progress=lambda done, total: told.append((done, total)))

    assert told == sorted(told)
    assert told[-1] == (1000, 1000)
    assert len(told) >= 10


@pytest.mark.parametrize("after", [0, 3, 12])
def test_a_cancelled_search_ends_with_what_it_has(after: int) -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(True)
        return len(asked) > after

    pairs = find_duplicates(keyed(TEXTS[:600]), cancelled=cancelled)

    assert len(asked) <= after + 2
    assert set(found(pairs)) < set(scored(TEXTS[:600], 88.0))


def test_a_template_repeated_without_end_stops_at_enough_pairs() -> None:
    pairs = find_duplicates(
        keyed([f"Run {number} of the nightly export has ended well." for number in range(400)]), most=50
    )

    assert len(pairs) == 50
    assert all(pair.opposed for pair in pairs)


@pytest.mark.parametrize("cutoff", [0.0, -1.0, 100.5, float("nan")])
def test_a_cutoff_that_means_nothing_is_refused(cutoff: float) -> None:
    with pytest.raises(ValueError, match="cutoff"):
        find_duplicates([], cutoff=cutoff)


def test_the_scorer_is_loaded_by_a_search_and_numpy_by_one_that_is_large() -> None:
    code = (
        "import sys, core.duplicates as d\n"
        "assert not any(name.split('.')[0] in ('rapidfuzz', 'numpy') for name in sys.modules)\n"
        "assert len(d.find_duplicates([('a', 'one word'), ('b', 'word one')])) == 1\n"
        "assert 'rapidfuzz' in sys.modules and 'numpy' not in sys.modules\n"
        "assert not d.find_duplicates([(str(n), chr(n) * 3) for n in range(0x4e00, 0x5000)])\n"
        "assert 'numpy' in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
