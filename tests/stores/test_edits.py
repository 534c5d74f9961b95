"""Span edits: applied, undone, and placed again on bytes that somebody else changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.markdown.edits import FileEdit, SpanEdit, apply_edits, difference, inverse, rebase

ENDS = (b"\n", b"\r\n", b"\r")


@st.composite
def edited(draw: st.DrawFn, text: st.SearchStrategy[bytes]) -> tuple[bytes, tuple[SpanEdit, ...]]:
    before = draw(text)
    cuts = sorted(draw(st.lists(st.integers(0, len(before)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return before, tuple(SpanEdit(start, end, draw(st.binary(max_size=6))) for start, end in pairs)


# Few different lines, so that regions repeat; every kind of line end, and lines that are left open.
lines = st.tuples(st.sampled_from([b"a", b"b", b"- c", b""]), st.sampled_from(ENDS)).map(b"".join)
texts = st.tuples(st.lists(lines, max_size=9), st.sampled_from([b"", b"a", b"open"])).map(
    lambda parts: b"".join(parts[0]) + parts[1]
)


@given(edited(st.binary(max_size=40)))
def test_the_inverse_gives_the_bytes_back(case: tuple[bytes, tuple[SpanEdit, ...]]) -> None:
    before, edits = case
    after = apply_edits(before, edits)
    assert apply_edits(after, inverse(before, edits)) == before


@given(texts, texts)
def test_the_difference_of_two_files_leads_from_one_to_the_other(one: bytes, two: bytes) -> None:
    assert apply_edits(one, difference(one, two)) == two
    assert difference(one, one + b"tail") == (SpanEdit(len(one), len(one), b"tail"),)


@given(edited(texts))
def test_on_the_same_bytes_nothing_moves(case: tuple[bytes, tuple[SpanEdit, ...]]) -> None:
    before, edits = case
    assert rebase(before, edits, before) == edits


@st.composite
def met(draw: st.DrawFn) -> tuple[bytes, tuple[SpanEdit, ...], bytes]:
    """A file, our edits, and what a stranger made of it: lines removed, moved, doubled, changed."""
    before, edits = draw(edited(texts))
    rows = before.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(rows)))
        new = draw(st.lists(st.sampled_from([*rows, b"new\n", b"a\n"]), max_size=2))
        rows[at : at + draw(st.integers(0, 2))] = new
    return before, edits, b"".join(rows)


@given(met())
def test_what_is_placed_stands_between_the_same_bytes(case: tuple[bytes, tuple[SpanEdit, ...], bytes]) -> None:
    """Whatever a stranger made of the file: an edit replaces only what was read, in its own lines, in order."""
    before, edits, now = case
    placed = rebase(before, edits, now)
    if placed is None:
        return
    apply_edits(now, placed)  # in order, without overlap
    for old, new in zip(edits, placed, strict=True):
        assert now[new.start : new.end] == before[old.start : old.end]
        if old.start == len(before):
            assert new.start == len(now)  # an append
            continue
        low = max(start for start in line_starts(before) if start <= old.start)
        assert now[new.start - (old.start - low) : new.start] == before[low : old.start]
        between = old.start == old.end == low
        if between and old.start:
            above = before[: old.start].splitlines(keepends=True)[-1]
            assert now[: new.start].endswith(above)
        if between or old.end not in line_starts(before):
            below = before[old.end :].splitlines(keepends=True)[:1] or [b""]
            assert now[new.end :].startswith(below[0])


def line_starts(text: bytes) -> set[int]:
    rows = text.splitlines(keepends=True)
    return {sum(map(len, rows[:count])) for count in range(len(rows) + 1)}


@st.composite
def two_hands(draw: st.DrawFn) -> tuple[bytes, tuple[SpanEdit, ...], bytes, bytes]:
    """Unlike lines; our edits and a stranger's on lines of their own, one untouched line between."""
    count = draw(st.integers(1, 12))
    rows = [b"line %d" % i + draw(st.sampled_from(ENDS[:2])) for i in range(count)]
    starts = [sum(map(len, rows[:i])) for i in range(count)]
    ours: list[SpanEdit] = []
    theirs: list[SpanEdit] = []
    for i in range(0, count, 2):
        hand = draw(st.sampled_from([ours, theirs, None]))
        if hand is None:
            continue
        whole = (starts[i], starts[i] + len(rows[i]))
        new = draw(st.sampled_from([b"", b"new %d\n" % i, b"new %d\nand more\n" % i]))
        middle = SpanEdit(starts[i] + 2, starts[i] + 4, b"NE")
        hand.append(draw(st.sampled_from([SpanEdit(*whole, new), middle])))
    before = b"".join(rows)
    both = apply_edits(before, sorted(ours + theirs, key=lambda edit: edit.start))
    return before, tuple(ours), apply_edits(before, theirs), both


@given(two_hands())
def test_changes_of_two_hands_on_their_own_lines_both_stand(
    case: tuple[bytes, tuple[SpanEdit, ...], bytes, bytes],
) -> None:
    before, ours, now, both = case
    placed = rebase(before, ours, now)
    assert placed is not None
    assert apply_edits(now, placed) == both


ITEMS = b"""- (memory-1) one
  Status: active
- (memory-2) two
  Status: active
- (memory-3) three
  Status: active
"""


def status_of_two() -> SpanEdit:
    at = ITEMS.index(b"active", ITEMS.index(b"two"))
    return SpanEdit(at, at + 6, b"stale")


def test_a_line_that_stands_several_times_is_known_by_its_neighbours() -> None:
    now = b"# New head\n\n- (memory-0) zero\n  Status: active\n" + ITEMS
    placed = rebase(ITEMS, [status_of_two()], now)
    assert placed is not None
    assert apply_edits(now, placed) == now.replace(b"two\n  Status: active", b"two\n  Status: stale")


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(ITEMS.replace(b"two\n  Status: active", b"two\n  Status: pending-cleanup"), id="the line itself"),
        pytest.param(ITEMS.replace(b"(memory-2) two", b"(memory-2) 2"), id="the neighbour that tells it"),
        pytest.param(ITEMS + ITEMS, id="everything twice"),
        pytest.param(b"", id="all gone"),
        pytest.param(ITEMS.replace(b"\n", b"\r\n"), id="other line ends"),
    ],
)
def test_a_place_that_was_touched_or_is_there_twice_is_not_guessed(now: bytes) -> None:
    assert rebase(ITEMS, [status_of_two()], now) is None


def test_an_insertion_needs_both_its_neighbours() -> None:
    insertion = [SpanEdit(4, 4, b"new\n")]  # between one and two
    assert rebase(b"one\ntwo\n", insertion, b"zero\none\ntwo\n") == (SpanEdit(9, 9, b"new\n"),)
    assert rebase(b"one\ntwo\n", insertion, b"one\nstranger\ntwo\n") is None
    assert rebase(b"one\ntwo\n", [SpanEdit(0, 0, b"new\n")], b"stranger\none\ntwo\n") is None


def test_places_that_changed_their_order_or_were_torn_apart_are_not_edited() -> None:
    two = [SpanEdit(0, 3, b"ONE"), SpanEdit(8, 13, b"THREE")]
    assert rebase(b"one\ntwo\nthree\n", two, b"three\ntwo\none\n") is None
    around = [SpanEdit(4, 4, b"x\n"), SpanEdit(8, 8, b"y\n")]  # both have the line two for a neighbour
    assert rebase(b"one\ntwo\nthree\n", around, b"one\ntwo\n--\ntwo\nthree\n") is None
    assert rebase(b"one\ntwo\nthree\n", around, b"0\none\ntwo\nthree\n") == (
        SpanEdit(6, 6, b"x\n"),
        SpanEdit(10, 10, b"y\n"),
    )


def test_an_append_goes_to_the_new_end() -> None:
    append = [SpanEdit(4, 4, b"ours\n")]
    assert rebase(b"one\n", append, b"one\ntheirs\n") == (SpanEdit(11, 11, b"ours\n"),)
    assert rebase(b"", [SpanEdit(0, 0, b"ours\n")], b"theirs\n") == (SpanEdit(7, 7, b"ours\n"),)
    assert rebase(b"one\n", append, b"one\ntheirs, unfinis") is None  # it would become part of their line
    assert rebase(b"one\n", append, b"quite another file\n") is None
    assert rebase(b"one", [SpanEdit(3, 3, b"\nours\n")], b"one\n") is None  # it would leave an empty line


def test_edits_must_be_in_order_and_within_the_bytes() -> None:
    for edits in ([SpanEdit(2, 3, b""), SpanEdit(0, 1, b"")], [SpanEdit(0, 9, b"")], [SpanEdit(3, 2, b"")]):
        with pytest.raises(ValueError, match="overlaps another or leaves"):
            apply_edits(b"abcd", edits)
    assert FileEdit("memory.md", None, (SpanEdit(0, 0, b"new"),)).after == b"new"
