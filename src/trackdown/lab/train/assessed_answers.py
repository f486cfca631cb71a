"""Cases → what each search knew about its answer, and which of its results were right: data for confidence.

Every question is searched as the default search does and without models, so that both are calibrated. There is one
JSON-lines file for each repository; an interrupted run continues where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from trackdown.confidence import ANSWER_FEATURES, RESULT_FEATURES
from trackdown.engine import AnswerEvidence, Repository, answer_evidence, speaking_models
from trackdown.engine import open as open_repository
from trackdown.errors import MissingObject, QueryError, TrackdownError, UnknownRevision
from trackdown.lab import CodeLocation, Task, commit_times, run_jobs
from trackdown.request import SearchRequest
from trackdown.settings import Settings
from trackdown.types import Effort, Progress, no_progress
from trackdown.units import EXTRACTOR_VERSION

EFFORTS: tuple[Effort, ...] = ("balanced", "fast")
ISSUE = "issue"
_VERSION = 2
_PATIENCE = 3600.0
"""Seconds that a job may be silent: a first index of a large repository takes minutes."""


@dataclass(frozen=True, slots=True)
class AssessedAnswer:
    """The features of one answer and of its results, and which results are right. `kind` says what was asked."""

    id: str
    kind: str
    repository: str
    level: str
    effort: str
    features: list[float]
    results: list[list[float]]
    right: list[bool]


@dataclass(frozen=True, slots=True)
class _Job:
    """The tasks of one repository, and the file for what comes of them."""

    name: str
    tasks: tuple[Task, ...]
    path: Path
    settings: Settings


def collect_answers(
    tasks: Sequence[Task], folder: Path, settings: Settings, *, jobs: int = 0, progress: Progress = no_progress
) -> list[AssessedAnswer]:
    """The answers to all tasks; those that the folder has already are read. Raises TrackdownError if a job fails."""
    folder.mkdir(parents=True, exist_ok=True)
    count = jobs or os.cpu_count() or 1
    settings = replace(settings, threads=settings.threads or (1 if count > 1 else 0))
    names = sorted({task.repository for task in tasks})
    work = [
        _Job(
            name,
            tuple(task for task in tasks if task.repository == name),
            folder / f"{name.replace('/', '+')}.jsonl",
            settings,
        )
        for name in names
    ]
    work.sort(key=lambda job: -len(job.tasks))
    done = 0
    found: dict[str, list[AssessedAnswer]] = {}
    progress("search", 0, len(tasks))
    with closing(run_jobs(work, _collect, count, patience=_PATIENCE)) as ready:
        for one in ready:
            if one.result is None:
                raise TrackdownError(f"{one.job.name}: {one.problem}; run again to continue where it stopped")
            found[one.job.name] = one.result
            done += len(one.job.tasks)
            progress("search", done, len(tasks))
    return [answer for name in names for answer in found[name]]


def _collect(job: _Job, progress: Progress) -> list[AssessedAnswer]:
    """The answers of one repository, states one after the other."""
    digest = _digest(job.settings)
    known = _read(job.path, digest)
    wanted = [(task, effort) for task in _by_age(job) for effort in EFFORTS]
    todo = [(task, effort) for task, effort in wanted if (task.id, task.level, effort) not in known]
    if todo:
        with job.path.open("a" if known else "w", encoding="utf-8") as stream:
            # An answer that was cut short must not take the next one with it.
            print("" if known else json.dumps({"digest": digest}), file=stream)
            with open_repository(todo[0][0].place, settings=job.settings) as repository:
                for number, (task, effort) in enumerate(todo):
                    progress("search", number, len(todo))
                    _add(repository, task, effort, stream)
        known = _read(job.path, digest)
    keys = [(task.id, task.level, effort) for task, effort in wanted]
    return [answer for key in keys if (answer := known.get(key)) is not None]


def _by_age(job: _Job) -> list[Task]:
    """The tasks by the age of their states: neighbours share most of an index."""
    times = commit_times(job.tasks[0].place, {task.at for task in job.tasks if task.at})
    return sorted(job.tasks, key=lambda task: (times.get(task.at or "", 0), task.at or "", task.id, task.level))


def _add(repository: Repository, task: Task, effort: Effort, stream: IO[str]) -> None:
    """Ask one question and write what came of it, at once."""
    request = SearchRequest(task.query, level=task.level, effort=effort)
    try:
        evidence = answer_evidence(repository.corpus(task.at), request, repository.settings)
    except (UnknownRevision, MissingObject, QueryError):
        return
    print(json.dumps(asdict(_assessed(task, effort, evidence))), file=stream, flush=True)


def _assessed(task: Task, effort: Effort, evidence: AnswerEvidence) -> AssessedAnswer:
    gold = set(task.gold)
    right = [CodeLocation(*place) in gold for place in evidence.places]
    features = [float(evidence.signs.answer[name]) for name in ANSWER_FEATURES]
    rows = evidence.signs.results[: len(right)].tolist()
    return AssessedAnswer(task.id, task.category or ISSUE, task.repository, task.level, effort, features, rows, right)


def _read(path: Path, digest: str) -> dict[tuple[str, str, str], AssessedAnswer]:
    """What a file has; nothing if it was collected in another way. A line that was cut short is left out."""
    rows = list(_lines(path))
    if not rows or rows[0].get("digest") != digest:
        return {}
    answers = [AssessedAnswer(**row) for row in rows[1:]]
    return {(answer.id, answer.level, answer.effort): answer for answer in answers}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _digest(settings: Settings) -> str:
    """Names how answers were made: by which models and depths, and with which features."""
    models = speaking_models(settings, readers=True)
    depths = (settings.mode, settings.encoder_depth, settings.code_depth)
    parts = (_VERSION, EXTRACTOR_VERSION, ANSWER_FEATURES, RESULT_FEATURES, models, depths)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
