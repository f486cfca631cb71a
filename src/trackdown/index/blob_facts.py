"""The facts of a snapshot's files, by path: from the store, or made by parsing new files."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from trackdown.errors import FilesChanged
from trackdown.repository import Snapshot
from trackdown.store import Store
from trackdown.types import Progress
from trackdown.units import fact_key, final_key, language_of, provisional_key

BLOBS = "blob"
_WRITE_EVERY = 256
_READ_AT_ONCE = 500
Fact = tuple[str, str, bytes]
MakeFacts = Callable[[Mapping[str, str]], dict[str, bytes]]
"""Path → key of files whose facts are gone, to the facts by key. Files of other snapshots are left out."""


def today() -> int:
    """The number of the day, for facts that are good for one day."""
    return int(time.time()) // 86400


def fact_keys(snapshot: Snapshot) -> dict[str, str]:
    """Path → key of the file's facts."""
    limit = snapshot.max_bytes
    return {file.path: fact_key(file.oid, language_of(file.path), file.forced, limit) for file in snapshot.files}


def known_facts(store: Store, keys: Mapping[str, str]) -> Iterator[Fact]:
    """(path, key, facts) for the files that have facts, by path."""
    paths = sorted(keys)
    for start in range(0, len(paths), _READ_AT_ONCE):
        batch = paths[start : start + _READ_AT_ONCE]
        found = store.database.read_facts(BLOBS, [keys[path] for path in batch])
        for path in batch:
            if keys[path] in found:
                yield path, keys[path], found[keys[path]]


def fact_maker(store: Store, snapshot: Snapshot, workers: int, progress: Progress) -> MakeFacts:
    """A function that parses files of a snapshot again, because another process has removed their facts.

    It raises FilesChanged if one of them is no longer as it was in the snapshot.
    """

    def make(wanted: Mapping[str, str]) -> dict[str, bytes]:
        present = fact_keys(snapshot)
        source = FactSource(store, snapshot, workers, progress)
        lost = {path: final_key(key) for path, key in wanted.items() if present.get(path) == final_key(key)}
        made = {wanted[path]: value for path, _, value in source.facts(lost)}
        if source.moved:
            raise FilesChanged(f"{len(source.moved)} files changed while they were being read: try again")
        return made

    return make


class FactSource:
    """Makes facts on demand, so that indexing continues while workers parse.

    `moved` are files that had changed since the snapshot when they were read; `here_only` counts files that are left
    out because this clone lacks them or this run could not read them. `cut_on` is today's number when some facts lack
    the parser's part, because it took too long: they are good for today only.
    """

    def __init__(self, store: Store, snapshot: Snapshot, workers: int, progress: Progress) -> None:
        self.moved: list[str] = []
        self.here_only = 0
        self.cut_on = 0
        self._store = store
        self._snapshot = snapshot
        self._workers = workers
        self._progress = progress
        source = snapshot.source
        git_dir = str(source.git.git_dir) if source.git else None
        from trackdown.units import ContentSource

        limit = snapshot.max_bytes
        self._content = ContentSource(str(source.root), git_dir, snapshot.on_disk, source.object_format, limit)

    def facts(self, keys: Mapping[str, str]) -> Iterator[Fact]:
        """(path, key, facts) by path. New facts are written to the store as they come."""
        paths = sorted(keys)
        known = self._store.database.known_facts(BLOBS, keys.values())
        keys = self._with_provisional(keys, known)
        new = [path for path in paths if keys[path] not in known]
        uses = Counter(keys[path] for path in new)
        made = self._make(new, keys)
        ready: dict[str, tuple[str, bytes | None]] = {}
        for start in range(0, len(paths), _READ_AT_ONCE):
            batch = paths[start : start + _READ_AT_ONCE]
            stored = self._store.database.read_facts(BLOBS, [keys[path] for path in batch if keys[path] in known])
            for path in batch:
                key = keys[path]
                value: bytes | None
                if key in stored:
                    value = stored[key]
                elif key in known:
                    key, value = self._make_again(path, final_key(key))
                else:
                    while key not in ready:
                        ready.update(next(made))
                    uses[key] -= 1
                    key, value = ready[key] if uses[key] else ready.pop(key)
                if value is None:
                    self.moved.append(path)
                else:
                    yield path, key, value
        for _ in made:  # the last facts are written when the generator ends
            pass

    def _make_again(self, path: str, key: str) -> tuple[str, bytes | None]:
        """Make facts again that another process has just garbage-collected."""
        (made,) = list(self._make([path], {path: key}))
        return made[key]

    def _with_provisional(self, keys: Mapping[str, str], known: set[str]) -> Mapping[str, str]:
        """The keys, with those of today's provisional facts in place of keys that have no facts; adds to `known`."""
        missing = {key: provisional_key(key, today()) for key in keys.values() if key not in known}
        found = self._store.database.known_facts(BLOBS, missing.values())
        if not found:
            return keys
        self.cut_on = today()
        known |= found
        return {path: missing[key] if missing.get(key) in found else key for path, key in keys.items()}

    def _make(self, paths: list[str], keys: Mapping[str, str]) -> Iterator[dict[str, tuple[str, bytes | None]]]:
        """Parse files in this order. Yields by key what to store facts under, and the facts, or None for a file that
        has changed.
        """
        files = {file.path: file for file in self._snapshot.files}
        from trackdown.units import ExtractionJob, extract_all

        jobs: dict[str, ExtractionJob] = {}
        for path in paths:
            file = files[path]
            jobs.setdefault(
                keys[path], ExtractionJob(keys[path], os.fsencode(path), file.oid, language_of(path), file.forced)
            )
        rows: list[tuple[str, bytes]] = []
        done = 0
        if jobs:
            self._progress("parse", 0, len(jobs))
        for batch in extract_all(self._content, list(jobs.values()), self._workers):
            made = {
                item.key: (provisional_key(item.key, today()) if item.cut else item.key, item.facts) for item in batch
            }
            here_only = {item.key for item in batch if item.here_only}
            rows += [(key, facts) for made_for, (key, facts) in made.items() if facts and made_for not in here_only]
            self.here_only += len(here_only)
            self.cut_on = today() if any(item.cut for item in batch) else self.cut_on
            done += len(batch)
            self._progress("parse", done, len(jobs))
            if len(rows) >= _WRITE_EVERY:
                self._store.database.write_facts(BLOBS, rows)
                rows = []
            yield made
        self._store.database.write_facts(BLOBS, rows)
