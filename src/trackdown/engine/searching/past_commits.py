"""Past commits similar to a query, as `trackdown history` shows them: first those that it refers to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from trackdown.engine.searching.filters import checked_filters
from trackdown.index import CommitIndex, Corpus
from trackdown.query import Filters, Query, understand
from trackdown.request import check_count
from trackdown.retrieve import PastCommits, candidates, commits_saying, referred_commits, touched_files
from trackdown.types import HistoryResults, PastCommit, Progress

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

_DEEPEST = 10_000
"""How many similar commits are looked at to find those that touched a file that passes the filters."""


def search_history(
    repository: Repository, query: str, k: int, at: str | None, exclude: Sequence[str], progress: Progress
) -> HistoryResults:
    """See `Repository.history`."""
    check_count(k)
    understood = understand(query)
    filters = checked_filters(understood.filters)
    excluded = checked_filters(Filters(without_paths=tuple(exclude)))
    corpus = repository.present_or(at, progress)
    notes = [*repository.notes_of(corpus), *_notes(filters)]
    if corpus.history is None:
        missing = f"{repository.source.name} has no history{' yet' if corpus.partial else ''}"
        return HistoryResults(query, (), (corpus.snapshot.info,), (*notes, missing), corpus.partial)
    found = past_commits(replace(corpus, note=notes.append), understood, k, repository.within, (filters, excluded))
    return HistoryResults(query, found, (corpus.snapshot.info,), tuple(notes), corpus.partial)


def _notes(filters: Filters) -> list[str]:
    ignored = [*filters.kinds, *filters.symbols, *filters.without_kinds, *filters.without_symbols]
    notes = [f"filters in the query: {filters} (in quotes they are words to search for)"] if filters else []
    return [*notes, "kind: and symbol: do not apply to commits"] if ignored else notes


def past_commits(
    corpus: Corpus, query: Query, k: int, within: str = "", filters: Sequence[Filters] = ()
) -> tuple[PastCommit, ...]:
    """The commits that the query refers to, latest first, then the best of the others, with the files below `within`
    that they touched, under their present names. With filters, only commits that touched a file that passes them;
    without words, the latest of those.
    """
    if corpus.history is None:
        return ()
    index, commit = corpus.history
    filtered = any(filters)
    depth = _DEEPEST if filtered else k
    saying = commits_saying(corpus, query.phrases)
    past = PastCommits(index, commit, query.weights, depth=depth, with_forms=True, saying=saying)
    referred = {one.position: (one.reference, *filter(None, [one.merge])) for one in referred_commits(corpus, query)}
    scores = dict(zip(past.positions.tolist(), past.values.tolist(), strict=True))
    if query.only_references and referred:
        scores = {position: score for position, score in scores.items() if position in referred}
    latest = _latest(index, commit) if query.only_filters else []
    positions = list(dict.fromkeys([*referred, *scores, *latest]))
    files = _files(corpus, positions, within, filters)
    shown = [position for position in positions if files.get(position) or not filtered][:k]
    matched = past.matched(shown)
    best = max(scores.values(), default=0.0)
    return tuple(
        PastCommit(
            rank,
            corpus.snapshot.source.name,
            index.oid(position),
            index.subject(position),
            datetime.fromtimestamp(int(index.times[position]), UTC).strftime("%Y-%m-%d"),
            index.author(position),
            scores.get(position, 0.0) + (best + 1.0 if position in referred else 0.0),
            tuple(files.get(position, ())),
            referred.get(position, terms),
        )
        for rank, (position, terms) in enumerate(zip(shown, matched, strict=True), 1)
    )


def _latest(index: CommitIndex, commit: str) -> list[int]:
    """The latest commits, for a query of filters alone."""
    visible = index.ancestors(commit)
    positions = np.arange(index.count) if visible is None else np.flatnonzero(visible)
    found: list[int] = positions[::-1][:_DEEPEST].tolist()
    return found


def _files(corpus: Corpus, positions: Sequence[int], within: str, filters: Sequence[Filters]) -> dict[int, list[str]]:
    """Commit → the paths below `within` that it touched and that pass the filters, sorted."""
    code = corpus.code
    pool = candidates(code, "file")
    about_files = [_of_files(each) for each in filters]
    passing = np.zeros(len(code.file_alive), dtype=bool)
    passing[pool.files[pool.allowed(code, tests=True, folders=(within,), filters=about_files)]] = True
    found = {}
    for position, files in touched_files(corpus, positions).items():
        found[position] = sorted(code.path(file) for file in files if passing[file])
    return found


def _of_files(filters: Filters) -> Filters:
    """The filters that apply to files."""
    return Filters(
        paths=filters.paths,
        languages=filters.languages,
        without_paths=filters.without_paths,
        without_languages=filters.without_languages,
    )
