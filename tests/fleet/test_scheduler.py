"""A scheduler that runs elsewhere: without workers, and with workers that die, a sync ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.fleet.fleets import SmallFleet, needs_extra
from trackdown.fleet import ClusterOptions, SyncOptions, SyncReport, read_fleet, sync

pytestmark = [needs_extra, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
PATIENCE = 4.0


@dataclass
class Cluster:
    """Processes of Dask as somebody would start them."""

    folder: Path
    address: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        """Start `dask scheduler` or `dask worker`."""
        environment = os.environ | {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
        }
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *words, "--no-dashboard"]
        with (self.folder / f"{program}.log").open("ab") as log:
            process = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def worker(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        return self.start("worker", self.address, "--nthreads", "1", *words)

    def ready_worker(self, *words: str) -> subprocess.Popen[bytes]:
        """A worker that the scheduler knows already: on a busy machine it takes a while to start."""
        from distributed import Client

        process = self.worker(*words)
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=120)
        return process

    def close(self) -> None:
        """End all of them, and what they started."""
        for process in self.processes:
            for one in [*psutil.Process(process.pid).children(recursive=True), process]:
                with suppress(psutil.Error):
                    one.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers. It blames a task for the second worker that dies."""
    folder = tmp_path / "dask"
    folder.mkdir()
    made = Cluster(folder)
    about = folder / "scheduler.json"
    try:
        made.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(about))
        until = time.monotonic() + 30
        while not (about.exists() and about.stat().st_size) and time.monotonic() < until:
            time.sleep(0.1)
        made.address = json.loads(about.read_text())["address"]
        yield made
    finally:
        made.close()


def synced(
    fleet: SmallFleet,
    cluster: Cluster,
    told: list[str] | None = None,
    killed: subprocess.Popen[bytes] | None = None,
) -> SyncReport:
    """Sync on a cluster. `told` gets the steps; a process is killed as soon as something is built."""

    def progress(step: str, done: int, total: int | None) -> None:
        if told is not None:
            told.append(step)
        if killed is not None and (step, done) == ("build", 1):
            killed.kill()

    options = SyncOptions(ClusterOptions(cluster.address, patience=PATIENCE))
    return sync(read_fleet(fleet.file), fleet.settings, options, progress=progress)


def test_without_workers_it_says_how_to_start_some(fleet: SmallFleet, cluster: Cluster) -> None:
    told: list[str] = []
    report = synced(fleet, cluster, told)
    assert set(report.problems) == {"shop", "bank", "maps"}
    why = f"the scheduler at {cluster.address} has no workers: start some with `dask worker {cluster.address}`"
    assert set(report.problems.values()) == {why}
    assert "workers" in told


def test_the_last_worker_dies_and_what_was_built_is_published(fleet: SmallFleet, cluster: Cluster) -> None:
    for number in range(30):
        fleet.repository(f"more{number}", {"more.py": f"def more_{number}():\n    return {number}\n"})
    fleet.write(shop=["open"], **{f"more{number}": ["open"] for number in range(30)})
    report = synced(fleet, cluster, killed=cluster.ready_worker("--no-nanny"))
    assert report.built and report.problems
    assert len(report.built) + len(report.problems) == 31
    assert report.repositories == len(report.built)
    assert all("has no workers" in why or "its worker died" in why for why in report.problems.values())


def test_one_that_needs_too_much_memory_fails_alone(tmp_path: Path, cluster: Cluster) -> None:
    from tests.fleet.leaving import take_too_much, tasks_for
    from trackdown.fleet.cluster import connected, outcomes
    from trackdown.fleet.failures import BuildFailure

    log = tmp_path / "log"
    cluster.worker("--memory-limit", "300MiB")
    options = ClusterOptions(cluster.address, patience=60)
    with connected(options) as client:
        found = {task.name: outcome for task, outcome in outcomes(client, tasks_for(log, 6), options, take_too_much)}
    failed = {name: outcome for name, outcome in found.items() if isinstance(outcome, BuildFailure)}
    assert set(found) == {f"r{number}" for number in range(6)}
    assert set(failed) == {"r0"} and failed["r0"].message.startswith("its worker died 2 times: out of memory")


def test_a_full_worker_is_restarted_by_its_nanny(tmp_path: Path, cluster: Cluster) -> None:
    from tests.fleet.leaving import leave_memory, tasks_for
    from trackdown.fleet.cluster import connected, outcomes
    from trackdown.fleet.failures import BuildFailure

    log = tmp_path / "log"
    cluster.worker("--memory-limit", "400MiB")
    options = ClusterOptions(cluster.address, patience=60)
    with connected(options) as client:
        found = list(outcomes(client, tasks_for(log, 3), options, leave_memory))
    assert not [outcome for _, outcome in found if isinstance(outcome, BuildFailure)]


def test_the_scheduler_dies_and_what_was_built_is_published(fleet: SmallFleet, cluster: Cluster) -> None:
    cluster.ready_worker()
    report = synced(fleet, cluster, killed=cluster.processes[0])
    assert report.built and all("the scheduler was lost" in why for why in report.problems.values())
    assert set(report.built) | set(report.problems) == {"shop", "bank", "maps"}
