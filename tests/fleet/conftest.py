"""A fleet of three repositories in two groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.fleets import SOURCES, SmallFleet
from trackdown.settings import Settings


@pytest.fixture
def fleet(tmp_path: Path, settings: Settings) -> SmallFleet:
    """Three repositories: shop and maps in the group open, bank in closed. Nothing is synced."""
    made = SmallFleet(tmp_path, settings)
    for name in SOURCES:
        made.repository(name)
    made.write(shop=["open"], bank=["closed"], maps=["open"])
    return made
