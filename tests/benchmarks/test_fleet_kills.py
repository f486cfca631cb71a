"""The measurement of kills: it counts only those that hit, and sees what belongs to no state."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Repo
from tests.fleet.fleets import needs_extra

pytestmark = needs_extra
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("fleet_kills")


def content(**states: str) -> dict[str, Any]:
    """What is published: repository → the name of its shard, which its rows have, too."""
    return {"shards": states, "tables": {"all": {name: [f"row of {state}"] for name, state in states.items()}}}


def test_what_is_published_is_of_one_state_or_a_mixture(bench: ModuleType) -> None:
    before, after = content(r0="old0", r1="old1"), content(r0="new0", r1="new1")
    assert bench.state_of(before, before, after) == ("before", [])
    assert bench.state_of(after, before, after) == ("after", [])
    assert bench.state_of(content(r0="old0", r1="new1"), before, after) == ("mixed", [])


def test_what_is_of_neither_state_is_a_problem(bench: ModuleType) -> None:
    before, after = content(r0="old0", r1="old1"), content(r0="new0", r1="new1")
    assert bench.state_of(content(r0="old0"), before, after)[1] == ["other repositories are published"]
    assert bench.state_of(content(r0="old0", r1="odd"), before, after)[1] == ["r1 is in neither state"]
    torn = {**before, "tables": after["tables"]}
    assert bench.state_of(torn, before, after)[1] == [
        f"the table has other rows of {name} than the state before the sync" for name in ("r0", "r1")
    ]


def test_a_process_that_has_ended_was_not_killed(bench: ModuleType) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert bench.killed(process.pid)
        process.wait()
        assert not bench.killed(process.pid)


@pytest.mark.slow
def test_a_small_fleet_withstands_a_kill_of_its_worker(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "org+shop" / "repo")
    for number in range(32):
        repo.commit(f"Add {number}", {f"shop{number}.py": f"def number_{number}(value):\n    return {number}\n"})
    report = tmp_path / "report.json"
    command = [sys.executable, str(BENCHMARKS / "fleet_kills.py"), str(repo.root), "--of", "worker", "--kills", "1"]
    done = subprocess.run([*command, "--json", str(report)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text())
    assert (found["kills"], found["failed"], found["repositories"]) == (1, [], ["org+shop"])
    assert [row["hit"] for row in found["rows"]] == [False] * found["hit_nothing"] + [True]
    assert found["rows"][-1]["published"] in ("before", "after") and "org+shop" in found["run"]["command"]
