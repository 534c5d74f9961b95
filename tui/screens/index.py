"""Screen 1, Index: topics with their triggers, the inbox, the archive, recent activity; and every item, to find it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from core.places import INBOX
from tui import display
from tui.desk import Facts
from tui.lines import EMPTY, LABEL, Line, Span, cells, flow, labelled, line, spread
from tui.overview import OtherView, Overview, TopicView, overview
from tui.page import Page
from tui.verbs import INDEX
from tui.widgets.virtual_list import Key

if TYPE_CHECKING:
    from core.items import MemoryItem
    from core.snapshot import ArchiveDay, Topic
    from tui.desk import Desk

# The first frame shows this page: what it does not need for that is imported where it is used.

_TOPIC, _INBOX, _ARCHIVE, _ALL, _DAY, _RECENT, _OTHER = "topic", "inbox", "archive", "all", "day", "recent", "other"
_HEADS = frozenset({("head", "Topics"), ("head", "Recent activity"), ("gap", "1"), ("gap", "2")})


class IndexPage(Page):
    """The index, and what lies behind each of its lines. Item rows have the item's key, all others a tuple."""

    NUMBER: ClassVar[int] = INDEX
    NEEDS: ClassVar[str] = "influence"

    inside: tuple[str, str] | None = None
    """What is opened: `(topic, file)`, `(inbox, …)`, `(archive, …)`, `(all, …)`; None on the index itself."""

    def __init__(self, desk: Desk, seen: Overview | None = None) -> None:
        """`seen` is what the root is known to hold before it is read."""
        super().__init__(desk)
        self._seen = seen
        self.late = seen is not None
        self._topics: dict[str, Topic] = {}
        self._days: dict[str, ArchiveDay] = {}

    def on_mount(self) -> None:
        """What is known already stands in the first frame, and takes keys."""
        if self.facts is None and self._seen is not None:
            self.reload()
            self.focus_inside()

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How many items ordinary reads may use."""
        return f"{len(facts.census.eligible):,}", False

    # --- rows

    def rows(self, facts: Facts) -> Sequence[Key]:
        """The index's lines, or the rows of what is opened."""
        self._seen = overview(facts)
        self._topics = {topic.file: topic for topic in facts.reading.snapshot.topics}
        self._days = {day.file: day for day in facts.reading.snapshot.archive}
        if self.inside is None:
            snapshot = facts.reading.snapshot
            is_empty = not snapshot.items and not snapshot.topics and not snapshot.archive
            return [] if is_empty else self._index_rows(self._seen, len(snapshot.index.recent))
        kind, name = self.inside
        if kind == _ALL:
            return facts.census.eligible
        if kind == _ARCHIVE:
            return [(_DAY, file) for file in sorted(self._days, reverse=True)]
        return facts.census.by_file.get(name, [])

    def _index_rows(self, seen: Overview, recent: int = 0) -> list[Key]:
        keys: list[Key] = [(_INBOX, INBOX), (_ARCHIVE, ""), (_ALL, "")]
        keys.extend((_OTHER, other.file) for other in seen.others)
        if seen.topics:
            keys.extend((("gap", "1"), ("head", "Topics")))
            keys.extend((_TOPIC, file) for file in seen.topics)
        if recent:
            keys.extend((("gap", "2"), ("head", "Recent activity")))
            keys.extend((_RECENT, str(number)) for number in range(recent))
        return keys

    def reload(self) -> None:
        """Make the rows anew; before the root is read, those of the index are known."""
        if self.facts is not None or self._seen is None:
            super().reload()
        elif self.inside is None:
            self._all = self._index_rows(self._seen)
            self._put(self._all, own=True)
        else:
            self.listing.show((), self.row, own=True)
            self.show_title()
            self._show_card()

    def headings(self) -> frozenset[Key]:
        """The headings of the index."""
        return _HEADS & set(self._all) if self.inside is None else frozenset()

    def total(self) -> int:
        """How many of what is counted there are."""
        if self.inside is None and self._seen is not None:
            return len(self._seen.topics) + (self._seen.items if self._filtered() else 0)
        return super().total()

    def _filtered(self) -> bool:
        return bool(self.filter_line.text.strip())

    def counts(self) -> str:
        """The index counts its topics; a filter there looks at every item, too."""
        if self.inside is None:
            return "topics and items" if self._filtered() else "topic"
        return "day" if self.inside[0] == _ARCHIVE else "item"

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Topics by name and triggers, items by everything on their row and card."""
        by_key = facts.reading.snapshot.by_key
        if self.inside is None:
            when = {entry.target: entry.trigger or "" for entry in facts.reading.snapshot.index.topic_map}
            for file, topic in self._topics.items():
                yield (_TOPIC, file), display.visible(" ".join((topic.name, *topic.triggers, when.get(file, ""))))
            keys: Iterable[Key] = facts.census.eligible
        elif self.inside[0] == _ARCHIVE:
            for file, day in self._days.items():
                yield (_DAY, file), " ".join((day.date, *day.anchors))
            return
        else:
            keys = self._all
        for key in keys:
            yield key, search_text(by_key[str(key)])

    def note(self) -> Line:
        """Where one is, and what is withheld."""
        if self._seen is None:
            return line(("reading…", "dim"))
        withheld, items = self._seen.withheld, self._seen.items
        spans = line((f"{withheld:,} withheld, see 5" if withheld else "", "dim"))
        if self.inside is None:
            return line(f"{items:,} item{'' if items == 1 else 's'}   ", *spans)
        if self.facts is None:
            spans = line(("reading…", "dim"))
        return line(("› ", "dim"), f"{self._name_inside()}   ", *spans)

    def _name_inside(self) -> str:
        kind, name = self.inside or ("", "")
        if kind == _TOPIC and self._seen is not None and name in self._seen.topics:
            return self._seen.topics[name].name
        return {_INBOX: "inbox", _ARCHIVE: "archive", _ALL: "all items"}.get(kind, display.one_line(name))

    def empty(self) -> tuple[str, ...]:
        """Why there is nothing, and what to do."""
        if self.inside is None:
            return (
                "This root holds no memory yet.",
                "An agent adds to memory.md when it is told to remember something; it then stands here, in the inbox.",
            )
        if self.inside[0] == _INBOX:
            return (
                "The inbox is empty.",
                "What agents capture stands in memory.md until it is archived.",
                "esc goes back.",
            )
        if self.inside[0] == _ARCHIVE:
            return (
                "Nothing is archived yet.",
                "Archiving moves the inbox, as it is, to archive/YYYY-MM-DD.md.",
                "esc goes back.",
            )
        return ("No item here may be shown.", "Withdrawn items stand on 5 Withdrawals.", "esc goes back.")

    def item(self, key: Key) -> MemoryItem | None:
        """The item of an item row."""
        return self.facts.reading.snapshot.by_key.get(key) if isinstance(key, str) and self.facts is not None else None

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The item of an item row; a topic is not decided on as a whole."""
        item = self.item(key)
        return (item,) if item is not None else ()

    def topic_at(self) -> Topic | None:
        """The topic of a topic's row."""
        key = self.listing.key
        return self._topics.get(key[1]) if isinstance(key, tuple) and key[0] == _TOPIC else None

    def name_of(self, key: Key) -> str:
        """An item's id, a topic's file."""
        return display.one_line(key if isinstance(key, str) else str(key[-1]) if isinstance(key, tuple) else str(key))

    # --- a row's line

    def row(self, key: Key, width: int) -> Line:
        """The line of a row."""
        item = self.item(key)
        if item is not None:
            from tui import present

            assert self.facts is not None
            return present.item_row(item, self.facts.sight, width)
        kind, name = key if isinstance(key, tuple) else ("", "")
        if kind in ("head", "gap"):
            return line((name, "head")) if kind == "head" else EMPTY
        if kind == _RECENT:
            assert self.facts is not None
            return line((self.facts.sight.head(self.facts.reading.snapshot.index.recent[int(name)].text, width), ""))
        if kind == _DAY:
            return self._day_row(self._days[name], width)
        assert self._seen is not None
        if kind == _TOPIC:
            return self._topic_row(self._seen.topics[name], width)
        return self._place_row(kind, name, self._seen, width)

    def _counted(self, name: str, count: int, waiting: int, rest: str, width: int, role: str = "") -> Line:
        names = 28 if width >= 70 else 20
        waits = (f"◌ {waiting}", "waits") if waiting else ("", "")
        head = line(
            (display.pad(display.one_line(name), names), ""), f"{count:>7,}  ", (display.pad(waits[0], 6), waits[1])
        )
        return line(*head, (display.clip(rest, max(width - cells(head), 0)), role or "dim"))

    def _topic_row(self, topic: TopicView, width: int) -> Line:
        triggers = topic.read_when or topic.triggers
        rest, role = (triggers, "") if triggers else ("! no trigger: it is never read", "waits")
        return self._counted(topic.name, topic.items, topic.waiting, rest, width, role)

    def _place_row(self, kind: str, name: str, seen: Overview, width: int) -> Line:
        if kind == _INBOX:
            return self._counted("inbox", seen.inbox, 0, "captured, not archived yet", width)
        if kind == _ARCHIVE:
            rest = f"days, {seen.span}" if seen.days else "nothing archived yet"
            return self._counted("archive", seen.days, 0, rest, width)
        if kind == _ALL:
            return self._counted("all items", seen.items, seen.waiting, "in reading order", width)
        other = next((other for other in seen.others if other.file == name), OtherView(name, 0, 0))
        return self._counted(name, other.items, other.waiting, "items outside topics", width)

    def _day_row(self, day: ArchiveDay, width: int) -> Line:
        assert self.facts is not None
        covered = self.facts.reading.influence.archive_excluded(day.file)
        right = line(("⊘ withdrawn", "dim")) if covered else EMPTY
        count = len(day.copies)
        return spread(
            line(
                display.one_line(day.date),
                "  ",
                (f"{count:>4} item{'' if count == 1 else 's'}   {len(day.anchors)} sections", "dim"),
            ),
            right,
            width,
        )

    # --- cards

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The card of a row."""
        item = self.item(key)
        if item is not None:
            from tui import present

            assert self.facts is not None
            return present.card(item, self.facts.sight, self.facts.references, width)
        kind, name = key if isinstance(key, tuple) else ("", "")
        if kind == _TOPIC:
            assert self._seen is not None
            return self._topic_card(self._seen.topics[name], width)
        if kind == _DAY:
            return self._day_card(self._days[name], width)
        if kind == _RECENT:
            assert self.facts is not None
            entry = self.facts.reading.snapshot.index.recent[int(name)]
            return [
                *flow(self.facts.sight.text(entry.text), width),
                EMPTY,
                line(("stands in  ", "dim"), f"index.md:{entry.line}"),
            ]
        what = {
            _INBOX: "memory.md, the inbox: what was captured and not yet archived.",
            _ARCHIVE: "The archive: raw evidence, append-only. Read it to trace a Source, not to work from.",
            _ALL: "Every item that ordinary reads may use, in reading order.",
        }.get(kind, f"{display.one_line(name)}: items that stand outside topics and inbox.")
        return [*flow(what, width), EMPTY, line(("enter", "key"), " opens it")]

    def _topic_card(self, topic: TopicView, width: int) -> list[Line]:
        room = width - LABEL
        block = [line((topic.title, "strong")), line((display.one_line(topic.file), "dim")), EMPTY]
        if topic.summary:
            block.extend((*flow(topic.summary, width), EMPTY))
        when = topic.read_when or "! not in the index's Topic Map"
        block.extend(labelled("read when", flow(when, room, role="" if topic.read_when else "waits")))
        if topic.triggers:
            block.extend(labelled("triggers", flow(topic.triggers, room)))
        count: list[str | Span] = [f"{topic.items:,}"]
        if topic.waiting:
            count.append(Span(f"   ◌ {topic.waiting} pending", "waits"))
        block.extend(labelled("items", [line(*count)]))
        if topic.updated:
            block.extend(labelled("updated", [line(topic.updated)]))
        if topic.sources:
            block.extend(labelled("sources", flow(topic.sources, room)))
        return [*block, EMPTY, line(("enter", "key"), " opens its items")]

    def _day_card(self, day: ArchiveDay, width: int) -> list[Line]:
        block = [line((display.one_line(day.file), "strong")), EMPTY]
        for anchor, (first, last) in list(day.anchors.items())[:40]:
            block.append(spread(line(display.one_line(anchor)), line((f"lines {first}–{last}", "dim")), width))
        return [*block, EMPTY, line(("enter", "key"), " opens it")]

    # --- into and out of

    def open_row(self, key: Key) -> None:
        """Into a topic, a place, a day; on an item, its card."""
        if isinstance(key, str):
            self.show_card()
            return
        kind, name = key if isinstance(key, tuple) else ("", "")
        if kind == _RECENT and self.facts is not None:
            target = self.facts.reading.snapshot.index.recent[int(name)].target or ""
            kind, name = (_TOPIC, target) if target in self._topics else ("", "")
        if kind == _DAY and self.facts is not None:
            from tui.screens.source import day_view

            title, build = day_view(self._days[name], self.facts)
            self.desk.read(title, build)
        elif kind in (_TOPIC, _INBOX, _ARCHIVE, _ALL, _OTHER):
            self._enter((kind, name))

    def _enter(self, place: tuple[str, str] | None) -> None:
        left = self.inside
        self.inside = place
        self.filter_line.clear()
        self._query = ""
        self.listing.unmark()
        self.reload()
        if place is None and left is not None:
            self.listing.go(left)
        else:
            self.listing.go_to(0)

    def leave(self) -> bool:
        """Out of what was opened."""
        if self.inside is None:
            return False
        self._enter(None)
        return True

    def go(self, key: object) -> None:
        """To an item, wherever it stands, or to a topic."""
        if isinstance(key, str) and self.item(key) is not None:
            if key not in self.listing.keys:
                self._enter((_ALL, ""))
            self.listing.go(key)
        elif isinstance(key, tuple):
            if self.inside is not None:
                self._enter(None)
            self.listing.go(key)

    def copy_text(self, key: Key) -> str | None:
        """An item's id, a topic's file."""
        if isinstance(key, tuple):
            return str(key[1]) if key[0] in (_TOPIC, _DAY) else None
        return super().copy_text(key)


def search_text(item: MemoryItem) -> str:
    """What a filter looks at: the item's text as it is drawn, and its fields."""
    parts = (
        item.text,
        item.id,
        item.subject,
        item.source,
        item.date,
        item.status.value if item.status else item.status_text,
        item.kind.value if item.kind else item.kind_text,
        item.place.file,
    )
    return display.visible(" ".join(part for part in parts if part))
