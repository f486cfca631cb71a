"""The soak: what it counts and judges, and that its editor edits, commits and ends."""

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

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SHORT = (
    "import soak_clients\nsoak_clients.EDIT_EVERY = soak_clients.COMMIT_EVERY = 0.05\n"
    "print('ready', flush=True)\nsoak_clients.edit({!r})"
)


@pytest.fixture
def soak(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("psutil")
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("soak")


def counted(**others: int) -> dict[str, Any]:
    return {"answered": 5, "refused": 0, "other": 0, "broken": 0, **others}


def report(soak: ModuleType, memory_mb: list[float], times: list[float], **others: int) -> dict[str, Any]:
    minutes = [soak.minute(counted(**others), times, [one]) for one in memory_mb]
    agents = {"answered": 6, "errors": [], "agents": 2, "calls": 3}
    return {"minutes": minutes, "all": soak.totals(minutes, times * len(minutes)), "mcp": agents}


def failed(soak: ModuleType, found: dict[str, Any]) -> list[bool]:
    return [verdict["failed"] for verdict in soak.verdicts(found).values()]


def test_a_server_that_holds_out_fails_nothing(soak: ModuleType) -> None:
    found = report(soak, [50.0, 100.0, 109.0, 91.0], [10.0, 11.0, 12.0])
    assert found["all"] == {"answered": 20, "errors": 0, "p50_ms": 11.0, "p99_ms": 12.0, "memory_mb": 95.5}
    assert failed(soak, found) == [False] * 4, "the first minute may differ"


def test_each_promise_is_judged(soak: ModuleType) -> None:
    assert failed(soak, report(soak, [100.0, 100.0], [10.0], refused=1)) == [True, False, False, False]
    assert failed(soak, report(soak, [100.0, 100.0, 111.0], [10.0])) == [False, True, False, False]
    assert failed(soak, report(soak, [100.0, 100.0], [10.0, 10.0, 21.0])) == [False, False, True, False]
    broken = report(soak, [100.0, 100.0], [10.0])
    broken["mcp"]["answered"] = 5
    assert failed(soak, broken) == [False, False, False, True]


def test_the_editor_edits_and_commits_until_its_input_ends(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "def a():\n    return 1\n", "b.md": "text\n"})
    command = [sys.executable, "-c", SHORT.format(str(repo.root))]
    with subprocess.Popen(command, cwd=BENCHMARKS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as editor:
        assert editor.stdin is not None and editor.stdout is not None
        assert editor.stdout.readline() == "ready\n"
        while len(repo.git("log", "--format=%s").splitlines()) < 3:
            assert editor.poll() is None
        editor.stdin.close()
        done = json.loads(editor.stdout.readline())
    assert done["edits"] >= done["commits"] >= 2 and editor.returncode == 0
    assert (repo.root / "b.md").read_text() == "text\n" and len((repo.root / "a.py").read_text().splitlines()) > 2
