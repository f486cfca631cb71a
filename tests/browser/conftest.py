"""A real Chromium, and servers for it to talk to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.browser.chromium import launch_options
from tests.browser.repositories import build_hostile, build_market
from tests.browser.served import Served, served
from tests.conftest import Repo

# A guard against hanging, no statement about speed: a busy machine must not fail a test.
_MILLISECONDS = 60_000
expect.set_options(timeout=_MILLISECONDS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, for all tests of this process."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(**launch_options())
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository that is good to search. Tests only look at it."""
    return build_market(tmp_path_factory.mktemp("browser") / "market")


@pytest.fixture(scope="session")
def server(market: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the market, indexed. Tests only ask."""
    with served([market.root], tmp_path_factory.mktemp("served") / "store") as found:
        found.wait_ready()
        found.get("search?effort=thorough&query=cookie")  # loads the models
        yield found


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a repository that wishes the page ill."""
    repo = build_hostile(tmp_path_factory.mktemp("hostile"))
    with served([repo.root], tmp_path_factory.mktemp("served-hostile") / "store") as found:
        found.wait_ready()
        yield found


@pytest.fixture
def complaints() -> list[str]:
    """What browsers said went wrong: errors in scripts, and everything on the console, CSP violations among it."""
    return []


@pytest.fixture
def open_page(browser: Browser, complaints: list[str]) -> Iterator[Callable[..., Page]]:
    """Opens an address in a context of its own: nothing is kept from other tests."""
    contexts: list[BrowserContext] = []

    def opened(url: str, **options: Any) -> Page:
        options = {"viewport": {"width": 1360, "height": 900}, "reduced_motion": "reduce", **options}
        context = browser.new_context(**options)
        context.set_default_timeout(_MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: _note(complaints, error))
        page.on("console", lambda message: _note(complaints, message))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()


def _note(complaints: list[str], said: Error | ConsoleMessage) -> None:
    if isinstance(said, Error):
        complaints.append(f"error: {said}")
    elif said.type in ("error", "warning"):
        complaints.append(f"{said.type}: {said.text}")


@pytest.fixture
def page(open_page: Callable[..., Page], server: Served, complaints: list[str]) -> Iterator[Page]:
    """The page of the market. At the end nothing may have gone wrong in it."""
    yield open_page(server.url)
    assert complaints == []
