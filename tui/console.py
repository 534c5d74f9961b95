"""The console's one screen: head line, rail, the current page, receipt line, foot line; and where keys become verbs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal
from textual.screen import Screen

from core.authority import Actor, Role
from core.requests import Request
from tui import display
from tui.desk import Facts
from tui.lines import Line, line
from tui.page import Page
from tui.screens.dialog import Pager
from tui.screens.form import Answers, Field, FormScreen
from tui.screens.table import PAGES
from tui.verbs import DECISIONS, VERBS, Verb, by_key, footer_of
from tui.widgets.filter import FilterInput
from tui.widgets.footer import Footer
from tui.widgets.header import Head, Header
from tui.widgets.rail import Rail, Stop
from tui.widgets.receipt import ReceiptLine
from tui.widgets.text_pane import Build

if TYPE_CHECKING:
    from tui.app import AssayApp

NARROW = 100

_ELSEWHERE = frozenset({"up and down", "screens", "palette"})
"""Verbs whose keys the lists and the app itself bind."""
_VERB_KEYS = tuple(dict.fromkeys(verb.key for verb in VERBS if verb.name not in _ELSEWHERE))


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
        *(Binding(key, f"press('{key}')", show=False) for key in _VERB_KEYS),
        *(Binding(str(kind.NUMBER), f"screen({kind.NUMBER})", show=False) for kind in PAGES),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._current = PAGES[0].NUMBER
        self._facts: Facts | None = None
        self._diff_of = False

    # --- layout

    def compose(self) -> ComposeResult:
        """Head, rail and page, receipt, foot."""
        yield Header()
        with Horizontal(id="middle"):
            yield Rail()
            with Container(id="pages"):
                yield PAGES[0](self)
        yield ReceiptLine()
        yield Footer()

    def on_mount(self) -> None:
        """The first page is there at once, empty; what fills it is read meanwhile."""
        self.page.add_class("-current")
        self.page.show_title()
        self._refresh_rail()
        self.console_app.console_ready()

    @property
    def console_app(self) -> AssayApp:
        """The app, as what it is."""
        from tui.app import AssayApp

        assert isinstance(self.app, AssayApp)
        return self.app

    @property
    def page(self) -> Page:
        """The current page."""
        return self.query_one(f"#page-{self._current}", Page)

    def pages(self) -> Sequence[Page]:
        """The pages that were opened so far."""
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

    def working(self, *parts: str | tuple[str, str]) -> None:
        """Tell what is being done; nothing takes it away."""
        self.query_one(ReceiptLine).working(line(" ", *parts) if parts else ())

    def read(self, title: str, build: Build, *, at: int | None = None) -> None:
        """Show lines in a pager."""
        self.app.push_screen(Pager(title, build, at=at))

    def ask(
        self,
        title: str,
        fields: Sequence[Field],
        then: Callable[[Answers], None],
        *,
        intro: Sequence[str] = (),
        verb: str = "Go on",
    ) -> None:
        """Ask for what is missing, then go on."""

        def answered(answers: Answers | None) -> None:
            if answers is not None:
                then(answers)

        self.app.push_screen(FormScreen(title, fields, intro=intro, verb=verb), answered)

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
        """Go to another screen, and there to a key."""
        self.run_worker(self._visit(screen, key), exclusive=True, group="visit", exit_on_error=False)

    async def _visit(self, screen: int, key: object) -> None:
        if screen not in {page.NUMBER for page in PAGES}:
            return
        if not self.query(f"#page-{screen}"):
            made = next(page for page in PAGES if screen == page.NUMBER)(self)
            await self.query_one("#pages").mount(made)
            if self._facts is not None and made.NEEDS in self._facts.ready:
                made.load(self._facts, own=True)
            else:
                made.show_title()
        self._current = screen
        for page in self.pages():
            page.set_class(screen == page.NUMBER, "-current")
        page = self.page
        page.listing.focus()
        if key is not None:
            page.go(key)
        self._refresh_rail()

    def refresh_chrome(self) -> None:
        """The footer as the selection has it."""
        page = self.page
        self.query_one(Footer).show([(verb, page.why_not(verb) is None) for verb in footer_of(page.NUMBER)])

    def _refresh_rail(self) -> None:
        self.query_one(Rail).show([self._stop(kind) for kind in PAGES], self._current)
        self.refresh_chrome()

    def _stop(self, kind: type[Page]) -> Stop:
        tally, waits = "", False
        if self._facts is not None and kind.NEEDS in self._facts.ready:
            tally, waits = kind.tally(self._facts)
        return Stop(kind.NUMBER, kind.TITLE, kind.SHORT, tally, waits)

    # --- readings

    def show_head(self, head: Head) -> None:
        """Show another head line."""
        self.query_one(Header).show(head)

    def fill(self, facts: Facts, parts: frozenset[str], *, own: bool) -> None:
        """A reading has got further: the pages whose `parts` are new are filled."""
        self._facts = facts
        for page in self.pages():
            if page.NEEDS in parts:
                page.load(facts, own=own)
        self._refresh_rail()

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
        page = self.page
        verb = by_key(key, page.NUMBER)
        if verb is None:
            other = next((entry for entry in VERBS if entry.key == key), None)
            if other is not None:
                names = ", ".join(kind.TITLE for kind in PAGES if kind.NUMBER in other.screens)
                self.say(("! ", "waits"), f"{other.keys} ({other.name}) acts on {names}.")
            return
        self.perform(verb)

    def perform(self, verb: Verb) -> None:
        """Carry a verb out, or say why it cannot be done now."""
        if self._diff_of and verb not in DECISIONS:
            self._diff_of = False
            if verb.name == "back":
                return
        reason = self.page.why_not(verb)
        if reason is not None:
            self._diff_of = False
            self.say(("! ", "waits"), display.one_line(reason))
            return
        if verb in DECISIONS:
            self._decide(verb)
            return
        handler = getattr(self, f"_verb_{verb.name.replace(' ', '_')}", None)
        if handler is not None:
            handler()

    def _decide(self, verb: Verb) -> None:
        app, page = self.console_app, self.page
        then: Callable[[Request], None] = app.decide
        if self._diff_of:
            self._diff_of = False
            then = app.preview
        needs_owner = verb.command in ("withdraw", "reinstate", "settle")
        if needs_owner and self.actor.role in (Role.HUMAN, Role.OWNER):
            self.with_owner(lambda: page.request(verb, then))
        else:
            page.request(verb, then)

    def _verb_open(self) -> None:
        self.page.listing.action_open()

    def _verb_mark(self) -> None:
        self.page.listing.toggle_mark()
        self.page.show_title()
        self.refresh_chrome()

    def _verb_mark_all(self) -> None:
        self.page.listing.toggle_all()
        self.page.show_title()
        self.refresh_chrome()

    def _verb_diff(self) -> None:
        able = [verb for verb in DECISIONS if verb.on(self._current) and self.page.why_not(verb) is None]
        if not able:
            self.say(("! ", "waits"), "There is no decision to take here, so there is no diff.")
            return
        self._diff_of = True
        parts: list[str | tuple[str, str]] = ["the diff of  "]
        for verb in able:
            parts.extend(((verb.keys, "key"), f" {verb.label}  "))
        self.say(*parts, ("esc none", "dim"))

    def _verb_undo(self) -> None:
        from core.requests import Undo

        self.console_app.decide(Undo())

    def _verb_source(self) -> None:
        from tui.screens.source import source_view

        items = self.page.targets()
        if self._facts is None or not items:
            self.say(("! ", "waits"), "There is no item under the cursor.")
            return
        title, build, at = source_view(items[0], self._facts)
        self.read(title, build, at=at)

    def _verb_filter(self) -> None:
        self.page.filter_line.field.focus()

    def _verb_copy_id(self) -> None:
        key = self.page.listing.key
        text = self.page.copy_text(key) if key is not None else None
        if text:
            self.app.copy_to_clipboard(text)
            self.say(("✓ ", "good"), f"copied {display.one_line(text)}")

    def _verb_back(self) -> None:
        page = self.page
        if isinstance(self.focused, FilterInput):
            page.listing.focus()
            return
        if not (page.close_card() or page.clear_filter() or page.leave()):
            self.say(("esc goes back; ", "dim"), ("q", "key"), (" leaves.", "dim"))

    def _verb_help(self) -> None:
        from tui.screens.help import help_lines

        current = self._current
        self.read("Keys", lambda width: help_lines(current, width))

    def _verb_quit(self) -> None:
        self.app.exit()

    # --- after a decision

    def done(self, request: Request, receipt: Line) -> None:
        """A decision was carried out: its receipt stays until the next key, the cursor goes on."""
        self.page.decided(request)
        self.query_one(ReceiptLine).say(receipt)
