"""One search over several repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from trackdown.confidence import listed, load_calibration
from trackdown.engine.repository import Repository
from trackdown.models.llm import merge_cost_tables
from trackdown.request import SearchRequest, request_of
from trackdown.settings import Settings
from trackdown.types import (
    Confidence,
    DeepState,
    HistoryResults,
    Progress,
    Result,
    SearchResults,
    SnapshotInfo,
    never,
    no_progress,
)

Place = tuple[str, str, str, int]
Hearing = Callable[[SearchResults], None]
"""A callback for early results."""


def search_all(
    repositories: Sequence[Repository],
    query: str | SearchRequest,
    *,
    early: Hearing | None = None,
    cancelled: Callable[[], bool] = never,
    progress: Progress = no_progress,
    **options: Any,
) -> SearchResults:
    """Search several repositories or folders and merge the answers by score; each keeps its order.

    A budget or depth applies to each repository. Folders of one repository may overlap: each place appears once.
    Repositories that share a name are shown by their full paths. `early` may be called several times, each time with
    a complete answer.
    """
    request = request_of(query, options)
    if len(repositories) > 1:
        request = comparable(request, repositories[0].settings)
    names = repository_names(repositories)
    answers: list[SearchResults] = []
    for repository in repositories:
        name = names[str(repository.source.root)]
        merged_early = heard_with(early, answers, name, request.k or repository.settings.k)
        answer = repository.search(request, early=merged_early, cancelled=cancelled, progress=progress)
        answers.append(under_name(answer, name))
    return merged(answers, request.k or repositories[0].settings.k)


def comparable(request: SearchRequest, settings: Settings) -> SearchRequest:
    """The request for several repositories, whose answers become one list: how many results and of what, no repository
    says for itself.
    """
    return replace(request, k=request.k or settings.k, level=request.level or settings.level)


def heard_with(early: Hearing | None, before: Sequence[SearchResults], name: str, k: int) -> Hearing | None:
    """A callback that merges one repository's early results with the answers of those `before`, and passes them on."""
    if early is None:
        return None
    return lambda found: early(merged([*before, under_name(found, name)], k))


def under_name(answer: SearchResults, name: str) -> SearchResults:
    """The same answer with another name for the repository."""
    return replace(
        answer,
        results=tuple(replace(result, repository=name) for result in answer.results),
        snapshots=state_under_name(answer.snapshots, name),
    )


def merged(answers: Sequence[SearchResults], k: int) -> SearchResults:
    """The best results of several answers to one request: the likeliest first.

    Scores of different repositories cannot be compared. They decide only in lists, and where a probability is missing.
    """
    if len(answers) == 1:
        return answers[0]
    lists = all(answer.matching is not None for answer in answers)
    by_score = lists or any(result.probability is None for answer in answers for result in answer)
    unique: dict[Place, tuple[float, Result]] = {}
    for answer in answers:
        lowest = inf  # a result that was moved down ranks below its predecessors, even if its score is higher
        for result in answer:
            own = result.score if by_score or result.probability is None else result.probability
            lowest = min(lowest, own)
            unique.setdefault((result.repository, result.path, result.symbol, result.start_line), (lowest, result))
    ordered = sorted(unique.values(), key=lambda item: (-item[0], item[1].repository, item[1].rank, item[1].path))
    timings: Counter[str] = Counter()
    for answer in answers:
        timings.update(answer.timings_ms)
    found = SearchResults(
        answers[0].query,
        answers[0].level,
        tuple(replace(result, rank=rank) for rank, (_, result) in enumerate(ordered[:k], 1)),
        tuple(dict.fromkeys(info for answer in answers for info in answer.snapshots)),
        _notes_together(answers),
        any(answer.partial for answer in answers),
        dict(timings),
        merge_cost_tables([answer.llm for answer in answers]),
        _surest(answers),
        _deep_together([answer.deep for answer in answers if answer.deep is not None]),
    )
    seen_twice = sum(map(len, answers)) - len(unique)
    return _one_list(found, sum(answer.matching or 0 for answer in answers) - seen_twice) if lists else found


def _one_list(found: SearchResults, matching: int) -> SearchResults:
    """Results that several repositories have listed, assessed as one list of all places that match."""
    if not matching:
        return replace(found, matching=0)
    assessed = listed(len(found), matching, load_calibration())
    results = (replace(one, probability=each) for one, each in zip(found, assessed.probabilities, strict=True))
    return replace(found, results=tuple(results), confidence=assessed.confidence, matching=matching)


def _notes_together(answers: Sequence[SearchResults] | Sequence[HistoryResults]) -> tuple[str, ...]:
    """The notes of all answers. What only some of them say begins with the names of their repositories."""
    said: dict[str, list[str]] = {}
    for answer in answers:
        for note in dict.fromkeys(answer.notes):
            said.setdefault(note, []).append(", ".join(info.repository for info in answer.snapshots))
    return tuple(
        note
        if len(names) == len(answers) or not all(names) or any(name in note for name in names)
        else f"{', '.join(names)}: {note}"
        for note, names in said.items()
    )


def _surest(answers: Sequence[SearchResults]) -> Confidence | None:
    """The confidence of the repository that is surest: one right place is enough. None while one has none."""
    found = [answer.confidence for answer in answers]
    known = [one for one in found if one is not None]
    return max(known, key=lambda one: one.probability) if known and len(known) == len(found) else None


def _deep_together(states: Sequence[DeepState]) -> DeepState | None:
    """The deep indexes of all repositories as one."""
    if not states:
        return None
    units, total = sum(state.units for state in states), sum(state.total for state in states)
    return DeepState(all(state.ready for state in states), units, total)


def state_under_name(snapshots: Sequence[SnapshotInfo], name: str) -> tuple[SnapshotInfo, ...]:
    """The same snapshots with another name for the repository."""
    return tuple(replace(info, repository=name) for info in snapshots)


def merged_history(answers: Sequence[HistoryResults], k: int) -> HistoryResults:
    """The best commits of several histories, by score; the latest ones if there was nothing to compare them with."""
    commits = sorted((commit for answer in answers for commit in answer), key=lambda commit: commit.rank)
    commits.sort(key=lambda commit: (commit.score, "" if commit.score else commit.date), reverse=True)
    return HistoryResults(
        answers[0].query,
        tuple(replace(commit, rank=rank) for rank, commit in enumerate(commits[:k], 1)),
        tuple(info for answer in answers for info in answer.snapshots),
        _notes_together(answers),
        any(answer.partial for answer in answers),
    )


def repository_names(repositories: Sequence[Repository]) -> dict[str, str]:
    """Root → the repository's name, or the root itself where two roots share a name."""
    found = {str(repository.source.root): repository.source.name for repository in repositories}
    shared = Counter(found.values())
    return {root: name if shared[name] == 1 else root for root, name in found.items()}
