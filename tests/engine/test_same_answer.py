"""The same question gets the same answer: in any process, with any number of threads, with and without cached vectors.

`make bench-same-answer` asks fifty questions about a real repository, beside a load, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.golden.lendery import build_lendery

QUERY = "charging for a late return is off by a cent, and members get two letters"


def ask(root: Path, store: Path, threads: int, seed: int) -> dict[str, Any]:
    """The answer of a process with the packaged models, without its timings."""
    variables = {"TRACKDOWN_MODELS": "packaged", "TRACKDOWN_STORE": str(store), "TRACKDOWN_THREADS": str(threads)}
    command = [sys.executable, "-m", "trackdown", "search", QUERY, str(root), "--format", "json"]
    environment = os.environ | variables | {"PYTHONHASHSEED": str(seed)}
    answer: dict[str, Any] = json.loads(subprocess.check_output(command, env=environment))
    del answer["timings_ms"]
    return answer


@pytest.mark.slow
def test_store_threads_and_hash_seed_change_nothing(tmp_path: Path) -> None:
    root = build_lendery(tmp_path / "lendery").root
    first = ask(root, tmp_path / "one", threads=2, seed=1)
    used = ask(root, tmp_path / "one", threads=1, seed=2)
    anew = ask(root, tmp_path / "two", threads=1, seed=3)
    assert {"encoder", "code-reranker"} < {why["signal"] for result in first["results"] for why in result["why"]}
    assert first == used == anew and first["notes"] == []
