"""Build one repository: fetch it, index a commit, and put shard, source and rows into the place.

This is the task that workers run. It needs nothing but the task itself, and its settings from where it runs.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from trackdown.engine import export_index
from trackdown.engine import open as open_repository
from trackdown.errors import RepositoryError, ShardError
from trackdown.fleet.definition import PlaceAddress
from trackdown.fleet.manifest import BuiltShard, find_built, record_built, rows_path, shard_path, source_path
from trackdown.fleet.place import Place, file_digest, file_size
from trackdown.fleet.rows import ROWS_VERSION, write_rows
from trackdown.index import SHARD_VERSIONS
from trackdown.models import model_shelf
from trackdown.repository import pack_commit
from trackdown.settings import Settings, load_settings
from trackdown.types import Progress, no_progress

_LAST_RESORT = 30.0
"""Seconds beyond its time after which a task that does not listen takes its whole worker with it."""
TIMED_OUT = 75
"""The exit code of a worker whose task did not end."""


@dataclass(frozen=True, slots=True)
class BuildTask:
    """What to build. `key` stands for the commit, the versions and the models; `seconds` is the time it may take."""

    name: str
    where: str
    commit: str
    key: str
    max_file_kb: int
    deep: bool
    models: str
    place: PlaceAddress
    seconds: float


def build_key(commit: str, max_file_kb: int, deep: bool, settings: Settings) -> str:
    """The key of what would be built of a commit now. Everything that changes the result is in it."""
    shelf = model_shelf(settings.models, settings.thread_count)
    static = shelf.static()
    about = [
        commit,
        sorted(SHARD_VERSIONS.items()),
        ROWS_VERSION,
        max_file_kb,
        static.model_id if static is not None else "",
        shelf.encoder_id() if deep else "",
    ]
    return sha256(msgspec.json.encode(about)).hexdigest()[:40]


def build(task: BuildTask, *, worker_folder: str | None = None) -> BuiltShard:
    """Build a repository's shard, unless it is there. Raises TrackdownError; RepositoryError if it takes too long.

    In a Dask worker the files are made in its folder: if it is killed, the next one on the machine removes that.
    """
    place = Place(task.place)
    known = find_built(place, task.key)
    if known is not None:
        return known
    settings = load_settings(models=task.models, max_file_kb=task.max_file_kb, workers=1, threads=1)
    scratch = tempfile.TemporaryDirectory(prefix="trackdown-fleet-", dir=worker_folder)
    with _deadline(task, worker_folder is not None) as progress, scratch as folder:
        built = _built(task, place, settings, Path(folder), progress)
    record_built(place, built)
    return built


def _built(task: BuildTask, place: Place, settings: Settings, folder: Path, progress: Progress) -> BuiltShard:
    started = time.monotonic()
    shard, pack, rows = folder / "shard", folder / "pack", folder / "rows"
    with open_repository(task.where, settings=settings) as repository:
        exported = export_index(repository, shard, task.commit, deep=task.deep, progress=progress)
        if build_key(exported.commit, task.max_file_kb, task.deep, settings) != task.key:
            raise ShardError("this worker has another version or other models than the process that asked for it")
        languages = repository.indexes.code(repository.indexes.look(task.commit))
        pack_commit(repository.source, task.commit, pack, settings.max_file_bytes)
        object_format = repository.source.object_format
    progress("write", 0, None)
    count = write_rows(shard, settings.store_limit_mb << 20, rows)
    progress("write", 0, None)
    built = BuiltShard(
        key=task.key,
        commit=exported.commit,
        object_format=object_format,
        max_file_kb=task.max_file_kb,
        shard=exported.digest,
        shard_sha256=file_digest(shard),
        shard_bytes=exported.bytes,
        source_sha256=file_digest(pack),
        source_bytes=file_size(pack),
        rows_sha256=file_digest(rows),
        rows_bytes=file_size(rows),
        rows=count,
        files=exported.files,
        units=exported.units,
        commits=exported.commits,
        languages={} if languages is None else languages.languages(),
        parts=list(exported.parts),
        seconds=round(time.monotonic() - started, 2),
    )
    place.upload(source_path(built.source_sha256), pack)
    place.upload(rows_path(built.rows_sha256), rows)
    place.upload(shard_path(built.shard_sha256), shard)
    return built


@contextmanager
def _deadline(task: BuildTask, in_worker: bool) -> Iterator[Progress]:
    """A progress callback that ends the build when its time is up; in a worker, a clock ends what does not listen."""
    until = time.monotonic() + task.seconds

    def progress(step: str, done: int, total: int | None) -> None:
        if time.monotonic() > until:
            raise RepositoryError(f"it took longer than {task.seconds:g} seconds: give it more with --timeout")
        no_progress(step, done, total)

    clock = threading.Timer(task.seconds + _LAST_RESORT, _end_worker) if in_worker else None
    if clock is not None:
        clock.daemon = True
        clock.start()
    try:
        yield progress
    finally:
        if clock is not None:
            clock.cancel()


def _end_worker() -> None:
    """End this process with all that it started: a git that waits for a server would go on waiting."""
    import psutil

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()
    os._exit(TIMED_OUT)
