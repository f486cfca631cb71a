"""An issue by its name: offered where the server fetches issues, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import address, answered, ask, places, state
from tests.browser.repositories import build_market
from tests.browser.served import Served, served
from tests.trackers.code_host import code_host, github_issue


@pytest.fixture(scope="module")
def fetching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that fetches issues of a clone of the market."""
    market = build_market(tmp_path_factory.mktemp("issues") / "market")
    with code_host() as host:
        host.has("gitea", 7, github_issue("The session cookie is not signed", "Anybody can change the cookie."))
        market.git("remote", "add", "origin", f"{host.url}/shop/web.git")
        store = tmp_path_factory.mktemp("served-issues") / "store"
        with served([market.root], store, "--fetch-issues", GITEA_SERVER_URL=host.url) as found:
            found.wait_ready()
            yield found


def test_an_issue_is_searched_for_by_its_name(open_page: Callable[..., Page], fetching: Served) -> None:
    page = open_page(fetching.url)
    field = page.get_by_label("Issue by name")
    field.fill(" #7 ")
    field.press("Enter")
    answered(page)
    assert places(page)[0] == "web/session.py Session.sign_cookie"
    assert state(page)["issue"] == "#7" and "q" not in state(page)
    expect(page).to_have_title("Issue #7 · Trackdown")
    expect(page.locator("#notes")).to_contain_text("fetched")


def test_a_look_at_the_server_leaves_what_is_being_typed(open_page: Callable[..., Page], fetching: Served) -> None:
    page = open_page(fetching.url)
    field = page.get_by_label("Issue by name")
    field.fill("#7")
    with page.expect_response("**/v1/repositories?*"):
        page.evaluate("document.dispatchEvent(new Event('token'))")  # as when a token was typed: look at once
    expect(page.locator("#index-state")).to_have_attribute("data-state", "ready")
    page.wait_for_timeout(100)  # the answer is shown in a later task of the page
    expect(field).to_have_value("#7")


def test_a_query_takes_the_place_of_an_issue_and_back_leads_to_it(
    open_page: Callable[..., Page], fetching: Served
) -> None:
    page = open_page(address(fetching.url, issue="7"))
    answered(page)
    assert places(page)[0] == "web/session.py Session.sign_cookie"
    expect(page.get_by_label("Issue by name")).to_have_value("7")
    ask(page, "price of reserved items in the cart")
    assert "issue" not in state(page)
    expect(page.get_by_label("Issue by name")).to_have_value("")
    page.go_back()
    answered(page)
    assert state(page)["issue"] == "7"


def test_what_names_no_issue_is_said_so(open_page: Callable[..., Page], fetching: Served) -> None:
    page = open_page(address(fetching.url, issue="nonsense"))
    answered(page)
    expect(page.locator("#stage")).to_contain_text("names no issue")


def test_nothing_is_offered_where_issues_are_not_fetched(page: Page) -> None:
    expect(page.locator("#index-state")).to_have_attribute("data-state", "ready")
    expect(page.get_by_label("Issue by name")).to_be_hidden()
