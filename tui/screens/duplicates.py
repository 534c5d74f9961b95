"""Screen 4, Duplicates: knowledge that may say the same, for a human to judge (§14.3). A suggestion changes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from core.duplicates import Group, Pair
from core.items import MemoryItem
from core.requests import Merge, NotDuplicate
from tui import display, editing, present
from tui.alike import Alike, counted, suggestions
from tui.desk import Desk, Facts, Then
from tui.lines import EMPTY, LABEL, Line, flow, labelled, line, spread, wrap_spans
from tui.page import Page
from tui.verbs import DUPLICATES, Verb
from tui.widgets.diff import word_differences
from tui.widgets.virtual_list import Key

MEANING = (
    "The score compares the sorted words of both texts, each Chinese, Japanese or Korean character a word: 100 is the "
    "same words, 88 the least that is listed. It says nothing about meaning."
)


LET_BY = 0.05
"""Seconds that a search for a screen nobody looks at waits, for what is looked at, and for the next change."""


class DuplicatesPage(Page):
    """Groups that may be merged first, then pairs that are alike but differ by a negation, a number or a name."""

    DEFAULT_CSS = """
    DuplicatesPage .body { layout: vertical; }
    DuplicatesPage VirtualList { width: 1fr; height: 2fr; }
    DuplicatesPage TextPane.card { width: 1fr; height: 3fr; border-left: none; border-top: solid $foreground 15%; }
    """

    NUMBER: ClassVar[int] = DUPLICATES
    NEEDS: ClassVar[str] = "influence"
    COUNTS: ClassVar[str] = "group"

    class Found(Message):
        """A search beside the screen has its answer."""

        def __init__(self, facts: Facts, pairs: tuple[Pair, ...]) -> None:
            super().__init__()
            self.facts_searched, self.pairs = facts, pairs

    class Searching(Message):
        """How far the search is."""

        def __init__(self, percent: int) -> None:
            super().__init__()
            self.percent = percent

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._alike = Alike()
        self._percent: int | None = 0
        self._searching = False
        self._groups: dict[Key, Group] = {}
        self._known: int | None = None

    # --- searching

    def load(self, facts: Facts, *, own: bool) -> None:
        """Search beside the screen; what was found before stays until then, without what is gone."""
        self._percent = 0
        self._groups = {key: group for key, group in self._groups.items() if self._stands(group, facts)}
        super().load(facts, own=own)
        if not self._searching:
            self._searching = True
            self._search(facts)

    def on_unmount(self) -> None:
        """A search in another process ends with the page."""
        self._alike.close()

    def _stands(self, group: Group, facts: Facts) -> bool:
        by_key = facts.reading.snapshot.by_key
        return all(key in by_key and facts.sight.eligible(by_key[key]) for key in group.keys)

    @work(thread=True, group="duplicates", exit_on_error=False)
    def _search(self, facts: Facts) -> None:
        worker = get_current_worker()
        told = -1
        if not self.has_class("-current"):
            time.sleep(LET_BY)
            if worker.is_cancelled:
                return

        def progress(done: int, total: int) -> None:
            nonlocal told
            percent = done * 100 // max(total, 1)
            if percent > told and not worker.is_cancelled:
                told = percent
                self.post_message(self.Searching(percent))

        try:
            pairs = self._alike.search(facts.reading, progress, lambda: worker.is_cancelled)
        except Exception:
            self._searching = False  # the next reading may be searched again
            raise
        if pairs is not None and not worker.is_cancelled:
            self.post_message(self.Found(facts, pairs))

    def on_duplicates_page_searching(self, event: Searching) -> None:
        """Show how far it is."""
        event.stop()
        if self._percent is not None:
            self._percent = event.percent
            self.show_title()

    def on_duplicates_page_found(self, event: Found) -> None:
        """Show what was found. Where the root has changed meanwhile, what still stands; then the search goes on."""
        event.stop()
        facts = self.facts
        if facts is None:
            return
        latest = event.facts_searched is facts
        self._percent = None if latest else 0
        found = (group for group in suggestions(event.pairs) if latest or self._stands(group, facts))
        self._groups = {("group", *group.keys): group for group in found}
        super().load(facts, own=True)
        self.desk.refresh_rail()
        self._searching = not latest
        if not latest:
            self._search(facts)

    def own_tally(self) -> tuple[str, bool] | None:
        """How many were suggested when it was last known. A suggestion waits for nobody."""
        if self._percent is None:
            self._known = len(self._groups)
        return (f"{self._known:,}", False) if self._known is not None else None

    # --- rows

    def rows(self, facts: Facts) -> Sequence[Key]:
        """Groups, the best score first; then pairs that only look alike."""
        return list(self._groups)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Ids and texts."""
        for key in self._groups:
            yield key, " ".join(facts.sight.line(f"{item.id or ''} {item.text}") for item in self.items_of(key))

    def note(self) -> Line:
        """How far the search is; then what is counted."""
        if self._percent is not None:
            return line((f"searching… {self._percent} %", "dim"))
        return line((counted(self._groups.values()) or "nothing is merged by itself", "dim"))

    def empty(self) -> tuple[str, ...]:
        """No two are alike."""
        if self._percent is not None:
            return ("Searching for knowledge that may say the same…", MEANING)
        return ("No two lessons here look alike.", MEANING)

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The members."""
        group = self._groups.get(key)
        if group is None or self.facts is None:
            return ()
        by_key = self.facts.reading.snapshot.by_key
        return tuple(by_key[member] for member in group.keys if member in by_key)

    def name_of(self, key: Key) -> str:
        """Its first member."""
        items = self.items_of(key)
        return f"The group of {display.one_line(items[0].id or 'an item')}" if items else "The group"

    # --- drawing

    def row(self, key: Key, width: int) -> Line:
        """Score, how many, and the first text; what sets them apart where that turns the meaning."""
        assert self.facts is not None
        group = self._groups[key]
        items = self.items_of(key)
        sight = self.facts.sight
        opposed = group.pairs[0].opposed
        left = line(
            ("≠ " if opposed else "≈ ", "waits" if opposed else "accent"),
            (f"{group.best:3.0f}  ", "dim"),
            (sight.head(items[0].text, width) if items else "", "dim" if opposed else ""),
        )
        notes = group.pairs[0].differences.notes if opposed else ()
        right = sight.head(notes[0], 40) if notes else f"{len(items)} items"
        return spread(left, line((right, "waits" if opposed else "dim")), width)

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """Each member whole, with the words that differ from the first standing out; then what the score means."""
        assert self.facts is not None
        group, sight = self._groups[key], self.facts.sight
        items = self.items_of(key)
        if not items:
            return ()
        block: list[Line] = []
        for pair in (*group.pairs, *group.opposed):
            if pair.opposed:
                for note in pair.differences.notes[:4]:
                    block.extend(flow(f"! {sight.line(note)}", width, role="waits"))
        if block:
            block.append(EMPTY)
        for item, spans in zip(items, self._set_apart(items), strict=True):
            date = display.one_line(item.date or "")
            head = line((display.one_line(item.id or "no id"), "strong"), "  ", (date, "dim"))
            state = line(present.status_span(item, sight, word=True), "  ", (display.one_line(str(item.place)), "dim"))
            block.append(spread(head, state, width))
            block.extend(wrap_spans(spans, width))
            block.extend(labelled("source", present.source_lines(item, sight, width - LABEL, excerpt=1)))
            block.append(EMPTY)
        for pair in group.pairs:
            for note in pair.differences.notes[:4] if not pair.opposed else ():
                block.extend(flow(sight.line(note), width))
        block.extend((EMPTY, *flow(f"Score {group.best:.0f}. {MEANING}", width, role="dim")))
        return block

    def _set_apart(self, items: Sequence[MemoryItem]) -> list[Line]:
        """The text of each, with what differs from the first (of the first: from the second) standing out."""
        assert self.facts is not None
        texts = [self.facts.sight.line(item.text[: present.TEXT_LIMIT]) for item in items]
        if len(texts) < 2:
            return [line(text) for text in texts]
        first, _ = word_differences(texts[0], texts[1])
        return [first, *(word_differences(texts[0], other)[1] for other in texts[1:])]

    # --- verbs

    def why_not(self, verb: Verb) -> str | None:
        """Only what may say the same is merged."""
        if verb.name in ("merge", "not a duplicate"):
            group = self._groups.get(self.listing.key) if self.listing.key is not None else None
            if group is None:
                return "There is no group under the cursor."
            if verb.name == "merge" and group.pairs[0].opposed:
                notes = group.pairs[0].differences.notes
                assert self.facts is not None
                return f"They do not say the same: {self.facts.sight.line(notes[0]) if notes else 'they are opposed'}."
            return self._not_authorised(verb)
        return super().why_not(verb)

    def request(self, verb: Verb, then: Then) -> None:
        """Merge with the text that the human leaves, or tell the members apart."""
        key = self.listing.key
        items = self.items_of(key) if key is not None else ()
        if verb.name == "not a duplicate":
            then(NotDuplicate(tuple(item.key for item in items)))
        elif verb.name == "merge" and items:
            newest = max(items, key=lambda item: item.date or "")
            texts = self._set_apart(items)
            notes = [
                line((f"{display.one_line(item.id or 'no id')}: ", "strong"), *spans)
                for item, spans in zip(items, texts, strict=True)
            ]
            editing.edit_line(
                self.desk,
                f"Merge {len(items)} items: the text of the folded entry",
                newest.text,
                lambda text: then(Merge(tuple(item.key for item in items), text)),
                notes=notes,
            )
        else:
            super().request(verb, then)
