"""Non-destructive supersede (§14.2): four constraints, in doubt both stay."""

from __future__ import annotations

import unicodedata

import pytest

from core.influence import resolve_influence
from core.items import MemoryItem
from core.supersede import iso_date, live_row, near_subjects, refusal
from tests.core.build import item, root, state, withdraw

OLD = state("mem-2026-05-01-009", "app:port", "Port is 8080.")
NEW = state("mem-2026-06-03-001", "app:port", "Port is 9090.", file="memory.md")


def why(prior: MemoryItem, successor: MemoryItem, *others: MemoryItem, human: bool = False) -> str | None:
    rows = root(prior, successor, *others).items
    return refusal(rows[0], rows[1], rows_of_subject=rows, human=human)


def test_a_newer_row_of_the_same_subject_supersedes() -> None:
    assert why(OLD, NEW) is None


@pytest.mark.parametrize("human", [False, True])
@pytest.mark.parametrize(
    ("prior", "successor"),
    [
        (item("mem-2026-05-01-010", subject="app:port"), NEW),
        (OLD, item("mem-2026-06-03-001", subject="app:port")),
        (item("mem-2026-05-02-010", kind=None, subject="app:port"), NEW),
        (item("mem-2026-05-02-010", kind="State", subject="app:port"), NEW),
        (OLD, state("mem-2026-06-03-001", "app:port:v6")),
        (OLD, state("mem-2026-06-03-001", "App:port")),
        (OLD, state("mem-2026-06-03-001", "app: port")),
        (OLD, state("mem-2026-06-03-001", None)),
        (state("mem-2026-05-01-009", ""), state("mem-2026-06-03-001", "")),
        (state("mem-2026-05-01-009", "café"), state("mem-2026-06-03-001", unicodedata.normalize("NFD", "café"))),
        (OLD, state("mem-2026-04-01-001", "app:port")),
        (OLD, state("mem-2026-06-03-001", "app:port", status="pending-cleanup")),
        (OLD, state("mem-2026-06-03-001", "app:port", status="superseded", superseded_by="x")),
        (OLD, state("mem-2026-06-03-001", "app:port", superseded_by="mem-2026-05-01-009")),
        (OLD, state("mem-2026-06-03-001", "app:port", source=None)),
        (OLD, state(None, "app:port", date="2026-06-03")),
        (OLD, state("mem-2026-06-03-001", "app:port", date="2026-02-30")),
        (state("mem-2026-05-01-009", "app:port", date="May"), NEW),
        (state("mem-2026-05-01-009", "app:port", status="superseded", superseded_by="x"), NEW),
        (state("mem-2026-05-01-009", "app:port", status="old"), NEW),
    ],
)
def test_nobody_supersedes_across_the_constraints(prior: MemoryItem, successor: MemoryItem, human: bool) -> None:
    assert why(prior, successor, human=human) is not None


def test_a_row_does_not_supersede_itself() -> None:
    (row,) = root(NEW).items
    assert refusal(row, row, rows_of_subject=[row]) == "A row does not supersede itself."


@pytest.mark.parametrize(
    ("successor", "others"),
    [
        (state("mem-2026-05-01-010", "app:port", "Port is 9090."), ()),
        (NEW, (state("mem-2026-05-20-001", "app:port", "Port is 8888."),)),
    ],
)
def test_doubt_is_for_a_human(successor: MemoryItem, others: tuple[MemoryItem, ...]) -> None:
    assert "human reconciles" in str(why(OLD, successor, *others))
    assert why(OLD, successor, *others, human=True) is None
    rows = root(OLD, successor, *others).items
    assert refusal(rows[0], rows[1], rows_of_subject=rows) is not None


def test_a_stale_row_is_for_a_human() -> None:
    stale = state("mem-2026-05-01-009", "app:port", status="stale")
    assert why(stale, NEW) is not None
    assert why(stale, NEW, human=True) is None


def test_history_and_other_subjects_are_no_further_rows() -> None:
    history = state("mem-2026-04-01-001", "app:port", status="superseded", superseded_by="mem-2026-05-01-009")
    assert why(OLD, NEW, history, state("mem-2026-05-20-001", "app:host"), item("x", subject="app:port")) is None


@pytest.mark.parametrize("human", [False, True])
def test_an_id_that_two_items_bear_is_repaired_first(human: bool) -> None:
    assert "repair" in str(why(OLD, NEW, state(OLD.id, "other:thing"), human=human))


def test_near_subjects_are_listed_and_never_more() -> None:
    subjects = ["host:public-ip", "host:public-ip:v6", "Host:public-ip", "host: public-ip", "host:private-ip"]
    rows = [state(f"mem-2026-06-02-00{n}", subject) for n, subject in enumerate(subjects)]
    groups = near_subjects(
        root(*rows, state("mem-2026-06-03-001", "ｈｏｓｔ:private-ip"), item("x", subject="HOST:private-ip"))
    )
    assert groups == (
        ("Host:public-ip", "host: public-ip", "host:public-ip", "host:public-ip:v6"),
        ("host:private-ip", "ｈｏｓｔ:private-ip"),
    )


def test_numbered_subjects_are_near_only_to_one_without_a_number() -> None:
    assert near_subjects(root(state("a", "gpu:1"), state("b", "gpu:2"))) == ()
    assert near_subjects(root(state("a", "gpu:1"), state("b", "gpu"))) == (("gpu", "gpu:1"),)


def test_excluded_subjects_take_no_part() -> None:
    snapshot = root(state("a", "x:y"), state("b", "X:y"), controls=[withdraw("wd-1", ["b"])])
    assert near_subjects(snapshot) == (("X:y", "x:y"),)
    assert near_subjects(snapshot, resolve_influence(snapshot)) == ()


def chain_of(*links: tuple[str, str, str | None]) -> object:
    return root(*(state(id, "s", status=status, superseded_by=by) for id, status, by in links))


def test_the_live_row_is_found_over_any_number_of_links() -> None:
    links = [(f"r{n}", "superseded", f"r{n + 1}") for n in range(3000)]
    row = live_row(chain_of(*links, ("r3000", "active", None)), "r0")  # type: ignore[arg-type]
    assert row is not None
    assert row.id == "r3000"


@pytest.mark.parametrize(
    "links",
    [
        [("a", "superseded", "gone")],
        [("a", "superseded", "b"), ("b", "superseded", "a")],
        [("a", "superseded", "a")],
        [("a", "superseded", None)],
        [("a", "superseded", "b"), ("b", "superseded", "b")],
        [("a", "superseded", "b"), ("b", "active", None), ("b", "active", None)],
        [],
    ],
)
def test_a_broken_chain_ends_without_a_live_row(links: list[tuple[str, str, str | None]]) -> None:
    assert live_row(chain_of(*links), "a") is None  # type: ignore[arg-type]


def test_a_live_row_is_its_own_and_an_excluded_one_is_none() -> None:
    snapshot = root(
        state("a", "s", status="superseded", superseded_by="b"), state("b", "s"), controls=[withdraw("wd-1", ["b"])]
    )
    live = live_row(snapshot, "b")
    assert live is not None
    assert live.id == "b"
    assert live_row(snapshot, "a", resolve_influence(snapshot)) is None


def test_the_live_row_of_what_is_eligible_is_found() -> None:
    snapshot = root(state("a", "s", status="superseded", superseded_by="b"), state("b", "s"))
    live = live_row(snapshot, "a", resolve_influence(snapshot))
    assert live is not None
    assert live.id == "b"


@pytest.mark.parametrize("file", ["topics/t.md", "index.md"])
def test_a_row_that_waits_and_names_no_successor_is_its_own(file: str) -> None:
    live = live_row(root(state("a", "s", status="pending-cleanup", file=file)), "a")
    assert live is not None
    assert live.id == "a"


def test_an_active_row_that_names_a_successor_is_live_until_it_is_marked() -> None:
    live = live_row(root(state("a", "s", superseded_by="b"), state("b", "s")), "a")
    assert live is not None
    assert live.id == "a"


def test_what_the_index_repeats_is_no_second_bearer() -> None:
    snapshot = root(
        state("a", "s", status="pending-cleanup", superseded_by="b"),
        state("a", "s", file="index.md"),
        state("b", "s"),
    )
    live = live_row(snapshot, "a")
    assert live is not None
    assert live.id == "b"


@pytest.mark.parametrize("text", [None, "", "2026-02-30", "2026-5-1", "2026-05-01T09:00", "20260501", "٢٠٢٦-٠٥-٠١"])
def test_what_is_no_date(text: str | None) -> None:
    assert iso_date(text) is None
