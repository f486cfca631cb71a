"""Where facts and arrays live: an embedded database, array files, locks, garbage collection."""

from trackdown.store.store import Store

__all__ = ["Store"]
