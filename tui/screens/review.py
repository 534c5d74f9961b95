"""Screen 2, Review: the queue of what waits for a human (§16), each entry with its reason and what is proposed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from core.items import MemoryItem
from core.review import REPAIR, QueueEntry, oldest_wait
from core.snapshot import Topic
from core.vocabulary import Kind
from tui import display, glyphs, present
from tui.desk import Facts
from tui.lines import EMPTY, LABEL, Line, Span, cells, flow, labelled, line, spread
from tui.page import Page
from tui.screens.index import search_text
from tui.verbs import REVIEW, VERBS
from tui.widgets.virtual_list import Key

_PLAIN = frozenset({"pending-cleanup", "stale"})
"""Entries whose reason is the item's own Status: its glyph says it."""


_ELSEWHERE = {"reconcile": "3 Conflicts", "supersede": "3 Conflicts", "settle": "5 Withdrawals"}


class ReviewPage(Page):
    """The queue, in the order to take it."""

    NUMBER: ClassVar[int] = REVIEW
    NEEDS: ClassVar[str] = "queue"
    COUNTS: ClassVar[str] = "entry"

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """How much waits."""
        count = len(facts.reading.queue)
        return f"{count:,}", count > 0

    def rows(self, facts: Facts) -> Sequence[Key]:
        """Every entry under a key that outlives a change of line numbers."""
        self._entries: dict[Key, QueueEntry] = {}
        seen: dict[Key, int] = {}
        for entry in facts.reading.queue:
            # The findings of one repair are one row, whichever of them stands first.
            code = REPAIR if entry.proposed == REPAIR and entry.item else entry.code
            name: Key = (code, entry.item or entry.file or "", "" if entry.item else entry.title)
            nth = seen.get(name, 0)
            seen[name] = nth + 1
            self._entries[(*name, nth) if isinstance(name, tuple) else name] = entry
        return list(self._entries)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Title, reason, place, and the item's own fields."""
        by_key = facts.reading.snapshot.by_key
        for key, entry in self._entries.items():
            item = by_key.get(entry.item or "")
            text = search_text(item) if item is not None and facts.sight.eligible(item) else ""
            codes = " ".join(entry.codes)
            yield key, display.visible(f"{codes} {entry.title} {entry.reason} {entry.file or ''} {text}")

    def note(self) -> Line:
        """How long the oldest has waited."""
        if self.facts is None:
            return line(("reading…", "dim"))
        days = oldest_wait(self._entries.values())
        return line((f"oldest waits {present.age_words(days)}", "waits")) if days is not None else EMPTY

    def empty(self) -> tuple[str, ...]:
        """Nothing waits."""
        return (
            "Nothing waits for you.",
            "Items come here when they are marked pending-cleanup, lack a field, or contradict one another.",
            "On 1 Index, p marks an item pending; 9 Health says what was checked.",
        )

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The entry's item, where it is about one."""
        entry = self._entries.get(key)
        if entry is None or entry.item is None or self.facts is None:
            return ()
        item = self.facts.reading.snapshot.by_key.get(entry.item)
        return (item,) if item is not None else ()

    def topic_at(self) -> Topic | None:
        """The topic that no trigger leads to."""
        entry = self._entries.get(self.listing.key) if self.listing.key is not None else None
        if entry is None or entry.item is not None or self.facts is None:
            return None
        return next((topic for topic in self.facts.reading.snapshot.topics if topic.file == entry.file), None)

    def name_of(self, key: Key) -> str:
        """The item's id, or the finding."""
        entry = self._entries.get(key)
        if entry is not None:
            return display.one_line(entry.title)
        parts = key if isinstance(key, tuple) else (key,)
        name = str(parts[1]) if len(parts) > 1 else str(parts[0])
        if name.startswith("~"):  # an item without an id is known by its digest
            return display.one_line(f"An item of {name.partition('@')[2].partition('#')[0]}")
        return display.one_line(name)

    def row(self, key: Key, width: int) -> Line:
        """Glyph, age, kind, text; what is proposed at the right."""
        assert self.facts is not None
        entry = self._entries[key]
        sight = self.facts.sight
        items = self.items_of(key)
        item = items[0] if items else None
        plain = item is not None and entry.code in _PLAIN
        glyph = present.status_span(item, sight) if item is not None and plain else Span(glyphs.UNKNOWN.sign, "waits")
        kind = present.kind_span(item) if item is not None else Span(" ")
        head = line(glyph, " ", (display.pad(present.age(entry.age_days), 5, right=True), "dim"), "  ", kind, "  ")
        keyed = key_of(entry.proposed)
        proposed = line((f"→ {keyed}", "dim")) if keyed and width >= 64 else EMPTY
        what = f"{_drift(entry)}  " if item is not None and not plain else ""
        room = width - cells(head) - cells(proposed) - (2 if proposed else 0)
        text = sight.head(entry.title, max(room - display.width(what), 0))
        body = line(display.clip(what, room), (text, "dim" if what else ""))
        return spread((*head, *body), proposed, width)

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The item's card with why it waits; for a finding, what it is and what to do."""
        assert self.facts is not None
        entry = self._entries[key]
        items = self.items_of(key)
        why = (("why here", entry.reason), ("proposed", advice(entry, items[0] if items else None)))
        if items:
            return present.card(items[0], self.facts.sight, self.facts.references, width, why=why)
        sight = self.facts.sight
        block = [*flow(sight.text(entry.title), width, role="strong"), EMPTY]
        for label, sentence in why:
            if sentence:
                block.extend(labelled(label, flow(sight.line(sentence), width - LABEL)))
        place = f"{entry.file}:{entry.line}" if entry.line else entry.file
        if place:
            block.extend(labelled("stands in", flow(sight.line(place), width - LABEL)))
        if entry.since:
            block.extend(labelled("since", [line(display.one_line(entry.since))]))
        if entry.finding is not None and entry.finding.remedy:
            block.extend(labelled("remedy", flow(sight.line(entry.finding.remedy), width - LABEL)))
        return block


def _drift(entry: QueueEntry) -> str:
    """What is wrong with an item, in the words of the findings: `missing id, kind, legacy marker`."""
    words: list[str] = []
    for code in entry.codes:
        about = code.removeprefix("missing-")
        again = about != code and any(word.startswith("missing ") for word in words)
        words.append((about if again else code).replace("-", " "))
    return ", ".join(words)


def advice(entry: QueueEntry, item: MemoryItem | None) -> str:
    """What is proposed, and where it takes a judgement, what each answer says: `c clear: keep it, it holds; …`."""
    keyed = key_of(entry.proposed)
    if entry.proposed != "clear":
        return keyed
    if item is not None and item.kind is Kind.STATE and item.superseded_by:
        return f"{keyed}: its successor stands, it becomes superseded"
    return f"{keyed}: keep it, it holds; {key_of('stale')}: it does not"


def key_of(command: str) -> str:
    """A command as the console speaks of it: `c clear`, `3 Conflicts`; '' where the console has no way to it."""
    if command in _ELSEWHERE:
        return _ELSEWHERE[command]
    found = next((verb for verb in VERBS if verb.name == command and verb.on(REVIEW)), None)
    return f"{found.keys} {found.name}" if found is not None else ""
