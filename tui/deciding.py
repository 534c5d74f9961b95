"""From a request to its receipt: plan it, ask where a human must decide, commit it, say what was done."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from core.authority import Tier
from core.errors import AssayError
from core.plan import Plan, Receipt
from core.requests import Request, Undo
from tui import display
from tui.lines import Line, cells, line
from tui.screens.confirm import ConfirmScreen, failure
from tui.screens.dialog import Dialog, Pager
from tui.screens.plan_lines import plan_body
from tui.sight import Sight
from tui.verbs import verb

if TYPE_CHECKING:
    from tui.app import AssayApp

Then = Callable[[Receipt], None]


class Decider:
    """Carries requests out for the app. Planning and committing run in threads."""

    def __init__(self, app: AssayApp) -> None:
        self._app = app

    def decide(self, request: Request, then: Then | None = None) -> None:
        """Plan a request, ask where a human must decide, commit it, and show the receipt; then go on with `then`."""
        self._plan(request, lambda plan: self._planned(plan, request, then))

    def preview(self, request: Request) -> None:
        """Plan a request and show what it would write; nothing is written."""
        self._plan(request, self._show)

    # --- planning

    def _plan(self, request: Request, then: Callable[[Plan], None]) -> None:
        self._app.run_worker(
            partial(self._plan_beside, request, then), group="plan", thread=True, exclusive=True, exit_on_error=False
        )

    def _plan_beside(self, request: Request, then: Callable[[Plan], None]) -> None:
        app, worker = self._app, get_current_worker()
        if app.engine is None or app.facts is None:
            return
        try:
            plan = app.engine.plan(request, app.actor, app.facts.reading)
        except AssayError as error:
            if not worker.is_cancelled:
                app.call_from_thread(self._refused, request, error)
            return
        if not worker.is_cancelled:
            app.call_from_thread(then, plan)

    def _refused(self, request: Request, error: AssayError) -> None:
        app = self._app
        page = app.console_screen.page
        if page is not None and page.refused(request, error):
            return
        where = f"{display.one_line(error.where)}: " if error.where else ""
        text = f"{where}{display.one_line(error.what)} {display.one_line(error.remedy or '')}".strip()
        if display.width(text) + 4 <= app.size.width:
            app.console_screen.say(("! ", "waits"), text)
        else:
            show_error(app, "Not done; nothing was written", error)

    def _show(self, plan: Plan) -> None:
        sight = self._sight()
        self._app.push_screen(
            Pager(
                f"Would: {display.one_line(plan.title)}",
                lambda width: plan_body(plan, sight, width, whole=True),
                note="nothing is written; esc closes",
            )
        )

    def _sight(self) -> Sight:
        assert self._app.facts is not None
        return self._app.facts.sight

    # --- deciding

    def _planned(self, plan: Plan, request: Request, then: Then | None) -> None:
        if isinstance(self._app.screen, Dialog):
            return
        # What an undo takes back is chosen by the log, not by the cursor: it is seen before it is done.
        if plan.tier is Tier.FREE and not plan.human_only and not isinstance(request, Undo):
            self._app.run_worker(
                partial(self._commit_at_once, plan, request, then), group="commit", thread=True, exit_on_error=False
            )
            return

        def done(receipt: Receipt | None) -> None:
            if receipt is not None:
                self._committed(request, receipt, then)
                return
            self._app.own_paths.clear()
            self._app.console_screen.say(("cancelled; nothing was written", "dim"))

        self._app.push_screen(ConfirmScreen(plan, commit=self._decide_and_commit, sight=self._sight), done)

    def _decide_and_commit(self, plan: Plan) -> Receipt:
        """For the confirmation alone: the decision of the human who saw the plan, and its commit."""
        app = self._app
        assert app.engine is not None
        app.own_paths.update(diff.path for diff in plan.previews)
        return app.engine.commit(plan, app.engine.decide(plan, app.actor))

    def _commit_at_once(self, plan: Plan, request: Request, then: Then | None) -> None:
        app = self._app
        assert app.engine is not None
        app.own_paths.update(diff.path for diff in plan.previews)
        try:
            receipt = app.engine.commit(plan)
        except Exception as error:
            app.call_from_thread(show_error, app, "Not done", error)
            return
        app.call_from_thread(self._committed, request, receipt, then)

    def _committed(self, request: Request, receipt: Receipt, then: Then | None) -> None:
        app = self._app
        app.own_paths.update(diff.path for diff in receipt.files)
        app.console_screen.done(request, partial(receipt_line, receipt))
        follow = (lambda: then(receipt)) if then is not None else None
        if isinstance(request, Undo):
            follow = partial(app.console_screen.came_back, receipt.event)
        app.refresh_reading(after=follow)


def show_error(app: AssayApp, title: str, error: Exception) -> None:
    """An error as a dialog: what, where, what to do."""
    if not isinstance(app.screen, Dialog):
        block = failure(error)
        app.push_screen(Pager(title, lambda width: block))


def receipt_line(receipt: Receipt, width: int) -> Line:
    """What was done, which files, which event, how to undo it; names of files where there is room.

    The event's id and the way back always stand: where it is narrow the files go, then the middle of what was done.
    """
    names = [display.one_line(diff.path) for diff in receipt.files]
    left = f", {len(receipt.refusals)} left out" if receipt.refusals else ""
    key = verb("undo").keys
    title = display.one_line(receipt.title)
    counted = f"{len(names)} file{'' if len(names) == 1 else 's'}"
    said = receipt.undo.replace("with undo", f"with {key}")
    full, short, least = (line((words, "dim")) for words in (said, re.split("[:;,]", said)[0].rstrip("."), "no undo"))
    if receipt.undo.startswith("Can be undone"):
        full = short = least = line((key, "key"), " undoes")
    whole, some = display.width(title), min(display.width(title), 14)
    for undo, files, room in (
        (full, ", ".join(names) if len(names) <= 4 else counted, whole),
        (full, counted, whole),
        (full, "", whole),
        (short, counted, whole),
        (short, counted, some),
        (short, "", some),
        (least, "", 0),
    ):
        end = line((receipt.event, "dim"), "   ", *undo)
        middle = line((left, "waits"), "   ", (files, "dim"), "   " if files else "", *end)
        if width - 3 - cells(middle) >= room:
            break
    return (*line((" ✓ ", "good"), display.clip_middle(title, width - 3 - cells(middle))), *middle)
