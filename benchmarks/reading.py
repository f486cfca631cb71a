"""What each way of reading costs: seconds that the packaged models take for an issue and its first candidates.

python benchmarks/reading.py DATA.jsonl --repos FOLDER [--layout …] [--issues 24] [--candidates 100] [--threads 2]
    [--json FILE]

Issues are spread over the repositories. The texts of an issue's candidates are read from nothing, each apart, as in a
search with an empty store; the medians are over issues. Only what `search` calls is timed: neither the index nor Git.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from measure import keep, new_parser

import trackdown
from trackdown.engine import default_plan, readable_candidates, with_mode
from trackdown.lab.benches import read_swe
from trackdown.lab.train.candidate_collection import spread
from trackdown.models import CrossEncoder, Encoder, LateQuery, unit_steps
from trackdown.models.registry import open_models
from trackdown.settings import load_settings

CODE_READ = 20
"""How many candidates the cross-encoder reads in a default search."""
Issue = tuple[str, tuple[str, ...]]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--issues", type=int, default=24)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    issues = list(collected(arguments.data, arguments.repos, arguments.layout, arguments.issues, arguments.candidates))
    models = open_models("packaged", arguments.threads)
    assert models.encoder is not None
    assert models.cross_encoder is not None
    report = timed(ways(models.encoder, models.cross_encoder, arguments.candidates), issues)
    for name, seconds in report.items():
        print(f"{name:<60} {seconds:7.3f} s")
    keep({"issues": len(issues), "threads": arguments.threads, "median_s": report}, arguments.json)


def collected(data: Path, repos: Path, layout: str, issues: int, candidates: int) -> Iterator[Issue]:
    """Issues, and their first candidates by a search without models, both as models read them."""
    plan = replace(with_mode(default_plan(replace(load_settings(), mode="hybrid")), "hybrid"), k=candidates)
    for task in spread(read_swe(data, repos, layout, "function").tasks, issues):
        with trackdown.open(task.place) as repository:
            found = readable_candidates(repository.corpus(task.at), task.query, plan)
        yield found.query, found.texts


def ways(encoder: Encoder, judge: CrossEncoder, candidates: int) -> dict[str, Callable[[Issue], object]]:
    """The ways to read, by name."""

    def vectors(longest: int) -> Callable[[Issue], object]:
        def read(issue: Issue) -> object:
            query, texts = issue
            if longest > encoder.longest:
                encoder.read_query(query)
            else:
                encoder.encode([query], longest=longest, apart=True)
            return encoder.encode(texts, apart=True)

        return read

    def late(issue: Issue) -> object:
        query, texts = issue
        asked = LateQuery(encoder.read_query(query).tokens)
        return asked.scores([unit_steps(one.tokens) for one in encoder.read(texts)])

    def pairs(count: int) -> Callable[[Issue], object]:
        return lambda issue: judge.score(issue[0], issue[1][:count], apart=True)

    return {
        f"one vector, query of 256, {candidates} candidates": vectors(min(256, encoder.longest)),
        f"one vector, query of 512, {candidates} candidates": vectors(encoder.longest_query),
        f"one vector and late interaction, query of 512, {candidates}": late,
        f"cross-encoder at {judge.longest}, {CODE_READ} candidates": pairs(CODE_READ),
        f"cross-encoder at {judge.longest}, {candidates} candidates": pairs(candidates),
    }


def timed(ways: dict[str, Callable[[Issue], object]], issues: Sequence[Issue]) -> dict[str, float]:
    """The median of the seconds for an issue, by way; the ways take turns, so that a slow minute is nobody's."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number, issue in enumerate(issues):
        for name, read in ways.items():
            started = time.perf_counter()
            read(issue)
            if number:  # the first issue warms up
                seconds[name].append(time.perf_counter() - started)
    return {name: round(statistics.median(values), 3) for name, values in seconds.items()}


if __name__ == "__main__":
    main()
