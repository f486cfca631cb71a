"""Tiny models and a store for what they compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rerank.tiny_models import make_models
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.models.registry import Models, open_models
from trackdown.store.store import Store


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """A set of tiny models."""
    return open_models(make_models(tmp_path_factory.mktemp("models")), threads=1)


@pytest.fixture(scope="session")
def other_models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """The same with other weights."""
    return open_models(make_models(tmp_path_factory.mktemp("others"), seed=1), threads=1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def facts(store: Store) -> StoreFacts:
    return StoreFacts(store)
