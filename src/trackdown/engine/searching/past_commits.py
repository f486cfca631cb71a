"""Past commits similar to a query, as `trackdown history` shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trackdown.engine.searching.filters import lies_below
from trackdown.index import Corpus
from trackdown.query import Query, understand
from trackdown.request import check_count
from trackdown.retrieve import PastCommits
from trackdown.types import HistoryResults, PastCommit, Progress

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository


def search_history(repository: Repository, query: str, k: int, at: str | None, progress: Progress) -> HistoryResults:
    """See `Repository.history`."""
    check_count(k)
    understood = understand(query)
    corpus = repository.present_or(at, progress)
    notes = repository.notes_of(corpus)
    if corpus.history is None:
        missing = f"{repository.source.name} has no history{' yet' if corpus.partial else ''}"
        return HistoryResults(query, (), (corpus.snapshot.info,), (*notes, missing), corpus.partial)
    found = past_commits(corpus, understood, k, repository.within)
    return HistoryResults(query, found, (corpus.snapshot.info,), notes, corpus.partial)


def past_commits(corpus: Corpus, query: Query, k: int, within: str = "") -> tuple[PastCommit, ...]:
    """The best commits of a history, with the files below `within` that they touched, under their present names."""
    if corpus.history is None:
        return ()
    index, commit = corpus.history
    past = PastCommits(index, commit, query.weights, depth=k, with_forms=True)
    files = past.present_files(corpus.code.files_by_path)
    positions = past.positions.tolist()
    return tuple(
        PastCommit(
            rank,
            corpus.snapshot.source.name,
            index.oid(position),
            index.subject(position),
            datetime.fromtimestamp(int(index.times[position]), UTC).strftime("%Y-%m-%d"),
            index.author(position),
            float(past.values[rank - 1]),
            tuple(sorted(path for path in map(corpus.code.path, files.get(position, [])) if lies_below(path, within))),
            matched,
        )
        for rank, (position, matched) in enumerate(zip(positions, past.matched(positions), strict=True), 1)
    )
