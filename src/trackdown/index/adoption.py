"""Parts of a shard enter the store under the names of an import, once they are checked against the clone.

Paths, contents and ancestry are compared with what git says. What is left to believe is what the maker of the shard
read in those files and commits.
"""

from __future__ import annotations

import msgspec

from trackdown.errors import ShardError
from trackdown.index.blob_facts import fact_keys
from trackdown.index.code_segment import CodeSegment
from trackdown.index.code_update import CODE_MANIFESTS, CodeManifest, manifest_key, manifest_key_of
from trackdown.index.commit_update import COMMIT_MANIFESTS, CommitManifest
from trackdown.index.commit_update import INDEX_VERSION as COMMITS_VERSION
from trackdown.index.commits import CommitSegment
from trackdown.index.deep_vectors import deep_name
from trackdown.index.shard_checks import check_vectors, checked_code, checked_commits
from trackdown.index.vectors import vectors_name
from trackdown.repository import Snapshot, Source, list_commits
from trackdown.store import Arrays, Store
from trackdown.units import final_key


def adopt_code(store: Store, snapshot: Snapshot, namespace: str, arrays: Arrays) -> CodeSegment:
    """Store a code segment of a commit. Raises ShardError if it is not about the commit's files.

    A file that its maker had no time to parse is parsed here, by the first search.
    """
    segment = checked_code(arrays)
    wanted = fact_keys(snapshot)
    found = segment.files()
    if list(wanted) != [path for path, _ in found]:
        raise ShardError(f"it lists other files than commit {_short(snapshot)} has")
    if any(wanted[path] != final_key(key) for path, key in found):
        raise ShardError(f"its files have other contents than those of commit {_short(snapshot)}")
    is_whole = all(wanted[path] == key for path, key in found)
    key = manifest_key(snapshot, namespace) if is_whole else manifest_key_of(f"{snapshot.key[:-4]}part", namespace)
    name = f"code-{key}"
    store.write_arrays(name, arrays, arrays.meta)
    manifest = CodeManifest(namespace, name, None, [])
    store.database.write_record(CODE_MANIFESTS, key, msgspec.json.encode(manifest))
    return CodeSegment(arrays, name)


def adopt_commits(store: Store, source: Source, namespace: str, tip: str, arrays: Arrays) -> None:
    """Store the commit segment of a commit. Raises ShardError if git knows other ancestors of it.

    A shallow clone has to believe it: the shard has more history than the clone.
    """
    segment = checked_commits(arrays, tip)
    assert source.git is not None
    if not source.shallow and _ancestry(segment) != {
        commit.oid: commit.parents for commit in list_commits(source.git, tip)
    }:
        raise ShardError(f"it has another history than commit {tip[:10]}")
    name = f"commits-{namespace}"
    store.write_arrays(name, arrays, arrays.meta)
    manifest = CommitManifest(COMMITS_VERSION, [name], 0)
    store.database.write_record(COMMIT_MANIFESTS, namespace, msgspec.json.encode(manifest))


def _ancestry(segment: CommitSegment) -> dict[str, tuple[str, ...]]:
    oids = [bytes(row).hex() for row in segment.oids]
    parents = [oids[at] if at >= 0 else "" for at in segment.arrays["parents"].tolist()]
    pointers = segment.arrays["parent_pointers"].tolist()
    return {oid: tuple(parents[pointers[at] : pointers[at + 1]]) for at, oid in enumerate(oids)}


def adopt_static(store: Store, segment: CodeSegment, model: str, dimensions: int, arrays: Arrays) -> None:
    """Store the static vectors of an adopted segment."""
    check_vectors("static", arrays, len(segment.symbols), dimensions)
    store.write_arrays(vectors_name(segment.name, model), arrays, {"model": model, "content": segment.content})


def adopt_deep(store: Store, segment: CodeSegment, reader: str, model: str, arrays: Arrays) -> None:
    """Store the encoder's vectors of an adopted segment."""
    check_vectors("deep", arrays, len(segment.symbols))
    meta = {"reader": reader, "content": segment.content, "model": model}
    store.write_arrays(deep_name(segment.name, reader), arrays, meta)


def _short(snapshot: Snapshot) -> str:
    return (snapshot.commit or "")[:10]
