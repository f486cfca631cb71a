"""Update a repository's commit index: facts for new commits, then a base or a delta of arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from trackdown.errors import GitError
from trackdown.index.commits import CommitIndex, CommitSegment, build_segment
from trackdown.index.identity import is_shared, mark_private
from trackdown.repository import (
    HISTORY_VERSION,
    CommitFacts,
    CommitRef,
    Git,
    Source,
    altered_commits,
    list_commits,
    read_commits,
    shallow_commits,
)
from trackdown.store import Arrays, Store
from trackdown.types import Progress

COMMIT_MANIFESTS = "commits"
COMMITS = "commit"
INDEX_VERSION = 2
_DELTA_COMMITS = 1000
_WORTH_A_PROCESS = 2000
_WRITE_EVERY = 2000
_DECODER = msgspec.msgpack.Decoder(CommitFacts)


class CommitManifest(msgspec.Struct, frozen=True):
    """The array files of a commit index, and the number of its commits that are incomplete."""

    version: int
    segments: list[str]
    incomplete: int


@dataclass(frozen=True, slots=True)
class CommitUpdate:
    """An index, the number of its commits whose changes or renames are not fully known, and its array files."""

    index: CommitIndex
    incomplete: int
    names: tuple[str, ...] = ()


def open_commits(store: Store, repository: str) -> CommitUpdate | None:
    """The present commit index, if it is complete."""
    record = store.database.read_record(COMMIT_MANIFESTS, repository)
    if record is None:
        return None
    manifest = msgspec.json.decode(record, type=CommitManifest)
    if manifest.version != INDEX_VERSION:
        return None
    segments = []
    for name in manifest.segments:
        arrays = store.open_arrays(name)
        if arrays is None:
            return None
        segments.append(CommitSegment(arrays))
    store.database.touch_record(COMMIT_MANIFESTS, repository)
    return CommitUpdate(CommitIndex(segments), manifest.incomplete, tuple(manifest.segments))


def update_commits(
    store: Store,
    source: Source,
    repository: str,
    tip: str,
    present: CommitUpdate | None,
    progress: Progress,
    everything: Sequence[CommitRef] | None = None,
    imported: str | None = None,
) -> tuple[CommitUpdate, str]:
    """Add the commits that `tip` reaches and the index lacks. The caller holds the write lock.

    `everything` lists all commits that the tip reaches, if known. `imported` is the namespace of `present`, if it was
    imported: an index on top of it is in that namespace, too. Returns the update and the repository's id, which changes
    when the clone turns out to lack objects.
    """
    git = source.git
    assert git is not None
    base = present.index.segments[0] if present is not None and present.names else None
    listed = _list_new(git, tip, present, base)
    if base is not None and len(listed) > max(_DELTA_COMMITS, len(base.oids) // 10):
        base = None
    if base is None:
        imported = None
        listed = list(everything) if everything is not None else list_commits(git, tip)
        if len(listed) > _WORTH_A_PROCESS and not _any_known(store, listed):
            return _first_index(store, source, repository, tip, listed, progress)
    altered = altered_in(source, listed)
    incomplete = read_missing_facts(store, source, repository, listed, altered, progress)
    if incomplete and is_shared(repository):
        repository = mark_private(store, source, tip)
        base = imported = None
        listed = list_commits(git, tip)
        altered = altered_in(source, listed)
        incomplete = read_missing_facts(store, source, repository, listed, altered, progress)
    arrays, meta = build_segment(with_facts(store, git, repository, listed, altered), base)
    total = incomplete + (present.incomplete if base is not None and present is not None else 0)
    base_name = present.names[0] if base is not None and present is not None else None
    update = _keep(store, imported or repository, Arrays(arrays, meta), listed, base, base_name, total)
    return update, repository


def _first_index(
    store: Store, source: Source, repository: str, tip: str, listed: Sequence[CommitRef], progress: Progress
) -> tuple[CommitUpdate, str]:
    """Read and index a whole history, of which nothing is known yet, in a separate process."""
    from trackdown.index.commit_worker import read_and_gather  # not needed to search what is indexed

    assert source.git is not None
    incomplete = done = 0
    total = sum(not commit.is_merge for commit in listed)
    arrays: Arrays | None = None
    for batch in read_and_gather(source.git, listed, exact_renames_only=source.partial):
        if isinstance(batch, Arrays):
            arrays = batch
            continue
        if not incomplete and not all(complete for _, complete, _ in batch) and is_shared(repository):
            repository = mark_private(store, source, tip)
        incomplete += sum(not complete for _, complete, _ in batch)
        rows = [
            (commit_key(oid) if complete else commit_key(oid, repository), fact)
            for oid, complete, fact in batch
            if fact
        ]
        store.database.write_facts(COMMITS, rows)
        done += len(rows)
        progress("history", done, total)
    assert arrays is not None
    return _keep(store, repository, arrays, listed, None, None, incomplete), repository


def _keep(
    store: Store,
    repository: str,
    arrays: Arrays,
    listed: Sequence[CommitRef],
    base: CommitSegment | None,
    base_name: str | None,
    incomplete: int,
) -> CommitUpdate:
    """Write a segment and the manifest that names it."""
    name = f"commits-{repository}-{_digest(listed)}"
    names = [name] if base_name is None else [base_name, name]
    if not store.read_only:
        store.write_arrays(name, arrays, arrays.meta)
        manifest = CommitManifest(INDEX_VERSION, names, incomplete)
        store.database.write_record(COMMIT_MANIFESTS, repository, msgspec.json.encode(manifest))
        arrays = store.open_arrays(name) or arrays
    segment = CommitSegment(arrays)
    return CommitUpdate(CommitIndex([segment] if base is None else [base, segment]), incomplete, tuple(names))


def _any_known(store: Store, listed: Sequence[CommitRef]) -> bool:
    """Whether any commit has facts. The first and last commits suffice, because facts are written ancestors first."""
    single = [commit.oid for commit in listed if not commit.is_merge]
    return bool(store.database.known_facts(COMMITS, [commit_key(oid) for oid in single[:50] + single[-50:]]))


def _list_new(git: Git, tip: str, present: CommitUpdate | None, base: CommitSegment | None) -> list[CommitRef]:
    """Commits that are not in the base: those of the delta and new ones."""
    if present is None or base is None:
        return []
    wanted = [tip, *(known for known in present.index.tips if known not in base.tips)]
    try:
        return _union(git, wanted, base.tips)
    except GitError:
        # An indexed branch is gone from this clone: list only what the wanted commit reaches.
        known = [oid for oid in base.tips if _exists(git, oid)]
        return list_commits(git, tip, known)


def _union(git: Git, wanted: Sequence[str], known: Sequence[str]) -> list[CommitRef]:
    seen: dict[str, CommitRef] = {}
    for tip in reversed(wanted):
        for listed in list_commits(git, tip, known):
            seen.setdefault(listed.oid, listed)
    return list(seen.values())


def _exists(git: Git, oid: str) -> bool:
    try:
        git.run("cat-file", "-e", oid)
    except GitError:
        return False
    return True


def commit_key(oid: str, repository: str | None = None) -> str:
    """The key of a commit's facts: shared by all clones, or specific to one repository if they are incomplete."""
    return f"{oid}:{HISTORY_VERSION}" + (f":{repository}" if repository else "")


def altered_in(source: Source, listed: Sequence[CommitRef]) -> frozenset[str]:
    """The commits of which this clone has another object than their id says."""
    assert source.git is not None
    return altered_commits(source.git, listed, shallow_commits(source.git) if source.shallow else ())


def read_missing_facts(
    store: Store,
    source: Source,
    repository: str,
    listed: Sequence[CommitRef],
    altered: Collection[str],
    progress: Progress,
) -> int:
    """Read the commits that have no facts yet. Returns the number of incomplete or altered ones among all.

    A shallow or partial clone doesn't use complete facts of another clone, because an answer must not depend on what
    else is in the store.
    """
    assert source.git is not None
    single = [commit for commit in listed if not commit.is_merge]
    foreign = {*(shallow_commits(source.git) if source.shallow else ()), *altered}
    shared = [] if source.partial else [commit_key(commit.oid) for commit in single if commit.oid not in foreign]
    whole = store.database.known_facts(COMMITS, shared)
    rest = [commit for commit in single if commit_key(commit.oid) not in whole]
    own = store.database.known_facts(COMMITS, [commit_key(commit.oid, repository) for commit in rest])
    unknown = [commit for commit in rest if commit_key(commit.oid, repository) not in own]
    incomplete = len(own) + sum(commit.is_merge and commit.oid in altered for commit in listed)
    rows: list[tuple[str, bytes]] = []
    commits = read_commits(source.git, unknown, exact_renames_only=source.partial, altered=altered)
    for done, commit in enumerate(commits, 1):
        incomplete += not commit.complete
        key = commit_key(commit.oid) if commit.complete else commit_key(commit.oid, repository)
        rows.append((key, msgspec.msgpack.encode(commit)))
        if len(rows) >= _WRITE_EVERY:
            progress("history", done, len(unknown))
            store.database.write_facts(COMMITS, rows)
            rows = []
    store.database.write_facts(COMMITS, rows)
    return incomplete


def with_facts(
    store: Store, git: Git, repository: str, listed: Sequence[CommitRef], altered: Collection[str]
) -> Iterator[tuple[CommitRef, CommitFacts | None]]:
    """Every listed commit with its facts; merges have None."""
    step = 500
    for start in range(0, len(listed), step):
        batch = listed[start : start + step]
        keys = [commit_key(commit.oid) for commit in batch if not commit.is_merge]
        own = [commit_key(commit.oid, repository) for commit in batch if not commit.is_merge]
        found = store.database.read_facts(COMMITS, keys)
        if not is_shared(repository):
            found |= store.database.read_facts(COMMITS, own)
        for commit in batch:
            value = found.get(commit_key(commit.oid, repository)) or found.get(commit_key(commit.oid))
            if value is None and not commit.is_merge:  # just garbage-collected by another process
                yield commit, next(read_commits(git, [commit], altered=altered))
            else:
                yield commit, None if value is None else _DECODER.decode(value)


def _digest(listed: Sequence[CommitRef]) -> str:
    return hashlib.sha256("".join(commit.oid for commit in listed).encode()).hexdigest()[:16]
