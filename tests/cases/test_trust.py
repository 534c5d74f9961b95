"""Cases 21 to 44: what is believed, what is excluded, and what waits for a human."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.controls import Scope
from core.errors import Refused
from core.requests import Clear, Pend, Reconcile, Repair, Stale, Supersede, Withdraw
from core.retrieval import retrieve
from core.sources import parse_source, resolve
from core.supersede import live_row, near_subjects
from core.vocabulary import ControlState
from tests.cases.case import ANA, BINDING, Case, control, item

ONE, TWO = "mem-2026-05-20-001", "mem-2026-05-20-002"
CONCLUSIONS = item(ONE, "Conclusion one.", source="archive/2026-05-20.md#run-7") + item(
    TWO, "Conclusion two.", source="archive/2026-05-20.md#run-8"
)
DAY = (
    "# 2026-05-20\n\n## Run 7\n\n"
    f"- [2026-05-20] [{ONE}] (knowledge) Conclusion one. Source: run 7.\n\n## Run 8\n\n"
    f"- [2026-05-20] [{TWO}] (knowledge) Conclusion two. Source: run 8.\n"
)


def withdrawn(tmp_path: Path, *events: str, more: str = "", owners: bool = False) -> Case:
    files = {
        "topics/t.md": CONCLUSIONS + more,
        "archive/2026-05-20.md": DAY,
        "log.md": "".join(events),
        "index.md": "# Memory Index\n\n## Topic Map\n\n- t.md — Read when testing.\n",
    }
    return Case(tmp_path, files, owners=owners)


def excluded(case: Case) -> set[str]:
    reading = case.reading()
    return {str(one.id) for one in reading.snapshot.items if not reading.influence.eligible(one.key)}


def states(case: Case) -> list[ControlState]:
    return [view.state for view in case.reading().influence.controls]


# 21 to 27: rows, kinds and chains


def test_21_two_items_of_one_id(tmp_path: Path) -> None:
    first, second = item("mem-2026-06-01-003", "First."), item("mem-2026-06-01-003", "Second.")
    case = Case(tmp_path, {"topics/a.md": first, "topics/b.md": second}, owners=True)
    assert [one.text for one in case.items] == ["First.", "Second."]
    assert "two-items-one-id" in case.codes()
    for request in (Stale(("mem-2026-06-01-003",)), Pend((case.items[0].key,))):
        with pytest.raises(Refused):
            case.plan(request)
    case.do(Withdraw(Scope(frozenset({"mem-2026-06-01-003"}))), ANA)
    assert excluded(case) == {"mem-2026-06-01-003"}
    assert not any(case.reading().influence.eligible(one.key) for one in case.items)


def test_22_near_subjects_are_listed_and_never_linked(tmp_path: Path) -> None:
    subjects = ("host:public-ip", "host:public-ip:v6", "Host:public-ip", "host: public-ip")
    page = "".join(
        item(f"mem-2026-06-02-00{number}", f"Address {number}.", kind="state", subject=subject)
        for number, subject in enumerate(subjects)
    )
    case = Case(tmp_path, {"topics/e.md": page})
    (group,) = near_subjects(case.store.snapshot())
    assert set(group) == set(subjects)
    assert "near-subjects" in case.codes()
    assert [one for one in case.reading().conflicts if one.type == "two-active"] == []
    with pytest.raises(Refused):
        case.plan(Supersede("mem-2026-06-02-000", "mem-2026-06-02-002"))


def test_23_two_active_rows_one_in_the_inbox(tmp_path: Path) -> None:
    old, new = "mem-2026-05-01-009", "mem-2026-06-03-001"
    case = Case(
        tmp_path,
        {
            "topics/e.md": item(old, "Port is 8080.", kind="state", subject="app:port"),
            "memory.md": f"- [2026-06-03] [{new}] (state) Port is 9090. Subject: app:port. Source: deploy log.\n",
        },
    )
    reading = case.reading()
    (conflict,) = [one for one in reading.conflicts if one.type == "two-active"]
    assert (conflict.subject, conflict.rows, conflict.suggested) == ("app:port", (old, new), new)
    served = retrieve(reading.snapshot, reading.influence, "port")
    framing = {one.item: one.framing for one in served.served}
    assert (framing[new], framing[old]) == ("current", "history")
    before = case.tree()
    case.do(Reconcile((old, new), "deploy log 2026-06-03", current=new))
    assert case.item(old).superseded_by == new
    assert case.bytes("memory.md") == before["memory.md"]


def test_24_supersede_asks_for_both_kinds(tmp_path: Path) -> None:
    lesson, unsaid, fresh = "mem-2026-05-01-010", "mem-2026-05-02-010", "mem-2026-06-03-002"
    page = item(lesson, "Retries hide timeouts.", subject="net:retries") + (
        f"- [2026-05-02] Retries are 3.\n  - id: {unsaid}\n  - subject: net:retries\n  - Source: config\n"
    )
    inbox = f"- [2026-06-03] [{fresh}] (state) Retries are 5. Subject: net:retries. Source: config review.\n"
    case = Case(tmp_path, {"topics/e.md": page, "memory.md": inbox})
    for prior in (lesson, unsaid):
        with pytest.raises(Refused):
            case.plan(Supersede(prior, fresh))
    assert case.bytes("topics/e.md") == page.encode()


def test_26_broken_chains_end(tmp_path: Path) -> None:
    def row(number: int, status: str, by: str = "") -> str:
        more = f"  - superseded_by: {by}" if by else ""
        return item(f"mem-2026-05-01-02{number}", "x", kind="state", subject=f"s:{number}", status=status, more=more)

    page = (
        row(1, "superseded", "mem-2026-05-09-999")
        + row(2, "superseded", "mem-2026-05-01-023")
        + row(3, "superseded", "mem-2026-05-01-022")
        + row(4, "superseded")
        + row(5, "active", "mem-2026-05-01-024")
    )
    case = Case(tmp_path, {"topics/c.md": page})
    broken = ("dangling-pointer", "pointer-cycle", "superseded-without-pointer", "pointer-without-status")
    assert [code for code in broken if code in case.codes()] == list(broken)
    for one in case.items:
        live_row(case.store.snapshot(), str(one.id))


# 28 to 37: withdrawals


def test_28_one_item_withdrawn(tmp_path: Path) -> None:
    case = withdrawn(tmp_path, control("2026-06-10-001", "withdraw", ids=ONE))
    reading = case.reading()
    assert excluded(case) == {ONE}
    assert reading.text_of(case.item(ONE)) is None
    assert [view.excludes for view in reading.influence.controls] == [(ONE,)]
    assert ONE not in {one.item for one in retrieve(reading.snapshot, reading.influence, None).served}
    (ref,) = parse_source("archive/2026-05-20.md#run-7")
    assert "Conclusion" not in str(resolve(reading.snapshot, ref, reading.influence).excerpt)
    assert ONE not in {one.item for one in reading.queue}


def test_29_scopes_are_compared_in_normal_form(tmp_path: Path) -> None:
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw", ids=f"{ONE}, {TWO}"),
        control("2026-06-11-001", "reinstate", ids=f"{TWO}, {ONE}, {TWO}", supersedes="memwd-2026-06-10-001"),
    )
    assert excluded(case) == set()


def test_30_a_smaller_scope_controls_nothing(tmp_path: Path) -> None:
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw", ids=f"{ONE}, {TWO}"),
        control("2026-06-11-001", "reinstate", ids=ONE, supersedes="memwd-2026-06-10-001"),
    )
    assert excluded(case) == {ONE, TWO}
    (finding,) = [one for one in case.reading().findings if one.id == "memwd-2026-06-11-001"]
    assert "scope" in finding.message


def test_31_the_chain_decides_not_the_clock(tmp_path: Path) -> None:
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw", ids=ONE),
        control("2026-06-09-001", "reinstate", ids=ONE, supersedes="memwd-2026-06-10-001", at="2026-06-09T10:00:00Z"),
    )
    assert excluded(case) == set()


def test_32_unordered_events_exclude(tmp_path: Path) -> None:
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw", ids=ONE),
        control("2026-06-11-001", "reinstate", ids=ONE, supersedes="memwd-2026-06-10-001"),
        control("2026-06-12-001", "withdraw", ids=ONE),
    )
    assert excluded(case) == {ONE}
    assert ControlState.UNRESOLVED in states(case)
    assert "unordered-controls" in {one.type for one in case.reading().conflicts}


def test_33_any_scope_that_covers_it_excludes(tmp_path: Path) -> None:
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw", ids=ONE),
        control("2026-06-10-002", "withdraw", archive="archive/2026-05-20.md#run-7"),
        control("2026-06-11-001", "reinstate", ids=ONE, supersedes="memwd-2026-06-10-001"),
    )
    assert excluded(case) == {ONE}
    assert case.reading().influence.verdict(ONE).by == ("memwd-2026-06-10-002",)


def test_34_a_whole_day(tmp_path: Path) -> None:
    case = withdrawn(tmp_path, control("2026-06-10-001", "withdraw", archive="archive/2026-05-20.md"))
    assert excluded(case) == {ONE, TWO}
    assert "undistilled-archive" not in case.codes()


def test_35_a_fold_of_what_is_withdrawn(tmp_path: Path) -> None:
    folded = item("mem-2026-05-21-001", "Folded.", source="archive/2026-05-20.md#run-7, archive/2026-05-19.md")
    case = withdrawn(
        tmp_path, control("2026-06-10-001", "withdraw", archive="archive/2026-05-20.md#run-7"), more=folded
    )
    assert excluded(case) == {ONE, "mem-2026-05-21-001"}
    assert "merged-from-withdrawn" in case.codes()


def test_36_reinstated_by_no_owner(tmp_path: Path) -> None:
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw", ids=ONE),
        control("2026-06-11-001", "reinstate", ids=ONE, by="owner:bob", supersedes="memwd-2026-06-10-001"),
        owners=True,
    )
    assert excluded(case) == {ONE}
    (finding,) = [one for one in case.reading().findings if one.id == "memwd-2026-06-11-001"]
    assert "bob" in finding.message
    assert "ana" in finding.message + finding.remedy
    assert ControlState.UNRESOLVED in states(case)


def test_37_records_that_cannot_be_read_never_re_admit(tmp_path: Path) -> None:
    cut = control("2026-06-10-003", "withdraw", ids=TWO).split("  reason:")[0]
    case = withdrawn(
        tmp_path,
        control("2026-06-10-001", "withdraw"),
        control("2026-06-10-002", "retire", ids=ONE),
        cut,
    )
    assert TWO in excluded(case)
    chains = case.reading().influence.chains
    assert chains[0].views[0].record.withdrawal_id == "memwd-2026-06-10-003"
    about = {one.id for one in case.reading().findings}
    assert {f"memwd-2026-06-10-00{number}" for number in (1, 2, 3)} <= about


# 38 to 44: pages, copies, secrets


def test_38_an_index_too_long(tmp_path: Path) -> None:
    entries = [f"- [2026-05-01] (state) Entry {n}: the port is {8000 + n}. → topics/e.md" for n in range(255)]
    entries[236] = "- [2026-06-01] (state) CORRECTION to entry 6: the port is 9000. → topics/e.md"
    case = Case(tmp_path, {"index.md": "# Memory Index\n\n## Recent Activity\n\n" + "\n".join(entries) + "\n"})
    index = case.store.snapshot().index
    assert index.lines == 259
    assert "index-too-long" in case.codes()
    assert "CORRECTION" in index.beyond_limit[0].text
    assert all(line.line > 200 for line in index.beyond_limit)


def test_39_a_hand_written_index(tmp_path: Path) -> None:
    page = (
        "# My memory\n\n> read this first\n\n| area | page |\n| --- | --- |\n| deploy | topics/deploy.md |\n\n"
        "## Topic Map\n\n- deploy.md — Read when deploying.   \n\n<!-- do not touch -->\n"
    )
    case = Case(tmp_path, {"index.md": page, "topics/deploy.md": item("mem-2026-05-01-001", "Tag first.")})
    case.do(Pend(("mem-2026-05-01-001",)))
    after = case.bytes("index.md").decode()
    assert after.startswith(page)
    assert "## Pending Cleanup" in after[len(page) :]
    assert "mem-2026-05-01-001" in after[len(page) :]
    case.do(Clear(("mem-2026-05-01-001",)))
    assert case.bytes("index.md").decode().startswith(page)
    assert "mem-2026-05-01-001" not in case.bytes("index.md").decode()


def test_40_conflicted_copies(tmp_path: Path) -> None:
    row = item("mem-2026-05-01-031", "x", kind="state", subject="s:x")
    case = Case(
        tmp_path,
        {
            "topics/env.md": row,
            "topics/env (conflicted copy 2026-05-12).md": row,
            "topics/env.sync-conflict-20260512-003022-FUKIKK4.md": row,
            "topics/w.md": "# W\n\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n",
        },
    )
    assert [one.place.file for one in case.items] == ["topics/env.md"]
    assert [one.name for one in case.store.snapshot().topics] == ["env", "w"]
    assert case.codes().count("conflicted-copy") == 2
    assert "merge-markers" in case.codes()
    assert {"conflicted-copy", "merge-markers"} <= {one.type for one in case.reading().conflicts}


def test_43_a_lost_rewrite(tmp_path: Path) -> None:
    page = "# W\n\n- [2026-05-01] (knowledge) Tag first.\n\n[... rest of the existing content remains the same ...]\n"
    case = Case(tmp_path, {"topics/gone.md": page})
    assert case.lines("lost-rewrite") == [5]


def test_44_secrets_are_flagged_and_never_copied(tmp_path: Path) -> None:
    inbox = (
        "- [2026-06-07] [mem-2026-06-07-001] (state) The key is AKIAIOSFODNN7EXAMPLE. Subject: d:key. Source: chat.\n"
        "- [2026-06-07] [mem-2026-06-07-002] (state) password = made-up-99. Subject: db:pw. Source: chat.\n"
    )
    case = Case(tmp_path, {"memory.md": inbox})
    assert case.codes().count("secret-in-memory") == 2
    case.do(Stale(("mem-2026-06-07-001", "mem-2026-06-07-002")))
    written = {name: data for name, data in case.tree().items() if name != "memory.md"}
    assert any(name.startswith("log") for name in written)
    assert not any(b"AKIAIOSFODNN7EXAMPLE" in data or b"made-up-99" in data for data in written.values())


def test_withdrawing_says_so_where_an_agent_reads_first(tmp_path: Path) -> None:
    case = withdrawn(tmp_path, owners=True)
    case.do(Withdraw(Scope(frozenset({ONE}))), ANA)
    index = case.bytes("index.md").decode()
    assert ONE in index.split("## Withdrawn")[1]
    assert "Conclusion one" not in index + case.bytes("topics/t.md").decode() + case.bytes("log.md").decode()
    assert BINDING.encode() == case.bytes("assay.toml")


def test_repair_of_the_second_bearer_leaves_the_first(tmp_path: Path) -> None:
    first, second = item("mem-2026-06-01-003", "First."), item("mem-2026-06-01-003", "Second.")
    case = Case(tmp_path, {"topics/a.md": first, "topics/b.md": second})
    case.do(Repair(case.items[1].key, new_id=True))
    assert case.bytes("topics/a.md") == first.encode()
    assert case.bytes("topics/b.md") == second.replace("01-003", "01-004").encode()
