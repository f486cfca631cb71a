"""Looks at a folder on disk: what is there now. What spares reading is tested in test_worktree_state.py."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.looks import LIMIT, WorktreeCache, contents, ids, left_out
from trackdown.repository import worktree
from trackdown.repository.blobs import read_on_disk
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree


def test_a_clean_work_tree_equals_its_commit(repo: Repo) -> None:
    commit = repo.commit("Begin", {"a.py": "a\n", "deep/er/b.py": "b\n", "yarn.lock": "y\n"})
    source = open_source(repo.root)
    on_disk, committed = scan_worktree(source, None, LIMIT).snapshot, commit_snapshot(source, commit, LIMIT)
    assert (on_disk.files, on_disk.key) == (committed.files, committed.key)
    assert (on_disk.commit, on_disk.dirty, on_disk.on_disk) == (commit, False, True)
    assert left_out(on_disk) == left_out(committed) == {"yarn.lock": "generated"}


def test_edits_new_deleted_and_renamed_files_are_seen_at_once(place: Repo) -> None:
    looker = WorktreeCache(place.root)
    assert contents(looker()) == ids(a="a1\n", pkg__b="b1\n")
    place.write("a.py", "a2\n")
    place.write("pkg/new.py", "n\n")
    place.write("pkg/scratch.tmp", "t\n")
    assert contents(looker()) == ids(a="a2\n", pkg__b="b1\n", pkg__new="n\n")
    (place.root / "a.py").rename(place.root / "pkg/moved.py")
    (place.root / "pkg/b.py").unlink()
    assert contents(looker()) == ids(pkg__moved="a2\n", pkg__new="n\n")


def test_uncommitted_staged_and_untracked_files_make_it_dirty(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a1\n"})
    repo.git("config", "status.showUntrackedFiles", "no")
    looker = WorktreeCache(repo.root)
    assert not looker().dirty
    repo.write("new.py", "n\n")
    assert looker().dirty
    repo.git("add", "-A")
    assert looker().dirty
    repo.commit("Second")
    assert not looker().dirty
    repo.write("a.py", "a2\n")
    assert looker().dirty
    repo.git("checkout", "-q", "a.py")
    assert not looker().dirty


def test_a_new_commit_is_seen_although_no_file_changed(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    looker = WorktreeCache(repo.root)
    first = looker()
    commit = repo.commit("Empty")
    assert (looker().commit, looker().key) == (commit, first.key)


def test_before_the_first_commit_files_are_there_and_no_commit(repo: Repo) -> None:
    repo.write("a.py", "a\n")
    snapshot = WorktreeCache(repo.root)()
    assert (contents(snapshot), snapshot.commit, snapshot.dirty) == (ids(a="a\n"), None, True)


def test_switching_branches_is_seen(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", "pkg/b.py": "b\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.git("rm", "-q", "-r", "pkg")
    repo.commit("Side", {"c.py": "c\n"})
    looker = WorktreeCache(repo.root)
    assert contents(looker()) == ids(a="a\n", c="c\n")
    repo.git("checkout", "-q", "main")
    assert contents(looker()) == ids(a="a\n", pkg__b="b\n")


@pytest.mark.parametrize("rewrite", [True, False])
def test_an_edit_of_an_ignore_file_is_seen(repo: Repo, settle: Callable[[], None], rewrite: bool) -> None:
    files = {"a.py": "a\n", "pkg/b.py": "b\n", "pkg/c.py": "c\n"}
    for path, text in files.items():
        repo.write(path, text)
    repo.write(".gitignore", "a.py\n")
    repo.write("pkg/.gitignore", "*\n")
    repo.write(".trackdownignore", ".gitignore\n.trackdownignore\n")
    settle()
    looker = WorktreeCache(repo.root)
    assert contents(looker()) == {}
    settle()
    looker()
    place = repo.root / "pkg/.gitignore"
    if rewrite:
        place.write_text("c.py\n.gitignore\n")
    else:
        place.unlink()
    repo.write(".gitignore", "z.py\n")
    expected = ids(a="a\n", pkg__b="b\n") if rewrite else ids(a="a\n", pkg__b="b\n", pkg__c="c\n")
    assert contents(looker()) == expected
    settle()
    looker()
    repo.write(".trackdownignore", "pkg\n.gitignore\n.trackdownignore\n")
    assert contents(looker()) == ids(a="a\n")


def test_the_repositorys_own_exclude_file_counts(repo: Repo, settle: Callable[[], None]) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    repo.write("b.py", "b\n")
    settle()
    looker = WorktreeCache(repo.root)
    assert contents(looker()) == ids(a="a\n", b="b\n")
    settle()
    looker()
    repo.write(".git/info/exclude", "b.py\n")
    assert contents(looker()) == ids(a="a\n")


def test_an_ignored_file_that_is_added_by_force_is_seen(repo: Repo, settle: Callable[[], None]) -> None:
    repo.commit("Begin", {".gitignore": "gen/\n", ".trackdownignore": ".*\n"})
    repo.write("gen/a.py", "a\n")
    settle()
    looker = WorktreeCache(repo.root)
    assert contents(looker()) == {}
    repo.git("add", "-f", "gen/a.py")
    assert contents(looker()) == ids(gen__a="a\n")


def test_an_exclamation_mark_brings_back_what_any_rule_leaves_out(place: Repo, settle: Callable[[], None]) -> None:
    place.write(".gitignore", "build/\n*.tmp\n.gitignore\n")
    place.write("build/gen/old.py", "o\n")
    place.write("build/other.txt", "x\n")
    place.write("kept.tmp", "t\n")
    place.write("data.csv", "1,2\n")
    place.write("big.py", "#" * (LIMIT + 1))
    place.write("large.py", "#" * (LIMIT + 1))
    place.write(".trackdownignore", "!build/gen/*.py\n!kept.tmp\n!data.csv\n!big.py\n.trackdownignore\npkg/\n")
    looker = WorktreeCache(place.root)
    snapshot = looker()
    assert [file.path for file in snapshot.files] == ["a.py", "big.py", "build/gen/old.py", "data.csv", "kept.tmp"]
    assert {file.path for file in snapshot.files if file.forced} == contents(snapshot).keys() - {"a.py"}
    assert left_out(snapshot) == {"large.py": "large", "pkg/b.py": "ignored", ".trackdownignore": "ignored"}
    settle()
    looker()
    place.write("build/gen/new.py", "n\n")
    assert "build/gen/new.py" in contents(looker())


def test_a_file_brought_back_into_an_ignored_folder_without_any_is_seen(
    place: Repo, settle: Callable[[], None]
) -> None:
    place.write(".gitignore", "build/\n.gitignore\n")
    place.write(".trackdownignore", "!build/gen/*.py\n.trackdownignore\n")
    (place.root / "build/gen").mkdir(parents=True)
    settle()
    looker = WorktreeCache(place.root)
    looker()
    settle()
    looker()
    place.write("build/gen/new.py", "n\n")
    assert "build/gen/new.py" in contents(looker())


def test_an_ignore_file_of_ours_counts_although_git_ignores_it(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", "b.py": "b\n"})
    repo.write(".git/info/exclude", ".trackdownignore\n")
    repo.write(".trackdownignore", "b.py\n")
    assert contents(WorktreeCache(repo.root)()) == ids(a="a\n")


def test_a_file_that_grows_beyond_the_limit_is_left_out_and_comes_back(place: Repo) -> None:
    looker = WorktreeCache(place.root)
    looker()
    place.write("a.py", "#" * (LIMIT + 1))
    assert left_out(looker())["a.py"] == "large"
    place.write("a.py", "#" * LIMIT)
    assert "a.py" in contents(looker())


def test_links_pipes_and_folders_in_the_place_of_files_are_left_out(place: Repo) -> None:
    looker = WorktreeCache(place.root)
    looker()
    (place.root / "a.py").unlink()
    (place.root / "a.py").symlink_to("pkg/b.py")
    (place.root / "loop.py").symlink_to("loop.py")
    (place.root / "pkg/up").symlink_to("..")
    (place.root / "pkg/b.py").unlink()
    os.mkfifo(place.root / "pkg/b.py")
    snapshot = looker()
    assert snapshot.files == ()
    found = left_out(snapshot)
    assert (found["a.py"], found["loop.py"], found["pkg/b.py"]) == ("symlink", "symlink", "unreadable")
    (place.root / "a.py").unlink()
    (place.root / "a.py").mkdir()
    assert "a.py" not in contents(looker())


def test_a_folder_replaced_by_a_link_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside/deep").mkdir(parents=True)
    (tmp_path / "outside/b.py").write_text("secret\n")
    (tmp_path / "outside/deep/c.py").write_text("secret\n")
    repo.commit("Begin", {"a.py": "a\n", "pkg/b.py": "b\n", "pkg/deep/c.py": "c\n"})
    looker = WorktreeCache(repo.root)
    looker()
    (repo.root / "pkg").rename(repo.root / "old")
    (repo.root / "pkg").symlink_to(tmp_path / "outside")
    assert contents(looker()) == ids(a="a\n", old__b="b\n", old__deep__c="c\n")
    (repo.root / "pkg").unlink()
    (repo.root / "old").rename(repo.root / "pkg")
    assert contents(looker()) == ids(a="a\n", pkg__b="b\n", pkg__deep__c="c\n")


def test_a_submodule_is_named_and_not_read(repo: Repo, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    inner.commit("Begin", {"x.py": "x\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.commit("Begin", {"a.py": "a\n"})
    snapshot = WorktreeCache(repo.root)()
    assert contents(snapshot).keys() == {".gitmodules", "a.py"}
    assert left_out(snapshot) == {"sub": "submodule"}


def test_a_file_that_vanishes_while_it_is_looked_at(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def vanishing(root: Path, path: str, max_bytes: int | None = None) -> bytes | None:
        if path == "a.py":
            (root / path).unlink()
        return read_on_disk(root, path, max_bytes)

    looker = WorktreeCache(place.root)
    with monkeypatch.context() as patched:
        patched.setattr(worktree, "read_on_disk", vanishing)
        assert left_out(looker())["a.py"] == "unreadable"
    assert contents(looker()) == ids(pkg__b="b1\n")
    place.write("a.py", "back\n")
    assert contents(looker()) == ids(a="back\n", pkg__b="b1\n")
