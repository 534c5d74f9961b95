"""The sample memory is wrong on purpose in known places, and true everywhere else."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from core.authority import Actor, Role
from core.duplicates import suggest_duplicates
from core.engine import Engine
from core.events import fold
from core.places import standing_of
from core.reading import Reading
from core.requests import Reinstate
from core.vocabulary import ControlState, Kind, Standing, Status
from stores.markdown import MarkdownStore
from stores.markdown.document import parse_document, render
from stores.markdown.reader import Reader
from stores.pins import Pins
from tests.tui.driving import opened
from tui.cli import main
from tui.present import age_words

ROOT = Path(__file__).parents[2] / "tui" / "sample" / "memory"
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
TODAY = "2026-06-03"

DOCUMENTATION = [ip_network(net) for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")]  # RFC 5737


@pytest.fixture(scope="module")
def reading() -> Reading:
    """The sample as somebody reads it who has confirmed its owner."""
    snapshot, _ = Reader(str(ROOT)).read()
    return Reading(replace(snapshot, binding=replace(snapshot.binding, owners_state="confirmed")), today=TODAY)


def test_it_holds_enough_to_look_at(reading: Reading) -> None:
    snapshot = reading.snapshot
    assert len(snapshot.items) == 166
    assert len(snapshot.topics) == 8
    assert [day.date for day in snapshot.archive][:1] == ["2026-05-11"]
    assert [day.date for day in snapshot.archive][-1:] == ["2026-06-02"]
    assert len(snapshot.archive) == 17
    assert len(snapshot.standing(Standing.INBOX)) == 5
    assert len(snapshot.standing(Standing.HISTORICAL)) == 5
    assert len(snapshot.standing(Standing.HELD)) == 3
    assert Counter(item.status for item in snapshot.items) == {
        Status.ACTIVE: 143,
        Status.SUPERSEDED: 11,
        Status.PENDING_CLEANUP: 8,
        Status.STALE: 3,
        None: 1,
    }


def test_a_third_of_it_is_chinese(reading: Reading) -> None:
    chinese = [item for item in reading.snapshot.items if re.search(r"[\u4e00-\u9fff]{4}", item.text)]
    assert 0.3 <= len(chinese) / len(reading.snapshot.items) <= 0.4


def test_it_is_wrong_in_the_intended_places_and_nowhere_else(reading: Reading) -> None:
    found = {(finding.code, finding.id or "", finding.file or "") for finding in reading.findings}
    farm, guide = "topics/build-farm.md", "topics/值班手册.md"
    assert found == {
        # noted by hand before there was a schema
        ("legacy-marker", "", farm),
        ("missing-id", "", farm),
        ("missing-kind", "", farm),
        ("legacy-marker", "mem-2026-05-12-010", guide),
        ("legacy-marker", "", guide),
        ("missing-id", "", guide),
        ("missing-kind", "", guide),
        # fields that somebody forgot, or made up
        ("missing-kind", "mem-2026-05-13-010", "topics/releases.md"),
        ("missing-source", "mem-2026-05-25-011", "topics/team-preferences.md"),
        ("missing-subject", "mem-2026-05-26-008", "topics/docs-site.md"),
        ("unknown-status", "mem-2026-05-20-011", "topics/releases.md"),
        ("dangling-pointer", "mem-2026-05-18-006", "topics/observability.md"),
        # sources that do not resolve: a day that was never archived, a heading that is called otherwise
        ("source-not-found", "mem-2026-05-17-001", "topics/gateway.md"),
        ("source-not-found", "mem-2026-05-21-002", "topics/gateway.md"),
        # work left undone
        ("missing-trigger", "", "topics/observability.md"),
        ("undistilled-archive", "", "archive/2026-06-02.md"),
        # a made-up key, and two events about one scope that know nothing of each other
        ("secret-in-memory", "mem-2026-05-28-006", farm),
        ("control-unordered", "memwd-2026-05-27-001", "log.md"),
    }
    assert Counter(finding.code for finding in reading.findings)["missing-id"] == 3


def test_two_rows_and_a_refuted_lesson_wait_to_be_settled(reading: Reading) -> None:
    assert {(conflict.type, conflict.subject, conflict.rows, conflict.suggested) for conflict in reading.conflicts} == {
        (
            "two-active",
            "gateway:upstream-timeout",
            ("mem-2026-05-20-001", "mem-2026-06-03-001"),
            "mem-2026-06-03-001",
        ),
        ("refuted-knowledge", None, ("mem-2026-05-11-001", "mem-2026-05-20-002"), None),
        ("dangling-pointer", "observability:scrape-interval", ("mem-2026-05-18-006",), None),
        ("unordered-controls", None, (), None),
    }
    assert not any(conflict.acknowledged for conflict in reading.conflicts)
    assert reading.snapshot.by_id["mem-2026-06-03-001"][0].standing is Standing.INBOX


def test_near_duplicates_in_both_languages_some_of_which_say_the_opposite(reading: Reading) -> None:
    found = suggest_duplicates(reading.snapshot, reading.influence)
    assert {(pair.a, pair.b, pair.opposed) for pair in found} == {
        ("mem-2026-05-20-010", "mem-2026-05-27-005", False),
        ("mem-2026-05-20-012", "mem-2026-05-27-006", False),
        ("mem-2026-05-21-008", "mem-2026-05-28-009", True),
        ("mem-2026-05-22-006", "mem-2026-05-26-004", True),
    }


def test_three_withdrawal_chains_one_of_each_kind(reading: Reading) -> None:
    unresolved, withdrawn, reinstated = reading.influence.chains
    assert unresolved.unresolved
    assert unresolved.heads == ("memwd-2026-05-27-001", "memwd-2026-05-28-001")
    assert [view.record.withdrawal_id for view in withdrawn.views] == ["memwd-2026-06-02-001"]
    assert set(withdrawn.views[0].excludes) == {"mem-2026-05-18-001", "mem-2026-05-18-002", "mem-2026-05-20-005"}
    assert [(view.record.action, view.state) for view in reinstated.views] == [
        ("withdraw", ControlState.SUPERSEDED),
        ("reinstate", ControlState.CONTROLS),
    ]
    assert reinstated.head == "memwd-2026-05-26-001"
    assert reading.influence.excluded_ids == {
        "mem-2026-05-14-003",
        "mem-2026-05-14-004",
        "mem-2026-05-18-001",
        "mem-2026-05-18-002",
        "mem-2026-05-20-005",
    }


def test_what_was_withdrawn_goes_back_to_where_it_stood(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    shutil.copytree(ROOT, root)
    store = MarkdownStore(str(root), pins=Pins(str(root), folder=str(tmp_path / "config")))
    store.confirm_owners()
    engine = Engine(store, clock=lambda: datetime(2026, 6, 3, 4, 0, tzinfo=UTC))
    ana = Actor(Role.OWNER, "ana")
    plan = engine.plan(Reinstate("memwd-2026-06-02-001"), ana)
    engine.commit(plan, engine.decide(plan, ana))
    page = (root / "topics" / "gateway.md").read_text(encoding="utf-8")
    ids = re.findall(r"^  - id: (\S+)", page[: page.index("## Pending cleanup")], re.MULTILINE)
    assert ids == sorted(ids)
    assert {"mem-2026-05-18-001", "mem-2026-05-18-002", "mem-2026-05-20-005"} < set(ids)


def test_the_queue_has_what_is_pending_first_and_of_differing_age(reading: Reading) -> None:
    pending = [entry for entry in reading.queue if entry.code == "pending-cleanup"]
    assert list(reading.queue[: len(pending)]) == pending
    assert len(pending) == 8
    assert len({entry.age_days for entry in pending}) >= 6


def test_what_one_repair_settles_waits_once(reading: Reading) -> None:
    repaired = [entry for entry in reading.queue if entry.proposed == "repair"]
    assert len({entry.item for entry in repaired}) == len(repaired) == 8
    assert Counter(len(entry.findings) for entry in repaired) == {1: 6, 3: 2}
    assert len(reading.queue) == 26


async def test_the_console_and_the_command_line_count_alike_whoever_owns_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(shutil.copytree(ROOT, tmp_path / "memory"))
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))
    for owners in ("unconfirmed", "confirmed"):
        main(["status", "--root", root, "--json"])
        status = json.loads(capsys.readouterr().out)
        assert (status["owners_state"], status["waiting"]) == (owners, 26)
        async with opened(MarkdownStore(root), now=datetime.now(UTC), size=(200, 50)) as desk:
            await desk.press("2")
            assert "26 wait" in desk.text
            assert f"oldest waits {age_words(status['oldest_wait_days'])}" in desk.text
        binding = MarkdownStore(root).declared_binding()
        Pins(root).confirm(binding.id, binding.owners)


def test_the_replay_records_say_what_the_files_say(reading: Reading) -> None:
    snapshot = reading.snapshot
    assert [event.type for event in snapshot.events] == ["review", "pending-cleanup", "pending-cleanup", "withdraw"]
    replayed = fold({}, snapshot.events)
    assert replayed == {id: dict(snapshot.by_id[id][0].record()) for id in replayed}
    logged = [entry.id for entry in snapshot.log]
    assert all(event.id in logged for event in snapshot.events)
    assert len(set(logged)) == len(logged)
    assert [entry.at for entry in snapshot.log] == sorted(entry.at for entry in snapshot.log)


def test_ids_are_borne_once_and_everything_named_is_there(reading: Reading) -> None:
    snapshot = reading.snapshot
    assert all(len(bearers) == 1 for bearers in snapshot.by_id.values())
    archived = {copy.id for day in snapshot.archive for copy in day.copies}
    for item in snapshot.items:
        for named in (item.merged_into, *item.conflicts_with):
            assert named is None or named in snapshot.by_id
        if item.id is not None and item.standing is not Standing.INBOX and item.merged_into is None:
            folded = any(other.merged_into == item.id for other in snapshot.items)
            assert item.id in archived or folded or item.id == "mem-2026-05-17-001"
    for proposal in snapshot.proposals:
        for ref in proposal.supporting_refs:
            assert ref in snapshot.by_id or (ROOT / ref.partition("#")[0]).is_file()


def test_a_superseded_row_is_older_than_its_successor_of_the_same_subject(reading: Reading) -> None:
    by_id = reading.snapshot.by_id
    chained = [item for item in reading.snapshot.items if item.superseded_by in by_id]
    assert len(chained) == 10
    for item in chained:
        (successor,) = by_id[str(item.superseded_by)]
        assert (item.kind, item.subject) == (Kind.STATE, successor.subject)
        assert str(item.date) < str(successor.date)


def test_the_index_stays_within_its_limits_and_names_what_it_must(reading: Reading) -> None:
    index = reading.snapshot.index
    assert index.lines < reading.snapshot.binding.limits.index_lines
    assert len(index.recent) == reading.snapshot.binding.limits.recent_entries
    assert len(index.topic_map) == 7
    pending = [item.id for item in reading.snapshot.items if item.status is Status.PENDING_CLEANUP]
    assert sorted(str(line.target) for line in index.pending) == sorted(str(id) for id in pending)
    assert [line.target for line in index.withdrawn] == [
        "mem-2026-05-14-003",
        "mem-2026-05-14-004",
        "mem-2026-05-18-001",
        "mem-2026-05-18-002",
    ]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".md")])
def test_every_page_reads_and_renders_to_the_same_bytes(name: str) -> None:
    data = (ROOT / name).read_bytes()
    document = parse_document(name, data, standing_of(name, None))
    assert render(document) == data
    assert document.unwritable == ""


def test_nothing_in_it_could_be_a_real_host_or_key() -> None:
    for name in FILES:
        text = (ROOT / name).read_text(encoding="utf-8")
        for address in re.findall(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", text):
            assert any(ip_address(address) in net for net in DOCUMENTATION), (name, address)
        for host in re.findall(r"https?://([\w.-]+)", text):
            assert host.endswith("example.com"), (name, host)
        assert set(re.findall(r"AKIA\w+", text)) <= {"AKIAIOSFODNN7EXAMPLE"}, name
