"""Past commits similar to a query, as `trackdown history` shows them: first those that it refers to. Without a query,
the latest ones.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from trackdown.engine.past.commit_filter import CommitFilter, commit_filter, passing
from trackdown.engine.searching.filters import checked_filters
from trackdown.index import CommitIndex, Corpus, Mask, is_merge
from trackdown.query import Filters, Query, issues_named, understand
from trackdown.request import check_count
from trackdown.retrieve import PastCommits, candidates, commits_saying, referred_commits, touched_files
from trackdown.types import HistoryResults, PastCommit, Progress

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

_DEEPEST = 10_000
"""How many similar commits are looked at to find those that touched a file that passes the filters."""
_NUMBER = re.compile(r"\d{1,6}")


class HistoryLimits(TypedDict, total=False):
    """Limits of `history` beyond the query: authors, paths (one or several of each), and two dates."""

    author: str | Sequence[str]
    path: str | Sequence[str]
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """Which commits to list. Without a `query`, the latest; see `CommitFilter` for the limits."""

    query: str = ""
    k: int = 10
    at: str | None = None
    exclude: Sequence[str] = ()
    author: str | Sequence[str] = ()
    path: str | Sequence[str] = ()
    since: str | None = None
    until: str | None = None

    def limits(self, now: float) -> CommitFilter:
        """The limits, checked. Raises UsageError."""
        check_count(self.k)
        return commit_filter(self.author, self.path, self.since, self.until, now)


def search_history(repository: Repository, request: HistoryRequest, progress: Progress) -> HistoryResults:
    """See `Repository.history`."""
    wanted = request.limits(time.time())
    text = request.query.strip()
    understood = understand(f"#{text}" if _NUMBER.fullmatch(text) else request.query) if request.query else None
    typed = checked_filters(understood.filters) if understood is not None else Filters()
    unwanted = (*repository.settings_at(request.at).exclude, *request.exclude)
    excluded = checked_filters(Filters(without_paths=unwanted))
    corpus = repository.present_or(request.at, progress)
    notes = [*repository.notes_of(corpus), *_notes(typed)]
    commits: tuple[PastCommit, ...] = ()
    if corpus.history is None:
        notes.append(f"{repository.source.name} has no history{' yet' if corpus.partial else ''}")
    else:
        admitted, remarks = passing(*corpus.history, wanted, repository.source.git) if wanted else (None, [])
        notes += remarks
        heard = replace(corpus, note=notes.append)
        commits = past_commits(heard, understood, request.k, repository.within, (typed, excluded), admitted)
    return HistoryResults(request.query, commits, (corpus.snapshot.info,), tuple(notes), corpus.partial)


def _notes(filters: Filters) -> list[str]:
    ignored = [*filters.kinds, *filters.symbols, *filters.without_kinds, *filters.without_symbols]
    notes = [f"filters in the query: {filters} (quote them to search for them as words)"] if filters else []
    return [*notes, "kind: and symbol: do not apply to commits"] if ignored else notes


def past_commits(
    corpus: Corpus,
    query: Query | None,
    k: int,
    within: str = "",
    filters: Sequence[Filters] = (),
    admitted: Mask | None = None,
) -> tuple[PastCommit, ...]:
    """The commits that the query refers to, latest first, then the best of the others, with the files below `within`
    that they touched, under their present names. With filters, only commits that touched a file that passes them;
    without words, the latest. `admitted` says which commits count at all; None for all.
    """
    if corpus.history is None:
        return ()
    index, commit = corpus.history
    if query is None or query.only_filters:
        found = dict.fromkeys(_latest(index, commit, admitted), 0.0)
        referred: dict[int, tuple[str, ...]] = {}
        past = None
    else:
        past, found, referred = _similar(corpus, query, k, any(filters), admitted)
    files = _files(corpus, list(found), within, filters)
    shown = [position for position in found if files.get(position) or not any(filters)][:k]
    matched = past.matched(shown) if past is not None else [()] * len(shown)
    messages = corpus.messages(shown) if corpus.messages is not None else [index.subject(at) for at in shown]
    return tuple(
        PastCommit(
            rank,
            corpus.snapshot.source.name,
            index.oid(position),
            index.subject(position),
            datetime.fromtimestamp(int(index.times[position]), UTC).strftime("%Y-%m-%d"),
            index.author(position),
            found[position],
            tuple(files.get(position, ())),
            referred.get(position, terms),
            issues_named(message),
        )
        for rank, (position, terms, message) in enumerate(zip(shown, matched, messages, strict=True), 1)
    )


def _similar(
    corpus: Corpus, query: Query, k: int, filtered: bool, admitted: Mask | None
) -> tuple[PastCommits, dict[int, float], dict[int, tuple[str, ...]]]:
    """The commits like a query; their scores, best first; and what the query refers to some of them by."""
    assert corpus.history is not None
    index, commit = corpus.history
    saying = commits_saying(corpus, query.phrases)
    depth = index.count if admitted is not None else _DEEPEST if filtered else k
    past = PastCommits(index, commit, query.weights, depth=max(depth, 1), with_forms=True, saying=saying)
    referred = {one.position: (one.reference, *filter(None, [one.merge])) for one in referred_commits(corpus, query)}
    scores = dict(zip(past.positions.tolist(), past.values.tolist(), strict=True))
    if query.only_references and referred:
        scores = {position: score for position, score in scores.items() if position in referred}
    best = max(scores.values(), default=0.0)
    positions = [at for at in dict.fromkeys([*referred, *scores]) if admitted is None or admitted[at]]
    found = {at: scores.get(at, 0.0) + (best + 1.0 if at in referred else 0.0) for at in positions}
    return past, dict(list(found.items())[:_DEEPEST]), referred


def _latest(index: CommitIndex, commit: str, admitted: Mask | None) -> list[int]:
    """The latest commits by their authors' dates, without merges, which have no files of their own."""
    if admitted is None:
        visible = index.ancestors(commit)
        admitted = ~is_merge(index) if visible is None else visible & ~is_merge(index)
    positions = np.flatnonzero(admitted)
    order = np.lexsort((positions, index.times[positions]))[::-1]
    found: list[int] = positions[order][:_DEEPEST].tolist()
    return found


def present_paths(corpus: Corpus, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Path at a commit → its present path, '' if it is gone."""
    files = corpus.code.files_by_path
    if corpus.history is None:
        return {path: path if path in files else "" for path in paths}
    index, searched = corpus.history
    position = index.position(commit)
    found = {}
    for path in paths:
        now, number = path, index.path_number(path)
        if number >= 0 and position >= 0:
            ends = index.identities(searched).present(np.array([number]), np.array([position]))
            now = index.path(int(ends[0]))
        found[path] = now if now in files else path if path in files else ""
    return found


def _files(corpus: Corpus, positions: Sequence[int], within: str, filters: Sequence[Filters]) -> dict[int, list[str]]:
    """Commit → the paths below `within` that it touched and that pass the filters, sorted."""
    code = corpus.code
    pool = candidates(code, "file")
    about_files = [_of_files(each) for each in filters]
    passing = np.zeros(len(code.file_alive), dtype=bool)
    passing[pool.files[pool.allowed(code, folders=(within,), filters=about_files)]] = True
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
