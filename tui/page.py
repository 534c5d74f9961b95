"""A screen of the console: a filtered list of keyed rows, and a card beside it. Screens say what is in both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.worker import get_current_worker

from core.authority import AUTHORITY, Role, who_may
from core.errors import AssayError
from tui.desk import Desk, Facts, Then
from tui.lines import EMPTY, Line, line
from tui.screens.table import title_of
from tui.search import Haystack, needles_of
from tui.verbs import Verb
from tui.widgets.filter import FilterLine
from tui.widgets.text_pane import TextPane
from tui.widgets.virtual_list import Key, VirtualList

if TYPE_CHECKING:
    from core.events import Event
    from core.items import MemoryItem
    from core.requests import Request
    from core.snapshot import Topic

# A page stands in the first frame: what decisions need is imported where they are made.

AT_ONCE = 3000
"""Lists up to this length are filtered where the key was pressed, longer ones beside it."""


class Page(Vertical):
    """One screen. Subclasses give rows, a row's line, its card, and the verbs that are theirs."""

    DEFAULT_CSS = """
    Page { width: 1fr; height: 1fr; display: none; }
    Page.-current { display: block; }
    Page .body { layout: horizontal; height: 1fr; }
    Page VirtualList { width: 5fr; height: 1fr; }
    Page TextPane.card { width: 4fr; height: 1fr; border-left: solid $foreground 15%; padding: 0 1; }
    Page TextPane.empty { height: 1fr; padding: 1 2; display: none; }
    Page.-empty .body { display: none; }
    Page.-empty TextPane.empty { display: block; }
    .-narrow Page TextPane.card { display: none; border-left: none; padding: 0 1; }
    .-narrow Page.-open TextPane.card { display: block; width: 1fr; }
    .-narrow Page.-open VirtualList { display: none; }
    """

    SCOPED_CSS: ClassVar[bool] = False  # the console's width decides some of it

    NUMBER: ClassVar[int]
    NEEDS: ClassVar[str] = "influence"
    """The part of a reading (`tui.desk.PARTS`) that the rows are made from."""
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
        self._all: Sequence[Key] = ()
        self._haystack: Haystack | None = None
        self._generation = 0
        self._query = ""
        self._card_due = False
        self._targets: tuple[Facts | None, tuple[Key, ...], tuple[MemoryItem, ...]] | None = None

    def compose(self) -> ComposeResult:
        """Title and filter, list and card."""
        yield FilterLine()
        with Container(classes="body"):
            yield VirtualList()
            yield TextPane(classes="card")
        yield TextPane(classes="empty")

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

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The items that a decision on this row is about."""
        return ()

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

    def topic_at(self) -> Topic | None:
        """The topic that the row at the cursor is about as a whole."""
        return None

    def copy_text(self, key: Key) -> str | None:
        """What `y` copies."""
        items = self.items_of(key)
        return items[0].id if items else None

    # --- filling

    def load(self, facts: Facts, *, own: bool) -> None:
        """Show another reading. The cursor stays on its key."""
        self.facts = facts
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
            why, *rest = self.empty()
            self.query_one(".empty", TextPane).show(lambda width: _empty_lines(why, rest, width))
        self.show_title()
        self._show_card()

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

    def on_page_filtered(self, event: Filtered) -> None:
        """Show what was found, unless another key was pressed meanwhile."""
        event.stop()
        if event.generation == self._generation:
            self._haystack = event.haystack
            self._put(event.keys, own=True)

    def clear_filter(self) -> bool:
        """Take the filter away; False where there is none."""
        if not self.filter_line.field.value:
            return False
        self.filter_line.field.value = ""
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

    # --- decisions

    def targets(self) -> tuple[MemoryItem, ...]:
        """The items that a decision is about: the marked ones that are shown, else those of the row at the cursor."""
        marked = self.listing.marked()
        keys = marked or ((self.listing.key,) if self.listing.key is not None else ())
        before = self._targets
        if before is not None and before[0] is self.facts and (before[1] is keys or before[1] == keys):
            return before[2]
        found: dict[str, MemoryItem] = {}
        for key in keys:
            for item in self.items_of(key):
                found.setdefault(item.key, item)
        self._targets = (self.facts, keys, tuple(found.values()))
        return self._targets[2]

    def why_not(self, verb: Verb) -> str | None:
        """Why `verb` cannot be done now, as a sentence; None where it can be tried."""
        from tui.item_verbs import ITEM_VERBS, why_not_items

        if verb.command and (reason := self._not_authorised(verb)):
            return reason
        if verb.name == "triggers":
            return None if self.topic_at() is not None else "There is no topic under the cursor to give triggers to."
        if verb.name in ITEM_VERBS:
            return why_not_items(verb, self.targets(), self.facts, self.desk.actor)
        if verb.name in ("mark", "mark all", "open") and self.listing.key is None:
            return "There is nothing under the cursor."
        if verb.name == "source" and not self.targets():
            return "There is no item under the cursor, so there is no Source to open."
        if verb.name == "copy id" and (self.listing.key is None or not self.copy_text(self.listing.key)):
            return "There is nothing with an id under the cursor."
        return None

    def _not_authorised(self, verb: Verb) -> str | None:
        role = self.desk.actor.role
        may = AUTHORITY[verb.command]
        if role in may or (role is Role.HUMAN and Role.OWNER in may and self._may_become_owner()):
            return None
        return f"{self.desk.actor} may not {verb.name}; {who_may(verb.command)} may."

    def _may_become_owner(self) -> bool:
        facts = self.desk.facts
        return facts is not None and facts.reading.snapshot.binding.owners_state != "confirmed"

    def request(self, verb: Verb, then: Then) -> None:
        """Make the request that `verb` means here, asking for what is missing, and go on with it."""
        from tui.item_verbs import ask_triggers, request_items

        topic = self.topic_at()
        if verb.name == "owners":
            self.desk.owners()
        elif verb.name == "triggers" and topic is not None:
            ask_triggers(self.desk, topic.file, topic.triggers, then)
        else:
            request_items(self.desk, verb, self.targets(), then)

    def refused(self, request: Request, error: AssayError) -> bool:
        """The engine refused a request of this page. True where the page asks for what was missing."""
        return False

    def decided(self, request: Request) -> None:
        """A decision of this page was carried out: its marks go, and the cursor goes to the next row."""
        from core.requests import Withdraw

        if isinstance(request, Withdraw):
            done = set(self.listing.marked())
        else:
            wanted = set(getattr(request, "items", ()))
            done = {key for key in self.listing.marked() if {item.key for item in self.items_of(key)} & wanted}
        acted = done or {self.listing.key}
        self.listing.unmark(done)
        keys, at = self.listing.keys, self.listing.index
        after = next((at + step for step in range(len(keys) - at) if keys[at + step] not in acted), None)
        if after is not None:
            self.listing.go_to(after)
        self.show_title()

    def written(self, event: Event) -> None:
        """What was decided here was read again: `event` is its record."""


def _empty_lines(why: str, rest: Sequence[str], width: int) -> list[Line]:
    from tui.lines import flow

    block = flow(why, min(width, 76), role="strong")
    for sentence in rest:
        block.extend((EMPTY, *flow(sentence, min(width, 76))))
    return block
