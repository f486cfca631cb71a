"""The files of the page: complete, from nowhere else, and within what the server's policy allows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from trackdown.surfaces.steps import INDEXING, SEARCHING
from trackdown.surfaces.web import assets, page

SCRIPTS = sorted(name for name in assets() if name.endswith(".js"))
MARKUP = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser")
STYLES = sorted(name for name in assets() if name.endswith(".css"))


class Elements(HTMLParser):
    """All start tags of a document with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def text_of(name: str) -> str:
    return assets()[name].content.decode()


def test_everything_that_the_page_names_is_there() -> None:
    elements = Elements(page().content.decode()).found
    named = [value for _, given in elements for key in ("src", "href") if (value := given.get(key))]
    loaded = [name for name in named if name.startswith("assets/")]
    assert len(loaded) >= 8
    assert {name.removeprefix("assets/") for name in loaded} <= set(assets())
    assert set(named) - set(loaded) <= {"./", "#", "#stage"}


def test_the_page_holds_no_script_and_no_style_of_its_own() -> None:
    """The policy would refuse them."""
    elements = Elements(page().content.decode()).found
    assert [given for tag, given in elements if tag == "script" and not given.get("src")] == []
    assert [tag for tag, _ in elements if tag == "style"] == []
    assert [given for _, given in elements if any(name == "style" or name.startswith("on") for name in given)] == []


def test_ids_are_used_once_and_labels_lead_somewhere() -> None:
    elements = Elements(page().content.decode()).found
    ids = [given["id"] for _, given in elements if "id" in given]
    assert len(ids) == len(set(ids))
    for _, given in elements:
        for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls", "list"):
            target = given.get(name)
            assert target is None or target in ids or target == "help-title", (name, target)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_import_what_is_there_and_make_no_markup(name: str) -> None:
    text = text_of(name)
    imported = re.findall(r'from "\./([^"]+)"', text)
    assert set(imported) <= set(assets())
    assert [way for way in MARKUP if way in text] == []
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []


def test_every_script_is_used() -> None:
    found = Elements(page().content.decode()).found
    entries = {str(given["src"]).removeprefix("assets/") for tag, given in found if tag == "script"}
    seen: set[str] = set()
    queue = list(entries)
    for name in queue:
        if name not in seen:
            seen.add(name)
            queue += re.findall(r'from "\./([^"]+)"', text_of(name))
    assert seen == set(SCRIPTS)


@pytest.mark.parametrize("name", STYLES)
def test_styles_load_nothing_and_use_tokens_that_exist(name: str) -> None:
    text = text_of(name)
    assert "@import" not in text and "url(" not in text
    defined = set(re.findall(r"(--[\w-]+)\s*:", "".join(text_of(one) for one in STYLES))) | {
        "--c",
        "--top",
    }  # scripts set these
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= defined


def test_tags_change_with_the_content_and_types_are_told() -> None:
    found = assets()
    assert len({one.tag for one in found.values()}) == len(found)
    assert found["main.js"].media_type.startswith("text/javascript")
    assert found["tokens.css"].media_type.startswith("text/css")
    assert found["icon.svg"].media_type == "image/svg+xml"


def test_the_page_has_a_name_for_every_step() -> None:
    script = assets()["states.js"].content.decode()
    for step, title in {**INDEXING, **SEARCHING}.items():
        named = f'"{step}"' if " " in step else step
        assert f'  {named}: "{title}",' in script, step
