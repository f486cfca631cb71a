"""Extracts the facts of many blobs on all cores. Workers compute and never write; they end with their parent.

A file that kills its worker (by a fault inside a grammar, or a parse that never ends) is skipped as unreadable.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from trackdown.errors import GitError
from trackdown.units.facts import encode, skipped
from trackdown.units.worker import ContentSource, ExtractionJob, ExtractionResult, Extractor, receive, send

_BATCH = 24
_WORTH_A_PROCESS = 96
_AHEAD = 2
_MAY_HANG = frozenset({"javascript", "tsx"})
_ANSWERS: msgspec.msgpack.Decoder[list[ExtractionResult] | str] = msgspec.msgpack.Decoder(list[ExtractionResult] | str)
_DIED = (OSError, ValueError, msgspec.DecodeError)
_Answers = queue.SimpleQueue[list[ExtractionResult] | Exception]


def extract_all(source: ContentSource, jobs: Sequence[ExtractionJob], workers: int) -> Iterator[list[ExtractionResult]]:
    """Run all jobs, roughly in their order, and yield results in batches. A small number of jobs runs in this process,
    unless their grammar is known to hang on some inputs.

    Raises GitError when the repository cannot be read.
    """
    if len(jobs) >= _WORTH_A_PROCESS:
        yield from _in_processes(source, jobs, max(1, workers))
    elif any(job.language in _MAY_HANG for job in jobs):
        yield from _in_processes(source, jobs, 1)
    else:
        yield from _here(source, jobs)


def _here(source: ContentSource, jobs: Sequence[ExtractionJob]) -> Iterator[list[ExtractionResult]]:
    extractor = Extractor(source)
    try:
        for start in range(0, len(jobs), _BATCH):
            yield [extractor.do(job) for job in jobs[start : start + _BATCH]]
    finally:
        extractor.close()


def _in_processes(
    source: ContentSource, jobs: Sequence[ExtractionJob], workers: int
) -> Iterator[list[ExtractionResult]]:
    todo: queue.SimpleQueue[list[ExtractionJob]] = queue.SimpleQueue()
    for start in range(0, len(jobs), _BATCH):
        todo.put(list(jobs[start : start + _BATCH]))
    done: _Answers = queue.SimpleQueue()
    feeders: list[_Feeder] = []
    try:
        for _ in range(workers):
            feeders.append(_Feeder(source, todo, done))
        count = 0
        while count < len(jobs):
            answer = done.get()
            if isinstance(answer, Exception):
                raise answer
            count += len(answer)
            yield answer
    finally:
        for feeder in feeders:
            feeder.stop()


class _Feeder:
    """Feeds one worker process from a thread, some batches ahead, and replaces the process when it dies."""

    def __init__(self, source: ContentSource, todo: queue.SimpleQueue[list[ExtractionJob]], done: _Answers) -> None:
        self._source = source
        self._todo = todo
        self._done = done
        self._stopped = False
        self._lock = threading.Lock()
        self._process = self._start()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process and the thread."""
        with self._lock:
            self._stopped = True
            self._end_process()
        self._thread.join(timeout=5)

    def _start(self) -> subprocess.Popen[bytes]:
        # -P keeps the current folder off the import path: it may be an untrusted repository. In its own process group
        # the worker doesn't receive Ctrl-C, which is meant for this process; it ends when this process does.
        command = [sys.executable, "-P", "-m", "trackdown.units.worker"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path("/"), process_group=0)

    def _end_process(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass

    def _restart(self) -> None:
        """Replace a dead process. Raises OSError when that fails or the feeder was stopped."""
        with self._lock:
            self._end_process()
            if self._stopped:
                raise OSError("stopped")
            self._process = self._start()
        self._send(self._source)

    def _begin(self) -> None:
        try:
            self._send(self._source)
        except _DIED:
            self._restart()

    def _send(self, message: ContentSource | list[ExtractionJob]) -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, message)

    def _run(self) -> None:
        sent: deque[list[ExtractionJob]] = deque()
        try:
            self._begin()
            while not self._serve(sent):
                self._retry(sent)
        except Exception as error:  # else the caller would wait for results forever
            self._done.put(error)

    def _serve(self, sent: deque[list[ExtractionJob]]) -> bool:
        """Keep the worker busy until no jobs are left; False when one of them killed it."""
        try:
            while True:
                while len(sent) < _AHEAD and (batch := self._next()) is not None:
                    sent.append(batch)
                    self._send(batch)
                if not sent:
                    return True
                self._done.put(self._answer())
                sent.popleft()
        except _DIED:
            return False

    def _next(self) -> list[ExtractionJob] | None:
        try:
            return self._todo.get_nowait()
        except queue.Empty:
            return None

    def _answer(self) -> list[ExtractionResult]:
        assert self._process.stdout is not None
        message = receive(self._process.stdout)
        if message is None:
            raise OSError("the worker died")
        answer = _ANSWERS.decode(message)
        if isinstance(answer, str):
            raise GitError(answer)
        return answer

    def _retry(self, sent: deque[list[ExtractionJob]]) -> None:
        """Run the dead worker's jobs one at a time, so that only the job that kills workers is skipped."""
        self._restart()
        for job in [job for batch in sent for job in batch]:
            try:
                self._send([job])
                self._done.put(self._answer())
            except _DIED:
                self._restart()
                lost = None if job.references else encode(skipped(job.language, "unreadable"))
                self._done.put([ExtractionResult(job.key, lost, here_only=True)])
        sent.clear()
