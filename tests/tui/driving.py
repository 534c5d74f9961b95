"""The console as its tests drive it: a root, a person at the door, keys, and what stands on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from core.authority import Actor, Role
from core.binding import Binding, Owner
from core.engine import Engine
from core.items import MemoryItem, Place
from core.snapshot import ArchiveDay, IndexLine, IndexView, Snapshot, Topic
from core.store import Store
from core.vocabulary import Kind, Level, Standing, Status
from stores.memory import MemoryStore
from tui.app import AssayApp
from tui.desk import PARTS
from tui.door import Door, fixed
from tui.lines import plain
from tui.screens.confirm import ConfirmScreen
from tui.widgets.receipt import ReceiptLine

ANA = Actor(Role.OWNER, "ana")
BEN = Actor(Role.HUMAN, "ben")
NOW = datetime(2026, 6, 12, 10, 0, tzinfo=UTC)


def item(id: str | None, text: str, **fields: object) -> MemoryItem:
    """An item as a topic holds it; fields by the names of `MemoryItem`."""
    file = str(fields.pop("file", "topics/pitfalls.md"))
    kind = fields.pop("kind", Kind.KNOWLEDGE)
    status = fields.pop("status", Status.ACTIVE)
    made = MemoryItem(
        key=id or f"{file}:{text[:12]}",
        id=id,
        text=text,
        place=Place(file, int(str(fields.pop("line", 7))), "Facts and lessons"),
        standing=Standing.INBOX if file == "memory.md" else Standing.TOPIC,
        digest=f"{id} {text} {status}",
        date=id[4:14] if id else "2026-05-01",
        kind=kind if isinstance(kind, Kind) else None,
        kind_text=str(kind) if kind else None,
        status=status if isinstance(status, Status) else None,
        status_text=str(status) if status else None,
        source="archive/2026-05-11.md#run-3",
    )
    return replace(made, **fields)  # type: ignore[arg-type]


DAY = ArchiveDay(
    "2026-05-11",
    "archive/2026-05-11.md",
    {"run-3": (3, 6)},
    (),
    ("# 2026-05-11", "", "## run 3", "", "The gateway was returning 504 after the pool grew.", "Twice."),
)

ITEMS = (
    item("mem-2026-05-11-004", "Retries hide timeouts behind the gateway.", status=Status.PENDING_CLEANUP),
    item("mem-2026-04-02-001", "合并之前先等待确认信号。"),
    item("mem-2026-04-09-002", "Build host needs Python 3.9.", status=Status.STALE),
    item("mem-2026-05-01-009", "Port is 8080.", kind=Kind.STATE, subject="app:port", file="topics/environment.md"),
    item(
        "mem-2026-06-03-001",
        "Port is 9090.",
        kind=Kind.STATE,
        subject="app:port",
        file="memory.md",
        source="deploy log 2026-06-03",
    ),
    item(None, "The staging key is rotated on Mondays.", kind=None, file="topics/environment.md"),
)


def snapshot(items: Sequence[MemoryItem] = ITEMS, **parts: object) -> Snapshot:
    """A small root."""
    base = Snapshot(
        root="platform/memory",
        binding=Binding(id="t", owners=(Owner("ana", "ana"),), owners_state="confirmed", declared=True, level=Level.L4),
        items=tuple(items),
        topics=(
            Topic("pitfalls", "topics/pitfalls.md", triggers=("gateway", "timeouts")),
            Topic("environment", "topics/environment.md"),
        ),
        archive=(DAY,),
        index=IndexView(
            True,
            41,
            (IndexLine("[2026-06-03] (state) Port is 9090. → memory.md", 5, "memory.md"),),
            (
                IndexLine(
                    "topics/pitfalls.md — Read when the gateway misbehaves.", 9, "topics/pitfalls.md", "the gateway"
                ),
            ),
        ),
    )
    return replace(base, **parts)  # type: ignore[arg-type]


class Desk:
    """The running console: keys in, screen out."""

    def __init__(self, app: AssayApp, pilot: Pilot[int], store: Store) -> None:
        self.app, self.pilot, self.store = app, pilot, store

    @property
    def text(self) -> str:
        """All that stands on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    @property
    def receipt(self) -> str:
        """The line above the footer."""
        return plain(self.app.console_screen.query_one(ReceiptLine).shown).strip()

    @property
    def key(self) -> object:
        """The key under the cursor."""
        return self.app.console_screen.page.listing.key

    async def press(self, *keys: str) -> None:
        """Press keys (a character, or a key's name), one after the other, each with what it sets off."""
        for key in keys:
            self.send(key)
            await self.settle()

    def send(self, key: str, *, at: float | None = None) -> None:
        """Post a key as the terminal does; `at` is when it was typed."""
        event = events.Key(_character_to_key(key), key) if len(key) == 1 else events.Key(key, None)
        if at is not None:
            event.time = at
        self.app.post_message(event)

    async def read(self) -> None:
        """Wait until the root is read, all of it."""
        for _ in range(3000):
            if self.app.facts is not None and len(self.app.facts.ready) == len(PARTS):
                break
            await asyncio.sleep(0.002)
        await self.settle()

    async def settle(self) -> None:
        """Wait until nothing is queued and nothing runs beside the screen."""
        calm = 0
        for _ in range(3000):
            await asyncio.sleep(0.001)
            calm = 0 if self._busy() else calm + 1
            if calm > 4:
                return
        raise AssertionError(f"the console does not come to rest: {self._busy()}")

    def _busy(self) -> object:
        """What still runs or waits; something false where nothing does."""
        running = [worker for worker in self.app.workers if worker.is_running and worker.group != "watch"]
        if running:
            return running
        screen = self.app.screen
        if screen._layout_required or screen._dirty_widgets:
            return screen._layout_required, screen._dirty_widgets
        pumps = [self.app, *(node for screen in self.app.screen_stack for node in screen.walk_children(with_self=True))]
        return [pump for pump in pumps if not pump._message_queue.empty()]

    async def resize(self, width: int, height: int) -> None:
        """Make the terminal another size."""
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()
        await self.settle()

    async def armed(self) -> None:
        """Wait until the dialog on top takes a confirming key."""
        await asyncio.sleep(ConfirmScreen.GUARD + 0.01)
        await self.settle()

    async def confirm(self) -> None:
        """Confirm the plan on top, as one who has read it."""
        assert isinstance(self.app.screen, ConfirmScreen), self.text
        await self.armed()
        await self.press("y")

    def status(self, id: str) -> str | None:
        """An item's Status as stored now."""
        (found,) = self.store.snapshot().by_id[id]
        return found.status_text


Open = Callable[..., object]


@asynccontextmanager
async def opened(
    root: Snapshot | Store | None = None,
    *,
    actor: Actor = ANA,
    door: Door | None = None,
    size: tuple[int, int] = (140, 40),
    now: datetime = NOW,
) -> AsyncIterator[Desk]:
    """The console on a root, once it is read."""
    store: Store = MemoryStore(root or snapshot()) if root is None or isinstance(root, Snapshot) else root
    app = AssayApp(lambda: Engine(store, clock=lambda: now), door or fixed(actor), root=store.name)
    async with app.run_test(size=size) as pilot:
        desk = Desk(app, pilot, store)
        await desk.read()
        app.console_screen.page.listing.go(("topic", "topics/pitfalls.md"))
        await desk.settle()
        yield desk
