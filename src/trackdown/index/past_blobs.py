"""The facts of contents that no snapshot names: those before and after a past commit."""

from __future__ import annotations

import os
from collections.abc import Iterable

from trackdown.index.blob_facts import BLOBS
from trackdown.repository import Source
from trackdown.store import Store
from trackdown.units import BlobFacts, ContentSource, ExtractionJob, decode, extract_all, fact_key, language_of


def facts_of_blobs(
    store: Store, source: Source, blobs: Iterable[tuple[str, str]], max_bytes: int, workers: int
) -> dict[tuple[str, str], BlobFacts]:
    """(path, blob id) → facts: those in the store, and others by parsing, which are not stored.

    Raises GitError when the repository cannot be read.
    """
    wanted = {blob: fact_key(blob[1], language_of(blob[0]), False, max_bytes) for blob in blobs}
    found = dict(store.database.read_facts(BLOBS, list(dict.fromkeys(wanted.values()))))
    jobs: dict[str, ExtractionJob] = {}
    for (path, oid), key in wanted.items():
        if key not in found:
            jobs.setdefault(key, ExtractionJob(key, os.fsencode(path), oid, language_of(path), False))
    git_dir = str(source.git.git_dir) if source.git is not None else None
    content = ContentSource(str(source.root), git_dir, False, source.object_format, max_bytes)
    for batch in extract_all(content, list(jobs.values()), workers):
        found.update({one.key: one.facts for one in batch if one.facts is not None})
    return {blob: decode(found[key]) for blob, key in wanted.items() if key in found}
