"""Work for real Dask workers that leaves memory behind in them, or needs too much of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from distributed import get_worker

from trackdown.fleet.building import BuildTask
from trackdown.fleet.definition import PlaceAddress
from trackdown.fleet.manifest import BuiltShard

_SHARE = 0.88
"""Of its memory that a worker is left with: above the pause, and below its end."""
_left: list[bytes] = []


def tasks_for(log: Path, count: int) -> list[BuildTask]:
    """Tasks whose work writes a line into a log."""
    address = PlaceAddress(str(log.parent))
    return [BuildTask(f"r{n}", str(log), "", f"key{n}", 1, False, "", address, 60.0) for n in range(count)]


def leave_memory(task: BuildTask) -> BuiltShard:
    """Write down the process and its share of memory at the start, and end with most of it in use."""
    memory, limit = _memory()
    with Path(task.where).open("a") as log:
        log.write(f"{os.getpid()} {memory / limit:.3f}\n")
    _left.append(b"x" * (int(limit * _SHARE) - memory))
    time.sleep(0.5)
    return _built(task)


def take_too_much(task: BuildTask) -> BuiltShard:
    """Write down the process; the first repository needs more memory than there is."""
    with Path(task.where).open("a") as log:
        log.write(f"{os.getpid()} {task.name}\n")
    if task.name == "r0":
        _left.append(b"x" * _memory()[1])
        time.sleep(60)
    return _built(task)


def _memory() -> tuple[int, int]:
    worker = get_worker()
    return worker.monitor.get_process_memory(), worker.memory_manager.memory_limit


def _built(task: BuildTask) -> BuiltShard:
    return BuiltShard(task.key, "", "sha1", 1, "", "", 0, "", 0, "", 0, 0, 0, 0, 0, {}, [], 0.0)
