"""What holds for every journey."""

from __future__ import annotations

from tests.tui.conftest import short_guard as short_guard
