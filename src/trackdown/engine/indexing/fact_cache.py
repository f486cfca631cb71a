"""The store as a cache for the models: what they compute is a fact like any other."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.errors import StoreCorrupt, StoreError
from trackdown.store import Store


class StoreFacts:
    """A `FactCache` in a store. If the store cannot be written, values are not cached."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """The cached values of these keys; unknown keys are left out."""
        return self._store.database.read_facts(kind, keys)

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        """Store values; existing ones stay as they are."""
        if self._store.read_only:
            return
        try:
            self._store.database.write_facts(kind, rows)
        except StoreCorrupt:
            raise
        except StoreError:  # full or busy: they will be computed again
            pass
