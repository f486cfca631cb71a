"""What the results have in common: chips that narrow them down, results by file, and the lines that match."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.asking import address, answered, ask, panel, places, results, state
from tests.browser.served import Served

QUERY = "session cookie"


def test_chips_narrow_the_results_without_another_search(page: Page) -> None:
    ask(page, QUERY)
    before = places(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    chip = page.get_by_role("group", name="Narrow by folder").get_by_role("button", name=re.compile("^mail"))
    count = int(chip.locator(".count").inner_text())
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    assert [place.split("/")[0] for place in places(page)] == ["mail"] * count
    assert state(page)["only"] == "folder:mail"
    assert not [url for url in asked if "/search" in url]
    page.reload()
    answered(page)
    assert results(page).count() == count
    chip.click()
    assert places(page) == before


def test_values_of_one_kind_add_up_and_kinds_limit_each_other(page: Page) -> None:
    ask(page, QUERY)
    kinds, folders = (page.get_by_role("group", name=f"Narrow by {name}") for name in ("kind", "folder"))
    kinds.get_by_role("button", name=re.compile("^method")).click()
    methods = results(page).count()
    inside = folders.locator(".count").all_inner_texts()
    assert sum(map(int, inside)) <= methods
    kinds.get_by_role("button", name=re.compile("^function")).click()
    assert results(page).count() > methods
    page.get_by_role("button", name="Clear filters").click()
    answered(page)
    assert "only" not in state(page)


def test_more_results_are_shown_when_asked_for(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(address(server.url, q=QUERY, k=2))
    answered(page)
    assert results(page).count() == 2
    first = places(page)
    page.get_by_role("button", name=re.compile("^Show 1?[0-9] more")).click()
    assert places(page)[:2] == first
    assert results(page).count() > 2
    expect(page.locator("#status")).to_have_text(re.compile(rf"^{results(page).count()} functions"))


def test_a_folder_can_be_searched_as_a_whole(page: Page) -> None:
    ask(page, QUERY)
    page.get_by_role("group", name="Narrow by folder").get_by_role("button", name=re.compile("^mail")).click()
    page.get_by_role("button", name="Search only there").click()
    answered(page)
    assert state(page)["folder"] == "mail" and "only" not in state(page)
    assert {place.split("/")[0] for place in places(page)} == {"mail"}


def test_results_stand_below_their_files(page: Page) -> None:
    ask(page, QUERY)
    ranked = places(page)
    page.get_by_label("By file", exact=True).check()
    groups = page.locator(".results > .group")
    assert 1 < groups.count() < len(ranked)
    assert groups.first.locator(".group-head .path").inner_text() == ranked[0].split()[0]
    heads = [head.split("/")[-1] for head in groups.locator(".group-head .path").all_inner_texts()]
    assert len(set(heads)) == len(heads)
    assert results(page).count() == len(ranked)
    results(page).first.locator("h3 a").focus()
    for _ in range(groups.first.locator(".result").count()):
        page.keyboard.press("j")
    expect(groups.nth(1).locator("h3 a").first).to_be_focused()
    page.keyboard.press("f")
    expect(groups).to_have_count(0)
    assert places(page) == ranked


def test_matching_lines_are_marked_and_the_rest_opens(open_page: Callable[..., Page], server: Served) -> None:
    """A stub of the answer: a function of forty lines, of which one matches, behind a character of two UTF-16 units."""
    page = open_page("about:blank")
    answer = server.get("search?query=cookie&k=1&explain=true")
    matches = [
        {"line": 9, "text": "        '\U0001f36a' + cookie", "spans": [[14, 20]]},
        {"line": 7, "text": "    def sign_cookie(self, value):", "spans": []},
    ]
    lines = {"start_line": 7, "end_line": 47, "line": 9, "snippet": "def a():", "matches": matches}
    long = {**answer, "stage": "final", "results": [{**answer["results"][0], **lines}]}
    body = f"event: results\ndata: {json.dumps(long)}\n\nevent: done\ndata: {{}}\n\n"
    page.route("**/search/stream", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.goto(address(server.url, q="cookie"))
    answered(page)
    shown = results(page).first.locator(".excerpt")
    assert shown.locator(".l").evaluate_all("all => all.map((one) => one.dataset.n)") == ["7", "9"]
    assert shown.locator(".hit mark").all_inner_texts() == ["cookie"]
    expect(shown.locator(".gap")).to_have_count(1)
    rest = shown.get_by_role("button", name="39 more lines")
    rest.click()
    expect(shown.locator(".l").first).to_contain_text("def sign_cookie")
    expect(shown.locator('[data-n="8"]')).to_have_count(1)
    expect(shown.get_by_role("button", name="Fewer lines")).to_have_attribute("aria-expanded", "true")
    shown.get_by_role("button", name="Fewer lines").click()
    assert shown.locator(".l").count() == 2


def test_the_source_takes_the_place_of_the_excerpts(page: Page) -> None:
    """Beside the source the list has titles only, and the source is wider than the list."""
    ask(page, QUERY)
    expect(results(page).first.locator(".excerpt")).to_be_visible()
    panel(page).get_by_role("tab", name="Source").click()
    expect(panel(page).locator(".l.here").first).to_be_visible()
    expect(results(page).first.locator(".excerpt")).to_be_hidden()
    wide, narrow = (found.bounding_box() for found in (panel(page), results(page).first))
    assert wide is not None and narrow is not None and wide["width"] > 1.5 * narrow["width"]
    panel(page).get_by_role("tab", name="Why").click()
    expect(results(page).first.locator(".excerpt")).to_be_visible()


def test_examples_of_the_repository_can_be_clicked(page: Page) -> None:
    tries = page.locator(".try")
    expect(tries.first).to_be_visible()
    query = tries.last.inner_text()
    tries.last.click()
    answered(page)
    assert state(page)["q"] == query
    assert results(page).count() > 0
