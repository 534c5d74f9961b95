"""Control events as trees: each under the event that it supersedes, and what bounds one scope together (§12.2)."""

from __future__ import annotations

from collections.abc import Sequence

from core.controls import Scope
from core.eligibility import Chain, ControlView, Influence
from core.vocabulary import ControlState

Pair = tuple[ControlView, Chain]
Tree = list[tuple[ControlView, Chain, int]]


def trees_of(influence: Influence) -> list[Tree]:
    """All control events, those of chains first; one that no chain has stands alone."""
    pairs = [(view, chain) for chain in influence.chains for view in chain.views]
    covered = {id(view) for view, _ in pairs}
    pairs.extend(
        (view, Chain(view.record.scope, (view,), view.state is ControlState.UNRESOLVED, None))
        for view in influence.controls
        if id(view) not in covered
    )
    return forest(pairs)


def forest(pairs: Sequence[Pair]) -> list[Tree]:
    """Events under the event that they name in `supersedes`, in the order given; each event once, loops cut."""
    known = {view.record.withdrawal_id for view, _ in pairs}
    children: dict[str, list[Pair]] = {}
    roots: list[Pair] = []
    for view, chain in pairs:
        parents = [name for name in view.record.supersedes if name in known and name != view.record.withdrawal_id]
        if parents:
            children.setdefault(parents[0], []).append((view, chain))
        else:
            roots.append((view, chain))
    seen: set[int] = set()
    trees: list[Tree] = []

    def grow(view: ControlView, chain: Chain, depth: int, tree: Tree) -> None:
        if id(view) in seen:
            return
        seen.add(id(view))
        tree.append((view, chain, depth))
        for child, its_chain in children.get(view.record.withdrawal_id, ()):
            grow(child, its_chain, depth + 1, tree)

    home: dict[Scope, Tree] = {}
    for view, chain in (*roots, *pairs):
        tree: Tree = []
        grow(view, chain, 0, tree)
        if not tree:
            continue
        # What bounds the same scope stands together: it is settled together.
        together = next((home[its.scope] for _, its, _ in tree if its.scope in home), None)
        if together is None:
            trees.append(tree)
        else:
            together.extend(tree)
        for _, its, _ in tree:
            home.setdefault(its.scope, together or tree)
    return trees
