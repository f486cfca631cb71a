"""Extracts the facts of many blobs on all cores. Workers compute and never write; they end with their parent.

No file is parsed in this process, because some grammars never return from some files. A file that kills its worker (by
a fault inside a grammar, or because its time is up) is searched as text until it is tried again.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from trackdown.errors import GitError
from trackdown.units.facts import BlobFacts, decode, encode, skipped
from trackdown.units.worker import ContentSource, ExtractionJob, ExtractionResult, receive, send
from trackdown.units.worker_process import NOWHERE, WorkerProcess, keep_warm, start_program, start_quickly, start_warm

_BATCH = 24
_WORTH_A_PROGRAM = 96
_AHEAD = 2
_FITS_A_PIPE = 8 << 10
_UNFINISHED = "the parser could not finish it"
_ANSWER: msgspec.msgpack.Decoder[ExtractionResult | str] = msgspec.msgpack.Decoder(ExtractionResult | str)
_DIED = (OSError, ValueError, msgspec.DecodeError)
_Answers = queue.SimpleQueue[list[ExtractionResult] | Exception]


def extract_all(source: ContentSource, jobs: Sequence[ExtractionJob], workers: int) -> Iterator[list[ExtractionResult]]:
    """Run all jobs, roughly in their order, and yield results in batches.

    Raises GitError when the repository cannot be read.
    """
    if len(jobs) >= _WORTH_A_PROGRAM:
        yield from _run_all(source, jobs, max(1, workers), start_program)
    else:
        yield from _run_all(source, jobs, 1, partial(start_quickly, {job.language for job in jobs}))


def extract_alone(data: bytes, language: str, *, forced: bool = False) -> BlobFacts:
    """The facts of one content, from a warm worker."""
    job = ExtractionJob("", b"", "", language, forced, data=data)
    ((done,),) = list(_run_all(NOWHERE, [job], 1, start_warm))
    assert done.facts is not None
    return decode(done.facts)


def _run_all(
    source: ContentSource, jobs: Sequence[ExtractionJob], workers: int, start_worker: Callable[[], WorkerProcess]
) -> Iterator[list[ExtractionResult]]:
    if not jobs:
        return
    todo: queue.SimpleQueue[list[ExtractionJob]] = queue.SimpleQueue()
    for start in range(0, len(jobs), _BATCH):
        todo.put(list(jobs[start : start + _BATCH]))
    done: _Answers = queue.SimpleQueue()
    feeders: list[_Feeder] = []
    count = 0
    try:
        for _ in range(workers):
            feeders.append(_Feeder(source, todo, done, start_worker))
        while count < len(jobs):
            answer = done.get()
            if isinstance(answer, Exception):
                raise answer
            count += len(answer)
            yield answer
    finally:
        for feeder in feeders:
            feeder.stop(reusable=start_worker is not start_program and count == len(jobs))


class _Feeder:
    """Feeds one worker process from a thread, some batches ahead, and replaces the process when it dies."""

    def __init__(
        self,
        source: ContentSource,
        todo: queue.SimpleQueue[list[ExtractionJob]],
        done: _Answers,
        start: Callable[[], WorkerProcess],
    ) -> None:
        self._source = source
        self._todo = todo
        self._done = done
        self._answers: list[ExtractionResult] = []
        self._next_batch: list[ExtractionJob] | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._worker = start()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self, *, reusable: bool) -> None:
        """End the thread, and the process unless it has answered everything and may be used again."""
        with self._lock:
            self._stopped = True
            if not reusable:
                self._worker.end()
        self._thread.join(timeout=5)
        if reusable:
            keep_warm(self._worker)

    def _restart(self) -> int:
        """Replace a dead process and return its exit status. Raises OSError if that fails or the feeder was stopped."""
        with self._lock:
            status = self._worker.end()
            if self._stopped:
                raise OSError("stopped")
            self._worker = start_program()
        send(self._worker.stdin, self._source)
        return status

    def _begin(self) -> None:
        try:
            send(self._worker.stdin, self._source)
        except _DIED:
            self._restart()

    def _run(self) -> None:
        sent: deque[ExtractionJob] = deque()
        try:
            self._begin()
            while not self._serve(sent):
                self._recover(sent)
        except Exception as error:  # else the caller would wait for results forever
            self._done.put(error)

    def _serve(self, sent: deque[ExtractionJob]) -> bool:
        """Keep the worker busy until no jobs are left; False when it died, on the first job of `sent`."""
        try:
            while True:
                while len(sent) <= (_AHEAD - 1) * _BATCH and (batch := self._next(ahead=bool(sent))) is not None:
                    sent += batch
                    send(self._worker.stdin, batch)
                if not sent:
                    return True
                self._answers.append(self._answer())
                sent.popleft()
                if len(self._answers) == _BATCH or not sent:
                    self._pass_on()
        except _DIED:
            return False

    def _pass_on(self) -> None:
        self._done.put(self._answers)
        self._answers = []

    def _next(self, *, ahead: bool) -> list[ExtractionJob] | None:
        """The next batch, if there is one and it may be sent now.

        A worker that writes a long answer does not read. If we waited until it reads a long batch, both would wait
        forever. So only what fits into the pipe is sent ahead.
        """
        if self._next_batch is None:
            try:
                self._next_batch = self._todo.get_nowait()
            except queue.Empty:
                return None
        if ahead and sum(len(job.path) + len(job.data or b"") for job in self._next_batch) > _FITS_A_PIPE:
            return None
        batch, self._next_batch = self._next_batch, None
        return batch

    def _answer(self) -> ExtractionResult:
        message = receive(self._worker.stdout)
        if message is None:
            raise OSError("the worker died")
        answer = _ANSWER.decode(message)
        if isinstance(answer, str):
            raise GitError(answer)
        return answer

    def _recover(self, sent: deque[ExtractionJob]) -> None:
        """Replace the dead worker, and treat the job on which it died as text, unless it may succeed."""
        job = sent.popleft()
        timed_out = self._restart() == -signal.SIGPROF
        self._answers.append((None if timed_out else self._alone(job)) or self._as_text(job))
        if sent:
            send(self._worker.stdin, list(sent))
        else:
            self._pass_on()

    def _alone(self, job: ExtractionJob) -> ExtractionResult | None:
        """The result of one job; None when the worker died on it."""
        try:
            send(self._worker.stdin, [job])
            return self._answer()
        except _DIED:
            self._restart()
            return None

    def _as_text(self, job: ExtractionJob) -> ExtractionResult:
        """The facts of a blob that cannot be parsed, or not in time."""
        if job.references:
            return ExtractionResult(job.key, None, here_only=True)
        done = self._alone(msgspec.structs.replace(job, as_text=_UNFINISHED))
        lost = encode(skipped(job.language, "unreadable"))
        return done or ExtractionResult(job.key, lost, here_only=True)
