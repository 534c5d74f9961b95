"""The verbs that write nothing: open, mark, diff, undo's question, source, filter, copy, back, help."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import AssayError
from core.reading import Reading
from core.requests import Undo
from tui import display
from tui.console import Console
from tui.page import Page
from tui.screens.help import help_lines
from tui.screens.source import source_view
from tui.verbs import DECISIONS, verb
from tui.widgets.diff import Clean
from tui.widgets.filter import FilterInput


def _open(console: Console, page: Page) -> None:
    page.listing.action_open()


def _mark(console: Console, page: Page) -> None:
    page.listing.toggle_mark()
    page.show_title()
    console.refresh_chrome()


def _mark_all(console: Console, page: Page) -> None:
    page.listing.toggle_all()
    page.show_title()
    console.refresh_chrome()


def _diff(console: Console, page: Page) -> None:
    able = [entry for entry in DECISIONS if entry.on(page.NUMBER) and page.why_not(entry) is None]
    if not able:
        console.say(("! ", "waits"), "There is no decision to take here, so there is no diff.")
        return
    console.diff_next()
    parts: list[str | tuple[str, str]] = ["the diff of  "]
    for entry in able:
        parts.extend(((entry.keys, "key"), f" {entry.label}  "))
    console.say(*parts, ("esc none", "dim"))


def _undo(console: Console, page: Page) -> None:
    console.decide(Undo())


def _source(console: Console, page: Page) -> None:
    items = page.targets()
    if console.facts is None or not items:
        console.say(("! ", "waits"), "There is no item under the cursor.")
        return
    title, build, at = source_view(items[0], console.facts)
    console.read(title, build, at=at)


def _filter(console: Console, page: Page) -> None:
    page.filter_line.write()


def _copy_id(console: Console, page: Page) -> None:
    key = page.listing.key
    text = page.copy_text(key) if key is not None else None
    if text:
        console.app.copy_to_clipboard(text)
        console.say(("✓ ", "good"), f"copied {display.one_line(text)}")


def _plan(console: Console, page: Page) -> None:
    facts = console.facts
    if facts is None or not {"queue", "conflicts"} <= facts.ready:
        console.say(("the root is being read…", "dim"))
        return
    from tui.screens.form import Answers, Field

    def go_on(answers: Answers) -> None:
        try:
            written = write_review_plan(facts.reading, facts.sight.clean, answers["file"], console.console_app.root)
        except AssayError as error:
            console.say(("! ", "waits"), display.one_line(str(error)))
            return
        console.say(("✓ ", "good"), f"the review plan stands in {display.one_line(' and '.join(written))}")

    name = f"review-plan-{facts.reading.today}.md"
    console.ask(
        "Write the review plan",
        (Field("file", "file", name, "a new file, outside the root"),),
        go_on,
        intro=("As Markdown to tick, and as JSON beside it. `assay plan --take` takes a ticked one back in.",),
        verb="Write it",
    )


def write_review_plan(reading: Reading, clean: Clean, file: str, root: str) -> tuple[str, ...]:
    """Write the review's plan as Markdown and, beside it, as JSON; the files. Raises `Refused`, `WriteRefused`."""
    from core.review_plan import cleanup_plan
    from tui.cli.plan import write_both

    return write_both(cleanup_plan(reading.queue, reading.conflicts), clean, file, root, today=reading.today)


def _back(console: Console, page: Page) -> None:
    if isinstance(console.focused, FilterInput):
        page.listing.focus()
    elif page.close_card() or page.clear_filter() or console.go_back() or page.leave():
        return
    elif marks := len(page.listing.marks):
        page.listing.unmark()
        page.show_title()
        console.refresh_chrome()
        console.say(f"{marks:,} mark{'' if marks == 1 else 's'} taken away")
    else:
        console.say(("esc goes back; ", "dim"), (verb("quit").keys, "key"), (" leaves.", "dim"))


def _help(console: Console, page: Page) -> None:
    console.read("Keys", lambda width: help_lines(page.NUMBER, width))


LOOKS: dict[str, Callable[[Console, Page], None]] = {
    "open": _open,
    "mark": _mark,
    "mark all": _mark_all,
    "diff": _diff,
    "undo": _undo,
    "source": _source,
    "filter": _filter,
    "copy id": _copy_id,
    "plan": _plan,
    "back": _back,
    "help": _help,
}
"""By the verb's name."""
