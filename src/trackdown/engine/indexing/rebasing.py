"""New bases for the index of a server, made by a process of its own while searches go on.

Gathering a base takes a hundred megabytes or more. Python would keep most of them, and searches would wait for the
seconds that it takes. The process ends with its input, so it cannot outlive the server by much.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

from trackdown.engine.repository import Repository
from trackdown.errors import TrackdownError
from trackdown.index import Corpus, manifest_key, needs_new_base, rebase_code, unit_vectors
from trackdown.models import model_shelf
from trackdown.store import Store

_NICENESS = 10
_SECONDS_TO_END = 2.0


class RebaseJob(msgspec.Struct, frozen=True):
    """Which index of which store gets a new base, and the models whose static vectors it needs."""

    store: str
    key: str
    repository: str
    models: str


class BackgroundRebase:
    """Starts the process when an index has drifted from its base; one at a time, and once for a base."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._tried = ""

    def consider(self, repository: Repository, corpus: Corpus) -> None:
        """Start it if this index, which is up to date, needs a new base. What goes wrong costs only the new base."""
        base = corpus.code.segments[0].name
        if base == self._tried or not needs_new_base(corpus.code) or repository.store.read_only or self._runs():
            return
        self._tried = base
        identity = repository.indexes.identity(corpus.snapshot.commit)
        settings = repository.settings
        job = RebaseJob(str(settings.store), manifest_key(corpus.snapshot, identity), identity, settings.models)
        with suppress(OSError):
            self._process = start_rebase(job)

    def close(self) -> None:
        """End the process, if one runs."""
        process, self._process = self._process, None
        if process is not None:
            end_rebase(process)

    def _runs(self) -> bool:
        if self._process is not None and self._process.poll() is None:
            return True
        self.close()
        return False


def start_rebase(job: RebaseJob) -> subprocess.Popen[bytes]:
    """Start a process that makes a new base. Raises OSError."""
    command = [sys.executable, "-P", "-m", __name__]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, process_group=0)
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(msgspec.json.encode(job) + b"\n")
        process.stdin.flush()
    return process


def end_rebase(process: subprocess.Popen[bytes]) -> None:
    """Close its input, which ends it, and wait for it."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run(job: RebaseJob) -> bool:
    """Make a new base, with its static vectors. Returns whether there is one."""
    store = Store(Path(job.store))
    try:
        code = rebase_code(store, job.key, job.repository)
        table = model_shelf(job.models, 1).static()
        if code is not None and table is not None:
            unit_vectors(store, code, table, {})
        return code is not None
    finally:
        store.close()


def main() -> int:
    """Read a job from the input, and do it unless the input ends before."""
    line = sys.stdin.buffer.readline()
    if not line:
        return 1
    threading.Thread(target=_end_with_input, daemon=True).start()
    os.nice(_NICENESS)
    try:
        return int(not run(msgspec.json.decode(line, type=RebaseJob)))
    except TrackdownError:
        return 1


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
