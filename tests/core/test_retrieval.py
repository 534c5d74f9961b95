"""Retrieval (§15): controls first, then metadata, and every conflict surfaced."""

from __future__ import annotations

import pytest

from core.influence import resolve_influence
from core.retrieval import Retrieved, reconcile_block, retrieve
from core.snapshot import IndexLine, IndexView, Snapshot, Topic
from tests.core.build import item, reinstate, root, state, withdraw


def served(snapshot: Snapshot, query: str | None = None, **more: object) -> Retrieved:
    return retrieve(snapshot, resolve_influence(snapshot), query, **more)  # type: ignore[arg-type]


def keys(snapshot: Snapshot, query: str | None = None, **more: object) -> list[str]:
    return [one.item for one in served(snapshot, query, **more).served]


def note(snapshot: Snapshot, key: str) -> tuple[str, str]:
    (one,) = (one for one in served(snapshot).served if one.item == key)
    return one.framing, one.weight_note


ONE, TWO = "mem-2026-05-20-001", "mem-2026-05-20-002"


class TestControlsFirst:
    def test_what_is_withdrawn_is_not_served_in_any_role(self) -> None:
        snapshot = root(
            item(ONE, "Conclusion."),
            item(TWO, "Conclusion, too.", source=ONE),
            item("mem-2026-05-20-003", "Conclusion three."),
            controls=[withdraw("wd-1", [ONE])],
        )
        assert keys(snapshot, "conclusion") == ["mem-2026-05-20-003"]
        assert served(snapshot, "conclusion").total == 1

    def test_what_is_reinstated_keeps_its_status(self) -> None:
        snapshot = root(item(ONE, status="stale"), controls=[withdraw("wd-1", [ONE]), reinstate("wd-2", "wd-1", [ONE])])
        assert note(snapshot, ONE)[0] == "history"

    def test_a_withdrawn_newer_row_outdates_nothing(self) -> None:
        snapshot = root(state(ONE, "app:port"), state(TWO, "app:port"), controls=[withdraw("wd-1", [TWO])])
        assert note(snapshot, ONE) == ("current", "")


class TestMetadata:
    @pytest.mark.parametrize(
        ("status", "word"),
        [("stale", "Stale"), ("pending-cleanup", "Pending"), ("superseded", "Superseded"), ("done", "“done”")],
    )
    def test_only_active_items_are_current(self, status: str, word: str) -> None:
        framing, said = note(root(state(ONE, "s", status=status)), ONE)
        assert framing == "history"
        assert word in said

    def test_a_superseded_row_leads_to_the_live_one(self) -> None:
        snapshot = root(
            state(ONE, "s", status="superseded", superseded_by=TWO),
            state(TWO, "s", status="superseded", superseded_by="mem-2026-05-21-001"),
            state("mem-2026-05-21-001", "s"),
        )
        assert "mem-2026-05-21-001" in note(snapshot, ONE)[1]
        assert keys(snapshot)[0] == "mem-2026-05-21-001"

    @pytest.mark.parametrize(
        ("row", "lacks"),
        [
            (item(ONE, source=None), "Source"),
            (item(ONE, kind=None), "kind"),
            (item(ONE, date="May"), "date"),
            (state(ONE, None), "subject"),
            (item(ONE, marker="[待清理]"), "marker"),
            (item(ONE, confidence="inferred"), "inferred"),
            (item(ONE, section="Historical lessons"), "historical"),
        ],
    )
    def test_what_lacks_metadata_is_served_with_less_weight(self, row: object, lacks: str) -> None:
        snapshot = root(row, item(TWO, date="2026-01-01"))  # type: ignore[arg-type]
        framing, said = note(snapshot, ONE)
        assert framing == "current"
        assert lacks in said
        assert keys(snapshot) == [TWO, ONE]

    def test_an_item_in_order_bears_its_full_weight(self) -> None:
        assert note(root(item(ONE, confidence="confirmed")), ONE) == ("current", "")
        assert note(root(item(ONE, file="memory.md", status=None)), ONE) == ("current", "")

    def test_two_bearers_of_an_id_are_both_served_and_said_so(self) -> None:
        snapshot = root(item(ONE, "A.", file="topics/a.md"), item(ONE, "B."))
        found = served(snapshot)
        assert len(found.served) == 2
        assert all("bear the id" in one.weight_note for one in found.served)
        assert [conflict.type for conflict in found.conflicts] == ["two-items-one-id"]


class TestState:
    OLD = state("mem-2026-05-01-009", "app:port", "Port is 8080.")
    NEW = state("mem-2026-06-03-001", "app:port", "Port is 9090.", file="memory.md")

    def test_the_newer_row_is_current_and_the_older_read_as_superseded(self) -> None:
        found = served(root(self.OLD, self.NEW), "port")
        assert [(one.item, one.framing) for one in found.served] == [
            ("mem-2026-06-03-001", "current"),
            ("mem-2026-05-01-009", "history"),
        ]
        assert "Read as superseded: mem-2026-06-03-001" in found.served[1].weight_note
        assert [conflict.type for conflict in found.conflicts] == ["two-active"]

    def test_a_conflict_is_surfaced_where_only_one_row_is_served(self) -> None:
        found = served(root(self.OLD, self.NEW), "9090")
        assert len(found.served) == 1
        assert len(found.conflicts) == 1
        assert served(root(self.OLD, self.NEW, item(ONE, "Else.")), "else").conflicts == ()

    def test_dates_that_do_not_tell_leave_both_current(self) -> None:
        same = state("mem-2026-05-01-010", "app:port", "Port is 9090.")
        found = served(root(self.OLD, same))
        assert {one.framing for one in found.served} == {"current"}
        assert len(found.conflicts) == 1

    def test_rows_that_a_human_let_stay_are_both_current(self) -> None:
        one = state(ONE, "s", conflicts_with=("mem-2026-06-01-001",))
        two = state("mem-2026-06-01-001", "s", conflicts_with=(ONE,))
        assert {one.framing for one in served(root(one, two)).served} == {"current"}


class TestFinding:
    SNAPSHOT = root(
        item(ONE, "Retries hide timeouts.", file="topics/net.md"),
        item(TWO, "部署前先备份数据库。", file="topics/deploy.md"),
        state("mem-2026-05-21-001", "net:retries", "It is 5.", file="memory.md", scope="project"),
        topics=(
            Topic("net", "topics/net.md", title="Networks", triggers=("gateway trouble",)),
            Topic("deploy", "topics/deploy.md"),
        ),
        index=IndexView(
            topic_map=(IndexLine("deploy.md — Read when shipping.", 5, "topics/deploy.md", "Read when shipping."),)
        ),
    )

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("RETRIES", ["mem-2026-05-21-001", ONE]),
            ("retries hide", [ONE]),
            ("备份", [TWO]),
            ("gateway", [ONE]),
            ("gateway retries", [ONE]),
            ("shipping", [TWO]),
            ("project", ["mem-2026-05-21-001"]),
            (TWO, [TWO]),
            ("ｒｅｔｒｉｅｓ hide", [ONE]),
            ("nothing like it", []),
            ("", ["mem-2026-05-21-001", ONE, TWO]),
        ],
    )
    def test_words_stand_in_the_item_or_in_what_leads_to_it(self, query: str, found: list[str]) -> None:
        assert sorted(keys(self.SNAPSHOT, query)) == sorted(found)

    def test_a_trigger_leads_before_text_matches(self) -> None:
        snapshot = root(
            item("mem-2026-06-01-001", "The gateway is new.", file="topics/other.md"),
            item(ONE, "Retries hide timeouts.", file="topics/net.md"),
            topics=(Topic("net", "topics/net.md", triggers=("gateway trouble",)), Topic("other", "topics/other.md")),
        )
        assert keys(snapshot, "gateway") == [ONE, "mem-2026-06-01-001"]

    @pytest.mark.parametrize("topic", ["net", "topics/net.md", "Networks", "NETWORKS"])
    def test_a_topic_bounds_it(self, topic: str) -> None:
        assert keys(self.SNAPSHOT, topic=topic) == [ONE]
        assert keys(self.SNAPSHOT, topic="gone") == []

    def test_a_limit_cuts_the_list_and_says_how_many_there_are(self) -> None:
        found = served(self.SNAPSHOT, limit=1)
        assert (len(found.served), found.total) == (1, 3)
        assert found.served[0].item == "mem-2026-05-21-001"
        assert served(self.SNAPSHOT, limit=-1).served == ()

    def test_what_the_index_repeats_is_served_once(self) -> None:
        assert len(served(root(item(ONE), item(ONE, file="index.md"))).served) == 1


class TestReconcileBlock:
    def test_state_rows_all_visible_and_dated(self) -> None:
        block = reconcile_block([TestState.NEW, TestState.OLD])
        assert block == (
            "Conflict on `subject: app:port`:\n"
            "  - [2026-05-01] (state) Port is 8080. Source: retro 2026-05-02"
            "   ← `active`, read as superseded by the newer row\n"
            "  - [2026-06-03] (state) Port is 9090. Source: retro 2026-05-02   ← currently `active`, the newest\n"
            "\n"
            "Acting on [2026-06-03]'s value. The earlier row is retained as history.\n"
            "If another row should be the current truth, ask me to reconcile."
        )

    def test_no_value_is_picked_where_dates_tie_or_knowledge_contradicts(self) -> None:
        tie = reconcile_block([state(ONE, "s", "A"), state(TWO, "s", "B")])
        assert "Acting on none of them" in tie
        lessons = reconcile_block([item(ONE, "A", status="pending-cleanup"), item(TWO, "B\nC", source=None)])
        assert "Acting on none of them" in lessons
        assert "(knowledge) A. Source: retro 2026-05-02   ← `Status: pending-cleanup`" in lessons
        assert "(knowledge) B C. Source: none   ← `active`" in lessons

    def test_a_superseded_row_is_shown_as_history(self) -> None:
        old = state(ONE, "s", "A.", status="superseded", superseded_by="mem-2026-06-01-001")
        block = reconcile_block([state("mem-2026-06-01-001", "s", "B."), old])
        assert "A. Source: retro 2026-05-02   ← `Status: superseded`" in block
        assert "Acting on [2026-06-01]'s value." in block

    def test_no_rows_no_block(self) -> None:
        assert reconcile_block([]) == ""
