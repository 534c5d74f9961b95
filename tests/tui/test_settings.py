"""The user's own theme and keys: read at the start, refused by name where they are not understood, remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.color import Color
from textual.pilot import Pilot

from core.engine import Engine
from core.errors import UsageError
from stores.memory import MemoryStore
from tests.tui.driving import ANA, NOW, Desk, snapshot
from tui import themes
from tui.app import AssayApp, run_console
from tui.door import fixed
from tui.settings import Settings, read_settings, remember_theme, settings_path
from tui.verbs import VERBS, by_key, choose_keys
from tui.widgets.rail import Rail


@pytest.fixture(autouse=True)
def own_keys_again() -> Iterator[None]:
    yield
    choose_keys({})


def settings(tmp_path: Path, text: str) -> Settings:
    """The settings that `text` makes."""
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(str(path), themes.names())


def app(chosen: Settings | None = None) -> tuple[AssayApp, MemoryStore]:
    """The console with these settings."""
    store = MemoryStore(snapshot())
    return AssayApp(lambda: Engine(store, clock=lambda: NOW), fixed(ANA), root=store.name, settings=chosen), store


def test_no_file_is_no_error(tmp_path: Path) -> None:
    assert read_settings(str(tmp_path / "none" / "settings.toml"), ()) == Settings(
        str(tmp_path / "none" / "settings.toml")
    )


def test_they_stand_beside_the_confirmed_owners(tmp_path: Path) -> None:
    assert settings_path() == str(tmp_path / "config" / "settings.toml")


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ('[console]\ntheme = "nrod"\n', "no theme 'nrod'", "Did you mean nord?"),
        ('[console]\ntheme = "high contrast"\n', "no theme 'high contrast'", "high-contrast"),
        ("[console]\ntheme = 3\n", "in quotes", ""),
        ('[console]\nthem = "nord"\n', "no setting of [console] 'them'", "theme"),
        ('[keyes]\nstale = "z"\n', "no table of settings 'keyes'", "keys"),
        ('theme = "light"\n', "theme belongs under [console]", "the line [console] above it"),
        ('stale = "z"\n', "stale belongs under [keys]", "the line [keys] above it"),
        ("keys = 3\n", "keys is a table", ""),
        ('[keys]\nstael = "z"\n', "no verb 'stael'", "Did you mean stale?"),
        ('[keys]\nstale = "ctrl+zz"\n', "no key 'ctrl+zz'", "Did you mean ctrl+z?"),
        ('[keys]\nstale = ""\n', "one key", ""),
        ("[keys]\nstale = 7\n", "one key", ""),
        ('[keys]\nstale = "c"\n', "c would mean stale and clear on one screen", "another key"),
        ('[keys]\nstale = "/"\n', "stale and filter", ""),
        ('[keys]\nfilter = "m"\n', "filter and merge", ""),
        ('[keys]\nstale = "j"\n', "j (stale) already moves", ""),
        ('[keys]\nstale = "1"\n', "1 (stale) already", ""),
        ('[keys]\nback = "z"\n', "The key of back stays", ""),
        ('[console\ntheme = "nord"\n', "cannot be read", "Repair"),
        ('[keys]\n"\\u001b[2J" = "z"\n', "␛[2J", ""),
    ],
)
def test_what_is_not_understood_names_the_file_and_what_is_nearest(
    tmp_path: Path, text: str, said: str, remedy: str
) -> None:
    with pytest.raises(UsageError) as raised:
        settings(tmp_path, text)
    assert said in raised.value.what
    assert remedy in (raised.value.remedy or "")
    assert raised.value.where == str(tmp_path / "settings.toml")


def test_bytes_that_are_no_text_are_an_error_too(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b'[console]\ntheme = "\xff"\n')
    with pytest.raises(UsageError, match="cannot be read"):
        read_settings(str(tmp_path / "settings.toml"), ())


def test_the_console_does_not_open_on_settings_that_are_off(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('[console]\ntheme = "nope"\n')
    with pytest.raises(UsageError, match="no theme"):
        run_console(str(tmp_path))


def test_two_verbs_may_change_places(tmp_path: Path) -> None:
    chosen = settings(tmp_path, '[keys]\nstale = "c"\nclear = "s"\n')
    choose_keys(chosen.keys)
    for entry in VERBS:
        for screen in entry.screens:
            assert by_key(entry.key, screen) is entry


def test_one_key_may_mean_two_verbs_on_two_screens(tmp_path: Path) -> None:
    choose_keys(settings(tmp_path, '[keys]\nmerge = "x"\n').keys)
    found = [by_key("x", screen) for screen in (4, 6)]
    assert [entry.name for entry in found if entry is not None] == ["merge", "reject"]


async def test_a_chosen_key_acts_and_every_place_names_it(tmp_path: Path) -> None:
    console, store = app(settings(tmp_path, '[keys]\nstale = "<"\n"mark all" = "ctrl+a"\nhelp = "f1"\n'))
    async with console.run_test(size=(140, 40)) as pilot:
        desk = Desk(console, pilot, store)
        await desk.read()
        desk.app.console_screen.visit(1, "mem-2026-05-11-004")
        await desk.settle()
        assert "< stale" in desk.text
        await desk.press("s")
        assert desk.app.screen is desk.app.console_screen
        await desk.press("ctrl+a")
        assert "6 marked" in desk.text or "marked" in desk.text
        await desk.press("ctrl+a", "<")
        await desk.confirm()
        assert desk.status("mem-2026-05-11-004") == "stale"
        await desk.press("f1")
        assert "<       stale" in desk.text


async def test_the_chosen_theme_opens_and_the_next_one_is_remembered(tmp_path: Path) -> None:
    chosen = settings(tmp_path, '# mine\n[console]\ntheme = "nord"  # calm\n\n[keys]\nstale = "z"\n')
    console, store = app(chosen)
    async with console.run_test(size=(100, 30)) as pilot:
        desk = Desk(console, pilot, store)
        await desk.read()
        assert console.theme == "nord"
        await desk.settle()
        assert Path(chosen.path).read_text() == '# mine\n[console]\ntheme = "nord"  # calm\n\n[keys]\nstale = "z"\n'
        console.theme = "high-contrast"
        await desk.settle()
        await pilot.pause()
    assert (
        Path(chosen.path).read_text() == '# mine\n[console]\ntheme = "high-contrast"  # calm\n\n[keys]\nstale = "z"\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[console]\ntheme = "nord"\n'),
        ('[keys]\nstale = "z"', '[keys]\nstale = "z"\n\n[console]\ntheme = "nord"\n'),
        ('[console]\n[keys]\nstale = "z"\n', '[console]\ntheme = "nord"\n[keys]\nstale = "z"\n'),
        ("[console] # mine\r\ntheme='a'\r\n", '[console] # mine\r\ntheme="nord"\r\n'),
        ("[console]\r\n[keys]\r\n", '[console]\r\ntheme = "nord"\r\n[keys]\r\n'),
        ('[keys]\n#theme = "x"\n[console]\n  theme = "x"', '[keys]\n#theme = "x"\n[console]\n  theme = "nord"'),
    ],
)
def test_only_the_theme_is_rewritten(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "deep" / "settings.toml"
    if before:
        path.parent.mkdir()
        path.write_bytes(before.encode())
    remember_theme(str(path), "nord")
    assert path.read_bytes().decode() == after
    assert [one.name for one in path.parent.iterdir()] == ["settings.toml"]


def test_a_linked_file_stays_linked(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('[console]\ntheme = "nord"\n')
    link = tmp_path / "settings.toml"
    link.symlink_to(real)
    remember_theme(str(link), "dracula")
    assert link.is_symlink()
    assert real.read_text() == '[console]\ntheme = "dracula"\n'


async def test_a_theme_that_cannot_be_remembered_is_said(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('console = { theme = "nord" }\n')
    chosen = read_settings(str(tmp_path / "settings.toml"), themes.names())
    console, store = app(chosen)
    async with console.run_test(size=(140, 30)) as pilot:
        desk = Desk(console, pilot, store)
        await desk.read()
        console.theme = "dracula"
        await desk.settle()
        await pilot.pause()
        assert "not remembered" in desk.text
    assert (tmp_path / "settings.toml").read_text() == 'console = { theme = "nord" }\n'


def _contrast(one: str, other: str) -> float:
    def light(color: str) -> float:
        parts = [part / 255 for part in Color.parse(color).rgb]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


async def test_high_contrast_dims_nothing_and_each_colour_stands_out() -> None:
    console, store = app()
    async with console.run_test(size=(100, 30)) as pilot:
        desk = Desk(console, pilot, store)
        await desk.read()
        console.theme = themes.HIGH_CONTRAST
        await desk.settle()
        rail = console.screen.query_one(Rail)
        assert not rail.style_of("dim").dim
        for name in ("text-primary", "text-warning", "text-error", "text-success", "foreground"):
            assert _contrast(console.theme_variables[name], "#000000") >= 7


async def _colours(pilot: Pilot[int], console: AssayApp) -> set[object]:
    await pilot.pause()
    return {
        segment.style.color.get_truecolor()
        for strip in console.screen._compositor.render_strips()
        for segment in strip.apply_filter(console.get_line_filters()[-1], Color(0, 0, 0))
        if segment.style is not None and segment.style.color is not None
    }


async def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console, store = app()
    async with console.run_test(size=(100, 30)) as pilot:
        desk = Desk(console, pilot, store)
        await desk.read()
        await desk.press("2")
        assert console.no_color
        assert "◌" in desk.text
        found = await _colours(pilot, console)
        assert found
        assert all(one.red == one.green == one.blue for one in found)  # type: ignore[attr-defined]
