"""Withdrawn text goes to `withdrawn/` and comes back byte for byte; where it cannot, the record stands all the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.changes import HoldItem, KeepIndex, ReleaseItem
from core.controls import ControlRecord, Scope
from core.errors import WriteRefused
from core.vocabulary import Standing
from tests.stores.projecting import AT, Root, event, set_fields

WITHDRAWAL = "memwd-2026-06-12-001"
HELD = f"withdrawn/{WITHDRAWAL}.md"
INTRO = f"Withdrawn by {WITHDRAWAL}. Not to be read, quoted or used: log.md says what became of it.\n"


def item(number: int, text: str = "Conclusion.") -> str:
    fields = f"  - id: mem-2026-05-20-{number:03}\n  - kind: knowledge\n  - Source: run-{number}\n"
    return f"- [2026-05-20] (knowledge) {text}\n{fields}"


def key(number: int) -> str:
    return f"mem-2026-05-20-{number:03}"


def withdrawn(*ids: str) -> ControlRecord:
    return ControlRecord(
        WITHDRAWAL, "withdraw", Scope(frozenset(ids)), "owner-decision", "owner:ana", AT, "exclude-from-influence"
    )


def test_a_held_item_stands_under_a_note_of_where_it_stood() -> None:
    root = Root({"topics/t.md": f"# T\n\n## Facts\n\n{item(1)}{item(2)}{item(3)}"})

    written = root.after(HoldItem(key(2), WITHDRAWAL))

    note = written[HELD].decode().split("\n")[4]
    assert written["topics/t.md"] == f"# T\n\n## Facts\n\n{item(1)}{item(3)}".encode()
    assert note.startswith("<!-- from: topics/t.md#Facts; line: 5; rest: ")
    assert note.endswith(f"; after: {key(1)}; before: {key(3)} -->")
    assert written[HELD].decode() == f"{INTRO}\n## Facts\n\n{note}\n{item(2)}"


def test_it_reads_as_held_in_the_section_it_came_from() -> None:
    root = Root({"topics/t.md": f"{item(1)}## Facts\n{item(2)}", "memory.md": f"# 2026-06-12\n{item(3)}"})

    held = root.apply(*(HoldItem(key(number), WITHDRAWAL) for number in (3, 2, 1))).snapshot

    assert [(found.id, found.place.file, found.place.section, found.standing) for found in held.items] == [
        (key(1), HELD, None, Standing.HELD),
        (key(3), HELD, "2026-06-12", Standing.HELD),
        (key(2), HELD, "Facts", Standing.HELD),
    ]


def test_the_new_place_is_written_before_the_old_one_is_left() -> None:
    root = Root({"topics/t.md": item(1), "index.md": "# Memory Index\n", "log.md": "# Log\n"})

    edits = root.project(
        HoldItem(key(1), WITHDRAWAL), event("withdraw", control=withdrawn(key(1))), KeepIndex(withdrawn=(key(1),))
    ).edits

    assert [edit.path for edit in edits] == ["log.md", "log/2026-06.jsonl", "index.md", HELD, "topics/t.md"]


@pytest.mark.parametrize(
    "data",
    [
        item(1),
        item(1).rstrip("\n"),
        f"# T\n\n{item(1)}{item(2)}{item(3)}",
        f"# T\n\n{item(2)}\n{item(1)}\n\n{item(3)}\n\nProse.\n",
        f"# T\r\n\r\n{item(2)}{item(1)}".replace("\n", "\r\n"),
        f"---\ntitle: T\nlast_updated: 2026-05-20\nsource_dates:\n  - 2026-05-20\n---\n{item(1)}\n## Next\n{item(2)}",
        f"\ufeff{item(1)}{item(2)}",
        f"\ufeff# T\n{item(1)}",
        f"Intro:\n{item(1)}Outro, lazy or not.\n",
        f"## A\n{item(2)}\n## B; with --> marks %41 #1 -\n\n{item(1)}\n## A\n{item(3)}",
        f"## A\n{item(2)}\n## A\n{item(1)}{item(3)}\n<!-- a comment -->\n",
    ],
)
def test_withdrawing_and_reinstating_restores_every_byte(data: str) -> None:
    root = Root({"topics/t.md": data})
    section = root.snapshot.by_key[key(1)].place.section

    held = root.apply(HoldItem(key(1), WITHDRAWAL), event("withdraw", control=withdrawn(key(1))))
    assert held.files["topics/t.md"] != data.encode()
    back = held.apply(ReleaseItem(key(1), "topics/t.md", section), event("reinstate", id="memlog-2026-06-12-002"))

    assert back.files["topics/t.md"] == data.encode()
    assert back.snapshot.by_key[key(1)].place == root.snapshot.by_key[key(1)].place
    assert back.files[HELD].startswith(INTRO.encode())
    assert b"from:" not in back.files[HELD]


PIECES = st.lists(
    st.sampled_from(["item", "item", "item", "\n", "\nProse.\n\n", "## A\n", "## B\n\n", "<!-- note -->\n", "short"]),
    min_size=1,
    max_size=14,
)


@settings(max_examples=100, deadline=None)
@given(PIECES, st.randoms(use_true_random=False), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_any_items_held_in_any_order_come_back_in_any_other(
    pieces: list[str], chance: random.Random, ended: bool, eol: str
) -> None:
    parts = []
    for number, piece in enumerate(pieces, start=1):
        short = f"- [2026-05-20] [{key(number)}] (knowledge) Short. Source: a.\n"
        parts.append({"item": item(number), "short": short}.get(piece, piece))
    data = "".join(parts).replace("\n", eol)
    root = start = Root({"topics/t.md": data if ended else data.rstrip("\r\n")})
    items = list(root.snapshot.items)
    if not items:
        return
    leaving = chance.sample(items, chance.randint(1, len(items)))
    sets = []
    while leaving:
        count = chance.randint(1, len(leaving))
        sets.append(leaving[:count])
        leaving = leaving[count:]

    for number, group in enumerate(sets):
        root = root.apply(*(HoldItem(found.key, f"memwd-2026-06-12-{number:03}") for found in group))
    assert sum(found.standing is Standing.HELD for found in root.snapshot.items) == sum(map(len, sets))
    chance.shuffle(sets)
    for group in sets:
        shuffled = chance.sample(group, len(group))
        root = root.apply(*(ReleaseItem(found.key, "topics/t.md", found.place.section) for found in shuffled))

    assert root.files["topics/t.md"] == start.files["topics/t.md"]


def test_an_item_without_an_id_comes_back_too() -> None:
    data = "- [2026-05-20] (knowledge) No id. Source: a.\n- [2026-05-20] (knowledge) Nor this. Source: b.\n"
    root = Root({"topics/t.md": data})
    held = root.apply(HoldItem(root.snapshot.items[0].key, WITHDRAWAL))

    (moved,) = (found for found in held.snapshot.items if found.held)
    assert held.apply(ReleaseItem(moved.key, "topics/t.md", None)).files["topics/t.md"] == data.encode()


def test_others_edits_around_the_place_are_kept_and_the_order_holds() -> None:
    root = Root({"topics/t.md": f"## Facts\n\n{item(1)}{item(2)}{item(3)}"}).apply(HoldItem(key(2), WITHDRAWAL))
    theirs = f"# New title\n\n## Facts\n\nSome prose.\n\n{item(1)}{item(3)}{item(4)}"
    root.files["topics/t.md"] = theirs.encode()

    back = root.apply(ReleaseItem(key(2), "topics/t.md", "Facts"))

    assert back.files["topics/t.md"] == theirs.replace(item(3), item(2) + item(3)).encode()


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        (f"## Facts\n\nRewritten.\n\n{item(4)}", f"## Facts\n\nRewritten.\n\n{item(4)}{item(2)}"),
        (f"## Facts\n\n{item(1)}{item(4)}\n", f"## Facts\n\n{item(1)}{item(2)}{item(4)}\n"),
        (f"## Lessons\n\n{item(1)}", f"## Lessons\n\n{item(1)}\n## Facts\n\n{item(2)}"),
        ("", f"## Facts\n\n{item(2)}"),
    ],
)
def test_where_it_stood_is_gone(theirs: str, expected: str) -> None:
    root = Root({"topics/t.md": f"## Facts\n\n{item(1)}{item(2)}{item(3)}"}).apply(HoldItem(key(2), WITHDRAWAL))
    root.files["topics/t.md"] = theirs.encode()

    assert root.apply(ReleaseItem(key(2), "topics/t.md", "Facts")).files["topics/t.md"] == expected.encode()


def test_the_topic_itself_is_gone() -> None:
    root = Root({"topics/deploy.md": f"# Deploy\n\n## Facts\n\n{item(2)}"}).apply(HoldItem(key(2), WITHDRAWAL))
    del root.files["topics/deploy.md"]

    back = root.apply(ReleaseItem(key(2), "topics/deploy.md", "Facts"))

    assert back.files["topics/deploy.md"] == f"# Deploy\n\n## Facts\n\n{item(2)}".encode()


def test_the_plan_may_put_it_elsewhere() -> None:
    root = Root({"topics/t.md": f"## Facts\n\n{item(1)}{item(2)}", "topics/u.md": f"## More\n\n{item(3)}"})
    held = root.apply(HoldItem(key(1), WITHDRAWAL))

    back = held.apply(ReleaseItem(key(1), "topics/u.md", "More", before=key(3)))

    assert back.files["topics/u.md"] == f"## More\n\n{item(1)}{item(3)}".encode()


def test_a_field_set_in_the_same_change_set_travels_along() -> None:
    root = Root({"topics/t.md": item(1)})

    held = root.apply(HoldItem(key(1), WITHDRAWAL), set_fields(key(1), Status="stale"))
    back = held.apply(ReleaseItem(key(1), "topics/t.md", None), set_fields(key(1), Status=None))

    assert b"  - Status: stale\n" in held.files[HELD]
    assert back.files["topics/t.md"] == item(1).encode()


def test_two_bearers_of_one_id_are_both_held() -> None:
    root = Root({"topics/t.md": item(1), "topics/u.md": item(1, "Copy.")})

    held = root.apply(*(HoldItem(found.key, WITHDRAWAL) for found in root.snapshot.items))

    assert (held.files["topics/t.md"], held.files["topics/u.md"]) == (b"", b"")
    assert [found.id for found in held.snapshot.items] == [key(1), key(1)]


@pytest.mark.parametrize("where", ["damaged", "read-only", "held page damaged", "held page read-only"])
def test_text_that_cannot_be_moved_stays_and_the_record_commits(where: str) -> None:
    root = Root({"topics/t.md": item(1), "topics/u.md": item(2), "log.md": "# Log\n"})
    path, damage = ("topics/t.md", item(1).encode() + b"\0") if "page" not in where else (HELD, b"\0")
    if "damaged" in where:
        root.files[path] = damage
    else:
        root.blocked[path] = "the file is read-only"
    control = event("withdraw", control=withdrawn(key(1), key(2)))

    projection = root.project(HoldItem(key(1), WITHDRAWAL), HoldItem(key(2), WITHDRAWAL), control)

    written = {edit.path: edit.after for edit in projection.edits}
    stays = [key(1)] if path == "topics/t.md" else [key(1), key(2)]
    assert [skipped for skipped, _ in projection.skipped] == stays
    assert all(path in reason for _, reason in projection.skipped)
    assert WITHDRAWAL.encode() in written["log.md"]
    assert path not in written
    assert (HELD in written) == (path == "topics/t.md")


def test_text_that_cannot_be_put_back_stays_held() -> None:
    root = Root({"topics/t.md": item(1)}).apply(HoldItem(key(1), WITHDRAWAL))
    root.blocked["topics/t.md"] = "the file is read-only"

    projection = root.project(ReleaseItem(key(1), "topics/t.md", None), event("reinstate", control=withdrawn(key(1))))

    assert [skipped for skipped, _ in projection.skipped] == [key(1)]
    assert [edit.path for edit in projection.edits] == ["log.md", "log/2026-06.jsonl"]


def test_a_record_that_holds_its_neighbours_apart_stays() -> None:
    short = f"- [2026-05-20] [{key(1)}] (knowledge) Short. Source: a.\n"
    root = Root({"topics/t.md": f"{short}{item(2)}Prose.\n", "topics/u.md": item(3)})

    projection = root.project(
        HoldItem(key(2), WITHDRAWAL), HoldItem(key(3), WITHDRAWAL), event("withdraw", control=withdrawn(key(2)))
    )

    assert [skipped for skipped, _ in projection.skipped] == [key(2)]
    assert [edit.path for edit in projection.edits] == ["log.md", "log/2026-06.jsonl", HELD, "topics/u.md"]


def test_a_field_that_must_be_set_is_not_skipped_with_it() -> None:
    root = Root({"topics/t.md": item(1).encode() + b"\0"})

    with pytest.raises(WriteRefused, match="NUL"):
        root.project(HoldItem(key(1), WITHDRAWAL), set_fields(key(1), Status="stale"))
