"""The names of the engine's steps, for every surface that shows progress."""

from __future__ import annotations

INDEXING = {
    "wait": "Waiting for another process that is indexing it",
    "look": "Scanning files",
    "parse": "Parsing files",
    "history": "Reading commits",
    "gather": "Gathering",
    "vectors": "Computing vectors",
    "references": "Reading references",
    "deep": "Reading units for the deep index",
    "download": "Downloading",
    "import": "Importing",
    "write": "Writing",
    "build": "Building repositories",
    "workers": "Waiting for a worker",
    "tables": "Updating tables",
}
"""Steps of an index."""
SEARCHING = {
    "rewritten": "Loading rewrites",
    "ask": "Asking the language model",
    "compare": "Comparing candidates",
    "read commits": "Reading past commits",
    "read code": "Reading code",
}
"""Steps of a search."""
