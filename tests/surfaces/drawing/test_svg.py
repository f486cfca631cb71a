"""SVG: well-formed whatever the names are, whole, and alone in the world."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.surfaces.drawing.neighbourhoods import function, grown, hostile, made
from trackdown.engine import Neighbourhood
from trackdown.surfaces.drawing.svg import as_svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "answer", [made([function("a")], []), grown(3), grown(60), hostile()], ids=["alone", "small", "sixty", "hostile"]
)
def test_it_is_well_formed_and_has_everything(answer: Neighbourhood) -> None:
    picture = ElementTree.fromstring(as_svg(answer))
    assert picture.tag == f"{SVG}svg"
    groups = picture.findall(f".//{SVG}g[@data-n]")
    assert [one.get("data-n") for one in groups] == [str(number) for number in range(len(answer.nodes))]
    samples = len({edge.type for edge in answer.edges}) + len({edge.how for edge in answer.edges})
    lines = [one for one in picture.iter(f"{SVG}path") if str(one.get("class")).startswith("edge ")]
    assert len(lines) == len(answer.edges) + samples
    assert {one.tag for one in picture.iter()}.isdisjoint({f"{SVG}script", f"{SVG}image", f"{SVG}a", f"{SVG}use"})


def test_it_asks_nothing_of_the_network_and_needs_no_variables() -> None:
    text = as_svg(grown(20)).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|@import|url\((?!#)|xlink|var\(", text)


def test_everything_lies_within_the_picture() -> None:
    for answer in (made([function("a")], [(function("a"), "invokes", "name", function("b"))]), grown(60)):
        picture = ElementTree.fromstring(as_svg(answer))
        left, top, width, height = (float(part) for part in str(picture.get("viewBox")).split())
        places = re.findall(r"translate\((-?[\d.]+) (-?[\d.]+)\)", as_svg(answer))
        assert all(left <= float(x) <= left + width and top <= float(y) <= top + height for x, y in places)
        assert (float(str(picture.get("width"))), float(str(picture.get("height")))) == pytest.approx(
            (width, height), abs=1
        )


def test_the_legend_shows_what_occurs() -> None:
    text = as_svg(made([function("a")], [(function("a"), "inherits", "scoped", function("b"))]))
    words = re.findall(r'<text x="42" y="4" class="place">(\w+)</text>', text)
    assert words == ["inherits", "scoped"]
