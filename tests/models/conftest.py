"""A folder of small models for each test, and the models that came with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.made_models import make_folder
from trackdown.models.registry import PACKAGED_FOLDER, Models, open_models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole set of small models."""
    make_folder(tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.fixture
def tiny(folder: Path) -> Models:
    """That set, opened."""
    return open_models(folder, threads=1)


@pytest.fixture(scope="session")
def packaged() -> Models:
    """The packaged models. Skips only where the repository has none at all; a set that does not open fails."""
    if not (PACKAGED_FOLDER / "manifest.json").exists():
        pytest.skip("this copy of the repository has no weights")
    return open_models(threads=1)
