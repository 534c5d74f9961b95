"""What a Source names, and what stands there (§9)."""

from __future__ import annotations

import pytest

from core.controls import Tombstone
from core.influence import resolve_influence
from core.snapshot import Snapshot, Topic
from core.sources import Resolved, SourceRef, embedded_archive_refs, parse_source, resolve
from tests.core.build import day, item, root, withdraw


def archive(text: str, file: str, anchor: str | None = None) -> SourceRef:
    return SourceRef(text, file, anchor, "archive")


DAY = "archive/2026-05-20.md"


@pytest.mark.parametrize(
    ("source", "refs"),
    [
        ("archive/2026-05-20.md", [archive("archive/2026-05-20.md", DAY)]),
        ("archive/2026-05-20.md#run-7", [archive("archive/2026-05-20.md#run-7", DAY, "run-7")]),
        ("archive/2026-05-20.md#run-7.", [archive("archive/2026-05-20.md#run-7.", DAY, "run-7")]),
        ("./memory/archive/2026-05-20.md", [archive("./memory/archive/2026-05-20.md", DAY)]),
        ("`archive/2026-05-20`", [archive("`archive/2026-05-20`", DAY)]),
        (
            "archive/2026-05-20.md#run-7, archive/2026-05-19.md; mem-2026-05-20-001",
            [
                archive("archive/2026-05-20.md#run-7", DAY, "run-7"),
                archive("archive/2026-05-19.md", "archive/2026-05-19.md"),
                SourceRef("mem-2026-05-20-001", None, None, "item"),
            ],
        ),
        (
            "archive/2026-05-20.md#部署，topics/my page.md#Facts and lessons",
            [
                archive("archive/2026-05-20.md#部署", DAY, "部署"),
                SourceRef("topics/my page.md#Facts and lessons", "topics/my page.md", "Facts and lessons", "topic"),
            ],
        ),
        ("ana said so, twice; on the phone", [SourceRef("ana said so, twice; on the phone", None, None, "statement")]),
        (
            "ana said so, twice, archive/2026-05-20.md",
            [SourceRef("ana said so, twice", None, None, "statement"), archive("archive/2026-05-20.md", DAY)],
        ),
        ("notes in myarchive/2026-05-20.md", [SourceRef("notes in myarchive/2026-05-20.md", None, None, "statement")]),
        ("  ", []),
        (" , ", [SourceRef(",", None, None, "statement")]),
    ],
)
def test_a_source_is_read_as_what_it_names(source: str, refs: list[SourceRef]) -> None:
    assert list(parse_source(source)) == refs


def test_references_within_a_sentence_are_found_too() -> None:
    said = "see archive/2026-05-20.md#run-7, then (archive/2026-05-21.md) and archive/2026-05-22#b."
    assert list(embedded_archive_refs(said)) == [
        (DAY, "run-7"),
        ("archive/2026-05-21.md", None),
        ("archive/2026-05-22.md", "b"),
    ]
    assert list(embedded_archive_refs("my-archive/2026-05-20.md")) == []


TEXT = """# 2026-05-20

## run 7
The gateway was returning 504.
- [mem-2026-05-20-001] Conclusion one.

## run 8
- [mem-2026-05-20-002] Conclusion two.
- Nobody gave this an id.
"""


def looked_up(source: str, snapshot: Snapshot | None = None, **more: object) -> Resolved:
    (ref,) = parse_source(source)
    return resolve(snapshot or root(archive=[day(TEXT, "2026-05-20")]), ref, **more)  # type: ignore[arg-type]


def test_an_anchor_is_excerpted_by_its_segment() -> None:
    found = looked_up(f"{DAY}#run-7")
    assert found.found
    assert found.line == 3
    assert found.excerpt == "The gateway was returning 504.\n- [mem-2026-05-20-001] Conclusion one."


def test_a_day_is_excerpted_by_its_copies() -> None:
    assert looked_up(DAY).excerpt == "Conclusion one.\nConclusion two.\nNobody gave this an id."
    own = looked_up(DAY, item_id="mem-2026-05-20-002")
    assert (own.excerpt, own.line) == ("Conclusion two.", 8)
    assert looked_up(DAY, item_id="mem-2026-05-20-009").excerpt == looked_up(DAY).excerpt


def test_lines_can_be_named() -> None:
    assert looked_up(f"{DAY}#L4").excerpt == "The gateway was returning 504."
    assert not looked_up(f"{DAY}#L400").found
    assert not looked_up(f"{DAY}#L0").found


@pytest.mark.parametrize("source", ["archive/2026-05-21.md", f"{DAY}#run-9", "mem-2026-05-20-009", "topics/gone.md"])
def test_what_is_not_there_is_said_to_be_missing(source: str) -> None:
    found = looked_up(source)
    assert not found.found
    assert found.excerpt is None
    assert found.reason


def test_what_was_erased_is_said_to_be_erased() -> None:
    tombstone = Tombstone("memerase-2026-06-01-001", ("archive/2026-05-21.md",), "owner:ana", "", "", ())
    found = looked_up("archive/2026-05-21.md", root(tombstones=(tombstone,)))
    assert not found.found
    assert "memerase-2026-06-01-001" in found.reason


def test_an_item_is_excerpted_by_its_text_or_by_its_archived_copy() -> None:
    snapshot = root(item("mem-2026-05-20-002", "As it is now."), archive=[day(TEXT, "2026-05-20")])
    assert looked_up("mem-2026-05-20-002", snapshot).excerpt == "As it is now."
    assert looked_up("mem-2026-05-20-001", snapshot).excerpt == "Conclusion one."
    two = root(item("mem-2026-05-20-002", "A."), item("mem-2026-05-20-002", "B.", file="topics/b.md"))
    assert looked_up("mem-2026-05-20-002", two).excerpt is None


def test_a_topic_and_a_statement_are_found_and_not_excerpted() -> None:
    snapshot = root(
        item("a", "Text.", section="Facts and lessons", file="topics/t.md"), topics=(Topic("t", "topics/t.md"),)
    )
    assert looked_up("topics/t.md#facts-and-lessons", snapshot).line == 1
    assert looked_up("topics/t.md", snapshot).found
    said = looked_up("ana said so")
    assert (said.found, said.excerpt) == (True, None)


class TestWithheld:
    def read(self, source: str, **scope: list[str]) -> Resolved:
        snapshot = root(
            item("mem-2026-05-20-001", "Conclusion one."),
            item("mem-2026-05-20-002", "Conclusion two."),
            archive=[day(TEXT, "2026-05-20")],
            controls=[withdraw("wd-1", **scope)],  # type: ignore[arg-type]
        )
        return looked_up(source, snapshot, influence=resolve_influence(snapshot))

    @pytest.mark.parametrize(
        "scope",
        [{"archive": [f"{DAY}#run-7"]}, {"archive": [DAY]}, {"ids": ["mem-2026-05-20-001"]}, {"runs": ["run-7"]}],
    )
    def test_a_segment_is_withheld_where_any_of_it_is_covered(self, scope: dict[str, list[str]]) -> None:
        found = self.read(f"{DAY}#run-7", **scope)
        assert found.found
        assert found.excerpt is None
        assert "withheld" in found.reason.lower()

    @pytest.mark.parametrize("part", ["detail", "L1", "L2", "L4"])
    def test_a_segment_is_withheld_where_a_part_of_it_is_withdrawn(self, part: str) -> None:
        snapshot = root(
            archive=[day("## run 7\nThe gateway.\n### detail\nIt was slow.\n## run 8\nElse.\n", "2026-05-20")],
            controls=[withdraw("wd-1", archive=[f"{DAY}#{part}"])],
        )
        influence = resolve_influence(snapshot)
        assert looked_up(f"{DAY}#run-7", snapshot, influence=influence).excerpt is None
        assert looked_up(f"{DAY}#run-8", snapshot, influence=influence).excerpt == "Else."

    def test_the_segment_beside_it_is_not(self) -> None:
        assert "Conclusion two." in str(self.read(f"{DAY}#run-8", archive=[f"{DAY}#run-7"]).excerpt)

    @pytest.mark.parametrize("scope", [{"archive": [f"{DAY}#run-7"]}, {"ids": ["mem-2026-05-20-001"]}])
    def test_a_day_is_excerpted_without_what_is_covered(self, scope: dict[str, list[str]]) -> None:
        found = self.read(DAY, **scope)
        assert found.excerpt == "Conclusion two.\nNobody gave this an id."
        assert "left out" in found.reason

    def test_a_copy_under_another_id_that_says_the_same_is_withheld(self) -> None:
        text = "- [mem-2026-05-21-001] conclusion  one\n- [mem-2026-05-21-002] Something else."
        snapshot = root(
            item("mem-2026-05-20-001", "Conclusion one."),
            archive=[day(text, "2026-05-21")],
            controls=[withdraw("wd-1", ["mem-2026-05-20-001"])],
        )
        influence = resolve_influence(snapshot)
        assert looked_up("archive/2026-05-21.md", snapshot, influence=influence).excerpt == "Something else."

    def test_prose_that_repeats_it_is_withheld(self) -> None:
        snapshot = root(
            item("mem-2026-05-20-001", "Conclusion one."),
            archive=[day("## talk\nAna repeats: conclusion one.\n", "2026-05-21")],
            controls=[withdraw("wd-1", ["mem-2026-05-20-001"])],
        )
        found = looked_up("archive/2026-05-21.md#talk", snapshot, influence=resolve_influence(snapshot))
        assert found.excerpt is None

    def test_an_item_is_withheld(self) -> None:
        assert self.read("mem-2026-05-20-001", ids=["mem-2026-05-20-001"]).excerpt is None
        assert self.read("mem-2026-05-20-002", ids=["mem-2026-05-20-001"]).excerpt == "Conclusion two."
