"""Repositories that are unusual and have to work all the same, and that are never written to."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.faults.mounts import needs_mounts, read_only, run_mounted
from tests.surfaces.program import Program, paths

pytestmark = pytest.mark.slow


def listing(root: Path) -> list[tuple[str, int, int, int]]:
    """Everything below a folder with mode, size and time, the folder itself and .git included."""
    found = []
    for folder, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            state = os.lstat(os.path.join(folder, name))
            found.append((os.path.join(folder, name), state.st_mode, state.st_size, state.st_mtime_ns))
    return sorted(found)


def test_names_and_contents_that_are_not_utf8_are_found(program: Program, repo: Repo) -> None:
    name = b"caf\xe9/na\xefve.py"
    target = os.path.join(os.fsencode(repo.root), name)
    os.makedirs(os.path.dirname(target))
    with open(target, "wb") as stream:
        stream.write("def sign_cookie():\n    return 'déjà vu'\n".encode("latin-1"))
    repo.commit(
        "D\xe9j\xe0 vu cookie".encode("latin-1"), {"utf16.py": "def sign_other_cookie():\n    pass\n".encode("utf-16")}
    )
    found = {
        result["symbol"]: result
        for result in program("search", "cookie", repo.root, "--format", "json").json()["results"]
    }
    assert os.fsencode(found["sign_cookie"]["path"]) == name
    assert found["sign_cookie"]["matches"][0]["text"] == "def sign_cookie():"
    assert found["sign_other_cookie"]["path"] == "utf16.py"
    text = program("search", "sign cookie", repo.root)
    assert (text.code, text.err) == (0, "") and "caf\\udce9/na\\udcefve.py:1-2  sign_cookie" in text.out
    at_head = program("search", "cookie", repo.root, "--at", "HEAD", "--format", "json").json()
    assert {os.fsencode(path) for path in paths(at_head)} == {name, b"utf16.py"}
    related = program.within(repo.root)("related", name + b":1", "--format", "json").json()
    assert related["symbol"] == "sign_cookie"
    history = program("history", "cookie", repo.root, "--format", "json").json()
    assert os.fsencode(history["commits"][0]["files"][0]) == name


def test_a_query_in_another_encoding_is_searched(ready: Program) -> None:
    answer = ready("search", b"session cookie caf\xe9", "--format", "json").json()
    assert answer["results"][0]["symbol"] == "Session.sign_cookie"


def test_links_that_go_round_in_circles_end_nothing(program: Program, repo: Repo) -> None:
    repo.write("web/a.py", "def sign_cookie():\n    pass\n")
    (repo.root / "loop").symlink_to("loop")
    (repo.root / "web" / "up").symlink_to("..")
    (repo.root / "web" / "outside.py").symlink_to("/etc/passwd")
    repo.commit("Links")
    for place in (repo.root, repo.root / "web" / "up" / "web"):
        assert set(paths(program("search", "sign cookie root", place, "--format", "json").json())) == {"web/a.py"}
    shutil.rmtree(repo.root / ".git")
    answer = program("search", "sign cookie root", repo.root, "--format", "json").json()
    assert set(paths(answer)) == {"web/a.py"}
    program("search", "cookie", repo.root / "loop").refused(1, "loop")


def test_special_files_are_left_out(program: Program, repo: Repo) -> None:
    repo.write("a.py", "def sign_cookie():\n    pass\n")
    os.mkfifo(repo.root / "pipe.py")
    assert paths(program("search", "cookie", repo.root, "--format", "json", stdin="").json()) == ["a.py"]


def test_nothing_is_written_into_a_repository(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"web/a.py": "def sign_cookie():\n    pass\n", "web/b.py": "x = 1\n"})
    repo.commit("More", {"web/b.py": "def parse_header():\n    pass\n"})
    repo.write("web/a.py", "def sign_cookie():\n    return 1\n")
    repo.write("web/new.py", "def new_cookie():\n    pass\n")
    (repo.root / "web/b.py").touch()  # git's index is out of date: plain `git status` would write it
    before = listing(repo.root)
    for command in (
        ["index", "."],
        ["search", "cookie"],
        ["search", "cookie", "--at", "HEAD~1"],
        ["history", "begin"],
        ["related", "web/a.py:1"],
        ["status"],
        ["index", "--dry-run"],
        ["clear"],
    ):
        assert program.within(repo.root)(*command).code == 0, command
    assert listing(repo.root) == before


@needs_mounts
def test_a_repository_on_a_read_only_file_system_is_searched(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "def sign_cookie():\n    pass\n"})
    run = run_mounted(program, f"{read_only(repo.root)}; ! touch {repo.root}/x", "search", "cookie", repo.root)
    assert run.code == 0 and "\n 1  a.py:1-2  sign_cookie" in run.out, run.err
    assert not (repo.root / "x").exists()


def test_a_bare_repository_and_the_inside_of_git_are_searched_at_head(
    program: Program, shop: Repo, tmp_path: Path
) -> None:
    bare = tmp_path / "mirror.git"
    shop.git("clone", "-q", "--bare", str(shop.root), str(bare))
    answer = program("search", "session cookie", bare, "--format", "json").json()
    assert answer["snapshots"] == [{"repository": "mirror", "commit": shop.git("rev-parse", "HEAD"), "dirty": False}]
    assert answer["results"][0]["symbol"] == "Session.sign_cookie"
    inside = program("search", "session cookie", shop.root / ".git", "--format", "json").json()
    assert [r["symbol"] for r in inside["results"]] == [r["symbol"] for r in answer["results"]]


def test_a_url_is_cloned_once_updated_and_removed_with_clear(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "def sign_cookie():\n    pass\n"})
    url = f"file://{repo.root}"
    first = program("search", "cookie header", url, "--format", "json").json()
    assert (paths(first), first["snapshots"][0]["repository"]) == (["a.py"], "repo")
    repo.commit("More", {"b.py": "def parse_header():\n    pass\n"})
    assert set(paths(program("search", "cookie header", url, "--format", "json").json())) == {"a.py", "b.py"}
    assert len(list(program.store.glob("v*/clones/*.git"))) == 1
    repo.root.rename(repo.root.with_name("moved"))
    offline = program("search", "cookie header", url, "--format", "json").json()
    assert set(paths(offline)) == {"a.py", "b.py"} and "could not be updated" in offline["notes"][0]
    assert program("clear", url).code == 0
    assert not list(program.store.glob("v*/clones/*"))


def test_a_repository_of_another_owner_is_explained(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "def sign_cookie():\n    pass\n"})
    if os.geteuid() != 0:
        pytest.skip("needs root to give files away")
    for folder, folders, files in os.walk(repo.root):
        for name in [".", *folders, *files]:
            os.chown(os.path.join(folder, name), 12345, 12345)
    program.having(SUDO_UID=None)("search", "cookie", repo.root).refused(1, "dubious ownership", "safe.directory")


def test_a_worktree_is_searched_as_it_is_there(program: Program, shop: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shop.git("worktree", "add", "-q", str(tree), "side")
    try:
        (tree / "web" / "tree.py").write_text("def only_in_the_tree():\n    pass\n")
        answer = program("search", "only in the tree", tree, "--format", "json").json()
        assert paths(answer)[0] == "web/tree.py" and answer["snapshots"][0]["dirty"]
        assert "web/tree.py" not in paths(program("search", "only in the tree", shop.root, "--format", "json").json())
    finally:
        shop.git("worktree", "remove", "--force", str(tree))
