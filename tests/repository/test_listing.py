"""Which files and folders are listed, before any rule of ours."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.repository.listing import existing_files, list_files, list_ignored
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")


def test_tracked_and_untracked_files_but_not_ignored_ones(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", "kept.log": "x\n", "gone.py": "x\n"})
    repo.write(".gitignore", "*.log\nbuild/\n")
    (repo.root / "gone.py").unlink()
    write(repo.root, "new.py", "deep/new.py", "b.log", "build/x.py")
    paths, folders, _ = list_files(open_source(repo.root))
    assert sorted(paths) == [".gitignore", "a.py", "deep/new.py", "gone.py", "kept.log", "new.py"]
    assert folders == {"", "deep"}


def test_empty_folders_are_listed_and_what_ignored_folders_hold_is_not(repo: Repo) -> None:
    repo.commit("Begin", {"pkg/a.py": "a\n", ".gitignore": "node_modules\n"})
    (repo.root / "pkg/empty/deep").mkdir(parents=True)
    write(repo.root, "app/main.js", "app/node_modules/left/pad.js", "venv/lib/x.py", "venv/.gitignore")
    (repo.root / "venv/.gitignore").write_text("*\n")
    paths, folders, _ = list_files(open_source(repo.root))
    assert sorted(paths) == [".gitignore", "app/main.js", "pkg/a.py"]
    assert folders == {"", "pkg", "pkg/empty", "pkg/empty/deep", "app", "venv"}


@pytest.mark.parametrize("name", ["logs", "deep/er", ":(top)x", "*", "sp ace", "caf\udce9", "new\nline", "-n"])
def test_a_folder_whose_files_are_all_ignored_is_listed_and_one_that_is_ignored_itself_is_not(
    repo: Repo, name: str
) -> None:
    repo.commit("Begin", {"a.py": "a\n", ".gitignore": "*.log\nnode_modules\n"})
    write(repo.root, f"{name}/x.log", f"{name}/inner/y.log", f"{name}/node_modules/z.log", "node_modules/deep/z.js")
    _, folders, _ = list_files(open_source(repo.root))
    assert folders == {"", "deep", name, f"{name}/inner"} - ({"deep"} if "deep" not in name else set())


def test_a_repository_inside_is_passed_over(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    Repo(repo.root / "inner").commit("Inner", {"b.py": "b\n"})
    assert list_files(open_source(repo.root)).paths == ["a.py"]


def test_a_file_in_conflict_is_listed_once(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"a.py": "b\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"a.py": "c\n"})
    with pytest.raises(AssertionError):
        repo.git("merge", "-q", "side")
    assert list_files(open_source(repo.root)).paths == ["a.py"]


@pytest.mark.parametrize("name", [b"caf\xe9", b"new\nline", b"*", b":(top)x", b" "])
def test_names_of_any_bytes(repo: Repo, name: bytes) -> None:
    folder = os.fsencode(repo.root) + b"/" + name
    os.mkdir(folder)
    with open(folder + b"/a.py", "w") as stream:
        stream.write("x\n")
    paths, folders, _ = list_files(open_source(repo.root))
    assert (paths, folders) == ([f"{os.fsdecode(name)}/a.py"], {"", os.fsdecode(name)})


def test_ignored_files_and_all_folders_that_could_hold_some(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", ".gitignore": "build/\n*.log\n"})
    write(repo.root, "build/deep/x.py", "b.log", "logs/c.log")
    (repo.root / "build/empty").mkdir()
    paths, folders, _ = list_ignored(open_source(repo.root))
    assert sorted(paths) == ["b.log", "build/deep/x.py", "logs/c.log"]
    assert folders == {"", "build", "build/deep", "build/empty", "logs"}


def test_a_plain_folder_heeds_its_gitignore_files(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    write(root, "a.py", "b.log", "build/x.py", "sub/keep.log", "sub/c.log", "sub/build.py", "deep/build/x.py")
    (root / ".gitignore").write_text("*.log\n/build/\n!\n[z-a]\n")
    (root / "sub/.gitignore").write_text("!keep.log\nbuild.py\n")
    source = open_source(root)
    paths, folders, _ = list_files(source)
    assert sorted(paths) == [".gitignore", "a.py", "deep/build/x.py", "sub/.gitignore", "sub/keep.log"]
    assert folders == {"", "sub", "deep", "deep/build"}
    everything = list_ignored(source)
    assert {"b.log", "build/x.py", "sub/c.log", "sub/build.py"} < set(everything.paths)
    assert "build" in everything.folders


def test_git_and_our_walk_agree(repo: Repo, tmp_path: Path) -> None:
    lines = ["*.log", "!keep.log", "/build/", "tmp", "docs/*.txt", "**/gen/", "a?.py", "\\#x", "# comment", "", "z/ "]
    (repo.root / ".gitignore").write_text("\n".join(lines) + "\n")
    names = ["a.py", "ab.py", "x.log", "keep.log", "tmp", "z", "#x", "a.txt"]
    for folder in ("", "build", "docs", "docs/deep", "gen", "src/gen", "src/build", "tmp-not", "z"):
        for name in names:
            place = repo.root / folder / name
            if not place.exists() and not any(parent.is_file() for parent in place.parents):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text("x\n")
    listed = sorted(list_files(open_source(repo.root)).paths)
    (repo.root / ".git").rename(tmp_path / "moved-away")
    assert sorted(list_files(open_source(repo.root)).paths) == listed


def test_links_loops_and_pipes_in_a_plain_folder_do_no_harm(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    write(root, "a.py", "sub/b.py")
    (root / "sub/up").symlink_to("..")
    (root / "self").symlink_to("self")
    os.mkfifo(root / "pipe")
    paths, folders, _ = list_files(open_source(root))
    assert sorted(paths) == ["a.py", "pipe", "self", "sub/b.py"]
    assert folders == {"", "sub"}


def test_files_that_stand_in_folders_whether_listed_or_not(tmp_path: Path) -> None:
    write(tmp_path, ".rules", "b/.rules")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/.rules").symlink_to("nowhere")
    (tmp_path / "d").mkdir()
    assert existing_files(tmp_path, ["", "b", "c", "d", "gone"], ".rules") == [".rules", "b/.rules"]


@pytest.mark.parametrize("kind", ["git", "plain"])
@pytest.mark.parametrize(("name", "depth"), [("d", 400), ("long" * 50, 25)])
def test_folders_nested_deeper_than_python_recurses_or_paths_reach(
    repo: Repo, kind: str, name: str, depth: int
) -> None:
    repo.write("a.py", "a\n")
    if kind == "plain":
        shutil.rmtree(repo.root / ".git")
    limit = sys.getrecursionlimit()
    try:
        nest(repo.root, name, depth)
        sys.setrecursionlimit(len(inspect.stack()) + 250)
        snapshot = scan_worktree(open_source(repo.root), None, 1000).snapshot
        reached = name == "d"
        assert [file.path for file in snapshot.files] == ["a.py", *([f"{'d/' * depth}x.py"] if reached else [])]
        assert ["nested too deeply" in note for note in snapshot.notes] == ([] if reached else [True])
    finally:
        sys.setrecursionlimit(limit)
        subprocess.run(["rm", "-rf", str(repo.root)], check=True)


def nest(root: Path, name: str, depth: int) -> None:
    """Make a file this many folders down; no path may be long enough to name it."""
    at = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        inner = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("x.py", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
