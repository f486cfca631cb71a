"""Many blobs → facts, on all cores. Worker processes compute and never write; they end with their parent."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from trackdown.errors import TrackdownError
from trackdown.units.worker import Done, Extractor, Job, Place, receive, send

_BATCH = 24
_WORTH_A_PROCESS = 96


def extract_all(place: Place, jobs: Sequence[Job], workers: int) -> Iterator[list[Done]]:
    """Do all jobs, in any order, and yield what is done in lists. Few jobs are done in this process."""
    if workers < 2 or len(jobs) < _WORTH_A_PROCESS:
        yield from _here(place, jobs)
    else:
        yield from _in_processes(place, jobs, workers)


def _here(place: Place, jobs: Sequence[Job]) -> Iterator[list[Done]]:
    extractor = Extractor(place)
    try:
        for start in range(0, len(jobs), _BATCH):
            yield [extractor.do(job) for job in jobs[start : start + _BATCH]]
    finally:
        extractor.close()


def _in_processes(place: Place, jobs: Sequence[Job], workers: int) -> Iterator[list[Done]]:
    todo: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[list[Done] | TrackdownError] = queue.SimpleQueue()
    batches = -(-len(jobs) // _BATCH)
    for start in range(0, len(jobs), _BATCH):
        todo.put(list(jobs[start : start + _BATCH]))
    processes = [_start() for _ in range(workers)]
    threads = [
        threading.Thread(target=_serve, args=(process, place, todo, done), daemon=True) for process in processes
    ]
    try:
        for thread in threads:
            todo.put(None)
            thread.start()
        for _ in range(batches):
            answer = done.get()
            if isinstance(answer, TrackdownError):
                raise answer
            yield answer
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
        for thread in threads:
            thread.join(timeout=5)
        for process in processes:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        pass


def _start() -> subprocess.Popen[bytes]:
    # -P keeps the current folder off the import path: it may be an untrusted repository.
    command = [sys.executable, "-P", "-m", "trackdown.units.worker"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path("/"))


def _serve(
    process: subprocess.Popen[bytes],
    place: Place,
    todo: queue.SimpleQueue[list[Job] | None],
    done: queue.SimpleQueue[list[Done] | TrackdownError],
) -> None:
    """Feed one worker, two batches ahead, and pass on what it answers."""
    assert process.stdin is not None and process.stdout is not None
    answers = msgspec.msgpack.Decoder(list[Done])
    ahead = 0
    ended = False
    try:
        send(process.stdin, place)
        while not ended or ahead:
            while not ended and ahead < 2:
                batch = todo.get()
                if batch is None:
                    ended = True
                    break
                send(process.stdin, batch)
                ahead += 1
            if ahead:
                message = receive(process.stdout)
                if message is None:
                    raise OSError
                ahead -= 1
                done.put(answers.decode(message))
    except (OSError, ValueError):
        done.put(TrackdownError("a worker process died while it parsed files: run the command again"))
