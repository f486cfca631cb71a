"""What was imported into a clone: a namespace of its own in the store, and a record that binds it to the clone.

Arrays of a shard were computed by others, and only this clone's owner chose to trust them. The name of each one has the
namespace, a hash of the clone's place, of the shard's digest and of its origin. Other clones, and what is computed
here, have other names. What is computed on top of an import (the index of an edit) has the import's namespace, too.
"""

from __future__ import annotations

import hashlib

import msgspec

from trackdown.index.identity import place_of
from trackdown.repository import Source
from trackdown.store import Store

IMPORTS = "import"
"""The kind of the records that bind imports to clones."""


class ImportedShard(msgspec.Struct, frozen=True):
    """What was imported into a clone, and from where. `size` is that of the shard's file."""

    namespace: str
    digest: str
    origin: str
    commit: str
    size: int


def namespace_of(source: Source, roots: list[str], digest: str, origin: str) -> str:
    """The repository id under which an import is stored. No clone has such an id."""
    history = hashlib.sha256("".join(roots).encode()).hexdigest()[:16]
    bound = hashlib.sha256("\0".join((place_of(source), digest, origin)).encode()).hexdigest()[:24]
    return f"history-{history}-import{bound}"


def imported_into(store: Store, source: Source) -> ImportedShard | None:
    """What was imported into a clone, if anything."""
    record = store.database.read_record(IMPORTS, place_of(source))
    try:
        return None if record is None else msgspec.json.decode(record, type=ImportedShard)
    except msgspec.DecodeError:
        return None


def bind_import(store: Store, source: Source, imported: ImportedShard) -> None:
    """Let a clone use an import."""
    store.database.write_record(IMPORTS, place_of(source), msgspec.json.encode(imported))


def unbind_import(store: Store, source: Source) -> None:
    """Let a clone use no import. What was imported is garbage then, if its manifests go, too."""
    store.database.delete_records(IMPORTS, [place_of(source)])
