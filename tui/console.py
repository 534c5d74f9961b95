"""The console's one screen: head line, rail, the current page, receipt line, foot line; and where keys become verbs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal
from textual.screen import Screen
from textual.widgets import Input

from core.authority import AUTHORITY, Actor, Role
from tui import display
from tui.composing import FrontFirst
from tui.desk import PARTS
from tui.lines import Line, line
from tui.screens.table import NUMBERS, SCREENS, ScreenRow, titles
from tui.verbs import DECISIONS, DUPLICATES, VERBS, Verb, by_key, footer_of
from tui.widgets.footer import Footer
from tui.widgets.header import Head, Header
from tui.widgets.rail import Rail, Stop
from tui.widgets.receipt import ReceiptLine

if TYPE_CHECKING:
    from core.requests import Request
    from tui.app import AssayApp
    from tui.desk import Answer, Facts
    from tui.page import Page
    from tui.screens.form import Answers, Field, Intro
    from tui.widgets.text_pane import Build

NARROW = 100

_ELSEWHERE = frozenset({"up and down", "screens", "palette"})
"""Verbs whose keys the lists and the app itself bind."""
_WAITS = ("! ", "waits")

CONSOLE_CSS = """
Console { layout: vertical; background: $background; color: $foreground; }
Console #middle { layout: horizontal; height: 1fr; }
Console.-narrow #middle { layout: vertical; }
Console #pages { width: 1fr; height: 1fr; border-left: solid $foreground 15%; }
Console.-narrow #pages { border-left: none; }
"""


class Console(Screen[None]):
    """Everything but the dialogs. It is the `Desk` of its pages."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012  # Textual declares it so
    AUTO_FOCUS = "VirtualList"

    BINDINGS = [  # noqa: RUF012  # Textual declares it as a plain list
        Binding(str(row.number), f"screen({row.number})", show=False) for row in SCREENS
    ]

    def __init__(self) -> None:
        super().__init__()
        self._compositor = FrontFirst()
        for key in dict.fromkeys(verb.key for verb in VERBS if verb.name not in _ELSEWHERE):
            self._bindings.bind(key, f"press({key!r})", show=False)  # not declared: a human may have chosen others
        self.current = SCREENS[0].number
        self._loaded = False
        self._drawn_once = False
        self._facts: Facts | None = None
        self._diff_of = False
        self._where = ""
        self._way_back: list[tuple[int, object]] = []

    # --- layout

    def compose(self) -> ComposeResult:
        """Head, rail and page, receipt, foot. The page comes with its code."""
        self.add_class(
            "-narrow" if self.app.size.width < NARROW else "-wide"
        )  # as it will be, so that it is styled once
        yield Header()
        with Horizontal(id="middle"):
            yield Rail()
            with Container(id="pages"):
                seen = self.console_app.seen
                if seen is not None:
                    from tui.screens.index import IndexPage

                    page = IndexPage(self, seen)
                    page.add_class("-current")
                    yield page
        yield ReceiptLine()
        yield Footer()

    def update_node_styles(self, animate: bool = True) -> None:
        """Style everything anew; not for the first frame: all was styled a moment ago, when it was mounted."""
        if self._drawn_once:
            super().update_node_styles(animate)
        self._drawn_once = True

    def on_mount(self) -> None:
        """The first frame is there at once: with what is known of the root, else empty. It is read meanwhile."""
        self._refresh_rail()
        self.console_app.console_ready()

    def pages_loaded(self) -> None:
        """The code of the pages is there."""
        if not self._loaded:
            self._loaded = True
            self.visit(self.current)

    @property
    def console_app(self) -> AssayApp:
        """The app, as what it is."""
        from tui.app import AssayApp

        assert isinstance(self.app, AssayApp)
        return self.app

    @property
    def page(self) -> Page | None:
        """The current page; None before its code is there."""
        if not self._loaded:
            return None
        from tui.page import Page

        return self.query_one_optional(f"#page-{self.current}", Page)

    def pages(self) -> Sequence[Page]:
        """The pages that were opened so far."""
        if not self._loaded:
            return ()
        from tui.page import Page

        return tuple(self.query(Page))

    # --- Desk

    @property
    def facts(self) -> Facts | None:
        """What is known of the root."""
        return self._facts

    @property
    def actor(self) -> Actor:
        """Who acts."""
        return self.console_app.actor

    @property
    def watch_state(self) -> tuple[str, str]:
        """The watch's state and its detail."""
        return self.console_app.watch_state

    def say(self, *parts: str | tuple[str, str]) -> None:
        """Answer on the receipt line; it stays until the next key."""
        self.query_one(ReceiptLine).say(line(" ", *parts))

    def notice(self, *parts: str | tuple[str, str]) -> None:
        """Tell quietly what happened outside."""
        self.query_one(ReceiptLine).notice(line(" ", *parts))

    def read(self, title: str, build: Build, *, at: int | None = None) -> None:
        """Show lines in a pager."""
        from tui.screens.dialog import Pager

        self.app.push_screen(Pager(title, build, at=at))

    def ask(
        self,
        title: str,
        fields: Sequence[Field],
        then: Callable[[Answers], None],
        *,
        intro: Intro = (),
        verb: str = "Go on",
    ) -> None:
        """Ask for what is missing, then go on."""
        from tui.screens.form import FormScreen

        def answered(answers: Answers | None) -> None:
            if answers is not None:
                then(answers)

        self.app.push_screen(FormScreen(title, fields, intro=intro, verb=verb), answered)

    def outside(self, work: Callable[[], Answer]) -> Answer:
        """Leave the terminal to another program while `work` runs; where there is no terminal, just run it."""
        from textual.app import SuspendNotSupported

        try:
            with self.app.suspend():
                return work()
        except SuspendNotSupported:
            return work()

    def decide(self, request: Request) -> None:
        """Plan, ask, commit."""
        self.console_app.decide(request)

    def with_owner(self, then: Callable[[], None]) -> None:
        """See to it that the root has owners who count, then go on."""
        from tui.screens.owners import see_to_owners

        see_to_owners(self, self.console_app.door, self.console_app.decide, then)

    def owners(self) -> None:
        """Show the owners; name the first, or confirm the declared ones."""
        from tui.screens.owners import show_owners

        show_owners(self, self.console_app.door, self.console_app.decide)

    def visit(self, screen: int, key: object = None) -> None:
        """Go to another screen, and there to a key; to the row one was led from, there is a way back."""
        if key is None:
            self._way_back.clear()
        elif self.page is not None and screen != self.current:
            self._way_back.append((self.current, self.page.listing.key))
        self._go(screen, key)

    def go_back(self) -> bool:
        """Back to the row that led here; False where none did."""
        if not self._way_back:
            return False
        screen, key = self._way_back.pop()
        self._go(screen)
        page = next((page for page in self.pages() if screen == page.NUMBER), None)
        if page is not None and key is not None:
            page.listing.go(key)
        return True

    def _go(self, screen: int, key: object = None) -> None:
        if not self._loaded and screen in NUMBERS:
            self.current = screen
            self._refresh_rail()
        elif screen in NUMBERS:
            self.run_worker(self._visit(screen, key), exclusive=True, group="visit", exit_on_error=False)

    def turns_to(self, key: str) -> int | None:
        """The screen that a key turns to now; None for other keys, and while they write into a field."""
        if self.app.screen is not self or not self._loaded or isinstance(self.focused, Input):
            return None
        return int(key) if key.isdecimal() and int(key) in NUMBERS else None

    async def turn(self, screen: int) -> None:
        """Turn to a screen at a key: what is typed next goes to the screen it was typed for."""
        self.query_one(ReceiptLine).key_pressed()
        self._diff_of = False
        self._way_back.clear()
        self.workers.cancel_group(self, "visit")
        await self._visit(screen, None)

    async def _visit(self, screen: int, key: object) -> None:
        await self._mounted(screen)
        self.current = screen
        for page in self.pages():
            page.set_class(screen == page.NUMBER, "-current")
        shown = self.page
        if shown is not None:
            if key is not None:
                shown.go(key)
            shown.focus_inside()
        self._refresh_rail()

    async def _mounted(self, screen: int) -> None:
        """See to it that a page is there, and filled as far as it can be."""
        if not self.query(f"#page-{screen}"):
            made = next(row for row in SCREENS if row.number == screen).load()(self)
            await self.query_one("#pages").mount(made)
        page = next(page for page in self.pages() if screen == page.NUMBER)
        self._fill_stale(page, own=True)
        if page.facts is None:  # also where another visit cut this one short before it was filled
            if self._facts is not None and page.NEEDS in self._facts.ready:
                page.load(self._facts, own=True)
            else:
                page.show_title()

    def refresh_rail(self) -> None:
        """A page counts otherwise now."""
        self._refresh_rail()

    def refresh_chrome(self) -> None:
        """The footer as the selection has it."""
        page = self.page
        able = [(verb, page is not None and page.why_not(verb) is None) for verb in footer_of(self.current)]
        for footer in self.query(Footer):  # none where the console is being taken down
            footer.show(able)

    def _refresh_rail(self) -> None:
        stops = [self._stop(row) for row in SCREENS]
        for rail in self.query(Rail):
            rail.show(stops, self.current)
        self._where = " ".join(next((stop.title, stop.tally) for stop in stops if stop.number == self.current)).strip()
        if self.is_current:
            self.on_screen_resume()
        self.refresh_chrome()

    def on_screen_resume(self) -> None:
        """Nothing stands above the console: the terminal's title names the current screen."""
        self.console_app.say_where(self._where)

    def _stop(self, row: ScreenRow) -> Stop:
        tally, waits = "", False
        if self._facts is not None:
            kind = row.load()
            if kind.NEEDS in self._facts.ready:
                opened = next((page for page in self.pages() if row.number == page.NUMBER), None)
                tally, waits = (opened.own_tally() if opened is not None else None) or kind.tally(self._facts)
        return Stop(row.number, row.title, row.short, tally, waits)

    # --- readings

    def show_head(self, head: Head) -> None:
        """Show another head line."""
        self.query_one(Header).show(head)

    def fill(self, facts: Facts, parts: frozenset[str], *, own: bool) -> None:
        """A reading has got further: the pages whose `parts` are new are filled."""
        self._facts = facts
        hidden = False
        for page in self.pages():
            if page.NEEDS in parts:
                if self.current == page.NUMBER:
                    page.load(facts, own=own)
                else:
                    page.stale = hidden = True
        self._refresh_rail()
        if hidden:  # what is in view is shown first
            self.call_after_refresh(self._fill_hidden, own)
        if self._loaded and PARTS[-1] in parts and not self.query(f"#page-{DUPLICATES}"):
            # It counts only what it has searched for, and it searches beside the screen, once all else is there.
            self.run_worker(self._mounted(DUPLICATES), group="prepare", exit_on_error=False)

    def _fill_hidden(self, own: bool) -> None:
        for page in self.pages():
            self._fill_stale(page, own=own)
        self._refresh_rail()

    def _fill_stale(self, page: Page, *, own: bool) -> None:
        if page.stale and self._facts is not None and page.NEEDS in self._facts.ready:
            page.load(self._facts, own=own)

    # --- keys

    def on_key(self, event: events.Key) -> None:
        """Any key takes the receipt away."""
        self.query_one(ReceiptLine).key_pressed()

    def action_screen(self, number: int) -> None:
        """Go to a screen."""
        self._diff_of = False
        self.visit(number)

    def on_rail_chosen(self, event: Rail.Chosen) -> None:
        """A screen was clicked."""
        self.visit(event.number)

    def action_press(self, key: str) -> None:
        """A verb's key."""
        verb = by_key(key, self.current)
        if verb is not None:
            self.perform(verb)
            return
        other = next((entry for entry in VERBS if entry.key == key), None)
        if other is not None:
            self.say(_WAITS, f"{other.keys} ({other.name}) acts on {titles(other.screens)}.")

    def perform(self, verb: Verb) -> None:
        """Carry a verb out, or say why it cannot be done now."""
        page = self.page
        if verb.name == "quit":
            self.app.exit()
            return
        if page is None or (self._facts is None and verb.tier is not None):
            self.say(("the root is being read…", "dim"))
            return
        if self._diff_of and verb not in DECISIONS:
            self._diff_of = False
            if verb.name == "back":
                return
        reason = page.why_not(verb)
        if reason is not None:
            self._diff_of = False
            self.say(_WAITS, display.one_line(reason))
        elif verb in DECISIONS:
            self._decide(verb, page)
        else:
            self._look(verb, page)

    def _decide(self, verb: Verb, page: Page) -> None:
        app = self.console_app
        then: Callable[[Request], None] = app.decide
        if self._diff_of:
            self._diff_of = False
            then = app.preview
        needs_owner = AUTHORITY.get(verb.command) == frozenset({Role.OWNER})
        if needs_owner and self.actor.role in (Role.HUMAN, Role.OWNER):
            self.with_owner(lambda: page.request(verb, then))
        else:
            page.request(verb, then)

    def _look(self, verb: Verb, page: Page) -> None:
        from tui import looking

        looking.LOOKS[verb.name](self, page)

    def diff_next(self) -> None:
        """The next decision's key shows its diff."""
        self._diff_of = True

    # --- after a decision

    def done(self, request: Request, receipt: Callable[[int], Line]) -> None:
        """A decision was carried out: its receipt stays until the next key, the cursor goes on."""
        from core.requests import Undo

        if self.page is not None and not isinstance(request, Undo):
            self.page.decided(request)
        self.query_one(ReceiptLine).say(receipt)

    def came_back(self, event: str) -> None:
        """The undo `event` was read: the cursor goes to the item that came back, where the list shows it."""
        page, facts = self.page, self._facts
        if page is None or facts is None:
            return
        undo = next((one for one in reversed(facts.reading.snapshot.events) if one.id == event), None)
        ids = {change.id for change in undo.items} if undo is not None else set()
        key = next((key for key in page.listing.keys if any(item.id in ids for item in page.items_of(key))), None)
        if key is not None:
            page.listing.go(key)
