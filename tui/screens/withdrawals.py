"""Screen 5, Withdrawals: each chain of control events as a tree, and what it excludes now (§12.2).

The audit: the one screen that can show withheld text, item by item, when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.eligibility import Chain, ControlView
from core.errors import AssayError, RivalRows
from core.events import Event
from core.items import MemoryItem
from core.requests import Reinstate, Request, Settle
from core.vocabulary import ControlAction, ControlState
from tui import display, glyphs, present
from tui.desk import Facts, Then
from tui.lines import EMPTY, LABEL, Line, flow, labelled, line, spread
from tui.page import Page
from tui.screens.form import Answers, Field
from tui.screens.withdrawal_trees import trees_of
from tui.verbs import WITHDRAWALS, Verb
from tui.verbs import verb as verb_named
from tui.widgets.filter import plural
from tui.widgets.virtual_list import Key

Place = tuple[str, str, int]
"""`(event, withdrawal id, occurrence)`, `(scope, …)`, `(note, …)`, `(how, …)`, `(gap, …)`; events can be stood on."""


class WithdrawalsPage(Page):
    """The control events, unresolved chains first."""

    DEFAULT_CSS = """
    WithdrawalsPage .body { layout: vertical; }
    WithdrawalsPage VirtualList { width: 1fr; height: auto; max-height: 55%; min-height: 3; }
    WithdrawalsPage TextPane.card { width: 1fr; height: 1fr; border-left: none; border-top: solid $foreground 15%; }
    .-narrow WithdrawalsPage VirtualList { height: 1fr; max-height: 100%; }
    """

    SCOPED_CSS: ClassVar[bool] = False  # as the base's: it does not hold for what derives from it

    NUMBER: ClassVar[int] = WITHDRAWALS
    NEEDS: ClassVar[str] = "influence"
    COUNTS: ClassVar[str] = "event"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many chains; unresolved ones wait."""
        chains = facts.reading.influence.chains
        return f"{len(chains):,}", any(chain.unresolved for chain in chains)

    def rows(self, facts: Facts) -> Sequence[Key]:
        """The trees, line by line."""
        self._revealed: set[str] = getattr(self, "_revealed", set())
        self._views: dict[Key, tuple[ControlView, Chain, str]] = {}
        self._lines: dict[Key, tuple[ControlView, Chain, str]] = {}
        self._skip: set[Key] = set()
        keys: list[Key] = []
        for number, tree in enumerate(trees_of(facts.reading.influence)):
            if number:
                keys.append(self._add("gap", tree[0][0], tree[0][1], "", len(keys)))
            for view, chain, depth in tree:
                keys.append(self._add("event", view, chain, "   " * depth, len(keys)))
                keys.append(self._add("scope", view, chain, "   " * depth, len(keys)))
            if any(chain.unresolved for _, chain, _ in tree):
                keys.append(self._add("note", tree[0][0], tree[0][1], "", len(keys)))
                keys.append(self._add("how", tree[0][0], tree[0][1], "", len(keys)))
        return keys

    def _add(self, kind: str, view: ControlView, chain: Chain, indent: str, at: int) -> Key:
        name = view.record.withdrawal_id
        nth = sum(1 for key in self._lines if isinstance(key, tuple) and key[:2] == (kind, name))
        key: Place = (kind, name, nth)
        self._lines[key] = (view, chain, indent)
        if kind == "event":
            self._views[key] = (view, chain, indent)
        else:
            self._skip.add(key)
        return key

    def headings(self) -> frozenset[Key]:
        """Every line but the events."""
        return frozenset(self._skip) if self.facts is not None else frozenset()

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Ids, scope, reason, who, when."""
        for key, (view, _, _) in self._views.items():
            record = view.record
            yield (
                key,
                display.visible(
                    f"{record.withdrawal_id} {record.action} {record.scope} "
                    f"{record.reason} {record.decided_by} {record.decided_at}"
                ),
            )

    def note(self) -> Line:
        """The chains that the rail counts, what is unresolved, and how many items are excluded now."""
        if self.facts is None:
            return line(("reading…", "dim"))
        influence = self.facts.reading.influence
        chains = len(influence.chains)
        unresolved = sum(chain.unresolved for chain in influence.chains)
        return line(
            (f"{chains:,} {plural('chain', chains)}, ", "dim"),
            (f"{unresolved} unresolved" if unresolved else "", "waits"),
            (f"{', ' if unresolved else ''}{self.facts.census.withheld:,} excluded", "dim"),
        )

    def empty(self) -> tuple[str, ...]:
        """Nothing was ever withdrawn."""
        return (
            "Nothing was ever withdrawn here.",
            "w withdraws a bounded scope from influence: the item under the cursor on 1 Index or 2 Review, "
            "or ids typed here. It says nothing about truth and erases nothing.",
        )

    # --- lines

    def row(self, key: Key, width: int) -> Line:
        """One line of a tree."""
        view, chain, indent = self._lines[key]
        kind = key[0] if isinstance(key, tuple) else ""
        record = view.record
        if kind == "gap":
            return EMPTY
        if kind == "note":
            return line(("! unresolved: settle with ", "waits"), (verb_named("settle").keys, "key"))
        if kind == "how":
            return line(("  choose which event stands; it is a new event", "waits"))
        if kind == "scope":
            lead = f"{indent}{'' if indent else '│'}  "
            return line((lead, "rule"), (display.one_line(f"scope {record.scope}"), "dim"))
        return self._event_row(view, chain, indent, width)

    def _event_row(self, view: ControlView, chain: Chain, indent: str, width: int) -> Line:
        record = view.record
        lead = line((f"{indent[:-3]}└─ ", "rule")) if indent else line(glyph_of(view), " ")
        when = display.one_line(record.decided_at.replace("T", " ")[:16])
        left = line(
            *lead,
            (display.one_line(record.withdrawal_id), "strong"),
            f"  {display.one_line(record.action):<9}  ",
            (f"{display.one_line(record.reason)}  {display.one_line(record.decided_by)}  {when}", "dim"),
        )
        return spread(left, self._effect(view), width)

    def _effect(self, view: ControlView) -> Line:
        count = len(view.excludes)
        items = f"{count} item{'' if count == 1 else 's'}"
        if view.state is ControlState.CONTROLS:
            if view.record.action == ControlAction.WITHDRAW:
                return line(f"excludes {items} now")
            return line(("✓ ", "good"), "reinstates")
        if view.state is ControlState.UNRESOLVED:
            return line((f"! unresolved, excludes {items}", "waits"))
        if view.state is ControlState.SUPERSEDED:
            return line(("superseded", "dim"))
        return line(("✗ controls nothing", "waits"))

    # --- the card

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The record, what it does and why, and what it excludes."""
        assert self.facts is not None
        view, _, _ = self._lines[key]
        record = view.record
        room = width - LABEL
        block: list[Line] = [
            spread(
                line((display.one_line(record.withdrawal_id), "strong")),
                line(glyph_of(view), f" {display.one_line(record.action)}"),
                width,
            ),
            EMPTY,
            *flow(
                display.show(view.reason),
                width,
                role="waits" if view.state in (ControlState.UNRESOLVED, ControlState.INVALID) else "",
            ),
            EMPTY,
        ]
        if record.unreadable:
            block.extend(labelled("unread", flow(display.show(record.unreadable), room, role="waits")))
        for label, value in (
            ("scope", ", ".join(f"{value}" for _, value in record.scope.selectors()) or "nothing"),
            ("reason", record.reason),
            ("decided", f"{record.decided_by}  {record.decided_at}"),
            ("effect", record.effect),
            ("supersedes", ", ".join(record.supersedes)),
            ("stands in", ", ".join(str(place) for place in record.places)),
        ):
            if value:
                block.extend(labelled(label, flow(display.one_line(value), room)))
        block.append(EMPTY)
        block.extend(self._excluded(view, width))
        return block

    def _excluded(self, view: ControlView, width: int) -> list[Line]:
        assert self.facts is not None
        items = [item for key in view.excludes if (item := self.facts.reading.snapshot.by_key.get(key)) is not None]
        if not items:
            return [line(("It excludes no item now.", "dim"))]
        shown = view.record.withdrawal_id in self._revealed
        block = [
            spread(
                line((f"Excludes {len(items)} item{'' if len(items) == 1 else 's'} now", "head")),
                line(("enter", "key"), " hides the text" if shown else " shows the text"),
                width,
            )
        ]
        for item in items:
            block.append(EMPTY)
            block.append(
                line(
                    (glyphs.STATUS["withdrawn"].sign, "dim"),
                    " ",
                    (display.one_line(item.id or str(item.place)), "strong"),
                    f"  {display.one_line(item.kind_text or (item.kind.value if item.kind else 'no kind'))}",
                    (f"  {display.one_line(item.status_text or 'active')}  {display.one_line(str(item.place))}", "dim"),
                )
            )
            block.extend(present.text_lines(item, self.facts.sight, width, reveal=shown))
        return block

    def open_row(self, key: Key) -> None:
        """Show the withheld text of what this event excludes, or hide it again."""
        view, _, _ = self._lines[key]
        self._revealed ^= {view.record.withdrawal_id}
        self.show_card()
        self._show_card(top=False)

    def leave(self) -> bool:
        """Hide what was shown."""
        if not self._revealed:
            return False
        self._revealed.clear()
        self._show_card(top=False)
        return True

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """No decision here is about an item as such."""
        return ()

    def copy_text(self, key: Key) -> str | None:
        """The withdrawal's id."""
        return str(key[1]) if isinstance(key, tuple) else None

    def name_of(self, key: Key) -> str:
        """The withdrawal's id."""
        return display.one_line(self.copy_text(key) or "")

    def go(self, key: object) -> None:
        """To an event, by its id."""
        self.listing.go(("event", str(key), 0))

    def written(self, event: Event) -> None:
        """To the control event that was written: what it excludes, or what it reinstates, stands there."""
        if event.control is not None:
            self.go(event.control.withdrawal_id)

    # --- verbs

    def _at(self) -> tuple[ControlView, Chain] | None:
        key = self.listing.key
        found = self._views.get(key) if key is not None and self.facts is not None else None
        return (found[0], found[1]) if found is not None else None

    def why_not(self, verb: Verb) -> str | None:
        """Reinstating takes a controlling withdrawal, settling an unresolved chain."""
        if verb.name == "withdraw":
            return self._not_authorised(verb)
        if verb.name not in ("reinstate", "settle"):
            return super().why_not(verb)
        if reason := self._not_authorised(verb):
            return reason
        found = self._at()
        if found is None:
            return "There is no control event under the cursor."
        view, chain = found
        if verb.name == "settle":
            return None if chain.unresolved else "The events of this scope are in order; there is nothing to settle."
        if chain.unresolved or view.state is ControlState.UNRESOLVED:
            return "This scope is unresolved: settle it with S."
        if view.state is not ControlState.CONTROLS or view.record.action != ControlAction.WITHDRAW:
            return "This is no controlling withdrawal; the one that controls the scope can be reinstated."
        return None

    def request(self, verb: Verb, then: Then) -> None:
        """Withdraw typed selectors; reinstate, or settle, what is under the cursor."""
        if verb.name == "withdraw":
            from tui.screens.withdraw import ask_withdraw

            ask_withdraw(self.desk, (), then)
            return
        found = self._at()
        if found is None:
            return
        identifier = found[0].record.withdrawal_id
        reason = Field("reason", "reason", "owner-decision", "why, in a word or two")
        if verb.name == "reinstate":
            self.desk.ask(
                f"Reinstate the scope of {display.one_line(identifier)}",
                (reason,),
                lambda answers: then(Reinstate(identifier, answers["reason"])),
                intro=("It lifts the withdrawal for exactly its scope. Nothing becomes current or true by it.",),
            )
            return
        action = Field(
            "action",
            "stands",
            "withdraw",
            choices=(("withdraw", "stays withdrawn"), ("reinstate", "reinstated")),
        )
        self.desk.ask(
            f"Settle the scope of {display.one_line(identifier)}",
            (action, reason),
            lambda answers: then(Settle(identifier, answers["action"], answers["reason"])),
            intro=(
                "Several control events of this scope have no one order, so it is excluded. Say which effect stands.",
            ),
        )

    def refused(self, request: Request, error: AssayError) -> bool:
        """Where a rival row became active meanwhile, ask what becomes of the older one."""
        if not isinstance(error, RivalRows) or not isinstance(request, Reinstate | Settle):
            return False

        def go_on(answers: Answers) -> None:
            from dataclasses import replace

            self.desk.decide(replace(request, rivals=answers["rivals"]))

        self.desk.ask(
            "Another row became active meanwhile",
            (
                Field(
                    "rivals",
                    "older row",
                    "supersede",
                    choices=(("supersede", "superseded by the newer"), ("keep", "kept, as a conflict")),
                ),
            ),
            go_on,
            intro=(display.one_line(error.what), "It is settled in the same plan."),
        )
        return True


def glyph_of(view: ControlView) -> tuple[str, str]:
    """The sign of a control event: what it does now."""
    if view.state is ControlState.UNRESOLVED:
        return "!", "waits"
    if view.state is ControlState.INVALID:
        return glyphs.DANGLING.sign, "waits"
    if view.record.action == ControlAction.WITHDRAW:
        return glyphs.STATUS["withdrawn"].sign, "" if view.state is ControlState.CONTROLS else "dim"
    return "·", "dim"
