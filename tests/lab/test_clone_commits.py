"""Commits of a clone: only ids count, and what is not there is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.lab.made_tasks import grown_repository
from trackdown.lab.clone import commit_times, is_commit_id, present_commits
from trackdown.repository.source import open_source


def test_times_of_what_is_there(repo: Repo) -> None:
    first, second = grown_repository(repo, 2)
    blob = repo.git("rev-parse", "HEAD:src/m0.py")
    asked = {first, second, "0" * 40, blob, "main", "HEAD", "", "a\nb", "\ud800"}
    assert commit_times(str(repo.root), asked) == {first: 1_600_000_000, second: 1_600_000_060}


def test_a_shortened_id_gives_the_full_one(repo: Repo) -> None:
    (commit,) = grown_repository(repo, 1)
    git = open_source(repo.root).git
    assert git is not None
    assert present_commits(git, [commit[:8], "f" * 40]) == [commit]
    assert present_commits(git, []) == []


def test_a_place_that_is_no_repository_knows_no_commit(tmp_path: Path) -> None:
    assert commit_times(str(tmp_path), ["0" * 40]) == {} == commit_times(str(tmp_path / "gone"), ["0" * 40])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0" * 40, True),
        ("a" * 64, True),
        ("0123abc", True),
        ("012", False),
        ("main", False),
        ("HEAD", False),
        ("0123abc^", False),
        ("-" * 40, False),
        ("0" * 40 + "\n", False),
        ("", False),
    ],
)
def test_what_is_an_id(text: str, wanted: bool) -> None:
    assert is_commit_id(text) is wanted
