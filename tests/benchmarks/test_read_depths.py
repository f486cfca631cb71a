"""Quality by depth: deeper reading finds what the models prefer further down."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from trackdown.lab.cases import CodeLocation
from trackdown.lab.train.ranking_data import RankingExample, write_ranking_examples

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "read_depths.py"


def test_gold_that_only_a_deep_reader_reaches_is_found_when_it_reads_so_deep(tmp_path: Path) -> None:
    gold = np.arange(60) == 30
    table = np.stack([np.linspace(1.0, 0.5, 60), np.where(gold, 0.9, 0.1)], axis=1).astype(np.float32)
    places = tuple(CodeLocation("a.py", f"f{number}") for number in range(60))
    example = RankingExample("one", "ada/shop", places, ("fused.share", "encoder.value"), table, gold, 0)
    write_ranking_examples(tmp_path / "ada+shop.function.npz", [example], "digest")
    data = tmp_path / "issues.jsonl"
    data.write_text(json.dumps({"instance_id": "one"}) + "\n")
    report = tmp_path / "report.json"
    command: list[str | Path] = [
        sys.executable,
        SCRIPT,
        data,
        "--features",
        tmp_path,
        "--depths",
        "20/5,40/5",
        "--json",
        report,
    ]
    subprocess.run(command, check=True, capture_output=True)
    found = json.loads(report.read_text())
    assert found["cases"] == {"issues": 1}
    acc10 = found["measures"].index("Acc@10")
    assert [found["depths"][depth]["mean"][acc10] for depth in ("20/5", "40/5")] == [0.0, 1.0]
