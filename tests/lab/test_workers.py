"""Work in processes of its own: what fails, crashes or hangs does so alone."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import closing

import pytest

from trackdown.errors import UsageError
from trackdown.lab.workers import JobResult, run_jobs
from trackdown.types import Progress


def act(job: str, progress: Progress) -> str:
    """What the tests ask a worker to do."""
    kind, _, value = job.partition(" ")
    if kind == "fail":
        raise UsageError(f"cannot: {value}")
    if kind == "break":
        raise ZeroDivisionError("by zero")
    if kind == "exit":
        os._exit(int(value))
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "hang":
        time.sleep(600)
    if kind == "spin":
        while True:
            pass
    if kind == "slow":
        for number in range(int(value)):
            time.sleep(0.3)
            progress("step", number, None)
    return f"{kind} done"


def results(jobs: list[str], workers: int = 2, patience: float = 30.0) -> dict[str, JobResult[str, str]]:
    return {done.job: done for done in run_jobs(jobs, act, workers, patience=patience)}


def test_every_job_is_done_whatever_becomes_of_the_others() -> None:
    found = results(["ok", "fail x", "break", "exit 3", "kill", "fine"])
    assert {job: done.result for job, done in found.items() if done.result} == {"ok": "ok done", "fine": "fine done"}
    assert (found["fail x"].problem, found["fail x"].exit_code) == ("cannot: x", 2)
    assert found["break"].problem == "unexpected ZeroDivisionError: by zero"
    assert found["exit 3"].problem == "its process ended with code 3 before it was done"
    assert found["kill"].problem == "its process was ended by SIGKILL (out of memory?)"


@pytest.mark.parametrize("job", ["hang", "spin"])
def test_what_does_not_move_is_ended(job: str) -> None:
    found = results([job, "ok"], patience=3.0)
    assert found["ok"].result == "ok done"
    assert found[job].problem == "did not move for 3 s and was ended"
    assert multiprocessing.active_children() == []


def test_what_moves_slowly_is_left_to_it() -> None:
    assert results(["slow 20"], workers=1, patience=3.0)["slow 20"].result == "slow done"


def test_progress_is_heard() -> None:
    heard: list[tuple[str, str, int, int | None]] = []
    done = list(run_jobs(["slow 3"], act, 1, heard=lambda *words: heard.append(words)))
    assert done[0].result and heard[0] == ("slow 3", "step", 0, None)


def test_closed_it_leaves_nothing_running() -> None:
    with closing(run_jobs(["ok", "hang", "hang 2"], act, 3)) as found:
        assert next(found).job == "ok"
    assert multiprocessing.active_children() == []


def test_without_jobs() -> None:
    assert list(run_jobs([], act, 2)) == []
