"""Which commits a merge brought."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.index.histories import make_history, random_history, update
from trackdown.index.merges import brought_by, latest_merges
from trackdown.repository.source import open_source
from trackdown.store.store import Store


@pytest.mark.parametrize("seed", range(2))
def test_a_merge_brought_what_git_lists(repo: Repo, tmp_path: Path, seed: int) -> None:
    commits = make_history(repo, random_history(random.Random(seed), 40))
    store, source = Store(tmp_path / "store"), open_source(repo.root)
    for tip in (commits[20], commits[39]):
        index = update(store, source, tip).index
    expected = repo.git("rev-list", "--merges", commits[39]).split()
    merges = latest_merges(index, commits[39], 100)
    assert len(expected) > 2 and sorted(map(index.oid, merges)) == sorted(expected)
    assert latest_merges(index, commits[39], 2) == merges[:2] == sorted(merges)[-2:][::-1]
    for merge in merges:
        oid = index.oid(merge)
        listed = repo.git("rev-list", f"{oid}^@", f"^{oid}^1").split()
        assert sorted(map(index.oid, brought_by(index, merge, len(listed)))) == sorted(listed)
        assert not listed or brought_by(index, merge, len(listed) - 1) == []
