"""A repository whose names, contents and messages are full of markup and script: all of it is only ever text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import address, answered, ask, panel, results
from tests.browser.repositories import ATTACK
from tests.browser.served import Served

WATCH = """
  window.attacks = [];
  window.attacked = () => window.attacks.push("called");
  document.addEventListener("securitypolicyviolation", (event) => window.attacks.push(event.violatedDirective));
"""
FOREIGN = "img, iframe, object, embed, style, base, main script, main link, b:not(.sum b):not(.holdings b):not(.ways b)"
OURS_ONLY = """(nodes) => nodes.filter((node) => [...node.attributes].some(({ name }) =>
  name.startsWith("on") || name === "srcdoc" ||
  (name === "style" && !node.matches("i, .signal, .zero, .panel, textarea")),
)).map((node) => node.outerHTML)"""


@pytest.fixture
def victim(open_page: Callable[..., Page], hostile: Served, complaints: list[str]) -> Iterator[Page]:
    """The page of the hostile repository. At the end nothing of it may have run or become markup."""
    page = open_page("about:blank")
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    page.add_init_script(WATCH)
    page.goto(hostile.url)
    yield page
    unharmed(page, hostile)
    assert complaints == []


def unharmed(page: Page, hostile: Served) -> None:
    """Nothing ran, nothing became an element, every link leads where it should."""
    assert page.evaluate("window.attacks") == []
    assert page.locator(FOREIGN).count() == 0
    assert page.locator("main *").evaluate_all(OURS_ONLY) == []
    links = page.locator("a[href]").evaluate_all("links => links.map((link) => link.href)")
    assert links
    for link in links:
        assert link.startswith((hostile.url, "vscode://file/")), link


def test_results_and_reasons(victim: Page, hostile: Served) -> None:
    ask(victim, "sign the session cookie")
    assert results(victim).count() >= 6
    assert ATTACK in " ".join(results(victim).locator(".where").all_inner_texts())
    expect(results(victim).locator(".code").filter(has_text="<script>attacked()</script>").first).to_be_visible()
    for result in results(victim).all():
        result.locator("h3 a").click()
        expect(panel(victim).locator(".signal").first).to_be_visible()
        assert victim.evaluate("window.attacks") == []
    assert "\u202e" not in victim.locator("body").inner_text()
    unharmed(victim, hostile)


def test_source_and_related_of_every_file(victim: Page, hostile: Served) -> None:
    ask(victim, "cookie")
    assert results(victim).count() >= 6
    for result in results(victim).all():
        result.locator("h3 a").click()
        panel(victim).get_by_role("tab", name="Source").click()
        expect(panel(victim).locator(".code .l.here").first).to_contain_text("cookie")
        unharmed(victim, hostile)
        panel(victim).get_by_role("tab", name="Related").click()
        expect(panel(victim).locator(".relatives").first).to_be_visible()
        unharmed(victim, hostile)


def test_every_address_of_a_place_survives_a_reload(victim: Page) -> None:
    ask(victim, "cookie")
    for number in range(results(victim).count()):
        results(victim).nth(number).locator("h3 a").click()
        panel(victim).get_by_role("tab", name="Source").click()
        before = panel(victim).locator(".panel-head").inner_text()
        victim.reload()
        answered(victim)
        expect(panel(victim).locator(".code .l.here").first).to_be_visible()
        assert panel(victim).locator(".panel-head").inner_text() == before


def test_a_file_whose_name_is_no_utf8_can_be_read(victim: Page) -> None:
    ask(victim, "raw_cookie")
    expect(results(victim).first.locator("h3")).to_have_text("raw_cookie")
    panel(victim).get_by_role("tab", name="Source").click()
    expect(panel(victim).locator(".code")).to_contain_text('return "<b>"')
    panel(victim).get_by_role("link", name="Graph").click()
    expect(victim.locator(".node").first).to_contain_text("raw_cookie")


def test_history(victim: Page) -> None:
    victim.get_by_role("link", name="History").click()
    ask(victim, "sign the cookie")
    expect(victim.locator(".commit h3").first).to_contain_text(ATTACK)
    assert victim.locator(".commit").count() >= 6
    victim.locator(".commit h3 a").filter(has_text="</script>").first.click()
    expect(victim.locator(".diff .add").first).to_contain_text("</script>")
    expect(victim.get_by_role("heading", level=2)).to_contain_text(ATTACK)


def test_graph(victim: Page, hostile: Served) -> None:
    ask(victim, "cookie_3")
    panel(victim).get_by_role("link", name="Graph").click()
    victim.get_by_label("Reach").select_option("3")
    expect(victim.locator(".node").nth(3)).to_be_visible()
    for node in victim.locator(".node").all():
        node.focus()
        victim.keyboard.press("Space")
        unharmed(victim, hostile)


def test_the_beginning_and_the_filters(victim: Page) -> None:
    expect(victim.locator("#holdings b")).to_have_text(ATTACK.replace("/", ""))
    ask(victim, "cookie")
    assert victim.locator("#folders option").count() >= 2


@pytest.mark.parametrize(
    "fragment",
    [
        f"q={ATTACK}",
        "q=%3Cimg%20src%3Dx%20onerror%3Dattacked()%3E&at=%3Cscript%3Eattacked()%3C/script%3E",
        f"q=cookie&repository={ATTACK}x",
        "q=cookie&pick=%3Cscript%3E:1-2&of=%3Cb%3E&tab=source",
        "view=graph&target=javascript:attacked()",
        "view=__proto__&level=constructor&tab=toString&q=cookie&k=1e9&depth=-1&__proto__=x",
        "q=%&pick=%E9%ZZ&tab=source",
        "q=cookie&folder=../../etc&language=%3Cb%3E",
    ],
)
def test_hostile_addresses(victim: Page, hostile: Served, complaints: list[str], fragment: str) -> None:
    victim.goto(f"{hostile.url}#{fragment}")
    victim.reload()
    answered(victim)
    expect(victim.locator("#stage > *").first).to_be_visible()
    unharmed(victim, hostile)
    complaints[:] = [one for one in complaints if "Failed to load resource" not in one]


def test_the_servers_address_names_nothing(hostile: Served, open_page: Callable[..., Page]) -> None:
    page = open_page(address(hostile.url, q="cookie", pick="../../../etc/passwd:1-9", tab="source"))
    answered(page)
    expect(panel(page).get_by_role("alert")).to_be_visible()
    assert "root:" not in page.locator("body").inner_text()
