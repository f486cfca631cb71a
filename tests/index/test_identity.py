"""Which repository is this: clones and worktrees are one, what is incomplete or has no history stands for itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.store.limits import nothing_writable
from trackdown.index.identity import is_known, is_shared, mark_private, repository_id
from trackdown.repository.history import list_commits
from trackdown.repository.source import open_source
from trackdown.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_the_first_commits_name_a_repository(make_repo: Callable[[str], Repo], store: Store) -> None:
    one, other = make_repo("one"), make_repo("other")
    first = one.commit("begin", {"a.py": "x\n"})
    second = other.commit("begin elsewhere", {"a.py": "x\n"})
    name = repository_id(store, open_source(one.root), first)
    assert is_shared(name) and name != repository_id(store, open_source(other.root), second)
    assert repository_id(store, open_source(one.root), one.commit("more", {"a.py": "y\n"})) == name


def test_commits_at_hand_give_the_same_name_as_asking_git(repo: Repo, tmp_path: Path) -> None:
    repo.commit("begin", {"a.py": "x\n"})
    tip = repo.commit("go on", {"a.py": "y\n"})
    source = open_source(repo.root)
    assert source.git is not None
    listed = list_commits(source.git, tip)
    asked = repository_id(Store(tmp_path / "one"), source, tip)
    assert repository_id(Store(tmp_path / "two"), source, tip, listed) == asked


def test_a_clone_is_known_once_it_was_met(repo: Repo, store: Store) -> None:
    tip = repo.commit("begin", {"a.py": "x\n"})
    source = open_source(repo.root)
    assert not is_known(store, source)
    repository_id(store, source, tip)
    assert is_known(store, source)


def test_folders_and_repositories_without_commits_stand_for_themselves(
    repo: Repo, store: Store, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    names = {repository_id(store, open_source(place), None) for place in (*folders, repo.root)}
    assert len(names) == 3


def test_a_clone_that_turns_out_to_lack_objects_gets_a_name_of_its_own(
    repo: Repo, store: Store, tmp_path: Path
) -> None:
    tip = repo.commit("begin", {"a.py": "x\n"})
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    ours, theirs = open_source(repo.root), open_source(tmp_path / "clone")
    shared = repository_id(store, ours, tip)
    private = mark_private(store, theirs, tip)
    assert private.startswith(f"{shared}-") and not is_shared(private)
    assert repository_id(store, theirs, tip) == private == mark_private(store, theirs, tip)
    assert repository_id(store, ours, tip) == shared


def test_a_partial_clone_has_a_name_of_its_own(repo: Repo, store: Store, tmp_path: Path) -> None:
    tip = repo.commit("begin", {"a.py": "x\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "partial"))
    assert not is_shared(repository_id(store, open_source(tmp_path / "partial"), tip))


def test_a_store_that_cannot_be_written_still_has_names(repo: Repo, tmp_path: Path) -> None:
    tip = repo.commit("begin", {"a.py": "x\n"})
    source = open_source(repo.root)
    top = tmp_path / "store"
    expected = repository_id(Store(tmp_path / "other"), source, tip)
    Store(top).close()
    assert source.git is not None
    listed = list_commits(source.git, tip)
    with nothing_writable(top):
        assert repository_id(Store(top), source, tip, listed) == expected
