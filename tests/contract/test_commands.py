"""Every command of the engine, on every store: what it changes, what it refuses, what the log says of it."""

from __future__ import annotations

import pytest

from core.authority import Tier
from core.controls import Scope
from core.errors import ItemNotFound, NeedsHuman, NotAuthorised, PlanChanged, Refused
from core.events import fold
from core.requests import (
    Approve,
    Clear,
    Cool,
    NameOwner,
    Pend,
    Propose,
    Reconcile,
    Recover,
    Reinstate,
    Repair,
    Settle,
    Stale,
    Supersede,
    Undo,
    Withdraw,
)
from core.vocabulary import ControlState, Standing, Status
from tests.support.roots import ANA, BOB, BOT, DREAM, Root

ONE = "mem-2026-05-20-001"
TWO = "mem-2026-05-20-002"
OLD_PORT = "mem-2026-05-01-009"
NEW_PORT = "mem-2026-06-03-001"
TWICE = "mem-2026-05-03-001"


def folds(root: Root, start: dict) -> None:
    """The fold of the log over the start is what stands now, for every item that the log names."""
    snapshot = root.snapshot
    replayed = fold(start, snapshot.events)
    assert replayed
    for item_id, record in replayed.items():
        (item,) = snapshot.by_id[item_id]
        assert dict(item.record()) == dict(record)


def records(root: Root) -> dict:
    return {key: items[0].record() for key, items in root.snapshot.by_id.items() if len(items) == 1}


# stale, clear, pend


def test_stale_sets_the_status_and_one_event(root: Root) -> None:
    start = records(root)
    receipt = root.do(Stale((ONE,), "the gateway is gone"))
    assert root.record(ONE)["Status"] == "stale"
    (event,) = root.snapshot.events
    assert (event.id, event.type, event.command, event.actor) == (receipt.event, "review", "stale", "owner:ana")
    assert event.decision is not None
    assert event.decision.by == "owner:ana"
    assert "the gateway is gone" in event.summary
    folds(root, start)


def test_stale_needs_a_decision_on_the_plan_shown(root: Root) -> None:
    plan = root.plan(Stale((ONE,)), BOB)
    with pytest.raises(NeedsHuman):
        root.engine.commit(plan)
    other = root.engine.decide(root.plan(Stale((TWO,)), BOB), BOB)
    with pytest.raises(NeedsHuman):
        root.engine.commit(plan, other)
    assert root.record(ONE)["Status"] == "active"
    assert root.snapshot.events == ()


@pytest.mark.parametrize("actor", [BOT, DREAM])
def test_stale_is_human_only(root: Root, actor) -> None:
    with pytest.raises(NotAuthorised) as error:
        root.plan(Stale((ONE,)), actor)
    assert "a human or an owner" in str(error.value)


def test_an_agent_makes_no_decision(root: Root) -> None:
    with pytest.raises(NotAuthorised):
        root.engine.decide(root.plan(Stale((ONE,)), BOB), BOT)


def test_bulk_reports_per_item_and_leaves_out_what_cannot_be(root: Root) -> None:
    plan = root.plan(Stale((ONE, "mem-2099-01-01-001", TWICE, TWO)))
    assert [line.id for line in plan.lines] == [ONE, TWO]
    assert {refusal.key for refusal in plan.refusals} == {"mem-2099-01-01-001", TWICE}
    root.commit(plan)
    assert [root.record(item)["Status"] for item in (ONE, TWO)] == ["stale", "stale"]
    assert len(root.snapshot.events) == 1


def test_nothing_left_to_do_is_refused(root: Root) -> None:
    with pytest.raises(ItemNotFound):
        root.plan(Stale(("mem-2099-01-01-001",)))


def test_clear_makes_a_pending_item_active_again(root: Root) -> None:
    start = records(root)
    root.do(Clear((TWO,)), BOB)
    assert root.record(TWO)["Status"] == "active"
    folds(root, start)


def test_autodream_does_not_clear_pending_knowledge(root: Root) -> None:
    with pytest.raises(Refused):
        root.plan(Clear((TWO,)), DREAM)


def test_pend_is_autodreams_too_and_needs_no_decision(root: Root) -> None:
    root.engine.commit(root.plan(Pend((ONE,)), DREAM))
    assert root.record(ONE)["Status"] == "pending-cleanup"
    (event,) = root.snapshot.events
    assert (event.type, event.actor, event.decision) == ("pending-cleanup", "autodream", None)


def test_pending_items_stand_in_the_index(root: Root) -> None:
    root.do(Pend((ONE,)))
    assert {ONE, TWO} <= {line.target for line in root.snapshot.index.pending}
    root.do(Clear((ONE,)))
    assert ONE not in {line.target for line in root.snapshot.index.pending}


# repair


def test_repair_gives_what_is_missing_and_an_id(root: Root) -> None:
    item = next(item for item in root.snapshot.items if item.text == "Retries are 3.")
    root.do(Repair(item.key, kind="knowledge"))
    (repaired,) = [item for item in root.snapshot.items if item.text == "Retries are 3."]
    assert repaired.id == "mem-2026-05-02-001"
    assert repaired.record()["kind"] == "knowledge"
    assert repaired.record()["Status"] == "active"


def test_a_state_item_is_not_repaired_without_a_subject(root: Root) -> None:
    item = next(item for item in root.snapshot.items if item.text == "Retries are 3.")
    with pytest.raises(Refused):
        root.plan(Repair(item.key, kind="state"))
    root.do(Repair(item.key, kind="state", subject="net:retries:count"))
    (repaired,) = [item for item in root.snapshot.items if item.text == "Retries are 3."]
    assert repaired.subject == "net:retries:count"


def test_repair_turns_a_legacy_marker_into_a_status(root: Root) -> None:
    start = records(root)
    root.do(Repair("mem-2026-05-04-001", marker=True))
    record = root.record("mem-2026-05-04-001")
    assert record["Status"] == "pending-cleanup"
    assert "marker" not in record
    folds(root, start)


def test_repair_never_overrules_what_is_there(root: Root) -> None:
    for request in (Repair(ONE, kind="state", subject="x"), Repair(ONE, source="chat"), Repair(ONE, new_id=True)):
        with pytest.raises(Refused):
            root.plan(request)


def test_repair_parts_two_items_of_one_id(root: Root) -> None:
    second = [item for item in root.snapshot.items if item.id == TWICE][1]
    with pytest.raises(Refused):
        root.plan(Repair(TWICE, source="x"))
    root.do(Repair(second.key, new_id=True))
    assert root.record(TWICE)["text"] == "Twice one."
    assert root.record("mem-2026-05-03-002")["text"] == "Twice two."


# supersede and reconcile


def test_supersede_keeps_the_prior_row_and_logs_the_values(root: Root) -> None:
    start = records(root)
    root.do(Supersede(OLD_PORT, NEW_PORT))
    assert root.record(OLD_PORT)["Status"] == "superseded"
    assert root.record(OLD_PORT)["superseded_by"] == NEW_PORT
    assert root.record(NEW_PORT) == start[NEW_PORT]
    (event,) = root.snapshot.events
    assert event.type == "supersede"
    assert event.detail["subject"] == "app:port"
    assert (event.detail["prior_value"], event.detail["new_value"]) == ("Port is 8080.", "Port is 9090.")
    folds(root, start)


@pytest.mark.parametrize(
    ("prior", "successor"),
    [(NEW_PORT, OLD_PORT), (OLD_PORT, ONE), (OLD_PORT, "mem-2026-05-06-001"), (OLD_PORT, OLD_PORT)],
    ids=["earlier over later", "across kinds", "other subject", "itself"],
)
def test_supersede_refuses_without_its_four_constraints(root: Root, prior: str, successor: str) -> None:
    with pytest.raises(Refused):
        root.plan(Supersede(prior, successor))


def test_reconcile_to_the_newer_row(root: Root) -> None:
    start = records(root)
    root.do(Reconcile((OLD_PORT, NEW_PORT), "deploy log 2026-06-03", current=NEW_PORT))
    assert root.record(OLD_PORT)["superseded_by"] == NEW_PORT
    assert root.engine.reading().conflicts == tuple(
        conflict for conflict in root.engine.reading().conflicts if conflict.subject != "app:port"
    )
    folds(root, start)


def test_reconcile_to_the_older_row_writes_a_fresh_one(root: Root) -> None:
    start = records(root)
    root.do(Reconcile((OLD_PORT, NEW_PORT), "curl answered on 8080", current=OLD_PORT))
    fresh = root.record("mem-2026-06-12-001")
    assert (fresh["text"], fresh["date"], fresh["subject"]) == ("Port is 8080.", "2026-06-12", "app:port")
    assert "curl answered on 8080" in str(fresh["Source"])
    assert "Confidence" not in fresh
    for row in (OLD_PORT, NEW_PORT):
        assert root.record(row)["superseded_by"] == "mem-2026-06-12-001"
    folds(root, start)


def test_reconcile_needs_evidence(root: Root) -> None:
    with pytest.raises(Refused):
        root.plan(Reconcile((OLD_PORT, NEW_PORT), "  ", current=NEW_PORT))


def test_both_stay_and_the_conflict_is_settled(root: Root) -> None:
    root.do(Reconcile((OLD_PORT, NEW_PORT), "two hosts", both_stay=True))
    assert root.record(OLD_PORT)["conflicts_with"] == (NEW_PORT,)
    assert root.record(NEW_PORT)["conflicts_with"] == (OLD_PORT,)
    (conflict,) = [one for one in root.engine.reading().conflicts if one.subject == "app:port"]
    assert conflict.acknowledged


def test_reconcile_may_leave_it_to_review(root: Root) -> None:
    root.do(Reconcile((OLD_PORT, NEW_PORT), "nobody knows yet", pend=True))
    assert [root.record(row)["Status"] for row in (OLD_PORT, NEW_PORT)] == ["pending-cleanup"] * 2


def test_no_confidence_is_raised_by_reconciling(root: Root) -> None:
    before = {item.id: item.confidence for item in root.snapshot.items}
    root.do(Reconcile((OLD_PORT, NEW_PORT), "deploy log", current=NEW_PORT))
    assert {item.id: item.confidence for item in root.snapshot.items} == before


# withdraw, reinstate, settle


def test_withdraw_excludes_and_holds(root: Root) -> None:
    start = records(root)
    root.do(Withdraw(Scope(frozenset({ONE})), "failed-exploration"))
    reading = root.engine.reading()
    (item,) = reading.snapshot.by_id[ONE]
    assert item.standing is Standing.HELD
    assert reading.influence.verdict(item.key).by == ("memwd-2026-06-12-001",)
    assert reading.text_of(item) is None
    assert item.status is Status.ACTIVE
    assert ONE in {line.target or line.text for line in reading.snapshot.index.withdrawn}
    (event,) = reading.snapshot.events
    assert event.control is not None
    assert event.control.scope == Scope(frozenset({ONE}))
    assert "Conclusion" not in event.summary
    folds(root, start)


def test_reinstate_puts_it_back_with_the_status_it_had(root: Root) -> None:
    before = root.record(TWO)
    root.do(Withdraw(Scope(frozenset({TWO}))))
    root.do(Reinstate("memwd-2026-06-12-001"))
    assert root.record(TWO) == before
    reading = root.engine.reading()
    assert reading.influence.eligible(TWO)
    assert [view.state for view in reading.influence.controls] == [ControlState.SUPERSEDED, ControlState.CONTROLS]
    assert reading.snapshot.index.withdrawn == ()


def test_withdrawing_an_archive_segment_covers_what_rests_on_it(root: Root) -> None:
    root.do(Withdraw(Scope(archive_refs=frozenset({"archive/2026-05-20.md#run-8"}))))
    reading = root.engine.reading()
    assert not reading.influence.eligible(TWO)
    assert reading.influence.eligible(ONE)


def test_a_control_event_tells_what_it_names_from_what_rests_on_it(root: Root) -> None:
    root.stranger(TWO, "Source", root.record(TWO)["Source"], ONE)
    plan = root.plan(Withdraw(Scope(frozenset({ONE}))))
    assert plan.title == f"Withdraw {ONE}: 2 items excluded (1 named, 1 more rests on it)"
    changes = {line.id: line.change for line in plan.lines}
    assert changes[TWO].startswith("rests on what is named, ")
    assert not changes[ONE].startswith("rests on")
    assert root.commit(plan).title == plan.title
    back = root.do(Reinstate("memwd-2026-06-12-001"))
    assert back.title == f"Reinstate {ONE}: 2 items eligible again (1 named, 1 more rests on it)"
    both = root.plan(Withdraw(Scope(frozenset({ONE, TWO}))))
    assert both.title == f"Withdraw {ONE}, {TWO}: 2 items excluded"
    third = root.plan(Withdraw(Scope(frozenset({ONE, NEW_PORT}))))
    assert third.title == f"Withdraw {ONE}, {NEW_PORT}: 3 items excluded (2 named, 1 more rests on them)"
    segment = root.plan(Withdraw(Scope(archive_refs=frozenset({"archive/2026-05-20.md#run-7"}))))
    assert segment.title.endswith("items excluded")


def test_withdraw_covers_both_bearers_of_an_id(root: Root) -> None:
    root.do(Withdraw(Scope(frozenset({TWICE}))))
    reading = root.engine.reading()
    assert [reading.influence.eligible(item.key) for item in reading.snapshot.by_id[TWICE]] == [False, False]


def test_only_an_owner_of_the_scope_withdraws(root: Root) -> None:
    with pytest.raises(NotAuthorised) as error:
        root.plan(Withdraw(Scope(frozenset({ONE}))), BOB)
    assert "ana" in str(error.value)


def test_what_never_entered_memory_needs_no_withdrawal(root: Root) -> None:
    with pytest.raises(ItemNotFound):
        root.plan(Withdraw(Scope(frozenset({"mem-2099-01-01-001"}))))


def test_a_withdrawn_scope_is_not_withdrawn_twice(root: Root) -> None:
    root.do(Withdraw(Scope(frozenset({ONE}))))
    with pytest.raises(Refused):
        root.plan(Withdraw(Scope(frozenset({ONE}))))


def test_withdrawing_again_names_the_event_before(root: Root) -> None:
    root.do(Withdraw(Scope(frozenset({ONE}))))
    root.do(Reinstate("memwd-2026-06-12-001"))
    root.do(Withdraw(Scope(frozenset({ONE}))))
    reading = root.engine.reading()
    assert reading.snapshot.controls[-1].supersedes == ("memwd-2026-06-12-002",)
    assert not reading.influence.eligible(ONE)


def test_nothing_else_is_decided_about_a_withdrawn_item(root: Root) -> None:
    root.do(Withdraw(Scope(frozenset({ONE}))))
    with pytest.raises(Refused) as error:
        root.plan(Stale((ONE,)))
    assert "memwd-2026-06-12-001" in str(error.value)


def test_a_rival_is_settled_in_the_same_plan(root: Root) -> None:
    root.do(Withdraw(Scope(frozenset({OLD_PORT}))))
    with pytest.raises(Refused):
        root.plan(Reinstate("memwd-2026-06-12-001"))
    root.do(Reinstate("memwd-2026-06-12-001", rivals="supersede"))
    assert root.record(OLD_PORT)["superseded_by"] == NEW_PORT
    assert root.record(NEW_PORT).get("Status", "active") == "active"


@pytest.mark.parametrize("request_", [Clear((ONE, TWO)), Cool((ONE, OLD_PORT))])
def test_what_is_left_out_is_named_once(root: Root, request_) -> None:
    (refusal,) = root.plan(request_).refusals
    assert refusal.key in request_.items
    assert refusal.key not in refusal.reason
    assert refusal.reason[0].isupper()


# undo


@pytest.mark.parametrize(
    "request_",
    [
        Stale((ONE, TWO)),
        Clear((TWO,)),
        Pend((ONE,)),
        Repair("mem-2026-05-04-001", marker=True),
        Supersede(OLD_PORT, NEW_PORT),
        Reconcile((OLD_PORT, NEW_PORT), "log", current=NEW_PORT),
        Reconcile((OLD_PORT, NEW_PORT), "log", both_stay=True),
        Reconcile((OLD_PORT, NEW_PORT), "log", pend=True),
    ],
    ids=lambda request: type(request).__name__,
)
def test_undo_gives_back_every_field(root: Root, request_) -> None:
    start = records(root)
    root.do(request_)
    changed = {key for key, record in records(root).items() if record != start[key]}
    assert changed
    root.do(Undo())
    assert records(root) == start
    assert root.snapshot.events[-1].undoes == root.snapshot.events[0].id
    folds(root, start)


def test_undo_says_what_was_undone_and_repeats_nothing_withdrawn(root: Root) -> None:
    done = root.do(Stale((ONE, TWO), "the gateway is gone"))
    plan = root.plan(Undo())
    assert plan.title == "Undo: 2 items stale: the gateway is gone"
    receipt = root.commit(plan)
    assert receipt.title == "undone: 2 items stale: the gateway is gone"
    (_, event) = root.snapshot.events
    assert event.summary == f"undone: 2 items stale: the gateway is gone ({done.event})"
    root.do(Stale((ONE,), root.record(TWO)["text"]))
    root.do(Withdraw(Scope(frozenset({TWO}))))
    assert root.do(Undo()).title == "undone: stale of 1 item"


def test_undo_takes_back_no_correction_and_says_so(root: Root) -> None:
    root.do(Stale((ONE,)))
    root.stranger(ONE, "Status", "stale", "active")
    done = root.do(Stale((ONE,)))
    assert done.title == f"1 item stale; manual-correction recorded of {ONE}"
    assert root.do(Undo()).title == "undone: 1 item stale"


def test_undo_of_a_reconcile_to_the_older_row_keeps_the_fresh_one_as_history(root: Root) -> None:
    start = records(root)
    root.do(Reconcile((OLD_PORT, NEW_PORT), "log", current=OLD_PORT))
    root.do(Undo())
    for row in (OLD_PORT, NEW_PORT):
        assert root.record(row) == start[row]
    assert root.record("mem-2026-06-12-001")["Status"] == "superseded"


def test_undo_refuses_where_the_field_has_changed_since(root: Root) -> None:
    root.do(Stale((ONE,)))
    root.stranger(ONE, "Status", "stale", "active")
    with pytest.raises(Refused) as error:
        root.plan(Undo())
    assert "active" in str(error.value)
    assert "stale" in str(error.value)


def test_undo_takes_the_actors_own_latest_event(root: Root) -> None:
    root.do(Stale((ONE,)), ANA)
    root.do(Stale((TWO,)), BOB)
    root.do(Undo(), ANA)
    assert root.record(ONE)["Status"] == "active"
    assert root.record(TWO)["Status"] == "stale"
    with pytest.raises(Refused):
        root.plan(Undo(), ANA)


def test_undo_says_which_later_decisions_it_passes_over(root: Root) -> None:
    stale = root.do(Stale((ONE,)))
    assert root.plan(Undo()).warnings == ()
    proposed = root.do(Propose("conventions.md", "Back up first.", (TWO,), "No loss.", "None."), BOB)
    assert root.plan(Undo()).warnings == (), "what others decided is theirs"
    policy = proposed.title.split()[0]
    root.do(Approve(policy))
    (said,) = root.plan(Undo()).warnings
    assert said == f"Decided since: {policy} approved. That cannot be undone; this undoes what came before it."
    root.do(Withdraw(Scope(frozenset({TWO}))))
    (said,) = root.plan(Undo()).warnings
    assert "memwd-2026-06-12-001 (withdraw) and 1 more. These cannot be undone; " in said
    assert root.plan(Undo(stale.event)).warnings == (), "whoever names an event means it"


def test_a_withdrawal_is_not_undone_with_undo(root: Root) -> None:
    receipt = root.do(Withdraw(Scope(frozenset({ONE}))))
    with pytest.raises(Refused) as error:
        root.plan(Undo(receipt.event))
    assert "reinstatement" in str(error.value)


# recover


def test_a_recovery_is_recorded_under_an_id_of_its_own(root: Root) -> None:
    start = records(root)
    request = Recover("memlog-2026-06-12-001", "before", ("log.md", "topics/t.md"))
    receipt = root.do(request, BOB)
    (event,) = root.snapshot.events
    assert (event.id, event.type, event.items) == ("memlog-2026-06-12-002", "manual-correction", ())
    assert receipt.title == "recovery of memlog-2026-06-12-001: before kept of log.md, topics/t.md"
    assert event.detail == {"commit": request.tx, "kept": "before", "files": request.files}
    assert event.decision is not None
    assert records(root) == start
    with pytest.raises(Refused):
        root.plan(Undo(receipt.event), BOB)
    with pytest.raises(Refused):
        root.plan(Recover(request.tx, "newest", request.files))
    with pytest.raises(NotAuthorised):
        root.plan(request, BOT)


# what a plan rests on


def test_a_change_of_the_item_makes_the_plan_anew(root: Root) -> None:
    plan = root.plan(Stale((ONE,)))
    root.stranger(ONE, "text", "Conclusion one.", "Conclusion one, changed.")
    with pytest.raises(PlanChanged) as error:
        root.commit(plan)
    assert root.record(ONE)["Status"] == "active"
    fresh = error.value.plan
    assert fresh.lines[0].text == "Conclusion one, changed."
    root.commit(fresh)
    assert root.record(ONE)["Status"] == "stale"
    assert root.record(ONE)["text"] == "Conclusion one, changed."


def test_a_change_elsewhere_is_carried_along(root: Root) -> None:
    plan = root.plan(Stale((ONE,)))
    root.stranger(TWO, "text", "Conclusion two.", "Conclusion two, changed.")
    root.commit(plan)
    assert root.record(ONE)["Status"] == "stale"
    assert root.record(TWO)["text"] == "Conclusion two, changed."


def test_two_plans_for_one_item_are_not_applied_twice(root: Root) -> None:
    first, second = root.plan(Stale((ONE,)), ANA), root.plan(Stale((ONE,)), BOB)
    root.commit(first)
    with pytest.raises((PlanChanged, Refused)):
        root.commit(second)
    assert len(root.snapshot.events) == 1


def test_the_commit_is_what_the_preview_showed(root: Root) -> None:
    plan = root.plan(Stale((ONE, TWO)))
    root.clock.pass_(seconds=40)
    receipt = root.commit(plan)
    assert receipt.files == plan.previews


def test_a_stale_preview_is_stamped_anew(root: Root) -> None:
    plan = root.plan(Stale((ONE,)))
    root.clock.pass_(minutes=30)
    root.commit(plan)
    assert root.snapshot.events[-1].at == "2026-06-12T10:30:00+00:00"


def test_a_foreign_change_is_recorded_by_the_next_commit(root: Root) -> None:
    start = records(root)
    root.do(Stale((ONE,)))
    root.stranger(ONE, "text", "Conclusion one.", "Conclusion one, mended.")
    root.do(Clear((ONE,)))
    change = root.snapshot.events[-1].items[0]
    assert [(step.name, step.after) for step in change.corrections] == [("text", "Conclusion one, mended.")]
    assert "manual-correction" in root.snapshot.events[-1].summary
    folds(root, start)


def test_no_secret_reaches_the_log(root: Root) -> None:
    start = records(root)
    root.do(Stale(("mem-2026-05-20-003",), "AKIAIOSFODNN7EXAMPLE leaked"))
    (event,) = root.snapshot.events
    assert "AKIAIOSFODNN7EXAMPLE" not in repr(event)
    folds(root, start)


# owners


def test_only_an_owner_of_everything_names_another(root: Root) -> None:
    with pytest.raises(NotAuthorised):
        root.plan(NameOwner("bob", "bob"), BOB)
    root.do(NameOwner("bob", "bob", ("topic:net",)))
    assert [owner.name for owner in root.snapshot.binding.owners] == ["ana", "bob"]


def test_tiers(root: Root) -> None:
    assert root.plan(Pend((ONE,))).tier is Tier.FREE
    assert root.plan(Pend((ONE, OLD_PORT))).tier is Tier.PLAN
    assert root.plan(Stale((ONE,))).tier is Tier.PLAN


def test_settle_orders_unordered_events(root: Root) -> None:
    root.do(Withdraw(Scope(frozenset({ONE}))))
    with pytest.raises(Refused):
        root.plan(Settle("memwd-2026-06-12-001", "reinstate"))
