"""What people do on the page, and what they see there."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from playwright.sync_api import Locator, Page, expect


def ask(page: Page, query: str) -> None:
    """Type a query and press Enter; wait for the final answer."""
    if page.locator("#issue").is_visible():
        page.locator("#issue").click()
    box = page.get_by_label("An issue, a question or a name")
    box.fill(query)
    box.press("Enter")
    answered(page)


def answered(page: Page) -> None:
    """Wait until nothing is on its way any more."""
    expect(page.locator("#stage:not([aria-busy])")).to_have_count(1)
    expect(page.locator("#status.reading")).to_have_count(0)


def results(page: Page) -> Locator:
    """The results in the list."""
    return page.locator(".results .result:not(.ghost)")


def places(page: Page) -> list[str]:
    """Path and symbol of each result, in order, as they are read."""
    return [
        f"{item.locator('.where .path').inner_text().split(':')[0]} {item.locator('h3').inner_text()}"
        for item in results(page).all()
    ]


def titles(page: Page) -> list[str]:
    """The symbols of the results, in order."""
    return list(results(page).locator("h3").all_inner_texts())


def state(page: Page) -> dict[str, str]:
    """What the address says behind the #."""
    return dict(parse_qsl(urlsplit(page.url).fragment))


def address(url: str, **values: Any) -> str:
    """The address of a state of the page."""
    return f"{url}#" + "&".join(f"{name}={quote(str(value), safe='')}" for name, value in values.items())


def panel(page: Page) -> Locator:
    """What stands beside a result."""
    return page.get_by_role("complementary", name="About this place")
