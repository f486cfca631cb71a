"""How the page looks and reads: contrast, names for screen readers, no sideways scrolling, nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.asking import address, answered, ask, panel, results
from tests.browser.served import Served

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
"""What is all right is counted, but not described element by element: that takes a third of the time."""
SIZES = {"wide": (1360, 900), "phone": (375, 740)}
VIEWS: dict[str, dict[str, Any]] = {
    "beginning": {},
    "why": {"q": "session cookie"},
    "source": {"q": "session cookie", "pick": "web/session.py:7-9", "tab": "source"},
    "related": {"q": "session cookie", "pick": "web/session.py:7-9", "tab": "related"},
    "history": {"q": "session cookie", "view": "history"},
    "commit": {"view": "commit", "commit": "HEAD"},
    "graph": {"q": "letters", "view": "graph", "target": "mail/letters.py:26"},
    "nothing": {"q": "session cookie", "folder": "nowhere"},
    "error": {"q": "session cookie", "at": "nowhere"},
}


def settled(page: Page) -> None:
    """Wait until everything that was asked for is there."""
    answered(page)
    expect(page.locator(".waiting, .ghost")).to_have_count(0)
    expect(page.locator("#index-state")).not_to_be_empty()
    if page.locator("#holdings").count():
        expect(page.locator("#holdings")).to_contain_text("commits")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
def test_everybody_can_read_it(open_page: Callable[..., Page], server: Served, view: str, size: str) -> None:
    width, height = SIZES[size]
    page = open_page(address(server.url, **VIEWS[view]), viewport={"width": width, "height": height})
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type,unused-ignore]
        found = Axe().run(page, options=RULES).response
        assert found["passes"], "axe looked at nothing"
        assert [(one["id"], [node["html"] for node in one["nodes"]][:4]) for one in found["violations"]] == [], scheme


def test_the_check_for_readers_finds_what_is_wrong(page: Page) -> None:
    """The check above can fail: text that is too pale is found."""
    settled(page)
    page.evaluate("document.querySelector('.state p').style.setProperty('color', '#ccc')")
    found = Axe().run(page, options=RULES)
    assert "color-contrast" in [one["id"] for one in found.response["violations"]]


@pytest.mark.parametrize("width", [320, 360, 640, 800, 1081, 1920])
def test_nothing_scrolls_sideways(open_page: Callable[..., Page], server: Served, width: int) -> None:
    page = open_page(
        address(server.url, q="session cookie", pick="web/session.py:7-9"), viewport={"width": width, "height": 800}
    )
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for button in page.locator("button:not(.facets button):visible, a.button:visible").all():
        box = button.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width + 0.5


def test_nothing_comes_from_elsewhere_and_it_is_small(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page("about:blank")
    asked: dict[str, int] = {}
    page.on("requestfinished", lambda request: asked.update({request.url: request.sizes()["responseBodySize"]}))
    page.goto(server.url)
    settled(page)
    assert asked and all(url.startswith(server.url) for url in asked)
    ours = {url: size for url, size in asked.items() if "/v1/" not in url}
    assert len(ours) > 10
    assert sum(ours.values()) < 90_000, ours


def test_the_theme_can_be_chosen_and_is_kept(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(server.url, color_scheme="light")

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = ground()
    page.get_by_role("button", name="Theme: system").click()
    assert ground() == light
    page.get_by_role("button", name="Theme: light").click()
    dark = ground()
    assert dark != light
    page.reload()
    assert ground() == dark
    page.get_by_role("button", name="Theme: dark").click()
    assert ground() == light


def test_the_theme_follows_the_system(open_page: Callable[..., Page], server: Served) -> None:
    grounds = {
        scheme: open_page(server.url, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert grounds["light"] != grounds["dark"]


def test_a_screen_reader_hears_how_it_stands(page: Page) -> None:
    live = page.locator("#status")
    assert live.get_attribute("aria-live") == "polite"
    ask(page, "session cookie")
    expect(live).to_have_text(re.compile(r"^\d+ functions in market"))
    tree = page.locator("main").aria_snapshot()
    assert "search" in tree
    assert 'list "Results"' in tree
    assert 'heading "Session.sign_cookie" [level=3]' in tree
    assert 'complementary "About this place"' in tree
    assert 'tab "Why" [selected]' in tree
    assert re.search(r'img "Strongest first: [^"]*Your words', tree)


def test_headings_are_in_order(page: Page) -> None:
    ask(page, "session cookie")
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels


def test_motion_is_only_for_those_who_want_it(open_page: Callable[..., Page], server: Served) -> None:
    for motion, wanted in (("reduce", True), ("no-preference", False)):
        page = open_page(server.url, reduced_motion=motion)
        length = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--calm')")
        assert (length.strip() == "0s") is wanted


def test_results_move_to_their_final_places(open_page: Callable[..., Page], server: Served) -> None:
    """What was there already is the same element afterwards: focus stays where it was."""
    page = open_page(server.url, reduced_motion="no-preference")
    ask(page, "session cookie")
    first = results(page).first
    first.locator("h3 a").focus()
    page.evaluate("document.querySelector('.result').dataset.mine = 'yes'")
    page.get_by_label("Fast", exact=True).evaluate("input => input.click()")
    answered(page)
    assert page.locator('.result[data-mine="yes"]').count() == 1
    expect(panel(page)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_menu_of_options_is_accessible(open_page: Callable[..., Page], server: Served, scheme: str) -> None:
    page = open_page(address(server.url, q="cookie", graph="1"), color_scheme=scheme)
    answered(page)
    page.locator("#options summary").click()
    assert Axe().run(page, context="#options", options=RULES).response["violations"] == []
