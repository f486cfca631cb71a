"""Records of system 1 out of small real histories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet

from tests.conftest import Repo
from tests.lab.mine.test_changes import remove_blob
from trackdown.lab.mine.changes import commits_here, newest_first
from trackdown.lab.mine.records import (
    COLUMNS,
    CUT_OFF,
    LARGEST_CONTENT,
    UNREADABLE,
    RecordsReport,
    extension,
    write_records,
)
from trackdown.repository.source import open_source

TABLE_1 = (
    "owner repo_name commit_date commit_id commit_message file_path previous_commit_id previous_file_content "
    "cur_file_content diff status is_merge file_extension"
).split()


def records(
    repo: Repo | Path, folder: Path, only: list[str] | None = None
) -> tuple[list[dict[str, Any]], RecordsReport]:
    """All rows, the newest commit first."""
    source = open_source(repo.root if isinstance(repo, Repo) else repo)
    git, head = source.git, source.head()
    assert git is not None and head is not None
    batches = newest_first(git, head, batch=2) if only is None else [commits_here(git, only)]
    done = write_records(git, batches, "ada", "shop", folder / "r.parquet", {})
    return pyarrow.parquet.read_table(folder / "r.parquet").to_pylist(), done


def test_the_columns_of_table_1_and_one_of_ours() -> None:
    assert list(COLUMNS) == [*TABLE_1, "previous_file_path"]


def test_a_history(repo: Repo, tmp_path: Path) -> None:
    code = "".join(f"x{number} = {number}\n" for number in range(9))
    first = repo.commit("Begin\n\nwith a body\n", {"src/a.py": code, "Makefile": "all:\n"})
    second = repo.commit("Change", {"src/a.py": code.replace("x4 = 4", "x4 = 5")})
    repo.git("mv", "src/a.py", "src/b.pyi")
    (repo.root / "Makefile").unlink()
    third = repo.commit("Move", {})
    rows, done = records(repo, tmp_path)
    assert (done.rows, done.commits, done.dropped) == (5, 3, {})
    shown = [(row["commit_id"], row["file_path"], row["status"], row["file_extension"]) for row in rows]
    assert shown == [
        (third, "Makefile", "deleted", ""),
        (third, "src/b.pyi", "renamed", "pyi"),
        (second, "src/a.py", "modified", "py"),
        (first, "Makefile", "added", ""),
        (first, "src/a.py", "added", "py"),
    ]
    assert {(row["owner"], row["repo_name"], row["is_merge"]) for row in rows} == {("ada", "shop", False)}
    changed = rows[2]
    assert (changed["previous_commit_id"], changed["previous_file_content"]) == (first, code)
    assert changed["cur_file_content"] == code.replace("x4 = 4", "x4 = 5")
    assert changed["diff"].startswith("@@ -2,7 +2,7 @@") and "\n-x4 = 4\n+x4 = 5\n" in changed["diff"]
    assert changed["commit_date"] == 1_600_000_000 + 120 and rows[3]["commit_message"] == "Begin\n\nwith a body"
    assert (rows[0]["cur_file_content"], rows[0]["previous_file_content"]) == (None, "all:\n")
    assert (rows[1]["previous_file_path"], rows[1]["diff"]) == ("src/a.py", None)
    added = rows[4]
    assert [added[name] for name in added if name.startswith("previous_")] == [None] * 3
    assert added["diff"].startswith("@@ -0,0 +1,9 @@")


def test_merges_are_marked(repo: Repo, tmp_path: Path) -> None:
    start = repo.commit("one", {"a": "1\n"})
    repo.git("checkout", "-qb", "side")
    repo.commit("side", {"b": "1\n"})
    repo.git("checkout", "-q", "main")
    main = repo.commit("main", {"c": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    rows, done = records(repo, tmp_path)
    merged = [row for row in rows if row["is_merge"]]
    assert [(row["file_path"], row["status"], row["commit_message"]) for row in merged] == [("b", "added", "merge")]
    assert done.commits == 4 and start and main


def test_large_and_binary_contents_are_empty_and_counted_as_changes(repo: Repo, tmp_path: Path) -> None:
    repo.commit(
        "one",
        {
            "large.txt": "x\n" * LARGEST_CONTENT,
            "image.png": b"\0\1",
            "utf16.txt": "añb\n".encode("utf-16"),
            "latin.txt": b"caf\xe9\n",
            "empty.txt": "",
        },
    )
    repo.commit("two", {"large.txt": "small\n", "image.png": b"\0\2"})
    rows, _ = records(repo, tmp_path)
    found = {(row["file_path"], row["status"]): row for row in rows}
    assert len(found) == 7
    large = found["large.txt", "modified"]
    assert (large["previous_file_content"], large["cur_file_content"], large["diff"]) == (None, "small\n", None)
    assert found["large.txt", "added"]["cur_file_content"] is None
    assert found["image.png", "modified"]["cur_file_content"] is None and found["image.png", "modified"]["diff"] is None
    assert found["utf16.txt", "added"]["cur_file_content"] == "añb\n"
    assert found["latin.txt", "added"]["cur_file_content"] == "café\n"
    assert found["empty.txt", "added"]["cur_file_content"] == ""


def test_hostile_names_and_messages(repo: Repo, tmp_path: Path) -> None:
    names = ["tab\there.py", "line\nbreak.py", "by\udcffte.py", ".hidden", "a.b.c"]
    repo.commit(b"caf\xe9 \x1b[31m\n\nbody\x01", {name: f"{number}\n" for number, name in enumerate(names)})
    rows, _ = records(repo, tmp_path)
    assert {row["file_path"] for row in rows} == {
        "tab\there.py",
        "line\nbreak.py",
        "by\\udcffte.py",
        ".hidden",
        "a.b.c",
    }
    assert {row["commit_message"] for row in rows} == {"café \x1b[31m\n\nbody\x01"}
    assert {row["file_path"]: row["file_extension"] for row in rows}["a.b.c"] == "c"


def test_submodules_have_no_content(repo: Repo, tmp_path: Path) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("commit", "-qm", "module")
    rows, _ = records(repo, tmp_path)
    assert [(row["file_path"], row["cur_file_content"]) for row in rows] == [("module", None)]


def test_a_shallow_clone_says_nothing_of_its_first_commits(repo: Repo, tmp_path: Path) -> None:
    for number in range(4):
        repo.commit(f"commit {number}", {"a.py": f"{number}\n", f"{number}.py": ""})
    repo.git("clone", "-q", "--depth=2", f"file://{repo.root}", str(tmp_path / "shallow"))
    rows, done = records(tmp_path / "shallow", tmp_path)
    assert [(row["commit_message"], row["file_path"]) for row in rows] == [("commit 3", "3.py"), ("commit 3", "a.py")]
    assert done.dropped == {CUT_OFF: 1}


def test_missing_objects(repo: Repo, tmp_path: Path) -> None:
    repo.commit("one", {"a.py": "1\n", "deep/x.py": "1\n", "big.csv": "data 1\n"})
    repo.commit("two", {"a.py": "2\n", "big.csv": "data 2\n"})
    repo.commit("three", {"deep/x.py": "2\n"})
    remove_blob(repo, "HEAD~1:big.csv")
    remove_blob(repo, "HEAD:deep")
    rows, done = records(repo, tmp_path)
    two = {row["file_path"]: row for row in rows if row["commit_message"] == "two"}
    assert (two["big.csv"]["cur_file_content"], two["big.csv"]["previous_file_content"]) == (None, "data 1\n")
    assert two["a.py"]["diff"] == "@@ -1 +1 @@\n-1\n+2\n"
    assert done.dropped == {UNREADABLE: 1} and done.commits == 3


def test_chosen_commits_only(repo: Repo, tmp_path: Path) -> None:
    ids = [repo.commit(f"commit {number}", {"a.py": f"{number}\n"}) for number in range(4)]
    rows, _ = records(repo, tmp_path, [ids[2], "0" * 40, "no id"])
    assert [(row["commit_id"], row["previous_commit_id"]) for row in rows] == [(ids[2], ids[1])]
    assert records(repo, tmp_path, [])[0] == []


def test_extensions() -> None:
    assert [extension(path) for path in ("a/b.js", "Makefile", ".env", "x.tar.gz", "a.b/c")] == ["js", "", "", "gz", ""]
