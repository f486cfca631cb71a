"""Who last changed some lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import UsageError

Opener = Callable[[Path | str], trackdown.Repository]
CODE = "def sign(value):\n    return value\n\n\nclass Session:\n    def check(self):\n        return 1\n"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Add signing (#7)", {"web/app.py": CODE})
    repo.commit("Check twice\n\nFixes #9", {"web/app.py": CODE.replace("return 1", "return 2")})
    return repo


def spans(answer: trackdown.Blame) -> list[tuple[int, int, str, tuple[str, ...]]]:
    return [(one.start_line, one.end_line, one.subject, one.issues) for one in answer.lines]


def test_lines_ranges_symbols_and_files(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    first, second = ("Add signing (#7)", ("#7",)), ("Check twice", ("#9",))
    assert spans(opened.blame("web/app.py:2")) == [(2, 2, *first)]
    assert spans(opened.blame("web/app.py:5-7")) == [(5, 6, *first), (7, 7, *second)]
    assert spans(opened.blame("web/app.py:6,99")) == [(6, 6, *first), (7, 7, *second)]
    assert spans(opened.blame("web/app.py:Session.check")) == spans(opened.blame("Session.check"))
    assert opened.blame("Session.check").symbol == "Session.check" and opened.blame("sign").end_line == 2
    whole = opened.blame("web/app.py")
    assert (whole.start_line, whole.end_line) == (1, 7)
    assert [(one.subject, one.lines) for one in whole.commits()] == [("Check twice", 1), ("Add signing (#7)", 6)]
    (author,) = {one.author for one in whole.lines}
    assert author == "Ada" and whole.lines[0].date == "2020-09-13"


def test_what_is_not_committed_says_so(shop: Repo, open_repo: Opener) -> None:
    shop.write("web/app.py", "import os\n" + CODE)
    shop.write("web/new.py", "def fresh():\n    return 0\n")
    opened = open_repo(shop.root)
    assert [(one.start_line, one.end_line, bool(one.commit)) for one in opened.blame("web/app.py:1-3").lines] == [
        (1, 1, False),
        (2, 3, True),
    ]
    (fresh,) = opened.blame("fresh").lines
    assert (fresh.commit, fresh.author, fresh.date, fresh.subject) == ("", "", "", "")
    assert opened.blame("web/app.py:1", at="HEAD").lines[0].subject == "Add signing (#7)"


def test_revisions_that_only_reformat_are_passed_over(shop: Repo, open_repo: Opener) -> None:
    formatted = shop.commit("Format", {"web/app.py": CODE.replace("return 1", "return  2")})
    unknown = "0" * 39 + "1"
    shop.commit("Ignore it", {".git-blame-ignore-revs": f"# formatting\n{formatted}\n{unknown}\n"})
    assert open_repo(shop.root).blame("web/app.py:7").lines[0].subject == "Check twice"
    assert open_repo(shop.root).blame("web/app.py:7", at="HEAD~1").lines[0].subject == "Format"


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("web/app.py:99", "has no line 99: its lines are 1 to 7"),
        ("web/app.py:0", "has no line 0"),
        ("web/app.py:5-3", "has no lines 5-3"),
        ("web/nope.py:3", "is not an indexed file"),
        ("web/app.py:nothing", "has no 'nothing'"),
        ("web", "is a folder"),
        ("", "is not a target"),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(shop: Repo, open_repo: Opener, target: str, line: str) -> None:
    with pytest.raises(UsageError, match=line):
        open_repo(shop.root).blame(target)


def test_a_repository_without_commits_has_nobody_to_blame(repo: Repo, open_repo: Opener) -> None:
    repo.write("a.py", "a = 1\n")
    with pytest.raises(UsageError, match="has no commits yet"):
        open_repo(repo.root).blame("a.py:1")
