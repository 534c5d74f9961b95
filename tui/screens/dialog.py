"""What every dialog is made of: a box with a title, lines, and choices, above the console."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip

from tui import display
from tui.lines import EMPTY, Line, line
from tui.widgets.paint import OneLine, Painted
from tui.widgets.text_pane import Build, TextPane

Result = TypeVar("Result")

DIALOG_CSS = """
Dialog { align: center middle; background: transparent; }
Dialog.-wide { background: $background 60%; }
Dialog > Vertical {
    width: 100%; max-width: 112; height: auto; max-height: 100%;
    background: $surface; border: round $foreground 40%; padding: 0 1;
}
Dialog.-narrow > Vertical { max-width: 100%; }
Dialog OneLine, Dialog Title { background: $surface; }
Dialog TextPane { height: auto; background: $surface; }
Dialog #title { height: auto; margin: 0 0 1 0; }
Dialog #foot { height: auto; max-height: 9; margin: 1 0 0 0; }
Dialog #choices { height: 1; margin: 1 0 0 0; }
Dialog.-short #title, Dialog.-short #foot, Dialog.-short #choices { margin: 0; }
Dialog #push { width: 1fr; }
Dialog Choice { margin: 0 0 0 2; }
Dialog #ask { width: auto; }
Dialog #phrase { width: 2fr; }
"""


class Dialog(ModalScreen[Result]):
    """A modal box. The pane with the id `body` takes what height the others leave."""

    CSS = DIALOG_CSS
    SCOPED_CSS: ClassVar[bool] = False  # it is every dialog's, by the base's name
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  # Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-short"), (14, "-tall")]  # noqa: RUF012  # Textual declares it so

    def fit(self) -> None:
        """Give the body the height that is left, so that what decides stays in view."""
        for body in self.query("#body").results(TextPane):
            others = sum(
                widget.outer_size.height + widget.styles.margin.height
                for widget in self.query("Dialog > Vertical > *")
                if widget is not body and widget.display
            )
            body.styles.max_height = max(self.size.height - others - 2, 1)

    def on_screen_resume(self) -> None:
        """The terminal's title names the dialog, too."""
        for title in self.query(Title):
            say_where = getattr(self.app, "say_where", None)
            if say_where is not None:
                say_where(title.text)

    def on_resize(self) -> None:
        """A dialog stays usable at any size. The lines above and below may wrap anew, so it is fitted once more."""
        self.fit()
        self.call_after_refresh(self.fit)


class Title(Painted):
    """A dialog's title: over two lines where one does not hold it."""

    LINES: ClassVar[int] = 2

    def __init__(self, title: str, note: str = "") -> None:
        super().__init__(id="title")
        self.text = title
        self.note = note

    def retitle(self, title: str) -> None:
        """Another title, which may need another height."""
        self.text = title
        self.refresh(layout=True)

    def title_lines(self, width: int) -> list[Line]:
        """The title, and a dim note after it where it has room."""
        parts = display.wrap(self.text, width)
        if len(parts) > self.LINES:
            parts[self.LINES - 1 :] = [display.clip(" ".join(parts[self.LINES - 1 :]), width)]
        block = [line((part, "strong")) for part in parts]
        block[-1] = (*block[-1], *line("   " if self.note else "", (self.note, "dim")))
        return block

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as it takes."""
        return len(self.title_lines(max(width, 1)))

    def render_line(self, y: int) -> Strip:
        """Draw one of its lines."""
        width = self.size.width
        block = self.title_lines(max(width, 1))
        return self.strip(block[y] if y < len(block) else EMPTY, width)


class Choice(OneLine, can_focus=True):
    """One thing to choose, with the key that chooses it; the focused one is bracketed and reversed."""

    DEFAULT_CSS = """
    Choice { width: auto; }
    Choice:focus { text-style: reverse; }
    """

    class Pressed(Message):
        """It was clicked."""

        def __init__(self, choice: Choice, time: float) -> None:
            super().__init__()
            self.choice = choice
            self.pressed_at = time

    def __init__(self, label: str, key: str = "", *, role: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self._label, self._key, self._role = label, key, role
        self.able = True

    def set(self, *, label: str | None = None, able: bool | None = None) -> None:
        """Change its label, or whether it can be chosen now."""
        self._label = self._label if label is None else label
        self.able = self.able if able is None else able
        self.refresh(layout=True)

    def _spans(self) -> Line:
        if self.can_focus:
            return line(f"[ {self._label} ]")
        role = self._role if self.able else "dim"
        return line((f" {self._key} ", "key" if self.able else "dim"), (f" {self._label} ", role))

    def get_content_width(self, container: object, viewport: object) -> int:
        """As wide as its text."""
        from tui.lines import cells

        return cells(self._spans())

    def compose_line(self, width: int) -> Line:
        """The choice."""
        return self._spans()

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        event.stop()
        self.post_message(self.Pressed(self, event.time))


class Pager(Dialog[None]):
    """Lines to read: help, a diff, a source, an error. Any of `esc`, `q`, `enter` closes it."""

    AUTO_FOCUS = "#body"
    BINDINGS = [("escape,q,enter", "close", "close")]  # noqa: RUF012  # Textual declares it as a plain list

    def __init__(self, title: str, build: Build, *, note: str = "esc closes", at: int | None = None) -> None:
        super().__init__()
        self._title, self._build, self._note, self._at = title, build, note, at

    def compose(self) -> ComposeResult:
        """Title and text."""
        with Vertical():
            yield Title(self._title, self._note)
            yield TextPane(self._build, id="body")

    def on_mount(self) -> None:
        """Show the line that is meant."""
        self.call_after_refresh(self.fit)
        if self._at is not None:
            self.call_after_refresh(self.query_one(TextPane).go_to_line, self._at)

    @property
    def text(self) -> str:
        """What is shown, as plain text."""
        return self.query_one(TextPane).text

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)


def problem_lines(what: str, where: str | None, remedy: str | None) -> list[Line]:
    """An error as lines: what, where, and what to do."""
    block = [line(what)]
    if where:
        block.append(line(("where  ", "dim"), where))
    if remedy:
        block.extend((EMPTY, line(remedy)))
    return block
