"""A repository's id, which its worktrees and complete clones share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from trackdown.repository import CommitRef, Source, root_commits, shallow_commits
from trackdown.store import Store

REPOSITORIES = "repository"


class KnownClone(msgspec.Struct, frozen=True):
    """What the store knows about a clone. A `private` clone lacks objects, so its facts are not shared."""

    identity: str
    private: bool
    shallow: str


def repository_id(store: Store, source: Source, tip: str | None, listed: Sequence[CommitRef] | None = None) -> str:
    """The id of a repository: the hash of its root commits, which all worktrees and clones share.

    A plain folder, a repository without commits and an incomplete clone have ids of their own. `listed` are the commits
    that the tip reaches, if known.
    """
    place = str(source.common_dir or source.root)
    own = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    if source.git is None or tip is None:
        return f"place-{own}"
    shallow = ",".join(sorted(shallow_commits(source.git))) if source.shallow else ""
    record = store.database.read_record(REPOSITORIES, place.encode("utf-8", "replace").decode())
    known = msgspec.json.decode(record, type=KnownClone) if record is not None else None
    if known is None or known.shallow != shallow:
        if listed is None:
            found = root_commits(source.git, tip)
        else:
            found = sorted(commit.oid for commit in listed if not commit.parents)
        roots = "".join(found) + shallow
        identity = f"history-{hashlib.sha256(roots.encode()).hexdigest()[:16]}"
        known = KnownClone(identity, bool(shallow) or source.partial, shallow)
        _remember(store, place, known)
    return f"{known.identity}-{own}" if known.private else known.identity


def is_known(store: Store, source: Source) -> bool:
    """Whether the store knows this clone."""
    return store.database.read_record(REPOSITORIES, place_of(source)) is not None


def place_of(source: Source) -> str:
    """Where a clone is, as a key: its worktrees share it."""
    return str(source.common_dir or source.root).encode("utf-8", "replace").decode()


def _remember(store: Store, place: str, known: KnownClone) -> None:
    if not store.read_only:
        key = place.encode("utf-8", "replace").decode()
        store.database.write_record(REPOSITORIES, key, msgspec.json.encode(known))


def mark_private(store: Store, source: Source, tip: str) -> str:
    """Record that a clone lacks objects, so that its facts are not shared. Returns its new id."""
    place = str(source.common_dir or source.root)
    shared = repository_id(store, source, tip)
    if is_shared(shared):
        _remember(store, place, KnownClone(shared, True, ""))
    return repository_id(store, source, tip)


def is_shared(repository: str) -> bool:
    """Whether an id is shared by all complete clones, rather than specific to one place."""
    return repository.count("-") == 1
