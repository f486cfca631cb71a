"""BM25 over past commit messages, aggregated to the files that the commits touched (system 1, stage 1).

Gandhi, Gao and Callan, "Repository-level code search with neural retrieval methods": k1=0.9, b=0.4, the best 1000
commits, aggregated to files by the best commit (maxp), the sum (sump) or the mean (avgp). Ours is `blend`: the best
commit plus a hundredth of the sum, which breaks ties between files that share a best commit. Renames are followed to
the names in the snapshot; commits that are not its ancestors are invisible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from trackdown.index import CommitIndex, Corpus, Scores, kth_largest
from trackdown.retrieve.channel import Channel, PastFound, Request
from trackdown.retrieve.expanded_terms import exact_terms, expanded_terms
from trackdown.retrieve.phrases import commits_saying
from trackdown.types import Aggregation, Match

Int64s = npt.NDArray[np.int64]

SIGNAL = "commits"
K1, B = 0.9, 0.4
DEPTH = 1000
_BLEND = 0.01
_RECENT = 2000
"""How many of the latest commits tell how often and how recently a file changed."""
_TIE = 1e-9
_SHOWN = 3
_LONGEST_SUBJECT = 60


@dataclass(frozen=True, slots=True)
class FileScores:
    """Files with their scores and the commits behind them, best first."""

    files: Int64s
    scores: npt.NDArray[np.float64]
    _starts: Int64s
    _positions: Int64s

    def commits(self, file: int) -> list[int]:
        """The commits behind the score of a file."""
        place = int(np.searchsorted(self.files, file))
        if place == len(self.files) or self.files[place] != file:
            return []
        end = self._starts[place + 1] if place + 1 < len(self._starts) else len(self._positions)
        found: list[int] = self._positions[self._starts[place] : end].tolist()
        return found


class PastCommits:
    """The commits similar to a query, best first, among the ancestors of one commit.

    `with_forms` also counts other forms of the query's words, but less. `saying` are commits that contain phrases of
    the query: they come before those that only have the words.
    """

    def __init__(
        self,
        index: CommitIndex,
        commit: str,
        weights: Mapping[str, float],
        depth: int = DEPTH,
        named_at: str | None = None,
        *,
        with_forms: bool = False,
        saying: Mapping[int, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        wanted = expanded_terms(weights, index.has_terms) if with_forms else exact_terms(weights)
        self.index = index
        self.commit = commit
        self._named_at = named_at or commit
        self._terms = wanted.terms
        self._described: dict[int, str] = {}
        self._scores: Scores = index.score(commit, self._terms, wanted.weights, K1, B, wanted.forms)
        self._saying = saying
        self._totals = self._with_phrases()
        found = np.flatnonzero(self._totals)
        values = self._totals[found]
        if len(found) > depth:
            best = values >= kth_largest(values, depth)
            found, values = found[best], values[best]
        # Of equal commits the latest comes first, so sort from the end.
        order = len(found) - 1 - np.argsort(-values[::-1], kind="stable")[:depth]
        self.positions: Int64s = found[order]
        self.values: npt.NDArray[np.float64] = values[order]

    def _with_phrases(self) -> npt.NDArray[np.float64]:
        """The scores of all commits. A commit with phrases of the query has the best score on top, for each of them."""
        if not self._saying:
            return self._scores.total
        totals = self._scores.total.copy()
        best = float(totals.max(initial=0.0)) or 1.0
        for position, phrases in self._saying.items():
            totals[position] += best * len(phrases)
        return totals

    def matched(self, positions: Sequence[int], most: int = 5) -> list[tuple[str, ...]]:
        """The phrases in quotes, then the terms that matched each commit, strongest first."""
        table = self._scores.contributions([int(position) for position in positions])
        order = np.argsort(-table, axis=1, kind="stable")[:, :most]
        found = [[self._terms[term] for term in row if table[n][term] > 0] for n, row in enumerate(order)]
        phrases = [[f'"{phrase}"' for phrase in self._saying.get(position, ())] for position in positions]
        return [(*quoted, *terms) for quoted, terms in zip(phrases, found, strict=True)]

    def files(self, present: Mapping[str, int], how: Aggregation = "maxp") -> FileScores:
        """Scores of the snapshot's files (`present`: path → number) from the commits that touched them."""
        owners, numbers = touches(self.index, self._named_at, self.positions, present)
        starts = np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1]))) if len(numbers) else owners
        values = self.values[owners]
        if not len(numbers):
            return FileScores(numbers, np.zeros(0), starts, self.positions[owners])
        best, total = values[starts], np.add.reduceat(values, starts)
        counts = np.diff(np.append(starts, len(numbers)))
        # Many files share a best score: those of the first such commit come first.
        first = best * (1 - _TIE * owners[starts])
        scores = {"maxp": first, "sump": total, "avgp": total / counts, "blend": best + _BLEND * total}[how]
        return FileScores(numbers[starts], scores, starts, self.positions[owners])

    def match(self, commits: Sequence[int], verb: str) -> Match:
        """What the commits behind a file say: the strongest in words, a few with their scores."""
        numbers = {self.describe(position): float(self._totals[position]) for position in commits[:_SHOWN]}
        said = "".join(f', which says "{phrase}"' for phrase in self._saying.get(commits[0], ())[:1])
        return Match(f"{verb} {quote_commit(self.index, commits[0])}{said}", numbers)

    def describe(self, position: int) -> str:
        """The description of a commit. Cached, because many files share one."""
        if position not in self._described:
            self._described[position] = describe_commit(self.index, position)
        return self._described[position]


def touches(index: CommitIndex, named_at: str, positions: Int64s, present: Mapping[str, int]) -> tuple[Int64s, Int64s]:
    """Unique pairs (index of a commit in `positions`, file of the snapshot), by file, with its first commit first.

    The files of the snapshot (`present`: path → number) have the names of the commit `named_at`.
    """
    owners, paths = index.changes(positions)
    identities = index.identities(named_at)
    numbers = index.present_numbers(identities.present(paths, positions[owners]), present)
    lost = np.flatnonzero(numbers < 0)
    numbers[lost] = index.present_numbers(identities.last_resort(paths[lost]), present)
    touched = numbers >= 0
    count = max(len(positions), 1)
    pairs = np.sort(numbers[touched] * count + owners[touched])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    return pairs % count, pairs // count


def touched_files(corpus: Corpus, positions: Sequence[int]) -> dict[int, list[int]]:
    """Commit → the files of the snapshot that it touched."""
    if corpus.history is None:
        return {}
    index, commit = corpus.history
    found: dict[int, list[int]] = {}
    chosen = np.array(positions, dtype=np.int64)
    owners, files = touches(index, corpus.named_at or commit, chosen, corpus.code.files_by_path)
    order = np.argsort(owners, kind="stable")
    for owner, file in zip(owners[order].tolist(), files[order].tolist(), strict=True):
        found.setdefault(positions[owner], []).append(file)
    return found


def describe_commit(index: CommitIndex, position: int) -> str:
    """Short id, subject and date."""
    return f"{index.oid(position)[:10]} {index.subject(position)} ({_date(index, position):%Y-%m-%d})"


def quote_commit(index: CommitIndex, position: int) -> str:
    """A commit as one speaks of it: its subject, shortened, and the year."""
    subject = index.subject(position)
    if len(subject) > _LONGEST_SUBJECT:
        subject = subject[: _LONGEST_SUBJECT - 1].rstrip() + "…"
    return f'"{subject}" ({_date(index, position):%Y})'


def _date(index: CommitIndex, position: int) -> datetime:
    return datetime.fromtimestamp(int(index.times[position]), UTC)


def _change_views(request: Request) -> dict[str, npt.NDArray[np.float64]]:
    """How often each candidate's file changed lately, and how recently: 1 for the latest commit, towards 0 before."""
    assert request.corpus.history is not None
    index, commit = request.corpus.history
    code = request.corpus.code
    changes, recency = np.zeros(len(code.file_alive)), np.zeros(len(code.file_alive))
    recent = index.latest(commit, _RECENT)
    owners, paths = index.changes(recent)
    identities = index.identities(request.corpus.named_at or commit)
    files = index.present_numbers(identities.present(paths, recent[owners]), code.files_by_path)
    owners, files = owners[files >= 0], files[files >= 0]
    np.add.at(changes, files, 1.0)
    np.maximum.at(recency, files, (owners + 1.0) / max(len(recent), 1))
    return {"changes": request.candidates.from_files(changes), "recency": request.candidates.from_files(recency)}


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the commits that touched their files.

    Commits are evidence for files. Below file level, a candidate's share depends on its own evidence: its score in the
    first channel.
    """
    if request.corpus.history is None:
        return None
    pool, code = request.candidates, request.corpus.code
    index, commit = request.corpus.history
    past = PastCommits(
        index,
        commit,
        request.query.weights,
        request.commit_depth,
        request.corpus.named_at,
        with_forms=request.word_forms,
        saying=commits_saying(request.corpus, request.query.phrases),
    )
    files = past.files(code.files_by_path, request.aggregation)
    by_file = np.zeros(len(code.file_alive))
    by_file[files.files] = files.scores
    scores = pool.from_files(by_file)
    if pool.level != "file":
        lexical = before[0].scores
        scores = scores * (lexical / lexical.max(initial=1e-9))

    verb = "changed by" if pool.level == "file" else "file changed by"

    def reasons(chosen: Sequence[int]) -> list[Match]:
        return [past.match(files.commits(int(pool.files[candidate])), verb) for candidate in chosen]

    @cache
    def views() -> dict[str, npt.NDArray[np.float64]]:
        return {"file": pool.from_files(by_file), **_change_views(request)}

    found = PastFound(
        past.positions.tolist(), files.commits, past.describe, lambda position: quote_commit(index, position)
    )
    return Channel(SIGNAL, scores, reasons, past=found, views=views)
