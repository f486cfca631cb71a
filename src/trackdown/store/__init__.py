"""Where facts and arrays live: an embedded database, array files, locks, garbage collection."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.store.arrays import Arrays
    from trackdown.store.clearing import FLEET_CACHE, clear_stores, file_size
    from trackdown.store.garbage_collection import (
        FACT_KINDS,
        StoredManifest,
        beyond_limit,
        drop_manifests,
        sweep_unused,
    )
    from trackdown.store.inspection import StoreInspection, inspect_store
    from trackdown.store.ownership import stores_in
    from trackdown.store.shard_file import SHARD_FORMAT, NewPart, Shard, open_shard, write_shard
    from trackdown.store.store import Store
else:
    __getattr__ = door(__name__)
