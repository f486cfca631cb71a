"""Garbage collection: remove array files and facts that no manifest uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from trackdown.store.store import Store

FACT_KINDS = ("blob", "references", "commit", "vector", "tokens", "query", "relevance", "rewrite", "unit-texts")
"""The kinds of facts that are removed when no manifest needs them."""


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """A manifest's kind and key, its repository, when it was last used, and the array files it refers to."""

    kind: str
    key: str
    repository: str
    used: float
    arrays: tuple[str, ...]


def drop_manifests(store: Store, manifests: Iterable[StoredManifest]) -> None:
    """Remove manifests; the next sweep removes their array files."""
    for manifest in manifests:
        store.database.delete_records(manifest.kind, [manifest.key])


def sweep_unused(
    store: Store, manifests: Iterable[StoredManifest], live_facts: Callable[[str], set[str] | None]
) -> None:
    """Remove array files that no manifest refers to, and facts that are not live.

    `live_facts` returns the live keys of a kind; None keeps all of it.
    """
    wanted = {name for manifest in manifests for name in manifest.arrays}
    for name in store.array_names():
        if name not in wanted:
            store.delete_arrays(name)
    for kind in FACT_KINDS:
        live = live_facts(kind)
        if live is not None:
            store.database.delete_facts(kind, [key for key in store.database.fact_keys(kind) if key not in live])


def beyond_limit(store: Store, manifests: Iterable[StoredManifest], limit: int) -> list[StoredManifest]:
    """The least recently used manifests, to be dropped so that the array files of the others fit in half the limit.

    The latest manifest of each kind stays whatever its size: it is in use.
    """
    kept: set[str] = set()
    kinds: set[str] = set()
    size = 0
    dropped: list[StoredManifest] = []
    for manifest in sorted(manifests, key=lambda item: -item.used):
        size += sum(store.array_size(name) for name in manifest.arrays if name not in kept)
        kept.update(manifest.arrays)
        if size > limit // 2 and manifest.kind in kinds:
            dropped.append(manifest)
        kinds.add(manifest.kind)
    return dropped
