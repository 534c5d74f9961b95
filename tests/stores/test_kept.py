"""A part of a root as bytes and back: the same in every field, whatever the file holds."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.drift import _records as facts_about
from core.items import MemoryItem, Place
from core.pages import Page
from core.vocabulary import Kind, Standing, Status
from stores.markdown import reader
from stores.markdown.blocks import NEWLINE, LineNumbers
from stores.markdown.kept import dump, load
from stores.markdown.layout import Role
from stores.markdown.parts import Part, read_part
from stores.markdown.reader import Reader
from tests.support.roots import SEED, lay_out
from tests.support.sight import FIELDS, Sight, item_values

CANONICAL = """\
- [2026-05-01] (state) Port is 8080.
  - id: mem-2026-05-01-009
  - kind: state
  - subject: app:port
  - Scope: staging
  - Status: active
  - Source: archive/2026-05-20.md#run-6
  - Confidence-Scheme: epistemic-status-v1
  - Confidence: inferred
"""
LOOSE = """\
- [2026-05-02] (knowledge) In another order.
  - Source: chat
  - Status: superseded
  - superseded_by: mem-2026-05-01-009
  - Kind: knowledge
  - id: mem-2026-05-02-001
  - Scope: everywhere
"""
TOLERANT = """\
* [2026-05-03] Text over
  several lines
  - merged_into: mem-2026-05-01-009
  - conflicts_with: [mem-2026-05-01-009, mem-2026-05-02-001]
  - corroborating_refs:
    - archive/2026-05-22.md#x
    - archive/2026-05-23.md
  - Scope: here
  - Confidence: high
  - reviewer: ana
  - reviewer: bob
"""
UNNAMED = "- [2026-05-04] (knowledge) No id at all. Source: chat.\n"
ONE_LINE = "- [2026-06-03] [mem-2026-06-03-001] (state) Port is 9090. Subject: app:port. Source: log.\n"
FRAGMENTS = [
    *(CANONICAL, LOOSE, TOLERANT, UNNAMED, ONE_LINE),
    CANONICAL.replace("Status: active", "Status: perhaps").replace("kind: state", "kind: odd"),
    CANONICAL.replace("(state)", "[待清理]").replace("  - kind: state\n", ""),
    "- [2026-02-31] [mem-2026-02-31-001] (state) No such day.\n",
    "\t- [2026-05-05] (knowledge) Indented.\n\t  - Source: x\n",
    "+ [2026-05-06] Plus.\n\n  A second paragraph.\n  - id: mem-2026-05-06-001\n",
    *("# A\n", "## Historical lessons\n\n", "## Summary\n\nOne line\nand another.\n\n", "## Run 6 {#run-6}\n", "# A\n"),
    *(
        "```\n- [2026-05-07] hidden mem-2026-05-07-001\n```\n",
        "~~~ open\n",
        "<!-- a comment\n-->\n",
        "- ```\n  in an item\n",
    ),
    *(
        "<<<<<<< HEAD\n",
        "=======\n",
        ">>>>>>> theirs\n",
        "---\ntitle: T\ntriggers: [a, b]\n---\n",
        "---\n",
        "---\na: [\n---\n",
    ),
    *(
        "\n",
        "   \n",
        "Prose — с русским.\n",
        "[existing content unchanged]\n",
        '<a id="x"></a>\n',
        "- a list\n",
        "- [x] done\n",
    ),
    *(
        "no end",
        "﻿",
        "\x0c\x85\u2028\n",
        "\x00\x00\x00\x00",
        "- [2026-05-08] \n",
        "- [2026-05-09]\n  - id:\n",
        "  - Source: stray\n",
    ),
    "- [2026-05-10] (knowledge) 结论。Subject: 主题。Source: 口头。\n",
]
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
FILES = st.tuples(st.lists(st.tuples(st.sampled_from(FRAGMENTS), ENDS), max_size=9), st.binary(max_size=3)).map(
    lambda made: "".join(text.replace("\n", end) for text, end in made[0]).encode() + made[1]
)
ROLES = {
    Role.TOPIC: "topics/t.md",
    Role.INBOX: "memory.md",
    Role.ARCHIVE: "archive/2026-05-20.md",
}


def values(part: Part) -> dict[str, Any]:
    """A part by value."""
    found: dict[str, Any] = {
        "role": part.role,
        "state": part.state,
        "findings": [[(type(value), value) for value in _plain(one)] for one in part.findings],
        "ids": part.ids,
        "topic": part.topic,
    }
    if part.leaf is not None:
        found["items"] = list(map(item_values, part.leaf.records))
        found["document"] = part.leaf.document
        found["spans"] = list(part.leaf.document.items)
    if part.day is not None:
        day = part.day
        found["day"] = (day.date, day.file, list(day.anchors.items()), day.copies, day.lines, day.copy_ids)
        found["prints"] = day.copy_prints
    return found


def _plain(value: Any) -> list[Any]:
    return [getattr(value, one.name) for one in fields(value)]


def again(path: str, part: Part, data: bytes, answers: dict[str, Any] | None = None) -> Part:
    record = dump(path, part, answers or {})
    assert record is not None
    return load(path, part.role, data, part.state.digest, record)


@pytest.mark.parametrize("role", ROLES)
@settings(max_examples=150, deadline=None)
@given(data=FILES)
def test_a_part_comes_back_as_it_was(role: Role, data: bytes) -> None:
    part = read_part(ROLES[role], role, data)
    assert values(again(ROLES[role], part, data)) == values(read_part(ROLES[role], role, data))
    assert values(again(ROLES[role], again(ROLES[role], part, data), data)) == values(part)


@settings(max_examples=100, deadline=None)
@given(data=FILES, order=st.permutations(FIELDS))
def test_its_fields_are_the_same_in_whatever_order_they_are_read(data: bytes, order: list[str]) -> None:
    part = read_part("topics/t.md", Role.TOPIC, data)
    assert part.leaf is not None
    loaded = again("topics/t.md", part, data).leaf
    assert loaded is not None
    for known, item in zip(part.leaf.records, loaded.records, strict=True):
        assert [getattr(item, name) for name in order] == [getattr(known, name) for name in order]


@settings(max_examples=60, deadline=None)
@given(data=FILES)
def test_answers_come_back_about_the_same_items(data: bytes) -> None:
    part = read_part("topics/t.md", Role.TOPIC, data)
    assert part.leaf is not None
    page = Page(part.leaf.records)
    page.ask(facts_about)
    page.ask(_states)
    loaded = again("topics/t.md", part, data, dict(page.answers))
    assert loaded.leaf is not None
    kept = Page(loaded.leaf.records, loaded.kept)
    assert list(map(_plain, kept.ask(facts_about))) == list(map(_plain, page.ask(facts_about)))
    assert all(any(item is one for one in loaded.leaf.records) for item in kept.ask(_states))


@settings(max_examples=150, deadline=None)
@given(data=FILES, choice=st.integers(0, 255))
def test_what_is_withheld_is_found_anew(data: bytes, choice: int) -> None:
    part = read_part("topics/t.md", Role.TOPIC, data)
    assert part.leaf is not None
    withheld = {item.key for number, item in enumerate(part.leaf.records) if choice >> number % 8 & 1}
    said = {text for item in part.leaf.records if item.key in withheld for text in (item.subject, item.source) if text}
    said -= {text for item in part.leaf.records if item.key not in withheld for text in (item.subject, item.source)}
    page = Page(part.leaf.records)
    for question in (facts_about, _states, _sources):
        page.ask(question)
    record = dump("topics/t.md", part, page.answers, frozenset(withheld))
    if record is not None:
        assert [text for text in said if json.dumps(text).encode() in record] == []
        assert values(load("topics/t.md", Role.TOPIC, data, part.state.digest, record)) == values(part)


def _sources(items: tuple[MemoryItem, ...]) -> tuple[str, ...]:
    return tuple(item.source for item in items if item.source)


def _states(items: tuple[MemoryItem, ...]) -> tuple[MemoryItem, ...]:
    return tuple(item for item in items if item.kind is Kind.STATE)


for question in (_sources, _states):
    question.__module__ = "core.tests"  # other answers are not kept


def test_a_page_kept_in_another_role_is_refused() -> None:
    data = CANONICAL.encode()
    part = read_part("topics/t (1).md", Role.TOPIC, data)
    record = dump("topics/t (1).md", part, {})
    assert record is not None
    with pytest.raises(ValueError, match="another role"):
        load("topics/t (1).md", Role.LEFTOVER, data, part.state.digest, record)


def test_what_is_held_or_rests_on_other_files_is_not_kept() -> None:
    for path, role in (
        ("withdrawn/t.md", Role.HELD),
        ("index.md", Role.INDEX),
        ("log.md", Role.LOG),
        ("log/a.jsonl", Role.REPLAY),
        ("proposals/p.md", Role.PROPOSAL),
        ("assay.toml", Role.BINDING),
        ("conventions.md", Role.CONVENTIONS),
        ("topics/t.md~", Role.LEFTOVER),
    ):
        assert dump(path, read_part(path, role, CANONICAL.encode()), {}) is None


ODD_ROOT: dict[str, str] = {
    "topics/re\u0301sume\u0301.md": "# Résumé\n\n" + CANONICAL,
    "topics/crlf.md": (LOOSE + TOLERANT).replace("\n", "\r\n"),
    "topics/cr.md": (LOOSE.replace("02-001", "02-002") + UNNAMED).replace("\n", "\r"),
    "topics/bom.md": "\ufeff# Bom\n\n" + ONE_LINE + UNNAMED + UNNAMED,
    "topics/twice.md": LOOSE + LOOSE,
    "topics/deep/er.md": TOLERANT + "## Historical lessons\n\n" + LOOSE.replace("02-001", "02-003"),
    "memory.md": ONE_LINE.replace("001", "004") + UNNAMED,
    "index.md": "# Memory Index\n\n" + CANONICAL + "\n## Topic Map\n\n- topics/crlf.md — Read when odd.\n",
    "withdrawn/crlf.md": CANONICAL.replace("009", "010"),
    "archive/2026-05-20.md": "# 2026-05-20\n\n## Run 6\n\n" + ONE_LINE + "\n<a id='x'></a>\n" + TOLERANT,
    "archive/notes.md": "# Notes\n\n# Notes\n\n```\n# Not\n```\n" + UNNAMED,
}


def test_an_odd_root_says_the_same_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WORTH_KEEPING", 0)
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))
    folder = lay_out(tmp_path / "memory", ODD_ROOT)
    odd = bytes(folder / "topics") + b"/na\xefve.md"
    with open(odd, "wb") as file:
        file.write(CANONICAL.replace("009", "011").encode() + b"\xff\n")
    plain = Sight(str(folder)).keep()
    assert Sight(str(folder)).values == plain.values
    assert Sight(str(folder)).keep().values == plain.values


# A lazily read item is an item


def lazy(data: str = CANONICAL + LOOSE + TOLERANT + UNNAMED) -> tuple[MemoryItem, ...]:
    part = read_part("topics/t.md", Role.TOPIC, data.encode())
    loaded = again("topics/t.md", part, data.encode()).leaf
    assert loaded is not None
    return loaded.records


def eager() -> tuple[MemoryItem, ...]:
    """The same items with nothing left to read."""
    return tuple(MemoryItem(**{name: getattr(item, name) for name in FIELDS}) for item in lazy())


LAZY = [
    lazy,
    lambda: read_part("topics/t.md", Role.TOPIC, (CANONICAL + LOOSE + TOLERANT + UNNAMED).encode()).leaf.records,
]  # type: ignore[union-attr]


@pytest.mark.parametrize("make", LAZY)
def test_it_equals_hashes_and_shows_as_if_it_had_been_read(make: Callable[[], tuple[MemoryItem, ...]]) -> None:
    assert make() == eager()
    assert eager() == make()
    assert [hash(item) for item in make()] == [hash(item) for item in eager()]
    assert [repr(item) for item in make()] == [repr(item) for item in eager()]
    assert [item.record() for item in make()] == [item.record() for item in eager()]
    assert {*make()} == {*eager()}


COPIES: list[Callable[[MemoryItem], MemoryItem]] = [
    copy.copy,
    copy.deepcopy,
    replace,
    lambda item: pickle.loads(pickle.dumps(item)),
    lambda item: copy.copy(copy.copy(item)),
    lambda item: pickle.loads(pickle.dumps(copy.copy(item), protocol=2)),
]


@pytest.mark.parametrize("make", LAZY)
@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_it_is_the_same_item(
    make: Callable[[], tuple[MemoryItem, ...]], copied: Callable[[MemoryItem], MemoryItem]
) -> None:
    for item, known in zip(make(), eager(), strict=True):
        other = copied(item)
        assert item_values(other) == item_values(known)
        assert other == item


@pytest.mark.parametrize("make", LAZY)
def test_a_changed_copy_of_it_keeps_the_rest(make: Callable[[], tuple[MemoryItem, ...]]) -> None:
    for item, known in zip(make(), eager(), strict=True):
        changed = replace(item, text="Other.", status=Status.STALE)
        assert item_values(changed) == item_values(replace(known, text="Other.", status=Status.STALE))
        assert item_values(item) == item_values(known)


@pytest.mark.parametrize("make", [*LAZY, eager])
@pytest.mark.parametrize("name", ["colour", "_text", "__wrapped__", "_unread_", "fill"])
def test_what_is_no_field_is_an_attribute_error(make: Callable[[], tuple[MemoryItem, ...]], name: str) -> None:
    for item in make():
        with pytest.raises(AttributeError, match=name):
            getattr(item, name)
        assert not hasattr(item, name)
        assert getattr(item, name, 7) == 7


@pytest.mark.parametrize("make", LAZY)
def test_it_cannot_be_changed(make: Callable[[], tuple[MemoryItem, ...]]) -> None:
    for item in make():
        with pytest.raises((FrozenInstanceError, AttributeError)):
            item.text = "Other."  # type: ignore[misc]
        with pytest.raises((FrozenInstanceError, AttributeError)):
            del item.text


def test_an_item_that_was_never_finished_has_no_fields() -> None:
    """As it is while it is copied or unpickled."""
    bare = MemoryItem.__new__(MemoryItem)
    for name in ("text", "_unread", "_number", "__deepcopy__"):
        with pytest.raises(AttributeError):
            getattr(bare, name)


# Many threads


def together(deeds: list[Callable[[], object]]) -> list[object]:
    """What the deeds give, done by one thread each, all at once."""
    gate = threading.Barrier(len(deeds))
    found: list[object] = [None] * len(deeds)

    def do(number: int) -> None:
        gate.wait()
        try:
            found[number] = deeds[number]()
        except BaseException as error:
            found[number] = error

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(deeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


MANY = "# Many\n\n" + "".join(
    f"- [2026-05-01] (knowledge) Fact {n}.\n  - id: mem-2026-05-01-{n:03}\n  - kind: knowledge\n  - Scope: s{n % 7}\n"
    f"  - Status: active\n  - Source: chat\n\n" + (f"* [2026-05-02] Loose {n}\n  over lines\n" if n % 5 == 0 else "")
    for n in range(1, 200)
)


@pytest.mark.parametrize("kept", [True, False])
def test_many_threads_read_the_same_items(kept: bool) -> None:
    data = MANY.encode()
    plain = read_part("topics/t.md", Role.TOPIC, data)
    assert plain.leaf is not None
    known = list(map(item_values, plain.leaf.records))
    for _ in range(5):
        part = read_part("topics/t.md", Role.TOPIC, data)
        part = again("topics/t.md", part, data) if kept else part
        assert part.leaf is not None
        records = part.leaf.records

        def look(step: int, records: tuple[MemoryItem, ...] = records) -> list[object]:
            order = range(len(records)) if step % 2 else range(len(records) - 1, -1, -1)
            found: dict[int, object] = {}
            for number in (*order[step * 7 :], *order[: step * 7]):
                found[number] = item_values(records[number])
            return [found[number] for number in range(len(records))]

        for found in together([lambda step=step: look(step) for step in range(8)]):  # type: ignore[misc]
            assert found == known


def test_many_threads_read_while_another_reads_the_root_again(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "memory", {**SEED, "topics/many.md": MANY})
    reading = Reader(str(folder))
    snapshot, _ = reading.read()
    known = [(one.key, one.id, one.date, one.kind) for one in snapshot.items]
    plain = {item.key: item_values(item) for item in Reader(str(folder)).read()[0].items}

    def read_again() -> None:
        for number in range(20):
            (folder / "topics/many.md").write_text(MANY.replace("Fact", f"Deed {number}"))
            reading.read()

    def look() -> list[object]:
        return [item_values(item) for item in snapshot.items]

    _, *found = together([read_again, *[look] * 6])
    assert found == [list(plain.values())] * 6
    assert [(one.key, one.id, one.date, one.kind) for one in snapshot.items] == known


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "mixed"])
def test_line_numbers_are_right_from_several_threads(end: str) -> None:
    text = "".join(f"line {n}\n" for n in range(400))
    data = text.replace("\n", end).encode() if end != "mixed" else text.replace("9\n", "9\r").encode()
    offsets = list(range(0, len(data), 3))
    starts = [0, *(match.end() for match in NEWLINE.finditer(data))]
    right = [sum(start <= offset for start in starts) for offset in offsets]
    numbers = LineNumbers(data)

    def ask(step: int) -> list[int]:
        order = offsets[step:] + offsets[:step]
        order = order[::-1] if step % 2 else order
        return [found for _, found in sorted((offset, numbers.at(offset)) for offset in order)]

    for found in together([lambda step=step: ask(step) for step in range(0, 1600, 201)]):  # type: ignore[misc]
        if end != "\r\n":
            assert found == right
        else:
            assert [
                one for one, offset in zip(found, offsets, strict=True) if data[offset - 1 : offset + 1] != b"\r\n"
            ] == [one for one, offset in zip(right, offsets, strict=True) if data[offset - 1 : offset + 1] != b"\r\n"]


def test_a_place_says_its_section_and_standing() -> None:
    first, *_, last = lazy("# A\n\n" + CANONICAL + "## Historical lessons\n\n" + LOOSE + "## B\n\n" + UNNAMED)
    assert first.place == Place("topics/t.md", 3, "A")
    assert (last.place, last.standing) == (Place("topics/t.md", 23, "B"), Standing.TOPIC)
