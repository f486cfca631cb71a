"""One commit as a pack, and a bare repository made from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import GitError, RepositoryError
from trackdown.repository import commit_snapshot, newest_commit, open_source, pack_commit, unpack_commit


def test_a_pack_has_the_files_of_the_commit_and_none_of_its_past(repo: Repo, tmp_path: Path) -> None:
    old = repo.commit("Begin", {"a.py": "OLD = 1\n", "gone.py": "GONE = 1\n"})
    repo.git("rm", "-q", "gone.py")
    commit = repo.commit("Go on", {"a.py": "NEW = 2\n", "deep/b.py": "B = 1\n", "large.bin": b"x" * 5000})
    source = open_source(repo.root)
    pack_commit(source, commit, tmp_path / "pack", 4000)
    unpack_commit(tmp_path / "pack", tmp_path / "made.git", commit, "sha1")
    made = open_source(tmp_path / "made.git")
    assert (made.kind, made.shallow, made.head()) == ("bare", True, commit)
    assert commit_snapshot(made, commit).key == commit_snapshot(source, commit).key
    assert made.git is not None and made.git.text("show", f"{commit}:a.py") == "NEW = 2"
    for missing in (old, f"{commit}:large.bin"):
        with pytest.raises(GitError):
            made.git.run("cat-file", "-e", repo.git("rev-parse", missing))


def test_the_same_commit_gives_the_same_pack(repo: Repo, tmp_path: Path) -> None:
    commit = repo.commit("Begin", {f"{at}.py": f"A = {at}\n" * 20 for at in range(20)})
    pack_commit(open_source(repo.root), commit, tmp_path / "one", 4000)
    repo.git("gc", "-q")
    pack_commit(open_source(repo.root), commit, tmp_path / "two", 4000)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_damaged_pack_is_refused(repo: Repo, tmp_path: Path) -> None:
    commit = repo.commit("Begin", {"a.py": "A = 1\n"})
    pack_commit(open_source(repo.root), commit, tmp_path / "pack", 4000)
    content = bytearray((tmp_path / "pack").read_bytes())
    content[20] ^= 255
    (tmp_path / "pack").write_bytes(content)
    with pytest.raises(GitError):
        unpack_commit(tmp_path / "pack", tmp_path / "made.git", commit, "sha1")


def test_the_newest_commit_of_a_url_needs_no_clone(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit("Begin", {"a.py": "A = 1\n"})
    repo.git("tag", "-a", "v1", "-m", "one")
    second = repo.commit("Go on", {"a.py": "A = 2\n"})
    url = repo.root.as_uri()
    assert newest_commit(url, "HEAD", tmp_path) == newest_commit(url, "main", tmp_path) == second
    assert newest_commit(url, "v1", tmp_path) == first
    with pytest.raises(RepositoryError, match="has no branch or tag 'none'"):
        newest_commit(url, "none", tmp_path)
    with pytest.raises(RepositoryError, match="cannot reach"):
        newest_commit("file:///nowhere/at/all", "HEAD", tmp_path)
