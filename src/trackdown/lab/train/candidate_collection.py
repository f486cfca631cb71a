"""Benchmark cases → a file of their first candidates, as models would read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from trackdown.engine import ReadableCandidates, default_plan, readable_candidates, with_mode
from trackdown.engine import open as open_repository
from trackdown.errors import MissingObject, QueryError, UnknownRevision, UsageError
from trackdown.lab import Bench, CodeLocation, Task, commit_times, end_with_parent
from trackdown.lab.train.array_files import ragged
from trackdown.lab.train.candidates import QUERY_TOKENS, TEXT_TOKENS, CandidateSet
from trackdown.lab.train.packing import read_tokenizer
from trackdown.models import PACKAGED_FOLDER
from trackdown.settings import Settings
from trackdown.types import Progress, no_progress

DEPTH = 100
"""As many candidates as the encoder compares in a search."""


@dataclass(frozen=True, slots=True)
class CandidateReport:
    """What was collected. `complete` cases have all their gold among the candidates."""

    cases: int
    repositories: int
    candidates: int
    complete: int
    skipped: int


def collect_candidates(
    bench: Bench, path: Path, settings: Settings, *, most: int = 0, jobs: int = 1, progress: Progress = no_progress
) -> CandidateReport:
    """Search every case without models and write the first candidates. `most` cases are spread over the repositories.

    Raises UsageError when there is no case.
    """
    tasks = spread(bench.tasks, most)
    by_repository: dict[str, list[Task]] = {}
    for task in tasks:
        by_repository.setdefault(task.repository, []).append(task)
    if not tasks:
        reason = f" ({bench.skipped[0].reason})" if bench.skipped else ""
        raise UsageError(f"there is no case to search{reason}: check --repos and --layout")
    found: dict[str, ReadableCandidates] = {}
    work = [(some, settings) for some in sorted(by_repository.values(), key=len, reverse=True)]
    progress("search", 0, len(tasks))
    with ProcessPoolExecutor(max(jobs, 1), get_context("spawn"), end_with_parent) as workers:
        for some in workers.map(_search_repository, work):
            found |= some
            progress("search", len(found), len(tasks))
    searched = [task for task in tasks if task.id in found]
    tokenizer = read_tokenizer(PACKAGED_FOLDER / "tokenizer.json")
    made = candidate_set(searched, [found[task.id] for task in searched], tokenizer)
    made.save(path)
    complete = int(np.sum(made.missed == 0))
    skipped = len(bench.skipped) + len(tasks) - made.cases
    return CandidateReport(made.cases, len(by_repository), len(made.score), complete, skipped)


def spread(tasks: Sequence[Task], most: int) -> list[Task]:
    """At most `most` tasks, taken from the repositories in turn; all without a limit."""
    if not most or len(tasks) <= most:
        return list(tasks)
    queues: dict[str, list[Task]] = {}
    for task in tasks:
        queues.setdefault(task.repository, []).append(task)
    turns = max(map(len, queues.values()))
    in_turn = [queue[turn] for turn in range(turns) for queue in queues.values() if turn < len(queue)]
    return in_turn[:most]


def _search_repository(work: tuple[list[Task], Settings]) -> dict[str, ReadableCandidates]:
    """Task → candidates, oldest state first: neighbours share most of an index."""
    tasks, settings = work
    settings = replace(settings, threads=1)
    times = commit_times(tasks[0].place, {task.at for task in tasks if task.at})
    tasks = sorted(tasks, key=lambda task: (times.get(task.at or "", 0), task.at or "", task.id))
    plain = with_mode(default_plan(replace(settings, mode="hybrid", graph=False)), "hybrid")
    plan = replace(plain, level=tasks[0].level, k=DEPTH)
    found = {}
    with open_repository(tasks[0].place, settings=settings) as repository:
        for task in tasks:
            try:
                found[task.id] = readable_candidates(repository.corpus(task.at), task.query, plan)
            except (UnknownRevision, MissingObject, QueryError):
                continue
    return found


def candidate_set(tasks: Sequence[Task], found: Sequence[ReadableCandidates], tokenizer: Any) -> CandidateSet:
    """Cases with their candidates, tokenized. A place that occurs twice counts once as gold."""
    gold, missed, sizes = [], [], [0]
    for task, one in zip(tasks, found, strict=True):
        wanted = set(task.gold)
        for place in one.places:
            gold.append(CodeLocation(*place) in wanted)
            wanted.discard(CodeLocation(*place))
        missed.append(len(wanted))
        sizes.append(sizes[-1] + len(one.places))
    queries = _ids([one.query for one in found], QUERY_TOKENS, tokenizer)
    texts = _ids([text for one in found for text in one.texts], TEXT_TOKENS, tokenizer)
    return CandidateSet(
        *ragged(list(queries), np.uint16),
        *ragged(list(texts), np.uint16),
        np.array(sizes, np.uint32),
        np.array([score for one in found for score in one.scores], np.float32),
        np.array([factor for one in found for factor in one.factors], np.float32),
        np.array(gold, bool),
        np.array(missed, np.uint16),
        np.array([task.id for task in tasks]),
        np.array([task.repository for task in tasks]),
    )


def _ids(texts: Sequence[str], longest: int, tokenizer: Any) -> Iterator[list[int]]:
    for start in range(0, len(texts), 4096):
        for found in tokenizer.encode_batch(texts[start : start + 4096], add_special_tokens=False):
            yield found.ids[:longest]
