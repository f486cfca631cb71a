"""What stands at a path, and what HEAD and revisions name there. Clones are tested in test_url_clones.py."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.programs import REAL_GIT, without_git
from trackdown.errors import GitError, NoSuchPath, UnknownRevision
from trackdown.repository.blobs import blob_id
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import Source, is_url, open_source
from trackdown.repository.worktree import scan_worktree

FILES = {"a.py": "a = 1\n", "pkg/b.py": "b = 2\n"}


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """A repository with one commit of two files."""
    repo.commit("Begin", FILES)
    return repo


def test_the_root_of_a_work_tree(filled: Repo) -> None:
    source = open_source(filled.root)
    assert (source.name, source.kind, source.root, source.subfolder) == ("repo", "worktree", filled.root, "")
    assert source.common_dir == filled.root / ".git"
    assert (source.object_format, source.shallow, source.partial, source.url) == ("sha1", False, False, None)


@pytest.mark.parametrize("below", ["pkg", "pkg/b.py"])
def test_a_folder_or_file_below_the_root_restricts_to_itself(filled: Repo, below: str) -> None:
    source = open_source(filled.root / below)
    assert (source.root, source.subfolder, source.kind) == (filled.root, below, "worktree")


def test_a_relative_path_and_a_link_lead_to_the_same_place(filled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    (filled.root.parent / "link").symlink_to(filled.root / "pkg")
    monkeypatch.chdir(filled.root)
    assert open_source("pkg") == open_source(filled.root.parent / "link") == open_source(filled.root / "pkg")


def test_a_bare_repository(filled: Repo) -> None:
    bare = filled.root.parent / "copy.git"
    filled.git("clone", "-q", "--bare", ".", str(bare))
    source = open_source(bare)
    assert (source.name, source.kind, source.root, source.subfolder) == ("copy", "bare", bare, "")
    assert source.head() == filled.git("rev-parse", "HEAD")


@pytest.mark.parametrize("inside", [".git", ".git/refs", ".git/config"])
def test_inside_the_git_directory_the_repository_is_searched_like_a_bare_one(filled: Repo, inside: str) -> None:
    source = open_source(filled.root / inside)
    assert (source.name, source.kind, source.subfolder) == ("repo", "bare", "")
    head = source.head()
    assert head is not None and [file.path for file in commit_snapshot(source, head).files] == ["a.py", "pkg/b.py"]


def test_linked_worktrees_share_the_common_directory_but_not_head(filled: Repo) -> None:
    filled.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Repo(filled.root.parent / "side")
    commit = side.commit("On the side", {"c.py": "c = 3\n"})
    main, linked = open_source(filled.root), open_source(side.root)
    assert (linked.kind, linked.name, linked.root) == ("worktree", "side", side.root)
    assert linked.common_dir == main.common_dir
    assert linked.git != main.git
    assert linked.head() == commit != main.head()


def test_a_submodule_is_a_repository_of_its_own(filled: Repo, tmp_path: Path) -> None:
    outer = Repo(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(filled.root), "inner")
    source = open_source(outer.root / "inner" / "pkg")
    assert (source.root, source.subfolder) == (outer.root / "inner", "pkg")
    assert source.head() == filled.git("rev-parse", "HEAD")


def test_a_plain_folder_and_a_file_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("a = 1\n")
    assert open_source(folder) == Source("plain", "folder", folder)
    assert open_source(folder / "a.py") == Source("plain", "folder", folder, "a.py")
    assert open_source(folder).head() is None


@pytest.mark.parametrize("content", [None, "gitdir: /does/not/exist\n"])
def test_a_folder_with_a_git_entry_that_leads_nowhere_is_plain(tmp_path: Path, content: str | None) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    if content is None:
        (folder / ".git").mkdir()
    else:
        (folder / ".git").write_text(content)
    assert open_source(folder).kind == "folder"


@pytest.mark.parametrize("place", ["missing", "a.py/below", "nul\0byte", "\ud800", "x" * 5000, "loop"])
def test_a_path_that_does_not_exist_is_one_clear_line(filled: Repo, place: str) -> None:
    (filled.root / "loop").symlink_to("loop")
    with pytest.raises(NoSuchPath) as caught:
        open_source(os.path.join(filled.root, place))
    assert "\n" not in str(caught.value) and "\0" not in str(caught.value)


def test_before_the_first_commit_there_is_no_head(repo: Repo) -> None:
    source = open_source(repo.root)
    assert source.head() is None
    with pytest.raises(UnknownRevision):
        source.resolve("HEAD")


def test_head_is_read_without_a_process(filled: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = [filled.git("rev-parse", "HEAD"), filled.commit("Second", {"a.py": "a = 2\n"})]
    source = open_source(filled.root)
    with monkeypatch.context() as nothing:
        without_git(nothing, tmp_path / "empty")
        assert source.head() == commits[1]
    filled.git("checkout", "-q", "--detach", "HEAD~1")
    with monkeypatch.context() as nothing:
        without_git(nothing, tmp_path / "empty2")
        assert source.head() == commits[0]


def test_head_on_a_packed_branch(filled: Repo) -> None:
    commit = filled.git("rev-parse", "HEAD")
    filled.git("pack-refs", "--all")
    assert not (filled.root / ".git/refs/heads/main").exists()
    assert open_source(filled.root).head() == commit


def test_head_on_a_branch_with_any_name(filled: Repo) -> None:
    commit = filled.git("rev-parse", "HEAD")
    for branch in ("größe/ß", "refs/heads/twice", "a.b-c"):
        filled.git("checkout", "-q", "-b", branch)
        assert open_source(filled.root).head() == commit


def test_head_that_names_a_branch_through_another_name(filled: Repo) -> None:
    filled.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    (filled.root / ".git/HEAD").write_text("ref: refs/heads/alias\n")
    assert open_source(filled.root).head() == filled.git("rev-parse", "main")


def test_a_repository_with_sha256_ids(tmp_path: Path) -> None:
    root = tmp_path / "modern"
    made = subprocess.run(
        [REAL_GIT, "init", "-q", "--object-format=sha256", str(root)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("this git knows no sha256")
    repo = Repo(root)
    commit = repo.commit("Begin", FILES)
    source = open_source(root)
    assert source.object_format == "sha256"
    assert source.head() == commit and len(commit) == 64
    assert source.resolve(commit[:12]) == commit
    on_disk, committed = scan_worktree(source, None, 1 << 20).snapshot, commit_snapshot(source, commit)
    assert on_disk.files == committed.files
    assert on_disk.files[0].oid == blob_id(b"a = 1\n", "sha256")


def test_revisions_of_every_kind(filled: Repo) -> None:
    first = filled.git("rev-parse", "HEAD")
    filled.git("tag", "-a", "-m", "A tag", "v1")
    filled.git("checkout", "-q", "-b", "feature/x")
    second = filled.commit("Second: a word", {"a.py": "a = 2\n"})
    source = open_source(filled.root)
    for revision in ("v1", "main", "HEAD~1", first, first[:8], f"{second}^", "v1^{commit}"):
        assert source.resolve(revision) == first, revision
    assert source.resolve("HEAD^{/a word}") == second


@pytest.mark.parametrize(
    "revision", ["", "missing", "-x", "--all", "HEAD:a.py", "HEAD^{tree}", "main..HEAD", "a\0b", "\ud800", "HEAD\nHEAD"]
)
def test_what_names_no_commit_is_an_unknown_revision(filled: Repo, revision: str) -> None:
    with pytest.raises(UnknownRevision) as caught:
        open_source(filled.root).resolve(revision)
    assert "\n" not in str(caught.value)


def test_a_plain_folder_has_no_revisions(tmp_path: Path) -> None:
    with pytest.raises(UnknownRevision, match="plain folder"):
        open_source(tmp_path).resolve("HEAD")


@pytest.mark.parametrize("name", ["with space", "line\u2028separator", "-dash", "\udcff bytes", "quote'\"", "=equals"])
def test_a_repository_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path / name)
    commit = repo.commit("Begin", FILES)
    source = open_source(repo.root)
    assert (source.root, source.head()) == (repo.root, commit)
    assert len(scan_worktree(source, None, 1 << 20).snapshot.files) == len(commit_snapshot(source, commit).files) == 2


def test_a_line_break_in_the_path_is_refused_and_not_misread(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "line\nbreak")
    with pytest.raises(GitError, match="line break") as caught:
        open_source(repo.root)
    assert "\n" not in str(caught.value)


def test_a_shallow_and_a_partial_clone_are_known_as_such(filled: Repo, tmp_path: Path) -> None:
    filled.commit("Second", {"a.py": "a = 2\n"})
    filled.git("config", "uploadpack.allowFilter", "true")
    filled.git("clone", "-q", "--depth=1", f"file://{filled.root}", str(tmp_path / "shallow"))
    filled.git("clone", "-q", "--filter=blob:none", f"file://{filled.root}", str(tmp_path / "partial"))
    shallow, partial = open_source(tmp_path / "shallow"), open_source(tmp_path / "partial")
    assert (shallow.shallow, shallow.partial) == (True, False)
    assert (partial.shallow, partial.partial) == (False, True)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("https://example.org/a.git", True),
        ("http://user:pw@example.org/a", True),
        ("ssh://git@example.org/a", True),
        ("git://example.org/a", True),
        ("file:///srv/a.git", True),
        ("git@example.org:a/b.git", True),
        ("ext::sh -c true", False),
        ("--upload-pack=true", False),
        ("folder/name", False),
        (".", False),
        ("", False),
    ],
)
def test_which_places_are_urls(place: str, expected: bool) -> None:
    assert is_url(place) is expected


@pytest.mark.parametrize("named", ["{outside}", "../../outside", "{parent}", "../.."])
def test_a_work_tree_elsewhere_is_not_believed(filled: Repo, tmp_path: Path, named: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("secret = 1\n")
    filled.git("config", "core.worktree", named.format(outside=outside, parent=tmp_path))
    for place in (filled.root, filled.root / "pkg"):
        source = open_source(place)
        assert (source.root, source.kind) == (filled.root, "worktree")
        found = [file.path for file in scan_worktree(source, None, 1 << 20).snapshot.files]
        assert found == ["a.py", "pkg/b.py"]
    looks_like_one = outside / "nested"
    (filled.root / ".git").rename(looks_like_one)
    source = open_source(looks_like_one)
    assert (source.root, source.kind) == (looks_like_one, "bare")
    head = source.head()
    assert head is not None and [file.path for file in commit_snapshot(source, head).files] == ["a.py", "pkg/b.py"]


def test_a_work_tree_below_the_folder_with_git_is_one(filled: Repo) -> None:
    filled.git("config", "core.worktree", "../pkg")
    assert open_source(filled.root).root == filled.root / "pkg"


@pytest.mark.parametrize(
    "place", ["htps://user:s3cr3t@host/x.git", "HTTPS://s3cr3t@host/x.git", "https://u:s3cr3t@h/\0"]
)
def test_a_password_in_what_is_no_path_is_not_shown(place: str) -> None:
    with pytest.raises(NoSuchPath) as caught:
        open_source(place)
    assert "s3cr3t" not in str(caught.value)
