"""Garbage collection: what no live snapshot uses goes. The rooms that write say what a manifest holds on to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from trackdown.store.store import Store


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """A manifest's kind, key, the repository it belongs to, when it was used, and its array files."""

    kind: str
    key: str
    repository: str
    used: float
    arrays: tuple[str, ...]


def drop_manifests(store: Store, manifests: Iterable[StoredManifest]) -> None:
    """Remove manifests; their array files go with the next sweep."""
    for held in manifests:
        store.database.delete_records(held.kind, [held.key])


def sweep_unused(
    store: Store, manifests: Iterable[StoredManifest], live_facts: Callable[[str], set[str] | None]
) -> None:
    """Remove array files that no manifest names, and facts of each kind that are not live (None: keep all)."""
    wanted = {name for held in manifests for name in held.arrays}
    for name in store.array_names():
        if name not in wanted:
            store.delete_arrays(name)
    for kind in ("blob", "references", "commit", "vector", "relevance", "rewrite", "unit-texts"):
        live = live_facts(kind)
        if live is not None:
            store.database.delete_facts(kind, [key for key in store.database.fact_keys(kind) if key not in live])


def beyond_limit(store: Store, manifests: Iterable[StoredManifest], limit: int) -> list[StoredManifest]:
    """The manifests used longest ago that have to go so that the array files of the rest fit in half the limit.

    The latest of each kind stays whatever its size: it is in use.
    """
    kept: set[str] = set()
    kinds: set[str] = set()
    size = 0
    going: list[StoredManifest] = []
    for held in sorted(manifests, key=lambda item: -item.used):
        size += sum(store.array_size(name) for name in held.arrays if name not in kept)
        kept.update(held.arrays)
        if size > limit // 2 and held.kind in kinds:
            going.append(held)
        kinds.add(held.kind)
    return going
