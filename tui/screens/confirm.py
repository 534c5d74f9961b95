"""The confirmation: what, where, who decides, how it is undone, and Cancel first.

This is the one place of the console where a `Decision` is made. What confirms is a key pressed after the plan was in
view: keys typed before it opened, pastes and the triggering key confirm nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import events, work
from textual._time import get_time
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static
from textual.worker import get_current_worker

from core.authority import Tier
from core.errors import AssayError, PlanChanged, RootBusy
from core.plan import Plan, PlanLine, Receipt
from tui import display
from tui.lines import EMPTY, Line, cells, flow, labelled, line, spread
from tui.screens.dialog import Choice, Dialog, Title
from tui.screens.plan_lines import left_out, plan_body
from tui.sight import Sight
from tui.verbs import verb
from tui.widgets.filter import PlainInput
from tui.widgets.paint import OneLine
from tui.widgets.text_pane import Build, TextPane

PATIENCE = 30.0
"""Seconds after which a plan counts as seen though the terminal never said that it drew it."""

_WHERE = 9

Commit = Callable[[Plan], Receipt]
"""Decide for the plan that was shown and commit it. Runs in a thread; raises what the engine raises."""


class ConfirmScreen(Dialog[Receipt | None]):
    """A plan to confirm; its result is the receipt, or None where it was cancelled."""

    AUTO_FOCUS = "#cancel"
    GUARD: ClassVar[float] = 0.25
    """Seconds after the plan came into view in which no key confirms."""

    def __init__(self, plan: Plan, *, commit: Commit, sight: Callable[[], Sight]) -> None:
        super().__init__()
        self.plan = plan
        self._commit = commit
        self._sight = sight
        self._whole = False
        self._was_at = 0
        self._left_out: tuple[int, str] | None = None
        self._note: Build = lambda width: ()
        self._before: Sequence[PlanLine] = ()
        self._busy = False
        self._stuck = False
        self._open_at = float("inf")

    def compose(self) -> ComposeResult:
        """Title, plan, who decides, choices."""
        with Vertical():
            yield Title(display.one_line(self.plan.title))
            yield TextPane(self._body, id="body")
            yield Unshown(id="unshown")
            yield TextPane(self._foot, id="foot")
            with Horizontal(id="choices"):
                if self.plan.tier is Tier.PHRASE:
                    yield Static("type it: ", markup=False, id="ask")
                    yield PhraseInput(placeholder=display.one_line(self.plan.phrase or ""), id="phrase")
                yield Static("", id="push")
                yield Choice("Cancel", id="cancel")
                yield Confirm(self.plan.verb, danger=self.plan.tier is Tier.PHRASE)

    def on_mount(self) -> None:
        """Wait a moment before any key can confirm."""
        body = self.query_one("#body", TextPane)
        for name in ("scroll_y", "virtual_size"):
            self.watch(body, name, self._show_unshown, init=False)
        self._arm()

    def _arm(self) -> None:
        """Take no confirming key until the plan has come into view, however slow the line, and for a moment more."""
        self._open_at = float("inf")
        self.query_one("#cancel").focus()
        self._show_able()
        self._show_unshown()
        self.call_after_refresh(self._fitted, self.plan)

    def _fitted(self, plan: Plan) -> None:
        self.fit()
        when_drawn = getattr(self.app, "when_drawn", None)
        if when_drawn is None:
            self._in_view(plan)
        else:
            self.call_after_refresh(when_drawn, partial(self._in_view, plan))
            self.set_timer(PATIENCE, partial(self._in_view, plan))

    def _in_view(self, plan: Plan) -> None:
        if self.is_attached and plan is self.plan and self._open_at == float("inf"):
            self._open_at = get_time() + self.GUARD
            self.set_timer(self.GUARD, self._show_able)

    def _show_able(self) -> None:
        armed = get_time() >= self._open_at and not self._busy and not self._stuck
        self.query_one(Confirm).set(able=armed and self._phrase_typed())

    def _phrase_typed(self) -> bool:
        if self.plan.tier is not Tier.PHRASE:
            return True
        return self.query_one(PhraseInput).value == self.plan.phrase

    # --- what is shown

    def _body(self, width: int) -> list[Line]:
        block = plan_body(self.plan, self._sight(), width, whole=self._whole, before=self._before)
        note = self._note(width)
        return [*note, EMPTY, *block] if note else block

    def fit(self) -> None:
        """What is below depends on the height that the body is given."""
        super().fit()
        self.call_after_refresh(self._show_unshown)

    def _show_unshown(self) -> None:
        body = self.query_one("#body", TextPane)
        below = body.virtual_size.height - round(body.scroll_y) - body.size.height
        if self._left_out is None or self._left_out[0] != body.room:
            self._left_out = (body.room, left_out(self.plan, self._sight(), body.room))
        self.query_one(Unshown).show(self._left_out[1], whole=self._whole, below=max(below, 0))

    def _foot(self, width: int) -> list[Line]:
        plan, sight = self.plan, self._sight()
        role = "danger" if plan.tier is Tier.PHRASE else "waits"
        block: list[Line] = []
        for warning in plan.warnings:
            block.extend(flow(f"! {sight.line(warning)}", width, role=role, hang=2))
        undo = plan.undo.replace("with undo", f"with {verb('undo').keys}")
        block.extend(flow(sight.line(f"Decided by {plan.decides}.  {undo}"), width))
        return block

    @property
    def text(self) -> str:
        """Everything the dialog says, as plain text."""
        panes = (pane.text for pane in self.query(TextPane))
        return "\n".join((self.query_one(Title).text, *panes))

    # --- keys

    def on_key(self, event: events.Key) -> None:
        """Every key is decided here: none reaches what lies beneath, none typed too early confirms."""
        phrase = self.query("#phrase:focus")
        if phrase and event.key not in ("escape", "enter", "tab", "shift+tab"):
            return
        event.stop()
        event.prevent_default()
        if self._busy:
            return
        if event.key == "escape":
            self.dismiss(None)
        elif event.time < self._open_at:
            return
        elif event.key == "enter":
            if phrase:
                self._confirm(event.time)
            else:
                self.dismiss(None)
        elif event.key in ("y", "Y"):
            if self.plan.tier is not Tier.PHRASE:
                self._confirm(event.time)
        elif event.key in ("tab", "shift+tab"):
            (self.focus_next if event.key == "tab" else self.focus_previous)()
        elif event.key == "d":
            self._turn_diff()
        else:
            self._scroll(event.key)

    def _turn_diff(self) -> None:
        """Show every line of the diff and go to the first one revealed; or only the first files, where one was."""
        body = self.query_one("#body", TextPane)
        before = self._body(body.room)
        self._whole = not self._whole
        body.show(self._body, top=False)
        self.fit()
        if self._whole:
            self._was_at = round(body.scroll_y)
            after = self._body(body.room)
            first = next((at for at, (one, now) in enumerate(zip(before, after, strict=False)) if one != now), None)
            revealed = len(before) + 1 if first is None else first
            self.call_after_refresh(body.go_to_line, revealed if len(after) > len(before) else self._was_at)
        else:
            self.call_after_refresh(body.scroll_to, y=self._was_at, animate=False, force=True)
        self._show_unshown()

    def _scroll(self, key: str) -> None:
        body = self.query_one("#body", TextPane)
        step = {"down": 1, "j": 1, "up": -1, "k": -1, "pagedown": 10, "space": 10, "pageup": -10}.get(key)
        if step is not None:
            body.scroll_relative(y=step, animate=False)
        elif key in ("G", "end"):
            body.scroll_end(animate=False)
        elif key in ("g", "home"):
            body.scroll_home(animate=False)

    def on_paste(self, event: events.Paste) -> None:
        """A paste confirms nothing, and types nothing."""
        event.stop()
        event.prevent_default()

    def on_input_changed(self) -> None:
        """The phrase may be whole now."""
        self._show_able()

    def on_choice_pressed(self, event: Choice.Pressed) -> None:
        """A click chooses like the key."""
        if event.choice.id == "cancel":
            if not self._busy:
                self.dismiss(None)
        else:
            self._confirm(event.pressed_at)

    def _confirm(self, at: float) -> None:
        if at < self._open_at or self._busy or self._stuck or not self._phrase_typed():
            return
        self._busy = True
        self.query_one(Confirm).set(label="writing…", able=False)
        self._write(self.plan)

    # --- the commit

    @work(thread=True, exclusive=True, group="commit", exit_on_error=False)
    def _write(self, plan: Plan) -> None:
        worker = get_current_worker()
        try:
            receipt = self._commit(plan)
        except Exception as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._failed, error)
            return
        self.app.call_from_thread(self.dismiss, receipt)

    def _failed(self, error: Exception) -> None:
        self._busy = False
        self.query_one(Confirm).set(label=self.plan.verb)
        if isinstance(error, PlanChanged) and isinstance(error.plan, Plan):
            self._before = self.plan.lines
            self._left_out = None
            self.plan = error.plan
            what = display.one_line(str(error))
            self._note = lambda width: flow(f"! {what}", width, role="waits", hang=2)
            self.query_one(Title).retitle(display.one_line(self.plan.title))
        else:
            self._note = partial(failure, error)
            self._stuck = not isinstance(error, RootBusy)
        for pane in self.query(TextPane):
            pane.show(self._body if pane.id == "body" else self._foot)
        self._arm()


class Unshown(OneLine):
    """What of the plan is not in view, and how to see it: always in view itself."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._state = ("", False, 0)

    def show(self, left_out: str, *, whole: bool, below: int) -> None:
        """Say what is `left_out` unless the diff is shown `whole`, and how many lines are `below` those in view."""
        if self._state != (left_out, whole, below):
            self._state = (left_out, whole, below)
            self.refresh()

    def compose_line(self, width: int) -> Line:
        """The line."""
        left_out, whole, below = self._state
        rows = line((f"↓ {below} more line{'' if below == 1 else 's'}", "accent")) if below else EMPTY
        if not left_out:
            return spread(EMPTY, rows, width)
        key = line(("   d", "key"), " shows only the first files" if whole else " shows them")
        room = width - cells(key) - cells(rows) - 2
        what = "the whole diff" if whole else f"… {left_out}"
        return spread(line((display.clip(what, room), "" if whole else "waits"), *key), rows, width)


class Confirm(Choice, can_focus=False):
    """The confirming choice: reached by its key or a click, never by moving the focus onto it and pressing on."""

    def __init__(self, verb: str, *, danger: bool) -> None:
        super().__init__(display.one_line(verb), "enter" if danger else "y", role="danger" if danger else "strong")


class PhraseInput(PlainInput):
    """The field for the phrase of an irreversible action: it is typed, not pasted."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()


def failure(error: Exception, width: int) -> list[Line]:
    """An error as lines of `width` cells: what, where, what to do."""
    if not isinstance(error, AssayError):
        return flow(display.one_line(f"✗ A fault: {type(error).__name__}: {error}"), width, role="waits", hang=2)
    block = flow(f"✗ {display.one_line(error.what)}", width, role="waits", hang=2)
    if error.where:
        where = flow(display.one_line(error.where), width - _WHERE)
        block.extend(labelled("  where", where, width=_WHERE))
    if error.remedy:
        block.extend(flow(display.one_line(error.remedy), width, indent=2))
    return block
