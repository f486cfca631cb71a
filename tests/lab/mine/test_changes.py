"""What git says of commits' files, in clones that have everything and in clones that lack objects."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.lab.mine.changes import ChangedSides, ChangeReader, newest_first, read_patches
from trackdown.repository.git import Git
from trackdown.repository.history import CommitRef
from trackdown.repository.source import open_source


def git_of(repo: Repo) -> Git:
    git = open_source(repo.root).git
    assert git is not None
    return git


def commits_of(repo: Repo) -> list[CommitRef]:
    """All commits, the oldest first."""
    batches = newest_first(git_of(repo), repo.git("rev-parse", "HEAD"), batch=100)
    return [commit for batch in batches for commit in batch][::-1]


def changes(repo: Repo, **options: int | str) -> list[tuple[int, ChangedSides]]:
    """(place of the commit, file) of all that happened."""
    listed = commits_of(repo)
    places = {commit.oid: place for place, commit in enumerate(listed)}
    reader = ChangeReader(git_of(repo), **options)  # type: ignore[arg-type]
    return [(places[oid], file) for oid, file in reader.read(listed)]


def told(found: Sequence[tuple[int, ChangedSides]]) -> list[tuple[int, str, str, str]]:
    return [(place, file.status, file.old_path, file.path) for place, file in found]


def remove_blob(repo: Repo, revision: str) -> str:
    """Take an object away, as a mirror without large files does, and the index: git would read what is on disk."""
    oid = repo.git("rev-parse", revision)
    path = repo.root / ".git" / "objects" / oid[:2] / oid[2:]
    os.chmod(path, 0o644)
    path.unlink()
    repo.git("read-tree", "--empty")
    return oid


def test_every_kind_of_change(repo: Repo) -> None:
    lines = "".join(f"line {number}\n" for number in range(20))
    repo.commit("one", {"a.txt": lines, "gone.txt": "x\n", "link": "plain\n"})
    repo.commit("nothing at all")
    (repo.root / "gone.txt").unlink()
    (repo.root / "link").unlink()
    (repo.root / "link").symlink_to("a.txt")
    repo.git("mv", "a.txt", "b.txt")
    repo.commit("two", {"b.txt": lines.replace("line 3\n", "line three\n"), "empty": "", "c.bin": b"\0\1\2"})
    found = changes(repo, context=0)
    assert told(found) == [
        (0, "A", "a.txt", "a.txt"),
        (0, "A", "gone.txt", "gone.txt"),
        (0, "A", "link", "link"),
        (2, "R", "a.txt", "b.txt"),
        (2, "A", "c.bin", "c.bin"),
        (2, "A", "empty", "empty"),
        (2, "D", "gone.txt", "gone.txt"),
        (2, "T", "link", "link"),
    ]
    hunks = {file.path: file.hunks for place, file in found if place == 2}
    assert hunks["b.txt"] == b"@@ -4 +4 @@ line 2\n-line 3\n+line three\n"
    assert hunks["c.bin"] == hunks["empty"] == b""
    assert hunks["link"] == b"@@ -1 +0,0 @@\n-plain\n@@ -0,0 +1 @@\n+a.txt\n\\ No newline at end of file\n"
    by_path = {file.path: file for place, file in found if place == 2}
    assert by_path["empty"].old_oid == "" and by_path["gone.txt"].oid == ""


def test_statuses_and_context(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n2\n3\n", "b": "1\n"})
    repo.commit("two", {"a": "1\nx\n3\n", "new": "1\n"})
    assert told(changes(repo, statuses="M")) == [(1, "M", "a", "a")]
    assert changes(repo, statuses="M")[0][1].hunks == b"@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n"


def test_a_merge_is_compared_with_its_first_parent(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    repo.git("checkout", "-qb", "side")
    repo.commit("side", {"b": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"c": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = commits_of(repo)[-1]
    assert merge.is_merge
    assert [file.path for _, file in ChangeReader(git_of(repo)).read([merge])] == ["b"]


def test_the_patch_of_a_merge_needs_to_know_its_parent(repo: Repo) -> None:
    first = repo.commit("Begin", {"a.txt": "a\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"b.txt": "b\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    merge = repo.git("rev-parse", "HEAD")
    assert read_patches(git_of(repo), [merge]) == {merge: []}
    found = read_patches(git_of(repo), [merge, first], {merge: first})
    assert {oid: [patch.new_path for patch in patches] for oid, patches in found.items()} == {
        merge: ["b.txt"],
        first: ["a.txt"],
    }


@pytest.mark.parametrize(
    "name", ["tab\there", 'quo"te', "line\nbreak", "back\\slash", "ünder", "--- a/x", "a\udcffb", " "]
)
def test_hostile_names(repo: Repo, name: str) -> None:
    repo.commit("one", {name: "--- a/other\n+++ b/other\n"})
    repo.commit("two", {name: "diff --git a/x b/x\n@@ -1 +1 @@\n" + "a" * 40 + "\n:100644 100644\n"})
    found = changes(repo, context=0)
    assert told(found) == [(0, "A", name, name), (1, "M", name, name)]
    assert found[1][1].hunks == (
        b"@@ -1,2 +1,4 @@\n---- a/other\n-+++ b/other\n+diff --git a/x b/x\n+@@ -1 +1 @@\n+"
        + b"a" * 40
        + b"\n+:100644 100644\n"
    )


def test_a_missing_blob_costs_its_own_file_only(repo: Repo) -> None:
    repo.commit("one", {"a.py": "1\n", "big.csv": "data 1\n"})
    repo.commit("two", {"a.py": "2\n", "big.csv": "data 2\n", "z.py": "1\n"})
    repo.commit("three", {"a.py": "3\n", "z.py": "2\n"})
    whole = changes(repo)
    remove_blob(repo, "HEAD:big.csv")
    found = changes(repo)
    assert told(found) == told(whole)
    lost = [(place, file.path) for place, file in found if file.hunks is None]
    assert lost == [(1, "big.csv")]
    kept = [(place, file) for place, file in whole if (place, file.path) != (1, "big.csv")]
    assert [(place, file) for place, file in found if file.hunks is not None] == kept


def test_rename_detection_that_lacks_a_blob(repo: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(50))
    repo.commit("one", {"old.csv": text, "a.py": "1\n"})
    repo.git("mv", "old.csv", "new.csv")
    repo.commit("two", {"new.csv": text + "more\n", "a.py": "2\n"})
    repo.commit("three", {"a.py": "3\n"})
    remove_blob(repo, "HEAD~1:new.csv")
    found = changes(repo)
    assert told(found)[2:] == [
        (1, "M", "a.py", "a.py"),
        (1, "A", "new.csv", "new.csv"),
        (1, "D", "old.csv", "old.csv"),
        (2, "M", "a.py", "a.py"),
    ]
    assert {place: file.hunks for place, file in found if file.path == "a.py"}[1] == b"@@ -1 +1 @@\n-1\n+2\n"


def test_a_missing_tree_fails_its_commit_only(repo: Repo) -> None:
    repo.commit("one", {"deep/a.py": "1\n"})
    repo.commit("two", {"deep/a.py": "2\n"})
    repo.commit("three", {"b.py": "1\n"})
    remove_blob(repo, "HEAD~1:deep")
    reader = ChangeReader(git_of(repo))
    listed = commits_of(repo)
    assert [file.path for _, file in reader.read(listed)] == ["deep/a.py", "b.py"]
    assert reader.failed == [listed[1].oid]


def test_a_clone_without_blobs_lists_files_and_does_not_try_for_ever(repo: Repo, tmp_path: Path) -> None:
    for number in range(40):
        repo.commit(f"commit {number}", {"a.py": f"{number}\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    Repo(tmp_path / "elsewhere").git(
        "clone", "-q", "--bare", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "bare")
    )
    source = open_source(tmp_path / "bare")
    assert source.git is not None
    found = list(ChangeReader(source.git).read(commits_of(repo)))
    assert len(found) == 40 and all(file.path == "a.py" and file.hunks is None for _, file in found)


def test_many_commits_in_several_batches(repo: Repo) -> None:
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_600_000_000 + number} +0000\ndata 1\nx\nM 644 inline a\n"
        f"data {len(str(number)) + 1}\n{number}\n\n"
        for number in range(1100)
    )
    repo.git("fast-import", "--quiet", stdin=stream.encode())
    found = changes(repo)
    assert [place for place, _ in found] == list(range(1100))


def test_nothing_to_read(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    assert list(ChangeReader(git_of(repo)).read([])) == []
