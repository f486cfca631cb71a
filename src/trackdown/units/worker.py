"""The program of a worker process: it reads jobs from standard input and writes facts to standard output.

It ends when its input does, so it cannot outlive the process that started it. A message is a ContentSource, which
replaces the one before, or a list of jobs, which is answered.
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
from trackdown.repository import BlobReader, Git, blob_id, read_on_disk
from trackdown.units.extraction import extract
from trackdown.units.facts import encode, skipped

SECONDS_FOR_A_JOB = 4.0
"""The processor time that one file may take; a megabyte takes less than half a second. Files that the parser's own
limits stop never get here: this clock is for faults of grammars."""
_BYTES_PER_SECOND = 1 << 20
"""What a file larger than this, which only a user lets in, gets more time for."""
_PATIENCE = 15
"""How many times longer a file may take by the clock on the wall."""
_LENGTH = struct.Struct("<I")


class ContentSource(msgspec.Struct, frozen=True):
    """Where a worker reads contents: files below `root`, or blobs in `git_dir`."""

    root: str
    git_dir: str | None
    on_disk: bool
    object_format: str
    max_bytes: int


class ExtractionJob(msgspec.Struct, array_like=True, frozen=True):
    """A blob to read, and whether to extract its units or its references. `path` is raw bytes.

    `as_text` says why not to parse the blob. `data` is its content, if there is no need to read it.
    """

    key: str
    path: bytes
    oid: str
    language: str
    forced: bool
    references: bool = False
    as_text: str = ""
    data: bytes | None = None


class ExtractionResult(msgspec.Struct, array_like=True, frozen=True):
    """The facts of a blob; None when the file on disk has changed since the job was made.

    `here_only` marks facts about this clone or this run rather than the content: they are never stored. `cut` marks
    facts without the parser's part, because its time was up: they are not final.
    """

    key: str
    facts: bytes | None
    here_only: bool = False
    cut: bool = False


class Extractor:
    """Runs jobs in this process."""

    def __init__(self, source: ContentSource) -> None:
        self._source = source
        self._reader = None if source.on_disk or source.git_dir is None else BlobReader(Git(Path(source.git_dir)))

    def close(self) -> None:
        """End the process that reads blobs."""
        if self._reader is not None:
            self._reader.close()

    def do(self, job: ExtractionJob) -> ExtractionResult:
        """Read a blob and derive its facts."""
        data = self._read(job)
        if data is not None and len(data) > _BYTES_PER_SECOND and signal.getitimer(signal.ITIMER_PROF)[0]:
            start_clocks(len(data))
        if data is None and self._reader is None:
            return ExtractionResult(job.key, None)
        if job.references:
            from trackdown.units.references import BlobReferences, encode_references, extract_references

            found = BlobReferences()
            if data is not None:
                found = extract_references(data, job.language, forced=job.forced, max_bytes=self._source.max_bytes)
            return ExtractionResult(job.key, encode_references(found), here_only=data is None)
        if data is None:
            return ExtractionResult(job.key, encode(skipped(job.language, "missing")), here_only=True)
        limit = self._source.max_bytes
        facts = extract(data, job.language, forced=job.forced, max_bytes=limit, as_text=job.as_text)
        return ExtractionResult(job.key, encode(facts), cut=bool(job.as_text) and not facts.skip)

    def _read(self, job: ExtractionJob) -> bytes | None:
        """The content; None when the clone lacks it or the file on disk has changed."""
        if job.data is not None:
            return job.data
        limit = None if job.forced else self._source.max_bytes
        if self._reader is not None:
            return self._reader.read(job.oid, limit)
        data = read_on_disk(Path(self._source.root), os.fsdecode(job.path), limit)
        return data if data is not None and blob_id(data, self._source.object_format) == job.oid else None


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


def do_in_time(extractor: Extractor, job: ExtractionJob) -> ExtractionResult:
    """Run a job, or die trying: a grammar that never returns cannot be stopped from within the process."""
    start_clocks()
    try:
        return extractor.do(job)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def start_clocks(size: int = 0) -> None:
    """Let this process die unless it stops the clocks in time; a process that waits for a lock uses no processor."""
    seconds = SECONDS_FOR_A_JOB + size / _BYTES_PER_SECOND
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds)


def run_jobs(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Run batches of jobs until the input ends; when git fails, report why and end."""
    gc.disable()  # syntax trees hold no cycles
    messages = msgspec.msgpack.Decoder(ContentSource | list[ExtractionJob])
    extractor: Extractor | None = None
    try:
        while (received := receive(stdin)) is not None:
            message = messages.decode(received)
            if isinstance(message, list):
                assert extractor is not None
                for job in message:  # one answer for each: the job on which a worker dies is the first without
                    send(stdout, do_in_time(extractor, job))
                continue
            if extractor is not None:
                extractor.close()
            extractor = Extractor(message)
        if extractor is not None:
            extractor.close()
    except GitError as error:
        send(stdout, str(error))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)


if __name__ == "__main__":
    run_jobs(sys.stdin.buffer, sys.stdout.buffer)
