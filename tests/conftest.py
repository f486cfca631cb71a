"""Fixtures that all tests share: real git repositories, small and built anew, and a store of their own."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from functools import cache
from pathlib import Path

import hypothesis
import pytest

import trackdown
from trackdown.settings import Settings, load_settings

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
# Tests start the program and its workers thousands of times: what they import is compiled once, not each time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@cache
def _new_repository(bare: bool) -> tempfile.TemporaryDirectory[str]:
    """What `git init` makes, kept until this process ends: copying it takes a fraction of the time."""
    folder = tempfile.TemporaryDirectory(prefix="trackdown-git-")
    command = ["git", "init", "-q", "-b", "main", *(["--bare"] if bare else []), folder.name]
    subprocess.run(command, env=os.environ | IDENTITY, check=True)
    return folder


class Repo:
    """A git repository on disk that tests write to and commit in. Every commit is a minute after the last."""

    def __init__(self, root: Path, *, bare: bool = False) -> None:
        self.root = root
        self._minutes = 0
        if not (root / ".git").exists() and not (root / "HEAD").exists():  # else it is one: a clone or a worktree
            without_samples = shutil.ignore_patterns("*.sample")
            shutil.copytree(_new_repository(bare).name, root, ignore=without_samples, dirs_exist_ok=True)

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        """Run git here and return what it printed."""
        date = f"{1_600_000_000 + 60 * self._minutes} +0000"
        environment = os.environ | IDENTITY | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=environment, input=stdin, capture_output=True)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file below the root."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def commit(self, message: str | bytes, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write files, commit everything, and return the commit's id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self._minutes += 1
        self.git("add", "-A")
        text = message.encode() if isinstance(message, str) else message
        alone = ("-c", "maintenance.auto=false")  # no two further processes after every commit
        self.git(*alone, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", stdin=text)
        return self._head()

    def _head(self) -> str:
        """The id of the current commit. Git has just written it, and tests commit too often to start git for it."""
        folder = self.root / ".git"
        try:
            head = (folder / "HEAD").read_text().strip()
            return (folder / head.removeprefix("ref: ")).read_text().strip() if head.startswith("ref: ") else head
        except OSError:  # a worktree, or a format of references that is not one file each
            return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[[str], Repo]:
    """A function that makes an empty repository below the test's folder."""
    return lambda name: Repo(tmp_path / name)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a store of the test's own, and without models."""
    return load_settings({"HOME": str(tmp_path)}, store=tmp_path / "store", models="none")


@pytest.fixture
def open_repo(settings: Settings) -> Callable[[Path | str], trackdown.Repository]:
    """A function that opens a place with the test's own store."""
    return lambda place: trackdown.open(place, settings=settings)


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's store, settings or git configuration. Models are there for those that name them."""
    for name in [name for name in os.environ if name.startswith("TRACKDOWN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TRACKDOWN_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("TRACKDOWN_MODELS", "none")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def pytest_configure() -> None:
    """What fixtures of whole modules and sessions need, too.

    They have no models either. A property is not judged by how long one example takes: a busy machine must not fail a
    test. And a program started in the background ignores Ctrl-C, and so would the programs that tests start and
    interrupt.
    """
    os.environ["TRACKDOWN_MODELS"] = "none"
    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests and all that they import stay until the end: the garbage collector need not look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
