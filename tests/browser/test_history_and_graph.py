"""The history view and the graph view."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.asking import address, answered, ask, panel, places, results, state
from tests.browser.served import Served
from tests.conftest import Repo


def history(page: Page, query: str) -> Locator:
    """Ask the history; the commits found."""
    page.get_by_role("link", name="History").click()
    ask(page, query)
    return page.locator(".commit")


def test_past_commits_are_found_with_their_files_under_present_names(page: Page, market: Repo) -> None:
    commits = history(page, "sum up the cart's price")
    first = commits.first
    expect(first.locator("h3")).to_have_text("Sum up the cart's total price")
    expect(first.locator(".files a")).to_have_text(["lib/cart.js"])
    expect(first.locator(".facts")).to_contain_text("Ada")
    expect(first.locator("time")).to_have_text("2020-09-13")
    assert {"cart", "price"} <= {text.lower() for text in first.locator("mark").all_inner_texts()}
    assert state(page) == {"view": "history", "q": "sum up the cart's price"}
    expect(page.get_by_label("Folder", exact=True)).to_be_hidden()


def test_a_file_of_a_commit_can_be_read(page: Page) -> None:
    history(page, "sum up the cart's price").first.locator(".files a").first.click()
    answered(page)
    expect(panel(page).locator(".code")).to_contain_text("export class Cart")


def test_the_code_before_a_commit_can_be_searched(page: Page, market: Repo) -> None:
    commit = history(page, "sign the session cookie against tampering").first
    commit.get_by_role("link", name="Search the code before it").click()
    answered(page)
    assert state(page)["at"].endswith("~1")
    first = results(page).filter(has_text="sign_cookie").first
    expect(first.locator(".code")).to_contain_text("return value")
    expect(first.locator(".code")).not_to_contain_text("self.secret")


def test_a_commit_opens_with_its_message_and_diff(page: Page, market: Repo) -> None:
    ask(page, "mail server is busy")
    page.get_by_role("link", name="History").click()
    answered(page)
    page.locator(".commit h3 a").filter(has_text="Retry when the mail server is busy").click()
    answered(page)
    expect(page.get_by_role("heading", level=2)).to_have_text("Retry when the mail server is busy")
    assert state(page)["commit"] == market.git("rev-parse", "HEAD")
    expect(page.locator(".diff summary .path")).to_have_text("mail/letters.py")
    gone, come = page.locator(".diff .del"), page.locator(".diff .add")
    expect(gone).to_contain_text("waits and retries three times")
    expect(come).to_contain_text("waits and retries it three times")
    assert gone.get_attribute("data-n") == come.get_attribute("data-n") == "27"
    page.get_by_role("link", name=re.compile("^deliver changed")).click()
    expect(panel(page).locator(".l.here").first).to_contain_text("def deliver")
    page.go_back()
    page.get_by_role("button", name="← Back").click()
    expect(page.locator(".commit").first).to_be_visible()


def test_blame_says_who_changed_a_line_and_leads_to_the_commit(page: Page) -> None:
    ask(page, "hand a letter to the mail server, retry")
    results(page).filter(has_text="deliver").locator("h3 a").first.click()
    panel(page).get_by_role("tab", name="Blame").click()
    line = panel(page).locator(".blame li").filter(has_text="Retry when the mail server is busy")
    expect(line.locator(".lines")).to_have_text("27")
    line.get_by_role("link").click()
    answered(page)
    expect(page.get_by_role("heading", level=2)).to_have_text("Retry when the mail server is busy")


def test_no_commit_like_it_is_said_so(page: Page) -> None:
    history(page, "zebra quagga okapi")
    expect(page.get_by_role("heading", name="No past commit resembles this")).to_be_visible()
    page.get_by_role("button", name="Look in the code").click()
    answered(page)
    assert "view" not in state(page)


def graph(open_page: Callable[..., Page], server: Served, **options: object) -> Page:
    """The graph around a function, drawn."""
    target = "mail/letters.py:26"
    page = open_page(address(server.url, q="deliver a letter", view="graph", target=target), **options)
    expect(page.locator(".node").first).to_be_visible()
    return page


def test_the_graph_draws_what_the_server_says(
    open_page: Callable[..., Page], server: Served, complaints: list[str]
) -> None:
    page = graph(open_page, server)
    said = server.get("graph?target=mail/letters.py:26")
    assert page.locator(".node").count() == len(said["nodes"]) >= 4
    assert page.locator("svg path.edge").count() >= len(said["edges"]) >= 3
    names = page.locator(".node .name").all_text_contents()
    assert names[0] == "deliver" and {"knock", "Letter.send"} <= set(names)
    boxes = [node.bounding_box() for node in page.locator(".node .shape").all()]
    canvas = page.locator(".canvas").bounding_box()
    assert canvas is not None
    for box in boxes:
        assert box is not None and canvas["x"] <= box["x"] and box["x"] + box["width"] <= canvas["x"] + canvas["width"]
    side = page.get_by_role("region", name="Selected place")
    expect(side).to_contain_text("Called by (1)")
    expect(side).to_contain_text("Calls (1)")
    assert complaints == []


def test_the_graph_is_walked_by_keyboard(open_page: Callable[..., Page], server: Served) -> None:
    page = graph(open_page, server)
    page.locator(".node").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".node:focus")).to_contain_text("knock")
    side = page.get_by_role("region", name="Selected place")
    expect(side.get_by_role("heading", level=3)).to_have_text("knock")
    expect(page.locator(".holding")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#graph-title")).to_contain_text("knock")
    assert state(page)["target"].startswith("mail/letters.py:")
    page.go_back()
    expect(page.locator("#graph-title")).to_contain_text("deliver")


def test_reach_direction_and_edges_can_be_chosen(open_page: Callable[..., Page], server: Served) -> None:
    page = graph(open_page, server)
    before = page.locator(".node").count()
    page.get_by_label("Reach").select_option("2")
    expect(page.locator(f".node:nth-child({before + 1})")).to_be_visible()
    assert state(page)["depth"] == "2"
    page.get_by_label("Reach").select_option("1")
    page.get_by_label("Direction").select_option("out")
    expect(page.locator("#status")).to_contain_text("2 places and 1 edge around deliver")
    page.get_by_label("Direction").select_option("both")
    expect(page.locator(".node")).to_have_count(before)
    page.get_by_label("contains").uncheck()
    expect(page.locator(".node:visible")).to_have_count(before - 1)
    expect(page.locator(".canvas path.edge.contains")).to_have_count(1)
    expect(page.locator(".canvas path.edge.contains[hidden]")).to_have_count(1)


def test_a_files_graph_fits_the_view(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(
        address(server.url, view="graph", target="mail/letters.py"), viewport={"width": 900, "height": 560}
    )
    answered(page)
    canvas = page.locator(".canvas").bounding_box()
    assert canvas is not None
    boxes = [box.bounding_box() for box in page.locator(".node").all()]
    assert len(boxes) > 5
    for box in boxes:
        assert (
            box is not None and canvas["y"] <= box["y"] and box["y"] + box["height"] <= canvas["y"] + canvas["height"]
        )
        assert canvas["x"] <= box["x"] and box["x"] + box["width"] <= canvas["x"] + canvas["width"]


def test_the_graph_can_be_zoomed_dragged_and_fitted(open_page: Callable[..., Page], server: Served) -> None:
    page = graph(open_page, server)
    shape = page.locator(".node .shape").first

    def width() -> float:
        box = shape.bounding_box()
        assert box is not None
        return float(box["width"])

    before = width()
    page.get_by_role("button", name="Zoom in").click()
    assert width() > before * 1.2
    page.get_by_role("button", name="Show all").click()
    assert abs(width() - before) < before * 0.1
    was = shape.bounding_box()
    canvas = page.locator(".canvas").bounding_box()
    assert was is not None and canvas is not None
    page.mouse.move(canvas["x"] + 20, canvas["y"] + 20)
    page.mouse.down()
    page.mouse.move(canvas["x"] + 120, canvas["y"] + 80, steps=5)
    page.mouse.up()
    now = shape.bounding_box()
    assert now is not None and 80 < now["x"] - was["x"] < 110


def test_from_a_result_to_its_graph_and_back(page: Page) -> None:
    ask(page, "deliver a letter to the mail server")
    before = places(page)
    panel(page).get_by_role("link", name="Graph").click()
    expect(page.locator(".node").first).to_be_visible()
    page.get_by_role("link", name="← Results").click()
    answered(page)
    assert places(page) == before


def test_on_a_phone_the_graph_stands_upright(open_page: Callable[..., Page], server: Served) -> None:
    page = graph(open_page, server, viewport={"width": 390, "height": 844})
    boxes = [node.bounding_box() for node in page.locator(".node .shape").all()]
    lefts = {round(box["x"]) for box in boxes if box is not None}
    assert len(lefts) == 1
