"""A git that is only slow leaves no trace in the store: neither incomplete facts nor a clone that keeps to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.index.histories import linear, make_history, update
from tests.repository.programs import REAL_GIT, put_in_place_of_git
from trackdown.errors import GitTimeout
from trackdown.index.identity import is_shared, repository_id
from trackdown.repository import history
from trackdown.repository.source import open_source
from trackdown.store.store import Store


def test_after_a_slow_git_the_next_update_knows_everything(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = make_history(repo, linear(["fix the parser", "sign the cookie", "cache the header"]))
    store, source = Store(tmp_path / "store"), open_source(repo.root)
    with monkeypatch.context() as slow:
        slow.setattr(history, "LONGEST_RUN", 0.3)
        work = f'case "$*" in *-l1000*) while :; do :; done;; esac; exec {REAL_GIT} "$@"'
        put_in_place_of_git(slow, tmp_path / "bin", work)
        with pytest.raises(GitTimeout):
            update(store, source, commits[-1])
    assert update(store, source, commits[-1]).incomplete == 0
    assert is_shared(repository_id(store, source, commits[-1]))
    store.close()
