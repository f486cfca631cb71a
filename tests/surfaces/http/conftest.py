"""A server for tests that only ask, and one that a test can make of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Repo
from tests.surfaces.http.serving import serving
from trackdown.engine import SharedRepositories
from trackdown.settings import Settings, load_settings


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings with a store that a session's tests share, without models."""
    folder = tmp_path_factory.mktemp("http")
    return load_settings({"HOME": str(folder)}, store=folder / "store", models="none")


@pytest.fixture(scope="session")
def shops(shop: Repo, shelf: Settings) -> Iterator[SharedRepositories]:
    """The shop, indexed and kept up to date."""
    with SharedRepositories([shop.root], settings=shelf) as shared:
        shared.start()
        assert shared.wait_ready(seconds=60)
        yield shared


@pytest.fixture(scope="session")
def client(shops: SharedRepositories) -> Iterator[httpx.Client]:
    """A client of a server of the shop. Tests only ask."""
    with serving(shops) as found:
        yield found


@pytest.fixture
def open_shared(settings: Settings) -> Iterator[Callable[..., SharedRepositories]]:
    """Opens places for a server of the test's own, indexes them, and closes them again."""
    with ExitStack() as stack:

        def opened(*places: Path, kind: type[SharedRepositories] = SharedRepositories, **options: Any) -> Any:
            shared = stack.enter_context(kind(places, settings=options.pop("settings", settings), **options))
            shared.start()
            assert all(shared.wait_ready(name, 60) for name in shared.names)
            return shared

        yield opened
