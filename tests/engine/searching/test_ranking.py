"""Ranking for evaluation: the same order as a search, deeper, and with a past that ends where it should."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine import default_plan, rank, with_mode
from trackdown.errors import UnknownRevision
from trackdown.pipeline import SearchPlan

Open = Callable[[Path | str], trackdown.Repository]


def function(name: str, word: str) -> str:
    return f"def {name}(value):\n    {word} = value\n    return {word}\n"


def test_the_order_is_that_of_a_search(repo: Repo, open_repo: Open) -> None:
    repo.commit("Sign cookies", {f"src/a{n}.py": function(f"sign_{n}", "cookie") for n in range(5)})
    repository = open_repo(repo.root)
    found = repository.search("sign cookie", k=5)
    ranked = rank(repository.corpus(), "sign cookie", default_plan(repository.settings))
    assert [(place.path, place.symbol, place.score) for place in ranked] == [
        (result.path, result.symbol, result.score) for result in found
    ]


def test_a_symbol_of_a_file_is_there_once(repo: Repo, open_repo: Open) -> None:
    getter = "    @property\n    def size(self):\n        return 1\n"
    setter = "    @size.setter\n    def size(self, n):\n        pass\n"
    twice = f"class Box:\n{getter}{setter}"
    repo.commit("Box", {"box.py": twice})
    ranked = rank(open_repo(repo.root).corpus(), "size of the box", SearchPlan())
    assert [(place.path, place.symbol) for place in ranked] == [("box.py", "Box.size")]


def test_only_the_past_of_a_commit_speaks_under_the_names_of_today(repo: Repo, open_repo: Open) -> None:
    start = repo.commit("Handle a purple giraffe", {"old.py": "x = 1\n", "other.py": "y = 1\n"})
    repo.git("mv", "old.py", "new.py")
    repo.commit("Move")
    repo.commit("Handle a green lion", {"other.py": "y = 2\n"})
    prepared = open_repo(repo.root).corpus()
    commits = with_mode(SearchPlan(level="file"), "commits")

    def files(query: str, seen_from: str | None) -> list[str]:
        return [place.path for place in rank(prepared, query, commits, seen_from)]

    assert files("green lion", None) == ["other.py"]
    assert files("green lion", start) == []
    assert set(files("purple giraffe", start)) == {"new.py", "other.py"}


def test_a_commit_that_the_history_does_not_hold_is_refused(repo: Repo, open_repo: Open) -> None:
    repo.commit("One", {"a.py": "x = 1\n"})
    with pytest.raises(UnknownRevision):
        rank(open_repo(repo.root).corpus(), "one", SearchPlan(), seen_from="0" * 40)


def test_among_restricts_the_answer_to_files(repo: Repo, open_repo: Open) -> None:
    repo.commit("Sign", {f"a{n}.py": function(f"sign_{n}", "cookie") for n in range(4)})
    prepared = open_repo(repo.root).corpus()
    options = SearchPlan(level="file", among=("a2.py", "a0.py", "gone.py"))
    assert {place.path for place in rank(prepared, "cookie", options)} == {"a0.py", "a2.py"}


def test_without_roles_a_test_ranks_like_code(repo: Repo, open_repo: Open) -> None:
    same = function("sign", "cookie")
    repo.commit("Sign", {"tests/test_sign.py": same + same, "src/sign.py": same})
    prepared = open_repo(repo.root).corpus()
    with_roles = rank(prepared, "cookie", SearchPlan(level="file"))
    without = rank(prepared, "cookie", SearchPlan(level="file", roles=False))
    assert [place.path for place in with_roles] == ["src/sign.py", "tests/test_sign.py"]
    assert {place.path: place.score for place in without}["tests/test_sign.py"] > with_roles[1].score


def test_symbols_are_functions_and_classes_in_one_ranking(repo: Repo, open_repo: Open) -> None:
    code = 'class Cookie:\n    """A cookie."""\n    secret = 1\n\n    def sign(self):\n        return "cookie"\n'
    repo.commit("Cookie", {"cookie.py": code})
    ranked = rank(open_repo(repo.root).corpus(), "cookie", SearchPlan(level="symbol"))
    assert {place.symbol for place in ranked} == {"Cookie", "Cookie.sign"}
