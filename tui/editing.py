"""One line of text in a human's hands: in their own editor where they named one, else in a field of the console."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui import display
from tui.editor import edit_file, named
from tui.lines import Line, plain
from tui.screens.form import Answers, Field

if TYPE_CHECKING:
    from tui.desk import Desk


def edit_line(desk: Desk, title: str, text: str, then: Callable[[str], None], *, notes: Sequence[Line] = ()) -> None:
    """Let the human edit `text`, then go on with it on one line. `notes` stand beside it, to be read."""
    words = named()
    if words is None:
        # A field draws what it holds, so it holds what may be seen; left as it was, the stored text goes on.
        shown = display.one_line(display.mask_secrets(" ".join(text.split())))

        def go_on(answers: Answers) -> None:
            then(" ".join(text.split()) if answers["text"] == shown.strip() else answers["text"])

        field = Field("text", "text", shown, "one line, not empty", long=True)
        desk.ask(title, (field,), go_on, intro=tuple(notes))
        return
    status, edited = desk.outside(
        lambda: edit_file(text, [plain(note) for note in notes], lambda path: _run([*words, path]))
    )
    if status:
        desk.say(("! ", "waits"), f"The editor ended with status {status}; nothing was written.")
    elif not edited:
        desk.say(("cancelled; nothing was written", "dim"))
    else:
        then(edited)


def _run(words: Sequence[str]) -> int:
    try:
        return subprocess.run(words, check=False).returncode
    except OSError as error:
        return error.errno or 1
