"""The withdrawal form: a bounded scope, and a reason. It leads to a plan."""

from __future__ import annotations

from collections.abc import Sequence

from core.controls import Scope
from core.items import MemoryItem
from core.requests import Withdraw
from core.sources import archive_ref
from tui import display
from tui.desk import Desk, Then
from tui.screens.form import Answers, Field

REASONS = "failed-exploration, owner-decision, …"


def scope_of(text: str) -> Scope:
    """A scope from typed selectors, parted by blanks or commas: item ids, archive references, anything else a run."""
    items: set[str] = set()
    archive: set[str] = set()
    runs: set[str] = set()
    for selector in text.replace(",", " ").split():
        if selector.startswith("mem-"):
            items.add(selector)
        elif archive_ref(selector) is not None or selector.startswith("archive/"):
            archive.add(selector)
        else:
            runs.add(selector)
    return Scope(frozenset(items), frozenset(archive), frozenset(runs))


def ask_withdraw(desk: Desk, items: Sequence[MemoryItem], then: Then) -> None:
    """Ask for scope and reason; the scope begins as the ids of `items`."""
    ids = [item.id for item in items if item.id]

    def go_on(answers: Answers) -> None:
        then(Withdraw(scope_of(answers["scope"]), answers["reason"]))

    count = f" {len(ids)} item{'' if len(ids) == 1 else 's'}" if ids else " a bounded scope"
    unnamed = sum(item.id is None for item in items)
    intro = [
        "It excludes the scope, and whatever rests on it, from every ordinary read. It does not call it false, and it "
        "erases nothing; a reinstatement brings it back."
    ]
    if unnamed:
        intro.append(f"{unnamed} marked without an id cannot be named; repair first.")
    desk.ask(
        f"Withdraw{count} from influence",
        (
            Field("scope", "scope", display.one_line(" ".join(ids)), "item ids, archive/YYYY-MM-DD.md#anchor, runs"),
            Field("reason", "reason", "owner-decision", REASONS),
        ),
        go_on,
        intro=intro,
    )
