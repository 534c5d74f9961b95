"""What holds for every test of the console."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.screens.confirm import ConfirmScreen


@pytest.fixture(autouse=True)
def short_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter guard keeps the tests quick; the tests of the guard itself set the real one."""
    monkeypatch.setattr(ConfirmScreen, "GUARD", 0.02)


@pytest.fixture(autouse=True)
def nobody_s_own_ways(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No editor, and no configuration, of whoever runs the tests."""
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ASSAY_CONFIG_DIR", str(tmp_path / "config"))
