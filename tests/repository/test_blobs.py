"""Contents by id from git, and by path from disk."""

from __future__ import annotations

import os
import shutil
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.forged import forge_loose, forge_packed
from tests.repository.programs import children
from trackdown.errors import GitError
from trackdown.repository.blobs import BlobReader, read_on_disk
from trackdown.repository.git import Git
from trackdown.repository.source import open_source


def store(repo: Repo, data: bytes) -> str:
    """Put a blob into the repository and return its id."""
    return repo.git("hash-object", "-w", "--stdin", stdin=data)


def loose(repo: Repo, oid: str) -> Path:
    return repo.root / ".git/objects" / oid[:2] / oid[2:]


@pytest.fixture
def git(repo: Repo) -> Git:
    """Git at a repository with one commit."""
    repo.commit("Begin", {"a.py": "a\n"})
    found = open_source(repo.root).git
    assert found is not None
    return found


def test_many_blobs_in_a_row_with_missing_ones_between(repo: Repo, git: Git) -> None:
    contents = [b"", b"\n", b"x", b"line\nline\n", bytes(range(256)), b"blob 3\n" * 50_000]
    with BlobReader(git) as reader:
        for data in contents * 3:
            assert reader.read(store(repo, data)) == data
            assert reader.read("0" * 40) is None


def test_a_large_blob_gives_its_beginning_and_the_next_one_is_whole(repo: Repo, git: Git) -> None:
    data = os.urandom(3_000_000)
    large, small = store(repo, data), store(repo, b"small")
    with BlobReader(git) as reader:
        assert reader.read(large, 1000) == data[:1001]
        assert reader.read(small, 1000) == b"small"
        assert reader.read(large, len(data)) == data
        assert reader.read(small, 4) == b"small"
        assert reader.read(small, 3) == b"smal"


def test_what_is_no_blob_is_none_and_the_next_one_is_whole(repo: Repo, git: Git) -> None:
    repo.git("tag", "-a", "-m", "A tag", "v1")
    names = [repo.git("rev-parse", name) for name in ("HEAD", "HEAD^{tree}", "v1")]
    with BlobReader(git) as reader:
        for name in [*names, "nonsense", ""]:
            assert reader.read(name) is None
            assert reader.read(store(repo, b"after")) == b"after"


def test_a_damaged_blob_is_none_and_the_next_one_is_whole(repo: Repo, git: Git) -> None:
    damaged, sound = store(repo, os.urandom(5000)), repo.git("rev-parse", "HEAD:a.py")
    path = loose(repo, damaged)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:2500] + b"\0" * 2500)
    with BlobReader(git) as reader:
        for limit in (None, 10, None):
            assert reader.read(damaged, limit) is None
            assert reader.read(sound) == b"a\n"


@pytest.mark.parametrize("forge", [forge_loose, forge_packed])
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_blob_whose_content_does_not_match_its_id_is_none(
    tmp_path: Path, object_format: str, forge: Callable[[Path, str, str, bytes], None]
) -> None:
    repo = Repo(tmp_path / "other")
    (repo.root / ".git").rename(tmp_path / "gone")
    repo.git("init", "-q", f"--object-format={object_format}")
    forged, large, sound = store(repo, b"one\n"), store(repo, b"two\n"), store(repo, b"three\n")
    forge(repo.root / ".git", forged, "blob", b"evil\n")
    forge(repo.root / ".git", large, "blob", b"evil\n" * 500_000)
    assert repo.git("cat-file", "blob", forged) == "evil"  # git falls for it
    git = open_source(repo.root).git
    assert git is not None
    with BlobReader(git) as reader:
        for limit in (None, 3):
            assert reader.read(forged, limit) is None
            assert reader.read(large, limit) is None
            assert reader.read(sound) == b"three\n"


def test_what_a_partial_clone_lacks_is_none_and_what_it_has_is_whole(repo: Repo, git: Git, tmp_path: Path) -> None:
    repo.commit("Second", {"a.py": "b\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "partial"))
    partial = open_source(tmp_path / "partial").git
    assert partial is not None
    lacking, present = repo.git("rev-parse", "HEAD~1:a.py"), repo.git("rev-parse", "HEAD:a.py")
    with BlobReader(partial) as reader:
        for _ in range(3):
            assert reader.read(lacking) is None
            assert reader.read(present) == b"b\n"


def test_a_reader_whose_program_was_killed_starts_another(repo: Repo, git: Git) -> None:
    oid = repo.git("rev-parse", "HEAD:a.py")
    before = children()
    with BlobReader(git) as reader:
        assert reader.read(oid) == b"a\n"
        (program,) = children() - before
        os.kill(program, signal.SIGKILL)
        reader.read(oid)
        assert reader.read(oid) == b"a\n"


def test_a_repository_that_is_gone_is_an_error(repo: Repo, git: Git) -> None:
    shutil.rmtree(repo.root / ".git")
    with BlobReader(git) as reader, pytest.raises(GitError):
        reader.read("1" * 40)


def test_the_program_ends_with_its_reader(git: Git) -> None:
    before = children()
    with BlobReader(git) as reader:
        reader.read("0" * 40)
        assert len(children() - before) == 1
    assert children() == before


def test_files_are_read_whole_or_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / "deep/er/a.py").write_bytes(b"0123456789")
    assert read_on_disk(tmp_path, "deep/er/a.py") == b"0123456789"
    assert read_on_disk(tmp_path, "deep/er/a.py", 4) == b"01234"
    assert read_on_disk(tmp_path, "deep/er/a.py", 100) == b"0123456789"


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fstat

    def before_it_grew(descriptor: int) -> os.stat_result:
        found = list(real(descriptor))
        found[stat.ST_SIZE] = 3
        return os.stat_result(found)

    (tmp_path / "a.py").write_bytes(b"0123456789" * 300_000)
    monkeypatch.setattr(os, "fstat", before_it_grew)
    assert read_on_disk(tmp_path, "a.py") == b"0123456789" * 300_000
    assert read_on_disk(tmp_path, "a.py", 2) == b"012"
    assert read_on_disk(tmp_path, "a.py", 20) == b"0123456789" * 2 + b"0"


def test_nothing_but_regular_files_below_the_root_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    outside.mkdir()
    (outside / "secret.py").write_text("secret\n")
    root.mkdir()
    (root / "a.py").write_text("a\n")
    (root / "to-file.py").symlink_to(outside / "secret.py")
    (root / "to-own-file.py").symlink_to("a.py")
    (root / "to-folder").symlink_to(outside)
    (root / "loop").symlink_to("loop")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe.py")
    assert read_on_disk(root, "a.py") == b"a\n"
    for path in (
        "to-file.py",
        "to-own-file.py",
        "to-folder/secret.py",
        "loop",
        "loop/a.py",
        "folder",
        "pipe.py",
        "missing.py",
        "a.py/below",
        "../outside/secret.py",
        "folder/../../outside/secret.py",
        "..",
        "",
        "nul\0byte",
        "x" * 5000,
        str(outside / "secret.py"),
    ):
        assert read_on_disk(root, path) is None, path


def test_the_root_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.py").write_text("a\n")
    (tmp_path / "link").symlink_to("root")
    assert read_on_disk(tmp_path / "link", "a.py") == b"a\n"
    assert read_on_disk(tmp_path / "gone", "a.py") is None


def test_reading_leaves_no_descriptor_open(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/a.py").write_text("a\n")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    for path in ("deep/a.py", "deep/missing.py", "deep/a.py/x", "deep", "missing/x"):
        for _ in range(20):
            read_on_disk(tmp_path, path)
    after = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    assert after == before
