"""The page: well-formed, alone in the world, safe with hostile run files, and small."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.report.made_runs import HOSTILE, MODES, REPOSITORIES, make_rows, write_run
from tests.lab.report.page_walk import Walk, walk
from tests.lab.report.small_run import small_run
from trackdown.lab.report.contenders import read_contenders
from trackdown.lab.report.page import as_html
from trackdown.lab.report.page_queries import MOST_QUERIES, chosen_queries
from trackdown.lab.report.summary import Summary, summarize
from trackdown.lab.runs import Row

OWN_SCRIPTS = 2


def summary_of(tmp_path: Path, *runs: Sequence[Row], title: str = "") -> Summary:
    paths = [write_run(tmp_path / f"run{number}.jsonl", rows) for number, rows in enumerate(runs)]
    return summarize(read_contenders(paths), title=title)


def page_of(tmp_path: Path, *runs: Sequence[Row], title: str = "") -> str:
    return as_html(summary_of(tmp_path, *runs, title=title))


def data_of(page: Walk) -> dict[str, list[list[float | None]]]:
    found: dict[str, list[list[float | None]]] = json.loads(page.scripts[0])
    return found


@pytest.mark.parametrize(
    ("modes", "repositories", "cases"),
    [(1, 1, 3), (2, 1, 1), (2, 4, 25), (8, 15, 120)],
)
def test_it_is_well_formed(tmp_path: Path, modes: int, repositories: int, cases: int) -> None:
    rows = make_rows(modes=MODES[:modes], repositories=REPOSITORIES[:repositories], cases=cases, skipped=0)
    found = walk(page_of(tmp_path, rows))
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [str(attributes["href"]) for tag, attributes in found.elements if tag == "a"]
    assert targets and all(target[0] == "#" and target[1:] in ids for target in targets)
    assert ("html", {"lang": "en"}) in found.elements


def test_it_asks_nothing_of_the_network(tmp_path: Path) -> None:
    page = page_of(tmp_path, make_rows())
    assert not re.search(r"https?:|//[a-z]|@import|url\(|xlink|\bfetch\(|XMLHttpRequest|\bimport\b", page)
    found = walk(page)
    assert {tag for tag, _ in found.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    for tag, attributes in found.elements:
        assert not {"src", "srcset", "style", "action"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag


def test_its_policy_admits_its_own_style_and_script_and_nothing_else(tmp_path: Path) -> None:
    page = page_of(tmp_path, make_rows())
    found = walk(page)
    policy = next(str(one["content"]) for tag, one in found.elements if one.get("http-equiv"))
    style = page.partition("<style>")[2].partition("</style>")[0]
    for kind, text in (("style", style), ("script", found.scripts[1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    rows = [
        replace(row, mode=f"{row.mode}{HOSTILE[1]}", bench=HOSTILE[0], category=HOSTILE[2], level=HOSTILE[13])
        for row in make_rows(hostile=True, cases=64, skipped=0)
    ]
    path = write_run(tmp_path / f"{HOSTILE[2].replace('/', '')}.jsonl", rows)
    other = write_run(tmp_path / "other.jsonl", rows)
    page = as_html(summarize(read_contenders([path, other]), title="<svg onload=alert(9)>"))
    found = walk(page)
    assert len(found.scripts) == OWN_SCRIPTS
    assert {tag for tag, _ in found.elements}.isdisjoint({"img", "b"})
    for tag, attributes in found.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
    shown = "".join(found.text)
    for text in ("<svg onload=alert(9)>", "<script>alert(1)</script>", "</script><script>alert(2)</script>", "<!--"):
        assert text in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)
    page.encode("utf-8")
    json.loads(found.scripts[0])


def test_data_of_the_script_cannot_end_it(tmp_path: Path) -> None:
    rows = [replace(row, id=f"{row.id}</script><!--\u2028&") for row in small_run()]
    page = page_of(tmp_path, rows)
    raw = page.partition('id="data">')[2].partition("</script>")[0]
    assert not set(raw) & set("<>&\u2028") and json.loads(raw)["ids"][0].startswith("c1</script><!--")


def test_figures_and_tables_tell_what_they_are(tmp_path: Path) -> None:
    found = walk(page_of(tmp_path, make_rows()))
    pictures = [attributes for tag, attributes in found.elements if tag == "svg"]
    assert len(pictures) == 3 * 2 + 3 * 3
    assert all(picture["role"] == "img" and picture["aria-label"] for picture in pictures)
    assert len([tag for tag, _ in found.elements if tag == "figcaption"]) == 6
    assert all(table.head for table in found.tables)
    assert {attributes.get("scope") for tag, attributes in found.elements if tag == "th"} == {"col", "row"}
    labels = [tag for tag, _ in found.elements if tag == "label"]
    assert len(labels) == len([tag for tag, _ in found.elements if tag in ("select", "input")])


def test_wins_and_losses_stand_there_without_a_script(tmp_path: Path) -> None:
    found = walk(page_of(tmp_path, small_run()))
    shown = " ".join(" ".join(found.text).split())
    assert "A x against B y." in shown
    assert "A is better on 1, B on 2, and they are equal on 0 of 3 cases. Mean difference −0.083" in shown
    assert "p = 1.000 (permutation test)" in shown
    assert data_of(found)["values"] == [[1.0, 0.5], [0.5, 1.0], [0.0, 0.25]]


def test_queries_show_the_ranks_of_places_and_gold(tmp_path: Path) -> None:
    found = walk(page_of(tmp_path, small_run()))
    places = {row[0]: row[1:] for table in found.tables if table.head[0] == "Place" for row in table.rows}
    assert places["gold a.py:f"] == ["1", "2"]
    assert places["gold b.py:g"] == ["2", "1"]
    assert places["gold b.py:h"] == ["", "3"]
    assert places["gold z.py:Class.k"] == ["", "4"]
    assert "gold k" not in places and "query of c2" in " ".join(found.text)


def test_gold_that_no_mode_found_is_shown_all_the_same(tmp_path: Path) -> None:
    found = walk(page_of(tmp_path, [row for row in small_run() if row.mode == "x"]))
    places = {row[0]: row[1:] for table in found.tables if table.head[0] == "Place" for row in table.rows}
    assert places["gold b.py:h"] == [""] and places["gold k"] == [""]


def test_of_many_queries_those_with_the_largest_differences_are_kept(tmp_path: Path) -> None:
    rows = make_rows(modes=MODES[:2], cases=MOST_QUERIES + 60, depth=12, skipped=0)
    summary = summary_of(tmp_path, rows)
    page = as_html(summary)
    assert f"300 of 360 queries: those where modes differ most in {summary.metric}" in page
    kept = {int(number) for number in re.findall(r'class="query" id="q(\d+)"', page)}
    assert kept == set(chosen_queries(summary)) and len(kept) == MOST_QUERIES
    left_out = [case.spread for number, case in enumerate(summary.cases) if number not in kept]
    assert max(left_out) <= min(summary.cases[number].spread for number in kept)
    assert len(data_of(walk(page))["values"]) == len(summary.cases)


def test_a_deep_ranking_leaves_the_page_small(tmp_path: Path) -> None:
    shallow = page_of(tmp_path, make_rows(cases=30, depth=60))
    deep = page_of(
        tmp_path,
        [
            replace(
                row,
                ranked=(*row.ranked, *row.ranked[10:] * 10),
                scores=(0.0,) * (len(row.ranked) + 10 * len(row.ranked[10:])),
            )
            if not row.skipped
            else row
            for row in make_rows(cases=30, depth=60)
        ],
    )
    assert len(deep) < 1.2 * len(shallow)


def test_long_queries_are_cut(tmp_path: Path) -> None:
    rows = [replace(row, query="word " * 400) for row in small_run()]
    page = page_of(tmp_path, rows)
    assert max(len(text) for text in re.findall(r'<pre class="text">(.*?)</pre>', page, re.DOTALL)) <= 1000


def test_parts_without_data_are_left_out(tmp_path: Path) -> None:
    rows = [replace(row, ms=0.0, repository="") for row in small_run() if row.mode == "x"]
    page = page_of(tmp_path, rows)
    walk(page)
    assert "The run files have no times." in page
    assert 'id="pairs"' not in page and 'id="repositories"' not in page and 'id="categories"' not in page
