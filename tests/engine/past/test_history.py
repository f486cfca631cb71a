"""Past commits by author, path and date, with a query and without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import UsageError

Opener = Callable[[Path | str], trackdown.Repository]
DAY = 86400


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """Five commits, one a day from 2020-09-13 on, by two people; a file is renamed, another one goes."""
    steps = [
        ("Ada", "Sign the cookie (#12)", {"old/session.py": "def sign():\n    return 1\n", "gone.py": "x = 1\n"}),
        ("Bob Byte", "Check the cookie", {"old/session.py": "def sign():\n    return 2\n"}),
        ("Ada", "Move the session\n\nSee GH-34 and https://x.org/p/issues/56", {}),
        ("Bob Byte", "Drop what is gone", {}),
        ("Ada", "Round the price", {"price.py": "def price():\n    return 3\n"}),
    ]
    for number, (author, message, files) in enumerate(steps):
        if number == 2:
            (repo.root / "web").mkdir()
            repo.git("mv", "old/session.py", "web/session.py")
        if number == 3:
            (repo.root / "gone.py").unlink()
        repo.commit(message, files)
        moment = f"{1_600_000_000 + DAY * number} +0000"
        name = f"{author} <{author[:3].lower()}@shop.example>"
        repo.git("commit", "-q", "--amend", "--no-edit", "--author", name, "--date", moment)
    return repo


def subjects(opened: trackdown.Repository, query: str = "", **limits: object) -> list[str]:
    return [commit.subject for commit in opened.history(query, **limits)]  # type: ignore[arg-type]


def test_without_a_query_the_latest_come_first(shop: Repo, open_repo: Opener) -> None:
    found = open_repo(shop.root).history(k=3)
    assert [(one.rank, one.subject, one.date) for one in found] == [
        (1, "Round the price", "2020-09-17"),
        (2, "Drop what is gone", "2020-09-16"),
        (3, "Move the session", "2020-09-15"),
    ]
    assert found[2].issues == ("GH-34", "#56") and found[2].files == ("web/session.py",)
    assert found[0].score == 0 and found[0].matched == ()


def test_authors_are_parts_of_names_or_addresses(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    assert subjects(opened, author="byte") == ["Drop what is gone", "Check the cookie"]
    assert subjects(opened, author="BOB@shop") == ["Drop what is gone", "Check the cookie"]
    assert subjects(opened, author="shop.example") == subjects(opened) and subjects(opened, author="bob@nowhere") == []
    assert len(subjects(opened, author=["byte", "ada"])) == 5
    nobody = opened.history(author="eve")
    assert not nobody.commits and nobody.notes == ("no commit here is by 'eve'",)


def test_paths_find_files_that_are_gone_or_had_another_name(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    assert subjects(opened, path="gone.py") == ["Drop what is gone", "Sign the cookie (#12)"]
    touched = ["Move the session", "Check the cookie", "Sign the cookie (#12)"]
    assert subjects(opened, path="web/") == touched and subjects(opened, path="old/session.py") == touched
    unknown = opened.history(path=["web/", "nope/*.py"])
    assert len(unknown) == 3 and unknown.notes == ("no commit here touched a file that matches nope/*.py",)


def test_dates_count_whole(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    assert subjects(opened, since="2020-09-17") == ["Round the price"]
    assert subjects(opened, until="2020-09-13") == ["Sign the cookie (#12)"]
    assert subjects(opened, since="2020-09-14", until="2020-09-15") == ["Move the session", "Check the cookie"]
    assert len(subjects(opened, since="2020", until="2020")) == 5 and subjects(opened, since="2021") == []


def test_limits_combine_with_each_other_and_with_a_query(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    assert subjects(opened, "cookie", author="byte") == ["Check the cookie"]
    assert subjects(opened, "cookie", until="2020-09-13") == ["Sign the cookie (#12)"]
    assert subjects(opened, author="ada", path="*.py", since="2020-09-15", k=1) == ["Round the price"]
    assert subjects(opened, "#12", author="byte") == []


def test_a_number_alone_is_that_of_an_issue(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    assert subjects(opened, "12") == subjects(opened, "#12") == ["Sign the cookie (#12)"]
    assert subjects(opened, "56") == subjects(opened, "GH-56") == ["Move the session"]


def test_merges_are_not_listed(shop: Repo, open_repo: Opener) -> None:
    shop.git("checkout", "-q", "-b", "side", "HEAD~1")
    shop.commit("Sign more", {"more.py": "y = 2\n"})
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    assert "Merge side" not in subjects(open_repo(shop.root), k=20)


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ({"since": "soon"}, "since 'soon' is not a date"),
        ({"since": "2021", "until": "2020"}, "since '2021' is after until '2020'"),
        ({"author": " "}, "author needs a value"),
        ({"path": ["a"] * 51}, "path needs a value, and at most 50"),
        ({"path": "/"}, "is not a pattern of paths"),
    ],
)
def test_limits_that_cannot_be_are_refused(repo: Repo, open_repo: Opener, limits: dict[str, str], line: str) -> None:
    repo.commit("first", {"a.py": "a = 1\n"})
    with pytest.raises(UsageError, match=line):
        open_repo(repo.root).history(**limits)  # type: ignore[arg-type]
