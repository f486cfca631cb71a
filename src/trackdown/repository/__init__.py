"""Git or folder → snapshots, blobs, commits, ignore rules."""
