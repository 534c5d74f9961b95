"""The foot line: the keys of this screen, made from the table of verbs; what cannot be done now is dim."""

from __future__ import annotations

from collections.abc import Sequence

from tui.lines import Line, Span, cells, line
from tui.verbs import Verb
from tui.widgets.paint import OneLine


class Footer(OneLine):
    """As many verbs as fit, the most wanted first; help is always among them."""

    def __init__(self) -> None:
        super().__init__()
        self._verbs: Sequence[tuple[Verb, bool]] = ()

    def show(self, verbs: Sequence[tuple[Verb, bool]]) -> None:
        """Show these verbs, each with whether it can be done now."""
        if verbs != self._verbs:
            self._verbs = verbs
            self.refresh()

    def compose_line(self, width: int) -> Line:
        """The foot line for `width` cells."""
        always = [pair for pair in self._verbs if pair[0].name == "help"]
        spans: list[Span] = [Span(" ")]
        room = width - 1 - sum(cells(self._one(verb, able)) for verb, able in always)
        for verb, able in self._verbs:
            if verb.name == "help":
                continue
            part = self._one(verb, able)
            if cells(part) > room:
                break
            spans.extend(part)
            room -= cells(part)
        for verb, able in always:
            spans.extend(self._one(verb, able))
        return tuple(spans)

    @staticmethod
    def _one(verb: Verb, able: bool) -> Line:
        if not able:
            return line((f"{verb.keys} {verb.label}", "dim"), "  ")
        return line((verb.keys, "key"), f" {verb.label}  ")
