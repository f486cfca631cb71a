"""No file of a git directory keeps us waiting: pipes, devices and loops end in one line, or are passed over."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import GitError, TrackdownError
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree

FILES = (
    *("HEAD", "config", "index", "packed-refs", "shallow", "commondir", "config.worktree", "refs/heads/main"),
    *("info/exclude", "info/attributes", "objects/info/alternates"),
)
SECONDS = 60  # no statement about speed: five were too few on a busy machine


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket must be short
        made.bind(path.name)
        os.chdir(here)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """End a test that hangs."""

    def stop(number: int, frame: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def put(repo: Repo, name: str, make: Callable[[Path], None]) -> None:
    path = repo.root / ".git" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)


@pytest.mark.parametrize("make", [pipe, unix_socket, endless, loop, folder])
@pytest.mark.parametrize("name", FILES)
def test_a_search_ends_whatever_is_in_place_of_a_file(
    repo: Repo, open_repo: Callable[[Path], trackdown.Repository], name: str, make: Callable[[Path], None]
) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n"})
    put(repo, name, make)
    told = ""
    try:
        with open_repo(repo.root) as opened:
            assert [result.path for result in opened.search("zebra")] == ["a.py"]
    except TrackdownError as error:
        told = str(error)
    assert "\n" not in told
    if make in (pipe, endless):
        assert f"{name} is a" in told


@pytest.mark.parametrize("make", [pipe, unix_socket, endless, loop])
def test_what_is_no_file_and_is_called_git_makes_no_repository(
    tmp_path: Path, open_repo: Callable[[Path], trackdown.Repository], make: Callable[[Path], None]
) -> None:
    place = tmp_path / "folder"
    place.mkdir()
    (place / "a.py").write_text("def zebra():\n    pass\n")
    make(place / ".git")
    with open_repo(place) as opened:
        assert [result.path for result in opened.search("zebra")] == ["a.py"]


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs"])
def test_a_pipe_that_comes_while_a_repository_is_open_is_noticed(repo: Repo, name: str) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    source = open_source(repo.root)
    put(repo, name, pipe)
    with pytest.raises(GitError, match=f"{name} is a named pipe"):
        scan_worktree(source, None, 1 << 20)


def test_a_bare_repository_and_a_linked_worktree_are_looked_at_too(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    (tmp_path / "bare.git" / "HEAD").unlink()
    pipe(tmp_path / "bare.git" / "HEAD")
    put(repo, "config", pipe)
    for place in (tmp_path / "bare.git", tmp_path / "side"):
        with pytest.raises(GitError, match="is a named pipe"):
            open_source(place)


def test_an_empty_device_is_an_empty_file(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    put(repo, "info/exclude", lambda path: path.symlink_to("/dev/null"))
    assert [file.path for file in scan_worktree(open_source(repo.root), None, 1 << 20).snapshot.files] == ["a.py"]


def test_a_link_that_cannot_be_followed_is_no_repository(repo: Repo) -> None:
    repo.commit("Begin", {"sub/a.py": "a\n"})
    (repo.root / "sub/.git").symlink_to("x" * 300)
    (repo.root / "sub/HEAD").symlink_to("x" * 300)
    source = open_source(repo.root / "sub")
    assert (source.root, source.subfolder) == (repo.root, "sub")
