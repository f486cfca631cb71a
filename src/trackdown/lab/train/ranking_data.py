"""Cases → the features of their candidates, which a ranker is fitted to.

Every case is searched as users search, but in the order of the hand-set sum, and models read deeper than they do in a
search. One .npz file holds one repository's examples. Repositories whose file is complete are skipped.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from trackdown.engine import candidate_features, default_plan, speaking_models, with_mode
from trackdown.engine import open as open_repository
from trackdown.errors import MissingObject, QueryError, TrackdownError, UnknownRevision
from trackdown.lab import Bench, CodeLocation, Task, commit_times, end_with_parent
from trackdown.pipeline import SearchPlan
from trackdown.settings import Settings
from trackdown.types import Level, Progress, no_progress
from trackdown.units import EXTRACTOR_VERSION

ENCODED, CODE_READ = 200, 40
"""How many candidates the encoder compares and the cross-encoder reads."""
_VERSION = 3


@dataclass(frozen=True, slots=True)
class RankingExample:
    """The candidates of one case, best hand-set sum first, their features, and which of them are gold.

    `missed` is how many gold places are not among the candidates.
    """

    id: str
    repository: str
    places: tuple[CodeLocation, ...]
    names: tuple[str, ...]
    table: npt.NDArray[np.float32]
    gold: npt.NDArray[np.bool_]
    missed: int


def collecting_plan(settings: Settings, level: Level) -> SearchPlan:
    """How a case is searched while its features are collected."""
    plain = default_plan(replace(settings, mode="hybrid", adaptive=False, graph=False))
    mode = f"hybrid+encoder@{ENCODED}+code-reranker@{CODE_READ}"
    return replace(with_mode(plain, mode), level=level)


def plan_digest(settings: Settings, level: Level) -> str:
    """Names how examples are collected: those of another digest are collected again."""
    parts = (_VERSION, EXTRACTOR_VERSION, collecting_plan(settings, level), speaking_models(settings, readers=True))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def collect_examples(
    bench: Bench, folder: Path, settings: Settings, *, jobs: int = 1, progress: Progress = no_progress
) -> dict[str, Path]:
    """Repository → the file with its examples. Collects what the folder does not hold yet, `jobs` at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = plan_digest(settings, bench.level)
    by_repository: dict[str, list[Task]] = {}
    for task in bench.tasks:
        by_repository.setdefault(task.repository, []).append(task)
    files = {name: folder / f"{name.replace('/', '+')}.{bench.level}.npz" for name in by_repository}
    todo = [
        (tasks, files[name], settings, digest)
        for name, tasks in by_repository.items()
        if not _is_done(files[name], digest)
    ]
    todo.sort(key=lambda work: -len(work[0]))
    progress("collect", len(files) - len(todo), len(files))
    with ProcessPoolExecutor(max(jobs, 1), get_context("spawn"), end_with_parent) as workers:
        for number, _ in enumerate(workers.map(_collect_repository, todo), len(files) - len(todo) + 1):
            progress("collect", number, len(files))
    return files


def _is_done(path: Path, digest: str) -> bool:
    try:
        with np.load(path, allow_pickle=False) as loaded:
            return str(loaded["digest"]) == digest
    except (OSError, EOFError, ValueError, KeyError, BadZipFile):
        return False


def _collect_repository(work: tuple[list[Task], Path, Settings, str]) -> None:
    tasks, path, settings, digest = work
    times = commit_times(tasks[0].place, {task.at for task in tasks if task.at})
    tasks = sorted(tasks, key=lambda task: (times.get(task.at or "", 0), task.at or "", task.id))
    plan = collecting_plan(replace(settings, threads=1), tasks[0].level)
    examples = []
    with open_repository(tasks[0].place, settings=replace(settings, threads=1)) as repository:
        for task in tasks:
            try:
                found = candidate_features(repository.corpus(task.at), task.query, plan)
            except (UnknownRevision, MissingObject, QueryError):
                continue
            places = tuple(CodeLocation(*place) for place in found.places)
            wanted = set(task.gold)
            gold = np.array([place in wanted for place in places], dtype=bool)
            missed = len(wanted - set(places))
            table = found.table.values.astype(np.float32)
            examples.append(RankingExample(task.id, task.repository, places, found.table.names, table, gold, missed))
    write_ranking_examples(path, examples, digest)


def write_ranking_examples(path: Path, examples: Sequence[RankingExample], digest: str) -> None:
    """Write a file, aside first. Raises TrackdownError when it cannot."""
    names = tuple(dict.fromkeys(name for example in examples for name in example.names))
    arrays: dict[str, Any] = {
        "digest": np.array(digest),
        "names": np.array(names, dtype=np.str_),
        "ids": np.array([example.id for example in examples], dtype=np.str_),
        "repositories": np.array([example.repository for example in examples], dtype=np.str_),
        "sizes": np.array([len(example.places) for example in examples], dtype=np.int64),
        "missed": np.array([example.missed for example in examples], dtype=np.int64),
        "table": np.concatenate([np.zeros((0, len(names)), np.float32), *(_aligned(e, names) for e in examples)]),
        "gold": np.concatenate([np.zeros(0, dtype=bool), *(example.gold for example in examples)]),
        "places": np.frombuffer(
            "\n".join(_spelled(place) for example in examples for place in example.places).encode("utf-8", "replace"),
            dtype=np.uint8,
        ),
    }
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as stream:
            np.savez_compressed(stream, **arrays)
        os.replace(part, path)
    except OSError as error:
        raise TrackdownError(f"cannot write {path}: {error.strerror}") from None


def _spelled(place: CodeLocation) -> str:
    return f"{place.path}\x1f{place.symbol}".replace("\n", " ")


def _aligned(example: RankingExample, names: Sequence[str]) -> npt.NDArray[np.float32]:
    own = {name: number for number, name in enumerate(example.names)}
    found = np.full((len(example.table), len(names)), np.nan, dtype=np.float32)
    for number, name in enumerate(names):
        if name in own:
            found[:, number] = example.table[:, own[name]]
    return found


def read_ranking_examples(paths: Mapping[str, Path] | Sequence[Path]) -> Iterator[RankingExample]:
    """The examples of some files."""
    for path in paths.values() if isinstance(paths, Mapping) else paths:
        with np.load(path, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        names = tuple(map(str, arrays["names"]))
        places = arrays["places"].tobytes().decode("utf-8", "replace").split("\n")
        ends = np.cumsum(arrays["sizes"]).tolist()
        for number, end in enumerate(ends):
            rows = slice(ends[number - 1] if number else 0, end)
            yield RankingExample(
                str(arrays["ids"][number]),
                str(arrays["repositories"][number]),
                tuple(CodeLocation(*text.split("\x1f")) for text in places[rows]),
                names,
                arrays["table"][rows],
                arrays["gold"][rows],
                int(arrays["missed"][number]),
            )
