"""Worker processes, one per job: a job that fails, crashes or hangs is reported, and the others go on.

Workers never see Ctrl-C, which is for their parent to handle, and do not outlive it. A worker reports its progress; one
that is silent for too long is ended. Time during which this program itself was stopped does not count.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from trackdown.errors import TrackdownError
from trackdown.types import Progress


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Processes that are started meanwhile never see Ctrl-C, and what starts them is not torn in two by it."""
    came: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, frame: came.append(number)) if in_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if in_main:
            signal.signal(signal.SIGINT, handler)
    if came:
        raise KeyboardInterrupt


def end_with_parent() -> None:
    """Called in a worker: a parent that is killed cannot tell it to end, and it would wait for ever."""

    def watch(parent: multiprocessing.process.BaseProcess) -> None:
        parent.join()
        os._exit(1)

    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=watch, args=(parent,), daemon=True).start()


PATIENCE = 300.0
_TICK = 0.5
_WORD_EVERY = 0.25

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class JobResult(Generic[Job, Result]):
    """A piece of work and what came of it; `problem` says in one line why nothing did."""

    job: Job
    result: Result | None
    problem: str = ""
    exit_code: int = 0


class _Worker(Generic[Job]):
    def __init__(self, job: Job, work: Callable[[Job, Progress], object]) -> None:
        context = multiprocessing.get_context("spawn")
        self.job = job
        self.silent = 0.0
        self.words, other_end = context.Pipe(duplex=False)
        self.process = context.Process(target=_run, args=(work, job, other_end), daemon=True)
        with interrupts_held():
            self.process.start()
        other_end.close()

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.words.close()


def run_jobs(
    jobs: Sequence[Job],
    work: Callable[[Job, Progress], Result],
    workers: int,
    *,
    patience: float = PATIENCE,
    heard: Callable[[Job, str, int, int | None], None] | None = None,
) -> Generator[JobResult[Job, Result]]:
    """Do `work(job, progress)` for every job, `workers` at a time, and give what came of each as it is ready.

    `heard` is called with progress. Closed or interrupted, it ends what is running and leaves nothing behind.
    """
    todo = deque(jobs)
    running: list[_Worker[Job]] = []
    last = time.monotonic()
    try:
        while todo or running:
            while todo and len(running) < max(1, workers):
                running.append(_Worker(todo.popleft(), work))
            ready = wait([worker.words for worker in running], timeout=_TICK)
            now = time.monotonic()
            passed, last = min(now - last, 2 * _TICK), now
            for worker in list(running):
                worker.silent = 0.0 if worker.words in ready else worker.silent + passed
                done: JobResult[Job, Result] | None = None
                if worker.words in ready:
                    done = _listen(worker, heard)
                elif worker.silent > patience:
                    done = JobResult(worker.job, None, f"did not move for {patience:.0f} s and was ended", 1)
                if done is not None:
                    running.remove(worker)
                    worker.end()
                    yield done
    finally:
        for worker in running:
            worker.end()


def _listen(
    worker: _Worker[Job], heard: Callable[[Job, str, int, int | None], None] | None
) -> JobResult[Job, Any] | None:
    """Take one word of a worker; what it made when that was the last one."""
    try:
        kind, *values = worker.words.recv()
    except (EOFError, OSError):
        worker.process.join()
        return JobResult(worker.job, None, _death(worker.process.exitcode), 1)
    if kind == "at":
        if heard is not None:
            heard(worker.job, *values)
        return None
    if kind == "made":
        return JobResult(worker.job, values[0])
    return JobResult(worker.job, None, *values)


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        hint = " (out of memory?)" if -code == signal.SIGKILL else ""
        return f"its process was ended by {name}{hint}"
    return f"its process ended with code {code} before it was done"


def _run(work: Callable[[Any, Progress], object], job: object, words: Connection) -> None:
    """What a worker process does."""
    end_with_parent()
    told = 0.0

    def progress(step: str, done: int, total: int | None) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told > _WORD_EVERY:
            told = now
            words.send(("at", step, done, total))

    try:
        words.send(("made", work(job, progress)))
    except TrackdownError as error:
        words.send(("failed", str(error), error.exit_code))
    except Exception as error:
        words.send(("failed", f"unexpected {type(error).__name__}: {error}", 1))
    except BaseException:
        os._exit(1)
    words.close()
