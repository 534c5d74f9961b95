"""Replay records: one event a line, the same event back, and no line that anything could split or act on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.controls import ControlRecord, Scope, Tombstone
from core.events import Decision, Event, FieldChange, ItemChange
from core.items import Place
from core.vocabulary import Severity
from stores.markdown.replay import decode_event, encode_event, parse_replay

FULL = Event(
    id="memlog-2026-06-10-001",
    type="supersede",
    at="2026-06-10T10:00:00+08:00",
    actor="autodream",
    summary="app:port is 9090 now",
    items=(
        ItemChange(
            "mem-2026-05-01-009",
            (FieldChange("Status", "active", "superseded"), FieldChange("superseded_by", None, "mem-2026-06-03-001")),
            {"text": "Port is 8080.", "corroborating_refs": ("a", "b")},
            (FieldChange("corroborating_refs", ("a",), ("a", "b")),),
        ),
        ItemChange("mem-2026-06-03-001", (FieldChange("id", None, "mem-2026-06-03-001"),), {}),
    ),
    control=ControlRecord(
        "memwd-2026-06-10-001",
        "withdraw",
        Scope(frozenset({"mem-2026-05-20-001"}), frozenset({"archive/2026-05-20.md#run-7"})),
        "failed-exploration",
        "owner:ana",
        "2026-06-10T10:00:00+08:00",
        "exclude-from-influence",
        ("memwd-2026-06-09-001",),
    ),
    tombstone=Tombstone(
        "memerase-1", ("x",), "r", "d", "e", (("h", "completed", None), ("i", "unevaluated", "p")), ("s",)
    ),
    undoes="memlog-2026-06-09-001",
    decision=Decision("owner:ana", "2026-06-10T10:00:00+08:00", "abc"),
    command="supersede",
    detail={"subject": "app:port", "rows": ("1", "2")},
)

TEXT = st.text(st.characters(), max_size=12)
VALUE = TEXT | st.lists(TEXT, max_size=3).map(tuple)
CHANGES = st.lists(st.builds(FieldChange, TEXT, st.none() | VALUE, st.none() | VALUE), max_size=3).map(tuple)
RECORDS = st.dictionaries(TEXT, VALUE, max_size=3)
SETS = st.frozensets(TEXT, max_size=3)
EVENTS = st.builds(
    Event,
    id=TEXT.filter(bool),
    type=TEXT.filter(bool),
    at=TEXT,
    actor=TEXT,
    summary=TEXT,
    items=st.lists(st.builds(ItemChange, TEXT, CHANGES, st.none() | RECORDS, CHANGES), max_size=2).map(tuple),
    control=st.none()
    | st.builds(
        ControlRecord,
        TEXT,
        TEXT,
        st.builds(Scope, SETS, SETS, SETS),
        TEXT,
        TEXT,
        TEXT,
        TEXT,
        st.lists(TEXT, max_size=2).map(tuple),
        TEXT.filter(bool),
        st.none() | TEXT,
    ),
    tombstone=st.none()
    | st.builds(
        Tombstone,
        TEXT,
        st.lists(TEXT, max_size=2).map(tuple),
        TEXT,
        TEXT,
        TEXT,
        st.lists(st.tuples(TEXT, TEXT, st.none() | TEXT), max_size=2).map(tuple),
    ),
    undoes=st.none() | TEXT,
    decision=st.none() | st.builds(Decision, TEXT, TEXT, TEXT),
    command=st.none() | TEXT,
    detail=RECORDS,
)


def test_an_event_with_everything_comes_back() -> None:
    assert decode_event(encode_event(FULL)) == FULL


@settings(max_examples=100, deadline=None)
@given(EVENTS)
def test_every_event_comes_back_on_one_line(event: Event) -> None:
    line = encode_event(event)
    assert line.endswith(b"\n")
    assert decode_event(line) == event
    assert len(line.decode("utf-8").splitlines()) == 1, "for every reader's idea of a line"


def test_what_a_terminal_or_a_splitter_could_act_on_is_escaped() -> None:
    event = Event("e", "review", "", "", "a\x1b[2J\x85\u2028\u2029\x9b\u202e\u200b\ufeff\ud800部署\n\r")
    line = encode_event(event)
    shown = line.decode("utf-8").rstrip("\n")
    assert all(character.isprintable() for character in shown)
    assert "部署" in shown, "what people read stays readable"
    assert decode_event(line).summary == event.summary


def test_absent_things_take_no_room() -> None:
    line = encode_event(Event("e", "review", "2026", "human:ana", "looked"))
    assert json.loads(line) == {"id": "e", "type": "review", "at": "2026", "actor": "human:ana", "summary": "looked"}


def test_unknown_keys_and_numbers_of_other_writers_are_read() -> None:
    event = decode_event(
        b'{"id": "e", "type": "t", "at": 2026, "later": {"x": []}, "items": [{"id": 12, "fields": [["n", null, 1.5]],'
        b' "new": 1}], "detail": {"a": true, "b": null}}'
    )
    assert (event.at, event.items[0].id, event.items[0].fields[0].after) == ("2026", "12", "1.5")
    assert event.detail == {"a": "true"}


def test_an_unknown_selector_makes_a_control_unreadable() -> None:
    event = decode_event(b'{"id": "e", "type": "t", "control": {"withdrawal_id": "w", "scope": {"topics": ["x"]}}}')
    assert event.control is not None
    assert event.control.unreadable == "the selector topics is not known"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"{}",
        b'{"id": "e"}',
        b'{"id": 1, "type": "t"}',
        b'{"id": "e", "type": "t", "items": [1]}',
        b'{"id": "e", "type": "t", "items": [{"fields": []}]}',
        b'{"id": "e", "type": "t", "items": [{"id": "i", "fields": [["a", "b"]]}]}',
        b'{"id": "e", "type": "t", "detail": {"a": {"b": "c"}}}',
        b'{"id": "e", "type": "t", "control": "x"}',
        b'{"id": "e", "type": "t", "tombstone": {"holders": [["a"]]}}',
        b'{"id": "\xff", "type": "t"}',
        b"[" * 100_000,
    ],
)
def test_a_line_that_holds_no_event_says_so(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        decode_event(line)


def test_a_file_of_replay_records_with_broken_lines() -> None:
    event = Event("e1", "review", "", "", "")
    data = b"\xef\xbb\xbf" + encode_event(FULL) + b"\n{cut\r\n" + b"  " + encode_event(event) + b'{"id": "e2", "type'
    page = parse_replay("log/2026-06.jsonl", data)
    assert [one.id for one in page.events] == [FULL.id, "e1"]
    first = page.events[0]
    assert first.control is not None
    assert first.control.places == (Place("log/2026-06.jsonl", 1),)
    assert first.tombstone is not None
    assert first.tombstone.place == Place("log/2026-06.jsonl", 1)
    assert [(f.code, f.severity, f.line) for f in page.findings] == [
        ("replay-line-broken", Severity.ERROR, 3),
        ("replay-line-broken", Severity.ERROR, 5),
    ]
