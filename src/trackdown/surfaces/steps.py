"""What the engine's steps are called, wherever somebody is told how far a piece of work is."""

from __future__ import annotations

INDEXING = {
    "wait": "Waiting for another process that is indexing it",
    "look": "Scanning files",
    "parse": "Parsing files",
    "history": "Reading commits",
    "gather": "Gathering",
    "vectors": "Computing vectors",
    "references": "Reading references",
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
