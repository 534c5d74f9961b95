"""A filtered list of keyed rows, and a card beside it: what every screen is drawn as. Screens say what is in both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.worker import get_current_worker

from tui.desk import Desk, Facts
from tui.lines import EMPTY, Line, line
from tui.screens.table import title_of
from tui.search import Haystack, needles_of
from tui.widgets.filter import FilterLine
from tui.widgets.text_pane import TextPane
from tui.widgets.virtual_list import Key, VirtualList

AT_ONCE = 3000
"""Lists up to this length are filtered where the key was pressed, longer ones beside it."""


class ListPage(Vertical):
    """One screen as it is seen. Subclasses give rows, a row's line and its card."""

    DEFAULT_CSS = """
    ListPage { width: 1fr; height: 1fr; display: none; }
    ListPage.-current { display: block; }
    ListPage .body { layout: horizontal; height: 1fr; }
    ListPage VirtualList { width: 5fr; height: 1fr; }
    ListPage TextPane.card { width: 4fr; height: 1fr; border-left: solid $foreground 15%; padding: 0 1; }
    ListPage TextPane.empty { height: 1fr; padding: 1 2; display: none; }
    ListPage.-empty .body { display: none; }
    ListPage.-empty TextPane.empty { display: block; }
    .-narrow ListPage TextPane.card { display: none; border-left: none; padding: 0 1; }
    .-narrow ListPage.-open TextPane.card { display: block; width: 1fr; }
    .-narrow ListPage.-open VirtualList { display: none; }
    """

    SCOPED_CSS: ClassVar[bool] = False  # the console's width decides some of it

    NUMBER: ClassVar[int]
    NEEDS: ClassVar[str] = "influence"
    """The part of a reading (`tui.desk.PARTS`) that the rows are made from."""
    late: bool = False
    """Whether it stands in the first frame, which waits for no more than is seen of it."""
    COUNTS: ClassVar[str] = "row"
    """What one row is, for the number at the title's end."""

    class Filtered(Message):
        """A filter that ran beside has its answer."""

        def __init__(self, generation: int, query: str, keys: list[Hashable], haystack: Haystack) -> None:
            super().__init__()
            self.generation, self.query, self.keys, self.haystack = generation, query, keys, haystack

    def __init__(self, desk: Desk) -> None:
        super().__init__(id=f"page-{self.NUMBER}")
        self.desk = desk
        self.facts: Facts | None = None
        self.stale = False
        """Whether a later reading waits to be shown here."""
        self._all: Sequence[Key] = ()
        self._haystack: Haystack | None = None
        self._generation = 0
        self._query = ""
        self._card_due = False

    def compose(self) -> ComposeResult:
        """Title and filter, list and card."""
        yield FilterLine(late=self.late)
        with Container(classes="body"):
            yield VirtualList()
            yield TextPane(classes="card")

    # --- what subclasses say

    @classmethod
    def tally(cls, facts: Facts) -> tuple[str, bool]:
        """What the rail says about it, and whether that waits for a human. Asked only once `NEEDS` is ready."""
        return "", False

    def own_tally(self) -> tuple[str, bool] | None:
        """The same, where only the opened page can tell; None where `tally` can."""
        return None

    def rows(self, facts: Facts) -> Sequence[Key]:
        """The keys of all rows, in order."""
        raise NotImplementedError

    def headings(self) -> frozenset[Key]:
        """Keys that are headings."""
        return frozenset()

    def row(self, key: Key, width: int) -> Line:
        """The line of a row."""
        raise NotImplementedError

    def card(self, key: Key, width: int) -> Sequence[Line]:
        """The card of a row."""
        return ()

    def note(self) -> Line:
        """What the title adds: the oldest age, the topic opened."""
        return EMPTY

    def empty(self) -> tuple[str, ...]:
        """Why the list is empty, and what to do next."""
        return ("Nothing here.",)

    def searched(self, facts: Facts) -> Iterable[tuple[Key, str]]:
        """Each row with the text that a filter looks at."""
        return ((key, "") for key in self._all)

    def open_row(self, key: Key) -> None:
        """`enter` on a row: the card, where it is not beside the list already."""
        self.show_card()

    def go(self, key: object) -> None:
        """Put the cursor on a row that another screen named, if it is there."""
        if isinstance(key, Hashable):
            self.listing.go(key)

    def leave(self) -> bool:
        """`esc`: one step back within the page; False where there is none."""
        return False

    # --- filling

    def load(self, facts: Facts, *, own: bool) -> None:
        """Show another reading. The cursor stays on its key."""
        self.facts = facts
        self.stale = False
        self._all = self.rows(facts)
        self._haystack = None
        self._show(own=own)

    @property
    def listing(self) -> VirtualList:
        """The list."""
        return self.query_one(VirtualList)

    @property
    def filter_line(self) -> FilterLine:
        """The filter line."""
        return self.query_one(FilterLine)

    def reload(self) -> None:
        """Make the rows anew from the same reading, after a step into or out of something."""
        if self.facts is not None:
            self.load(self.facts, own=True)

    def _show(self, *, own: bool) -> None:
        if not needles_of(self._query):
            self._put(self._all, own=own)
        elif len(self._all) <= AT_ONCE:
            self._put(self._find_now(), own=own)
        else:
            self._find_beside()

    def _put(self, keys: Sequence[Key], *, own: bool) -> None:
        filtered = bool(needles_of(self._query))
        self.listing.show(
            keys,
            self.row,
            skip=frozenset() if filtered else self.headings(),
            needles=tuple(self._query.split()),
            own=own,
        )
        is_empty = not keys and not filtered
        self.set_class(is_empty, "-empty")
        if is_empty or not keys:
            self.remove_class("-open")
        if is_empty:
            self._say_why()
        self.show_title()
        self._show_card()

    def _say_why(self) -> None:
        """Say in the list's place why it is empty; most lists never are."""
        why, *rest = self.empty()
        build = partial(_empty_lines, why, rest)
        for pane in self.query(".empty").results(TextPane):
            pane.show(build)
            return
        self.mount(TextPane(build, classes="empty"))

    def show_title(self) -> None:
        """The title line: the page's name, its note, and the counts."""
        title = line((f"{title_of(self.NUMBER)}   ", "strong"), *self.note())
        marked = self.listing.marked()
        heads = self.headings()
        shown = sum(key not in heads for key in self.listing.keys) if heads else len(self.listing.keys)
        self.filter_line.show(
            line(" ", *title),
            shown=shown,
            total=self.total(),
            counts=self.counts(),
            marks=len(marked),
            hidden_marks=len(self.listing.marks) - len(marked),
        )

    def counts(self) -> str:
        """What the rows are now: `event`."""
        return self.COUNTS

    def total(self) -> int:
        """How many rows there are without a filter."""
        return len(self._all) - len(self.headings())

    # --- the filter

    def on_filter_line_changed(self, event: FilterLine.Changed) -> None:
        """The filter's text changed: the one before is abandoned."""
        event.stop()
        self._generation += 1
        self._query = event.text
        if self.facts is not None:
            self._show(own=True)

    def on_filter_line_left(self, event: FilterLine.Left) -> None:
        """Back to the list."""
        event.stop()
        self.listing.focus()

    def _find_now(self) -> list[Hashable]:
        assert self.facts is not None
        if self._haystack is None:
            self._haystack = Haystack(self.searched(self.facts))
        return self._haystack.find(self._query) or []

    @work(thread=True, exclusive=True, group="filter", exit_on_error=False)
    def _find_beside(self) -> None:
        worker = get_current_worker()
        generation, query, facts, haystack = self._generation, self._query, self.facts, self._haystack
        if facts is None:
            return
        if haystack is None:
            haystack = Haystack(self.searched(facts), cancelled=lambda: worker.is_cancelled)
        keys = haystack.find(query, cancelled=lambda: worker.is_cancelled)
        if keys is not None and not worker.is_cancelled:
            self.post_message(self.Filtered(generation, query, keys, haystack))

    def on_list_page_filtered(self, event: Filtered) -> None:
        """Show what was found, unless another key was pressed meanwhile."""
        event.stop()
        if event.generation == self._generation:
            self._haystack = event.haystack
            self._put(event.keys, own=True)

    def clear_filter(self) -> bool:
        """Take the filter away; False where there is none."""
        if not self.filter_line.text:
            return False
        self.filter_line.clear()
        return True

    # --- the card

    @property
    def is_open(self) -> bool:
        """Whether the card stands in the list's place."""
        return self.has_class("-open")

    def show_card(self) -> None:
        """Open the card where the list is alone, else go into it."""
        if self.screen.has_class("-narrow"):
            self.add_class("-open")
            self._show_card()
        self.query_one(".card", TextPane).focus()

    def opened_first(self) -> bool:
        """Where the list is alone, the first `enter` opens the card; True where this one did."""
        if self.is_open or not self.screen.has_class("-narrow"):
            return False
        self.show_card()
        return True

    def focus_inside(self) -> None:
        """The keys go to the list, or to the card where that stands in its place; the very next one, too."""
        self.screen.set_focus(self.query_one(".card", TextPane) if self.is_open else self.listing)

    def close_card(self) -> bool:
        """Back from the card to the list; False where the list has the focus already."""
        card = self.query_one(".card", TextPane)
        if not self.is_open and not card.has_focus:
            return False
        self.remove_class("-open")
        self.listing.focus()
        return True

    def _show_card(self, *, top: bool = True) -> None:
        key = self.listing.key
        pane = self.query_one(".card", TextPane)
        pane.show((lambda width: self.card(key, width)) if key is not None else (lambda width: ()), top=top)
        self.desk.refresh_chrome()

    def on_virtual_list_moved(self, event: VirtualList.Moved) -> None:
        """The card follows the cursor, after the cursor itself was drawn; fast keys share one card."""
        event.stop()
        if not self._card_due:
            self._card_due = True
            self.call_after_refresh(self._follow)

    def _follow(self) -> None:
        self._card_due = False
        self._show_card()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """`enter`."""
        event.stop()
        self.open_row(event.key)

    def on_virtual_list_gone(self, event: VirtualList.Gone) -> None:
        """The row under the cursor went with an outside change."""
        event.stop()
        self.desk.say(("! ", "waits"), f"{self.name_of(event.key)} is gone from this list.")

    def name_of(self, key: Key) -> str:
        """What to call a row in a sentence."""
        return str(key[-1]) if isinstance(key, tuple) else str(key)


def _empty_lines(why: str, rest: Sequence[str], width: int) -> list[Line]:
    from tui.lines import flow

    block = flow(why, min(width, 76), role="strong")
    for sentence in rest:
        block.extend((EMPTY, *flow(sentence, min(width, 76))))
    return block
