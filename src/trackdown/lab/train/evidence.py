"""A repository's history → what every retriever or model said of the candidates of past queries.

Each case is searched at its commit's parent. Every other commit asks with its whole message, the others with their
subject, so that there are short and long queries and no commit asks twice. There is one .npz file of flat arrays for
each repository and level, and an interrupted run continues after the last of them.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.engine import (
    DEEPEST,
    Repository,
    channel_evidence,
    default_plan,
    judged_evidence,
    speaking_models,
    with_mode,
)
from trackdown.engine import open as open_repository
from trackdown.errors import MissingObject, QueryError, TrackdownError, UnknownRevision, UsageError
from trackdown.fuse import Stage
from trackdown.lab import Case, CodeLocation, Task, bench_of_cases, commit_times
from trackdown.lab.mine import build_from_git
from trackdown.pipeline import SearchPlan
from trackdown.repository import HISTORY_VERSION
from trackdown.settings import Settings
from trackdown.types import Level, Progress, no_progress
from trackdown.units import EXTRACTOR_VERSION

LEVELS: tuple[Level, ...] = ("function", "file")
JUDGED = 50
"""How many candidates models read where what they say is collected."""
_VERSION = 2


@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """How much to collect: cases of each repository, what channels say or what models do, and how deep."""

    max_cases: int = 100
    levels: tuple[Level, ...] = LEVELS
    deepest: int = DEEPEST
    stage: Stage = "retrieve"

    def options(self, settings: Settings, level: Level) -> SearchPlan:
        """How to search: plainly, or with every model reading the best candidates."""
        plain = replace(default_plan(replace(settings, mode="hybrid", adaptive=False, graph=False)), level=level)
        if self.stage == "retrieve":
            return plain
        readers = "+".join(f"{reader}@{JUDGED}" for reader in ("encoder", "commit-reranker", "code-reranker"))
        return replace(with_mode(plain, f"hybrid+{readers}"), k=JUDGED)

    def digest(self, settings: Settings) -> str:
        """Names what was collected and how: files of another digest are collected anew."""
        versions = (_VERSION, EXTRACTOR_VERSION, HISTORY_VERSION)
        models = speaking_models(settings, readers=self.stage == "rerank")
        parts = (self, self.options(settings, "function"), settings.max_file_kb, models)
        return hashlib.sha256(repr((parts, versions)).encode()).hexdigest()[:12]


def mixed_cases(place: str, max_cases: int, progress: Progress = no_progress) -> list[Case]:
    """The newest cases of a repository, newest first; every other one asks with its commit's whole message.

    Raises what `build_from_git` does.
    """
    by_subject = build_from_git(place, max_cases=max_cases, symbols=True, progress=progress)
    by_message = build_from_git(place, max_cases=max_cases, symbols=True, query_from="message", progress=progress)
    long = {case.commit: case for case in by_message}
    return [_long_if_odd(case, long) for case in by_subject]


def _long_if_odd(case: Case, long: Mapping[str, Case]) -> Case:
    return long.get(case.commit, case) if int(case.commit[:8], 16) % 2 else case


def collect(
    places: Mapping[str, str],
    folder: Path,
    settings: Settings,
    wanted: EvidencePlan | None = None,
    *,
    progress: Progress = no_progress,
) -> dict[Level, dict[str, list[EvidenceExample]]]:
    """Level → repository → its examples, from repository name → path. What the folder holds already is read."""
    wanted = wanted or EvidencePlan()
    digest = wanted.digest(settings)
    found: dict[Level, dict[str, list[EvidenceExample]]] = {level: {} for level in wanted.levels}
    for number, (name, place) in enumerate(places.items()):
        progress("collect", number, len(places))
        for level, examples in _of_repository(name, place, folder, settings, wanted, digest, progress).items():
            found[level][name] = examples
    progress("collect", len(places), len(places))
    return found


def _of_repository(
    name: str, place: str, folder: Path, settings: Settings, wanted: EvidencePlan, digest: str, progress: Progress
) -> dict[Level, list[EvidenceExample]]:
    files = {level: folder / f"{name}.{level}.{wanted.stage}.npz" for level in wanted.levels}
    known = {level: read_examples(path, digest) for level, path in files.items()}
    if all(examples is not None for examples in known.values()):
        return {level: examples for level, examples in known.items() if examples is not None}
    cases = mixed_cases(place, wanted.max_cases, progress)
    examples = examples_of(place, cases, settings, wanted, name=name, progress=progress)
    for level, path in files.items():
        write_examples(path, examples[level], digest)
    return examples


def examples_of(
    place: str,
    cases: Sequence[Case],
    settings: Settings,
    wanted: EvidencePlan | None = None,
    *,
    name: str = "",
    progress: Progress = no_progress,
) -> dict[Level, list[EvidenceExample]]:
    """Level → an example for each case that has truth there, oldest first. States are searched one after the other."""
    wanted = wanted or EvidencePlan()
    found: dict[Level, list[EvidenceExample]] = {level: [] for level in wanted.levels}
    tasks = [task for level in wanted.levels for task in bench_of_cases(place, cases, level=level, name=name).tasks]
    commits = {f"{name}/{case.id}" if name else case.id: case.commit for case in cases}
    times = commit_times(place, {*commits.values(), *(task.at for task in tasks if task.at)})
    tasks.sort(key=lambda task: (times.get(task.at or "", 0), task.at or "", task.id))
    with open_repository(place, settings=settings) as repository:
        for number, task in enumerate(tasks):
            progress("search", number, len(tasks))
            when = times.get(commits[task.id], 0)
            made = _example(repository, task, when, wanted.options(settings, task.level), wanted)
            if made is not None:
                found[task.level].append(made)
    progress("search", len(tasks), len(tasks))
    return found


def _example(
    repository: Repository, task: Task, when: int, options: SearchPlan, wanted: EvidencePlan
) -> EvidenceExample | None:
    """One query with its candidates; None where its state cannot be searched."""
    try:
        prepared = repository.corpus(task.at)
        if wanted.stage == "retrieve":
            seen = channel_evidence(prepared, task.query, options, wanted.deepest)
        else:
            judged = judged_evidence(prepared, task.query, options)
            if judged is None:
                raise UsageError("there is no model that reads candidates: name a set of models in TRACKDOWN_MODELS")
            seen = judged
    except (UnknownRevision, MissingObject, QueryError):
        return None
    places = tuple(CodeLocation(*place) for place in seen.places)
    return EvidenceExample(
        task.id, when, task.gold, places, seen.signals, seen.scores, seen.ranks, seen.full, seen.factors, seen.query
    )


Array = npt.NDArray[Any]
_SIGN = "\x1f"


@dataclass(frozen=True, slots=True)
class EvidenceExample:
    """Row r of `scores` and `ranks` is about `places[r]`; a column is a signal's. `when` is the time of the commit.

    `full` is the score of each channel that counts as 1 when it is scaled; `factors` are what roles multiply by.
    """

    id: str
    when: int
    gold: tuple[CodeLocation, ...]
    places: tuple[CodeLocation, ...]
    signals: tuple[str, ...]
    scores: Array
    ranks: Array
    full: Array
    factors: Array
    query: Mapping[str, float]

    def labels(self) -> npt.NDArray[np.bool_]:
        """Which candidates are gold."""
        gold = set(self.gold)
        return np.array([place in gold for place in self.places], dtype=bool)


def write_examples(path: Path, examples: Sequence[EvidenceExample], digest: str) -> None:
    """Write a file, aside first. Raises TrackdownError when it cannot."""
    table = _Places()
    signals = examples[0].signals if examples else ()
    features = tuple(examples[0].query) if examples else ()
    width = len(signals)
    arrays: dict[str, Array] = {
        "digest": np.array(digest),
        "signals": np.array(signals, dtype=np.str_),
        "features": np.array(features, dtype=np.str_),
        "ids": np.array([example.id for example in examples], dtype=np.str_),
        "when": np.array([example.when for example in examples], dtype=np.int64),
        "query": np.array([[example.query[name] for name in features] for example in examples], dtype=np.float64),
        "full": _joined([example.full[None, :] for example in examples], width),
        "candidates": np.array([len(example.places) for example in examples], dtype=np.int64),
        "places": np.array(table.numbers(place for example in examples for place in example.places), dtype=np.int32),
        "scores": _joined([example.scores for example in examples], width),
        "ranks": _joined([example.ranks for example in examples], width).astype(np.int16),
        "factors": np.concatenate([example.factors for example in examples] or [np.zeros(0)]).astype(np.float32),
        "golds": np.array([len(example.gold) for example in examples], dtype=np.int64),
        "gold": np.array(table.numbers(place for example in examples for place in example.gold), dtype=np.int32),
    }
    arrays["names"] = np.frombuffer("\n".join(table.names).encode("utf-8", "surrogateescape"), dtype=np.uint8)
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
        os.replace(part, path)
    except OSError as error:
        raise TrackdownError(f"cannot write {path}: {error.strerror}") from None


def read_examples(path: Path, digest: str = "") -> list[EvidenceExample] | None:
    """What a file holds; None when there is none, it is damaged, or it was collected in another way."""
    try:
        with np.load(path, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        if digest and str(arrays["digest"]) != digest:
            return None
        return _examples(arrays)
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile):
        return None


def _examples(arrays: Mapping[str, Array]) -> list[EvidenceExample]:
    names = arrays["names"].tobytes().decode("utf-8", "surrogateescape").split("\n")
    places = [CodeLocation(*name.split(_SIGN)) for name in names if _SIGN in name]
    signals, features = tuple(map(str, arrays["signals"])), tuple(map(str, arrays["features"]))
    rows = np.concatenate(([0], np.cumsum(arrays["candidates"])))
    golds = np.concatenate(([0], np.cumsum(arrays["golds"])))
    found = []
    for number, id_ in enumerate(arrays["ids"]):
        here = slice(int(rows[number]), int(rows[number + 1]))
        gold = arrays["gold"][int(golds[number]) : int(golds[number + 1])]
        found.append(
            EvidenceExample(
                str(id_),
                int(arrays["when"][number]),
                tuple(places[one] for one in gold),
                tuple(places[one] for one in arrays["places"][here]),
                signals,
                arrays["scores"][here].astype(np.float64),
                arrays["ranks"][here].astype(np.float64),
                arrays["full"][number].astype(np.float64),
                arrays["factors"][here].astype(np.float64),
                dict(zip(features, map(float, arrays["query"][number]), strict=True)),
            )
        )
    return found


class _Places:
    """Numbers for places, the same place always the same one. Line breaks in names, which git allows, become spaces."""

    def __init__(self) -> None:
        self._known: dict[CodeLocation, int] = {}
        self.names: list[str] = []

    def numbers(self, places: Iterable[CodeLocation]) -> list[int]:
        found = []
        for place in places:
            if place not in self._known:
                self._known[place] = len(self.names)
                self.names.append(_SIGN.join(text.replace("\n", " ") for text in (place.path, place.symbol)))
            found.append(self._known[place])
        return found


def _joined(blocks: Sequence[Array], width: int) -> Array:
    return np.concatenate([*blocks, np.zeros((0, width))]).astype(np.float32)
