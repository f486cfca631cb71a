"""A look after the workers of a cluster: restart those that are full and idle, and tell when none is left.

Dask pauses a worker that uses most of its memory. It never goes on if that memory is not given back, which only a new
process does for certain. And a task that no worker takes waits for ever.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trackdown.types import Progress

if TYPE_CHECKING:
    from distributed import Client

_EVERY_SECONDS = 1.0
_ANSWER_SECONDS = 60.0
_TOLD_AFTER = 3.0
"""Seconds without a worker from which on the progress says so."""


class WorkerWatch:
    """Looks at the workers of a client whenever it is asked whether it `is_over`, at most once a second."""

    def __init__(self, client: Client, patience: float, progress: Progress) -> None:
        self._client = client
        self._patience = patience
        self._progress = progress
        self._looked_at = self._worked_at = time.monotonic()
        self._count = 0
        self._running: frozenset[str] = frozenset()
        self._full: dict[str, float] = {}
        self._told = False

    def is_over(self) -> bool:
        """Whether no worker took work for as long as patience goes. Raises TimeoutError if the scheduler is silent."""
        now = time.monotonic()
        if now - self._looked_at >= _EVERY_SECONDS and self._client.status == "running":
            self._looked_at = now
            self._look()
        idle = now - self._worked_at
        if self._told != (idle > _TOLD_AFTER):
            self._told = not self._told
            self._progress("workers", 0 if self._told else 1, None if self._told else 1)
        return idle > self._patience

    def why(self, scheduler: str) -> str:
        """Say in one line why nothing is built any more, and what to do."""
        if self._count and scheduler:
            return f"all workers at {scheduler} are out of memory: give them more with --memory-limit"
        if scheduler:
            return f"the scheduler at {scheduler} has no workers: start some with `dask worker {scheduler}`"
        return "the workers are out of memory as soon as they start: give them more with --memory"

    def _look(self) -> None:
        workers = self._workers()
        if workers is None:
            return
        self._count = len(workers)
        running = frozenset(name for name, worker in workers.items() if worker["status"] == "running")
        # One that is full as it starts runs for a moment only.
        if running & self._running or any(_tasks(worker, "executing") for worker in workers.values()):
            self._worked_at = time.monotonic()
        self._running = running
        full = {name: worker["last_seen"] for name, worker in workers.items() if _is_full_and_idle(worker)}
        # What a worker is doing may be news of before it was paused: wait for the next.
        restarted = [name for name, seen in full.items() if self._full.get(name, seen) < seen]
        self._full = full
        if restarted:
            # Not `restart_workers`: a nanny that restarts one may take its new process off the scheduler's list.
            self._client.run(os._exit, 1, workers=restarted, on_error="ignore")

    def _workers(self) -> Mapping[str, Any] | None:
        try:
            asked = self._client.scheduler.identity
            return dict(self._client.sync(asked, n_workers=-1, callback_timeout=_ANSWER_SECONDS)["workers"])
        except TimeoutError:
            raise
        except OSError:
            return None  # if the scheduler is lost, the client cancels what it waits for


def _is_full_and_idle(worker: Mapping[str, Any]) -> bool:
    """Whether a worker is paused and has neither work nor results; only a nanny starts a new one."""
    idle = not _tasks(worker, "executing") and not _tasks(worker, "memory")
    return worker["status"] == "paused" and bool(worker["nanny"]) and idle


def _tasks(worker: Mapping[str, Any], state: str) -> int:
    return int(worker["metrics"].get("task_counts", {}).get(state, 0))
