"""Update the code index of a snapshot: facts for new blobs, then a base or a delta of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from trackdown.errors import GitError
from trackdown.index.blob_facts import BLOBS, FactSource, fact_keys, known_facts, today
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment, IndexedFile, build_segment
from trackdown.index.identity import is_shared, mark_private
from trackdown.repository import MISSING, BlobReader, Snapshot
from trackdown.store import Arrays, Store
from trackdown.types import Exclusion, Progress
from trackdown.units import EXTRACTOR_VERSION, decode, oid_of_key

CODE_MANIFESTS = "code"
INDEX_VERSION = 3
_BASES_COMPARED = 4
_FEW, _NEAR_SHARE = 48, 60
"""A base is near if at most this many files differ, or one in this many: an update then takes at most twice as long."""
_MOST_READ_AGAIN = 8
MAX_PARTIAL_FILES = 4000
"""The most files in a partial index that answers a search: about a second's work."""


class CodeManifest(msgspec.Struct, frozen=True):
    """The array files of a snapshot's index. `dead` are files of the base that are not in the snapshot.

    `cut_on` is the day on which a clock cut the parsing of a file short: the index is good for that day only.
    """

    repository: str
    base: str
    delta: str | None
    dead: list[int]
    cut_on: int = 0


@dataclass(frozen=True, slots=True)
class CodeUpdate:
    """An index, and why it may be incomplete: files that `moved` while we read, files `pending` in another process.

    `repository` is the repository's id, which changes when the clone turns out to lack objects.
    """

    index: CodeIndex
    moved: tuple[str, ...] = ()
    pending: int = 0
    repository: str = ""


def manifest_key(snapshot: Snapshot, repository: str) -> str:
    """The key of a snapshot's index: its content, the extractor's version and the index's version.

    A clone that lacks objects has its own keys, so that complete clones don't use its incomplete index.
    """
    return manifest_key_of(snapshot.key, repository)


def manifest_key_of(content: str, repository: str) -> str:
    """The key of the index of some content."""
    scope = "" if is_shared(repository) else f"-{repository.rsplit('-', 1)[-1]}"
    return f"{content}{_versions()}{scope}"


def _versions() -> str:
    """How an index was extracted and gathered, as its key has it: arrays of another version have another layout."""
    return f"-{EXTRACTOR_VERSION}.{INDEX_VERSION}"


def open_code(store: Store, key: str) -> CodeUpdate | None:
    """The index of a snapshot, if it is ready and complete."""
    record = store.database.read_record(CODE_MANIFESTS, key)
    if record is None:
        return None
    try:
        manifest = msgspec.json.decode(record, type=CodeManifest)
    except msgspec.DecodeError:
        return None
    if manifest.cut_on not in (0, today()):
        return None
    segments = []
    for name in filter(None, (manifest.base, manifest.delta)):
        arrays = store.open_arrays(name)
        if arrays is None:
            return None
        segments.append(CodeSegment(arrays, name))
    store.database.touch_record(CODE_MANIFESTS, key)
    return CodeUpdate(CodeIndex(segments, np.array(manifest.dead, dtype=np.int64)))


def may_be_completed(snapshot: Snapshot, index: CodeIndex) -> bool:
    """Whether a blob that this clone lacked when the index was built is here now, and whole.

    Damaged blobs are always here, and git may die of each. So only the first few are read.
    """
    git = snapshot.source.git
    if git is None or not index.left_out.get(MISSING):
        return False
    names = [oid_of_key(key) for segment in index.segments for key in _missing_keys(segment)]
    try:
        listed = git.run("cat-file", "--batch-check", "--buffer", stdin="".join(f"{name}\n" for name in names).encode())
        here = [line.split()[0] for line in listed.decode("ascii").splitlines() if not line.endswith("missing")]
        if not here:
            return False
        with BlobReader(git, here) as reader:
            return any(reader.read(name, 0) is not None for name in here[:_MOST_READ_AGAIN])
    except GitError:  # also from an older git, which stops at the first blob that a partial clone lacks
        return False


def _missing_keys(segment: CodeSegment) -> list[str]:
    """The keys of the files that were left out because the clone lacked them."""
    if MISSING not in segment.reasons:
        return []
    skips = segment.arrays["file_skip"]
    return [segment.keys.text(int(file)) for file in np.flatnonzero(skips == segment.reasons.index(MISSING))]


def update_code(
    store: Store,
    snapshot: Snapshot,
    repository: str,
    *,
    workers: int,
    progress: Progress,
    imported: str | None = None,
) -> CodeUpdate:
    """Build the index of a snapshot, parsing only blobs without facts. The caller holds the write lock.

    If no base of our own is near, one in the namespace `imported` may be; the new index is then in that namespace.
    """
    facts = FactSource(store, snapshot, workers, progress)
    return _gather(store, snapshot, repository, fact_keys(snapshot), facts, imported)


def partial_code(store: Store, snapshot: Snapshot, repository: str, most: int = MAX_PARTIAL_FILES) -> CodeUpdate:
    """An index in memory of the files that have facts by now, for readers while another process builds the first index.

    Of more than `most` files it takes an even sample, so that it is ready soon.
    """
    keys = fact_keys(snapshot)
    known = store.database.known_facts(BLOBS, keys.values())
    paths = [path for path, key in keys.items() if key in known]
    ready = {path: keys[path] for path in paths[:: max(1, -(-len(paths) // most))]}
    update = _gather(store, snapshot, repository, ready, None)
    return CodeUpdate(update.index, pending=len(keys) - len(ready))


def read_inventory(
    store: Store, snapshot: Snapshot, *, workers: int, progress: Progress
) -> tuple[list[tuple[str, str]], list[Exclusion]]:
    """The files that a snapshot includes (path, language), and those excluded by content, for a dry run."""
    source = FactSource(store, snapshot, workers, progress)
    included: list[tuple[str, str]] = []
    excluded: list[Exclusion] = []
    for path, _, value in source.facts(fact_keys(snapshot)):
        facts = decode(value)
        if facts.skip:
            excluded.append(Exclusion(path, facts.skip))
        else:
            included.append((path, facts.language))
    excluded += [Exclusion(path, "unreadable") for path in source.moved]
    return included, excluded


def _gather(
    store: Store,
    snapshot: Snapshot,
    repository: str,
    keys: Mapping[str, str],
    facts: FactSource | None,
    imported: str | None = None,
) -> CodeUpdate:
    """Build a new base, or a delta on the nearest base. Without a source of facts, in memory only."""
    limit = max(64, len(keys) // (20 if snapshot.on_disk else 4))
    best = _nearest_base(store, repository, keys)
    nearest = best if best is not None and len(best.added) <= limit else None
    if nearest is None and imported is not None:
        other = _nearest_base(store, imported, keys)
        if other is not None and len(other.added) <= limit:
            nearest, repository = other, imported
    wanted = keys if nearest is None else nearest.added
    found = facts.facts(wanted) if facts is not None else known_facts(store, wanted)
    arrays, meta = build_segment(IndexedFile(path, key, decode(value)) for path, key, value in found)
    segment = CodeSegment(Arrays(arrays, meta))
    moved = tuple(facts.moved) if facts is not None else ()
    dead = nearest.dead if nearest is not None else np.zeros(0, dtype=np.int64)
    if facts is not None and facts.here_only and snapshot.commit is not None:
        repository = mark_private(store, snapshot.source, snapshot.commit)
    if facts is not None and not moved:
        key = manifest_key(snapshot, repository)
        name = f"code-{key}" if nearest is None else f"delta-{key}"
        store.write_arrays(name, arrays, meta)
        base, delta = (name, None) if nearest is None else (nearest.name, name)
        manifest = CodeManifest(repository, base, delta, dead.tolist(), facts.cut_on)
        store.database.write_record(CODE_MANIFESTS, key, msgspec.json.encode(manifest))
        kin = best.segment if best is not None and nearest is None else None
        segment = CodeSegment(store.open_arrays(name) or Arrays(arrays, meta), name, kin)
    index = CodeIndex([segment] if nearest is None else [nearest.segment, segment], dead)
    return CodeUpdate(index, moved, repository=repository)


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The base that differs least from the wanted files: its dead files, and the files to add."""

    name: str
    segment: CodeSegment
    dead: npt.NDArray[np.int64]
    added: dict[str, str]

    @property
    def distance(self) -> int:
        return len(self.dead) + len(self.added)


def is_near(differing: int, files: int) -> bool:
    """Whether so few files differ from a base that another one would hardly make updates quicker."""
    return differing <= max(_FEW, files // _NEAR_SHARE)


def _nearest_base(store: Store, repository: str, keys: Mapping[str, str]) -> _Nearest | None:
    """The base that was used last, if it is near, or the nearest of those that were used recently."""
    names: dict[str, None] = {}
    for key, value, _ in store.database.records(CODE_MANIFESTS):
        manifest = msgspec.json.decode(value, type=CodeManifest)
        if manifest.repository == repository and _versions() in key:
            names.setdefault(manifest.base)
    found: list[_Nearest] = []
    for name in list(names)[:_BASES_COMPARED]:
        arrays = store.open_arrays(name)
        if arrays is None:
            continue
        segment = CodeSegment(arrays, name)
        if MISSING in segment.reasons:  # what was missing may be here now
            continue
        held = dict(segment.files())
        dead = [number for number, (path, key) in enumerate(held.items()) if keys.get(path) != key]
        added = {path: key for path, key in keys.items() if held.get(path) != key}
        found.append(_Nearest(name, segment, np.array(dead, dtype=np.int64), added))
        if is_near(max(len(dead), len(added)), len(keys)):
            return found[-1]
    return min(found, key=lambda base: base.distance, default=None)
