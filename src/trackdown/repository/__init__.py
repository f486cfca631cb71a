"""A git repository or a folder: snapshots, blobs, commits, ignore rules."""
