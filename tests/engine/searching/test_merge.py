"""One search over several repositories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import trackdown
from tests.conftest import Repo

Opener = Callable[[Path | str], trackdown.Repository]
CODE = "def sign_cookie(value):\n    return value\n"


def test_answers_are_merged_by_score_and_ranked_anew(make_repo: Callable[[str], Repo], open_repo: Opener) -> None:
    opened = []
    for name, other in (("one", "cookie_header"), ("two", "cookie_session")):
        repo = make_repo(name)
        repo.commit(f"Begin {name}", {"a.py": CODE, "b.py": f"def {other}():\n    pass\n"})
        opened.append(open_repo(repo.root))
    answer = trackdown.search_all(opened, "sign cookie", k=3)
    assert [result.rank for result in answer] == [1, 2, 3]
    assert {result.repository for result in answer} == {"one", "two"}
    assert [info.repository for info in answer.snapshots] == ["one", "two"]
    scores = [result.score for result in answer]
    assert scores == sorted(scores, reverse=True)
    apart = [repository.search("sign cookie", k=3) for repository in opened]
    everything = sorted((result.score for found in apart for result in found), reverse=True)
    assert scores == everything[:3]


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
