"""What a human chose for the console on this machine: `settings.toml` beside the owners they confirmed.

    [console]
    theme = "high-contrast"

    [keys]
    stale = "z"
    "mark all" = "ctrl+a"

Whatever is not understood is an error at the start that names the file and what is nearest; nothing is guessed.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from core.errors import UsageError, WriteRefused
from tui import display
from tui.verbs import VERBS, Keys, Verb

FILE = "settings.toml"
FIXED = frozenset({"open", "back", "up and down", "screens", "palette"})
"""Verbs whose keys stay: lists, dialogs and the app itself go by them."""

_RESERVED = frozenset(
    (
        *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "ctrl+u", "ctrl+d", "j", "k", "g", "G"),
        *("tab", "shift+tab", "enter", "escape", "ctrl+c", "ctrl+p", "ctrl+q", *map(str, range(1, 10))),
    )
)
_HEADER = re.compile(r"^[ \t]*\[[ \t]*console[ \t]*\][ \t]*(?:#[^\r\n]*)?(?=\r?$)", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_THEME = re.compile(r"""^([ \t]*theme[ \t]*=[ \t]*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", re.MULTILINE)


class Settings(NamedTuple):
    """Where they stand, the theme ('' for the default), and the keys, by verb."""

    path: str
    theme: str = ""
    keys: Keys = MappingProxyType({})


def settings_path() -> str:
    """The file of the user at this machine."""
    from stores.configuration import config_folder

    return os.path.join(config_folder(), FILE)


def read_settings(path: str, themes: Collection[str]) -> Settings:
    """The settings in the file at `path`; the defaults where there is none. Raises `UsageError`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return Settings(path)
    except OSError as error:
        raise UsageError(f"The settings cannot be read: {error.strerror or error}.", where=path) from error
    import tomllib

    try:
        found = tomllib.loads(data.decode("utf-8-sig"))
    except ValueError as error:  # no TOML, or no UTF-8
        raise UsageError(f"The settings cannot be read: {error}.", where=path, remedy="Repair the file.") from error
    _placed(found, path)
    _known(found, ("console", "keys"), "table of settings", path)
    console, keys = _table(found, "console", path), _table(found, "keys", path)
    _known(console, ("theme",), "setting of [console]", path)
    theme = console.get("theme", "")
    if not isinstance(theme, str):
        raise UsageError("theme is the name of a theme, in quotes.", where=path)
    if theme and theme not in themes:
        raise _unknown("theme", theme, themes, path)
    return Settings(path, theme, dict(_keys(keys, path)))


def _table(found: Mapping[str, Any], name: str, path: str) -> dict[str, Any]:
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{name} is a table: [{name}].", where=path)
    return table


def _placed(found: Mapping[str, Any], path: str) -> None:
    """A setting that stands above every table is one that somebody means, and has a place."""
    for name in found:
        table = "console" if name == "theme" else "keys" if any(verb.name == name for verb in VERBS) else None
        if table is not None:
            raise UsageError(f"{name} belongs under [{table}].", where=path, remedy=f"Put the line [{table}] above it.")


def _known(found: Mapping[str, Any], names: Collection[str], what: str, path: str) -> None:
    for name in found:
        if name not in names:
            raise _unknown(what, name, names, path)


def _unknown(what: str, name: str, names: Collection[str], path: str) -> UsageError:
    import difflib

    near = difflib.get_close_matches(name.lower(), sorted(names), n=1, cutoff=0.0 if len(names) < 4 else 0.5)
    listed = ", ".join(sorted(names)) if len(names) < 60 else "single characters, f1 to f24, ctrl+letter, space, delete"
    remedy = f"Did you mean {near[0]}?" if near else f"There are: {listed}."
    return UsageError(f"There is no {what} {display.one_line(name)!r}.", where=path, remedy=remedy)


def _keys(table: Mapping[str, Any], path: str) -> Iterator[tuple[str, tuple[str, str]]]:
    by_name = {verb.name: verb for verb in VERBS if verb.name not in FIXED}
    chosen: dict[str, tuple[str, str]] = {}
    for name, value in table.items():
        if name in FIXED:
            raise UsageError(f"The key of {name} stays as it is.", where=path, remedy="Remove the line.")
        if name not in by_name:
            raise _unknown("verb", name, by_name, path)
        if not isinstance(value, str) or not value:
            raise UsageError(f"The key of {name} is one key, in quotes.", where=path, remedy='For example: "z".')
        chosen[name] = (_key(value, path), display.one_line(value))
    _no_collision(by_name, chosen, path)
    yield from chosen.items()


def _key(value: str, path: str) -> str:
    """The key as Textual names it."""
    from textual.keys import Keys as Names
    from textual.keys import _character_to_key

    if len(value) == 1 and value.isprintable():
        return _character_to_key(value)
    names = {name.value for name in Names if not name.value.startswith(("<", "scroll"))}
    wanted = value.lower()
    if wanted not in names:
        raise _unknown("key", value, names, path)
    return wanted


def _no_collision(by_name: Mapping[str, Verb], chosen: Keys, path: str) -> None:
    for name, (key, shown) in chosen.items():
        if key in _RESERVED:
            raise UsageError(f"{shown} ({name}) already moves or leaves.", where=path, remedy="Choose another key.")
        verb = by_name[name]
        for other in by_name.values():
            meet = not verb.screens or not other.screens or set(verb.screens) & set(other.screens)
            if other.name != name and meet and chosen.get(other.name, (other.default, ""))[0] == key:
                raise UsageError(
                    f"{shown} would mean {name} and {other.name} on one screen.",
                    where=path,
                    remedy=f"Choose another key for one of them; {other.name} has {other.default} by default.",
                )


def remember_theme(path: str, theme: str) -> None:
    """Write the theme into the file at `path`, and change nothing else of it. Raises `WriteRefused`."""
    path = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        before = ""
        with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8", newline="") as file:
            before = file.read()
        after = _with_theme(before, theme)
        if after != before:
            _replace(path, after)
    except (OSError, ValueError) as error:
        raise WriteRefused(f"The theme is not remembered: {error}.", where=path) from error


def _with_theme(text: str, theme: str) -> str:
    import tomllib

    value = f'"{theme}"'
    end = "\r\n" if "\r\n" in text else "\n"
    header = _HEADER.search(text)
    if header is None:
        before = text if not text or text.endswith("\n") else text + end
        after = f"{before}{end if before else ''}[console]{end}theme = {value}{end}"
    else:
        following = _TABLE.search(text, header.end())
        stop = following.start() if following is not None else len(text)
        found = _THEME.search(text, header.end(), stop)
        if found is not None:
            after = text[: found.end(1)] + value + text[found.end() :]
        else:
            at = header.end()
            after = f"{text[:at]}{end}theme = {value}{text[at:]}"
    if tomllib.loads(after).get("console", {}).get("theme") != theme:
        raise ValueError("its theme stands where it cannot be changed safely")
    return after


def _replace(path: str, text: str) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=".settings-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
