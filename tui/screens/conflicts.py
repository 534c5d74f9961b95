"""Screen 3, Conflicts: the rows that contradict each other side by side, what each rests on, and what will happen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.conflicts import Conflict
from core.items import MemoryItem
from core.requests import Reconcile
from tui import display, present
from tui.desk import Facts, Then
from tui.lines import EMPTY, Line, Span, cells, columns, flow, line, spread, wrap_spans
from tui.page import Page
from tui.screens.form import Answers, Field
from tui.verbs import CONFLICTS, Verb
from tui.widgets.diff import turning_notes, word_differences
from tui.widgets.virtual_list import Key

RECONCILED = frozenset({"two-active", "refuted-knowledge", "refuted-state"})
"""Conflicts that choosing a row, or letting both stay, settles."""
SIDE_BY_SIDE = 70


class ConflictsPage(Page):
    """The list on top, the rows of the conflict under the cursor beneath it."""

    DEFAULT_CSS = """
    ConflictsPage .body { layout: vertical; }
    ConflictsPage VirtualList { width: 1fr; height: auto; max-height: 30%; min-height: 3; }
    ConflictsPage TextPane.card { width: 1fr; height: 1fr; border-left: none; border-top: solid $foreground 15%; }
    .-narrow ConflictsPage VirtualList { height: 1fr; max-height: 100%; }
    """

    SCOPED_CSS: ClassVar[bool] = False  # as the base's: it does not hold for what derives from it

    NUMBER: ClassVar[int] = CONFLICTS
    NEEDS: ClassVar[str] = "conflicts"
    COUNTS: ClassVar[str] = "conflict"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many nobody has settled."""
        count = sum(not conflict.acknowledged for conflict in facts.reading.conflicts)
        return f"{count:,}", count > 0

    def rows(self, facts: Facts) -> Sequence[Key]:
        """Every conflict, by its type and what it is about."""
        self._conflicts: dict[Key, Conflict] = {}
        for conflict in facts.reading.conflicts:
            about = (conflict.rows, conflict.files, conflict.controls)
            self._conflicts.setdefault((conflict.type, conflict.subject or "", *about), conflict)
        return list(self._conflicts)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Type, subject, ids, files, message."""
        for key, conflict in self._conflicts.items():
            ids = " ".join(conflict.rows)
            yield (
                key,
                display.visible(
                    f"{conflict.type} {conflict.subject or ''} {ids} {' '.join(conflict.files)} {conflict.message}"
                ),
            )

    def note(self) -> Line:
        """Which of how many."""
        if self.facts is None:
            return line(("reading…", "dim"))
        count = len(self.listing.keys)
        return line((f"{self.listing.index + 1} of {count}", "dim")) if count else EMPTY

    def empty(self) -> tuple[str, ...]:
        """Nothing contradicts."""
        return (
            "Nothing here contradicts itself.",
            "Two active state rows of one subject, refuted knowledge, and broken chains are listed here "
            "before anybody acts on them.",
        )

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The rows in conflict, oldest first."""
        conflict = self._conflicts.get(key)
        if conflict is None or self.facts is None:
            return ()
        by_key = self.facts.reading.snapshot.by_key
        return tuple(by_key[row] for row in conflict.rows if row in by_key)

    def name_of(self, key: Key) -> str:
        """The subject, or the kind of conflict."""
        kind, subject, *_ = key if isinstance(key, tuple) else (str(key), "")
        return display.one_line(
            f"The conflict over {subject}" if subject else f"The conflict ({str(kind).replace('-', ' ')})"
        )

    def row(self, key: Key, width: int) -> Line:
        """What contradicts what."""
        assert self.facts is not None
        conflict = self._conflicts[key]
        sight = self.facts.sight
        glyph = Span("✓" if conflict.acknowledged else "!", "dim" if conflict.acknowledged else "waits")
        what = conflict.subject or ", ".join(conflict.files or conflict.rows[:2]) or _events(conflict.controls)
        what = what or conflict.message
        head = line(
            glyph, " ", (display.pad(conflict.type.replace("-", " "), 22), "dim"), "  ", (sight.line(what), "strong")
        )
        counted = _count(len(conflict.rows), "row") or _count(len(conflict.controls), "event")
        state = "acknowledged, both stay" if conflict.acknowledged else counted
        return spread(head, line((state, "dim")), width)

    # --- the panels

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """Both rows, what each rests on, which one is suggested and why."""
        assert self.facts is not None
        conflict = self._conflicts[key]
        items = self.items_of(key)
        block: list[Line] = list(flow(self.facts.sight.line(conflict.message), width, role="dim"))
        block.append(EMPTY)
        if len(items) < 2:
            for item in items:
                block.extend((*present.card(item, self.facts.sight, self.facts.references, width), EMPTY))
            return [*block, *_elsewhere(conflict, width)]
        left, right, *more = items
        if self.facts.sight.eligible(left) and self.facts.sight.eligible(right):
            for note in turning_notes(self._shown(left), self._shown(right)):
                block.extend(flow(f"! {display.one_line(note)}", width, role="waits"))
            block.append(EMPTY)
        if width >= SIDE_BY_SIDE:
            half = (width - 3) // 2
            block.extend(
                columns(self._panel(left, right, conflict, half), self._panel(right, left, conflict, half), width)
            )
        else:
            for item, other in ((left, right), (right, left)):
                block.extend((*self._panel(item, other, conflict, width), EMPTY))
        for item in more:
            block.extend((EMPTY, *self._panel(item, right, conflict, width)))
        return [*block, EMPTY, *self._outlook(conflict, left, right, width)]

    def _panel(self, item: MemoryItem, other: MemoryItem, conflict: Conflict, width: int) -> list[Line]:
        assert self.facts is not None
        sight = self.facts.sight
        suggested = item.key == conflict.suggested
        head = line(
            (display.one_line(item.date or "no date"), "strong"),
            "  ",
            (display.one_line(item.id or "no id"), ""),
        )
        state = line(
            present.status_span(item, sight, word=True),
            (", in the inbox" if item.standing.value == "inbox" else "", "dim"),
        )
        advice = line(("suggested as current" if suggested else "", "accent"))
        beside = cells(state) + 3 + cells(advice) <= width
        block = [head, *([(*state, *line("   "), *advice)] if beside else [state, advice]), EMPTY]
        block.extend(self._text(item, other, width))
        block.append(EMPTY)
        block.extend(present.source_lines(item, sight, width, excerpt=6))
        days = present.days_between(other.date, item.date or "")
        if days is not None and days > 0:
            block.append(line((f"newer by {present.age_words(days)}", "dim")))
        block.append(line((display.one_line(str(item.place)), "dim")))
        return block

    def _text(self, item: MemoryItem, other: MemoryItem, width: int) -> list[Line]:
        """The text with the words that differ from the other row's emphasised."""
        assert self.facts is not None
        sight = self.facts.sight
        if not (sight.eligible(item) and sight.eligible(other)):
            return present.text_lines(item, sight, width)
        spans, _ = word_differences(self._shown(item), self._shown(other))
        return wrap_spans(spans, width)

    def _shown(self, item: MemoryItem) -> str:
        assert self.facts is not None
        return self.facts.sight.text(item.text[: present.TEXT_LIMIT])

    def _outlook(self, conflict: Conflict, left: MemoryItem, right: MemoryItem, width: int) -> list[Line]:
        if conflict.type not in RECONCILED:
            return _elsewhere(conflict, width)
        block = []
        for sign, item in (("<", left), (">", right)):
            words = f"the {'left' if sign == '<' else 'right'} is current"
            why = " (suggested: newer, same subject)" if item.key == conflict.suggested else ""
            block.append(line((f" {sign} ", "key"), words, (why, "accent"), "   the other is kept as history"))
        block.append(
            line((" b ", "key"), "both stay, each naming the other      ", (" p ", "key"), "mark them pending")
        )
        return block

    # --- verbs

    def why_not(self, verb: Verb) -> str | None:
        """Only conflicts among rows are reconciled; only two items of one id are parted."""
        key = self.listing.key
        conflict = self._conflicts.get(key) if key is not None else None
        if verb.name in ("left is current", "right is current", "both stay", "pend", "repair"):
            if conflict is None:
                return "There is no conflict under the cursor."
            if reason := self._not_authorised(verb):
                return reason
            if verb.name == "repair":
                return (
                    None
                    if conflict.type == "two-items-one-id"
                    else "Repair here parts two items of one id; this is none."
                )
            if conflict.type not in RECONCILED:
                return f"{conflict.type.replace('-', ' ').capitalize()} is not settled by choosing a row."
            if verb.name == "both stay" and conflict.acknowledged:
                return "Both stay already."
            return None
        return super().why_not(verb)

    def request(self, verb: Verb, then: Then) -> None:
        """Reconcile on evidence; or part two items of one id."""
        key = self.listing.key
        conflict = self._conflicts.get(key) if key is not None else None
        items = self.items_of(key) if key is not None else ()
        if conflict is None or len(items) < 2:
            self.desk.say(("! ", "waits"), "There is no conflict under the cursor.")
            return
        if verb.name == "repair":
            self._part(items, then)
            return
        rows = tuple(item.key for item in items)
        current = {"left is current": items[0].key, "right is current": items[1].key}.get(verb.name)
        chosen = next((item for item in items if item.key == current), items[-1])

        def go_on(answers: Answers) -> None:
            then(
                Reconcile(
                    rows,
                    answers["evidence"],
                    current=current,
                    both_stay=verb.name == "both stay",
                    pend=verb.name == "pend",
                )
            )

        self.desk.ask(
            f"{verb.name.capitalize()}: what does this rest on?",
            (
                Field(
                    "evidence",
                    "evidence",
                    display.one_line(chosen.source or ""),
                    "a reference, or the owner's decision",
                    long=True,
                ),
            ),
            go_on,
            intro=(
                "A reconcile rests on evidence for the claim, or on the owner's decision where the matter is one of "
                "values or policy.",
            ),
        )

    def _part(self, items: tuple[MemoryItem, ...], then: Then) -> None:
        from core.requests import Repair

        choices = tuple((item.key, str(item.place)) for item in items)
        self.desk.ask(
            "Which of them is given a fresh id?",
            (Field("item", "item", items[-1].key, choices=choices),),
            lambda answers: then(Repair(answers["item"], new_id=True)),
            intro=("The other keeps the id, and with it everything that names it.",),
        )

    def copy_text(self, key: Key) -> str | None:
        """The subject, else the first row's id."""
        conflict = self._conflicts.get(key)
        return conflict.subject if conflict is not None and conflict.subject else super().copy_text(key)


def _elsewhere(conflict: Conflict, width: int) -> list[Line]:
    """How a conflict that no choice of a row settles is settled."""
    if conflict.type == "two-items-one-id":
        return flow("r gives one of them a fresh id; until then no command can name either by it.", width)
    if conflict.type == "unordered-controls":
        return flow("These are control events: settle them on 5 Withdrawals.", width)
    return flow("This is settled in the file itself; 2 Review has the finding with its remedy.", width)


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}" if count else ""


def _events(controls: Sequence[str]) -> str:
    """Control events by the first of them: the message beneath names all, and what they are over."""
    return f"{controls[0]} and {len(controls) - 1} more" if len(controls) > 1 else "".join(controls)
