"""Draws `screenshots/` anew: every screen of the console on a private copy of the sample memory (`make screenshots`).

The same code draws the same bytes: the clock stands still, the root is called by its example name, nothing watches.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tui.app import AssayApp

SOURCE = Path(__file__).resolve().parents[2]
SAMPLE = SOURCE / "tui" / "sample" / "memory"
PICTURES = SOURCE / "screenshots"
NOW = datetime(2026, 6, 3, 11, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
SIZES = ((80, 24), (140, 40))
PATIENCE = 20.0
STILL = 0.1
"""For so many seconds nothing may change before a picture is taken."""

CELL = 12.2
"""The width of a cell in the SVG that Textual exports."""

_TEXT = re.compile(
    r'(<text [^>]*?x=")([\d.]+)("[^>]*? textLength=")([\d.]+)("[^>]*>)((?:&#160;)*)(.*?)((?:&#160;)*)</text>'
)
_NAMES = re.compile(r"terminal-\d+-")  # a digest of the whole picture, in every line of it
_REMOTE_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture: the name of its files, and the keys that lead there from the first frame."""

    name: str
    keys: tuple[str, ...]


def pictures() -> tuple[Picture, ...]:
    """Every screen that the console has, and the moments that are no screen of their own."""
    from tui.screens.table import SCREENS

    screens = tuple(Picture(row.title.lower(), (str(row.number),)) for row in SCREENS)
    moments = (
        Picture("item", ("1", "enter", "down", "enter")),
        Picture("conflict", ("3", "enter")),
        Picture("confirmation-merge", ("4", "m", "enter")),
        Picture("confirmation-approve", ("6", "a")),
        Picture("confirmation", ("2", "v", "v", "s")),
        Picture("help", ("question_mark",)),
    )
    return (*screens, *moments)


def open_console(root: Path) -> AssayApp:
    """The console on `root`, its owner at the door, at the moment `NOW`."""
    from core.authority import Actor, Role
    from core.engine import Engine
    from stores.markdown import MarkdownStore
    from tui.app import AssayApp
    from tui.door import Door

    ana = Actor(Role.OWNER, "ana")

    def watch(on_change: Callable[[], None], stop: object, on_state: Callable[[str, str], None]) -> None:
        on_state("live", "")

    door = Door("ana", lambda binding: ana, watch=watch)
    return AssayApp(lambda: Engine(MarkdownStore(str(root)), clock=lambda: NOW), door, root=str(root))


async def draw(root: Path, picture: Picture, size: tuple[int, int]) -> str:
    """One picture as SVG."""
    app = open_console(root)
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        for key in picture.keys:
            await pilot.press(key)
            await settle(app, pilot)
        title = f"assay, {picture.name}, {size[0]} × {size[1]}"
        before, svg = "", app.export_screenshot(title=title)
        async with asyncio.timeout(PATIENCE):
            while svg != before:
                await pilot.pause(STILL)
                before, svg = svg, app.export_screenshot(title=title)
        return portable(svg)


def portable(svg: str) -> str:
    """The picture without fonts from the net, without names that change with every character of it, and without
    blanks at the ends of texts, which some viewers drop."""

    def place(match: re.Match[str]) -> str:
        head, x, middle, length, tail, before, text, after = match.groups()
        left, right = len(before) // len("&#160;"), len(after) // len("&#160;")
        if not text:
            return ""
        x, length = f"{float(x) + left * CELL:g}", f"{float(length) - (left + right) * CELL:g}"
        return f"{head}{x}{middle}{length}{tail}{text}</text>"

    return _TEXT.sub(place, _NAMES.sub("assay-", _REMOTE_FONTS.sub("", svg)))


async def settle(app: AssayApp, pilot: Pilot[int]) -> None:
    """Wait until nothing is read or computed beside the screen. Raises TimeoutError where that does not end."""
    async with asyncio.timeout(PATIENCE):
        quiet = 0
        while quiet < 3:
            await pilot.pause(0.01)
            busy = app.facts is None or any(worker.is_running for worker in app.workers)
            quiet = 0 if busy else quiet + 1


async def draw_all(folder: Path) -> list[str]:
    """Draw every picture into `folder`; their file names."""
    names = []
    for size in SIZES:
        for picture in pictures():
            with tempfile.TemporaryDirectory(prefix="assay-screenshots-") as private:
                root = private_copy(Path(private))
                svg = await draw(root, picture, size)
            for telling in (private, str(Path.home())):
                if telling in svg:
                    raise SystemExit(f"{picture.name} shows a path of this machine: {telling}")
            name = f"{picture.name}-{size[0]}x{size[1]}.svg"
            (folder / name).write_text(svg, encoding="utf-8", newline="\n")
            names.append(name)
    return names


def private_copy(folder: Path) -> Path:
    """A copy of the sample memory below `folder` whose owner is confirmed there, and nowhere else."""
    from stores.markdown import MarkdownStore
    from stores.pins import Pins

    os.environ["ASSAY_CONFIG_DIR"] = str(folder / "config")
    root = folder / "sample" / "memory"
    shutil.copytree(SAMPLE, root)
    declared = MarkdownStore(str(root)).declared_binding()
    Pins(str(root)).confirm(declared.id, declared.owners)
    return root


def main() -> None:
    """Draw all pictures; those of screens that are gone are removed."""
    for name in ("NO_COLOR", "VISUAL", "EDITOR"):
        os.environ.pop(name, None)
    os.environ.update(TEXTUAL_ANIMATIONS="none", TEXTUAL_COLOR_SYSTEM="truecolor", COLORTERM="truecolor")
    PICTURES.mkdir(exist_ok=True)
    names = asyncio.run(draw_all(PICTURES))
    for old in PICTURES.glob("*.svg"):
        if old.name not in names:
            old.unlink()
    print(f"{len(names)} pictures in {PICTURES.relative_to(SOURCE)}/")


if __name__ == "__main__":
    sys.path.insert(0, str(SOURCE))
    main()
