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
from tui.lines import Line, cells, line, plain
from tui.screens.confirm import ConfirmScreen, failure
from tui.screens.dialog import Dialog, Pager
from tui.screens.plan_lines import plan_body
from tui.sight import Sight
from tui.verbs import verb

if TYPE_CHECKING:
    from tui.app import AssayApp
    from tui.page import Page

Then = Callable[[Receipt], None]


class Decider:
    """Carries requests out for the app. Planning and committing run in threads."""

    def __init__(self, app: AssayApp) -> None:
        self._app = app
        self.planning = False
        """Whether a plan is being made, and nothing is on the screen yet that a key could answer."""

    def decide(self, request: Request, then: Then | None = None) -> None:
        """Plan a request, ask where a human must decide, commit it, and show the receipt; then go on with `then`."""
        self._plan(request, lambda plan: self._planned(plan, request, then))

    def preview(self, request: Request) -> None:
        """Plan a request and show what it would write; nothing is written."""
        self._plan(request, self._show)

    # --- planning

    def _plan(self, request: Request, then: Callable[[Plan], None]) -> None:
        self.planning = True
        self._app.run_worker(
            partial(self._plan_beside, request, then), group="plan", thread=True, exclusive=True, exit_on_error=False
        )

    def _plan_beside(self, request: Request, then: Callable[[Plan], None]) -> None:
        app, worker = self._app, get_current_worker()
        try:
            if app.engine is None or app.facts is None:
                return
            plan = app.engine.plan(request, app.actor, app.facts.reading)
            if not worker.is_cancelled:
                app.call_from_thread(then, plan)
        except AssayError as error:
            if not worker.is_cancelled:
                app.call_from_thread(self._refused, request, error)
        finally:
            if not worker.is_cancelled:
                app.call_from_thread(self._made)

    def _made(self) -> None:
        self.planning = False

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
        page = app.console_screen.page
        if isinstance(request, Undo):
            app.refresh_reading(after=partial(app.console_screen.came_back, receipt.event))
        elif then is not None:
            app.refresh_reading(after=lambda: then(receipt))
        else:
            app.refresh_reading(after=lambda: self._written(page, receipt.event))

    def _written(self, page: Page | None, event: str) -> None:
        """The root was read again with `event` in it: the page that it was decided on goes on from there."""
        facts = self._app.facts
        if page is None or facts is None or page is not self._app.console_screen.page:
            return
        found = next((one for one in reversed(facts.reading.snapshot.events) if one.id == event), None)
        if found is not None:
            page.written(found)


def show_error(app: AssayApp, title: str, error: Exception) -> None:
    """An error as a dialog: what, where, what to do."""
    if not isinstance(app.screen, Dialog):
        app.push_screen(Pager(title, partial(failure, error)))


def receipt_line(receipt: Receipt, width: int) -> Line:
    """What was done, which files, which event, how to undo it; names of files where there is room.

    The event's id and the way back always stand, and what was done comes first: where it is narrow the files go, then
    why nothing undoes it, and only then the end of what was done.
    """
    names = [display.one_line(diff.path) for diff in receipt.files]
    left = f", {len(receipt.refusals)} left out" if receipt.refusals else ""
    key = verb("undo").keys
    title = display.one_line(receipt.title)
    counted = f"{len(names)} file{'' if len(names) == 1 else 's'}"
    full, least = (line((words, "dim")) for words in (receipt.undo.replace("with undo", f"with {key}"), "no undo"))
    if receipt.undo.startswith("Can be undone"):
        full = least = line((key, "key"), " undoes")
    short = line((re.split("[:;,]", plain(full))[0].rstrip("."), "dim")) if full != least else full
    for undo, files in (
        (full, ", ".join(names) if len(names) <= 4 else counted),
        (full, counted),
        (full, ""),
        (short, ""),
        (least, ""),
    ):
        end = line((receipt.event, "dim"), "   ", *undo)
        rest = line((left, "waits"), "   ", (files, "dim"), "   " if files else "", *end)
        if width - 3 - cells(rest) >= display.width(title):
            break
    return (*line((" ✓ ", "good"), display.clip(title, width - 3 - cells(rest))), *rest)
