"""Searching: what is asked, what comes, and that the address holds it."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.asking import address, answered, ask, panel, places, results, state, titles
from tests.browser.served import Served
from tests.conftest import Repo

QUERY = "where is the session cookie signed?"
ISSUE = """Cookies can be forged

Steps:
1. change the cookie

Traceback (most recent call last):
  File "web/session.py", line 9, in sign_cookie
TypeError: sign_cookie
"""
LISTEN = """
  window.said = [];
  document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("status");
    new MutationObserver(() => window.said.push(place.textContent)).observe(place, { childList: true });
  });
"""


def test_a_question_finds_the_function_that_answers_it(page: Page) -> None:
    ask(page, QUERY)
    assert places(page)[0] == "web/session.py Session.sign_cookie"
    assert 3 <= results(page).count() <= 10
    expect(page.locator("#status")).to_contain_text("functions in market at ")
    expect(page).to_have_title(f"{QUERY} · Trackdown")


def test_code_has_line_numbers_and_colours(page: Page) -> None:
    ask(page, QUERY)
    first = results(page).first
    lines = first.locator(".code .l")
    assert lines.first.get_attribute("data-n") == "7"
    expect(lines.first).to_have_text(re.compile(r"^    def sign_cookie\(self, value: str\) -> str:\s*$"))
    expect(first.locator(".t-keyword").first).to_have_text("def")
    expect(first.locator(".t-string")).to_have_text('"""Sign the session cookie."""')
    keyword, plain = (
        first.locator(chosen).first.evaluate("node => getComputedStyle(node).color") for chosen in (".t-keyword", ".l")
    )
    assert keyword != plain
    assert "sign" in [text.lower() for text in first.locator("mark").all_inner_texts()]


def test_the_first_look_comes_before_the_final_order(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page("about:blank")
    page.add_init_script(LISTEN)
    page.goto(address(server.url, q="price of reserved items in the cart", effort="thorough"))
    answered(page)
    said = page.evaluate("window.said")
    first = next(at for at, text in enumerate(said) if "first ranking" in text)
    last = next(at for at, text in enumerate(said) if "functions in market" in text)
    assert first < last
    answer = server.get("search?effort=thorough&query=price%20of%20reserved%20items%20in%20the%20cart")
    assert titles(page) == [result["symbol"] or result["path"].split("/")[-1] for result in answer["results"]]
    assert {"encoder", "code-reranker"} & {why["signal"] for result in answer["results"] for why in result["why"]}


def test_a_pasted_issue_is_taken_as_it_is(page: Page) -> None:
    ask(page, ISSUE)
    assert places(page)[0] == "web/session.py Session.sign_cookie"
    assert state(page)["q"].strip() == ISSUE.strip()
    expect(panel(page).locator('[data-signal="mentions"]')).to_be_visible()
    box, title = page.get_by_label("An issue, a question or a name"), page.locator("#issue")
    expect(title).to_have_text(re.compile("^Cookies can be forged 8 lines"))
    expect(title).to_be_focused()
    expect(box).to_be_hidden()
    title.click()
    expect(box).to_be_focused()
    assert box.evaluate("area => area.clientHeight") > 120
    page.get_by_role("button", name="Show less").click()
    expect(title).to_be_focused()
    page.keyboard.press("/")
    expect(box).to_be_focused()
    ask(page, QUERY)
    expect(box).to_be_visible()
    expect(title).to_be_hidden()


def test_shift_enter_begins_a_line_and_asks_nothing(page: Page) -> None:
    box = page.get_by_label("An issue, a question or a name")
    box.fill("one")
    box.press("Shift+Enter")
    box.type("two")
    assert box.input_value() == "one\ntwo"
    assert state(page) == {}


def test_the_path_can_be_copied(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(address(server.url, q=QUERY), permissions=["clipboard-read", "clipboard-write"])
    answered(page)
    results(page).first.get_by_role("button", name="Copy the path").click()
    expect(page.locator("#toast")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "web/session.py"
    panel(page).get_by_role("button", name="Copy path:line").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text === 'web/session.py:7')")


def test_links_open_the_chosen_editor(page: Page, market: Repo) -> None:
    ask(page, QUERY)
    link = results(page).first.locator("[data-editor]")
    expect(link).to_have_attribute("href", f"vscode://file{market.root}/web/session.py:7")
    page.get_by_role("button", name="Keys and settings").click()
    page.get_by_label("Open files in").select_option("zed")
    page.keyboard.press("Escape")
    expect(link).to_have_attribute("href", f"zed://file{market.root}/web/session.py:7")
    expect(panel(page).get_by_role("link", name="Open in Zed")).to_be_visible()
    page.reload()
    answered(page)
    expect(link).to_have_attribute("href", f"zed://file{market.root}/web/session.py:7")


def test_the_past_has_no_link_into_an_editor(page: Page) -> None:
    ask(page, QUERY)
    expect(results(page).first.locator("[data-editor]")).to_be_visible()
    page.get_by_label("As of").fill("old")
    page.get_by_label("As of").press("Enter")
    answered(page)
    assert results(page).count() > 0
    expect(page.locator("[data-editor]")).to_have_count(0)


def test_an_address_shows_the_same_to_somebody_else(open_page: Callable[..., Page], server: Served) -> None:
    one = open_page(address(server.url, effort="thorough"))
    ask(one, "letter busy server")
    one.get_by_label("Both", exact=True).check()
    answered(one)
    results(one).nth(1).locator("h3 a").click()
    panel(one).get_by_role("tab", name="Source").click()
    expect(panel(one).locator(".code .l.here").first).to_be_visible()
    other = open_page(one.url)
    answered(other)
    expect(panel(other).locator(".code .l.here").first).to_be_visible()
    assert places(other) == places(one)
    assert panel(other).inner_text() == panel(one).inner_text()
    expect(other.get_by_label("Both", exact=True)).to_be_checked()
    expect(other.get_by_label("An issue, a question or a name")).to_have_value("letter busy server")


def test_back_and_forward_go_through_what_was_asked(page: Page) -> None:
    ask(page, QUERY)
    first = places(page)
    ask(page, "read a price in cents")
    second = places(page)
    assert second[0] == "warehouse/stock.py parse_price" != first[0]
    page.go_back()
    expect(page.get_by_label("An issue, a question or a name")).to_have_value(QUERY)
    expect(results(page).first.locator("h3")).to_have_text("Session.sign_cookie")
    assert places(page) == first
    page.go_back()
    expect(page.get_by_role("heading", name="Which code is this about?")).to_be_visible()
    page.go_forward()
    page.go_forward()
    expect(results(page).first.locator("h3")).to_have_text("parse_price")
    assert places(page) == second


def test_a_new_question_takes_the_place_of_one_under_way(page: Page, server: Served) -> None:
    """The stream of the first is cut off, and what it might still say is not shown."""
    held: list[Route] = []
    page.route("**/v1/search/stream", lambda route: held.append(route) if not held else route.continue_())
    box = page.get_by_label("An issue, a question or a name")
    box.fill("letters to customers")
    box.press("Enter")
    expect(page.locator("#stage[aria-busy]")).to_have_count(1)
    page.wait_for_timeout(100)
    assert len(held) == 1
    ask(page, "read a price in cents")
    assert places(page)[0] == "warehouse/stock.py parse_price"
    held[0].abort()
    page.wait_for_timeout(200)
    assert places(page)[0] == "warehouse/stock.py parse_price"


def test_nothing_of_a_question_reaches_the_servers_address(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ask(page, "verysecretwords cookie")
    page.reload()
    answered(page)
    assert len(asked) > 10
    assert not [url for url in asked if "verysecretwords" in url]
