"""What holds for every test of the console."""

from __future__ import annotations

import pytest

from tui.screens.confirm import ConfirmScreen


@pytest.fixture(autouse=True)
def short_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter guard keeps the tests quick; the tests of the guard itself set the real one."""
    monkeypatch.setattr(ConfirmScreen, "GUARD", 0.02)
