"""A small form that asks only for what is missing. What it leads to is a plan, so it decides nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from tui import display
from tui.lines import Line, Span, flow, line, wrap_spans
from tui.screens.dialog import DIALOG_CSS, Choice, Dialog, Title
from tui.widgets.filter import PlainInput
from tui.widgets.long_text import LongText
from tui.widgets.paint import OneLine
from tui.widgets.text_pane import TextPane

Answers = dict[str, str]
Intro = Sequence[str | Line]
"""What a form is about, part by part: visible text, or spans of it."""

GO_ON = "Go on"
"""The verb of a form that leads to a plan."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to ask for: free text, or one of `choices` (value, word). `when` hides it unless a field says so.

    `long` text, though it is one line, is edited over several.
    """

    name: str
    label: str
    value: str = ""
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = True
    when: tuple[str, str] | None = None
    long: bool = False


class FormScreen(Dialog[Answers | None]):
    """Fields one beneath the other; its result is what was answered, or None where it was cancelled."""

    CSS = (
        DIALOG_CSS
        + """
    FormScreen .field { height: auto; }
    FormScreen .field OneLine.label { width: 12; }
    FormScreen #body { max-height: 10; margin: 0 0 1 0; }
    """
    )

    def __init__(self, title: str, fields: Sequence[Field], *, intro: Intro = (), verb: str = GO_ON) -> None:
        """`verb` is what the last `enter` does: it goes on to a plan, or does what the verb says."""
        super().__init__()
        self._title, self._fields, self._intro, self._verb = title, tuple(fields), tuple(intro), verb
        self._complaint = ""

    def compose(self) -> ComposeResult:
        """Title, what it is about, the fields, choices."""
        with Vertical():
            yield Title(self._title)
            if self._intro:
                yield TextPane(self._intro_lines, id="body")
            for field in self._fields:
                with Horizontal(classes="field", id=f"row-{field.name}"):
                    yield Label(field.label)
                    if field.choices:
                        yield ChoiceField(field)
                    elif field.long:
                        yield LongText(field.value, placeholder=field.hint, id=f"field-{field.name}")
                    else:
                        yield PlainInput(field.value, placeholder=field.hint, id=f"field-{field.name}")
            yield TextPane(self._foot, id="foot")
            with Horizontal(id="choices"):
                yield OneLine(id="push")
                yield Choice("Cancel", id="cancel")
                yield Choice(self._verb, id="go")

    def on_mount(self) -> None:
        """Begin in the first field."""
        self._show_rows()
        first = next((widget for field in self._fields if (widget := self._widget(field)).focusable), None)
        if first is not None:
            first.focus()
        self.call_after_refresh(self.fit)

    def _intro_lines(self, width: int) -> list[Line]:
        block: list[Line] = []
        for part in self._intro:
            block.extend(flow(part, width) if isinstance(part, str) else wrap_spans(part, width))
        return block

    def _foot(self, width: int) -> list[Line]:
        """What `enter` does where the focus is."""
        block = flow(self._complaint, width, role="waits") if self._complaint else []
        order, goes = self._order(), self._verb == GO_ON
        focused = self.focused
        last = "enter shows the plan" if goes else f"enter: {self._verb.lower()}"
        if focused is not None and focused.id == "cancel":
            keys = ["enter cancels"]
        elif focused in order[:-1]:
            keys = ["enter goes to the next field"]
        else:
            keys = [last]
        if isinstance(focused, ChoiceField):
            keys.append("← → choose")
        if len(order) > 1:
            keys.append("tab ⇧tab move")
        keys.append("esc cancels")
        if goes:
            keys.append("nothing written yet")
        rows = [""]
        for words in keys:  # each stays in one piece
            if rows[-1] and display.width(rows[-1]) + 3 + len(words) > width:
                rows.append("")
            rows[-1] += f"   {words}" if rows[-1] else words
        return [*block, *(line((row, "dim")) for row in rows)]

    def _order(self) -> list[Widget]:
        """The fields in view."""
        shown = self.answers()
        return [self._widget(field) for field in self._fields if field.name in shown]

    def _widget(self, field: Field) -> PlainInput | LongText | ChoiceField:
        row = self.query_one(f"#row-{field.name}")
        if field.choices:
            return row.query_one(ChoiceField)
        return row.query_one(LongText) if field.long else row.query_one(PlainInput)

    def on_descendant_focus(self) -> None:
        """The foot says what `enter` does here."""
        self.query_one("#foot", TextPane).show(self._foot)

    def answers(self) -> Answers:
        """What the fields that are in view hold."""
        found: Answers = {}
        for field in self._fields:
            if field.when is None or found.get(field.when[0]) == field.when[1]:
                found[field.name] = self._widget(field).value.strip()
        return found

    def _show_rows(self) -> None:
        shown = self.answers()
        for field in self._fields:
            self.query_one(f"#row-{field.name}").display = field.name in shown

    # --- keys

    def on_key(self, event: events.Key) -> None:
        """`enter` goes from field to field and on; `esc` cancels; arrows go between fields."""
        if event.key == "escape":
            event.stop()
            self.dismiss(None)
        elif event.key in ("down", "up") and not isinstance(self.focused, LongText):
            event.stop()
            self._step(1 if event.key == "down" else -1)
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            self._enter()

    def on_long_text_edge(self, event: LongText.Edge) -> None:
        """The cursor left a long text."""
        event.stop()
        self._step(event.step)

    def on_text_area_changed(self) -> None:
        """A long text may have become higher."""
        self.call_after_refresh(self.fit)

    def _step(self, step: int) -> None:
        if step < 0 and self.focused in self._order()[:1]:
            return
        (self.focus_next if step > 0 else self.focus_previous)()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """`enter` in a text field."""
        event.stop()
        self._enter()

    def on_choice_field_changed(self) -> None:
        """Another choice may ask for other fields."""
        self._show_rows()

    def on_choice_pressed(self, event: Choice.Pressed) -> None:
        """A click chooses like the key."""
        if event.choice.id == "cancel":
            self.dismiss(None)
        else:
            self._submit()

    def _enter(self) -> None:
        focused = self.focused
        if focused is not None and focused.id == "cancel":
            self.dismiss(None)
            return
        order = self._order()
        if focused in order[:-1]:
            order[order.index(focused) + 1].focus()
            return
        self._submit()

    def _submit(self) -> None:
        answers = self.answers()
        for field in self._fields:
            if field.required and field.name in answers and not answers[field.name]:
                self._complaint = f"{field.label}: {field.hint or 'something is needed here'}"
                self.query_one("#foot", TextPane).show(self._foot)
                self._widget(field).focus()
                return
        self.dismiss(answers)


class Label(OneLine):
    """A field's label."""

    def __init__(self, label: str) -> None:
        super().__init__(classes="label")
        self._label = label

    def compose_line(self, width: int) -> Line:
        """The label."""
        return line((self._label, "dim"))


class ChoiceField(OneLine, can_focus=True):
    """One of several values; left and right, or a value's first letter, choose."""

    class Changed(Message):
        """Another value is chosen."""

    def __init__(self, field: Field) -> None:
        super().__init__(id=f"field-{field.name}")
        self._choices = field.choices
        self._index = next((at for at, (value, _) in enumerate(field.choices) if value == field.value), 0)

    @property
    def value(self) -> str:
        """The chosen value."""
        return self._choices[self._index][0]

    def compose_line(self, width: int) -> Line:
        """All values, the chosen one marked."""
        spans: list[Span] = []
        for at, (_, word) in enumerate(self._choices):
            chosen = at == self._index
            spans.extend(line(("(•) " if chosen else "( ) ", "accent" if chosen and self.has_focus else "")))
            spans.append(Span(f"{word}   ", "strong" if chosen else ""))
        return tuple(spans)

    def on_key(self, event: events.Key) -> None:
        """Choose."""
        step = {"left": -1, "right": 1, "space": 1}.get(event.key)
        if step is None:
            at = next(
                (at for at, (_, word) in enumerate(self._choices) if event.character and word[:1] == event.character),
                None,
            )
            if at is None:
                return
            self._index = at
        else:
            self._index = (self._index + step) % len(self._choices)
        event.stop()
        self.refresh()
        self.post_message(self.Changed())

    def on_click(self) -> None:
        """A click goes on to the next value."""
        self._index = (self._index + 1) % len(self._choices)
        self.refresh()
        self.post_message(self.Changed())
