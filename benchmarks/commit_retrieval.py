"""Commit retrieval alone on issue-style queries with known commits (system 1's protocol).

python benchmarks/commit_retrieval.py GOLD.parquet REPOSITORY [--query transformed_message_gpt4] [--how blend]

GOLD has the columns commit_id, actual_files_modified and the query's. For each row the state searched is the parent of
the commit: only its ancestors are visible, files are found under the names they have in the parent's tree, and gold
files that do not exist there count as missed. Prints MRR, MAP, P@1 and R@k; with --json a file for results/.
"""

from __future__ import annotations

import argparse
import ast
import json
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
from measure import describe_run

import trackdown
from trackdown.errors import TrackdownError
from trackdown.query.understand import understand
from trackdown.repository.snapshot import commit_snapshot
from trackdown.retrieve.commits import PastCommits
from trackdown.settings import load_settings
from trackdown.types import Aggregation


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("repository")
    parser.add_argument("--query", default="transformed_message_gpt4", help="the column that holds the query")
    parser.add_argument("--how", choices=["maxp", "sump", "avgp", "blend"], default="blend")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    answer = evaluate(arguments.gold, arguments.repository, arguments.query, arguments.how)
    print(json.dumps(answer, indent=2))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(answer | {"run": describe_run()}, indent=2) + "\n")


def evaluate(gold: Path, place: str, column: str, how: Aggregation) -> dict[str, Any]:
    """Search every row and average the metrics."""
    rows = parquet.read_table(gold).to_pylist()
    repository = trackdown.open(place, settings=load_settings())
    repository.index()
    runs: list[tuple[list[str], set[str]]] = []
    skipped = 0
    started = time.perf_counter()
    for row in rows:
        try:
            ranked = rank_files(repository, row["commit_id"], row[column], how)
        except TrackdownError:
            skipped += 1
            continue
        runs.append((ranked, set(_files(row["actual_files_modified"]))))
    seconds = time.perf_counter() - started
    return {
        "gold": gold.name,
        "queries": len(runs),
        "skipped": skipped,
        "aggregation": how,
        "seconds_per_query": round(seconds / max(len(runs), 1), 4),
        **{name: round(value, 4) for name, value in metrics(runs).items()},
    }


def rank_files(repository: trackdown.Repository, commit: str, query: str, how: Aggregation) -> list[str]:
    """Files of the parent's tree, best first, from the messages of the parent's ancestors."""
    parent = repository.source.resolve(f"{commit}^")
    snapshot = commit_snapshot(repository.source, parent)
    paths = [*(file.path for file in snapshot.files), *(item.path for item in snapshot.excluded)]
    index = repository.commit_index(parent)
    past = PastCommits(index, parent, understand(query).weights)
    found = past.files({path: number for number, path in enumerate(paths)}, how)
    order = sorted(
        zip(found.scores.tolist(), found.files.tolist(), strict=True),
        key=lambda item: (-item[0], [-position for position in found.commits(item[1])[:1]], item[1]),
    )
    return [paths[file] for _, file in order]


def metrics(runs: list[tuple[list[str], set[str]]]) -> dict[str, float]:
    """MRR, MAP, P@1 and recalls, averaged over queries."""
    totals: dict[str, float] = {}
    for ranked, wanted in runs:
        ranks = [rank for rank, path in enumerate(ranked, 1) if path in wanted]
        values = {
            "MRR": 1 / ranks[0] if ranks else 0.0,
            "MAP": sum(hits / rank for hits, rank in enumerate(ranks, 1)) / max(len(wanted), 1),
            "P@1": float(bool(ranks) and ranks[0] == 1),
        }
        for k in (10, 100, 1000):
            values[f"R@{k}"] = sum(rank <= k for rank in ranks) / max(len(wanted), 1)
        for name, value in values.items():
            totals[name] = totals.get(name, 0.0) + value / len(runs)
    return totals


def _files(value: Any) -> list[str]:
    if isinstance(value, str):
        value = ast.literal_eval(value)
    return list(value)


if __name__ == "__main__":
    main()
