"""Outside writes around a decision: nothing of theirs is lost, nothing is applied blindly, nothing comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.controls import Scope
from core.errors import PlanChanged, StrangerConflict, WriteRefused
from core.requests import Clear, Reinstate, Stale, Withdraw
from stores.markdown.store import MarkdownStore
from stores.pins import Pins
from tests.cases.case import ANA, Case, item
from tests.stores.faultport import FailAtPort, HookPort

ONE, TWO = "mem-2026-05-20-001", "mem-2026-05-20-002"
PAGE = "# T\n\n" + item(ONE, "First.") + item(TWO, "Second.")


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path, {"topics/t.md": PAGE, "index.md": "# Memory Index\n"}, owners=True)


def save(case: Case, name: str, text: str) -> None:
    """As editors save: a new file, renamed over the old one."""
    fresh = case.folder / (name + ".swap")
    fresh.write_text(text)
    os.replace(fresh, case.folder / name)


def test_an_edit_of_another_item_is_carried_along(case: Case) -> None:
    plan = case.plan(Stale((ONE,)))
    save(case, "topics/t.md", PAGE.replace("Second.", "Second, by hand."))
    case.commit(plan)
    expected = PAGE.replace("Second.", "Second, by hand.").replace("Status: active", "Status: stale", 1)
    assert case.bytes("topics/t.md").decode() == expected


def test_an_edit_of_the_item_itself_shows_the_plan_anew(case: Case) -> None:
    plan = case.plan(Stale((ONE,)))
    edited = PAGE.replace("First.", "First, by hand.")
    save(case, "topics/t.md", edited)
    with pytest.raises(PlanChanged) as error:
        case.commit(plan)
    assert case.bytes("topics/t.md").decode() == edited
    fresh = error.value.plan
    assert "First, by hand." in fresh.lines[0].text
    assert any(diff.path == "topics/t.md" and diff.before == edited.encode() for diff in fresh.previews)
    case.commit(fresh)
    assert case.bytes("topics/t.md").decode() == edited.replace("Status: active", "Status: stale", 1)


@pytest.mark.parametrize("place", ["First.", "Second.", "Status: active"])
def test_an_editors_save_in_the_instant_of_the_commit_stands(case: Case, tmp_path: Path, place: str) -> None:
    theirs = PAGE.replace(place, place + " (by hand)", 1)
    port = HookPort(before={("exchange", 1): lambda: save(case, "topics/t.md", theirs)})
    store = MarkdownStore(str(case.folder), pins=Pins(str(case.folder), folder=str(tmp_path / "config")), port=port)
    case.engine.store = store
    plan = case.plan(Stale((ONE,)))
    try:
        case.commit(plan)
        undone = None
    except StrangerConflict as error:
        undone = str(error)
    if undone is not None:
        assert "undone" in undone
        assert case.bytes("topics/t.md").decode() == theirs
        assert case.store.snapshot().events == ()
    else:
        assert place != "Status: active", "that is the very place the commit changes"
        assert case.bytes("topics/t.md").decode() == theirs.replace("Status: active", "Status: stale", 1)


def test_an_old_copy_saved_after_a_withdrawal_stays_excluded(case: Case) -> None:
    case.do(Withdraw(Scope(frozenset({ONE}))), ANA)
    assert "First." not in case.bytes("topics/t.md").decode()
    save(case, "topics/t.md", PAGE)
    reading = case.reading()
    assert [reading.influence.eligible(one.key) for one in reading.snapshot.by_id[ONE]] == [False, False]
    assert "withdrawn-copy-returned" in case.codes()
    case.do(Reinstate("memwd-2026-06-12-001"), ANA)
    reading = case.reading()
    assert case.bytes("topics/t.md").decode().count("First.") == 1
    eligible = [one for one in reading.snapshot.by_id[ONE] if reading.influence.eligible(one.key)]
    assert [one.place.file for one in eligible if not one.held] == ["topics/t.md"]


def test_a_full_disk_writes_nothing(case: Case, tmp_path: Path) -> None:
    before = case.tree()
    port = FailAtPort(1, 28, sticky=True)
    case.engine.store = MarkdownStore(
        str(case.folder), pins=Pins(str(case.folder), folder=str(tmp_path / "config")), port=port
    )
    with pytest.raises(WriteRefused) as error:
        case.do(Stale((ONE,)))
    assert error.value.remedy
    assert case.tree() == before


def test_a_link_is_written_through_and_a_read_only_file_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.md"
    inbox = "- [2026-06-03] [mem-2026-06-03-001] (knowledge) Drain first. Source: retro.\n"
    outside.write_text(inbox)
    outside.chmod(0o640)
    case = Case(
        tmp_path,
        {"assay.toml": f'[binding]\nid = "x"\n\n[links]\nallowed = ["{outside}"]\n', "topics/t.md": "# T\n"},
    )
    (case.folder / "memory.md").symlink_to(outside)
    case.do(Stale(("mem-2026-06-03-001",)))
    assert (case.folder / "memory.md").is_symlink()
    assert outside.read_text() == inbox + "  - Status: stale\n"
    assert outside.stat().st_mode & 0o777 == 0o640
    outside.chmod(0o444)
    with pytest.raises(WriteRefused) as error:
        case.do(Clear(("mem-2026-06-03-001",)))
    assert "memory.md" in str(error.value)
