"""Is the index up to date? Scan the source, and open or build the indexes that belong to its content."""
