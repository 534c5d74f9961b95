"""Screen 8, Log: the timeline of the operation log (§7.1), newest first, and beneath each event what it recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.events import Event, FieldChange, LogEntry
from core.items import FieldValue, MemoryItem
from core.vocabulary import EventType
from tui import display
from tui.desk import Facts
from tui.lines import EMPTY, LABEL, Line, flow, labelled, line, spread, wrap_spans
from tui.page import Page
from tui.sight import Sight
from tui.verbs import INDEX, LOG, WITHDRAWALS
from tui.widgets.diff import word_differences
from tui.widgets.virtual_list import Key

_ABOUT_CONTROLS = frozenset({EventType.WITHDRAW.value, EventType.REINSTATE.value})


class LogPage(Page):
    """The timeline, and the record of the event under the cursor."""

    NUMBER: ClassVar[int] = LOG
    NEEDS: ClassVar[str] = "influence"
    COUNTS: ClassVar[str] = "event"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many events."""
        return f"{sum(bool(entry.type) for entry in facts.reading.snapshot.log):,}", False

    def rows(self, facts: Facts) -> Sequence[Key]:
        """Every entry of the timeline, the newest first; lines of unknown make stand where they stand."""
        snapshot = facts.reading.snapshot
        self._events = {event.id: event for event in snapshot.events}
        self._undone = {event.undoes for event in snapshot.events if event.undoes}
        self._entries: dict[Key, LogEntry] = {}
        for entry in reversed(snapshot.log):
            place = f"{entry.place.file}:{entry.place.line}"
            name = entry.id if entry.id is not None and ("event", entry.id) not in self._entries else place
            self._entries[("event", name)] = entry
        return list(self._entries)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Time, event, actor, ids and summary."""
        for key, entry in self._entries.items():
            event = self._events.get(entry.id or "")
            ids = " ".join(change.id for change in event.items) if event is not None else ""
            text = f"{entry.at} {entry.type} {entry.actor} {entry.id or ''} {ids} {entry.summary}"
            yield key, facts.sight.line(text)

    def note(self) -> Line:
        """From when to when."""
        if self.facts is None:
            return line(("reading…", "dim"))
        days = [entry.at[:10] for entry in self._entries.values() if entry.at]
        return line((f"{min(days)} to {max(days)}", "dim")) if days else EMPTY

    def empty(self) -> tuple[str, ...]:
        """Nothing was done yet."""
        return (
            "The log is empty.",
            "Each write of the engine leaves one event here: who did it, when, and what each field was before. "
            "It is what undo goes by.",
        )

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The items that the event touched, as they are now."""
        if self.facts is None:
            return ()
        by_id = self.facts.reading.snapshot.by_id
        event = self._event(key)
        return tuple(item for change in (event.items if event else ()) for item in by_id.get(change.id, ()))

    def _event(self, key: Key) -> Event | None:
        entry = self._entries.get(key)
        return self._events.get(entry.id or "") if entry is not None else None

    def copy_text(self, key: Key) -> str | None:
        """The event's id."""
        entry = self._entries.get(key)
        return entry.id if entry is not None else None

    def _leads_to(self, key: Key) -> tuple[int, str, str] | None:
        """What the event touched: the screen, the key there, and its name; None where nothing of it may be seen."""
        event = self._event(key)
        if event is not None and event.control is not None:
            return WITHDRAWALS, event.control.withdrawal_id, "its withdrawal"
        if self.facts is not None:
            for item in self.items_of(key):
                if self.facts.sight.eligible(item):
                    return INDEX, item.key, display.one_line(item.id or "its item")
        return None

    def open_row(self, key: Key) -> None:
        """To what the event touched; where the card is not beside the list, to the card first."""
        if self.opened_first():
            return
        found = self._leads_to(key)
        if found is not None:
            self.desk.visit(found[0], found[1])
        else:
            self.show_card()

    # --- drawing

    def row(self, key: Key, width: int) -> Line:
        """Time, event, who, what."""
        assert self.facts is not None
        entry = self._entries[key]
        sight = self.facts.sight
        if not entry.type:
            return line(("?  ", "dim"), (sight.head(entry.summary, width), "dim"))
        when = display.one_line(entry.at[:16].replace("T", " "))
        undone = entry.id in self._undone
        strong = "strong" if entry.type in _ABOUT_CONTROLS or entry.type == EventType.ERASE else ""
        left = line(
            (display.pad(when, 16), "dim"),
            "  ",
            (display.pad(display.one_line(entry.type), 17), strong),
            "  ",
            (sight.head(entry.summary, width), "dim" if undone else ""),
        )
        right = line(("undone  " if undone else "", "waits"), (display.one_line(entry.actor), "dim"))
        return spread(left, right if width >= 84 or undone else EMPTY, width)

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The record: who decided, what each field was and is."""
        assert self.facts is not None
        entry, event = self._entries[key], self._event(key)
        sight = self.facts.sight
        head = line((display.one_line(entry.id or "no id"), "strong"))
        block = [spread(head, line((display.one_line(entry.type or "unknown line"), "dim")), width), EMPTY]
        block.extend(flow(sight.line(entry.summary), width))
        if (found := self._leads_to(key)) is not None:
            block.extend((EMPTY, line(("enter", "key"), f" goes to {found[2]}, ", ("esc", "key"), " comes back")))
        block.append(EMPTY)
        room = width - LABEL
        for label, value in _facts_of(entry, event):
            block.extend(labelled(label, flow(sight.line(value), room)))
        for name, detail in event.detail.items() if event is not None else ():
            label = display.clip(display.one_line(name), LABEL - 1)
            block.extend(labelled(label, flow(sight.line(_plain(detail)), room, role="dim")))
        for change in event.items if event is not None else ():
            block.extend((EMPTY, line((display.one_line(change.id), "strong"))))
            for step in (*change.corrections, *change.fields):
                block.extend(_step_lines(step, sight, width))
        if event is None and entry.record:
            block.append(EMPTY)
            for part in entry.record.splitlines():
                block.extend(flow(sight.line(part) if part.strip() else "", width, role="dim"))
        return block


def _facts_of(entry: LogEntry, event: Event | None) -> Iterable[tuple[str, str]]:
    yield "at", entry.at or "not said"
    yield "by", entry.actor or "not said"
    if event is not None and event.command:
        yield "command", event.command
    if event is not None and event.decision is not None:
        yield "decided", f"{event.decision.by}, on the plan {event.decision.plan[:12]}…"
    if event is not None and event.undoes:
        yield "undoes", event.undoes
    if event is not None and event.control is not None:
        yield "controls", f"{event.control.withdrawal_id}: {event.control.scope}"
        yield "reason", event.control.reason
    yield "stands in", str(entry.place)


def _plain(value: FieldValue) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _step_lines(step: FieldChange, sight: Sight, width: int) -> list[Line]:
    """A field before and after, with what differs standing out; beneath each other where they are long."""
    before = "none" if step.before is None else sight.line(_plain(step.before))
    after = "none" if step.after is None else sight.line(_plain(step.after))
    name = display.one_line(step.name)
    ours, theirs = word_differences(before, after)
    if display.width(f"  {name}: {before} → {after}") <= width:
        return [(*line("  ", (f"{name}: ", "dim")), *ours, *line((" → ", "dim")), *theirs)]
    block = [line("  ", (name, "dim"))]
    for sign, spans in (("-", ours), ("+", theirs)):
        for number, part in enumerate(wrap_spans(spans, max(width - 6, 8))):
            block.append((*line("    ", (f"{sign} " if number == 0 else "  ", "add" if sign == "+" else "del")), *part))
    return block
