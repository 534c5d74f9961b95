"""The console as an application: it reads the root beside the screen, stays live, and leads to the decisions.

The first frame waits for nothing, so what it does not need is imported where it is used.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import SystemCommand
from textual.binding import Binding
from textual.screen import ModalScreen, Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState, get_current_worker

from core.authority import Actor, Role
from tui import display
from tui.console import CONSOLE_CSS, Console
from tui.door import Door, markdown_door
from tui.terminal_app import TerminalApp
from tui.themes import OWN, names
from tui.verbs import VERBS, choose_keys
from tui.widgets.header import Head

if TYPE_CHECKING:
    from textual.theme import Theme
    from textual.timer import Timer

    from core.engine import Engine
    from core.plan import Receipt
    from core.requests import Request
    from tui.deciding import Decider
    from tui.desk import Facts
    from tui.overview import Overview
    from tui.settings import Settings

RESCAN_SECONDS = 5.0
"""How often to look for changes where watching failed."""

STILL_SECONDS = 3.0
"""How long nothing may have changed before what is shown is kept for the next start."""

COLLECT = (5_000, 80, 50)
"""After how many new objects garbage is looked for, and how often among older ones: seldom enough to spare the keys."""

READINGS = 5_000
"""After so many readings all garbage is looked for once, while nothing happens: each leaves a few objects of it."""

YIELD_SECONDS = 0.0005
"""How soon a thread that computes lets a key through: a key passes from thread to thread several times."""


class AssayApp(TerminalApp):
    """The console. `open_engine` is called in a thread, so that the first frame waits for nothing."""

    CSS = CONSOLE_CSS
    TITLE = "assay"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def __init__(
        self, open_engine: Callable[[], Engine], door: Door, *, root: str = "", settings: Settings | None = None
    ) -> None:
        """`settings` are the user's own; a theme chosen while it runs is remembered there (None: nowhere)."""
        super().__init__()
        for theme in OWN:
            self.register_theme(theme)
        self._settings = settings
        choose_keys(settings.keys if settings is not None else {})
        if settings is not None and settings.theme:
            self.theme = settings.theme
        self.open_engine = open_engine
        self.door = door
        self.root = root
        self.engine: Engine | None = None
        self.actor = Actor(Role.HUMAN, door.user)
        self.watch_state: tuple[str, str] = ("reading", "")
        self.facts: Facts | None = None
        self.own_paths: set[str] = set()
        """Files that this console is writing or has just written: their changes are no news."""
        self._decider: Decider | None = None
        self._reading = False
        self._readings = 0
        self._again = False
        self._after_own: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._watched_once = False
        self._still: Timer | None = None
        self.seen = _seen(door)
        """What the root is known to hold before it is read: not a byte of it has changed since it was kept."""
        self._head = Head(root=short_root(root), items=self.seen.items if self.seen is not None else None)

    def get_default_screen(self) -> Screen[None]:
        """The console's one screen."""
        return Console()

    @property
    def console_screen(self) -> Console:
        """The console's one screen, whatever stands above it."""
        screen = self.screen_stack[0]
        assert isinstance(screen, Console)
        return screen

    def console_ready(self) -> None:
        """The console stands, empty: show its first frame, then read."""
        self._show_head()
        if self._settings is not None:
            self.theme_changed_signal.subscribe(self, self._theme_chosen)
        self.ask_terminal(lambda: None)
        self.once_shown(self._begin)

    def _begin(self) -> None:
        self.refresh_reading(after=self._watch)  # the watch looks at every file, and would only hold the reading up

    def on_unmount(self) -> None:
        """Nothing watches any more."""
        self._stop.set()

    # --- reading

    def refresh_reading(self, *, after: Callable[[], None] | None = None) -> None:
        """Read the root again, beside the screen; asked for while it runs, it runs once more. `after` follows it."""
        if after is not None:
            self._after_own.append(after)
        if self._reading:
            self._again = True
            return
        self._reading = True
        gc.disable()  # it would look through all that is new, keys and frames waiting; what is new stays
        self._read()

    @work(thread=True, group="read", exit_on_error=False)
    def _read(self) -> None:
        worker = get_current_worker()

        def publish(facts: Facts, parts: frozenset[str], changed: tuple[str, ...]) -> bool:
            if worker.is_cancelled:
                return False
            self.call_from_thread(self._fill, facts, parts, changed)
            return True

        try:
            from tui.filling import fill

            if self.engine is None:
                from tui.screens.table import load_pages

                load_pages()
                self.call_from_thread(self.console_screen.pages_loaded)
                self.engine = self.open_engine()
            fill(self.engine, self.facts, publish)
        except Exception as error:
            if not worker.is_cancelled:
                self.call_from_thread(self._read_failed, error)
        if not worker.is_cancelled:
            self.call_from_thread(self._read_done)

    def _fill(self, facts: Facts, parts: frozenset[str], changed: tuple[str, ...]) -> None:
        self.facts = facts
        self.actor = self.door.actor_for(facts.reading.snapshot.binding)
        if self.watch_state[0] == "reading":
            self.watch_state = ("still", "")
        self._show_head()
        foreign = [path for path in changed if path not in self.own_paths]
        if foreign:
            more = f" and {len(foreign) - 2} more" if len(foreign) > 2 else ""
            names = ", ".join(display.one_line(path) for path in foreign[:2])
            self.console_screen.notice(("~ ", "accent"), f"changed outside: {names}{more}")
        self.console_screen.fill(facts, parts, own=bool(self.own_paths))

    def _read_failed(self, error: Exception) -> None:
        self.show_error("The root cannot be read", error)

    def _read_done(self) -> None:
        self._reading = False
        self._readings += 1
        gc.set_threshold(*COLLECT)
        gc.enable()
        gc.freeze()  # what a reading holds is not looked through at every collection
        if self._again:
            self._again = False
            self.refresh_reading()
            return
        self.own_paths.clear()
        waiting, self._after_own = self._after_own, []
        for follow in waiting:
            follow()
        if self._still is not None:
            self._still.stop()
        self._still = self.set_timer(STILL_SECONDS, self._while_still)

    def _while_still(self) -> None:
        self._keep_glance()
        if self._readings >= READINGS and not self._reading:
            self._readings = 0
            gc.unfreeze()
            gc.collect()
            gc.freeze()

    @work(thread=True, exclusive=True, group="glance", exit_on_error=False)
    def _keep_glance(self) -> None:
        facts, engine = self.facts, self.engine
        if facts is not None and engine is not None and not self._reading:
            from tui.overview import overview, to_bytes

            engine.store.keep_glance(to_bytes(overview(facts)), facts.reading.snapshot)

    def _show_head(self) -> None:
        head = replace(self._head, live=self.watch_state[0], actor=self._actor_phrase())
        if self.facts is not None:
            reading, ready = self.facts.reading, self.facts.ready
            head = replace(
                head,
                root=short_root(reading.snapshot.root or self.root),
                items=len(self.facts.census.eligible),
                wait=len(reading.queue) if "queue" in ready else head.wait,
                unresolved=sum(chain.unresolved for chain in reading.influence.chains),
            )
            if "conflicts" in ready:
                head = replace(head, conflicts=sum(not one.acknowledged for one in reading.conflicts))
        self._head = head
        self.console_screen.show_head(head)

    def _actor_phrase(self) -> str:
        if self.facts is not None and self.actor.role is Role.OWNER:
            binding = self.facts.reading.snapshot.binding
            owner = next((owner for owner in binding.owners if owner.name == self.actor.name), None)
            if owner is not None:
                return f"{owner.name}, owner of {', '.join(owner.scopes)}"
        return self.actor.name or str(self.actor)

    # --- the user's own ways

    def _theme_chosen(self, theme: Theme) -> None:
        from core.errors import WriteRefused
        from tui.settings import remember_theme

        assert self._settings is not None
        try:
            remember_theme(self._settings.path, theme.name)
        except WriteRefused as error:
            self.console_screen.say(("! ", "waits"), display.one_line(str(error)))

    def say_where(self, words: str) -> None:
        """Name what is in view in the terminal's title, for whoever does not see the screen."""
        self.name_terminal(f"{words}, {short_root(self.root)}" if self.root else words)

    # --- keys

    async def on_event(self, event: events.Event) -> None:
        """What is typed in one go is not all meant for what stands on the screen when it comes in."""
        if isinstance(event, events.Key):
            if self._decider is not None and self._decider.planning and event.key != "ctrl+c":
                return  # typed before the plan was seen, and meant for nothing that is seen now
            number = self.console_screen.turns_to(event.key)
            if number is not None:
                await self.console_screen.turn(number)
                return
        await super().on_event(event)

    # --- watching

    def _watch(self) -> None:
        if self.door.watch is not None:
            self._watch_root()

    @work(thread=True, group="watch", exit_on_error=False)
    def _watch_root(self) -> None:
        assert self.door.watch is not None

        def on_change() -> None:
            self.call_from_thread(self.refresh_reading)

        def on_state(state: str, detail: str) -> None:
            self.call_from_thread(self._watched, state, detail)

        try:
            self.door.watch(on_change, self._stop, on_state)
        except Exception as error:
            if not self._stop.is_set():
                self.call_from_thread(self._watch_failed, error)

    def _watched(self, state: str, detail: str) -> None:
        if not self._watched_once:
            self._watched_once = True
            self.refresh_reading()  # what changed between the reading and the watch
        self.watch_state = (state, detail)
        self._show_head()

    def _watch_failed(self, error: Exception) -> None:
        self._watched("polling", f"Watching failed ({error}); the root is read again every {RESCAN_SECONDS:.0f} s.")
        self.console_screen.say(("! ", "waits"), display.one_line(self.watch_state[1]))
        self.set_interval(RESCAN_SECONDS, self.refresh_reading)

    # --- deciding

    @property
    def decider(self) -> Decider:
        """What carries requests out."""
        if self._decider is None:
            from tui.deciding import Decider

            self._decider = Decider(self)
        return self._decider

    def decide(self, request: Request, then: Callable[[Receipt], None] | None = None) -> None:
        """Plan a request, ask where a human must decide, commit it, and show the receipt; then go on with `then`."""
        self.decider.decide(request, then)

    def preview(self, request: Request) -> None:
        """Plan a request and show what it would write; nothing is written."""
        self.decider.preview(request)

    # --- saying what went wrong

    def show_error(self, title: str, error: Exception) -> None:
        """An error as a dialog: what, where, what to do."""
        from tui.deciding import show_error

        show_error(self, title, error)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed says so; the console goes on."""
        if event.state is WorkerState.ERROR and isinstance(event.worker.error, Exception):
            self.show_error("A fault", event.worker.error)

    # --- palette

    def action_command_palette(self) -> None:
        """The palette does not open above a dialog."""
        if not isinstance(self.screen, ModalScreen):
            super().action_command_palette()

    def on_command_palette_opened(self) -> None:
        """A cursor that blinks sends something for ever."""
        for field in self.screen.query(Input):
            field.cursor_blink = False

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every verb and every screen by name, and the themes."""
        from tui.screens.table import SCREENS

        console = self.console_screen
        for stop in SCREENS:
            number = stop.number
            yield SystemCommand(f"Go to {stop.title}", f"Screen {number}", lambda at=number: console.visit(at))
        for verb in VERBS:
            if verb.on(console.current) and verb.name not in ("up and down", "screens", "palette"):
                title = f"{verb.name.capitalize()}  ({verb.keys})"
                yield SystemCommand(title, verb.help, lambda verb=verb: console.perform(verb))
        yield SystemCommand("Theme", "Choose other colours.", self.action_change_theme)


def _seen(door: Door) -> Overview | None:
    found = door.look() if door.look is not None else None
    if found is None:
        return None
    from tui.overview import from_bytes

    return from_bytes(found)


def short_root(root: str) -> str:
    """What to call a root in the head line: the last two parts of its path."""
    parts = [part for part in root.replace("\\", "/").split("/") if part]
    return "/".join(parts[-2:]) or root


def run_console(root: str) -> int:
    """Open the console on the memory root at the absolute path `root`; the exit status."""

    def open_engine() -> Engine:
        from datetime import UTC, datetime

        from core.engine import Engine
        from stores.markdown import MarkdownStore

        return Engine(MarkdownStore(root), clock=lambda: datetime.now(UTC))

    from tui.settings import read_settings, settings_path

    settings = read_settings(settings_path(), names())
    sys.setswitchinterval(YIELD_SECONDS)
    return AssayApp(open_engine, markdown_door(root), root=root, settings=settings).run() or 0
