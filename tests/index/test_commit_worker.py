"""The process that reads a history: the same facts and arrays as reading it here, and errors come through."""

from __future__ import annotations

import random

import msgspec
import pytest

from tests.conftest import Repo
from tests.index.histories import make_history, random_history
from trackdown.errors import GitError
from trackdown.index.commit_worker import read_and_gather
from trackdown.index.commits import build_segment
from trackdown.repository.history import CommitFacts, CommitRef, list_commits, read_commits
from trackdown.repository.source import open_source
from trackdown.store.arrays import Arrays


def test_facts_and_arrays_are_those_of_reading_here(repo: Repo) -> None:
    commits = make_history(repo, random_history(random.Random(5), 30))
    git = open_source(repo.root).git
    assert git is not None
    listed = list_commits(git, commits[-1])
    *batches, arrays = read_and_gather(git, listed, exact_renames_only=False)
    expected = list(read_commits(git, listed))
    facts = [fact for batch in batches for fact in batch]
    assert [msgspec.msgpack.decode(value, type=CommitFacts) for _, _, value in facts] == expected
    assert [(oid, complete) for oid, complete, _ in facts] == [(commit.oid, True) for commit in expected]
    assert isinstance(arrays, Arrays)
    by_id = {commit.oid: commit for commit in expected}
    here, meta = build_segment((item, by_id.get(item.oid)) for item in listed)
    assert arrays.meta == meta
    assert {name: arrays[name].tobytes() for name in arrays} == {name: here[name].tobytes() for name in here}
    assert all(arrays[name].dtype == here[name].dtype and arrays[name].shape == here[name].shape for name in here)


def test_what_git_complains_of_comes_through(repo: Repo) -> None:
    repo.commit("begin", {"a.py": "x\n"})
    git = open_source(repo.root).git
    assert git is not None
    with pytest.raises(GitError, match="git failed"):
        list(read_and_gather(git, [CommitRef("1" * 40, ())], exact_renames_only=False))
