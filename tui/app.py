"""The console as an application: it reads the root beside the screen, plans, asks, commits, and stays live."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import ClassVar

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.screen import Screen
from textual.worker import Worker, WorkerState, get_current_worker

from core.authority import Actor, Role, Tier
from core.engine import Engine
from core.errors import AssayError
from core.plan import Plan, Receipt
from core.reading import Reading
from core.requests import Request
from core.snapshot import Snapshot
from tui import display
from tui.console import CONSOLE_CSS, Console
from tui.desk import PARTS, Facts
from tui.door import Door, markdown_door
from tui.lines import Line, line
from tui.screens.confirm import ConfirmScreen, failure
from tui.screens.dialog import DIALOG_CSS, Dialog, Pager
from tui.screens.plan_lines import plan_body
from tui.screens.table import PAGES
from tui.sight import Census, References, Sight
from tui.verbs import VERBS
from tui.widgets.header import Head
from tui.widgets.paint import ROLE_CSS

RESCAN_SECONDS = 5.0
"""How often to look for changes where nothing watches."""


class AssayApp(App[int]):
    """The console. `open_engine` is called in a thread, so that the first frame waits for nothing."""

    CSS = ROLE_CSS + CONSOLE_CSS + DIALOG_CSS
    TITLE = "assay"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def __init__(self, open_engine: Callable[[], Engine], door: Door, *, root: str = "") -> None:
        super().__init__()
        self.open_engine = open_engine
        self.door = door
        self.root = root
        self.engine: Engine | None = None
        self.actor = Actor(Role.HUMAN, door.user)
        self.watch_state: tuple[str, str] = ("reading", "")
        self.facts: Facts | None = None
        self._reading = False
        self._again = False
        self._own_paths: set[str] = set()
        self._after_own: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._head = Head(root=short_root(root))

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
        self.call_after_refresh(self.refresh_reading)
        self.call_after_refresh(self._watch)

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
        self._read()

    @work(thread=True, group="read", exit_on_error=False)
    def _read(self) -> None:
        worker = get_current_worker()
        try:
            self._read_parts(lambda: worker.is_cancelled)
        except Exception as error:
            if not worker.is_cancelled:
                self.call_from_thread(self._read_failed, error)
        if not worker.is_cancelled:
            self.call_from_thread(self._read_done)

    def _read_parts(self, cancelled: Callable[[], bool]) -> None:
        if self.engine is None:
            self.engine = self.open_engine()
        before = self.facts
        reading = self.engine.reading()
        if before is not None and same(before.reading, reading):
            return
        _ = reading.influence
        facts = Facts(reading, Sight(reading), References(()), Census(reading), frozenset(PARTS[:1]))
        changed = changes(before.reading.snapshot, reading.snapshot) if before is not None else ()
        if cancelled():
            return
        self.call_from_thread(self._fill, facts, frozenset(PARTS[:1]), changed)
        references = References(reading.snapshot.items, reading.snapshot.proposals)
        for count, part in enumerate(PARTS[1:], start=2):
            getattr(reading, part)
            if cancelled():
                return
            facts = Facts(reading, facts.sight, references, facts.census, frozenset(PARTS[:count]))
            self.call_from_thread(self._fill, facts, frozenset({part}), ())

    def _fill(self, facts: Facts, parts: frozenset[str], changed: tuple[str, ...]) -> None:
        self.facts = facts
        self.actor = self.door.actor_for(facts.reading.snapshot.binding)
        if self.watch_state[0] == "reading":
            self.watch_state = ("still", "")
        own = bool(self._own_paths)
        self.console_screen.fill(facts, parts, own=own)
        self._show_head()
        foreign = [path for path in changed if path not in self._own_paths]
        if foreign:
            more = f" and {len(foreign) - 2} more" if len(foreign) > 2 else ""
            names = ", ".join(display.one_line(path) for path in foreign[:2])
            self.console_screen.notice(("~ ", "accent"), f"changed outside: {names}{more}")

    def _read_failed(self, error: Exception) -> None:
        self.console_screen.working()
        self.show_error("The root cannot be read", error)

    def _read_done(self) -> None:
        self._reading = False
        gc.freeze()  # what a reading holds is not looked through at every collection
        self.console_screen.working()
        if self._again:
            self._again = False
            self.refresh_reading()
            return
        self._own_paths.clear()
        waiting, self._after_own = self._after_own, []
        for follow in waiting:
            follow()

    def _show_head(self) -> None:
        head = Head(
            root=self._head.root,
            live=self.watch_state[0],
            actor=self._actor_phrase(),
            items=self._head.items,
            wait=self._head.wait,
            conflicts=self._head.conflicts,
            unresolved=self._head.unresolved,
        )
        facts = self.facts
        if facts is not None:
            reading, ready = facts.reading, facts.ready
            head = Head(
                root=short_root(reading.snapshot.root or self.root),
                live=self.watch_state[0],
                actor=self._actor_phrase(),
                items=len(facts.census.eligible),
                wait=len(reading.queue) if "queue" in ready else self._head.wait,
                conflicts=_open_conflicts(reading) if "conflicts" in ready else self._head.conflicts,
                unresolved=sum(chain.unresolved for chain in reading.influence.chains),
            )
        self._head = head
        self.console_screen.show_head(head)

    def _actor_phrase(self) -> str:
        if self.facts is not None and self.actor.role is Role.OWNER:
            binding = self.facts.reading.snapshot.binding
            owner = next((owner for owner in binding.owners if owner.name == self.actor.name), None)
            if owner is not None:
                return f"{owner.name}, owner of {', '.join(owner.scopes)}"
        return self.actor.name or str(self.actor)

    # --- watching

    def _watch(self) -> None:
        if self.door.watch is None:
            self.watch_state = ("still", "")
            return
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
        self.watch_state = (state, detail)
        self._show_head()

    def _watch_failed(self, error: Exception) -> None:
        self._watched("polling", f"Watching failed ({error}); the root is read again every {RESCAN_SECONDS:.0f} s.")
        self.console_screen.say(("! ", "waits"), display.one_line(self.watch_state[1]))
        self.set_interval(RESCAN_SECONDS, self.refresh_reading)

    # --- deciding

    def decide(self, request: Request, then: Callable[[Receipt], None] | None = None) -> None:
        """Plan a request, ask where a human must decide, commit it, and show the receipt; then go on with `then`."""
        self._plan(request, lambda plan: self._planned(plan, request, then))

    def preview(self, request: Request) -> None:
        """Plan a request and show what it would write; nothing is written."""

        def show(plan: Plan) -> None:
            assert self.facts is not None
            sight = self.facts.sight
            self.push_screen(
                Pager(
                    f"Would: {display.one_line(plan.title)}",
                    lambda width: plan_body(plan, sight, width, whole=True),
                    note="nothing is written; esc closes",
                )
            )

        self._plan(request, show)

    @work(thread=True, exclusive=True, group="plan", exit_on_error=False)
    def _plan(self, request: Request, then: Callable[[Plan], None]) -> None:
        worker = get_current_worker()
        assert self.engine is not None
        assert self.facts is not None
        try:
            plan = self.engine.plan(request, self.actor, self.facts.reading)
        except AssayError as error:
            if not worker.is_cancelled:
                self.call_from_thread(self._refused, request, error)
            return
        if not worker.is_cancelled:
            self.call_from_thread(then, plan)

    def _refused(self, request: Request, error: AssayError) -> None:
        if self.console_screen.page.refused(request, error):
            return
        where = f"{display.one_line(error.where)}: " if error.where else ""
        text = f"{where}{display.one_line(error.what)} {display.one_line(error.remedy or '')}".strip()
        if display.width(text) + 4 <= self.size.width:
            self.console_screen.say(("! ", "waits"), text)
        else:
            self.show_error("Not done; nothing was written", error)

    def _planned(self, plan: Plan, request: Request, then: Callable[[Receipt], None] | None) -> None:
        if isinstance(self.screen, Dialog):
            return

        def done(receipt: Receipt | None) -> None:
            if receipt is None:
                self._own_paths.clear()
                self.console_screen.say(("cancelled; nothing was written", "dim"))
                return
            self._committed(request, receipt, then)

        if plan.tier is Tier.FREE and not plan.human_only:
            self._commit_at_once(plan, request, then)
        else:
            self.push_screen(ConfirmScreen(plan, commit=self._decide_and_commit, sight=self._sight), done)

    def _sight(self) -> Sight:
        assert self.facts is not None
        return self.facts.sight

    def _decide_and_commit(self, plan: Plan) -> Receipt:
        """For the confirmation alone: the decision of the human who saw the plan, and its commit."""
        assert self.engine is not None
        self._own_paths.update(diff.path for diff in plan.previews)
        return self.engine.commit(plan, self.engine.decide(plan, self.actor))

    @work(thread=True, group="commit", exit_on_error=False)
    def _commit_at_once(self, plan: Plan, request: Request, then: Callable[[Receipt], None] | None) -> None:
        assert self.engine is not None
        self._own_paths.update(diff.path for diff in plan.previews)
        try:
            receipt = self.engine.commit(plan)
        except Exception as error:
            self.call_from_thread(self.show_error, "Not done", error)
            return
        self.call_from_thread(self._committed, request, receipt, then)

    def _committed(self, request: Request, receipt: Receipt, then: Callable[[Receipt], None] | None) -> None:
        self._own_paths.update(diff.path for diff in receipt.files)
        self.console_screen.done(request, receipt_line(receipt, self.size.width))
        self.refresh_reading(after=(lambda: then(receipt)) if then is not None else None)

    # --- saying what went wrong

    def show_error(self, title: str, error: Exception) -> None:
        """An error as a dialog: what, where, what to do."""
        if isinstance(self.screen, Dialog):
            return
        block = failure(error)
        self.push_screen(Pager(title, lambda width: block))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed says so; the console goes on."""
        if event.state is WorkerState.ERROR and isinstance(event.worker.error, Exception):
            self.show_error("A fault", event.worker.error)

    # --- palette

    def action_command_palette(self) -> None:
        """The palette does not open above a dialog."""
        if not isinstance(self.screen, Dialog):
            super().action_command_palette()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every verb and every screen by name, and the themes."""
        console = self.console_screen
        for kind in PAGES:
            number = kind.NUMBER
            yield SystemCommand(f"Go to {kind.TITLE}", f"Screen {number}", lambda at=number: console.visit(at))
        for verb in VERBS:
            if verb.on(console.page.NUMBER) and verb.name not in ("up and down", "screens", "palette"):
                yield SystemCommand(
                    f"{verb.name.capitalize()}  ({verb.keys})", verb.help, lambda verb=verb: console.perform(verb)
                )
        yield SystemCommand("Theme", "Choose other colours.", self.action_change_theme)


def short_root(root: str) -> str:
    """What to call a root in the head line: the last two parts of its path."""
    parts = [part for part in root.replace("\\", "/").split("/") if part]
    return "/".join(parts[-2:]) or root


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings are of the same bytes on the same day."""
    if one.today != other.today:
        return False
    ours, theirs = one.snapshot, other.snapshot
    return ours is theirs or (bool(ours.files) and ours.files == theirs.files and ours.binding == theirs.binding)


def changes(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """The files that differ between two snapshots, sorted; those of the items where files are not known."""
    if before.files or after.files:
        return tuple(
            sorted(path for path in {*before.files, *after.files} if before.files.get(path) != after.files.get(path))
        )
    old = {item.key: item for item in before.items}
    new = {item.key: item for item in after.items}
    differ = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    return tuple(sorted({(new.get(key) or old[key]).place.file for key in differ}))


def receipt_line(receipt: Receipt, width: int) -> Line:
    """What was done, which files, which event, how to undo it; names of files where there is room."""
    names = [display.one_line(diff.path) for diff in receipt.files]
    files = (
        ", ".join(names) if width >= 140 and len(names) <= 4 else f"{len(names)} file{'' if len(names) == 1 else 's'}"
    )
    undo = (
        line("   ", ("u", "key"), " undoes")
        if receipt.undo.startswith("Can be undone")
        else line("   ", (receipt.undo, "dim"))
    )
    left = f", {len(receipt.refusals)} left out" if receipt.refusals else ""
    return (
        *line(
            (" ✓ ", "good"),
            display.one_line(receipt.title),
            (left, "waits"),
            "   ",
            (files, "dim"),
            "   ",
            (receipt.event, "dim"),
        ),
        *undo,
    )


def _open_conflicts(reading: Reading) -> int:
    return sum(not conflict.acknowledged for conflict in reading.conflicts)


def now() -> datetime:
    """The current moment, with a time zone."""
    return datetime.now(UTC)


def run_console(root: str) -> int:
    """Open the console on the memory root at the absolute path `root`; the exit status."""

    def open_engine() -> Engine:
        from stores.markdown import MarkdownStore

        return Engine(MarkdownStore(root), clock=now)

    return AssayApp(open_engine, markdown_door(root), root=root).run() or 0
