"""Many blobs → facts, on all cores. Worker processes compute and never write; they end with their parent.

A file that kills its worker (a fault inside a grammar) is left out as unreadable; the rest goes on.
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

from trackdown.units.facts import encode, skipped
from trackdown.units.worker import Done, Extractor, Job, Place, receive, send

_BATCH = 24
_WORTH_A_PROCESS = 96
_AHEAD = 2
_ANSWERS = msgspec.msgpack.Decoder(list[Done])


def extract_all(place: Place, jobs: Sequence[Job], workers: int) -> Iterator[list[Done]]:
    """Do all jobs, roughly in their order, and yield what is done in lists. Few jobs are done in this process."""
    if len(jobs) < _WORTH_A_PROCESS:
        yield from _here(place, jobs)
    else:
        yield from _in_processes(place, jobs, max(1, workers))


def _here(place: Place, jobs: Sequence[Job]) -> Iterator[list[Done]]:
    extractor = Extractor(place)
    try:
        for start in range(0, len(jobs), _BATCH):
            yield [extractor.do(job) for job in jobs[start : start + _BATCH]]
    finally:
        extractor.close()


def _in_processes(place: Place, jobs: Sequence[Job], workers: int) -> Iterator[list[Done]]:
    todo: queue.SimpleQueue[list[Job]] = queue.SimpleQueue()
    for start in range(0, len(jobs), _BATCH):
        todo.put(list(jobs[start : start + _BATCH]))
    done: queue.SimpleQueue[list[Done]] = queue.SimpleQueue()
    feeders = [_Feeder(place, todo, done) for _ in range(workers)]
    try:
        count = 0
        while count < len(jobs):
            answer = done.get()
            count += len(answer)
            yield answer
    finally:
        for feeder in feeders:
            feeder.stop()


class _Feeder:
    """Feeds one worker process from a thread, some batches ahead, and replaces the process when it dies."""

    def __init__(self, place: Place, todo: queue.SimpleQueue[list[Job]], done: queue.SimpleQueue[list[Done]]) -> None:
        self._place = place
        self._todo = todo
        self._done = done
        self._stopped = False
        self._process = self._start()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process and the thread."""
        self._stopped = True
        self._end_process()
        self._thread.join(timeout=5)

    def _start(self) -> subprocess.Popen[bytes]:
        # -P keeps the current folder off the import path: it may be an untrusted repository.
        command = [sys.executable, "-P", "-m", "trackdown.units.worker"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path("/"))

    def _end_process(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass

    def _run(self) -> None:
        sent: deque[list[Job]] = deque()
        while not self._stopped:
            try:
                self._serve(sent)
                return
            except (OSError, ValueError, msgspec.DecodeError):
                if not self._stopped:
                    self._retry(sent)

    def _serve(self, sent: deque[list[Job]]) -> None:
        """Keep the worker busy until nothing is left to do. Raises OSError when it dies."""
        assert self._process.stdin is not None
        send(self._process.stdin, self._place)
        while True:
            while len(sent) < _AHEAD and (batch := self._next()) is not None:
                sent.append(batch)
                send(self._process.stdin, batch)
            if not sent:
                return
            self._done.put(self._answer())
            sent.popleft()

    def _next(self) -> list[Job] | None:
        try:
            return self._todo.get_nowait()
        except queue.Empty:
            return None

    def _answer(self) -> list[Done]:
        assert self._process.stdout is not None
        message = receive(self._process.stdout)
        if message is None:
            raise OSError("the worker died")
        return _ANSWERS.decode(message)

    def _retry(self, sent: deque[list[Job]]) -> None:
        """Do what the dead worker had, a job at a time, so that only the one that kills workers is left out."""
        for job in [job for batch in sent for job in batch]:
            self._end_process()
            self._process = self._start()
            try:
                assert self._process.stdin is not None
                send(self._process.stdin, self._place)
                send(self._process.stdin, [job])
                self._done.put(self._answer())
            except OSError:
                if self._stopped:
                    return
                self._done.put([Done(job.key, encode(skipped(job.language, "unreadable")), here_only=True)])
        sent.clear()
        self._end_process()
        self._process = self._start()
