"""How good and how slow is a search in which models read the best K? SWE-bench-shaped issues, functions.

python benchmarks/quality_by_depth.py DATA.jsonl --repos FOLDER [--layout …] [--depths 10,30,100] [--json RESULT]

Runs `trackdown bench swe` once without models, then once for each K on a copy of the store that this left, so that no
vector and no judgement of another K is at hand: seconds are those of new issues, though what an issue before it read
of the same repository is known. With one job a model has all cores; with more the whole is quicker, each query slower.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import describe_run

BASE = "hybrid"
METRICS = ("Acc@1", "Acc@5", "Acc@10", "Acc@20", "R@20", "MRR")
BOUNDED = ("Acc@5", "Acc@10", "MRR")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--depths", default="10,30,100")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    depths = [int(depth) for depth in arguments.depths.split(",")]
    bench = [str(arguments.data), "--repos", str(arguments.repos), "--layout", arguments.layout, "--level", "function"]
    with tempfile.TemporaryDirectory(prefix="quality-") as folder:
        rows = measure(bench, depths, arguments.jobs, Path(folder))
    print_table(rows)
    if arguments.json is not None:
        report = {"data": arguments.data.stem, "level": "function", "jobs": arguments.jobs, "rows": rows}
        arguments.json.write_text(json.dumps(report | {"run": describe_run()}, indent=1) + "\n")


def measure(bench: Sequence[str], depths: Sequence[int], jobs: int, folder: Path) -> list[dict[str, Any]]:
    """A row for the search without models, and one for each depth."""
    store = folder / "store"
    rows = [figures(run(bench, [BASE], jobs, store), BASE, 0)]
    for depth in depths:
        copy = folder / "copy"
        shutil.copytree(store, copy)
        mode = f"{BASE}+rerank@{depth}"
        # The plain mode comes first: what a first search opens is booked on it.
        rows.append(figures(run(bench, [BASE, mode], jobs, copy), mode, depth))
        shutil.rmtree(copy)
    return rows


def run(bench: Sequence[str], modes: Sequence[str], jobs: int, store: Path) -> dict[str, Any]:
    """One run of the bench with a store of its own, and a run file that nothing goes on from."""
    print(" ".join(modes), file=sys.stderr)
    run_file = store.with_name("run.jsonl")
    run_file.unlink(missing_ok=True)
    command = [sys.executable, "-m", "trackdown", "bench", "swe", *bench, "--modes", ",".join(modes)]
    command += ["--jobs", str(jobs), "--run-file", str(run_file), "--format", "json"]
    output = subprocess.check_output(command, env=os.environ | {"TRACKDOWN_STORE": str(store)})
    answer: dict[str, Any] = json.loads(output)
    return answer


def figures(answer: dict[str, Any], mode: str, depth: int) -> dict[str, Any]:
    """What a run says of one mode."""
    return {
        "mode": mode,
        "depth": depth,
        "issues": answer["scored"][mode],
        **{name: round(answer["modes"][mode][name], 4) for name in METRICS},
        "intervals": {
            name: [round(end, 4) for end in answer["intervals"][mode][name]]
            for name in BOUNDED
            if name in answer["intervals"].get(mode, {})
        },
        "seconds_per_query": {name: round(value / 1000, 4) for name, value in answer["ms"][mode].items()},
    }


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """The rows as Markdown."""
    times = list(rows[0]["seconds_per_query"])
    print("| models read | " + " | ".join([*METRICS, *(f"{name} s" for name in times)]) + " |")
    print("|---" * (1 + len(METRICS) + len(times)) + "|")
    for row in rows:
        quality = [f"{row[name]:.3f}".removeprefix("0") for name in METRICS]
        seconds = [f"{row['seconds_per_query'][name]:.3g}" for name in times]
        print(f"| {row['depth'] or 'nothing'} | {' | '.join([*quality, *seconds])} |")


if __name__ == "__main__":
    main()
