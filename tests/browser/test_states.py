"""What the page shows when there is nothing to show yet, nothing found, or something wrong."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.asking import address, answered, ask, panel, places, results, state
from tests.browser.served import Served, served
from tests.conftest import Repo

STREAM = "**/v1/search/stream"


def test_the_beginning_says_what_can_be_asked_and_what_there_is(page: Page) -> None:
    expect(page.get_by_role("heading", name="Which code is this about?")).to_be_visible()
    holdings = page.locator("#holdings li")
    expect(holdings).to_have_count(1)
    expect(holdings).to_contain_text(re.compile(r"market\s*\d+ files\s*\d+ units\s*9 commits\s*at [0-9a-f]{7}"))
    expect(page.locator("#index-state")).to_have_text("market")
    expect(page.locator("#query")).to_be_focused()


def test_while_it_waits_places_are_held_for_results(page: Page) -> None:
    held: list[Route] = []
    page.route(STREAM, lambda route: held.append(route))
    page.locator("#query").fill("cookie")
    page.keyboard.press("Enter")
    expect(page.locator(".ghost").first).to_be_visible()
    expect(page.locator("#status")).to_have_text("Searching…")
    expect(page.locator("#stage")).to_have_attribute("aria-busy", "true")
    held[0].continue_()
    answered(page)
    expect(page.locator(".ghost")).to_have_count(0)
    assert results(page).count() > 0


def test_nothing_found_offers_a_way_out(page: Page) -> None:
    page.get_by_label("Folder", exact=True).fill("no/such/folder")
    ask(page, "cookie")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.locator(".notes")).to_contain_text("no/such/folder")
    page.get_by_role("button", name="Search everywhere").click()
    answered(page)
    assert results(page).count() > 0
    assert state(page) == {"q": "cookie"}


def test_nothing_found_by_filters_in_the_query_does_not_blame_the_words(page: Page) -> None:
    ask(page, "cookie path:no/such/folder")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.locator("#stage")).to_contain_text("Nothing matches within these filters.")
    ask(page, "symbol:no_such_name")
    expect(page.locator("#stage")).to_contain_text("Nothing matches within these filters.")


def test_a_phrase_that_is_not_found_is_told_from_its_words(page: Page) -> None:
    stage, notes = page.locator("#stage"), page.locator("#notes")
    ask(page, '"cookie session the"')
    expect(stage).to_contain_text("No indexed file contains this phrase. Remove the quotes to search for its words.")
    expect(notes).to_be_empty()  # it would say the same
    ask(page, '"cookie session" "the cookie"')
    expect(stage).to_contain_text("No indexed file contains these phrases in one place.")


def test_a_phrase_outside_what_is_ranked_leads_to_files(page: Page, server: Served) -> None:
    note = "1 file has the phrase elsewhere: search with level file"
    empty = {**server.get("search?query=cookie&k=1"), "stage": "final", "results": [], "notes": [note]}
    said = f"event: results\ndata: {json.dumps(empty)}\n\nevent: done\ndata: {{}}\n\n"
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=said))
    ask(page, '"keeps cookies"')
    expect(page.locator("#stage")).to_contain_text("This phrase is in the code, but not in what you asked to find.")
    expect(page.get_by_role("button", name="Look for files")).to_be_visible()


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (
            ["only files that the filters or settings leave out contain the phrase"],
            "This phrase is only in files that your filters or the settings leave out.",
        ),
        (
            ["gson: no indexed file contains the phrase; remove the quotes to search for its words"],
            "The notes say where each repository has this phrase.",
        ),
    ],
)
def test_a_phrase_that_filters_or_one_repository_lack(page: Page, server: Served, notes: list[str], told: str) -> None:
    empty = {**server.get("search?query=cookie&k=1"), "stage": "final", "results": [], "notes": notes}
    said = f"event: results\ndata: {json.dumps(empty)}\n\nevent: done\ndata: {{}}\n\n"
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=said))
    ask(page, '"keeps cookies"')
    expect(page.locator("#stage")).to_contain_text(told)


def test_notes_keep_names_and_advice_speaks_of_the_page(page: Page, server: Served) -> None:
    weak = {"verdict": "weak", "probability": 0.07, "why": "nothing stands out. Ask for files (level file)"}
    notes = ["gson, ripgrep: no commit here mentions #12", "no commit here mentions #12", "src/a.py is left out"]
    answer = {**server.get("search?query=cookie&k=1"), "stage": "final", "confidence": weak, "notes": notes}
    said = f"event: results\ndata: {json.dumps(answer)}\n\nevent: done\ndata: {{}}\n\n"
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=said))
    ask(page, "cookie")
    shown = page.locator(".notes li")
    expect(shown).to_have_text([notes[0], "No commit here mentions #12", notes[2]])
    expect(shown.first).to_have_css("text-transform", "none")
    assert shown.first.inner_text() == notes[0]
    expect(page.locator(".verdict")).to_contain_text(
        "7% sure that a right place is listed: nothing stands out. Ask for files (choose Files)."
    )


def test_a_query_that_cannot_be_searched_is_not_tried_again(open_page: Callable[..., Page], server: Served) -> None:
    for view in ("search", "history"):
        alert = open_page(address(server.url, q="cookie lang:cobol", view=view)).get_by_role("alert")
        expect(alert.get_by_role("heading")).to_have_text("This query cannot be searched")
        expect(alert).to_contain_text("unknown language 'cobol'")
        expect(alert.get_by_role("button")).to_have_count(0)


def test_an_unknown_commit_is_an_error_that_names_it(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(address(server.url, q="cookie", at="no-such-branch"))
    alert = page.get_by_role("alert")
    expect(alert.get_by_role("heading")).to_have_text("No such commit, branch or tag")
    expect(alert).to_contain_text("no-such-branch")
    page.get_by_label("As of").fill("")
    page.get_by_label("As of").press("Enter")
    answered(page)
    assert results(page).count() > 0


def test_an_unknown_repository_is_an_error_that_names_it(open_page: Callable[..., Page], server: Served) -> None:
    for view in ("search", "history"):
        page = open_page(address(server.url, q="cookie", repository="elsewhere", view=view))
        expect(page.get_by_role("alert").get_by_role("heading")).to_have_text("No such repository")
        expect(page.get_by_role("alert")).to_contain_text("elsewhere")


def test_a_place_that_is_not_there_is_an_error_of_the_panel(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(address(server.url, q="cookie", pick="web/gone.py:3-9"))
    answered(page)
    expect(panel(page).get_by_role("alert")).to_contain_text("web/gone.py")
    assert results(page).count() > 0
    page.goto(address(server.url, q="cookie", view="graph", target="web/gone.py:3"))
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("web/gone.py")
    page.get_by_role("link", name="← Results").click()
    answered(page)
    assert results(page).count() > 0


def test_a_busy_server_is_asked_again_when_it_says(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(server.url)
    asked: list[float] = []

    def busy_once(route: Route) -> None:
        asked.append(time.monotonic())
        if len(asked) > 1:
            route.continue_()
            return
        route.fulfill(
            status=503,
            headers={"Retry-After": "2", "Content-Type": "application/problem+json"},
            body='{"title": "The server is busy", "status": 503, "detail": "128 requests are waiting"}',
        )

    page.route(STREAM, busy_once)
    page.locator("#query").fill("cookie")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The server is busy")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Trying again in \d s"))).to_be_visible()
    expect(results(page).first).to_be_visible()
    answered(page)
    assert len(asked) == 2 and asked[1] - asked[0] >= 1.5


def test_a_stream_that_breaks_off_is_not_taken_for_an_answer(page: Page) -> None:
    cut = 'event: progress\ndata: {"step": "parse", "done": 1, "total": 2}\n\nevent: resu'
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=cut))
    page.locator("#query").fill("cookie")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The answer was cut off")).to_be_visible()
    page.unroute(STREAM)
    page.get_by_role("button", name="Try again").click()
    answered(page)
    assert results(page).count() > 0


def test_a_problem_within_the_stream_is_shown(page: Page) -> None:
    problem = '{"title": "The disk is full", "status": 507, "detail": "no space left"}'
    said = f"event: problem\ndata: {problem}\n\nevent: done\ndata: {{}}\n\n"
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=said))
    page.locator("#query").fill("cookie")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The disk is full")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("no space left")


def test_a_server_that_died_is_said_so_and_found_again(
    open_page: Callable[..., Page], market: Repo, tmp_path: Path
) -> None:
    with served([market.root], tmp_path / "store", models="none") as first:
        first.wait_ready()
        port = first.url.rstrip("/").rpartition(":")[2]
        page = open_page(first.url)
        ask(page, "cookie")
        before = places(page)
        first.kill()
        page.locator("#query").fill("price")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="The server is not responding")).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("trackdown serve")
    with served([market.root], tmp_path / "store", "--port", port, models="none") as second:
        second.wait_ready()
        page.get_by_role("button", name="Try again").click()
        answered(page)
        assert results(page).count() > 0
        page.go_back()
        expect(results(page).first).to_be_visible()
        assert places(page) == before


def test_a_token_is_asked_for_and_never_becomes_part_of_an_address(
    open_page: Callable[..., Page], market: Repo, tmp_path: Path
) -> None:
    with served([market.root], tmp_path / "store", models="none", TRACKDOWN_TOKEN="open-sesame-0123456789") as guarded:
        page = open_page(address(guarded.url, q="cookie"))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()
        expect(page.get_by_label("Token")).to_be_focused()
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()
        page.get_by_label("Token").fill("open-sesame-0123456789")
        page.keyboard.press("Enter")
        expect(results(page).first).to_be_visible()
        panel(page).get_by_role("tab", name="Source").click()
        expect(panel(page).locator(".code .l.here").first).to_be_visible()
        page.reload()
        answered(page)
        assert results(page).count() > 0
        assert asked and not [url for url in asked if "sesame" in url] and "sesame" not in page.url


def test_a_token_is_asked_for_before_anything_was_searched(
    open_page: Callable[..., Page], market: Repo, tmp_path: Path
) -> None:
    with served([market.root], tmp_path / "store", models="none", TRACKDOWN_TOKEN="open-sesame-0123456789") as guarded:
        page = open_page(guarded.url)
        page.get_by_label("Token").fill("open-sesame-0123456789")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#holdings li")).to_contain_text("market")
        ask(page, "cookie")
        assert results(page).count() > 0


def test_reports_are_linked_only_where_a_link_needs_no_token(
    open_page: Callable[..., Page], market: Repo, tmp_path: Path
) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "run.html").write_text("<title>A run</title>")
    link = "a[href^='v1/reports/']"
    with served([market.root], tmp_path / "store", "--reports", str(reports), models="none") as free:
        expect(open_page(free.url).locator(link)).to_have_text("run.html")
    token, options = "open-sesame-0123456789", ("--reports", str(reports))
    with served([market.root], tmp_path / "other", *options, models="none", TRACKDOWN_TOKEN=token) as guarded:
        page = open_page(guarded.url)
        page.get_by_label("Token").fill(token)
        with page.expect_response("**/v1/reports?"):
            page.get_by_role("button", name="Continue").click()
        expect(page.locator("#holdings li")).to_contain_text("9 commits")
        expect(page.locator(link)).to_have_count(0)


def test_what_was_found_while_indexing_is_searched_again_when_the_index_is_ready(page: Page, server: Served) -> None:
    """The first answer says that it is partial; once the server says that it is ready, the page asks once more."""
    told = server.get("repositories")
    unready = [
        {**one, "ready": False, "indexing": {"step": "parse", "done": 3, "total": 10}} for one in told["repositories"]
    ]
    partial = {**server.get("search?query=cookie&k=1"), "partial": True, "stage": "final", "notes": ["1 of 9 files"]}
    part = f"event: results\ndata: {json.dumps(partial)}\n\nevent: done\ndata: {{}}\n\n"
    page.route("**/v1/repositories?", lambda route: route.fulfill(json={**told, "repositories": unready}))
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=part))
    page.reload()
    expect(page.locator("#index-state")).to_have_text("Parsing files 30 %")
    expect(page.locator("#holdings progress")).to_have_attribute("value", "3")
    ask(page, "cookie")
    expect(page.locator("#status")).to_contain_text("so far (the index is incomplete)")
    expect(page.locator(".notes")).to_have_text("1 of 9 files")
    assert results(page).count() == 1
    page.unroute(STREAM)
    page.unroute("**/v1/repositories?")
    expect(results(page).nth(1)).to_be_visible()
    answered(page)
    expect(page.locator("#status")).to_have_text(re.compile(r"^\d+ functions in market at [0-9a-f]{7}$"))
    expect(page.locator("#index-state")).to_have_text("market")


def test_nothing_found_while_indexing_is_not_the_last_word(page: Page, server: Served) -> None:
    told = server.get("repositories")
    unready = [{**one, "ready": False} for one in told["repositories"]]
    nothing = {**server.get("search?query=cookie&k=1"), "partial": True, "stage": "final", "results": []}
    part = f"event: results\ndata: {json.dumps(nothing)}\n\nevent: done\ndata: {{}}\n\n"
    page.route("**/v1/repositories?", lambda route: route.fulfill(json={**told, "repositories": unready}))
    page.route(STREAM, lambda route: route.fulfill(headers={"Content-Type": "text/event-stream"}, body=part))
    page.reload()
    expect(page.locator("#holdings")).to_contain_text("not indexed yet")
    ask(page, "cookie")
    expect(page.get_by_role("heading", name="The index is still being built")).to_be_visible()
    page.unroute(STREAM)
    page.unroute("**/v1/repositories?")
    expect(results(page).first).to_be_visible()


def test_a_first_index_is_waited_for_with_what_there_is(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """A repository that nobody has indexed yet: the page answers at once and ends up with everything."""
    repo = Repo(tmp_path / "large")
    body = "\n\n".join(f"def step_{{0}}_{number}(value):\n    return value * {number}" for number in range(40))
    repo.commit("Grow", {f"pkg/m{at}.py": body.replace("{0}", str(at)) for at in range(400)})
    with served([repo.root], tmp_path / "store", models="none") as server:
        page = open_page(address(server.url, q="step_399_39"))
        expect(page.locator("#status, .results, .state").first).to_be_visible()
        expect(results(page).first.locator("h3")).to_have_text("step_399_39", timeout=60_000)
        expect(page.locator("#index-state")).to_have_text("large")
        expect(page.locator(".state")).to_have_count(0)


def test_a_repository_that_was_deleted_is_an_error_and_the_page_lives(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "doomed")
    repo.commit("Begin", {"a.py": "def cookie():\n    return 1\n"})
    with served([repo.root], tmp_path / "store", models="none") as server:
        server.wait_ready()
        page = open_page(server.url)
        ask(page, "cookie")
        assert results(page).count() == 1
        shutil.rmtree(repo.root)
        page.locator("#query").fill("other words")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("doomed")
