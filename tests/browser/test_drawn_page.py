"""The page that `trackdown graph --format html` writes, opened as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.surfaces.drawing.neighbourhoods import function, made
from trackdown.engine import Node
from trackdown.surfaces.drawing.page import as_html


@pytest.fixture
def drawn(open_page: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Opens a page with a class, what it calls and what imports it."""
    load, read, cart = (
        function("Session.load", "web/session.py", 7),
        function("read", "web/io.py", 3),
        Node("file", "a.py"),
    )
    file = tmp_path / "graph.html"
    file.write_text(as_html(made([load], [(load, "invokes", "exact", read), (cart, "imports", "name", load)])))
    return lambda **options: open_page(file.as_uri(), **options)


def test_the_page_is_zoomed_filtered_and_walked(drawn: Callable[..., Page], complaints: list[str]) -> None:
    page = drawn()
    panel = page.locator("#panel")
    expect(panel.get_by_role("heading", level=2)).to_have_text("Session.load")
    shape = page.locator(".node .shape").first
    before = shape.bounding_box()
    page.get_by_role("button", name="Zoom in").click()
    after = shape.bounding_box()
    assert before is not None and after is not None and after["width"] > before["width"] * 1.2
    page.locator(".node").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".node:focus")).to_contain_text("read")
    expect(panel.get_by_role("heading", level=2)).to_have_text("read")
    page.get_by_label("imports").uncheck()
    expect(page.locator(".node:visible")).to_have_count(2)
    expect(page.locator("#list tbody tr:visible")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".holding")).to_have_count(0)
    page.locator(".node").first.focus()
    page.keyboard.press("/")
    page.keyboard.type("sess")
    expect(page.locator("#found")).to_have_text("1 found")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("heading", level=2)).to_have_text("Session.load")
    assert complaints == []


def test_on_a_phone_it_is_upright(drawn: Callable[..., Page], complaints: list[str]) -> None:
    page = drawn(viewport={"width": 390, "height": 844})
    boxes = [node.bounding_box() for node in page.locator(".node .shape").all()]
    assert len({round(box["x"] + box["width"] / 2) for box in boxes if box is not None}) == 1
    assert complaints == []
