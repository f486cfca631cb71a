"""Whether a blob that was missing is back is asked before each search, so the question must be cheap and never fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.programs import REAL_GIT, put_in_place_of_git
from trackdown.index.code import CodeIndex
from trackdown.index.code_update import may_be_completed, update_code
from trackdown.repository.snapshot import Snapshot, commit_snapshot
from trackdown.repository.source import open_source
from trackdown.settings import Settings
from trackdown.store.store import Store
from trackdown.types import no_progress

COUNT = 20


@pytest.fixture
def damaged(repo: Repo, settings: Settings) -> tuple[Snapshot, CodeIndex]:
    """A commit of which all blobs are cut off, and its index."""
    texts = {
        f"m{number}.py": "".join(f"x{number}_{line} = {line * 7919}\n" for line in range(300))
        for number in range(COUNT)
    }
    snapshot = commit_snapshot(open_source(repo.root), repo.commit("Begin", texts))
    for file in snapshot.files:
        path = repo.root / ".git/objects" / file.oid[:2] / file.oid[2:]
        whole = path.read_bytes()
        path.unlink()
        path.write_bytes(whole[: len(whole) // 2])
    store = Store(settings.store)
    update = update_code(store, snapshot, "history-1", workers=1, progress=no_progress)
    store.close()
    assert sum(update.index.left_out.values()) == COUNT
    return snapshot, update.index


def test_objects_are_not_listed_when_git_dies_of_damaged_ones(
    damaged: tuple[Snapshot, CodeIndex], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place_of_git(monkeypatch, tmp_path / "bin", f'echo "$*" >> {tmp_path}/calls; exec {REAL_GIT} "$@"')
    assert not may_be_completed(*damaged)
    calls = (tmp_path / "calls").read_text()
    assert "--batch-all-objects" not in calls
    assert 2 < calls.count("cat-file") < COUNT


def test_a_blob_that_is_back_is_noticed_among_damaged_ones(repo: Repo, damaged: tuple[Snapshot, CodeIndex]) -> None:
    oid = damaged[0].files[3].oid
    (repo.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo.git("hash-object", "-w", damaged[0].files[3].path)
    assert may_be_completed(*damaged)


def test_a_git_that_is_gone_midway_is_no_error(
    damaged: tuple[Snapshot, CodeIndex], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = f'case "$*" in *--batch-check*) /bin/rm "$0";; esac; exec {REAL_GIT} "$@"'
    put_in_place_of_git(monkeypatch, tmp_path / "bin", once)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert not may_be_completed(*damaged)
    assert not (tmp_path / "bin/git").exists()
