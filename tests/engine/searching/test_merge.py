"""One search over several repositories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine.searching.merge import merged

Opener = Callable[[Path | str], trackdown.Repository]
CODE = "def sign_cookie(value):\n    return value\n"


def test_answers_are_merged_by_probability_and_ranked_anew(make_repo: Callable[[str], Repo], open_repo: Opener) -> None:
    opened = []
    for name, other in (("one", "cookie_header"), ("two", "cookie_session")):
        repo = make_repo(name)
        repo.commit(f"Begin {name}", {"a.py": CODE, "b.py": f"def {other}():\n    pass\n"})
        opened.append(open_repo(repo.root))
    answer = trackdown.search_all(opened, "sign cookie", k=3)
    assert [result.rank for result in answer] == [1, 2, 3]
    assert {result.repository for result in answer} == {"one", "two"}
    assert [info.repository for info in answer.snapshots] == ["one", "two"]
    likely = [result.probability or 0.0 for result in answer]
    assert likely == sorted(likely, reverse=True) and likely[0] > 0
    apart = [repository.search("sign cookie", k=3) for repository in opened]
    assert likely == sorted((result.probability or 0.0 for found in apart for result in found), reverse=True)[:3]


def test_a_sure_answer_comes_before_a_higher_score_in_another_repository(
    make_repo: Callable[[str], Repo], open_repo: Opener
) -> None:
    sure, unsure = make_repo("sure"), make_repo("unsure")
    sure.commit("Begin", {"a.py": CODE, **{f"x{n}.py": f"def other_{n}():\n    pass\n" for n in range(9)}})
    unsure.commit("Begin", {f"c{n}.py": f"def cookie_{n}(value):\n    cookie = value\n" for n in range(9)})
    answers = [open_repo(one.root).search("sign cookie", effort="fast") for one in (unsure, sure)]
    higher = [replace(result, score=result.score + 10) for result in answers[0]]
    answer = merged([replace(answers[0], results=tuple(higher)), answers[1]], 5)
    assert (answer[0].repository, answer[0].symbol) == ("sure", "sign_cookie")
    unknown = [replace(one, results=tuple(replace(result, probability=None) for result in one)) for one in answers]
    assert merged(unknown, 5)[0].score == max(result.score for one in answers for result in one)


@pytest.mark.parametrize("query", ['"return value"', "symbol:sign_cookie"])
def test_lists_of_several_repositories_are_one_list(
    make_repo: Callable[[str], Repo], open_repo: Opener, query: str
) -> None:
    one, many = make_repo("one"), make_repo("many")
    one.commit("Begin", {"a.py": CODE})
    many.commit("Begin", {f"c{n}.py": CODE for n in range(4)})
    answer = trackdown.search_all([open_repo(repo.root) for repo in (one, many)], query, k=2)
    assert answer.matching == 5 and answer.confidence is not None
    assert (answer.confidence.verdict, answer.confidence.probability) == ("likely", 0.4)
    assert [result.probability for result in answer] == [0.2, 0.2]
    overlapping = [open_repo(many.root), open_repo(many.root / "c1.py")]
    assert trackdown.search_all(overlapping, query, k=10).matching == 4
    assert trackdown.search_all(overlapping, "symbol:nothing").matching == 0


def test_a_message_that_no_function_says_stays_weak_in_several_repositories(
    make_repo: Callable[[str], Repo], open_repo: Opener
) -> None:
    said = "cannot open the socket of this shop"
    code = f'if not ready:\n    raise SystemExit("{said}")\n\n\ndef wait(value):\n    # {said}\n    return value\n'
    one, two = make_repo("one"), make_repo("two")
    for repo in (one, two):
        repo.commit("Begin", {"a.py": code})
    alone = open_repo(one.root).search(f'"{said}"')
    together = trackdown.search_all([open_repo(one.root), open_repo(two.root)], f'"{said}"')
    for answer in (alone, together):
        assert answer.confidence is not None and answer.confidence.verdict == "weak" and answer.matching is None


def test_repositories_of_one_name_are_told_apart(tmp_path: Path, open_repo: Opener) -> None:
    places = [tmp_path / "left" / "app", tmp_path / "right" / "app"]
    for place in places:
        Repo(place).commit("Begin", {"a.py": CODE})
    answer = trackdown.search_all([open_repo(place) for place in places], "sign cookie")
    assert [result.path for result in answer] == ["a.py", "a.py"]
    assert {result.repository for result in answer} == {str(place) for place in places}
    assert {info.repository for info in answer.snapshots} == {str(place) for place in places}


def test_overlapping_folders_give_each_place_once(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"web/a.py": CODE, "lib/b.py": CODE})
    opened = [open_repo(repo.root / "web"), open_repo(repo.root), open_repo(repo.root / "web/a.py")]
    answer = trackdown.search_all(opened, "sign cookie")
    assert sorted(result.path for result in answer) == ["lib/b.py", "web/a.py"]
    assert len(answer.snapshots) == 1 and {result.repository for result in answer} == {"repo"}


def test_one_alone_answers_as_it_does_by_itself(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": CODE})
    opened = open_repo(repo.root)
    merged, alone = trackdown.search_all([opened], "sign cookie"), opened.search("sign cookie")
    assert merged.results == alone.results and merged.snapshots == alone.snapshots


def test_what_only_one_repository_says_has_its_name(make_repo: Callable[[str], Repo], open_repo: Opener) -> None:
    one, two = make_repo("one"), make_repo("two")
    one.commit("Begin", {"a.py": CODE})
    two.commit("Begin", {"a.go": "package a\n\nfunc signCookie() {}\n"})
    answer = trackdown.search_all([open_repo(one.root), open_repo(two.root)], "sign cookie lang:go")
    assert "one: no indexed file is in go" in answer.notes
    assert "filters in the query: lang:go (quote them to search for them as words)" in answer.notes
