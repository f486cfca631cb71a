"""`trackdown index --watch` as a process: a line for each update, and an end that is asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program, finish, wait_for
from trackdown.store.store import FORMAT

pytestmark = pytest.mark.slow


class Watching:
    """The program, and the lines that it has printed so far."""

    def __init__(self, program: Program, *arguments: str | Path) -> None:
        self.process: subprocess.Popen[bytes] = program.start("index", "--watch", *arguments)
        self.lines: list[str] = []
        self.problems: list[str] = []
        for stream, lines in ((self.process.stdout, self.lines), (self.process.stderr, self.problems)):
            assert stream is not None
            threading.Thread(target=lambda s=stream, into=lines: into.extend(map(os.fsdecode, s)), daemon=True).start()

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "store", tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_line_for_each_update_and_a_clean_end(repo: Repo, program: Program, number: signal.Signals) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n"})
    watching = Watching(program, repo.root)
    assert wait_for(lambda: len(watching.lines) == 1), watching.problems
    assert watching.lines[0].startswith("repo: watching at ") and "1 files, 1 units" in watching.lines[0]
    repo.write("b.py", "def gnu():\n    pass\n")
    assert wait_for(lambda: len(watching.lines) == 2)
    assert watching.lines[1].startswith("repo: 1 new at ")
    assert program("status", repo.root).out.count("up to date")
    (repo.root / "b.py").rename(repo.root / "c.py")
    assert wait_for(lambda: len(watching.lines) >= 3 and "2 files" in watching.lines[-1])
    # A scan that was already under way may see the old name gone, and the new one a moment later.
    told = [line.partition(" at ")[0] for line in watching.lines[2:]]
    assert told in (["repo: 1 renamed"], ["repo: 1 gone", "repo: 1 new"])
    assert watching.end(number) == 0
    assert watching.problems == []


def test_problems_are_told_and_got_over(repo: Repo, program: Program, tmp_path: Path) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n"})
    watching = Watching(program, repo.root, "--format", "json")
    assert wait_for(lambda: len(watching.lines) == 1), watching.problems
    repo.root.rename(tmp_path / "aside")
    assert wait_for(lambda: len(watching.lines) == 2)
    assert "repo" in json.loads(watching.lines[1])["problem"]
    (tmp_path / "aside").rename(repo.root)
    repo.write("b.py", "def gnu():\n    pass\n")
    assert wait_for(lambda: json.loads(watching.lines[-1])["files"] == 2)
    assert watching.end(signal.SIGINT) == 0


def test_what_does_not_go_together_is_refused(repo: Repo, program: Program) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n"})
    program("index", "--watch", "--dry-run", repo.root).refused(2, "--watch")
    program("index", "--watch", "--at", "HEAD", repo.root).refused(2, "--watch")
    program("index", "--watch", "no-such-folder").refused(1, "no-such-folder")


def test_when_nobody_reads_any_more_it_ends(repo: Repo, program: Program) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n"})
    process = program.start("index", "--watch", repo.root)
    assert process.stdout is not None and process.stdout.readline()
    process.stdout.close()
    repo.write("b.py", "def gnu():\n    pass\n")
    assert process.wait(20) == 0


def test_a_killed_one_leaves_nothing_that_hinders_the_next(repo: Repo, program: Program) -> None:
    for number in range(400):
        repo.write(f"n{number}.py", f"def bird_{number}():\n    pass\n" * 20)
    repo.commit("Begin")
    process = program.start("index", "--watch", repo.root)
    assert wait_for(lambda: (program.store / FORMAT / "facts.sqlite3").exists())
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    watching = Watching(program, repo.root)
    assert wait_for(lambda: len(watching.lines) == 1), watching.problems
    assert "400 files" in watching.lines[0]
    assert watching.end(signal.SIGINT) == 0


def test_search_by_language(repo: Repo, program: Program) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n", "b.js": "function zebra() {}\n"})
    found = program("search", "zebra", repo.root, "--language", "javascript", "--format", "json").json()
    assert [result["path"] for result in found["results"]] == ["b.js"]
    program("search", "zebra", repo.root, "--language", "klingon").refused(2, "klingon", "python")
