"""A screen of the console: what its list and card show, and the decisions that are made on its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.authority import AUTHORITY, Role, who_may
from core.errors import AssayError
from tui.desk import Desk, Facts, Then
from tui.list_page import ListPage
from tui.verbs import Verb
from tui.widgets.virtual_list import Key

if TYPE_CHECKING:
    from core.events import Event
    from core.items import MemoryItem
    from core.requests import Request
    from core.snapshot import Topic

# A page stands in the first frame: what decisions need is imported where they are made.


class Page(ListPage):
    """One screen. Subclasses give what `ListPage` asks for, the items of a row, and the verbs that are theirs."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._targets: tuple[Facts | None, tuple[Key, ...], tuple[MemoryItem, ...]] | None = None

    # --- what subclasses say

    def items_of(self, key: Key) -> tuple[MemoryItem, ...]:
        """The items that a decision on this row is about."""
        return ()

    def topic_at(self) -> Topic | None:
        """The topic that the row at the cursor is about as a whole."""
        return None

    def copy_text(self, key: Key) -> str | None:
        """What `y` copies."""
        items = self.items_of(key)
        return items[0].id if items else None

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
