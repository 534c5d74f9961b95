"""Owners: seeing the declared ones and confirming them on this machine, and naming the first (§17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from textual import events
from textual._time import get_time
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical

from core.binding import Binding, Owner
from core.plan import Receipt
from core.requests import NameOwner, Request
from tui import display
from tui.desk import Desk
from tui.door import Door
from tui.lines import EMPTY, Line, flow, line
from tui.screens.confirm import ConfirmScreen
from tui.screens.dialog import Choice, Dialog, Title
from tui.screens.form import Answers, Field
from tui.widgets.paint import OneLine
from tui.widgets.text_pane import TextPane


class Decide(Protocol):
    """Plan a request, ask, commit, then go on with the receipt."""

    def __call__(self, request: Request, then: Callable[[Receipt], None] | None = None) -> None:
        """Do so."""
        ...


class OwnerDesk(Desk, Protocol):
    """A desk that can open dialogs."""

    @property
    def app(self) -> App[object]:
        """The app."""
        ...


def see_to_owners(desk: OwnerDesk, door: Door, decide: Decide, then: Callable[[], None]) -> None:
    """An owner-only action needs owners who count: none are named yet, or nobody confirmed them on this machine."""
    facts = desk.facts
    if facts is None:
        return
    binding = facts.reading.snapshot.binding
    if binding.owners_state == "none" or not binding.owners:
        name_first(desk, door, decide, binding, then)
    elif binding.owners_state == "unconfirmed" and door.confirm is not None:
        confirm_declared(desk, door, binding, then)
    else:
        then()


def show_owners(desk: OwnerDesk, door: Door, decide: Decide) -> None:
    """The owners verb: what there is to do about them, else who they are."""
    facts = desk.facts
    if facts is None:
        return
    binding = facts.reading.snapshot.binding

    def nothing() -> None:
        return

    if binding.owners_state in ("unconfirmed", "changed") and door.confirm is not None:
        confirm_declared(desk, door, binding, nothing)
    elif not binding.owners:
        name_first(desk, door, decide, binding, nothing)
    else:
        block = owner_lines(binding.owners)
        desk.read("Owners of this root", lambda width: block)


def name_first(desk: OwnerDesk, door: Door, decide: Decide, binding: Binding, then: Callable[[], None]) -> None:
    """Ask who owns this root, and name them."""

    def named(answers: Answers) -> None:
        def pinned(receipt: Receipt) -> None:
            if door.declare is not None:
                door.declare(binding, answers["name"])
            after_refresh(desk, then)

        decide(NameOwner(answers["name"], door.user), pinned)

    desk.ask(
        "This root has no owner yet, and only an owner may do this",
        (Field("name", "your name", door.user, "letters, digits, dots and hyphens"),),
        named,
        intro=(
            "An owner may withdraw, reinstate and approve here. You would own all of it (*), "
            f"as the system's user {display.one_line(door.user)}.",
        ),
        verb="Name owner",
    )


def confirm_declared(desk: OwnerDesk, door: Door, binding: Binding, then: Callable[[], None]) -> None:
    """Show the owners that assay.toml declares; they count on this machine once a human says so."""
    declared = door.declared() if door.declared is not None else binding

    def answered(confirmed: bool | None) -> None:
        if not confirmed:
            desk.say(("owners not confirmed; nothing was written", "dim"))
            return
        if door.confirm is not None:
            door.confirm()
            names = ", ".join(display.one_line(owner.name) for owner in declared.owners) or "none"
            desk.say(("✓ ", "good"), f"owners confirmed on this machine: {names}")
        after_refresh(desk, then)

    desk.app.push_screen(OwnersScreen(declared, binding), answered)


def after_refresh(desk: OwnerDesk, then: Callable[[], None]) -> None:
    """Read the root again, since who acts may be another now, then go on."""
    refresh = getattr(desk.app, "refresh_reading")  # noqa: B009  # the desk's app is the console's
    refresh(after=then)


def owner_lines(owners: Sequence[Owner]) -> list[Line]:
    """Owners, each with what they own and as which user they act."""
    if not owners:
        return [line(("no owners", "dim"))]
    block: list[Line] = []
    for owner in owners:
        user = f"acts as the system's user {display.one_line(owner.user)}" if owner.user else "no system user"
        block.append(
            line(
                (display.one_line(owner.name), "strong"),
                f"   owns {display.one_line(', '.join(owner.scopes))}   ",
                (user, "dim"),
            )
        )
    return block


class OwnersScreen(Dialog[bool]):
    """The declared owners, to confirm on this machine. Cancel first, `y` confirms, early keys do nothing."""

    AUTO_FOCUS = "#cancel"

    def __init__(self, declared: Binding, counting: Binding) -> None:
        super().__init__()
        self._declared, self._counting = declared, counting
        self._open_at = float("inf")

    def compose(self) -> ComposeResult:
        """What is declared, what counts now, choices."""
        with Vertical():
            yield Title("Confirm the owners of this root on this machine")
            yield TextPane(self._body, id="body")
            with Horizontal(id="choices"):
                yield OneLine(id="push")
                yield Choice("Cancel", id="cancel")
                yield _Yes("Confirm these owners", "y", role="strong")

    def on_mount(self) -> None:
        """Wait a moment before a key confirms."""
        self._open_at = get_time() + ConfirmScreen.GUARD
        self.call_after_refresh(self.fit)

    def _body(self, width: int) -> list[Line]:
        block = [line(("assay.toml declares", "dim")), *owner_lines(self._declared.owners), EMPTY]
        if self._counting.owners_state == "changed":
            block.extend(
                (
                    line(("confirmed before, and counting until you confirm", "dim")),
                    *owner_lines(self._counting.owners),
                    EMPTY,
                )
            )
        block.extend(
            flow(
                "Whoever can write assay.toml can name owners in it, so they count only once you confirm them here. "
                "An owner may withdraw, reinstate and approve within what they own.",
                width,
            )
        )
        return block

    def on_key(self, event: events.Key) -> None:
        """`y` confirms once the dialog stood a moment; `esc` and `enter` cancel."""
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.dismiss(False)
        elif event.time >= self._open_at:
            if event.key == "enter":
                self.dismiss(False)
            elif event.key == "y":
                self.dismiss(True)

    def on_choice_pressed(self, event: Choice.Pressed) -> None:
        """A click chooses like the key."""
        if event.choice.id == "cancel":
            self.dismiss(False)
        elif event.pressed_at >= self._open_at:
            self.dismiss(True)


class _Yes(Choice, can_focus=False):
    """The confirming choice."""
