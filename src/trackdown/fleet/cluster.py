"""Builds on a Dask cluster: local processes by default, or a scheduler that runs somewhere.

A task that fails is tried once more. A worker that dies takes nothing with it but its task. That is tried once more,
too; a scheduler that runs somewhere tries it as often as its own settings say, and takes no limit from a client. If the
scheduler is lost, what was built so far counts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from trackdown.errors import FleetError, TrackdownError, UsageError
from trackdown.fleet.building import BuildTask, build
from trackdown.fleet.manifest import BuiltShard

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

_RETRIES = 1
_CONNECT_SECONDS = 15
_LOST = "the scheduler was lost before it was built: run the sync again"
Outcome = BuiltShard | str
"""What was built, or why nothing was."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """`scheduler` is the address of a running one; otherwise `workers` local processes, 0 for this process alone.

    A local worker may use `memory_mb`: beyond it, it is ended and started anew.
    """

    scheduler: str = ""
    workers: int = 2
    memory_mb: int = 2048


def build_all(tasks: Sequence[BuildTask], options: ClusterOptions, on_link: Any) -> Iterator[tuple[BuildTask, Outcome]]:
    """Build everything; yields each task with its outcome as it ends. `on_link` gets the dashboard's URL."""
    if not tasks:
        return
    if not options.scheduler and not options.workers:
        yield from ((task, _here(task)) for task in tasks)
        return
    with _client(options) as client:
        link = client.dashboard_link
        if link and (options.scheduler or find_spec("bokeh") is not None):  # without it a local one has no page
            on_link(link)
        yield from _outcomes(client, tasks)


def _here(task: BuildTask) -> Outcome:
    for attempt in range(_RETRIES + 1):
        try:
            return build(task)
        except Exception as error:
            if attempt == _RETRIES:
                return _why(error)
    raise AssertionError


def _outcomes(client: Client, tasks: Sequence[BuildTask]) -> Iterator[tuple[BuildTask, Outcome]]:
    from distributed import as_completed

    waiting: dict[Future, BuildTask] = {
        client.submit(
            _in_worker, task, key=f"build-{task.key}-{os.urandom(4).hex()}", retries=_RETRIES, pure=False
        ): task
        for task in tasks
    }
    try:
        for future in as_completed(list(waiting), loop=client.loop):
            yield waiting.pop(future), _outcome(future)
    except (OSError, TimeoutError, RuntimeError):
        pass  # the connection to the scheduler ended
    for task in waiting.values():
        yield task, _LOST


def _in_worker(task: BuildTask) -> BuiltShard:
    return build(task, in_worker=True)


def _outcome(future: Future) -> Outcome:
    from distributed import CancelledError, KilledWorker

    try:
        found = future.result()
    except KilledWorker as killed:
        why = "out of memory (of a local one: --memory), out of time (--timeout), or killed"
        return f"its worker died {killed.allowed_failures + 1} times: {why}"
    except CancelledError:
        return _LOST
    except Exception as error:
        return _why(error)
    assert isinstance(found, BuiltShard)
    return found


def _why(error: Exception) -> str:
    """One line about what went wrong with one repository."""
    said = " ".join(str(error).split())
    return said if isinstance(error, TrackdownError) else f"unexpected {type(error).__name__}: {said[:300]}"


@contextmanager
def _client(options: ClusterOptions) -> Iterator[Client]:
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
        "distributed.worker.memory.pause": False,  # a paused worker whose memory is not given back waits for ever
        "distributed.worker.memory.terminate": 0.95,
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
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=options.workers,
        threads_per_worker=1,
        processes=True,
        memory_limit=options.memory_mb << 20,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
        silence_logs=logging.CRITICAL,
    )
