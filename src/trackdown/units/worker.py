"""The program that a worker process runs: jobs come in on standard input, facts go out on standard output.

It ends when its input does, so it cannot outlive the process that started it.
"""

from __future__ import annotations

import gc
import os
import signal
import struct
import sys
from pathlib import Path
from typing import IO

import msgspec

from trackdown.errors import GitError
from trackdown.repository.blobs import BlobReader, blob_id, read_on_disk
from trackdown.repository.git import Git
from trackdown.units.extract import extract
from trackdown.units.facts import encode, skipped

SECONDS_FOR_A_JOB = 4.0
"""How much time of a processor one file may take: a large one takes less than a second."""
_LENGTH = struct.Struct("<I")


class Place(msgspec.Struct, frozen=True):
    """Where contents are read from: files below `root`, or blobs of `git_dir`."""

    root: str
    git_dir: str | None
    on_disk: bool
    object_format: str
    max_bytes: int


class Job(msgspec.Struct, array_like=True, frozen=True):
    """A blob to read, and which facts to extract: its units, or its references. `path` is raw bytes."""

    key: str
    path: bytes
    oid: str
    language: str
    forced: bool
    references: bool = False


class Done(msgspec.Struct, array_like=True, frozen=True):
    """The facts of a job; None when the file on disk is no longer what the job says it is.

    What is `here_only` says something about this clone or this run, not about the content: it is never shared.
    """

    key: str
    facts: bytes | None
    here_only: bool = False


class Extractor:
    """Does jobs at a place, in this process."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._reader = None if place.on_disk or place.git_dir is None else BlobReader(Git(Path(place.git_dir)))

    def close(self) -> None:
        """End the process that reads blobs."""
        if self._reader is not None:
            self._reader.close()

    def do(self, job: Job) -> Done:
        """Read a blob and derive its facts."""
        data = self._read(job)
        if data is None and self._reader is None:
            return Done(job.key, None)
        if job.references:
            from trackdown.units.references.extract import extract_references
            from trackdown.units.references.facts import BlobReferences, encode_references

            found = BlobReferences()
            if data is not None:
                found = extract_references(data, job.language, forced=job.forced, max_bytes=self._place.max_bytes)
            return Done(job.key, encode_references(found), here_only=data is None)
        if data is None:
            return Done(job.key, encode(skipped(job.language, "missing")), here_only=True)
        facts = extract(data, job.language, forced=job.forced, max_bytes=self._place.max_bytes)
        return Done(job.key, encode(facts))

    def _read(self, job: Job) -> bytes | None:
        """The content; None when the clone lacks it, or the file on disk is not what the job says."""
        limit = None if job.forced else self._place.max_bytes
        if self._reader is not None:
            return self._reader.read(job.oid, limit)
        data = read_on_disk(Path(self._place.root), os.fsdecode(job.path), limit)
        return data if data is not None and blob_id(data, self._place.object_format) == job.oid else None


def send(stream: IO[bytes], message: object) -> None:
    """Write one message with its length in front."""
    data = msgspec.msgpack.encode(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one message; None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return data if len(data) == length else None


def _in_time(extractor: Extractor, job: Job) -> Done:
    """Do a job, or die of it: a grammar that never comes back cannot be stopped from within."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_FOR_A_JOB)
    done = extractor.do(job)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return done


def main() -> None:
    """Do batches of jobs until the input ends; when git cannot go on, say why and end."""
    gc.disable()  # syntax trees hold no cycles, and the process is short-lived
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    first = receive(stdin)
    if first is None:
        return
    jobs = msgspec.msgpack.Decoder(list[Job])
    try:
        extractor = Extractor(msgspec.msgpack.decode(first, type=Place))
        while (batch := receive(stdin)) is not None:
            send(stdout, [_in_time(extractor, job) for job in jobs.decode(batch)])
        extractor.close()
    except GitError as error:
        send(stdout, str(error))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)


if __name__ == "__main__":
    main()
