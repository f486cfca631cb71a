"""The panel beside a result: its reasons as bars, the commits behind it, its source, what it hangs together with."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import address, answered, ask, panel, results, state, titles
from tests.browser.served import Served

QUERY = "sign the session cookie against tampering"


def test_every_signal_is_a_bar_as_long_as_its_value(page: Page, server: Served) -> None:
    page.get_by_label("Thorough", exact=True).check()  # whatever the machine's speed, models read the same
    ask(page, QUERY)
    said = server.get("search?effort=thorough&query=" + QUERY.replace(" ", "%20"))["results"][0]
    shown = panel(page).locator(".signal")
    panel(page).get_by_role("button", name="Numbers").click()
    assert said["symbol"] == "Session.sign_cookie"
    assert shown.count() == len(said["why"]) >= 3
    bars = {
        one.get_attribute("data-signal"): (
            float(one.locator(".value").inner_text().replace("−", "-")),
            one.locator(".track i").evaluate("bar => bar.getBoundingClientRect().width"),
        )
        for one in shown.all()
    }
    assert set(bars) == {why["signal"] for why in said["why"]}
    longest = max(width for _, width in bars.values())
    highest = max(value for value, _ in bars.values())
    assert longest > 100
    for value, width in bars.values():
        if value > 0:
            assert width / longest == pytest.approx(value / highest, abs=0.03)
    total = sum(value for value, _ in bars.values())
    assert float(panel(page).locator(".sum b").inner_text()) == pytest.approx(total, abs=0.02 * len(bars))


def test_numbers_are_there_for_those_who_ask(page: Page) -> None:
    ask(page, QUERY)
    expect(results(page).first.locator(".reason")).to_contain_text("name has")
    numbers = panel(page).get_by_role("button", name="Numbers")
    words = panel(page).locator('[data-signal="lexical"]')
    expect(words).to_contain_text("name has")
    expect(words.locator(".value")).to_be_hidden()
    expect(panel(page)).not_to_contain_text("cosine", use_inner_text=True)
    numbers.click()
    expect(numbers).to_have_attribute("aria-pressed", "true")
    expect(words.locator(".value")).to_be_visible()
    expect(panel(page)).to_contain_text("cosine", use_inner_text=True)
    results(page).nth(1).locator("h3 a").click()
    expect(panel(page).locator(".value").first).to_be_visible()
    panel(page).get_by_role("button", name="Numbers").click()
    expect(panel(page).locator(".value").first).to_be_hidden()


def test_past_commits_stand_behind_a_result_and_can_be_opened(page: Page) -> None:
    ask(page, QUERY)
    past = panel(page).locator('[data-signal="commits"] .past li')
    expect(past.first).to_contain_text("Sign the session cookie against tampering")
    expect(past.first).to_contain_text(re.compile(r"\d{4}-\d\d-\d\d"))
    past.first.get_by_role("link").click()
    answered(page)
    assert state(page)["view"] == "commit"
    expect(page.get_by_role("heading", level=2)).to_have_text("Sign the session cookie against tampering")


def test_the_panel_speaks_of_the_result_that_was_picked(page: Page) -> None:
    ask(page, QUERY)
    expect(results(page).first).to_have_class(re.compile("picked"))
    expect(panel(page).get_by_role("heading", level=2)).to_have_text(titles(page)[0])
    results(page).nth(2).locator("h3 a").click()
    expect(panel(page).get_by_role("heading", level=2)).to_have_text(titles(page)[2])
    expect(results(page).nth(2)).to_have_class(re.compile("picked"))
    expect(results(page).first).not_to_have_class(re.compile("picked"))
    assert state(page)["pick"].endswith(re.sub(r".*:", ":", state(page)["pick"]))


def test_the_source_shows_the_unit_within_its_file(page: Page, server: Served) -> None:
    ask(page, QUERY)
    panel(page).get_by_role("tab", name="Source").click()
    tinted = panel(page).locator(".code .l.here")
    expect(tinted).to_have_count(3)
    assert [line.get_attribute("data-n") for line in tinted.all()] == ["7", "8", "9"]
    assert panel(page).locator(".code .l").first.get_attribute("data-n") == "1"
    assert state(page)["tab"] == "source"


def test_a_whole_file_is_shown_at_the_lines_that_matched(page: Page, server: Served) -> None:
    page.goto(address(server.url, q="read a price in cents out of a text", level="file"))
    page.reload()
    answered(page)
    expect(results(page).first.locator("h3")).to_have_text("stock.py")
    marked = results(page).first.locator(".code .l.hit")
    assert "19" in marked.evaluate_all("all => all.map((one) => one.dataset.n)")
    panel(page).get_by_role("tab", name="Source").click()
    expect(panel(page).locator('.code .l.hit[data-n="19"]')).to_contain_text("def parse_price")


def test_showing_source_scrolls_the_panel_and_not_the_page(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 640})
    ask(page, "greet a customer by the session's cookie")
    page.get_by_label("Files", exact=True).check()
    answered(page)
    results(page).filter(has_text="letters.py").locator("h3 a").click()
    panel(page).get_by_role("tab", name="Source").click()
    line = panel(page).locator(".code .l.hit").filter(has_text="def greet")
    expect(line).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0
    assert panel(page).evaluate("one => one.scrollTop") > 0


def test_the_panel_ends_within_the_window_wherever_the_page_is_scrolled_to(page: Page) -> None:
    ask(page, QUERY)
    panel(page).get_by_role("tab", name="Related").click()
    expect(panel(page).locator(".relatives").first).to_be_visible()
    for place in (0, 60, 200):
        page.evaluate(f"scrollTo(0, {place})")
        page.wait_for_function("document.querySelector('.panel').getBoundingClientRect().bottom <= innerHeight")


def test_related_code_can_be_followed_and_left_again(page: Page) -> None:
    ask(page, "hand a letter to the mail server, retry")
    while "deliver" not in panel(page).get_by_role("heading", level=2).inner_text():
        page.keyboard.press("Escape")
        page.keyboard.press("j")
    panel(page).get_by_role("tab", name="Related").click()
    expect(panel(page).get_by_role("heading", name="Called by")).to_be_visible()
    called = panel(page).locator(".relatives").filter(has_text="Calls").get_by_role("link")
    expect(called.first).to_contain_text("knock")
    called.first.click()
    expect(panel(page).get_by_role("heading", level=2)).to_have_text("knock")
    if panel(page).get_by_role("button", name="Back").count():
        panel(page).get_by_role("button", name="Back").click()
    else:
        page.go_back()
    expect(panel(page).get_by_role("heading", level=2)).to_have_text("deliver")


def test_on_a_narrow_screen_the_panel_opens_within_its_result(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    ask(page, QUERY)
    expect(panel(page)).to_have_count(0)
    results(page).first.locator("h3 a").click()
    expect(results(page).first.locator(".panel .signal").first).to_be_visible()
    page.set_viewport_size({"width": 1360, "height": 900})
    expect(results(page).first.locator(".panel")).to_have_count(0)
    expect(panel(page)).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    results(page).first.locator("h3 a").click()
    expect(panel(page)).to_have_count(0)
