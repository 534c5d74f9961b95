"""What a page may ask of the console around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from core.authority import Actor
    from core.reading import Reading
    from core.requests import Request
    from tui.lines import Line
    from tui.screens.form import Answers, Field, Intro
    from tui.sight import Census, References, Sight
    from tui.widgets.text_pane import Build

Answer = TypeVar("Answer")
"""What a piece of work gives back."""

PARTS = ("influence", "conflicts", "findings", "queue", "checks")
"""The answers of the rules, in the order in which a reading fills with them."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A reading as far as its answers are known. Only those of the `PARTS` that are `ready` may be read."""

    reading: Reading
    sight: Sight
    references: References
    census: Census
    ready: frozenset[str]


Then = Callable[["Request"], None]
"""What becomes of a request once it is whole: it is planned and confirmed, or only its diff is shown."""


class Desk(Protocol):
    """The console, as its pages see it."""

    @property
    def facts(self) -> Facts | None:
        """What is known of the root; None before the first reading."""
        ...

    @property
    def actor(self) -> Actor:
        """Who acts."""
        ...

    @property
    def watch_state(self) -> tuple[str, str]:
        """The watch's state and its detail."""
        ...

    def say(self, *parts: str | tuple[str, str]) -> None:
        """Answer on the receipt line."""
        ...

    def read(self, title: str, build: Build, *, at: int | None = None) -> None:
        """Show lines in a pager."""
        ...

    def ask(
        self,
        title: str,
        fields: Sequence[Field],
        then: Callable[[Answers], None],
        *,
        intro: Intro = (),
        verb: str = "Go on",
    ) -> None:
        """Ask for what is missing, then go on with the answers; nothing follows where it was cancelled."""
        ...

    def outside(self, work: Callable[[], Answer]) -> Answer:
        """Leave the terminal to another program while `work` runs, then come back with what it gave."""
        ...

    def decide(self, request: Request) -> None:
        """Plan, ask, commit."""
        ...

    def with_owner(self, then: Callable[[], None]) -> None:
        """See to it that the root has owners who count, then go on."""
        ...

    def owners(self) -> None:
        """Show the owners; name the first, or confirm the declared ones."""
        ...

    def visit(self, screen: int, key: object = None) -> None:
        """Go to another screen, and there to a key."""
        ...

    def refresh_rail(self) -> None:
        """A page counts otherwise now: the rail says so."""
        ...

    def refresh_chrome(self) -> None:
        """The selection changed: footer and title may say other things."""
        ...


def lines_of(block: Sequence[Line]) -> Build:
    """A `Build` of lines that do not depend on the width."""
    return lambda width: block
