"""Small indexes in memory: postings of words, code of files, commits of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.bm25 import FieldScorer, Mask, Scores
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment, IndexedFile
from trackdown.index.code_segment import build_segment as build_code
from trackdown.index.commits import CommitIndex, CommitSegment
from trackdown.index.commits import build_segment as build_commits
from trackdown.index.corpus import Corpus
from trackdown.index.postings import PostingsWriter, find_terms, open_field
from trackdown.index.strings import SortedTable
from trackdown.repository.history import CommitFacts, CommitRef, PathChange
from trackdown.repository.snapshot import Snapshot
from trackdown.repository.source import open_source
from trackdown.store.arrays import Arrays
from trackdown.units.extraction import extract
from trackdown.units.facts import fact_key
from trackdown.units.languages import language_of

SNAPSHOT = Snapshot(open_source(Path(__file__).parent), None, False, True, (), (), "")
"""A snapshot for indexes in memory, which have no files."""
Documents = Sequence[Sequence[str]]


def corpus_of(code: CodeIndex, history: tuple[CommitIndex, str] | None = None, **more: Any) -> Corpus:
    """A corpus of indexes in memory."""
    return Corpus(SNAPSHOT, code, history, **more)


def arrays_of(documents: Documents, field: str = "body") -> dict[str, npt.NDArray[Any]]:
    """The arrays of a segment with one field."""
    writer = PostingsWriter(field)
    for number, words in enumerate(documents):
        writer.fields[field].add([number] * len(words), writer.number(words), np.ones(len(words)))
    return writer.arrays({field: len(documents)})


def bm25_of(
    segments: Sequence[tuple[Documents, Mask | None]],
    query: Sequence[str],
    weights: Sequence[float],
    k1: float = 1.2,
    b: float = 0.75,
) -> Scores:
    """BM25 of segments, each with a mask of its live documents, for a query."""
    opened = [(Arrays(arrays_of(documents), {}), alive) for documents, alive in segments]
    scorer = FieldScorer([(open_field(arrays, "body"), alive) for arrays, alive in opened])
    rows = [find_terms(SortedTable(arrays, "terms"), query) for arrays, _ in opened]
    return scorer.score(rows, weights, k1, b)


def segment_of(files: Mapping[str, str | bytes]) -> CodeSegment:
    """Files, parsed and gathered."""
    indexed = []
    for path, content in sorted(files.items()):
        data = content.encode() if isinstance(content, str) else content
        language = language_of(path)
        facts = extract(data, language, forced=False, max_bytes=1 << 20)
        indexed.append(IndexedFile(path, fact_key("0" * 40, language, False), facts))
    return CodeSegment(Arrays(*build_code(indexed)))


def index_of(*segments: Mapping[str, str | bytes], dead: Sequence[int] = ()) -> CodeIndex:
    """A base, and maybe a delta. `dead` are files of the base by their number."""
    return CodeIndex([segment_of(files) for files in segments], np.array(dead, dtype=np.int64))


def commits_of(*commits: tuple[str, Sequence[str]]) -> tuple[CommitIndex, str]:
    """One commit after the other: a message and paths, where `old>new` is a rename. Returns the index and the tip."""
    gathered: list[tuple[CommitRef, CommitFacts]] = []
    for number, (message, paths) in enumerate(commits, 1):
        oid, parents = f"{number:040x}", [f"{number - 1:040x}"] if number > 1 else []
        changes = []
        for path in paths:
            old, renamed, new = path.rpartition(">")
            changes.append(PathChange("R" if renamed else "M", new.encode(), old.encode() if renamed else None))
        commit = CommitFacts(oid, parents, 1_600_000_000 + number, "Ada", message, changes)
        gathered.append((CommitRef(oid, tuple(parents)), commit))
    segment = CommitSegment(Arrays(*build_commits(gathered)))
    return CommitIndex([segment]), gathered[-1][0].oid
