"""Every command, stopped at each writing call of the file port: reopened, the root is wholly before or wholly after."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from core.authority import Actor
from core.controls import Scope
from core.engine import Engine
from core.requests import (
    Approve,
    Clear,
    Cool,
    Init,
    Merge,
    NameOwner,
    NotDuplicate,
    Pend,
    Propose,
    Reclassify,
    Reconcile,
    Reinstate,
    Reject,
    Repair,
    Request,
    SetSubject,
    SetTriggers,
    Stale,
    Supersede,
    Undo,
    Warm,
    Withdraw,
)
from stores.markdown.port import FilePort
from stores.markdown.store import MarkdownStore
from stores.pins import Pins
from tests.stores.faultport import Disk, RecordingPort, StopAtPort, UnsyncedPort, in_child, power_cuts, stops
from tests.support.roots import ANA, BOB, SEED, Clock, lay_out

ONE, TWO, THREE = "mem-2026-05-20-001", "mem-2026-05-20-002", "mem-2026-05-20-003"
OLD_PORT, NEW_PORT = "mem-2026-05-01-009", "mem-2026-06-03-001"

PROPOSAL = """\
---
proposal_id: mempolicy-2026-06-01-001
target: conventions.md
proposed_change: Drain before a restart.
supporting_refs:
  - mem-2026-05-20-001
expected_benefit: fewer lost requests
risk: slower restarts
status: pending-review
---
"""

WITHDRAWN = Withdraw(Scope(frozenset({ONE})))
COMMANDS: dict[str, tuple[Request, ...]] = {
    "stale": (Stale((ONE, TWO)),),
    "clear": (Clear((TWO,)),),
    "pend": (Pend((ONE,)),),
    "repair": (Repair("mem-2026-05-04-001", marker=True),),
    "supersede": (Supersede(OLD_PORT, NEW_PORT),),
    "reconcile to the newer": (Reconcile((OLD_PORT, NEW_PORT), "log", current=NEW_PORT),),
    "reconcile to the older": (Reconcile((OLD_PORT, NEW_PORT), "log", current=OLD_PORT),),
    "both stay": (Reconcile((OLD_PORT, NEW_PORT), "log", both_stay=True),),
    "withdraw": (WITHDRAWN,),
    "reinstate": (WITHDRAWN, Reinstate("memwd-2026-06-12-001")),
    "undo": (Stale((ONE,)), Undo()),
    "owner": (NameOwner("bob", "bob", ("topic:net",)),),
    "reclassify": (Reclassify(ONE, "state", "deploy:conclusion"),),
    "cool": (Cool((ONE,)),),
    "warm": (Cool((ONE,)), Warm((ONE,))),
    "subject": (SetSubject(OLD_PORT, "app:http-port"),),
    "approve": (Approve("mempolicy-2026-06-01-001"),),
    "merge": (Merge((ONE, THREE), "Conclusions one and three."),),
    "not-duplicate": (NotDuplicate((ONE, TWO)),),
    "triggers": (SetTriggers("topics/deploy.md", ("deploying", "rolling back")),),
    "propose": (Propose("conventions.md", "Tag first.", (ONE,), "fewer surprises", "a step more"),),
    "reject": (Reject("mempolicy-2026-06-01-001", "one incident"),),
}


def engine_on(root: Path, port: FilePort | None = None) -> Engine:
    pins = Pins(str(root), folder=str(root.parent / "config"))
    return Engine(MarkdownStore(str(root), pins=pins, port=port), clock=Clock())


def carry_out(root: Path, request: Request, port: FilePort | None = None, actor: Actor = ANA) -> None:
    engine = engine_on(root, port)
    plan = engine.plan(request, actor)
    engine.commit(plan, engine.decide(plan, actor))


def tree(root: Path) -> dict[str, bytes]:
    """What stands in a root, Assay's own workings apart (a power cut may leave a nameless temporary file)."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".assay" not in path.parts and not path.name.startswith(".assay-")
    }


def settled(root: Path) -> dict[str, bytes]:
    """Open the root as the next user would, and look at what is there."""
    engine = engine_on(root)
    with engine.store.writer("human:next"):
        pass
    assert list((root / ".assay" / "journal").glob("*")) == [], "the journal is gone"
    return tree(root)


def difference(now: dict[str, bytes], after: dict[str, bytes]) -> str:
    """Where two trees differ, for a failing assertion."""
    names = [name for name in {**now, **after} if now.get(name) != after.get(name)]
    return "\n".join(f"{name}: {now.get(name)!r} is not {after.get(name)!r}" for name in names)


@pytest.fixture
def prepared(tmp_path: Path) -> Callable[[tuple[Request, ...]], tuple[Path, Request]]:
    def prepare(requests: tuple[Request, ...]) -> tuple[Path, Request]:
        root = lay_out(tmp_path / "base" / "memory", {**SEED, "proposals/mempolicy-2026-06-01-001.md": PROPOSAL})
        engine_on(root).store.confirm_owners()  # type: ignore[attr-defined]
        for request in requests[:-1]:
            carry_out(root, request)
        return root, requests[-1]

    return prepare


def copied(base: Path, to: Path) -> Path:
    if to.exists():
        shutil.rmtree(to)
    shutil.copytree(base, to, symlinks=True)
    engine_on(to / "memory").store.confirm_owners()  # type: ignore[attr-defined]
    return to / "memory"


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_each_call(name: str, prepared: Callable[..., tuple[Path, Request]], tmp_path: Path) -> None:
    root, request = prepared(COMMANDS[name])
    base = root.parent
    before = tree(root)
    copy = copied(base, tmp_path / "whole")
    carry_out(copy, request)
    after = tree(copy)
    assert after != before
    seen = set()
    for number in stops(lambda port: carry_out(copied(base, tmp_path / "count"), request, port)):
        copy = copied(base, tmp_path / "killed")
        stopped = StopAtPort(number, kill=True, inner=UnsyncedPort())
        in_child(partial(carry_out, copy, request, stopped))
        now = settled(copy)
        assert now in (before, after), f"half done after call {number}"
        assert not list(copy.rglob("*.tmp"))
        seen.add(now == after)
    assert seen == {False, True}


@pytest.mark.parametrize("name", ["supersede", "reconcile to the older", "withdraw", "reinstate"])
def test_power_cut_after_each_call(name: str, prepared: Callable[..., tuple[Path, Request]], tmp_path: Path) -> None:
    root, request = prepared(COMMANDS[name])
    base = root.parent
    before = tree(root)
    start = Disk.of(base)
    port = RecordingPort()
    carry_out(root, request, port)
    after = tree(root)
    seen = set()
    for number, disk in enumerate(power_cuts(start, port.trace, base)):
        if number % 7:
            continue
        folder = tmp_path / f"disk-{number}"
        disk.write(folder)
        now = settled(folder / "memory")
        assert now in (before, after), difference(now, after)
        seen.add(now == after)
        shutil.rmtree(folder)
    assert seen == {False, True}


def test_init_killed_at_each_call(tmp_path: Path) -> None:
    def lay(root: Path, port: FilePort | None = None) -> None:
        carry_out(root, Init(owner="ana", user="ana"), port, BOB)

    whole = tmp_path / "whole" / "team" / "memory"
    lay(whole)
    for number in stops(lambda port: lay(Path(str(tmp_path / "count" / f"{id(port)}")) / "memory", port)):
        root = tmp_path / f"killed-{number}" / "team" / "memory"
        root.parent.mkdir(parents=True)
        stopped = StopAtPort(number, kill=True, inner=UnsyncedPort())
        in_child(partial(lay, root, stopped))
        if not root.exists():
            continue
        now = settled(root)
        assert now in ({}, tree(whole)), difference(now, tree(whole))
