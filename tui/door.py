"""The people's door: who stands at it, which owners they confirmed on this machine, and how the root is watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from core.authority import Actor
    from core.binding import Binding


class Stop(Protocol):
    """What ends a watch (`threading.Event`)."""

    def is_set(self) -> bool:
        """True once the watch is to end."""
        ...

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until set."""
        ...


Watch = Callable[[Callable[[], None], Stop, Callable[[str, str], None]], None]
"""`watch(on_change, stop, on_state)`: calls back until stopped. Runs in a thread of its own."""


@dataclass(frozen=True)
class Door:
    """What the console needs to know beside the engine. Every part may be absent (None).

    `user` is the operating-system user. `actor_for` says who they are on a root with this binding. `declared` reads
    the owners as `assay.toml` declares them, `confirm` makes those count on this machine, `declare` makes the owner
    count whom a human just named: `(binding before, owner's name)`. `look` gives what was kept of the root for a start
    (`core.store.Store.keep_glance`), where the root is the same.
    """

    user: str
    actor_for: Callable[[Binding], Actor]
    declared: Callable[[], Binding] | None = None
    confirm: Callable[[], None] | None = None
    declare: Callable[[Binding, str], None] | None = None
    watch: Watch | None = None
    look: Callable[[], bytes | None] | None = None


def fixed(actor: Actor) -> Door:
    """A door at which `actor` stands, whatever the root says; nothing is pinned, nothing watched."""
    return Door(user=actor.name, actor_for=lambda binding: actor)


def markdown_door(root: str) -> Door:
    """The door of the Markdown root at the absolute path `root`."""
    from stores.identity import actor_for, os_user

    user = os_user()

    def declared() -> Binding:
        from stores.markdown import MarkdownStore

        return MarkdownStore(root).declared_binding()

    def confirm() -> None:
        from stores.pins import Pins

        binding = declared()
        Pins(root).confirm(binding.id, binding.owners)

    def declare(before: Binding, name: str) -> None:
        from stores.pins import Pins

        after = declared()
        owner = next((one for one in after.owners if one.name == name), None)
        if owner is not None:
            Pins(root).declare(before, after.id, owner)

    def watch(on_change: Callable[[], None], stop: Stop, on_state: Callable[[str, str], None]) -> None:
        from stores.markdown.watch import watch as watch_root

        watch_root(root, on_change, stop, on_state=on_state)

    def look() -> bytes | None:
        from stores.configuration import pins_path
        from stores.markdown.glance import Glance

        return Glance(root, pins_path()).look()

    return Door(user, lambda binding: actor_for(binding, user), declared, confirm, declare, watch, look)
