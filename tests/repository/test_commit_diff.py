"""One commit as git has it."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import UnknownRevision
from trackdown.repository import CommitDiff, open_source, read_diff, read_head
from trackdown.repository import commit_diff as subject


def diff_of(repo: Repo | Path, revision: str = "HEAD") -> CommitDiff:
    source = open_source(repo.root if isinstance(repo, Repo) else repo)
    assert source.git is not None
    return read_diff(source.git, read_head(source.git, source.resolve(revision)))


def test_head_has_author_address_date_and_message(repo: Repo) -> None:
    oid = repo.commit("Sign cookies\n\nFixes #12\n", {"a.py": "x = 1\n"})
    source = open_source(repo.root)
    assert source.git is not None
    head = read_head(source.git, oid)
    assert (head.oid, head.parents, head.author, head.email) == (oid, (), "Ada", "ada@example.org")
    assert (head.time, head.message) == (1_600_000_060, "Sign cookies\n\nFixes #12")


def test_the_first_commit_adds_and_later_ones_change_lines(repo: Repo) -> None:
    repo.commit("first", {"a.py": "a\nb\nc\n"})
    (first,) = diff_of(repo).files
    assert (first.status, first.path, first.added, first.removed) == ("added", "a.py", (1, 2, 3), ())
    repo.commit("second", {"a.py": "a\nB\nc\nd\n"})
    (second,) = diff_of(repo).files
    assert (second.status, second.added, second.removed) == ("modified", (2, 4), (2,))
    assert second.patch.startswith("diff --git a/a.py b/a.py\n--- a/a.py\n") and "\n+B\n" in second.patch
    assert "index " not in second.patch


def test_renames_deletions_links_binaries_and_odd_names(repo: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    odd = 'tab\there "quoted" é\ndiff --git a\n@@ -1 +1 @@\n+forged.txt'
    repo.commit("first", {"old.py": text, "gone.py": "x\n", "logo.bin": b"\0\1\2", odd: "1\n"})
    repo.git("mv", "old.py", "new.py")
    (repo.root / "gone.py").unlink()
    (repo.root / "link").symlink_to("new.py")
    repo.commit("second", {"new.py": text.replace("line 5\n", "line five\n"), "logo.bin": b"\0\1\3", odd: "2\n"})
    found = {file.path: file for file in diff_of(repo).files}
    assert set(found) == {"new.py", "gone.py", "link", "logo.bin", odd}
    assert (found["new.py"].status, found["new.py"].old_path, found["new.py"].added) == ("renamed", "old.py", (6,))
    assert (found["gone.py"].status, found["gone.py"].removed, found["gone.py"].new_oid) == ("deleted", (1,), "")
    assert found["link"].kind == "link" and found["link"].new_oid == ""
    assert found["logo.bin"].binary and not found["logo.bin"].added and not found["new.py"].binary
    assert found[odd].added == (1,) and "\n+2" in found[odd].patch and "\n+forged" not in found[odd].patch


def test_a_file_that_becomes_a_link_has_two_parts_and_the_next_file_its_own(repo: Repo) -> None:
    repo.commit("first", {"a": "text\n", "b": "1\n"})
    (repo.root / "a").unlink()
    (repo.root / "a").symlink_to("b")
    repo.commit("second", {"b": "2\n"})
    first, second = diff_of(repo).files
    assert (first.status, first.kind, first.patch.count("diff --git ")) == ("retyped", "link", 2)
    assert second.path == "b" and second.patch.count("diff --git ") == 1 and "\n+2" in second.patch


def test_a_merge_is_compared_with_its_first_parent(repo: Repo) -> None:
    repo.commit("first", {"a.py": "a\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"b.py": "b\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"c.py": "c\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    assert [file.path for file in diff_of(repo).files] == ["b.py"]


def test_submodules_are_told_as_such(repo: Repo, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    oid = inner.commit("inner", {"x.py": "x\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},lib")
    repo.git("commit", "-q", "-m", "Add lib")
    (file,) = diff_of(repo).files
    assert (file.kind, file.path, file.new_oid) == ("submodule", "lib", "") and f"Subproject commit {oid}" in file.patch


def test_no_program_of_the_repository_runs(repo: Repo, tmp_path: Path) -> None:
    repo.commit("first", {".gitattributes": "*.py diff=evil filter=evil\n", "a.py": "1\n"})
    repo.commit("second", {"a.py": "2\n"})
    trap = tmp_path / "ran"
    for key in ("diff.evil.textconv", "diff.evil.command", "diff.external", "filter.evil.clean", "filter.evil.smudge"):
        repo.git("config", key, f"touch {trap};cat")
    assert "+2" in diff_of(repo).files[0].patch
    assert not trap.exists()


def test_a_shallow_clone_does_not_know_what_its_last_commit_changed(repo: Repo, tmp_path: Path) -> None:
    lost = repo.commit("first", {"a.py": "1\n"})
    repo.commit("second", {"a.py": "2\n"})
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repo.root}", tmp_path / "clone"], check=True)
    found = diff_of(tmp_path / "clone")
    assert not found.files and "shallow" in found.note
    with pytest.raises(UnknownRevision, match=r"has no commit, branch or tag .*the clone is shallow: `git fetch"):
        open_source(tmp_path / "clone").resolve(lost)


def test_without_contents_only_names_are_known(repo: Repo) -> None:
    repo.commit("first", {"a.py": "1\n"})
    repo.commit("second", {"a.py": "2\n"})
    blob = repo.git("rev-parse", "HEAD~1:a.py")
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = diff_of(repo)
    assert [(file.path, file.patch) for file in found.files] == [("a.py", "")] and "lacks contents" in found.note


def test_a_diff_beyond_the_limit_is_cut_and_said_so(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("first", {"a.txt": "1\n" * 5000, "b.txt": "2\n"})
    monkeypatch.setattr(subject, "MOST_BYTES", 1 << 12)
    found = diff_of(repo)
    assert [file.path for file in found.files] == ["a.txt", "b.txt"] and "the rest is left out" in found.note
    assert 0 < len(found.files[0].added) < 5000 and found.files[1].patch == ""


def test_a_short_id_of_two_commits_is_ambiguous(repo: Repo) -> None:
    tree = repo.git("write-tree")
    seen: dict[str, int] = {}
    for number in range(5000):
        text = _commit_text(tree, number)
        start = hashlib.sha1(b"commit %d\0" % len(text) + text).hexdigest()[:4]
        if start in seen:
            break
        seen[start] = number
    for chosen in (seen[start], number):
        repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=_commit_text(tree, chosen))
    with pytest.raises(UnknownRevision, match=rf"^{start} is the beginning of 2 commits of repo: .*Give more digits$"):
        open_source(repo.root).resolve(start)


def _commit_text(tree: str, number: int) -> bytes:
    return f"tree {tree}\nauthor A <a@b> {number} +0000\ncommitter A <a@b> {number} +0000\n\nx\n".encode()
