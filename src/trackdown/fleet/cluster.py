"""Builds on a Dask cluster: local processes by default, or a scheduler that runs somewhere.

A task that fails is tried once more. A worker that dies takes nothing with it but its task. That is tried once more,
too; a scheduler that runs somewhere tries it as often as its own settings say, and takes no limit from a client. If the
scheduler or all its workers are lost, what was built so far counts.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from trackdown.errors import FleetError, UsageError
from trackdown.fleet.building import BuildTask, build
from trackdown.fleet.failures import BuildFailure, failure_of
from trackdown.fleet.manifest import BuiltShard
from trackdown.fleet.worker_watch import WorkerWatch
from trackdown.index import return_freed_memory
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

_RETRIES = 1
_CONNECT_SECONDS = 15
_LOOK_SECONDS = 0.5
_PAUSE, _TERMINATE = 0.80, 0.95
"""The shares of its memory from which on a worker starts nothing new, and is ended."""
_LOST = "the scheduler was lost before it was built: run the sync again"
Outcome = BuiltShard | BuildFailure
"""What was built, or why nothing was."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """`scheduler` is the address of a running one; otherwise `workers` local processes, 0 for this process alone.

    A local worker may use `memory_mb`: beyond it, it is ended and started anew. If no worker takes work for `patience`
    seconds, the rest fails.
    """

    scheduler: str = ""
    workers: int = 2
    memory_mb: int = 2048
    patience: float = 120.0

    @property
    def limits(self) -> tuple[object, ...]:
        """What may decide whether a repository can be built."""
        return self.scheduler, self.workers > 0, self.memory_mb


def build_all(
    tasks: Sequence[BuildTask],
    options: ClusterOptions,
    on_link: Callable[[str], None],
    progress: Progress = no_progress,
) -> Iterator[tuple[BuildTask, Outcome]]:
    """Build everything; yields each task with its outcome as it ends. `on_link` gets the dashboard's URL."""
    if not tasks:
        return
    if not options.scheduler and not options.workers:
        yield from ((task, _here(task)) for task in tasks)
        return
    with connected(options) as client:
        link = client.dashboard_link
        if link and (options.scheduler or find_spec("bokeh") is not None):  # without it a local one has no page
            on_link(link)
        yield from outcomes(client, tasks, options, progress=progress)


def _here(task: BuildTask) -> Outcome:
    for attempt in range(_RETRIES + 1):
        try:
            return build(task)
        except Exception as error:
            if attempt == _RETRIES:
                return failure_of(error)
    raise AssertionError


def _in_worker(task: BuildTask) -> BuiltShard:
    from distributed import get_worker

    try:
        return build(task, worker_folder=get_worker().local_directory)
    finally:
        return_freed_memory()


def outcomes(
    client: Client,
    tasks: Sequence[BuildTask],
    options: ClusterOptions,
    work: Callable[[BuildTask], BuiltShard] = _in_worker,
    progress: Progress = no_progress,
) -> Iterator[tuple[BuildTask, Outcome]]:
    """Do `work` on the workers of a client; yields each task with its outcome as it ends.

    Dask blames a worker that dies on all tasks in its queue. So a local worker gets no queue; elsewhere, tasks whose
    workers died are tried again alone.
    """
    run = _Run(client, work, options.scheduler, WorkerWatch(client, options.patience, progress))
    blamed: list[BuildTask] = []
    for task, outcome, was_killed in run(tasks, len(tasks) if options.scheduler else options.workers):
        if was_killed and options.scheduler and len(tasks) > 1:
            blamed.append(task)
        else:
            yield task, outcome
    for task, outcome, _ in run(blamed, 1):
        yield task, outcome


@dataclass(frozen=True, slots=True)
class _Run:
    """Does `work` on the workers of a client, while a watch looks after them."""

    client: Client
    work: Callable[[BuildTask], BuiltShard]
    scheduler: str
    watch: WorkerWatch

    def __call__(self, tasks: Sequence[BuildTask], most: int) -> Iterator[tuple[BuildTask, Outcome, bool]]:
        """Do it for tasks, `most` at a time; yields each with its outcome and whether its workers died."""
        left = deque(tasks)
        waiting: dict[Future, BuildTask] = {}
        ended: SimpleQueue[Future] = SimpleQueue()
        group = f"build-{os.urandom(4).hex()}"  # of one group a scheduler gives workers a few, and keeps the others
        why = _LOST
        try:
            while (left or waiting) and self.client.status == "running":
                if self.watch.is_over():
                    why = self.watch.why(self.scheduler)
                    break
                while left and len(waiting) < most:
                    task = left.popleft()
                    future = self.client.submit(self.work, task, key=(group, task.key), retries=_RETRIES, pure=False)
                    waiting[future] = task
                    future.add_done_callback(ended.put)
                try:
                    future = ended.get(timeout=_LOOK_SECONDS)
                except Empty:
                    continue
                yield waiting.pop(future), _outcome(future), _was_killed(future)
                del future  # else its worker keeps the result
        except (OSError, TimeoutError, RuntimeError):
            pass  # the connection to the scheduler ended
        for task in (*waiting.values(), *left):
            yield task, BuildFailure(why), False


def _outcome(future: Future) -> Outcome:
    from distributed import CancelledError, KilledWorker

    try:
        found = future.result()
    except KilledWorker as killed:
        why = "out of memory (of a local one: --memory), out of time (--timeout), or killed"
        return BuildFailure(f"its worker died {killed.allowed_failures + 1} times: {why}", lasts=True)
    except CancelledError:
        return BuildFailure(_LOST)
    except Exception as error:
        return failure_of(error)
    assert isinstance(found, BuiltShard)
    return found


def _was_killed(future: Future) -> bool:
    from distributed import KilledWorker

    return future.status == "error" and isinstance(future.exception(), KilledWorker)


@contextmanager
def connected(options: ClusterOptions) -> Iterator[Client]:
    """A client of the cluster, which is started if it is local. Raises FleetError and UsageError."""
    import dask
    from distributed import Client

    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "bokeh"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what went wrong is in the outcomes
    settings = {
        "distributed.scheduler.allowed-failures": _RETRIES,
        "distributed.comm.timeouts.connect": "60s",
        "distributed.worker.daemon": False,
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": _PAUSE,
        "distributed.worker.memory.terminate": _TERMINATE,
        "distributed.logging": {"distributed": "critical"},
    }
    with dask.config.set(settings):
        if options.scheduler:
            try:
                client = Client(options.scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
            except (OSError, TimeoutError):
                raise FleetError(f"no Dask scheduler answers at {options.scheduler}") from None
            except ValueError as error:
                raise UsageError(f"--scheduler: {error}") from None
            try:
                yield client
            finally:
                client.close(timeout=5)
            return
        with ExitStack() as stack:
            try:
                cluster = stack.enter_context(_local_cluster(options))
                client = stack.enter_context(Client(cluster, set_as_default=False))
            except (OSError, RuntimeError, TimeoutError) as error:
                why = " ".join(str(error).split())[:200] or type(error).__name__
                raise FleetError(f"the local Dask cluster did not start: {why}; --workers 0 needs none") from None
            yield client


def _local_cluster(options: ClusterOptions) -> LocalCluster:
    """A cluster of processes on this machine. If a worker dies while it starts, the cluster is started once more."""
    from distributed import LocalCluster

    for attempt in range(_RETRIES + 1):
        try:
            return LocalCluster(
                n_workers=options.workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=options.memory_mb << 20,
                dashboard_address="127.0.0.1:0",
                host="127.0.0.1",
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError):
            if attempt == _RETRIES:
                raise
    raise AssertionError
