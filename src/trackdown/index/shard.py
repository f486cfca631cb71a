"""The shard of a commit: its code and its history as one segment each, with the vectors of its units.

A shard has no trace of anything else in the store: no other branches, no files on disk, nothing that was imported.
The same commit gives the same bytes, however the store came to know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from trackdown.errors import RepositoryError, ShardError
from trackdown.index.blob_facts import FactSource, fact_keys
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment, IndexedFile
from trackdown.index.code_segment import build_segment as build_code
from trackdown.index.code_update import INDEX_VERSION as CODE_VERSION
from trackdown.index.commit_update import INDEX_VERSION as COMMITS_VERSION
from trackdown.index.commit_update import altered_in, read_missing_facts, with_facts
from trackdown.index.commits import build_segment as build_commits
from trackdown.index.deep_vectors import DeepSegment
from trackdown.index.segmented_vectors import SegmentVectors
from trackdown.index.strings import pack, to_bytes
from trackdown.repository import HISTORY_VERSION, CommitFacts, CommitRef, Snapshot, Source, list_commits, root_commits
from trackdown.store import Arrays, NewPart, Store
from trackdown.types import Progress
from trackdown.units import EXTRACTOR_VERSION, decode

CODE_PART, COMMITS_PART, STATIC_PART, DEEP_PART = "code", "commits", "static", "deep"
SHARD_VERSIONS = {
    "code": CODE_VERSION,
    "commits": COMMITS_VERSION,
    "extractor": EXTRACTOR_VERSION,
    "history": HISTORY_VERSION,
}
Int64s = npt.NDArray[np.int64]


class ShardSubject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a shard is about. `roots` are the commits without parents, `snapshot` is the key of the commit's files."""

    commit: str
    roots: list[str]
    snapshot: str
    max_file_bytes: int
    versions: dict[str, int]


def subject_of(source: Source, snapshot: Snapshot) -> ShardSubject:
    """What the shard of a commit says it is about."""
    assert source.git is not None and snapshot.commit is not None
    roots = root_commits(source.git, snapshot.commit)
    return ShardSubject(snapshot.commit, roots, snapshot.key, snapshot.max_bytes, SHARD_VERSIONS)


def fitting_subject(about: dict[str, Any], max_bytes: int) -> ShardSubject:
    """What a shard is about. Raises ShardError if this version, with this limit on files, would make another one."""
    try:
        subject = msgspec.convert(about, ShardSubject)
        commits = [subject.commit, *subject.roots]
        if not all(len(oid) in (40, 64) and set(oid) <= set("0123456789abcdef") for oid in commits):
            raise ValueError("a commit has no valid id")
    except (msgspec.ValidationError, ValueError) as error:
        raise ShardError(f"its manifest cannot be read: {error}") from None
    if subject.versions != SHARD_VERSIONS:
        raise ShardError("another version of Trackdown made it: export it anew with this version")
    if subject.max_file_bytes != max_bytes:
        limits = f"{subject.max_file_bytes // 1024}, and here it is {max_bytes // 1024}"
        raise ShardError(f"it was made with max_file_kb = {limits}: set TRACKDOWN_MAX_FILE_KB, or export it anew")
    return subject


def whole_code(snapshot: Snapshot, code: CodeIndex, facts: FactSource) -> CodeSegment:
    """The code index of a commit as one segment."""
    if len(code.segments) == 1 and not code.has_dead:
        return code.segments[0]
    found = facts.facts(fact_keys(snapshot))
    arrays, meta = build_code(IndexedFile(path, key, decode(value)) for path, key, value in found)
    return CodeSegment(Arrays(arrays, meta))


def code_part(segment: CodeSegment) -> NewPart:
    """A segment as a part."""
    return NewPart(CODE_PART, segment.arrays, segment.arrays.meta)


def history_part(store: Store, source: Source, repository: str, tip: str, progress: Progress) -> NewPart:
    """The commits that a commit reaches, as one segment, with their full messages.

    Raises RepositoryError if this clone does not have all of their changes.
    """
    git = source.git
    assert git is not None
    listed = list_commits(git, tip)
    altered = altered_in(source, listed)
    if read_missing_facts(store, source, repository, listed, altered, progress):
        raise RepositoryError(f"{source.name} cannot be exported: this clone is incomplete or damaged")
    messages: list[bytes] = []

    def noting() -> Iterator[tuple[CommitRef, CommitFacts | None]]:
        for listed_commit, commit in with_facts(store, git, repository, listed, altered):
            messages.append(to_bytes(commit.message) if commit is not None else b"")
            yield listed_commit, commit

    arrays, meta = build_commits(noting())
    return NewPart(COMMITS_PART, arrays | pack("messages", messages), meta)


def rows_in(code: CodeIndex, segment: CodeSegment) -> Int64s:
    """The row in the index of each unit of a segment with the same files."""
    unit_file = segment.arrays["unit_file"]
    numbers = np.array([code.files_by_path.get(path, -1) for path in segment.paths.all_text()], dtype=np.int64)
    firsts = np.searchsorted(code.unit_file, numbers)[unit_file]
    own_firsts = np.searchsorted(unit_file, np.arange(len(numbers)))[unit_file]
    rows: Int64s = firsts + np.arange(len(unit_file)) - own_firsts
    return rows


def static_part(model: str, segments: Sequence[SegmentVectors], rows: Int64s) -> NewPart:
    """The static vectors of some rows of an index, by one model."""
    arrays = {
        "rows": np.concatenate([segment.rows for segment in segments])[rows],
        "scales": np.concatenate([segment.scales for segment in segments])[rows],
    }
    return NewPart(STATIC_PART, arrays, {"model": model})


def deep_part(
    reader: str, model: str, segments: Sequence[DeepSegment], needed: npt.NDArray[np.bool_], rows: Int64s
) -> NewPart:
    """The encoder's vectors of some rows of an index. Rows that don't need one have none."""
    known = (np.concatenate([segment.known for segment in segments]) & needed)[rows]
    arrays: dict[str, npt.NDArray[Any]] = {
        "rows": np.concatenate([segment.vectors.rows for segment in segments])[rows] * known[:, None].astype(np.int8),
        "scales": np.concatenate([segment.vectors.scales for segment in segments])[rows] * known.astype(np.float32),
        "known": known,
        "digests": np.concatenate([segment.digests for segment in segments])[rows] * known[:, None].astype(np.uint8),
    }
    return NewPart(DEEP_PART, arrays, {"reader": reader, "model": model})
