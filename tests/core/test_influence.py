"""Withdrawal and reinstatement: who is excluded, and by which chain (§12.2)."""

from __future__ import annotations

import pytest

from core.binding import Owner
from core.controls import ControlRecord
from core.eligibility import Influence
from core.findings import Finding
from core.influence import resolve_influence
from core.items import MemoryItem, Place
from core.snapshot import IndexLine, IndexView
from core.vocabulary import ControlState, Severity
from tests.core.build import codes, day, item, reinstate, root, scope, withdraw

ONE, TWO = "mem-2026-05-20-001", "mem-2026-05-20-002"


def conclusions() -> tuple[MemoryItem, MemoryItem]:
    return (
        item(ONE, "Conclusion one.", source="archive/2026-05-20.md#run-7"),
        item(TWO, "Conclusion two.", source="archive/2026-05-20.md#run-8"),
    )


def judged(*controls: ControlRecord, **more: object) -> Influence:
    return resolve_influence(root(*conclusions(), controls=controls, **more))


def state_of(influence: Influence, id: str) -> ControlState:
    (state,) = {view.state for view in influence.controls if view.record.withdrawal_id == id}
    return state


def out(influence: Influence) -> list[str]:
    return sorted(key for key in (ONE, TWO) if not influence.eligible(key))


class TestOneChain:
    def test_a_root_without_records_excludes_nothing(self) -> None:
        influence = judged()
        assert out(influence) == []
        assert influence.verdict(ONE).eligible
        assert influence.chains == influence.findings == ()

    def test_a_withdrawal_excludes_what_it_names_and_nothing_else(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]))
        verdict = influence.verdict(ONE)
        assert (verdict.eligible, verdict.by) == (False, ("wd-1",))
        assert "wd-1" in verdict.why
        assert influence.eligible(TWO)
        assert influence.controlling(scope([ONE])) == "wd-1"
        assert influence.controls[0].excludes == (ONE,)
        assert influence.findings == ()

    def test_the_same_scope_in_other_words_reinstates(self) -> None:
        written = scope([TWO, ONE, TWO])
        influence = judged(withdraw("wd-1", [ONE, TWO]), reinstate("wd-2", "wd-1", [ONE, TWO], scope=written))
        assert out(influence) == []
        assert state_of(influence, "wd-1") is ControlState.SUPERSEDED
        assert state_of(influence, "wd-2") is ControlState.CONTROLS
        assert influence.controlling(written) is None
        assert influence.chains[0].head == "wd-2"
        assert influence.findings == ()

    def test_a_smaller_scope_reinstates_nothing(self) -> None:
        influence = judged(withdraw("wd-1", [ONE, TWO]), reinstate("wd-2", "wd-1", [ONE]))
        assert out(influence) == [ONE, TWO]
        assert state_of(influence, "wd-1") is ControlState.CONTROLS
        assert state_of(influence, "wd-2") is ControlState.INVALID
        assert codes(influence.findings) == ["control-scope-mismatch"]
        (chain,) = influence.chains
        assert [view.record.withdrawal_id for view in chain.views] == ["wd-1", "wd-2"]
        assert chain.unresolved
        assert chain.heads == ("wd-1",)

    def test_a_smaller_scope_is_no_longer_a_finding_once_the_whole_is_reinstated(self) -> None:
        influence = judged(
            withdraw("wd-1", [ONE, TWO]), reinstate("wd-2", "wd-1", [ONE]), reinstate("wd-3", "wd-1", [ONE, TWO])
        )
        assert out(influence) == []
        assert influence.findings == ()
        assert not influence.chains[0].unresolved

    def test_the_chain_decides_and_not_the_clock(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], at="2026-06-09T10:00:00+08:00"))
        assert out(influence) == []

    def test_a_later_withdrawal_that_names_the_reinstatement_excludes_again(self) -> None:
        influence = judged(
            withdraw("wd-1", [ONE]),
            reinstate("wd-2", "wd-1", [ONE]),
            withdraw("wd-3", [ONE], supersedes=("wd-2",)),
        )
        assert influence.verdict(ONE).by == ("wd-3",)
        assert [view.record.withdrawal_id for view in influence.chains[0].views] == ["wd-1", "wd-2", "wd-3"]
        assert influence.findings == ()

    def test_each_scope_keeps_its_own_gate(self) -> None:
        influence = judged(
            withdraw("wd-1", [ONE]),
            withdraw("wd-2", archive=["archive/2026-05-20.md#run-7"]),
            reinstate("wd-3", "wd-1", [ONE]),
        )
        assert influence.verdict(ONE).by == ("wd-2",)
        assert influence.eligible(TWO)

    def test_a_wider_withdrawal_does_not_replace_a_narrower_one(self) -> None:
        influence = judged(
            withdraw("wd-1", [ONE]),
            withdraw("wd-2", [ONE, TWO], supersedes=("wd-1",)),
            reinstate("wd-3", "wd-2", [ONE, TWO]),
        )
        assert out(influence) == [ONE]
        assert influence.verdict(ONE).by == ("wd-1",)

    def test_a_key_that_is_not_there_is_not_eligible(self) -> None:
        influence = judged()
        assert not influence.eligible("mem-2099-01-01-001")
        assert not influence.verdict("mem-2099-01-01-001").eligible


class TestInDoubt:
    def test_two_events_without_an_order(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE]), withdraw("wd-3", [ONE]))
        assert out(influence) == [ONE]
        assert state_of(influence, "wd-2") is state_of(influence, "wd-3") is ControlState.UNRESOLVED
        (chain,) = influence.chains
        assert (chain.unresolved, chain.head, chain.heads) == (True, None, ("wd-2", "wd-3"))
        assert chain.reinstatable
        assert codes(influence.findings) == ["control-unordered"]
        assert influence.controlling(scope([ONE])) is None

    @pytest.mark.parametrize("action", ["withdraw", "reinstate"])
    def test_a_settlement_names_all_heads(self, action: str) -> None:
        heads = ("wd-2", "wd-3")
        settled = withdraw("wd-4", [ONE], supersedes=heads) if action == "withdraw" else reinstate("wd-4", heads, [ONE])
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE]), withdraw("wd-3", [ONE]), settled)
        assert out(influence) == ([ONE] if action == "withdraw" else [])
        assert not influence.chains[0].unresolved
        assert influence.findings == ()

    def test_two_reinstatements_of_one_withdrawal_have_no_order_either(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE]), reinstate("wd-3", "wd-1", [ONE]))
        assert out(influence) == [ONE]
        assert influence.verdict(ONE).by == ("wd-2", "wd-3")

    def test_a_circle(self) -> None:
        influence = judged(withdraw("wd-1", [ONE], supersedes=("wd-2",)), reinstate("wd-2", "wd-1", [ONE]))
        assert out(influence) == [ONE]
        assert codes(influence.findings).count("control-cycle") == 2
        assert influence.chains[0].unresolved
        assert not influence.chains[0].reinstatable

    def test_a_longer_circle_and_what_hangs_on_it(self) -> None:
        influence = judged(
            withdraw("wd-1", [ONE], supersedes=("wd-3",)),
            reinstate("wd-2", "wd-1", [ONE]),
            withdraw("wd-3", [ONE], supersedes=("wd-2",)),
            withdraw("wd-0", [TWO], supersedes=("wd-1",)),
        )
        assert out(influence) == [ONE, TWO]
        circle = {finding.id for finding in influence.findings if finding.code == "control-cycle"}
        assert circle == {"wd-1", "wd-2", "wd-3"}

    def test_a_record_of_the_circle_that_was_cut_does_not_open_it(self) -> None:
        cut = withdraw("wd-1", [ONE], supersedes=("wd-2",), unreadable="cut")
        controls = (cut, reinstate("wd-2", "wd-3", [ONE]), withdraw("wd-3", [ONE], supersedes=("wd-1",)))
        assert out(judged(*controls)) == [ONE]

    def test_a_circle_is_settled_by_a_withdrawal_that_can_then_be_reinstated(self) -> None:
        circle = (withdraw("wd-1", [ONE], supersedes=("wd-2",)), reinstate("wd-2", "wd-1", [ONE]))
        settled = withdraw("wd-3", [ONE], supersedes=("wd-1", "wd-2"))
        assert judged(*circle, settled).chains[0].reinstatable
        assert out(judged(*circle, settled, reinstate("wd-4", "wd-3", [ONE]))) == []
        assert out(judged(*circle, reinstate("wd-4", ("wd-1", "wd-2"), [ONE]))) == [ONE]

    def test_a_reinstatement_of_what_is_not_there(self) -> None:
        influence = judged(reinstate("wd-2", "wd-1", [ONE]))
        assert out(influence) == [ONE]
        assert state_of(influence, "wd-2") is ControlState.UNRESOLVED
        assert codes(influence.findings) == ["control-dangling"]

    def test_a_reinstatement_that_names_nothing(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", (), [ONE]))
        assert out(influence) == [ONE]
        assert "control-dangling" in codes(influence.findings)

    def test_a_withdrawal_may_name_a_prior_that_is_lost(self) -> None:
        influence = judged(withdraw("wd-2", [ONE], supersedes=("wd-1",)))
        assert influence.verdict(ONE).by == ("wd-2",)
        assert not influence.chains[0].unresolved
        assert codes(influence.findings) == ["control-dangling"]

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"action": "retire"}, "control-unknown-action"),
            ({"effect": "restore-eligibility"}, "control-effect-mismatch"),
            ({"record_type": "withdrawal-control-v9"}, "control-unknown-type"),
            ({"unreadable": "the YAML is cut after line 8"}, "control-unreadable"),
        ],
    )
    def test_a_record_that_cannot_be_relied_on_excludes_what_it_names(self, change: dict[str, str], code: str) -> None:
        influence = judged(withdraw("wd-1", [TWO], **change))
        assert out(influence) == [TWO]
        assert state_of(influence, "wd-1") is ControlState.UNRESOLVED
        assert codes(influence.findings) == [code]
        assert not influence.chains[0].reinstatable

    @pytest.mark.parametrize(
        "change",
        [{"effect": "exclude-from-influence"}, {"unreadable": "cut"}, {"record_type": "x"}, {"action": "undo"}],
    )
    def test_such_a_reinstatement_readmits_nothing(self, change: dict[str, str]) -> None:
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], **change))
        assert out(influence) == [ONE]
        assert influence.chains[0].unresolved

    def test_no_reinstatement_rests_on_a_record_that_was_cut(self) -> None:
        cut = withdraw("wd-1", [ONE], unreadable="cut within the scope, which may have been wider")
        assert out(judged(cut, reinstate("wd-2", "wd-1", [ONE]))) == [ONE]
        anew = withdraw("wd-2", [ONE], supersedes=("wd-1",))
        assert out(judged(cut, anew, reinstate("wd-3", "wd-2", [ONE]))) == []

    def test_a_reinstatement_of_a_cut_record_keeps_its_own_scope_excluded(self) -> None:
        cut = withdraw("wd-1", [ONE], unreadable="cut within the scope")
        assert out(judged(cut, reinstate("wd-2", "wd-1", [ONE, TWO]))) == [ONE, TWO]

    def test_a_record_without_scope_does_nothing_and_is_a_finding(self) -> None:
        influence = judged(withdraw("wd-1"))
        assert out(influence) == []
        assert state_of(influence, "wd-1") is ControlState.INVALID
        assert codes(influence.findings) == ["control-without-scope"]

    def test_the_cut_record_is_listed_first(self) -> None:
        influence = judged(
            withdraw("wd-1"),
            withdraw("wd-2", [ONE], action="retire"),
            withdraw("wd-3", [TWO], unreadable="cut"),
        )
        assert [chain.views[0].record.withdrawal_id for chain in influence.chains] == ["wd-3", "wd-2", "wd-1"]
        assert out(influence) == [ONE, TWO]
        assert codes(influence.findings) == ["control-unknown-action", "control-unreadable", "control-without-scope"]

    def test_what_waits_comes_first_then_what_is_excluded_then_what_is_reinstated(self) -> None:
        influence = judged(
            withdraw("wd-1", ["a"]),
            reinstate("wd-2", "wd-1", ["a"]),
            withdraw("wd-4", ["b"]),
            withdraw("wd-3", ["c"], action="retire"),
            withdraw("wd-5", ["d"]),
            withdraw("wd-6", ["d"], unreadable="cut"),
        )
        assert [str(chain.scope) for chain in influence.chains] == ["d", "c", "b", "a"]
        assert [view.record.withdrawal_id for view in influence.controls] == [
            "wd-5",
            "wd-6",
            "wd-3",
            "wd-4",
            "wd-1",
            "wd-2",
        ]

    def test_one_id_with_two_contents(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), withdraw("wd-1", [TWO]))
        assert out(influence) == [ONE, TWO]
        assert {view.state for view in influence.controls} == {ControlState.UNRESOLVED}
        assert codes(influence.findings) == ["control-two-contents"] * 2
        assert out(judged(withdraw("wd-1", [ONE]), withdraw("wd-1", [TWO]), reinstate("wd-2", "wd-1", [ONE]))) == [
            ONE,
            TWO,
        ]

    def test_one_record_written_twice_is_one_record(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE]))
        assert out(influence) == []
        assert len(influence.controls) == 2


class TestOwners:
    def test_a_reinstatement_by_somebody_who_owns_nothing(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], by="owner:bob"))
        assert out(influence) == [ONE]
        assert state_of(influence, "wd-2") is ControlState.UNRESOLVED
        (view,) = (view for view in influence.controls if view.record.withdrawal_id == "wd-2")
        assert "owner:bob" in view.reason
        assert "ana" in view.reason
        assert codes(influence.findings) == ["control-not-owner"]
        assert influence.chains[0].unresolved
        assert influence.controlling(scope([ONE])) == "wd-1"

    def test_the_owner_may_reinstate_after_somebody_else_tried(self) -> None:
        tried = (withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], by="owner:bob"))
        for named in ("wd-1", ("wd-1", "wd-2")):
            influence = judged(*tried, reinstate("wd-3", named, [ONE]))
            assert out(influence) == []
            assert not influence.chains[0].unresolved
            assert influence.findings == ()

    def test_naming_only_what_somebody_else_tried_is_not_enough(self) -> None:
        influence = judged(
            withdraw("wd-1", [ONE]),
            reinstate("wd-2", "wd-1", [ONE], by="owner:bob"),
            reinstate("wd-3", "wd-2", [ONE]),
        )
        assert out(influence) == [ONE]
        assert influence.chains[0].heads == ("wd-1", "wd-2")

    def test_a_withdrawal_by_somebody_who_owns_nothing_excludes_and_is_a_finding(self) -> None:
        influence = judged(withdraw("wd-1", [ONE], by="owner:bob"))
        assert out(influence) == [ONE]
        assert state_of(influence, "wd-1") is ControlState.CONTROLS
        assert codes(influence.findings) == ["withdraw-not-owner"]

    @pytest.mark.parametrize("by", ["human:ana", "agent:ana", "autodream", "", "  "])
    def test_only_owners_reinstate(self, by: str) -> None:
        assert out(judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], by=by))) == [ONE]

    def test_a_name_without_its_role_is_the_owner(self) -> None:
        assert out(judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], by="ana"))) == []

    def test_an_owner_of_another_scope_does_not_count(self) -> None:
        owners = (Owner("ana", "ana", ("topic:other",)), Owner("eva", "eva", ("topic:t",)))
        controls = (withdraw("wd-1", [ONE], by="eva"), reinstate("wd-2", "wd-1", [ONE], by="ana"))
        assert out(judged(*controls, owners=owners)) == [ONE]
        assert out(judged(controls[0], reinstate("wd-2", "wd-1", [ONE], by="eva"), owners=owners)) == []

    def test_without_owners_who_decided_stands_with_one_notice(self) -> None:
        influence = judged(withdraw("wd-1", [ONE], by="chris"), reinstate("wd-2", "wd-1", [ONE], by="chris"), owners=())
        assert out(influence) == []
        assert codes(influence.findings) == ["owners-none"]
        by_agent = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE], by="agent:codex"), owners=())
        assert out(by_agent) == [ONE]


class TestCoverage:
    def test_an_id_covers_every_bearer(self) -> None:
        snapshot = root(item(ONE), item(ONE, file="topics/b.md"), item(TWO), controls=[withdraw("wd-1", [ONE])])
        influence = resolve_influence(snapshot)
        assert [one.key for one in snapshot.items if influence.eligible(one.key)] == [TWO]

    def test_what_names_it_as_source_goes_with_it_and_so_on(self) -> None:
        influence = resolve_influence(
            root(
                item("mem-2026-06-01-001", source="mem-2026-05-30-001"),
                item("mem-2026-05-30-001", source=f"retro, {ONE}"),
                item(ONE),
                item("mem-2026-06-01-002", source=f"{ONE}0"),
                item("mem-2026-06-01-003", corroborating_refs=(ONE,)),
                controls=[withdraw("wd-1", [ONE])],
            )
        )
        assert sorted(influence.verdicts) == ["mem-2026-05-20-001", "mem-2026-05-30-001", "mem-2026-06-01-001"]

    def test_ids_of_another_form_are_found_in_a_source_as_whole_tokens(self) -> None:
        influence = resolve_influence(
            root(
                item("row:17", "a"),
                item("x1", "b", source="derived from row:17."),
                item("x2", "c", source="derived from row:170"),
                item("42", "d"),
                item("x3", "e", source="call 42 of the day"),
                item("x4", "f", source="talk, 42"),
                controls=[withdraw("wd-1", ["row:17", "42"])],
            )
        )
        assert sorted(influence.verdicts) == ["42", "row:17", "x1", "x4"]

    def test_a_fold_of_a_covered_item_goes_with_it(self) -> None:
        influence = resolve_influence(
            root(
                item(ONE, merged_into="mem-2026-06-01-001", section="Historical lessons"),
                item(TWO, merged_into="mem-2026-06-01-001", section="Historical lessons"),
                item("mem-2026-06-01-001", "Both.", source="archive/2026-05-20.md, archive/2026-05-19.md"),
                controls=[withdraw("wd-1", [ONE])],
            )
        )
        assert sorted(influence.verdicts) == [ONE, "mem-2026-06-01-001"]
        assert codes(influence.findings) == ["merged-from-withdrawn"]

    def test_a_segment_covers_what_rests_on_it(self) -> None:
        influence = judged(withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"]))
        assert out(influence) == [ONE]
        assert influence.archive_excluded("archive/2026-05-20.md", "run-7")
        assert not influence.archive_excluded("archive/2026-05-20.md", "run-8")
        assert not influence.archive_excluded("archive/2026-05-20.md")
        assert influence.excluded_archive == {"archive/2026-05-20.md#run-7"}

    @pytest.mark.parametrize(
        "source",
        [
            "archive/2026-05-20.md#Run-7.",
            "./archive/2026-05-20.md#run-7",
            "memory/archive/2026-05-20.md#run-7",
            "../archive/2026-05-20.md#run-7",
            "[run 7](../archive/2026-05-20.md#run-7)",
            "as ana said, see archive/2026-05-20.md#run-7 and the rest",
            "retro；archive/2026-05-20.md#run-7",
            "见archive/2026-05-20.md#run-7的结论",
        ],
    )
    def test_a_segment_is_known_however_it_is_written(self, source: str) -> None:
        controls = [withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"])]
        assert not resolve_influence(root(item(ONE, source=source), controls=controls)).eligible(ONE)

    @pytest.mark.parametrize(
        "source", ["archive/2026-05-20.md", "archive/2026-05-20", "见archive/2026-05-20.md的结论。"]
    )
    def test_a_day_is_known_however_it_is_written(self, source: str) -> None:
        controls = [withdraw("wd-1", archive=["archive/2026-05-20.md"])]
        assert not resolve_influence(root(item(ONE, source=source), controls=controls)).eligible(ONE)

    def test_a_whole_day_covers_all_anchors_in_it(self) -> None:
        influence = judged(withdraw("wd-1", archive=["archive/2026-05-20.md"]))
        assert out(influence) == [ONE, TWO]
        assert influence.archive_excluded("archive/2026-05-20.md", "run-8")
        assert influence.archive_excluded("archive/2026-05-20.md")
        assert not influence.archive_excluded("archive/2026-05-21.md")

    def test_a_fold_that_lists_a_covered_segment_among_others_is_offered_for_merging_anew(self) -> None:
        folded = item("mem-2026-05-21-001", "Folded.", source="archive/2026-05-20.md#run-7, archive/2026-05-19.md")
        snapshot = root(*conclusions(), folded, controls=[withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"])])
        influence = resolve_influence(snapshot)
        assert sorted(influence.verdicts) == [ONE, "mem-2026-05-21-001"]
        (finding,) = influence.findings
        assert (finding.code, finding.item) == ("merged-from-withdrawn", "mem-2026-05-21-001")
        assert "Folded" not in finding.message

    def test_a_fold_of_items_names_the_part_that_is_withdrawn(self) -> None:
        folded = item("mem-2026-05-21-001", "Folded.", source=f"{ONE}, {TWO}")
        (finding,) = resolve_influence(root(*conclusions(), folded, controls=[withdraw("wd-1", [ONE])])).findings
        assert finding.code == "merged-from-withdrawn"
        assert ONE in finding.message
        assert TWO not in finding.message
        assert resolve_influence(root(*conclusions(), folded, controls=[withdraw("wd-1", [ONE, TWO])])).findings == ()

    DAY = """# 2026-05-20

## run 7
- [mem-2026-05-20-001] Conclusion one.
### detail
- [mem-2026-05-20-003] A detail of it.
## run 8
- [mem-2026-05-20-002] Conclusion two.
"""

    def rest(self, id: str, source: str, ref: str = "archive/2026-05-20.md#run-7") -> Influence:
        snapshot = root(
            item(id, source=source), archive=[day(self.DAY, "2026-05-20")], controls=[withdraw("wd-1", archive=[ref])]
        )
        return resolve_influence(snapshot)

    def test_a_whole_day_source_is_eligible_where_its_copy_stands_outside_the_segment(self) -> None:
        influence = self.rest(TWO, "archive/2026-05-20.md")
        assert influence.eligible(TWO)
        assert influence.findings == ()

    @pytest.mark.parametrize("id", [ONE, "mem-2026-05-20-009", None])
    def test_a_whole_day_source_is_excluded_where_nothing_shows_that(self, id: str | None) -> None:
        snapshot = root(
            item(id, source="archive/2026-05-20.md"),
            archive=[day(self.DAY, "2026-05-20")],
            controls=[withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"])],
        )
        influence = resolve_influence(snapshot)
        assert influence.verdict(snapshot.items[0].key).by == ("wd-1",)
        assert codes(influence.findings) == ["source-under-withdrawn"]

    def test_a_segment_holds_the_headings_below_it(self) -> None:
        assert not self.rest("mem-2026-06-01-001", "archive/2026-05-20.md#detail").eligible("mem-2026-06-01-001")
        outer = self.rest("mem-2026-06-01-001", "archive/2026-05-20.md#run-7", "archive/2026-05-20.md#detail")
        assert not outer.eligible("mem-2026-06-01-001")
        assert self.rest(ONE, "archive/2026-05-20.md#run-7", "archive/2026-05-20.md#detail").eligible(ONE)

    def test_a_heading_at_the_end_of_the_segment_is_in_it_and_its_last_line_too(self) -> None:
        text = f"## run 7\n### end\n- [{ONE}] Conclusion one.\n"
        for source in ("archive/2026-05-20.md#end", "archive/2026-05-20.md#L3", "archive/2026-05-20.md#L1-L3"):
            snapshot = root(
                item(ONE, source=source),
                item("mem-2026-05-20-004", source=source),
                archive=[day(text, "2026-05-20")],
                controls=[withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"])],
            )
            influence = resolve_influence(snapshot)
            assert not influence.eligible("mem-2026-05-20-004")
            assert influence.findings == ()

    def test_a_wider_source_counts_copies_up_to_its_last_line(self) -> None:
        text = f"## run 7\n### detail\n- [{TWO}] Two.\n### end\n- [{ONE}] Conclusion one.\n"
        snapshot = root(
            item(ONE, source="archive/2026-05-20.md#run-7"),
            item(TWO, source="archive/2026-05-20.md#run-7"),
            archive=[day(text, "2026-05-20")],
            controls=[withdraw("wd-1", archive=["archive/2026-05-20.md#detail"])],
        )
        assert sorted(resolve_influence(snapshot).verdicts) == [TWO]

    def test_a_withdrawn_heading_that_is_gone_could_have_stood_anywhere_in_its_day(self) -> None:
        text = f"## renamed\n- [{ONE}] Conclusion one.\n## run 8\n- [{TWO}] Conclusion two.\n"
        snapshot = root(
            item(ONE, source="archive/2026-05-20.md"),
            item(TWO, source="archive/2026-05-20.md#run-8"),
            archive=[day(text, "2026-05-20")],
            controls=[withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"])],
        )
        assert sorted(resolve_influence(snapshot).verdicts) == [ONE]

    def test_an_archive_reference_that_cannot_be_read_is_looked_for_as_it_stands(self) -> None:
        controls = [withdraw("wd-1", archive=["attic box 3"])]
        snapshot = root(item(ONE, source="attic box 3, left"), item(TWO, source="attic box 30"), controls=controls)
        assert sorted(resolve_influence(snapshot).verdicts) == [ONE]

    def test_a_segment_below_a_withdrawn_heading_is_excluded_and_not_the_other_way_round(self) -> None:
        influence = self.rest(ONE, "archive/2026-05-20.md")
        assert influence.archive_excluded("archive/2026-05-20.md", "detail")
        assert not influence.archive_excluded("archive/2026-05-20.md", "run-8")
        inner = self.rest(ONE, "archive/2026-05-20.md", "archive/2026-05-20.md#detail")
        assert not inner.archive_excluded("archive/2026-05-20.md", "run-7")
        assert not inner.archive_excluded("archive/2026-05-20.md", "nowhere")

    def test_lines_name_a_segment_too(self) -> None:
        assert not self.rest("mem-2026-06-01-001", "archive/2026-05-20.md#L4").eligible("mem-2026-06-01-001")
        assert self.rest("mem-2026-06-01-001", "archive/2026-05-20.md#L8").eligible("mem-2026-06-01-001")

    def test_an_item_whose_only_archived_copies_stand_in_the_segment_goes_with_it(self) -> None:
        assert not self.rest(ONE, "explicit user preference").eligible(ONE)
        assert self.rest(TWO, "explicit user preference").eligible(TWO)
        again = day(f"- [{ONE}] Conclusion one, again.", "2026-05-22")
        snapshot = root(
            item(ONE, source="explicit user preference"),
            archive=[day(self.DAY, "2026-05-20"), again],
            controls=[withdraw("wd-1", archive=["archive/2026-05-20.md#run-7"])],
        )
        assert resolve_influence(snapshot).eligible(ONE)

    @pytest.mark.parametrize(
        ("source", "covered"),
        [
            ("run-7", True),
            ("notes of run-7, afternoon", True),
            ("archive/2026-05-21.md#run-7", True),
            ("session:run-7.", True),
            ("会话run-7的结论", True),
            ("run-70", False),
            ("run-7b", False),
            ("dry-run-7", False),
            ("run-7.2", False),
            ("rerun-7", False),
        ],
    )
    def test_a_run_is_a_whole_token_of_a_source(self, source: str, covered: bool) -> None:
        influence = resolve_influence(root(item(ONE, source=source), controls=[withdraw("wd-1", runs=["run-7"])]))
        assert influence.eligible(ONE) is not covered

    def test_a_run_that_heads_an_archive_segment_excludes_the_segment(self) -> None:
        snapshot = root(archive=[day(self.DAY, "2026-05-20")], controls=[withdraw("wd-1", runs=["run-7"])])
        assert resolve_influence(snapshot).archive_excluded("archive/2026-05-20.md", "run-7")

    def test_two_records_over_one_item_are_both_named(self) -> None:
        influence = judged(withdraw("wd-1", [ONE]), withdraw("wd-2", archive=["archive/2026-05-20.md"]))
        assert influence.verdict(ONE).by == ("wd-1", "wd-2")
        assert influence.verdict(TWO).by == ("wd-2",)


class TestHeld:
    def test_held_without_a_record_is_excluded_with_what_rests_on_it(self) -> None:
        influence = resolve_influence(root(item(ONE, file="withdrawn/wd-1.md"), item(TWO, source=ONE)))
        assert sorted(influence.verdicts) == [ONE, TWO]
        assert influence.verdict(ONE).by == ()
        assert codes(influence.findings) == ["held-without-record"]

    def test_held_although_reinstated_is_eligible_and_a_finding(self) -> None:
        influence = resolve_influence(
            root(
                item(ONE, file="withdrawn/wd-1.md"),
                controls=[withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE])],
            )
        )
        assert influence.eligible(ONE)
        assert codes(influence.findings) == ["held-but-eligible"]

    def test_held_for_what_it_rests_on_and_reinstated_is_eligible(self) -> None:
        ref = ["archive/2026-05-20.md#run-7"]
        influence = resolve_influence(
            root(
                item(ONE, file="withdrawn/wd-1.md", source=ref[0]),
                controls=[withdraw("wd-1", archive=ref), reinstate("wd-2", "wd-1", archive=ref)],
            )
        )
        assert influence.eligible(ONE)

    def test_a_copy_that_comes_back_stays_excluded(self) -> None:
        snapshot = root(
            item(ONE, file="withdrawn/wd-1.md"), item(ONE, file="topics/t.md"), controls=[withdraw("wd-1", [ONE])]
        )
        influence = resolve_influence(snapshot)
        assert not any(influence.eligible(one.key) for one in snapshot.items)
        (finding,) = influence.findings
        assert (finding.code, finding.file) == ("withdrawn-copy-returned", "topics/t.md")

    def test_a_withdrawn_item_that_was_never_moved_is_no_returned_copy(self) -> None:
        assert judged(withdraw("wd-1", [ONE])).findings == ()

    def test_the_index_lists_what_no_record_explains(self) -> None:
        lines = tuple(
            IndexLine(text, number)
            for number, text in enumerate(
                [f"- {ONE} — gone", "- archive/2026-05-20.md#run-8", "- run-9", "- … and 12 more in withdrawn/"], 3
            )
        )
        snapshot = root(*conclusions(), item("mem-2026-06-01-001", source="run-9"), index=IndexView(withdrawn=lines))
        influence = resolve_influence(snapshot)
        assert sorted(influence.verdicts) == [ONE, TWO, "mem-2026-06-01-001"]
        assert [finding.line for finding in influence.findings] == [3, 4, 5]
        assert {finding.code for finding in influence.findings} == {"withdrawn-without-record"}
        assert influence.archive_excluded("archive/2026-05-20.md", "run-8")

    def test_a_line_of_the_index_may_point_at_an_id_of_another_form(self) -> None:
        index = IndexView(withdrawn=(IndexLine("the seventeenth row", 3, "row:17"),))
        assert not resolve_influence(root(item("row:17"), index=index)).eligible("row:17")

    def test_a_line_of_the_index_that_a_record_explains_decides_nothing(self) -> None:
        index = IndexView(withdrawn=(IndexLine(f"- {ONE}", 3),))
        influence = judged(withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE]), index=index)
        assert out(influence) == []
        assert influence.findings == ()


@pytest.mark.parametrize(
    ("reported", "again"),
    [
        (Finding("control-unreadable", Severity.ERROR, "", "log.md", 30, id="wd-1"), 0),
        (Finding("control-unreadable", Severity.ERROR, "", "log.md", 30), 0),
        (Finding("control-unreadable", Severity.ERROR, "", "log.md", 31), 1),
        (Finding("open-fence", Severity.ERROR, "", "log.md", 30, id="wd-1"), 1),
    ],
)
def test_a_record_that_reading_reported_as_unreadable_is_reported_once(reported: Finding, again: int) -> None:
    cut = withdraw("wd-1", [ONE], unreadable="cut", places=(Place("log.md", 30), Place("log/2026-06.jsonl", 1)))
    assert codes(judged(cut, drift=(reported,)).findings) == ["control-unreadable"] * again


def test_an_archived_copy_of_what_is_excluded_is_recognised_too() -> None:
    snapshot = root(
        item(ONE, "As it was merged."),
        archive=[day(f"- [{ONE}] As it was said at first.\n- [{TWO}] Beside it.\n", "2026-05-20")],
        controls=[withdraw("wd-1", [ONE])],
    )
    influence = resolve_influence(snapshot)
    assert influence.restates("As it was said at first")
    assert influence.restates("as it was merged")
    assert not influence.restates("Beside it.")


def test_what_is_excluded_is_recognised_when_it_is_said_again() -> None:
    influence = judged(withdraw("wd-1", [ONE]))
    assert influence.restates("so, conclusion ONE")
    assert not influence.restates("Conclusion two.")
