"""The one table of screens. A new screen is one file, and one row here."""

from __future__ import annotations

from tui.page import Page
from tui.screens.conflicts import ConflictsPage
from tui.screens.health import HealthPage
from tui.screens.index import IndexPage
from tui.screens.review import ReviewPage
from tui.screens.withdrawals import WithdrawalsPage

PAGES: tuple[type[Page], ...] = (IndexPage, ReviewPage, ConflictsPage, WithdrawalsPage, HealthPage)
"""In the order of the rail; each bears its number."""
