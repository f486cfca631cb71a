"""The library's API: score any search function, compare modes of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.lab.made_tasks import grown_repository, words
from trackdown import lab
from trackdown.doors import exported_names
from trackdown.errors import QueryError, UsageError
from trackdown.lab.cases import Case, CodeLocation
from trackdown.lab.comparison import compare_modes, evaluate
from trackdown.lab.mine.dataset import build_from_git
from trackdown.settings import Settings

Open = Callable[[Path | str], trackdown.Repository]


def test_the_api_is_what_is_exported() -> None:
    for name in ("build_from_git", "compare_modes", "evaluate", "aggregate_by_mode"):
        assert callable(getattr(lab, name)) and name in exported_names("trackdown.lab")


def case(id_: str, query: str, *files: str, symbols: tuple[CodeLocation, ...] = ()) -> Case:
    return Case(id_, query, files, symbols)


def test_any_function_that_returns_paths_can_be_scored() -> None:
    asked: list[tuple[str, int]] = []

    def search(query: str, k: int) -> list[str]:
        asked.append((query, k))
        return ["a.py", "b.py", "a.py", "c.py"]

    found = evaluate(search, [case("1", "first", "b.py"), case("2", "second", "c.py"), case("3", "none", "d.py")], k=7)
    assert asked == [("first", 7), ("second", 7), ("none", 7)]
    assert found.values("MRR") == [1 / 2, 1 / 3, 0.0], "a path counts once, where it first stands"
    assert found.ids == ("1", "2", "3") and all(ms >= 0 for ms in found.ms)


def test_a_refused_query_finds_nothing_and_a_case_without_truth_is_counted() -> None:
    def search(query: str, k: int) -> list[str]:
        raise QueryError("no word in it")

    found = evaluate(search, [case("1", "?!", "b.py"), case("2", "x")])
    assert (found.mrr, len(found), found.skipped) == (0.0, 1, {"no truth at file level": 1})


def test_other_errors_are_the_callers() -> None:
    def search(query: str, k: int) -> list[str]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        evaluate(search, [case("1", "x", "b.py")])


def test_a_repositorys_own_search_fits(repo: Repo, open_repo: Open) -> None:
    grown_repository(repo, 5)
    repository = open_repo(repo.root)
    verb, noun = words(3)
    asked = [case("1", f"{verb} {noun}", "src/m3.py", symbols=(CodeLocation("src/m3.py", f"{verb}_{noun}"),))]
    assert evaluate(repository.search, asked).mrr == 1.0
    assert evaluate(partial(repository.search, level="symbol"), asked, "symbol").mrr == 1.0
    wrong = [replace(asked[0], symbols=(CodeLocation("src/m3.py", "other"),))]
    assert evaluate(partial(repository.search, level="symbol"), wrong, "symbol").mrr == 0.0


def test_modes_are_compared_on_mined_cases(repo: Repo, settings: Settings) -> None:
    grown_repository(repo, 6)
    for number in range(5):
        verb, noun = words(number)
        path = repo.root / f"src/m{number}.py"
        repo.commit(f"Handle a missing {noun} when we {verb} it", {f"src/m{number}.py": path.read_text() + "# new\n"})
    cases = build_from_git(repo.root, max_cases=5)
    found = compare_modes(repo.root, cases, ("bm25", "commits"), settings=settings)
    assert [(one.label, len(one)) for one in found] == [("bm25", 5), ("commits", 5)]
    assert all(0.5 < one.mrr <= 1 for one in found)
    again = compare_modes(repo.root, cases, ("bm25", "commits"), settings=settings, jobs=2)
    assert [one.judged for one in again] == [one.judged for one in found]
    symbols = compare_modes(repo.root, cases, ("bm25",), "symbol", settings=settings)
    assert len(symbols[0]) + sum(symbols[0].skipped.values()) == 5


def test_a_place_is_what_it_is_now(
    make_repo: Callable[[str], Repo], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [case("1", "giraffe", "a.py")]
    for name, content in (("one", "giraffe = 1\n"), ("two", "lion = 1\n")):
        repo = make_repo(name)
        repo.commit("Begin", {"a.py": content, "b.py": "x = 1\n"})
        monkeypatch.chdir(repo.root)
        (found,) = compare_modes(".", asked, ["bm25"], settings=settings)
        assert found.mrr == (1.0 if name == "one" else 0.0)


def test_wrong_modes_and_protocols_are_refused(repo: Repo, settings: Settings) -> None:
    _, commit = grown_repository(repo, 2)
    cases = [replace(case("1", "render a cookie", "src/m1.py"), commit=commit, protocol="past")]
    with pytest.raises(UsageError, match="unknown part 'neural'"):
        compare_modes(repo.root, cases, ["neural"], settings=settings)
    with pytest.raises(UsageError, match="was mined for protocol 'past'"):
        compare_modes(repo.root, cases, protocol="head", settings=settings)
