"""The measurement of a fleet's object store: it sees what is wrong, and finds nothing wrong with a small fleet."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Repo
from tests.fleet.faulty_proxy import KINDS, FaultyProxy
from tests.fleet.fleets import needs_extra

pytestmark = needs_extra
NAMES = ("shop", "bank")
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("fleet_object_store")


@pytest.fixture
def rounds(bench: ModuleType, tmp_path: Path) -> Any:
    """Two repositories, with one answer each before and after a sync."""
    bucket: Any = None
    made = bench.StoreRounds(tmp_path, [], bucket, FaultyProxy("http://127.0.0.1:9"))
    made.earlier = {"shards": {"r0": "old", "r1": "old"}}
    made.wanted = {"shards": {"r0": "new", "r1": "new"}}
    made.expected = {
        state: {name: [[(name, state)]] for name in (bench.ALL, "r0", "r1")} for state in ("before", "after")
    }
    return made


def test_the_answers_of_each_state_are_right(bench: ModuleType, rounds: Any) -> None:
    for shard, state in (("old", "before"), ("new", "after")):
        assert rounds.wrong_answers({"r0": shard, "r1": shard}, rounds.expected[state]) == []
    mixed = {bench.ALL: [["a mixture"]], "r0": [[("r0", "before")]], "r1": [[("r1", "after")]]}
    assert rounds.wrong_answers({"r0": "old", "r1": "new"}, mixed) == []


def test_what_is_of_no_state_or_answers_like_another_is_wrong(bench: ModuleType, rounds: Any) -> None:
    both = {"r0": "old", "r1": "old"}
    assert rounds.wrong_answers({**both, "r1": "damaged"}, rounds.expected["before"]) == ["r1 is in neither state"]
    lacking = {**rounds.expected["before"], "r1": []}
    assert rounds.wrong_answers(both, lacking) == ["other answers of r1, before the sync"]
    assert rounds.wrong_answers(both, rounds.expected["after"]) == [
        f"other answers of {name}, before the sync" for name in ("r0", "r1", bench.ALL)
    ]


def test_equal_seeds_draw_equal_faults(bench: ModuleType) -> None:
    faults = [[bench.drawn(kind, 100, random.Random(7)) for kind in KINDS] for _ in range(2)]
    assert faults[0] == faults[1] and all(1 <= fault.at <= 100 for fault in faults[0])


@pytest.mark.slow
def test_a_small_fleet_withstands_a_fault_in_a_sync_and_one_in_a_search(tmp_path: Path) -> None:
    for name in NAMES:
        repo = Repo(tmp_path / name)
        for number in range(32):
            files = {f"{name}{number}.py": f"def {name}_number_{number}(value):\n    return value + {number}\n"}
            repo.commit(f"Add number {number} of the {name}", files)
    report = tmp_path / "report.json"
    command = [sys.executable, str(BENCHMARKS / "fleet_object_store.py"), *(str(tmp_path / name) for name in NAMES)]
    done = subprocess.run([*command, "--faults", "2", "--json", str(report)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text())
    assert (found["different"], found["failed"], found["queries"]) == ([], [], 6)
    assert [(case["during"], case["fault"]["kind"]) for case in found["cases"]] == [
        ("sync", "refuse"),
        ("first search", "refuse"),
    ]
    assert "no difference" in done.stdout and "problems" in done.stdout.splitlines()[-3]
