"""Files that were searchable and are ignored now leave the store at once: one of them may be a secret."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from trackdown.engine.indexing.housekeeping import held, live_facts, segment_beside
from trackdown.index import CODE_MANIFESTS, REWRITES, CodeSegment
from trackdown.models.llm import COMPLETIONS
from trackdown.store import FACT_KINDS, Store, StoredManifest, drop_manifests, sweep_unused
from trackdown.units import oid_of_key


def withdraw(
    store: Store, repositories: Collection[str], paths: Collection[str], oids: Collection[str], kept: Collection[str]
) -> None:
    """Remove what is derived from all versions of a repository's files, and from the contents `oids`, but not `kept`.

    `repositories` are the repository's id and the namespace of what was imported into it.
    Segments that contain any of it are removed as a whole and gathered again from the facts of the other files. This
    collects garbage, too: facts of earlier versions may be in no segment. No copy stays on free pages.
    Raises StoreError.
    """
    manifests = held(store)
    contents = {name: list(_files(store, name)) for manifest in manifests for name in _segments(manifest)}
    own = {name for manifest in manifests if manifest.repository in repositories for name in _segments(manifest)}
    gone = {*oids, *(oid for name in own for path, oid in contents[name] if path in paths)}.difference(kept)
    tainted = {name for name, files in contents.items() if any(oid in gone for _, oid in files)}
    live = {kind: live_facts(store, manifests, kind, without=gone) for kind in FACT_KINDS}
    rewritten = len(store.database.fact_keys(REWRITES))
    dropped = [manifest for manifest in manifests if not tainted.isdisjoint(manifest.arrays)]
    drop_manifests(store, dropped)
    sweep_unused(store, [manifest for manifest in manifests if manifest not in dropped], live.get)
    if len(store.database.fact_keys(REWRITES)) < rewritten:  # a completion does not say which text it is about
        store.database.delete_facts(COMPLETIONS, store.database.fact_keys(COMPLETIONS))
    store.database.compact()


def _segments(manifest: StoredManifest) -> list[str]:
    return [name for name in manifest.arrays if manifest.kind == CODE_MANIFESTS and segment_beside(name) is None]


def _files(store: Store, name: str) -> Iterator[tuple[str, str]]:
    arrays = store.open_arrays(name)
    if arrays is not None:
        for path, key in CodeSegment(arrays).files():
            yield path, oid_of_key(key)
