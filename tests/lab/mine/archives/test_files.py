"""Archives as a file, a folder, a repository and a bare mirror."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import NoSuchPath, TrackdownError, UsageError
from trackdown.lab.mine.archives.files import Archive
from trackdown.lab.mine.archives.registry import ADAPTERS, adapter_named

GITHUB = ADAPTERS["github-json"]


def issue(number: int) -> str:
    return json.dumps({"number": number, "title": f"Issue {number}", "body": "x"})


FILES = {"b/2.json": issue(2), "a/1.json": issue(1), "a/broken.json": "{", "a/notes.txt": "x", "a/list.json": "[]"}


def ids(archive: Archive) -> list[str]:
    return [found.id for found in archive.issues("survey")]


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    return folder


def test_a_folder_in_the_order_of_its_paths(tmp_path: Path) -> None:
    archive = Archive(write(tmp_path / "x", FILES), GITHUB)
    assert ids(archive) == ["1", "2"] == ids(archive)
    assert (archive.files, archive.unreadable) == (4, 1)
    assert ids(Archive(tmp_path / "x", GITHUB, only=("b/*",))) == ["2"]
    assert ids(Archive(tmp_path / "x" / "b" / "2.json", GITHUB)) == ["2"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", {"1.json": issue(1)})
    (folder / "2.json").symlink_to(write(tmp_path / "y", {"2.json": issue(2)}) / "2.json")
    assert ids(Archive(folder, GITHUB)) == ["1"]


def test_files_that_cannot_be_opened_are_counted(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    archive = Archive(write(tmp_path / "x", {f"{number}.json": issue(number) for number in (1, 2, 3)}), GITHUB)
    found = archive.issues("survey")
    assert next(found).id == "1"
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))  # root may open files of every mode
    try:
        assert list(found) == []
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (archive.files, archive.unreadable) == (3, 2)


def test_a_repository_is_read_from_a_commit(make_repo: Callable[[str], Repo], tmp_path: Path) -> None:
    repo = make_repo("archive")
    repo.commit("Old", {"1.json": issue(1)})
    repo.git("branch", "gh-pages")
    repo.commit("New", {"2.json": issue(2)})
    repo.write("3.json", issue(3))
    assert ids(Archive(repo.root, GITHUB)) == ["1", "2"]
    assert ids(Archive(repo.root, GITHUB, "gh-pages")) == ["1"]
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "mirror"))
    assert ids(Archive(tmp_path / "mirror", GITHUB)) == ["1", "2"]
    with pytest.raises(TrackdownError, match="no commit, branch or tag 'gone'"):
        Archive(repo.root, GITHUB, "gone")


def test_a_folder_inside_a_repository_is_read_from_disk(repo: Repo) -> None:
    repo.commit("Begin", {"README": "x"})
    write(repo.root / "export", {"1.json": issue(1)})
    assert ids(Archive(repo.root / "export", GITHUB)) == ["1"]


def test_what_is_no_archive(tmp_path: Path, repo: Repo) -> None:
    with pytest.raises(NoSuchPath, match="no such file or folder"):
        Archive(tmp_path / "gone", GITHUB)
    with pytest.raises(UsageError, match=r"has no file that the adapter github-json reads \(\*.json\)"):
        ids(Archive(write(tmp_path / "x", {"a.txt": ""}), GITHUB))
    with pytest.raises(UsageError, match="not a git repository: it has no revision 'main'"):
        Archive(tmp_path / "x", GITHUB, "main")
    with pytest.raises(TrackdownError, match="has no commit yet"):
        Archive(repo.root, GITHUB)
    with pytest.raises(UsageError, match="there is no adapter 'git': choose one of github-json, jira"):
        adapter_named("git")
