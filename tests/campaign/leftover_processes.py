"""Processes that a case leaves behind: orphans are adopted, so that none is left over unseen."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LEAVING_SECONDS = 10.0
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Until the block ends, processes whose parent dies become children of this one."""
    before = ctypes.c_int(0)
    system = ctypes.CDLL(None)
    system.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    system.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        system.prctl(_PR_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def end_leftovers(expected: set[int]) -> list[str]:
    """Wait for this process's children to end, except those expected; kill and name those that stay.

    Orphans are among them while they are adopted.
    """
    until = time.monotonic() + _LEAVING_SECONDS
    while (left := living_children() - expected) and time.monotonic() < until:
        time.sleep(0.01)
    named = []
    for process in left:
        with suppress(OSError):
            named.append(Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
            os.kill(process, signal.SIGKILL)
    for process in _children().keys() - expected:  # orphans that nobody else waits for
        with suppress(ChildProcessError):
            os.waitpid(process, 0 if process in left else os.WNOHANG)
    return named


def living_children() -> set[int]:
    """Return the children of this process that have not ended."""
    return {process for process, state in _children().items() if state != "Z"}


def _children() -> dict[int, str]:
    """The children of this process, dead ones included, with their states as /proc has them."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", entry, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found[int(entry)] = fields[0]
    return found
