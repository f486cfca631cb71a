"""The whole page without a mouse."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.asking import address, answered, panel, results, state, titles
from tests.browser.served import Served

QUERY = "session cookie"
SEEN = """(() => {
  const now = document.activeElement;
  return [now, now.closest("label"), now.closest(".box")].filter(Boolean).some((one) => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" || one.matches(".box") && style.boxShadow !== "none";
  });
})()"""


def focused(page: Page) -> str:
    """What has the focus, as it is read."""
    return str(page.evaluate("document.activeElement.innerText || document.activeElement.id"))


def test_from_the_box_through_results_into_the_panel_and_back(page: Page) -> None:
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type(QUERY)
    page.keyboard.press("Enter")
    answered(page)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert focused(page) == titles(page)[0]
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert focused(page) == titles(page)[2]
    expect(panel(page).get_by_role("heading", level=2)).to_have_text(titles(page)[2])
    page.keyboard.press("k")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == titles(page)[1]
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_be_focused()
    page.keyboard.press("Escape")
    assert focused(page) == titles(page)[1]
    page.keyboard.press("Escape")
    assert "pick" not in state(page)
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()


def test_arrow_down_leads_from_the_box_to_the_results(page: Page) -> None:
    page.keyboard.type(QUERY)
    page.keyboard.press("Enter")
    answered(page)
    page.keyboard.press("ArrowDown")
    assert focused(page) == titles(page)[0]


def test_letters_open_what_a_result_has(open_page: Callable[..., Page], server: Served) -> None:
    page = open_page(address(server.url, q=QUERY), permissions=["clipboard-read", "clipboard-write"])
    answered(page)
    page.keyboard.press("j")
    for letter, tab in (("s", "Source"), ("r", "Related"), ("b", "Blame"), ("w", "Why")):
        page.keyboard.press(letter)
        expect(panel(page).get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("y")
    expect(page.locator("#toast")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "web/session.py"
    page.keyboard.press("g")
    expect(page.locator("#graph-title")).to_be_visible()
    page.keyboard.press("Escape")
    answered(page)
    assert results(page).count() > 0
    page.keyboard.press("h")
    expect(page.locator(".commit").first).to_be_visible()
    page.keyboard.press("j")
    assert focused(page) == page.locator(".commit h3").first.inner_text()
    page.keyboard.press("c")
    answered(page)
    assert results(page).count() > 0


def test_o_opens_the_editor(page: Page) -> None:
    page.keyboard.type(QUERY)
    page.keyboard.press("Enter")
    answered(page)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    session.on("Page.frameRequestedNavigation", lambda event: asked.append(event["url"]))
    page.keyboard.press("o")
    page.wait_for_timeout(300)
    assert [url for url in asked if url.startswith("vscode://file/") and url.endswith("/web/session.py:7")]


def test_tabs_and_dialogs_follow_the_usual_keys(page: Page) -> None:
    page.keyboard.type(QUERY)
    page.keyboard.press("Enter")
    answered(page)
    panel(page).get_by_role("tab", name="Why").focus()
    page.keyboard.press("ArrowRight")
    expect(panel(page).get_by_role("tab", name="Source")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(panel(page).get_by_role("tab", name="Blame")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys and settings")).to_be_visible()
    pair = page.get_by_role("dialog").locator("dl > div").filter(has_text="Next, previous result")
    expect(pair.locator("kbd")).to_have_text(["j", "k"])
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(panel(page).get_by_role("tab", name="Blame")).to_be_focused()


def test_letters_can_be_turned_off_and_never_work_while_typing(page: Page) -> None:
    page.keyboard.type("hjkt?/ session")
    assert page.locator("#query").input_value() == "hjkt?/ session"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_label("Use single letters as shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.locator("#open-help").focus()
    page.keyboard.press("h")
    page.keyboard.press("t")
    assert state(page) == {}
    assert page.evaluate("document.documentElement.dataset.theme") is None


def test_tab_goes_through_everything_in_reading_order_and_shows_where_it_is(page: Page) -> None:
    page.keyboard.type(QUERY)
    page.keyboard.press("Enter")
    answered(page)
    page.evaluate("document.activeElement.blur()")
    page.locator("#skip").focus()
    order, outlines = [], []
    for _ in range(24):
        order.append(page.evaluate("document.activeElement.closest('[id]')?.id || document.activeElement.className"))
        outlines.append(page.evaluate(SEEN))
        page.keyboard.press("Tab")
    wanted = ["skip", "brand", "theme", "open-help", "query", "go", "level", "effort", "language"]
    wanted += ["folder", "at", "k", "tests"]
    places = [order.index(name) for name in wanted if name in order]
    assert len(places) == len(wanted), order
    assert places == sorted(places), order
    assert [name for name, seen in zip(order, outlines, strict=True) if not seen] == []


def test_the_skip_link_leads_to_the_results(page: Page) -> None:
    page.keyboard.type(QUERY)
    page.keyboard.press("Enter")
    answered(page)
    before = page.url
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#stage .results")).to_be_focused()
    page.keyboard.press("Tab")
    assert focused(page) == titles(page)[0]
    assert page.url == before
