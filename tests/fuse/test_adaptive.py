"""Adaptive fusion: prose leans on what does not need the code's own words, names leave the weights alone."""

from __future__ import annotations

from tests.conftest import Repo
from trackdown.engine import rank
from trackdown.fuse.adaptive import adapted
from trackdown.pipeline import SearchPlan

WEIGHTS = {"lexical": 1.0, "commits": 0.5, "mentions": 0.5}


def test_a_query_that_names_code_keeps_the_weights() -> None:
    assert adapted(WEIGHTS, names_code=True) == WEIGHTS


def test_prose_leans_on_past_messages() -> None:
    assert adapted(WEIGHTS, names_code=False) == {"lexical": 1.0, "commits": 1.0, "mentions": 0.5}


def test_a_retriever_that_is_left_out_stays_out() -> None:
    assert adapted({"commits": 0.0}, names_code=False) == {"commits": 0.0}


def test_a_search_in_prose_moves_and_one_with_a_name_does_not(repo: Repo, open_repo) -> None:  # type: ignore[no-untyped-def]
    repo.commit("Make the purple giraffe faster", {"slow.py": "def run(x):\n    return x\n"})
    repo.commit("Words", {"giraffe.py": "def purple_giraffe(giraffe):\n    return giraffe\n"})
    prepared = open_repo(repo.root).corpus()

    def scores(query: str, adaptive: bool) -> dict[str, float]:
        return {p.path: p.score for p in rank(prepared, query, SearchPlan(level="file", adaptive=adaptive))}

    assert scores("the purple giraffe", True)["slow.py"] > scores("the purple giraffe", False)["slow.py"]
    assert scores("purple_giraffe()", True) == scores("purple_giraffe()", False)
