"""The benchmark of same answers leaves nothing running."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
KEEPING_BUSY = (
    "import time\nfrom same_answer import busy_processes\n"
    "with busy_processes(2) as busy:\n"
    "    print(*(one.pid for one in busy), flush=True)\n    time.sleep(60)\n"
)


def is_running(process: int) -> bool:
    """Whether a process computes; one that has ended may wait for its new parent to notice."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_busy_processes_end_when_the_benchmark_is_killed() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(BENCHMARKS), *sys.path])}
    command = [sys.executable, "-c", KEEPING_BUSY]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as bench:
        assert bench.stdout is not None
        busy = [int(number) for number in bench.stdout.readline().split()]
        assert len(busy) == 2 and all(map(is_running, busy))
        bench.kill()
    end = time.monotonic() + 30
    while any(map(is_running, busy)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(is_running, busy))


def test_busy_processes_end_with_their_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    with import_module("same_answer").busy_processes(2) as busy:
        assert [one.poll() for one in busy] == [None, None]
    assert [one.returncode for one in busy] == [-9, -9]
