"""One search over several repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from trackdown.engine.repository import Repository
from trackdown.models.llm.ledger import joined
from trackdown.types import Effort, Level, Progress, Result, SearchResults, no_progress

Place = tuple[str, str, str, int]


def search_all(
    repositories: Sequence[Repository],
    query: str,
    k: int = 10,
    level: Level = "function",
    at: str | None = None,
    effort: Effort = "balanced",
    *,
    tests: bool = True,
    budget: float | None = None,
    depth: int | None = None,
    rerank: bool | None = None,
    gar: bool = False,
    reco: bool = False,
    progress: Progress = no_progress,
) -> SearchResults:
    """Search several repositories or folders and merge the answers by score; the order within each stays.

    What bounds reranking holds for each repository. Folders of one repository may overlap: each place is in the answer
    once. Different repositories with the same name are told apart by their full paths.
    """
    names = _names(repositories)
    answers: list[SearchResults] = []
    unique: dict[Place, tuple[float, Result]] = {}
    for repository in repositories:
        answer = repository.search(
            query,
            k,
            level,
            at,
            effort,
            tests=tests,
            budget=budget,
            depth=depth,
            rerank=rerank,
            gar=gar,
            reco=reco,
            progress=progress,
        )
        if len(repositories) == 1:
            return answer
        name = names[str(repository.source.root)]
        answers.append(replace(answer, snapshots=tuple(replace(info, repository=name) for info in answer.snapshots)))
        lowest = inf  # what was moved down stands below what it stands behind, whatever its own score
        for result in answer:
            lowest = min(lowest, result.score)
            place = (name, result.path, result.symbol, result.start_line)
            unique.setdefault(place, (lowest, replace(result, repository=name)))
    ordered = sorted(unique.values(), key=lambda item: (-item[0], item[1].repository, item[1].rank, item[1].path))
    merged = [result for _, result in ordered]
    timings: Counter[str] = Counter()
    for answer in answers:
        timings.update(answer.timings_ms)
    return SearchResults(
        query,
        level,
        tuple(replace(result, rank=rank) for rank, result in enumerate(merged[:k], 1)),
        tuple(dict.fromkeys(info for answer in answers for info in answer.snapshots)),
        tuple(dict.fromkeys(note for answer in answers for note in answer.notes)),
        any(answer.partial for answer in answers),
        dict(timings),
        joined([answer.llm for answer in answers]),
    )


def _names(repositories: Sequence[Repository]) -> dict[str, str]:
    """Root → the repository's name, or the root itself where two roots share a name."""
    found = {str(repository.source.root): repository.source.name for repository in repositories}
    shared = Counter(found.values())
    return {root: name if shared[name] == 1 else root for root, name in found.items()}
