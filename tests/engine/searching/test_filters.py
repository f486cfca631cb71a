"""What a caller may ask to see only: languages and a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine.searching.filters import NOWHERE, checked_folder, intersection
from trackdown.errors import UsageError

Opener = Callable[[Path | str], trackdown.Repository]
FILES = {
    "web/session.py": "def sign_cookie(value):\n    return value\n",
    "web/session.js": "function signCookie(value) {\n  return value;\n}\n",
    "web/api/cookie.py": "def read_cookie(value):\n    return value\n",
    "webs/cookie.go": "package webs\n\nfunc WriteCookie(value string) string {\n\treturn value\n}\n",
    "cookie.py": "def drop_cookie(value):\n    return value\n",
}


@pytest.fixture
def opened(repo: Repo, open_repo: Opener) -> trackdown.Repository:
    repo.commit("Begin", FILES)
    return open_repo(repo.root)


def paths(answer: trackdown.SearchResults) -> list[str]:
    return sorted(result.path for result in answer)


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ((), sorted(FILES)),
        (("python",), ["cookie.py", "web/api/cookie.py", "web/session.py"]),
        (("Go", " JavaScript "), ["web/session.js", "webs/cookie.go"]),
    ],
)
def test_by_language(opened: trackdown.Repository, languages: tuple[str, ...], expected: list[str]) -> None:
    answer = opened.search("cookie", languages=languages)
    assert paths(answer) == expected and not answer.notes


def test_a_language_that_is_not_there_is_told_and_one_that_nobody_knows_is_refused(
    opened: trackdown.Repository,
) -> None:
    answer = opened.search("cookie", languages=["rust"])
    assert not answer.results and answer.notes == ("no indexed file is in rust",)
    with pytest.raises(UsageError, match="unknown language 'klingon'; known are bash, c, cpp"):
        opened.search("cookie", languages=["klingon"])


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("", sorted(FILES)),
        (".", sorted(FILES)),
        ("web", ["web/api/cookie.py", "web/session.js", "web/session.py"]),
        ("web/", ["web/api/cookie.py", "web/session.js", "web/session.py"]),
        ("./web//api", ["web/api/cookie.py"]),
        ("web/session.py", ["web/session.py"]),
    ],
)
def test_by_folder(opened: trackdown.Repository, folder: str, expected: list[str]) -> None:
    answer = opened.search("cookie", folder=folder)
    assert paths(answer) == expected and not answer.notes


def test_a_folder_that_is_not_there_is_told_and_one_outside_is_refused(opened: trackdown.Repository) -> None:
    answer = opened.search("cookie", folder="we")
    assert not answer.results and answer.notes == ("no indexed file is below we",)
    for folder in ("/etc", "..", "web/../..", "web\0"):
        with pytest.raises(UsageError, match="not a folder of the repository"):
            checked_folder(folder)


def test_a_folder_within_what_was_opened(repo: Repo, opened: trackdown.Repository, open_repo: Opener) -> None:
    below = open_repo(repo.root / "web")
    assert paths(below.search("cookie", folder="web/api")) == ["web/api/cookie.py"]
    assert paths(below.search("cookie", folder="")) == ["web/api/cookie.py", "web/session.js", "web/session.py"]
    assert paths(below.search("cookie", folder="webs")) == []
    assert intersection("a", "a/b") == "a/b" and intersection("a/b", "a") == "a/b"
    assert intersection("a", "ab") == NOWHERE and intersection("ab", "a") == NOWHERE


def test_filters_do_not_change_scores(opened: trackdown.Repository) -> None:
    everything = {result.path: result.score for result in opened.search("cookie")}
    some = opened.search("cookie", languages=["python"], folder="web")
    assert {result.path: result.score for result in some} == {
        path: score for path, score in everything.items() if path.startswith("web/") and path.endswith(".py")
    }


def test_in_an_index_of_two_segments(repo: Repo, opened: trackdown.Repository) -> None:
    opened.search("cookie")
    repo.write("web/new.js", "function eatCookie(value) {\n  return value;\n}\n")
    assert paths(opened.search("cookie", languages=["javascript"])) == ["web/new.js", "web/session.js"]
