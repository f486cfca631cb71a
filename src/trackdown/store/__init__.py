"""Where facts and arrays live: an embedded database, array files, locks, garbage collection."""
