"""What holds of withdrawals whatever the records say (§12.2): no order, no clock, and never open in doubt."""

from __future__ import annotations

import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.controls import ControlRecord
from core.eligibility import Influence
from core.influence import resolve_influence
from core.snapshot import Snapshot
from tests.core.build import day, item, root, scope, withdraw

IDS = ("mem-2026-05-20-001", "mem-2026-05-20-002", "mem-2026-05-20-003", "mem-2026-05-20-004")
CONTROLS = ("wd-1", "wd-2", "wd-3", "wd-4", "wd-5")
DAY = day(
    f"## run-7\n- [{IDS[0]}] One.\n- [{IDS[2]}] Three.\n## run-8\n- [{IDS[1]}] Two.\n- [{IDS[2]}] Three.\n",
    "2026-05-20",
)

scopes = st.builds(
    scope,
    st.lists(st.sampled_from(IDS), max_size=2),
    st.lists(
        st.sampled_from(["archive/2026-05-20.md", "archive/2026-05-20.md#run-7", "archive/2026-05-20.md#run-8"]),
        max_size=1,
    ),
    st.lists(st.sampled_from(["run-7", "run-9"]), max_size=1),
)
few_scopes = st.sampled_from([scope(IDS[:1]), scope(IDS[:2]), scope((), ["archive/2026-05-20.md#run-7"])])


@st.composite
def records(draw: st.DrawFn, *, bad: bool = False) -> ControlRecord:
    action = draw(st.sampled_from(["withdraw", "reinstate"]))
    record = withdraw(
        draw(st.sampled_from(CONTROLS)),
        supersedes=tuple(draw(st.lists(st.sampled_from(CONTROLS), max_size=3))),
        by=draw(st.sampled_from(["owner:ana", "owner:ana", "owner:ana", "bob", ""])),
        at=draw(st.sampled_from(["2026-06-10", "2026-06-09", "yesterday"])),
        action=action,
        effect="exclude-from-influence" if action == "withdraw" else "restore-eligibility",
        scope=draw(st.one_of(few_scopes, few_scopes, scopes)),
    )
    spoilt = draw(st.sampled_from(["unreadable", "action", "effect", "record_type"])) if bad else ""
    if spoilt == "unreadable":
        return replace(record, unreadable="cut")
    if spoilt == "effect":
        return replace(record, effect="exclude-from-influence" if action == "reinstate" else "restore-eligibility")
    return replace(record, **{spoilt: "unknown"}) if spoilt else record


many = st.lists(st.one_of(records(), records(), records(), records(bad=True)), max_size=7)


def case(controls: list[ControlRecord]) -> Snapshot:
    return root(
        item(IDS[0], "One.", source="archive/2026-05-20.md#run-7"),
        item(IDS[1], "Two.", source="archive/2026-05-20.md", merged_into=IDS[3]),
        item(IDS[2], "Three.", source="run-9"),
        item(IDS[3], "Four.", source=f"{IDS[0]}, archive/2026-05-20.md#run-8"),
        controls=controls,
        archive=[DAY],
    )


def eligible(influence: Influence) -> set[str]:
    return {key for key in IDS if influence.eligible(key)}


@settings(max_examples=250, deadline=None)
@given(many, st.randoms(use_true_random=False))
def test_order_and_repeats_of_records_do_not_matter(controls: list[ControlRecord], random: object) -> None:
    first = resolve_influence(case(controls))
    shuffled = [*controls, *controls[:2]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    shuffled = [replace(record, supersedes=tuple(reversed(record.supersedes))) for record in shuffled]
    second = resolve_influence(case(shuffled))
    assert {key: first.verdict(key) for key in IDS} == {key: second.verdict(key) for key in IDS}
    assert [(chain.scope, chain.head, chain.heads, chain.unresolved) for chain in first.chains] == [
        (chain.scope, chain.head, chain.heads, chain.unresolved) for chain in second.chains
    ]
    assert [(v.record.withdrawal_id, v.state, v.reason) for v in first.controls] == [
        (v.record.withdrawal_id, v.state, v.reason) for v in second.controls
    ]
    assert {(f.code, f.message) for f in first.findings} == {(f.code, f.message) for f in second.findings}


@settings(max_examples=350, deadline=None)
@given(many, records(bad=True))
def test_a_record_that_cannot_be_relied_on_never_readmits(controls: list[ControlRecord], bad: ControlRecord) -> None:
    before = eligible(resolve_influence(case(controls)))
    after = eligible(resolve_influence(case([*controls, bad])))
    assert after <= before


@settings(max_examples=200, deadline=None)
@given(many, st.data())
def test_a_record_that_is_damaged_never_readmits(controls: list[ControlRecord], data: st.DataObject) -> None:
    if not controls:
        return
    at = data.draw(st.integers(0, len(controls) - 1))
    damaged = [*controls[:at], replace(controls[at], unreadable="cut"), *controls[at + 1 :]]
    before, after = resolve_influence(case(controls)), resolve_influence(case(damaged))
    readmitted = eligible(after) - eligible(before)
    assert not readmitted


@settings(max_examples=200, deadline=None)
@given(many)
def test_what_is_excluded_has_a_reason_and_what_is_unresolved_a_finding(controls: list[ControlRecord]) -> None:
    influence = resolve_influence(case(controls))
    for key in IDS:
        verdict = influence.verdict(key)
        assert verdict.eligible or (verdict.why and verdict.by)
    for chain in influence.chains:
        named = {view.record.withdrawal_id for view in chain.views}
        if chain.unresolved:
            assert any(any(id in finding.message for id in named) for finding in influence.findings)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.builds(
            ControlRecord,
            st.text(max_size=5),
            st.text(max_size=5),
            st.builds(
                scope, st.lists(st.text(max_size=4)), st.lists(st.text(max_size=9)), st.lists(st.text(max_size=4))
            ),
            st.text(max_size=3),
            st.text(max_size=9),
            st.text(max_size=3),
            st.text(max_size=3),
            st.lists(st.text(max_size=5)).map(tuple),
        ),
        max_size=4,
    ),
    st.lists(st.tuples(st.one_of(st.none(), st.text(max_size=5)), st.text(max_size=30)), max_size=4),
)
def test_nothing_that_is_written_makes_it_raise(controls: list[ControlRecord], written: list[tuple[str, str]]) -> None:
    snapshot = root(*(item(id, source=source) for id, source in written), controls=controls, archive=[DAY])
    influence = resolve_influence(snapshot)
    assert all(influence.verdict(one.key) is not None for one in snapshot.items)


def test_the_time_grows_with_items_and_records_not_with_their_product() -> None:
    few, many_ = (min(_seconds(_large(count)) for _ in range(3)) for count in (1_000, 8_000))
    assert many_ < 20 * few, f"{many_:.3f} s for 8 times what took {few:.3f} s"


def _large(count: int) -> Snapshot:
    items = [
        item(f"mem-2026-05-01-{n:05d}", f"Lesson {n}.", source=f"archive/2026-{n % 12 + 1:02d}-01.md#run-{n}")
        for n in range(count)
    ]
    controls = [withdraw(f"wd-{n}", [items[n * 20].id or ""]) for n in range(count // 20)]
    controls += [withdraw(f"wd-a{n}", archive=[f"archive/2026-01-01.md#run-{n}"]) for n in range(count // 20)]
    controls += [withdraw(f"wd-r{n}", runs=[f"run-{n}"]) for n in range(count // 20)]
    return root(*items, controls=controls)


def _seconds(snapshot: Snapshot) -> float:
    assert len(snapshot.by_key) == len(snapshot.items)
    begin = time.process_time()
    influence = resolve_influence(snapshot)
    spent = time.process_time() - begin
    assert len(influence.verdicts) >= len(snapshot.items) // 20
    return spent
