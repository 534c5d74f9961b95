"""The causal order of control records (§12.2): what each does now, and whether its scope is excluded. No clock."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.controls import ControlRecord, Scope
from core.ownership import owner_named, owners_of, owns, role_of
from core.snapshot import Snapshot
from core.vocabulary import ControlAction, ControlEffect, ControlState

RECORD_TYPE = "withdrawal-control-v1"

_EFFECTS = {ControlAction.WITHDRAW.value: ControlEffect.EXCLUDE.value}
_EFFECTS[ControlAction.REINSTATE.value] = ControlEffect.RESTORE.value

_NEVER_OWNERS = ("agent", "autodream", "scheduler")
"""Actors that decide no withdrawal or reinstatement, whether or not the root declares owners."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A record and what it does. `code` is the finding it gives rise to, '' where it is in order."""

    record: ControlRecord
    state: ControlState
    reason: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class JudgedChain:
    """The records of one exact scope, priors before what supersedes them, ids deciding among equals.

    `excluded` is what they say together. `by` are the ids that exclude. `head`, `heads` and `reinstatable` are as in
    `core.influence.Chain`.
    """

    scope: Scope
    records: tuple[Judged, ...]
    excluded: bool
    unresolved: bool
    by: tuple[str, ...]
    head: str | None
    heads: tuple[str, ...]
    reinstatable: bool


@dataclass(slots=True, eq=False)
class _Node:
    record: ControlRecord
    unsound: tuple[str, str] | None
    """Why the record cannot do what it says, as (code, reason): it excludes, orders nothing and re-admits nothing."""
    bad: tuple[str, str] | None = None
    """Why a readable reinstatement re-admits nothing, as (code, reason)."""
    note: tuple[str, str] | None = None
    """A finding about a record that does what it says."""
    blocks: bool = False
    """True where it keeps its scope excluded by itself until it is settled."""
    void: bool = False
    """True where it controls nothing: no scope, or a reinstatement of another scope."""

    @property
    def id(self) -> str:
        return self.record.withdrawal_id

    @property
    def withdraws(self) -> bool:
        return self.unsound is None and self.record.action == ControlAction.WITHDRAW

    @property
    def restores(self) -> bool:
        return self.unsound is None and self.bad is None and self.record.action == ControlAction.REINSTATE


def judge(snapshot: Snapshot) -> tuple[JudgedChain, ...]:
    """Every control record of `snapshot`, chain by chain.

    Chains that wait for a settlement come first, those with an unreadable record before the others, then what is
    excluded, then what is reinstated; ids decide among equals. The order and number of copies of records, and their
    clocks, do not matter.

    What decides, for one exact scope: the one head, a record that no sound record supersedes. A withdrawal excludes;
    a reinstatement re-admits where it names that withdrawal, all it names is there, sound and of the same scope, and
    its owner decided it. Anything else excludes. A record that cannot be relied on (unreadable, unknown, contradicting
    itself or its own copy, in a cycle) orders nothing, so that no reinstatement can rest on it directly: it is settled
    by a withdrawal that names it, and that withdrawal can be reinstated.
    """
    nodes = _nodes(snapshot.controls)
    by_id: dict[str, list[_Node]] = defaultdict(list)
    for node in nodes:
        by_id[node.id].append(node)
    for node in nodes:
        _examine(node, by_id, snapshot)
    _require_withdrawal(nodes, by_id)
    groups: dict[Scope, list[_Node]] = defaultdict(list)
    alone: list[_Node] = []
    guests: dict[Scope, list[_Node]] = defaultdict(list)
    for node in nodes:
        if node.record.scope.empty:
            alone.append(node)
        elif node.void and (host := _host(node, by_id)) is not None:
            guests[host].append(node)
        else:
            groups[node.record.scope].append(node)
    chains = [_chain(scope, group, guests.pop(scope, [])) for scope, group in groups.items()]
    chains += [_chain(scope, [], left) for scope, left in guests.items()]
    chains += [_chain(node.record.scope, [], [node]) for node in alone]
    return tuple(sorted(chains, key=_rank))


def _rank(chain: JudgedChain) -> tuple[bool, bool, bool, str, str]:
    unreadable = any(judged.record.unreadable is not None for judged in chain.records)
    first = min((judged.record.withdrawal_id for judged in chain.records), default="")
    return (not chain.unresolved, not unreadable, not chain.excluded, first, str(chain.scope))


def _content(record: ControlRecord) -> tuple[object, ...]:
    return (
        record.withdrawal_id,
        record.action,
        record.effect,
        record.scope,
        frozenset(record.supersedes),
        record.reason,
        record.decided_by,
        record.decided_at,
        record.record_type,
        record.unreadable,
    )


def _nodes(controls: Sequence[ControlRecord]) -> list[_Node]:
    distinct = {_content(record): record for record in controls}
    contents: dict[str, int] = defaultdict(int)
    named: dict[str, set[str]] = defaultdict(set)
    for record in distinct.values():
        contents[record.withdrawal_id] += 1
        named[record.withdrawal_id].update(record.supersedes)
    cyclic = _cyclic(named)
    nodes = []
    for record in distinct.values():
        unsound = _unsound(record)
        if unsound is None and contents[record.withdrawal_id] > 1:
            unsound = ("control-two-contents", "Records with different contents bear its id.")
        if unsound is None and record.withdrawal_id in cyclic:
            unsound = ("control-cycle", "It supersedes itself by way of others, so nothing comes first.")
        nodes.append(_Node(record, unsound))
    return sorted(nodes, key=lambda node: (node.id, repr(sorted(map(repr, _content(node.record))))))


def _unsound(record: ControlRecord) -> tuple[str, str] | None:
    if record.unreadable is not None:
        return ("control-unreadable", f"It cannot be read whole: {record.unreadable.rstrip('.')}.")
    if not record.withdrawal_id.strip():
        return ("control-without-id", "It has no id, so nothing can refer to it.")
    if record.record_type != RECORD_TYPE:
        return ("control-unknown-type", f"Its record_type is not {RECORD_TYPE}.")
    if record.action not in _EFFECTS:
        return ("control-unknown-action", f"“{record.action}” is no action; actions are withdraw and reinstate.")
    if record.effect != _EFFECTS[record.action]:
        return ("control-effect-mismatch", f"The effect of {record.action} is {_EFFECTS[record.action]}.")
    return None


def _cyclic(named: Mapping[str, set[str]]) -> set[str]:
    """The ids that lie on a cycle of `supersedes` (Tarjan's components, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    cyclic: set[str] = set()
    for root in named:
        if root in order:
            continue
        work: list[tuple[str, list[str]]] = [(root, sorted(named[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            here, rest = work[-1]
            if rest:
                there = rest.pop()
                if there in named and there not in order:
                    order[there] = low[there] = len(order)
                    stack.append(there)
                    on_stack.add(there)
                    work.append((there, sorted(named[there])))
                elif there in on_stack:
                    low[here] = min(low[here], order[there])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[here])
            if low[here] == order[here]:
                component = set()
                while here not in component:
                    top = stack.pop()
                    on_stack.discard(top)
                    component.add(top)
                if len(component) > 1 or here in named[here]:
                    cyclic |= component
    return cyclic


def _examine(node: _Node, by_id: Mapping[str, list[_Node]], snapshot: Snapshot) -> None:
    record = node.record
    if record.scope.empty:
        node.void = True
        if node.unsound is None:
            node.bad = ("control-without-scope", "It has no scope selector, so it bounds nothing.")
        return
    if node.unsound is not None:
        node.blocks = True
        return
    missing = sorted(prior for prior in set(record.supersedes) if prior not in by_id)
    others = sorted(
        prior
        for prior in set(record.supersedes)
        if any(target.record.scope != record.scope for target in by_id.get(prior, ()))
    )
    if record.action == ControlAction.WITHDRAW:
        refused = _unauthorised(record, snapshot)
        if refused:
            node.note = ("withdraw-not-owner", f"{refused} It excludes all the same.")
        elif others:
            node.note = (
                "control-scope-mismatch",
                f"It names {', '.join(others)}, of another scope, which stays in force.",
            )
        elif missing:
            node.note = ("control-dangling", f"It supersedes {', '.join(missing)}, which is not there.")
        return
    unreliable = sorted(prior for prior in set(record.supersedes) if any(n.unsound for n in by_id.get(prior, ())))
    if not record.supersedes:
        node.bad = ("control-dangling", "It names no withdrawal that it reinstates.")
        node.blocks = True
    elif missing:
        node.bad = ("control-dangling", f"It reinstates {', '.join(missing)}, which is not there.")
        node.blocks = True
    elif unreliable:
        node.bad = ("control-unsettled", f"It reinstates {', '.join(unreliable)}, which cannot be relied on.")
        node.blocks = True
    elif others:
        node.bad = ("control-scope-mismatch", f"It controls nothing: its scope is not that of {', '.join(others)}.")
        node.void = True
    elif refused := _unauthorised(record, snapshot):
        node.bad = ("control-not-owner", refused)


def _unauthorised(record: ControlRecord, snapshot: Snapshot) -> str:
    """Why `decided_by` does not own the scope, as a sentence; '' where it does, or where no owners are declared."""
    who = record.decided_by.strip()
    if not who:
        return "Nobody is named as having decided it."
    binding = snapshot.binding
    if role_of(who) in _NEVER_OWNERS:
        refused = f"{who} decided it, and owns no scope."
    elif not binding.owners:
        return ""
    else:
        owner = owner_named(binding, who)
        if owner is not None and owns(binding, owner, snapshot, record.scope):
            return ""
        refused = f"{who} decided it, and does not own its scope."
    may = ", ".join(owner.name for owner in owners_of(binding, snapshot, record.scope))
    return f"{refused} Who may: {may}." if may else refused


def _require_withdrawal(nodes: Iterable[_Node], by_id: Mapping[str, list[_Node]]) -> None:
    """A reinstatement re-admits only where a sound withdrawal stands behind it, directly or by way of others."""
    reaches: dict[str, bool] = {}
    for node in nodes:
        work = [node.id]
        while work:
            here = work[-1]
            restoring = [n for n in by_id[here] if n.restores]
            open_ = [prior for n in restoring for prior in n.record.supersedes if prior not in reaches]
            if here not in reaches and open_:
                work += open_
                continue
            work.pop()
            reaches.setdefault(
                here,
                any(n.withdraws for n in by_id[here])
                or any(reaches[prior] for n in restoring for prior in n.record.supersedes),
            )
    for node in nodes:
        if node.restores and not reaches[node.id]:
            node.bad = ("control-dangling", "It names no withdrawal that it reinstates.")
            node.void = True


def _host(node: _Node, by_id: Mapping[str, list[_Node]]) -> Scope | None:
    """The scope in whose chain a record that controls nothing is shown: that of what it names."""
    scopes = [target.record.scope for prior in sorted(node.record.supersedes) for target in by_id.get(prior, ())]
    return next((scope for scope in scopes if not scope.empty), None)


def _chain(scope: Scope, group: Sequence[_Node], guests: Sequence[_Node]) -> JudgedChain:
    """Judge the records of one scope. `guests` control nothing and are only shown with what they name."""
    here = {node.id for node in group}
    superseded = {
        prior for node in group if node.withdraws or node.restores for prior in node.record.supersedes if prior in here
    }
    heads = [node for node in group if node.id not in superseded and (node.withdraws or node.restores or node.blocks)]
    sole = heads[0] if len(heads) == 1 and not heads[0].blocks else None
    excluded = bool(heads) and not (sole is not None and sole.restores)
    in_order = _causal((*group, *guests))
    waiting = _waiting(in_order, superseded, {node.id for node in heads}) if excluded else set()
    judged = tuple(
        Judged(node.record, *_state(node, node in heads, sole, node.id in superseded, node in waiting))
        for node in in_order
    )
    excluding = [node for node in heads if not node.restores] or heads
    to_settle = {node.id for node in heads} | {node.id for node in group if node in waiting}
    return JudgedChain(
        scope=scope,
        records=judged,
        excluded=excluded,
        unresolved=bool(waiting) or any(one.state is ControlState.UNRESOLVED for one in judged),
        by=tuple(sorted({node.id for node in excluding})) if excluded else (),
        head=sole.id if sole is not None else None,
        heads=tuple(sorted(to_settle)),
        reinstatable=(
            excluded
            and all(node.unsound is None for node in heads)
            and any(node.withdraws or node.restores for node in heads)
        ),
    )


def _waiting(in_order: Sequence[_Node], superseded: set[str], heads: set[str]) -> set[_Node]:
    """Reinstatements that re-admit nothing while what they name is still in force: somebody has to look at them."""
    open_ids = set(heads)
    waiting = set()
    for node in in_order:
        if node.bad is None or node.blocks or node.id in superseded:
            continue
        if any(prior in open_ids for prior in node.record.supersedes):
            waiting.add(node)
            open_ids.add(node.id)
    return waiting


def _state(
    node: _Node, head: bool, sole: _Node | None, superseded: bool, waiting: bool
) -> tuple[ControlState, str, str]:
    """`(state, reason, finding code)` of a record."""
    code, said = node.unsound or node.bad or node.note or ("", "")
    if node.void and node.unsound is None:
        return ControlState.INVALID, said, code if waiting or node.record.scope.empty else ""
    if superseded:
        return ControlState.SUPERSEDED, "A later event of the same scope supersedes it.", ""
    if node.unsound is not None or node.blocks or waiting:
        return ControlState.UNRESOLVED, said, code
    if node.bad is not None:
        return ControlState.INVALID, f"{said} What it named has been settled since.", ""
    if head and sole is None:
        reason = "Several events of this scope have no single order; a settlement has to supersede them all."
        return ControlState.UNRESOLVED, reason, code
    if node.restores:
        return ControlState.CONTROLS, "The scope is eligible again.", code
    return ControlState.CONTROLS, said or "It excludes its scope.", code


def _causal(nodes: Sequence[_Node]) -> list[_Node]:
    """Priors first, ids deciding among equals; what is left of a cycle comes last, by id."""
    ids = {node.id for node in nodes}
    waits = {
        id(node): {prior for prior in node.record.supersedes if prior in ids and prior != node.id} for node in nodes
    }
    followers: dict[str, list[_Node]] = defaultdict(list)
    copies: dict[str, int] = defaultdict(int)
    for node in nodes:
        copies[node.id] += 1
        for prior in waits[id(node)]:
            followers[prior].append(node)
    position = {id(node): index for index, node in enumerate(sorted(nodes, key=lambda node: node.id))}
    ready = [(position[id(node)], node) for node in nodes if not waits[id(node)]]
    heapq.heapify(ready)
    done: list[_Node] = []
    placed: set[int] = set()
    while ready:
        _, node = heapq.heappop(ready)
        done.append(node)
        placed.add(id(node))
        copies[node.id] -= 1
        if copies[node.id]:
            continue
        for follower in followers[node.id]:
            waits[id(follower)].discard(node.id)
            if not waits[id(follower)] and id(follower) not in placed:
                heapq.heappush(ready, (position[id(follower)], follower))
    rest = [node for node in nodes if id(node) not in placed]
    return [*done, *sorted(rest, key=lambda node: position[id(node)])]
