"""The library's API for evaluation, after CodeRAG's harness: score any search function, or compare modes of ours.

from trackdown.lab import build_from_git, compare_modes, evaluate

cases = build_from_git(".", max_cases=100)
for result in compare_modes(".", cases, level="file"):
    print(result.label, result.as_dict())
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from trackdown.errors import QueryError
from trackdown.lab.cases import Case, CodeLocation, Protocol
from trackdown.lab.evaluations import Evaluation, evaluation, evaluations
from trackdown.lab.run import run_bench
from trackdown.lab.run_plan import plan
from trackdown.lab.runs import Row, RunFile
from trackdown.lab.tasks import CaseLevel, bench_of_cases
from trackdown.settings import Settings, load_settings
from trackdown.types import Progress, no_progress

Search = Callable[..., Iterable[Any]]
_DEPTH = 100


def evaluate(search: Search, cases: Iterable[Case], level: CaseLevel = "file", *, k: int = _DEPTH) -> Evaluation:
    """Score a search function: it gets a query and `k=`, and returns results with `path` and `symbol`, or paths.

    A `Repository.search` fits; at symbol level give it the level, e.g. `partial(repo.search, level="symbol")`. A query
    that it refuses (QueryError) finds nothing.
    """
    rows = []
    for case in cases:
        gold = tuple(map(CodeLocation, case.files)) if level == "file" else case.symbols
        if not gold:
            rows.append(Row(case.id, "search", skipped=f"no truth at {level} level"))
            continue
        started = time.perf_counter()
        try:
            found = list(search(case.query, k=k))
        except QueryError:
            found = []
        ms = (time.perf_counter() - started) * 1000
        places = tuple(dict.fromkeys(_place(result, level) for result in found))
        rows.append(Row(case.id, "search", places, (0.0,) * len(places), ms, gold))
    return evaluation("search", rows)


def _place(result: Any, level: CaseLevel) -> CodeLocation:
    if isinstance(result, str):
        return CodeLocation(result)
    return CodeLocation(result.path, "" if level == "file" else result.symbol)


def compare_modes(
    place: str | Path,
    cases: Sequence[Case],
    modes: Sequence[str] = ("bm25", "commits", "hybrid"),
    level: CaseLevel = "file",
    *,
    protocol: Protocol | None = None,
    settings: Settings | None = None,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> list[Evaluation]:
    """One evaluation per mode over the same cases and the same index."""
    bench = bench_of_cases(str(place), cases, level=level, protocol=protocol)
    chosen = plan(bench, modes, settings or load_settings())
    with tempfile.TemporaryDirectory() as folder, RunFile(Path(folder, "run.jsonl"), chosen.config) as file:
        return evaluations(run_bench(bench, chosen, file, jobs=jobs, progress=progress))
