"""The measurement of `impact`: which commits become cases, and that nothing of the hidden file's change is seen."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import trackdown
from tests.conftest import Repo

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("impact")


@pytest.fixture
def pair(repo: Repo) -> Repo:
    """Two files that change together three times; one is alone once, and prose comes with neither."""
    for number in range(3):
        repo.commit(f"Both {number}", {"a.py": f"def a():\n    return {number}\n", "b.py": f"def b():\n    {number}\n"})
    repo.commit("One", {"a.py": "def a():\n    return secret_word\n", "README.md": "# Both\n"})
    repo.commit("Both again", {"a.py": "def a():\n    return 8\n", "b.py": "def b():\n    9\n"})
    repo.commit("Far", {f"far{number}.py": f"def far{number}(): ...\n" for number in range(2)})
    return repo


def test_commits_of_several_source_files_become_cases(bench: ModuleType, pair: Repo) -> None:
    cases = list(bench.hidden_files(pair.root))
    subjects = [pair.git("log", "-1", "--format=%s", case.commit) for case in cases]
    assert subjects == ["Both again", "Both 2", "Both 1"]
    assert {case.path for case in cases} <= {"a.py", "b.py"}
    assert [case.parent for case in cases] == [pair.git("rev-parse", f"{case.commit}^") for case in cases]


def test_a_case_sees_the_parent_and_the_rest_of_the_diff(bench: ModuleType, pair: Repo) -> None:
    case = bench.HiddenFile(pair.git("rev-parse", "HEAD~1"), pair.git("rev-parse", "HEAD~2"), "b.py")
    with trackdown.open(str(pair.root)) as repository:
        found = bench.score(repository, pair.root, case)
        nothing_left = bench.HiddenFile(case.commit, case.parent, "far0.py")
        assert bench.score(repository, pair.root, nothing_left) is None
    assert found.paths == ["README.md", "b.py"]  # what came later is not there, what the diff changes is no answer
    assert found.ranking({"co-change": 1.0})[0] == "b.py"
    share = found.signals["co-change"]
    assert share[found.paths.index("README.md")] < share[found.paths.index("b.py")] == 1.0
    report = bench.report({"pair": [found]})
    assert report["macro"]["impact"]["R@10"] == report["macro"]["random"]["R@10"] == 1.0
    assert report["gate"]["R@10"]["passed"] is False  # no better than co-change
    assert bench.fitted([[found]])["co-change"] == 1.0
