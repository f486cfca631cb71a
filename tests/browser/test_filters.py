"""Filters: each changes what is found, and the address says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.asking import address, answered, ask, panel, places, results, state
from tests.browser.served import Served, served
from tests.conftest import Repo

QUERY = "session cookie"


def paths(page: Page) -> set[str]:
    """The files that results stand in."""
    return {place.split(" ")[0] for place in places(page)}


@pytest.mark.parametrize(
    ("label", "kinds"),
    [("Functions", {"method", "function"}), ("Classes", {"class"}), ("Files", {"file"})],
)
def test_the_level_says_what_is_ranked(page: Page, label: str, kinds: set[str]) -> None:
    ask(page, QUERY)
    page.get_by_label(label, exact=True).check()
    answered(page)
    shown = [text.split(" · ")[1] for text in results(page).locator(".where").all_inner_texts()]
    assert shown and set(shown) <= kinds
    assert state(page).get("level", "function") == {"Functions": "function", "Classes": "class", "Files": "file"}[label]


def test_languages_come_from_the_repository(page: Page) -> None:
    ask(page, "total of all items in the cart")
    assert {"lib/cart.js", "mail/letters.py"} <= paths(page)
    page.locator("#language summary").click()
    expect(page.locator("#language-list label")).to_contain_text(["Python", "JavaScript"])
    page.get_by_label("JavaScript").check()
    answered(page)
    assert paths(page) == {"lib/cart.js"}
    assert state(page)["language"] == "javascript"
    expect(page.get_by_label("JavaScript")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_label("JavaScript")).to_be_hidden()
    expect(page.locator("#language-chosen")).to_have_text("JavaScript")


def test_a_folder_restricts_the_answer(page: Page) -> None:
    ask(page, QUERY)
    assert len({path.split("/")[0] for path in paths(page)}) > 1
    page.get_by_label("Folder", exact=True).fill("warehouse")
    page.get_by_label("Folder", exact=True).press("Enter")
    answered(page)
    assert paths(page) == {"warehouse/stock.py"}
    assert state(page)["folder"] == "warehouse"


def test_tests_can_be_left_out(page: Page) -> None:
    ask(page, QUERY)
    assert "tests/test_session.py" in paths(page)
    page.get_by_label("Include tests").uncheck()
    answered(page)
    assert "tests/test_session.py" not in paths(page)
    assert state(page)["tests"] == "0"


def test_the_past_can_be_searched(page: Page) -> None:
    ask(page, "read old sessions")
    assert "web/legacy.py" not in paths(page)
    page.get_by_label("As of").fill("old")
    page.get_by_label("As of").press("Enter")
    answered(page)
    assert places(page)[0] == "web/legacy.py read_legacy_session"
    panel(page).get_by_role("tab", name="Source").click()
    expect(panel(page).locator(".code")).to_contain_text("data.split('|')")


def test_effort_says_whether_models_read(page: Page) -> None:
    ask(page, QUERY)
    page.get_by_label("Thorough", exact=True).check()
    answered(page)
    expect(panel(page).locator('[data-signal="encoder"]')).to_have_count(1)
    page.get_by_label("Fast", exact=True).check()
    answered(page)
    expect(panel(page).locator('[data-signal="lexical"]')).to_have_count(1)
    expect(panel(page).locator('[data-signal="encoder"]')).to_have_count(0)


def test_the_number_of_results_can_be_chosen(page: Page) -> None:
    ask(page, QUERY)
    assert results(page).count() > 5
    page.get_by_label("Show", exact=True).select_option("5")
    answered(page)
    assert results(page).count() == 5


def test_filters_can_be_cleared(page: Page, server: Served) -> None:
    page.goto(address(server.url, q=QUERY, level="file", folder="web", tests=0, k=20, language="python"))
    page.reload()
    answered(page)
    assert paths(page) == {"web/session.py"}
    page.get_by_role("button", name="Clear filters").click()
    answered(page)
    assert state(page) == {"q": QUERY}
    expect(page.get_by_label("Folder", exact=True)).to_have_value("")
    expect(page.get_by_label("Functions", exact=True)).to_be_checked()
    expect(page.get_by_role("button", name="Clear filters")).to_be_hidden()


def test_several_repositories_are_searched_together_or_one_by_one(
    open_page: Callable[..., Page], market: Repo, tmp_path: Path
) -> None:
    other = Repo(tmp_path / "bakery")
    other.commit("Bake", {"oven.py": 'def session_cookie():\n    """Bake a cookie for the session."""\n    return 1\n'})
    with served([market.root, other.root], tmp_path / "store", models="none") as both:
        both.wait_ready()
        page = open_page(both.url)
        ask(page, QUERY)
        names = {text.split(" · ")[0] for text in results(page).locator(".where").all_inner_texts()}
        assert names == {"market", "bakery"}
        page.get_by_label("Repository", exact=True).select_option("bakery")
        answered(page)
        assert paths(page) == {"oven.py"}
        assert state(page)["repository"] == "bakery"
        page.get_by_label("Repository", exact=True).select_option("")
        answered(page)
        baked = results(page).filter(has_text="bakery")
        baked.first.locator("h3 a").click()
        assert state(page)["of"] == "bakery"
        panel(page).get_by_role("tab", name="Source").click()
        expect(panel(page).locator(".code")).to_contain_text("Bake a cookie")
        panel(page).get_by_role("link", name="Graph").click()
        expect(page.locator("#graph-title")).to_contain_text("session_cookie")


def test_on_a_phone_filters_are_folded_away(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    ask(page, QUERY)
    expect(page.get_by_label("Folder", exact=True)).to_be_hidden()
    page.locator("#fold").click()
    page.get_by_label("Folder", exact=True).fill("web")
    page.get_by_label("Folder", exact=True).press("Enter")
    answered(page)
    assert paths(page) == {"web/session.py"}
    expect(page.locator("#fold")).to_have_text("Filters (1)")


def body(request: Request) -> Any:
    """The body of a request."""
    return request.post_data_json


def test_options_are_sent_and_kept_in_the_address(page: Page) -> None:
    ask(page, "deliver a letter")
    menu = page.locator("#options")
    menu.locator("summary").click()
    box = page.locator("#option-list").bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 1360
    with page.expect_request("**/v1/search/stream") as sent:
        menu.get_by_label("Related code").check()
    assert body(sent.value)["graph"] is True
    answered(page)
    with page.expect_request("**/v1/search/stream") as sent:
        menu.get_by_label("Mode", exact=True).fill("bm25")
        menu.get_by_label("Mode", exact=True).press("Enter")
    assert (body(sent.value)["mode"], body(sent.value)["graph"]) == ("bm25", True)
    answered(page)
    with page.expect_request("**/v1/search/stream") as sent:
        menu.get_by_label("Rerank with models").select_option("Never")
    assert body(sent.value)["rerank"] is False
    answered(page)
    assert {name: state(page)[name] for name in ("graph", "mode", "rerank")} == {
        "graph": "1",
        "mode": "bm25",
        "rerank": "0",
    }
    expect(page.locator("#options-chosen")).to_have_text("3 set")
    page.reload()
    answered(page)
    menu.locator("summary").click()
    expect(menu.get_by_label("Related code")).to_be_checked()
    expect(menu.get_by_label("Mode", exact=True)).to_have_value("bm25")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Clear filters").click()
    answered(page)
    expect(page.locator("#options-chosen")).to_have_text("Default")


def test_a_mode_that_does_not_exist_is_explained(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(address(server.url, q="deliver a letter", mode="nonsense"))
    expect(page.locator("#stage")).to_contain_text("nonsense")
