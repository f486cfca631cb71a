"""Pictures of the page for the documentation: python -m tests.browser.screenshots FOLDER FLASK.

FLASK is a clone of flask; it is cloned once more, so that its committed state is shown.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.asking import address, answered, panel
from tests.browser.chromium import launch_options
from tests.browser.served import Served, served

QUERY = "session cookie is not signed with the new key after rotation"
PLACE = "src/flask/sessions.py:323-335"
WIDE, PHONE = (1200, 780), (390, 780)
SHOTS: dict[str, tuple[str, tuple[int, int], dict[str, Any]]] = {
    "search-light": ("light", WIDE, {"q": QUERY}),
    "search-dark": ("dark", WIDE, {"q": QUERY}),
    "search-phone": ("light", PHONE, {"q": QUERY}),
    "why-phone": ("dark", PHONE, {"q": QUERY, "pick": PLACE}),
    "history-light": ("light", WIDE, {"q": "session cookie", "view": "history"}),
    "graph-dark": ("dark", WIDE, {"q": QUERY, "view": "graph", "target": "src/flask/app.py:1224"}),
    "beginning-light": ("light", WIDE, {}),
}


def main(folder: Path, flask: Path) -> None:
    """Take them all."""
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=60_000)  # a busy machine takes its time
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "flask"
        subprocess.run(["git", "clone", "--quiet", str(flask.resolve()), str(clone)], check=True)
        with served([clone], Path(scratch) / "store") as server, sync_playwright() as playwright:
            server.wait_ready()
            server.get(f"search?budget=3000&query={quote(QUERY)}")  # loads the models
            browser = playwright.chromium.launch(**launch_options())
            take(browser, server, "search-light", Path(scratch) / "again.png")  # the next ones show a usual time
            for name in SHOTS:
                take(browser, server, name, folder / f"{name}.png")
            browser.close()


def take(browser: Browser, server: Served, name: str, target: Path) -> None:
    """One picture, once everything is there."""
    scheme, (width, height), state = SHOTS[name]
    options: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": height}}
    context = browser.new_context(reduced_motion="reduce", **options)
    page = context.new_page()
    page.goto(address(server.url, **state))
    answered(page)
    expect(page.locator("#index-state")).not_to_be_empty()
    if name.startswith("beginning"):
        expect(page.locator("#holdings")).to_contain_text("commits")
    if "pick" in state:
        panel(page).evaluate("one => scrollBy(0, one.getBoundingClientRect().top - 120)")
    page.screenshot(path=target, animations="disabled")
    context.close()
    compress(target)


def compress(picture: Path) -> None:
    """Write a picture again with a palette of its most frequent colours, which takes a third of the space."""
    with Image.open(picture) as taken:
        full = taken.convert("RGB")
    colours: Any = full.getcolors(full.width * full.height)  # (how many pixels, (red, green, blue))
    frequent = sorted(colours, reverse=True)[:256]
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for _, colour in frequent for value in colour])
    full.quantize(palette=palette, dither=Image.Dither.NONE).save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
