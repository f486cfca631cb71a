"""The measurement of a growing fleet: which states of repositories are in it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import Repo
from trackdown.fleet import read_fleet

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("fleet")


def grown(folder: Path, commits: int) -> Repo:
    """A repository that gets a file with each commit."""
    repo = Repo(folder)
    for number in range(commits):
        repo.commit(f"Add {number}", {f"file{number}.py": f"VALUE = '{folder.name}{number}'\n"})
    return repo


def test_states_come_in_turns_and_are_so_many_commits_apart(bench: ModuleType, tmp_path: Path) -> None:
    one, two = grown(tmp_path / "one", 5), grown(tmp_path / "two", 3)
    found = bench.states([one.root, two.root, one.root], bench.Limits(10, 2, 4, 1024))
    assert [(state.name.partition("@")[0], state.files) for state in found] == [
        ("one", 3),
        ("two", 3),
        ("one", 1),
        ("two", 1),
    ]
    assert [state.at for state in found[:2]] == [one.git("rev-parse", "HEAD~2"), two.git("rev-parse", "HEAD")]


def test_a_state_that_lacks_a_file_is_left_out(bench: ModuleType, tmp_path: Path) -> None:
    repo = grown(tmp_path / "one", 3)
    blob = repo.git("rev-parse", "HEAD:file2.py")
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert [state.files for state in bench.states([repo.root], bench.Limits(10, 1, 100, 1024))] == [2, 1]


def test_only_files_within_the_limit_count(bench: ModuleType, tmp_path: Path) -> None:
    repo = grown(tmp_path / "one", 2)
    repo.commit("Add a large one", {"large.py": "VALUE = 1\n" * 1000})
    assert [state.files for state in bench.states([repo.root], bench.Limits(1, 1, 100, 4))] == [2]
    bench.write(tmp_path / "fleet", bench.states([repo.root], bench.Limits(1, 1, 100, 4)))
    assert read_fleet(tmp_path / "fleet" / "fleet.toml").entries[0].max_file_kb == 4


def test_the_largest_states_make_way_for_many_small_ones(bench: ModuleType, tmp_path: Path) -> None:
    members = [bench.State(tmp_path, "", str(files), files, 1024) for files in (900, 5, 40, 300, 10, 5)]
    assert [state.files for state in bench.smaller(members, 3, 10**9)] == [900, 5, 40, 300, 10, 5]
    assert [state.files for state in bench.smaller(members, 3, 500)] == [5, 40, 300, 10, 5]
    assert [state.files for state in bench.smaller(members, 3, 60)] == [5, 40, 10, 5]
    assert bench.smaller(members, 3, 4) == []
