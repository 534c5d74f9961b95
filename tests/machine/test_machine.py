"""Random lives of a root: every command, strangers' edits, crashes. What must hold, holds after each step."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.authority import Actor, human_only
from core.controls import ControlRecord, Scope
from core.engine import Engine
from core.errors import AssayError
from core.events import fold
from core.items import MemoryItem, Record
from core.requests import (
    Clear,
    Cool,
    Merge,
    Pend,
    Reclassify,
    Reconcile,
    Reinstate,
    Repair,
    Request,
    Settle,
    Stale,
    Supersede,
    Undo,
    Warm,
    Withdraw,
)
from core.retrieval import retrieve
from stores.markdown.store import MarkdownStore
from stores.pins import Pins
from tests.stores.faultport import Call, StopAtPort, Stopped, UnsyncedPort, WrappedPort
from tests.support.roots import ANA, BOB, BOT, DREAM, SEED, Clock, lay_out

PAGES = ("topics/deploy.md", "topics/net.md", "memory.md")
ORDINARY = ("index.md", *PAGES)


class MetPort(WrappedPort):
    """Somebody saves the file at `path` just before it is exchanged for the first time."""

    def __init__(self, path: str, save: Callable[[], None]) -> None:
        super().__init__(UnsyncedPort())
        self.path, self.save = os.path.realpath(path), save
        self.met = False

    def around(self, number: int, call: Call, do: Callable[[], Any]) -> Any:
        if call.name == "exchange" and not self.met and self.path == os.path.realpath(call.other or ""):
            self.met = True
            self.save()
        return do()


class Lives(RuleBasedStateMachine):
    """One root on disk, and a plain account of what was done to it."""

    @initialize()
    def lay_out(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="assay-lives-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        self.folder = lay_out(self.base / "memory", SEED)
        self.clock = Clock()
        self.tokens: list[bytes] = []
        self.dirty: set[str] = set()
        self.gone: set[str] = set()
        self.copies: dict[str, bytes] = {}
        self.events = 0
        self.numbers = 0
        self.engine = self.open()
        self.engine.store.confirm_owners()  # type: ignore[attr-defined]
        self.start: dict[str, Record] = {str(one.id): one.record() for one in self.items() if one.id is not None}

    def open(self, port: object = None) -> Engine:
        pins = Pins(str(self.folder), folder=str(self.base / "config"))
        return Engine(
            MarkdownStore(str(self.folder), pins=pins, port=port or UnsyncedPort()),  # type: ignore[arg-type]
            clock=self.clock,
        )

    def items(self) -> tuple[MemoryItem, ...]:
        return self.engine.store.snapshot().items

    def teardown(self) -> None:
        if hasattr(self, "base"):
            shutil.rmtree(self.base, ignore_errors=True)

    # what can be asked of the engine

    def request(self, data: st.DataObject) -> Request | None:
        items = self.items()
        if not items:
            return None
        one, two = (items[data.draw(st.integers(0, 30)) % len(items)] for _ in range(2))
        rows = (one.key, two.key)
        controls = self.engine.store.snapshot().controls
        choices: list[Request] = [
            Stale((one.key,)),
            Stale(rows),
            Clear((one.key,)),
            Pend((one.key,)),
            Repair(one.key, kind="knowledge", source="retro"),
            Repair(one.key, marker=True),
            Repair(one.key, new_id=True),
            Repair(one.key, status="active"),
            Supersede(one.key, two.key),
            Reconcile(rows, "log", current=one.key),
            Reconcile(rows, "log", both_stay=True),
            Reconcile(rows, "log", pend=True),
            Reclassify(one.key, "state", "some:subject"),
            Reclassify(one.key, "knowledge"),
            Cool((one.key,)),
            Warm((one.key,)),
            Merge(rows, "Folded from two."),
            Undo(),
        ]
        # Two items at random are seldom rows of one subject: those that are.
        for conflict in self.engine.reading().conflicts:
            if len(conflict.rows) > 1:
                older, newer = conflict.rows[0], conflict.rows[-1]
                choices += [Supersede(older, newer)] * 2
                choices += [Reconcile(conflict.rows, "log", current=current) for current in (older, newer)]
        if one.id is not None:
            choices += [Withdraw(Scope(frozenset({one.id})))] * 2
        choices += [Withdraw(Scope(archive_refs=frozenset({"archive/2026-05-20.md#run-8"})))]
        for control in controls[-3:]:
            choices += [
                Reinstate(control.withdrawal_id, rivals="supersede"),
                Settle(control.withdrawal_id, "reinstate", rivals="keep"),
            ]
        return choices[data.draw(st.integers(0, 60)) % len(choices)]

    def carry_out(self, engine: Engine, request: Request, actor: Actor) -> None:
        plan = engine.plan(request, actor)
        decision = engine.decide(plan, actor) if actor.is_human else None
        receipt = engine.commit(plan, decision)
        self.account(engine)
        assert receipt.event == self.engine.store.snapshot().events[-1].id

    def account(self, engine: Engine) -> None:
        """What the engine touched is its own again."""
        events = engine.store.snapshot().events
        for event in events[self.events :]:
            self.dirty -= {change.id for change in event.items}
        self.events = len(events)

    @rule(data=st.data(), actor=st.sampled_from([ANA, ANA, BOB, DREAM, BOT]))
    def command(self, data: st.DataObject, actor: Actor) -> None:
        request = self.request(data)
        before = self.events
        if request is None:
            return
        try:
            self.carry_out(self.engine, request, actor)
        except AssayError:
            assert len(self.engine.store.snapshot().events) == before
        else:
            assert self.events == before + 1

    @rule(data=st.data(), number=st.integers(1, 60), seconds=st.integers(0, 90_000))
    def command_cut_short(self, data: st.DataObject, number: int, seconds: int) -> None:
        """The process dies at some writing call; the next one opens the root."""
        request = self.request(data)
        self.clock.pass_(seconds=seconds)
        if request is None:
            return
        dying = self.open(StopAtPort(number, inner=UnsyncedPort()))
        with contextlib.suppress(AssayError, Stopped):
            self.carry_out(dying, request, ANA)
        self.engine = self.open()
        with self.engine.store.writer("human:next"):
            pass
        assert not list((self.folder / ".assay" / "journal").glob("*"))
        self.account(self.engine)

    # what strangers do

    def token(self) -> str:
        self.numbers += 1
        self.tokens.append(f"token{self.numbers:04d}x".encode())
        return self.tokens[-1].decode()

    @rule(page=st.sampled_from(PAGES))
    def stranger_adds(self, page: str) -> None:
        path = self.folder / page
        data = path.read_bytes()
        glue = b"" if not data or data.endswith(b"\n") else b"\n"
        line = f"- [2026-06-10] [mem-2026-06-10-{900 + self.numbers}] (knowledge) {self.token()}. Source: chat.\n"
        path.write_bytes(data + glue + line.encode())
        self.foreign()

    @rule(page=st.sampled_from(PAGES), data=st.data())
    def stranger_edits(self, page: str, data: st.DataObject) -> None:
        here = [one for one in self.items() if one.place.file == page and one.id is not None]
        path = self.folder / page
        if not here:
            return
        one = here[data.draw(st.integers(0, 30)) % len(here)]
        before = one.text.encode()
        content = path.read_bytes()
        if content.count(before) == 1:
            path.write_bytes(content.replace(before, before + b" " + self.token().encode()))
            self.dirty.add(str(one.id))
            self.foreign()

    @rule(data=st.data(), page=st.sampled_from(ORDINARY), append=st.booleans())
    def stranger_saves_in_the_instant_of_the_exchange(self, data: st.DataObject, page: str, append: bool) -> None:
        """A save falls between the commit's last look at a page and the exchange of its file."""
        request = self.request(data)
        if request is None:
            return

        def save() -> None:
            path = self.folder / page
            line = f"\nProse of a human: {self.token()}.\n".encode()
            content = path.read_bytes()
            fresh = path.with_name(path.name + ".swap")
            fresh.write_bytes(content + line if append else line + content)
            os.replace(fresh, path)

        with contextlib.suppress(AssayError):
            self.carry_out(self.open(MetPort(str(self.folder / page), save)), request, ANA)
        self.engine = self.open()
        self.account(self.engine)
        self.foreign()

    @rule(data=st.data(), how=st.sampled_from(["unreadable", "no owner", "an agent", "nobody"]))
    def stranger_writes_a_reinstatement(self, data: st.DataObject, how: str) -> None:
        """By hand, of a withdrawal that stands: cut short, or decided by one who does not own the scope."""
        named = [one.id for one in self.items() if one.id is not None]
        if named and not self.withdrawn:
            with contextlib.suppress(AssayError):
                one = named[data.draw(st.integers(0, 30)) % len(named)]
                self.carry_out(self.engine, Withdraw(Scope(frozenset({one}))), ANA)
        standing = sorted(self.withdrawn)
        if not standing:
            return
        ids, prior = standing[data.draw(st.integers(0, 30)) % len(standing)]
        self.numbers += 1
        by = {"unreadable": "owner:ana", "no owner": "human:bob", "an agent": "agent:bot", "nobody": "''"}[how]
        record = [
            f"- [2026-06-11T10:00:00+00:00] reinstate by {by} — memwd-2026-06-11-{900 + self.numbers}",
            "  ```yaml",
            f"  withdrawal_id: memwd-2026-06-11-{900 + self.numbers}",
            "  record_type: withdrawal-control-v1",
            "  action: reinstate",
            "  scope:",
            f"    memory_item_ids: [{', '.join(ids)}]",
            "  reason: wrong",
            f"  decided_by: {by}",
            *([] if how == "unreadable" else ["  decided_at: 2026-06-11T10:00:00+00:00"]),
            "  effect: restore-eligibility",
            f"  supersedes: {prior}",
            "  ```",
            "",
        ]
        with (self.folder / "log.md").open("a") as log:
            log.write("\n".join(record))

    @property
    def withdrawn(self) -> set[tuple[tuple[str, ...], str]]:
        """What the engine's own events withdrew and have not reinstated: the ids of a scope, and the last control."""
        last: dict[Scope, ControlRecord] = {}
        for event in self.engine.store.snapshot().events:
            if event.control is not None:
                last[event.control.scope] = event.control
        return {
            (tuple(sorted(scope.memory_item_ids)), record.withdrawal_id)
            for scope, record in last.items()
            if record.action == "withdraw" and scope == Scope(scope.memory_item_ids) and scope.memory_item_ids
        }

    @rule(page=st.sampled_from(PAGES))
    def stranger_keeps_a_copy(self, page: str) -> None:
        self.copies[page] = (self.folder / page).read_bytes()

    @precondition(lambda self: getattr(self, "copies", None))
    @rule()
    def stranger_saves_the_copy(self) -> None:
        """An old buffer is saved over what the engine wrote meanwhile: everything in that page is foreign now."""
        page, content = self.copies.popitem()
        path = self.folder / page
        lost = [token for token in self.tokens if token in path.read_bytes() and token not in content]
        self.tokens = [token for token in self.tokens if token not in lost]
        self.dirty |= {str(one.id) for one in self.items() if one.place.file == page or one.held}
        fresh = path.with_name(path.name + ".swap")
        fresh.write_bytes(content)
        os.replace(fresh, path)
        self.dirty |= {str(one.id) for one in self.items() if one.place.file == page or one.held}
        self.foreign()
        self.gone |= {one for one in self.dirty if one not in self.engine.store.snapshot().by_id}

    def foreign(self) -> None:
        """What no event has named yet begins as it stands now."""
        snapshot = self.engine.store.snapshot()
        named = {change.id for event in snapshot.events for change in event.items}
        self.start |= {str(one.id): one.record() for one in snapshot.items if one.id and one.id not in named}

    # what must hold

    @invariant()
    def the_fold_of_the_log_is_what_stands(self) -> None:
        snapshot = self.engine.store.snapshot()
        for item_id, record in fold(self.start, snapshot.events).items():
            bearers = snapshot.by_id.get(item_id, ())
            if item_id in self.dirty or len(bearers) != 1:
                assert bearers or item_id in self.dirty | self.gone, f"{item_id} is nowhere"
                continue
            now, replayed = dict(bearers[0].record()), dict(record)
            assert now == replayed, (item_id, snapshot.events[-1].summary)

    @invariant()
    def no_foreign_byte_is_lost(self) -> None:
        content = b"".join(path.read_bytes() for path in self.folder.rglob("*.md"))
        for token in self.tokens:
            assert token in content, token

    @invariant()
    def nothing_withdrawn_is_served(self) -> None:
        reading = self.engine.reading()
        served = {one.item for one in retrieve(reading.snapshot, reading.influence, None).served}
        queued = {entry.item for entry in reading.queue}
        excluded = {one.key for one in reading.snapshot.items if not reading.influence.eligible(one.key)}
        assert not excluded & (served | queued)
        named = {value for view in reading.influence.controls for value in view.record.scope.memory_item_ids}
        heads = {
            value
            for chain in reading.influence.chains
            for view in chain.views
            if view.record.withdrawal_id == chain.head and view.record.action == "withdraw"
            for value in view.record.scope.memory_item_ids
        }
        assert heads <= named
        account = {one for ids, _ in self.withdrawn for one in ids}
        for one in reading.snapshot.items:
            if one.id in account:
                assert one.key in excluded, f"{one.key} was withdrawn by an owner, and is eligible"
            if one.id in heads:
                assert one.key in excluded, f"{one.key} is withdrawn and eligible"
            if one.held and one.id not in self.dirty:
                assert one.key in excluded, f"{one.key} is held and eligible"

    @invariant()
    def human_only_effects_have_a_decision(self) -> None:
        for event in self.engine.store.snapshot().events:
            if event.command is not None and human_only(event.command):
                assert event.decision is not None, event.id
                assert event.decision.by == event.actor
                assert event.actor.startswith(("owner:", "human:"))


Lives.TestCase.settings = settings(
    max_examples=int(os.environ.get("ASSAY_LIVES", "150")),
    stateful_step_count=20,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
TestLives = Lives.TestCase
