"""Use the extension as a person would, in Chromium with code-server, and leave pictures of it.

python editors/vscode/test/in_editor.py URL FOLDER PICTURES

URL is that of a code-server without authentication in which the extension is installed, FOLDER a clone of flask on its
machine. Needs playwright and Chromium (the extra `browser`). Ends with an error if something is not as it should be.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from playwright.sync_api import expect, sync_playwright

QUESTION = "where is the session cookie signed?"
ISSUE = "Session cookie is not signed\n\nThe secret key is set, but open_session never checks the signature."
SECONDS = 120_000


def panel_of(page: Any) -> Any:
    """The frame of the panel."""
    for _ in range(120):
        for frame in page.frames:
            if "fake.html" in frame.url and frame.locator("#query").count():
                return frame
        page.wait_for_timeout(1000)
    raise SystemExit("the panel did not open")


def main(url: str, folder: str, pictures: Path) -> None:
    """Search in the panel, go to a result, then find the code for a selected issue."""
    issue = Path(folder) / "issue.txt"
    issue.write_text(ISSUE)
    with sync_playwright() as playwright:
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(SECONDS)
        opened = f'[["openFile","vscode-remote://{urlsplit(url).netloc}{issue}"]]'
        page.goto(f"{url}/?folder={folder}&payload={quote(opened)}")
        expect(page.locator(".tab.active")).to_contain_text(issue.name, timeout=SECONDS)
        page.locator(".activitybar a[aria-label='Trackdown']").click(timeout=SECONDS)
        panel = panel_of(page)
        panel.fill("#query", QUESTION)
        panel.press("#query", "Enter")
        panel.wait_for_selector("#results li", timeout=SECONDS)
        assert panel.locator("#results li").count() == 10
        page.screenshot(path=pictures / "panel.png")
        place = panel.locator("#results li .place").first.inner_text()
        panel.locator("#results li button").first.click()
        name, line = place.rsplit("/", 1)[-1].split(":")
        expect(page.locator(".tab.active")).to_contain_text(name, timeout=SECONDS)
        expect(page.locator("#status\\.editor\\.selection")).to_contain_text(f"Ln {line},", timeout=SECONDS)
        page.screenshot(path=pictures / "result.png")
        page.locator(".tab", has_text=issue.name).click()
        expect(page.locator(".tab.active")).to_contain_text(issue.name, timeout=SECONDS)
        page.locator(".editor-instance").click()
        page.keyboard.press("Control+A")
        run_command(page, "Find Code for This Issue")
        found = panel_of(page)
        expect(found.locator("#query")).to_have_value(ISSUE, timeout=SECONDS)
        found.locator("#results li", has_text="open_session").first.wait_for(timeout=SECONDS)
        page.screenshot(path=pictures / "issue.png")
        browser.close()
    issue.unlink()
    print("The panel, the way to a result and the selected issue work.")


def run_command(page: Any, title: str) -> None:
    """Choose a command of the palette."""
    page.keyboard.press("F1")
    page.locator(".quick-input-widget input").press_sequentially(f"Trackdown: {title}", delay=10)
    page.locator(".quick-input-list .monaco-list-row", has_text=title).first.wait_for()
    page.keyboard.press("Enter")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
