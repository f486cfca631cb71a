"""What benchmarks write beside their figures."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_a_recorded_command_tells_repositories_apart_and_names_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr(
        sys, "argv", ["benchmarks/x.py", "/m/a+b/repo", "m/c+d/repo/", "/e/f", "g/.git", "--of", "worker"]
    )
    assert import_module("measure").describe_run()["command"] == "x.py a+b c+d f g --of worker"
