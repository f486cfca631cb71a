"""Files outside the work tree that decide what is listed, and edits that hide: each is noticed at the next look."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.looks import WorktreeCache
from trackdown.repository.listing_inputs import git_inputs, user_inputs, witness
from trackdown.repository.source import open_source


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the user's own git files, in place of those that tests switch off."""
    home = tmp_path / "home"
    (home / ".config/git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    return home


def paths(looker: WorktreeCache) -> list[str]:
    return [file.path for file in looker().files]


@pytest.fixture
def looker(repo: Repo, home: Path, settle: Callable[[], None]) -> WorktreeCache:
    """A repository that was looked at when nothing was ignored, so long ago that its list is taken as it is."""
    repo.commit("Begin", {"a.py": "a\n"})
    repo.write("note.py", "n\n")
    (home / ".gitconfig").write_text("[include]\n\tpath = more.inc\n[include]\n\tpath = ~/most.inc\n")
    (home / "excludes").write_text("")
    settle()
    looker = WorktreeCache(repo.root)
    assert paths(looker) == ["a.py", "note.py"]
    assert paths(looker) == ["a.py", "note.py"] and not looker.changed
    return looker


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".config/git/ignore", "note.py\n"),
        (".gitconfig", "[core]\n\texcludesFile = ~/other\n"),
        (".config/git/config", "[core]\n\texcludesFile = ~/other\n"),
        ("more.inc", "[core]\n\texcludesFile = ~/other\n"),
        ("most.inc", "[core]\n\texcludesFile = ~/other\n"),
        ("../repo/.git/config", "[core]\n\texcludesFile = ~/other\n"),
        ("../repo/.git/info/exclude", "note.py\n"),
    ],
)
def test_the_users_own_files_count(looker: WorktreeCache, home: Path, path: str, text: str) -> None:
    (home / "other").write_text("note.py\n")
    (home / path).write_text(text)
    assert paths(looker) == ["a.py"]


def test_the_ignore_file_that_configuration_names_counts(
    looker: WorktreeCache, home: Path, settle: Callable[[], None]
) -> None:
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/excludes\n")
    settle()
    for _ in range(3):
        assert paths(looker) == ["a.py", "note.py"]
    assert not looker.changed
    (home / "excludes").write_text("note.py\n")
    assert paths(looker) == ["a.py"]


def test_another_home_has_other_rules(
    looker: WorktreeCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settle: Callable[[], None]
) -> None:
    other = tmp_path / "other"
    (other / "git").mkdir(parents=True)
    (other / "git/ignore").write_text("note.py\n")
    settle()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(other))
    assert paths(looker) == ["a.py"]
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert paths(looker) == ["a.py", "note.py"]


@pytest.mark.parametrize("name", [".gitignore", ".trackdownignore", ".git/info/exclude", "../home/.config/git/ignore"])
def test_an_edit_that_keeps_size_and_time_is_noticed(
    looker: WorktreeCache, repo: Repo, name: str, settle: Callable[[], None]
) -> None:
    file = repo.write(name, "mote.py\n")
    os.utime(file, ns=(10**18, 10**18))
    settle()
    for _ in range(3):
        assert "note.py" in paths(looker)
    assert not looker.changed
    with file.open("r+") as stream:
        stream.write("n")
    os.utime(file, ns=(10**18, 10**18))
    assert "note.py" not in paths(looker)


def test_what_is_no_regular_file_is_known_by_its_place_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert witness(str(tmp_path / "pipe"))[:3] == witness("/dev/null")[:3] == (0, 0, -1)
    assert witness(str(tmp_path / "missing")) == (0, 0, 0, 0)


def test_all_inputs_of_a_repository(repo: Repo, home: Path) -> None:
    (home / ".gitconfig").write_text('[includeIf "onbranch:no"]\n\tpath = sub/x.inc\n[core]\n\texcludesFile = rel\n')
    found = git_inputs(open_source(repo.root))
    assert set(user_inputs()) <= set(found)
    wanted = [repo.root / ".git/index", repo.root / ".git/config", repo.root / "rel", home / "sub/x.inc"]
    assert {str(path) for path in wanted} <= set(found)
