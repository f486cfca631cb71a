"""The page: well-formed, alone in the world, safe with hostile names, and whole without a script."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from tests.lab.report.page_walk import walk
from tests.surfaces.drawing.neighbourhoods import HOSTILE, function, grown, hostile, made
from trackdown.engine import Neighbourhood, Node
from trackdown.surfaces.drawing.page import as_html

OWN_SCRIPTS = 2


@pytest.mark.parametrize(
    "answer",
    [made([function("a")], []), grown(3), grown(60), grown(300, starts=4), hostile()],
    ids=["alone", "small", "sixty", "large", "hostile"],
)
def test_it_is_well_formed_and_has_everything(answer: Neighbourhood) -> None:
    found = walk(as_html(answer))
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) and len(found.scripts) == OWN_SCRIPTS
    groups = [one for tag, one in found.elements if tag == "g" and str(one.get("class")).startswith("node ")]
    assert [one["data-n"] for one in groups] == [str(number) for number in range(len(answer.nodes))]
    assert len([1 for one in groups if str(one["class"]).endswith(" start")]) == len(answer.starts)
    lines = [one for tag, one in found.elements if tag == "path" and "edge" in str(one.get("class")) and "d" in one]
    samples = len({edge.type for edge in answer.edges}) + len({edge.how for edge in answer.edges})
    assert len(lines) == len(answer.edges) + samples
    data = json.loads(found.scripts[0])
    assert len(data["nodes"]) == len(answer.nodes) and len(data["edges"]) == len(answer.edges)
    for shape in ("wide", "tall"):
        assert len(data["drawing"][shape]["boxes"]) == len(answer.nodes) and len(
            data["drawing"][shape]["paths"]
        ) == len(answer.edges)


def test_it_asks_nothing_of_the_network() -> None:
    page = as_html(grown(20))
    assert not re.search(
        r"https?:|//[a-z]|@import|url\((?!#)|xlink|\bfetch\(|XMLHttpRequest|\bimport\b|innerHTML", page
    )
    found = walk(page)
    assert {tag for tag, _ in found.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    for tag, attributes in found.elements:
        assert not {"src", "srcset", "style", "action", "href"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag


def test_its_policy_admits_its_own_style_and_script_and_nothing_else() -> None:
    page = as_html(grown(5))
    found = walk(page)
    policy = next(str(one["content"]) for _, one in found.elements if one.get("http-equiv"))
    style = page.partition("<style>")[2].partition("</style>")[0]
    for kind, text in (("style", style), ("script", found.scripts[1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy


def test_hostile_names_stay_names() -> None:
    page = as_html(hostile())
    found = walk(page)
    assert {tag for tag, _ in found.elements}.isdisjoint({"img", "b"}) and len(found.scripts) == OWN_SCRIPTS
    for tag, attributes in found.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
    shown = "".join(found.text)
    for text in HOSTILE[:6]:
        assert text in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)
    page.encode("utf-8")
    raw = page.partition('id="data">')[2].partition("</script>")[0]
    assert not set(raw) & set("<>&") and raw.isascii()


def test_edges_are_listed_in_words_for_those_who_see_no_picture() -> None:
    one, two = function("Session.load", "web/session.py", 7), Node("file", "web/cart.py")
    found = walk(as_html(made([one], [(one, "invokes", "scoped", two)])))
    (table,) = found.tables
    assert table.head == ["From", "Edge", "How sure", "To"]
    assert table.rows == [["Session.load web/session.py:7-9", "invokes", "scoped", "web/cart.py"]]
    picture = next(one for tag, one in found.elements if tag == "svg" and one.get("id") == "picture")
    assert picture["role"] == "img" and picture["aria-label"] == "2 places and 1 edge; the list below says the same"
    labels = [tag for tag, _ in found.elements if tag == "label"]
    assert len(labels) == len([tag for tag, _ in found.elements if tag == "input"])


def test_what_is_to_be_known_is_told() -> None:
    one = function("Session.load", "web/session.py", 7)
    shown = " ".join(walk(as_html(made([one], [], notes=["cut at 2,000 places"]))).text)
    assert "cut at 2,000 places" in shown and "shop at 0123456789" in shown and "No edges." in shown


def test_a_large_one_stays_small_enough_and_its_list_is_folded() -> None:
    page = as_html(grown(2000))
    assert len(page) < 4_000_000 and '<details id="list">' in page
    assert '<details id="list" open>' in as_html(grown(20))
