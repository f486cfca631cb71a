"""Builds on a Dask cluster: workers that die cost a repository a line, never the run."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import httpx
import psutil
import pytest

from tests.fleet.fleets import SmallFleet, needs_extra, places
from trackdown.errors import FleetError
from trackdown.fleet import ClusterOptions, SyncOptions, read_fleet, sync

pytestmark = [needs_extra, pytest.mark.slow]
LITTLE_MB = 190
"""Enough for a worker to start, and too little to index a repository of BIG files."""
BIG = 40


def test_workers_build_what_this_process_would(fleet: SmallFleet) -> None:
    fleet.write(shop=["open"], bank=["closed"], maps=["open"], gone=["open"])
    report = fleet.sync(cluster=ClusterOptions(workers=2))
    assert (len(report.built), list(report.problems)) == (3, ["gone"])
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"
    shards = {path.name for path in (fleet.folder / "place" / "shards").iterdir()}
    fleet.place = "other"
    fleet.write(shop=["open"], bank=["closed"], maps=["open"])
    fleet.sync()
    assert {path.name for path in (fleet.folder / "other" / "shards").iterdir()} == shards


@contextmanager
def killing(chosen: Callable[[psutil.Process], bool]) -> Iterator[list[int]]:
    """Kills the first worker that is chosen, as soon as it is; yields its id."""
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        while not killed and not done.wait(0.02):
            for child in psutil.Process().children():
                if chosen(child):
                    os.kill(child.pid, signal.SIGKILL)
                    killed.append(child.pid)
                    break

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        done.set()
        killer.join()


def test_a_worker_that_is_killed_while_it_starts_costs_nothing(fleet: SmallFleet) -> None:
    with killing(_is_worker) as killed:
        report = fleet.sync(cluster=ClusterOptions(workers=1))
    assert killed
    assert (set(report.built), dict(report.problems)) == ({"shop", "bank", "maps"}, {})


def test_workers_that_are_killed_cost_at_most_their_repositories(
    fleet: SmallFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))  # of the workers
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with killing(_is_building) as killed:
        report = fleet.sync(cluster=ClusterOptions(workers=1))
    assert killed
    assert not [path for path in scratch.rglob("*") if path.name.startswith("trackdown-fleet-")]
    assert set(report.built) | set(report.problems) == {"shop", "bank", "maps"}
    fleet.sync()
    assert places(fleet.search("book a transfer"))[0][0] == "bank"


def _is_worker(process: psutil.Process) -> bool:
    """Whether a process is a worker of Dask, which may still be starting."""
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def _is_building(process: psutil.Process) -> bool:
    """Whether a process is a worker of Dask that has started a process of its own, as a build does."""
    try:
        return _is_worker(process) and bool(process.children())
    except psutil.Error:
        return False


def test_a_scheduler_that_is_not_there_is_said_so(fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trackdown.fleet.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(FleetError, match="no Dask scheduler answers at tcp://127"):
        fleet.sync(cluster=ClusterOptions("tcp://127.0.0.1:9"))


def test_a_repository_that_takes_too_long_is_a_line(fleet: SmallFleet, tmp_path: Path) -> None:
    report = fleet.sync(seconds=0.0001)
    assert all("it took longer than" in message for message in report.problems.values())
    assert set(report.problems) == {"shop", "bank", "maps"}


def test_a_link_to_the_dashboard_leads_to_one(fleet: SmallFleet) -> None:
    pages: list[httpx.Response] = []
    options = SyncOptions(ClusterOptions(workers=1))

    def visit(link: str) -> None:
        pages.append(httpx.get(link, follow_redirects=True))

    sync(read_fleet(fleet.file), fleet.settings, options, on_link=visit)
    assert bool(pages) == (find_spec("bokeh") is not None)
    assert all(page.status_code == 200 and "Dask needs" not in page.text for page in pages)


def test_a_worker_that_is_out_of_memory_costs_its_repository_a_line(fleet: SmallFleet) -> None:
    fleet.sync()
    fleet.repository("big", {f"big{number}.py": code_of(number) for number in range(BIG)})
    fleet.write(shop=["open"], bank=["closed"], maps=["open"], big=["open"])
    report = fleet.sync(cluster=ClusterOptions(workers=1, memory_mb=LITTLE_MB))
    assert report.problems["big"].startswith("its worker died 2 times: out of memory (of a local one: --memory)")
    assert set(report.problems) == {"big"} and set(report.reused) == {"shop", "bank", "maps"}
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"
    assert fleet.sync().built == ("big",)


def code_of(number: int) -> str:
    """A file of many functions."""
    names = (f"value_{number}_{at}" for at in range(2_000))
    return "".join(f"def {name}(given_{name}):\n    return given_{name} + {number}\n" for name in names)
