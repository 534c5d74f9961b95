"""The head line: which root, how much is in it, what waits, whether it is live, and who acts."""

from __future__ import annotations

from dataclasses import dataclass

from tui import display
from tui.lines import Line, Span, cells, line, spread
from tui.widgets.paint import OneLine


@dataclass(frozen=True, slots=True)
class Head:
    """What the head line says. Counts are None while they are not known."""

    root: str = ""
    items: int | None = None
    wait: int | None = None
    conflicts: int | None = None
    unresolved: int | None = None
    live: str = "reading"
    actor: str = ""


LIVE = {
    "live": Span("● live", "good"),
    "polling": Span("◐ polling", ""),
    "off": Span("○ root gone", "waits"),
    "still": Span("○ not watched", "dim"),
    "reading": Span("◌ reading…", "dim"),
}
"""By the watch's state: `still` where nothing watches, `reading` before the first frame of data."""


class Header(OneLine):
    """One line. Where it is narrow the counts go first (the rail has them), then who owns what."""

    def __init__(self) -> None:
        super().__init__()
        self.head = Head()

    def show(self, head: Head) -> None:
        """Show another state."""
        if head != self.head:
            self.head = head
            self.refresh()

    def compose_line(self, width: int) -> Line:
        """The head line for `width` cells."""
        head = self.head
        name = line((" assay", "accent"), "  ", (display.one_line(head.root), "strong"))
        live = LIVE.get(head.live, LIVE["still"])
        actor = display.one_line(head.actor)
        right = line(live, "   ", actor, " ")
        short = line(live, "  ", actor.partition(",")[0], " ")
        counts = self._counts()
        for left, end in (((*name, *counts), right), ((*name, *counts[:2]), right), (name, right)):
            if cells(left) + cells(end) + 2 <= width:
                return spread(left, end, width)
        return spread(name, short, width)

    def _counts(self) -> Line:
        head = self.head
        parts: list[Span] = []
        for count, one, many, role in (
            (head.items, "item", "items", ""),
            (head.wait, "waits", "wait", "waits"),
            (head.conflicts, "conflict", "conflicts", "waits"),
            (head.unresolved, "unresolved withdrawal", "unresolved withdrawals", "waits"),
        ):
            if count is None or (count == 0 and one != "item"):
                continue
            parts.append(Span("      " if not parts else "   "))
            parts.append(Span(f"{count:,} {one if count == 1 else many}", role))
        return tuple(parts)
