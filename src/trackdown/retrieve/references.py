"""Commits that the query refers to: by their id, or because they speak of the same issue.

`#123` finds the commits whose messages say #123, GH-123 or …/issues/123, and a commit id finds that commit and those
that name it. Their files are evidence. Only ancestors of the searched commit are visible.

Merges have no message in the index. If somebody typed `#123`, git is asked for the messages of the latest ones, and a
merge that speaks of it leads to the commits that it brought. So does the id of a merge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from trackdown.index import CommitIndex, Corpus, brought_by, is_merge, latest_merges
from trackdown.query import THE_QUERY, Query, QueryReference
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.commits import K1, B, describe_commit, quote_commit, touched_files
from trackdown.types import Match

SIGNAL = "references"
_MOST_READ = 200
"""How many messages with the number are read to see whether it is that reference; subjects are always looked at."""
_TOO_COMMON = 25
"""What more commits speak of than this is a word like UTF-8, not the key of an issue."""
_MOST_MERGES, _MOST_BROUGHT = 2000, 50
"""How many merges are read, and how many commits one may bring: more than a branch for one issue has is a release."""
_USUAL_FILES = 5
_SHOWN = 3
_SHORTEST_ID, _LONGEST_SHORT_ID = 7, 12
_SPOKEN_OF = {
    "issue": r"(?:(?<![\w&/])(?:#|gh-)|/(?:issues|pull|pulls)/)",
    "merge": r"(?:(?<!!)!|/merge_requests/)",
    "key": r"(?<![\w-])",
}


@dataclass(frozen=True, slots=True)
class ReferredCommit:
    """A commit that a query refers to, and how: `reference` as the query writes it, and the title of the `merge` that
    speaks of it, if the commit itself does not.
    """

    position: int
    reference: str
    is_itself: bool
    share: float = 1.0
    merge: str = ""

    def in_words(self, index: CommitIndex) -> str:
        """The commit and what it has to do with the query."""
        how = "is named in the query" if self.is_itself else f"mentions {self.reference}"
        if self.merge:
            how = f"was merged with {self.reference}"
        return f"commit {index.oid(self.position)[:7]} {how}: {quote_commit(index, self.position)}"


def referred_commits(corpus: Corpus, query: Query) -> list[ReferredCommit]:
    """The commits that the references of a query lead to, each once, latest first for each reference; those that came
    with a merge last.
    """
    if corpus.history is None or not query.references:
        return []
    found: dict[int, ReferredCommit] = {}
    for reference in query.references:
        for commit in _by_id(corpus, reference) if reference.kind == "commit" else _by_message(corpus, reference):
            found.setdefault(commit.position, commit)
    if query.typed:
        for commit in _by_merge(corpus, query.references):
            found.setdefault(commit.position, commit)
        _note_unknown(corpus, query, {commit.reference for commit in found.values()})
    return list(found.values())


def _note_unknown(corpus: Corpus, query: Query, known: Set[str]) -> None:
    """Note typed references that lead to no commit. Among other words, a key or an id may be a word like any other."""
    unknown = [one for one in query.references if one.text not in known]
    for reference in unknown:
        if reference.kind == "commit" and query.only_references:
            why = "merges very many commits" if _names_merge(corpus, reference) else "does not identify a commit here"
            corpus.note(f"{reference.text} {why}, so it is searched for as a word")
        elif reference.kind in ("issue", "merge") or query.only_references:
            corpus.note(f"no commit here mentions {reference.text}, so it is searched for as a word")


def _names_merge(corpus: Corpus, reference: QueryReference) -> bool:
    """Whether an id is that of a merge, and of nothing else."""
    assert corpus.history is not None
    index, _ = corpus.history
    named = index.with_prefix(reference.value)
    return len(named) == 1 and bool(is_merge(index)[named[0]])


def _by_merge(corpus: Corpus, references: Sequence[QueryReference]) -> list[ReferredCommit]:
    """The commits that came with the merges whose messages speak of issues or merge requests."""
    spoken = [(one, _number(one), _speaking_of(one)) for one in references if one.kind != "commit"]
    if not spoken or corpus.history is None or corpus.messages is None:
        return []
    index, searched = corpus.history
    merges = latest_merges(index, searched, _MOST_MERGES)
    found = []
    for merge, text in zip(merges, corpus.messages(merges) if merges else [], strict=True):
        for reference in (one for one, number, pattern in spoken if number in text and pattern.search(text)):
            found += _brought(index, merge, reference, text.split("\n", 1)[0])
    return found


def _brought(index: CommitIndex, merge: int, reference: QueryReference, title: str) -> list[ReferredCommit]:
    """The commits that came with a merge; none if there are so many that it is a release."""
    brought = brought_by(index, merge, _MOST_BROUGHT)
    share = 1 / max(1, len(brought)) ** 0.5
    return [ReferredCommit(at, reference.text, is_itself=False, share=share, merge=title) for at in brought]


def _speaking_of(reference: QueryReference) -> re.Pattern[str]:
    """What a message that speaks of an issue, a merge request or a key contains."""
    return re.compile(f"{_SPOKEN_OF[reference.kind]}{re.escape(reference.value)}(?![\\w-])", re.IGNORECASE)


def _number(reference: QueryReference) -> str:
    """The digits that every text about an issue, a merge request or a key contains."""
    return reference.value.rpartition("-")[2]


def _by_id(corpus: Corpus, reference: QueryReference) -> list[ReferredCommit]:
    """The commit with an id, and those whose messages name it. Nothing if the id is ambiguous or not an ancestor."""
    assert corpus.history is not None
    index, searched = corpus.history
    visible = index.ancestors(searched)
    named = [at for at in index.with_prefix(reference.value) if visible is None or visible[at]]
    if len(named) != 1:
        return []
    if is_merge(index)[named[0]]:
        title = corpus.messages(named)[0].split("\n", 1)[0] if corpus.messages is not None else ""
        return _brought(index, named[0], reference, title or "a merge")
    oid = index.oid(named[0])
    written = [oid, *(oid[:length] for length in range(_SHORTEST_ID, _LONGEST_SHORT_ID + 1))]
    others = [at for at in _with_terms(index, searched, written) if at != named[0]][:_TOO_COMMON]
    return [
        ReferredCommit(named[0], reference.text, is_itself=True),
        *(ReferredCommit(at, reference.text, is_itself=False, share=0.5) for at in others),
    ]


def _by_message(corpus: Corpus, reference: QueryReference) -> list[ReferredCommit]:
    """The commits whose messages speak of an issue, a merge request or a key."""
    assert corpus.history is not None
    index, searched = corpus.history
    spoken = _speaking_of(reference)
    possible = _with_terms(index, searched, [_number(reference)])
    subjects = {at for at in possible if spoken.search(index.subject(at))}
    unclear = [at for at in possible if at not in subjects][:_MOST_READ]
    if corpus.messages is not None and unclear:
        texts = corpus.messages(unclear)
        subjects.update(at for at, text in zip(unclear, texts, strict=True) if spoken.search(text))
    found = sorted(subjects, reverse=True)
    if reference.kind == "key" and len(found) > _TOO_COMMON:
        return []
    share = 1 / max(1, len(found)) ** 0.5
    return [ReferredCommit(at, reference.text, is_itself=False, share=share) for at in found]


def _with_terms(index: CommitIndex, searched: str, terms: Sequence[str]) -> list[int]:
    """Visible commits whose messages have one of some terms, latest first."""
    scores = index.score(searched, terms, [1.0] * len(terms), K1, B)
    found: list[int] = np.flatnonzero(scores.total)[::-1].tolist()
    return found


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the commits that the query refers to and that touched their files.

    A commit of many files says less about each. Below file level, a candidate's share depends on its own evidence: its
    score in the first channel.
    """
    corpus, pool = request.corpus, request.candidates
    found = referred_commits(corpus, request.query)
    if not found or corpus.history is None:
        return None
    index, _ = corpus.history
    behind: dict[int, list[ReferredCommit]] = {}
    by_file = np.zeros(len(corpus.code.file_alive))
    touched = touched_files(corpus, [commit.position for commit in found])
    for commit in found:
        files = touched.get(commit.position, [])
        for file in files:
            by_file[file] += commit.share * min(1.0, (_USUAL_FILES / len(files)) ** 0.5)
            behind.setdefault(file, []).append(commit)
    scores = pool.from_files(np.minimum(by_file, 1.0))
    if pool.level != "file":
        lexical = before[0].scores
        scores = scores * (lexical / lexical.max(initial=1e-9))

    def reasons(chosen: Sequence[int]) -> list[Match]:
        commits = [behind[int(pool.files[candidate])][:_SHOWN] for candidate in chosen]
        return [
            Match(each[0].in_words(index), {describe_commit(index, one.position): one.share for one in each})
            for each in commits
        ]

    meant = pool.from_files(by_file) if request.query.speaker != THE_QUERY else None
    return Channel(SIGNAL, scores, reasons, floor=1.0, meant=meant)
