"""The files of a commit, and the key that says which snapshots are equal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import GitError
from trackdown.repository.blobs import blob_id
from trackdown.repository.snapshot import File, Snapshot, commit_snapshot, snapshot_key, sorted_by_path
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree


def at(repo: Repo, revision: str = "HEAD") -> Snapshot:
    source = open_source(repo.root)
    return commit_snapshot(source, source.resolve(revision))


def paths(snapshot: Snapshot) -> list[str]:
    return [file.path for file in snapshot.files]


def left_out(snapshot: Snapshot) -> dict[str, str]:
    return {exclusion.path: exclusion.reason for exclusion in snapshot.excluded}


def test_the_files_of_a_commit_with_their_ids(repo: Repo) -> None:
    commit = repo.commit("Begin", {"b.py": "b\n", "a/z.py": "z\n", "a.py": "a\n"})
    repo.write("untracked.py", "u\n")
    snapshot = at(repo)
    assert paths(snapshot) == ["a.py", "a/z.py", "b.py"]
    assert snapshot.files[0] == File("a.py", repo.git("rev-parse", "HEAD:a.py"))
    assert (snapshot.commit, snapshot.dirty, snapshot.on_disk) == (commit, False, False)


def test_every_commit_has_its_own_files(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", "b.py": "b\n"})
    repo.git("rm", "-q", "b.py")
    repo.commit("Second", {"c.py": "c\n"})
    assert (paths(at(repo, "HEAD~1")), paths(at(repo))) == (["a.py", "b.py"], ["a.py", "c.py"])


def test_a_commit_without_files_is_empty(repo: Repo) -> None:
    repo.commit("Nothing yet")
    assert at(repo).files == () == at(repo).excluded


def test_links_submodules_and_files_that_names_tell_are_left_out_with_a_reason(repo: Repo, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    inner.commit("Begin", {"x.py": "x\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "vendored")
    (repo.root / "link.py").symlink_to("a.py")
    (repo.root / "nowhere.py").symlink_to("/does/not/exist")
    repo.commit("Begin", {"a.py": "a\n", "yarn.lock": "x\n", "logo.png": b"\x89PNG"})
    snapshot = at(repo)
    assert paths(snapshot) == [".gitmodules", "a.py"]
    assert left_out(snapshot) == {
        "vendored": "submodule",
        "link.py": "symlink",
        "nowhere.py": "symlink",
        "yarn.lock": "generated",
        "logo.png": "binary",
    }


def test_the_ignore_files_of_the_commit_count_and_not_those_on_disk(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", "b.py": "b\n", "p/c.py": "c\n", ".trackdownignore": "a.py\n"})
    repo.commit(
        "Second", {".trackdownignore": "b.py\n!yarn.lock\n", "p/.trackdownignore": "*.py\n", "yarn.lock": "y\n"}
    )
    repo.write(".trackdownignore", "*\n")
    assert paths(at(repo, "HEAD~1")) == [".trackdownignore", "b.py", "p/c.py"]
    second = at(repo)
    assert paths(second) == [".trackdownignore", "a.py", "p/.trackdownignore", "yarn.lock"]
    assert [file.path for file in second.files if file.forced] == ["yarn.lock"]
    assert left_out(second) == {"b.py": "ignored", "p/c.py": "ignored"}


def test_an_ignore_file_that_is_a_link_is_not_read(repo: Repo) -> None:
    (repo.root / ".trackdownignore").symlink_to("a.py")
    repo.commit("Begin", {"a.py": "a\n"})
    assert paths(at(repo)) == ["a.py"]
    assert paths(scan_worktree(open_source(repo.root), None, 1 << 20).snapshot) == ["a.py"]


@pytest.mark.parametrize("name", [b"caf\xe9.py", b"new\nline.py", b"tab\there.py", b'"quoted".py', b"\\x.py", b" .py"])
def test_names_of_any_bytes(repo: Repo, name: bytes) -> None:
    with open(os.fsencode(repo.root) + b"/" + name, "wb") as stream:
        stream.write(b"x\n")
    repo.commit("Begin")
    assert paths(at(repo)) == [os.fsdecode(name)]
    assert paths(scan_worktree(open_source(repo.root), None, 1 << 20).snapshot) == [os.fsdecode(name)]


def test_equal_files_have_equal_keys_wherever_they_are(repo: Repo, tmp_path: Path) -> None:
    files = {"a.py": "a\n", "p/b.py": "b\n", ".trackdownignore": "!p/b.py\n"}
    repo.commit("Begin", files)
    other = Repo(tmp_path / "other")
    other.commit("Quite another history")
    other.commit("Then the same files", files)
    keys = {at(repo).key, at(other).key, scan_worktree(open_source(repo.root), None, 1 << 20).snapshot.key}
    assert len(keys) == 1


def test_the_key_tells_paths_contents_and_forced_files_apart_but_not_their_order() -> None:
    a, b = File("a", "1" * 40), File("b", "2" * 40)
    keys = [
        snapshot_key([]),
        snapshot_key([a]),
        snapshot_key([a, b]),
        snapshot_key([File("a", "2" * 40)]),
        snapshot_key([File("c", "1" * 40)]),
        snapshot_key([File("a", "1" * 40, forced=True)]),
        snapshot_key([a], 4096),
        snapshot_key([a], 8192),
    ]
    assert len(set(keys)) == len(keys)
    assert snapshot_key(sorted_by_path([b, a])) == snapshot_key(sorted_by_path([a, b]))


def test_the_key_never_changes() -> None:
    files = [File("a.py", "1" * 40), File("caf\udce9.py", "2" * 40, forced=True)]
    assert snapshot_key(files) == "6ad11059f663812b8d523418971ed62c"


def test_blob_ids_are_those_of_git(repo: Repo) -> None:
    for data in (b"", b"x\n", bytes(range(256)) * 10):
        assert blob_id(data) == repo.git("hash-object", "--stdin", stdin=data)


def test_a_commit_whose_tree_is_missing_is_an_error(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    (repo.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(GitError) as caught:
        at(repo)
    assert "\n" not in str(caught.value)
