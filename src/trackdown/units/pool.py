"""Many blobs → facts, on all cores. Worker processes compute and never write; they end with their parent.

A file that kills its worker (a fault inside a grammar, or a parse that never ends) is left out as unreadable; the rest
goes on.
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
from trackdown.units.worker import Done, Extractor, Job, Place, receive, send

_BATCH = 24
_WORTH_A_PROCESS = 96
_AHEAD = 2
_MAY_HANG = frozenset({"javascript", "tsx"})
_ANSWERS: msgspec.msgpack.Decoder[list[Done] | str] = msgspec.msgpack.Decoder(list[Done] | str)
_DIED = (OSError, ValueError, msgspec.DecodeError)
_Answers = queue.SimpleQueue[list[Done] | Exception]


def extract_all(place: Place, jobs: Sequence[Job], workers: int) -> Iterator[list[Done]]:
    """Do all jobs, roughly in their order, and yield what is done in lists. Few jobs are done in this process, unless
    their grammar is known to hang on some inputs.

    Raises GitError when the repository cannot be read.
    """
    if len(jobs) >= _WORTH_A_PROCESS:
        yield from _in_processes(place, jobs, max(1, workers))
    elif any(job.language in _MAY_HANG for job in jobs):
        yield from _in_processes(place, jobs, 1)
    else:
        yield from _here(place, jobs)


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
    done: _Answers = queue.SimpleQueue()
    feeders: list[_Feeder] = []
    try:
        for _ in range(workers):
            feeders.append(_Feeder(place, todo, done))
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

    def __init__(self, place: Place, todo: queue.SimpleQueue[list[Job]], done: _Answers) -> None:
        self._place = place
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
        # -P keeps the current folder off the import path: it may be an untrusted repository. In a group of its own the
        # worker does not hear Ctrl-C, which is meant for us; it ends when we do.
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
        """Put a new process in the place of a dead one. Raises OSError when that fails or we were stopped."""
        with self._lock:
            self._end_process()
            if self._stopped:
                raise OSError("stopped")
            self._process = self._start()
        self._send(self._place)

    def _begin(self) -> None:
        try:
            self._send(self._place)
        except _DIED:
            self._restart()

    def _send(self, message: Place | list[Job]) -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, message)

    def _run(self) -> None:
        sent: deque[list[Job]] = deque()
        try:
            self._begin()
            while not self._serve(sent):
                self._retry(sent)
        except Exception as error:  # without it, whoever waits for answers would wait forever
            self._done.put(error)

    def _serve(self, sent: deque[list[Job]]) -> bool:
        """Keep the worker busy until nothing is left to do; False when it died of what was sent."""
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
        answer = _ANSWERS.decode(message)
        if isinstance(answer, str):
            raise GitError(answer)
        return answer

    def _retry(self, sent: deque[list[Job]]) -> None:
        """Do what the dead worker had, a job at a time, so that only the one that kills workers is left out."""
        self._restart()
        for job in [job for batch in sent for job in batch]:
            try:
                self._send([job])
                self._done.put(self._answer())
            except _DIED:
                self._restart()
                lost = None if job.references else encode(skipped(job.language, "unreadable"))
                self._done.put([Done(job.key, lost, here_only=True)])
        sent.clear()
