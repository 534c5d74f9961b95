"""The pictures in `screenshots/` are those that `make screenshots` draws, and show nothing of the machine."""

from __future__ import annotations

import re

import pytest

from tests.support.screenshots import PICTURES, SIZES, pictures, portable

NAMES = sorted(f"{picture.name}-{width}x{height}.svg" for picture in pictures() for width, height in SIZES)


def test_there_is_a_picture_of_every_screen_in_both_sizes() -> None:
    assert sorted(path.name for path in PICTURES.glob("*.svg")) == NAMES, "draw them anew: make screenshots"


@pytest.mark.parametrize("name", sorted(path.name for path in PICTURES.glob("*.svg")))
def test_a_picture_needs_nothing_from_the_net_and_names_no_folder_of_the_machine(name: str) -> None:
    svg = (PICTURES / name).read_text(encoding="utf-8")
    assert "sample/memory" in svg or "confirmation" in name or "help" in name
    assert re.findall(r"url\(([^#)][^)]*)\)", svg) == []
    assert re.search(r"/(tmp|home|root|Users)/", svg) is None


def test_a_text_keeps_its_place_when_the_blanks_at_its_ends_go() -> None:
    drawn = '<text class="a" x="12.2" y="20" textLength="85.4" clip-path="b">&#160;&#160;wait&#160;</text>'
    assert portable(drawn) == '<text class="a" x="36.6" y="20" textLength="48.8" clip-path="b">wait</text>'
