"""A ranker that somebody fitted ranks: trees from a folder, whose parts are the reasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import ModelError, UsageError
from trackdown.rank import NODE, Ranker, Trees, write_ranker
from trackdown.settings import Settings

SHORT = "def sign_cookie(value):\n    return value\n"
LONG = "def cookie_of(value):\n" + "    value = value + 1\n" * 9 + "    return value\n"


@pytest.fixture
def fitted(tmp_path: Path) -> Path:
    """A ranker that prefers functions of more than five lines."""
    nodes = np.array(
        [(0, 1, 1, 2, 5.0, 0.5), (-1, 1, 1, 1, 0.0, 0.25), (-1, 1, 2, 2, 0.0, 2.0)],
        dtype=NODE,
    )
    trees = Trees(nodes, np.array([0], dtype=np.int64), 1)
    write_ranker(tmp_path / "fitted", Ranker("function", ("shape.lines",), trees))
    return tmp_path / "fitted"


def test_its_trees_decide_the_order_and_their_parts_add_up(repo: Repo, settings: Settings, fitted: Path) -> None:
    repo.commit("Begin", {"a.py": SHORT, "b.py": LONG})
    with trackdown.open(repo.root, settings=settings) as opened:
        assert opened.search("sign cookie")[0].symbol == "sign_cookie"
    with trackdown.open(repo.root, settings=replace(settings, ranker=fitted)) as opened:
        first, second = opened.search("sign cookie", mode="hybrid+ranker")
    assert (first.symbol, second.symbol) == ("cookie_of", "sign_cookie")
    assert (first.score, second.score) == (2.0, 0.25)
    for result in (first, second):
        assert sum(why.value for why in result.why) == pytest.approx(result.score)
    assert {why.signal: why.value for why in first.why}["shape"] == 1.5


def test_without_a_ranker_the_mode_says_how_to_get_one(repo: Repo, settings: Settings, fitted: Path) -> None:
    repo.commit("Begin", {"a.py": SHORT})
    with (
        trackdown.open(repo.root, settings=settings) as opened,
        pytest.raises(UsageError, match="set TRACKDOWN_RANKER"),
    ):
        opened.search("sign cookie", mode="hybrid+ranker")
    with (
        trackdown.open(repo.root, settings=replace(settings, ranker=fitted)) as opened,
        pytest.raises(ModelError, match="has no ranker for files: run `trackdown train ranker --level file`"),
    ):
        opened.search("sign cookie", mode="hybrid+ranker", level="file")
