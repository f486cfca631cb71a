"""Is the index true? Look at what is there, and build or open the indexes that belong to it."""
