"""A test of the contract takes `root` and runs once a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.roots import STORES, Root


@pytest.fixture(params=sorted(STORES))
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Root:
    """The seed root in one store."""
    return STORES[request.param](tmp_path)
