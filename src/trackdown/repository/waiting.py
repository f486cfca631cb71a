"""Wait for a git process, but not forever.

An untrusted repository can hold a named pipe where git expects a file, and git would wait there. Linux tells where a
process sleeps; elsewhere, a process that sleeps and does not once wake up for a while waits in vain: on a slow disk or
a busy machine it goes from one request to the next.
"""

from __future__ import annotations

import math
import os
import re
import selectors
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from trackdown.errors import GitError, GitTimeout
from trackdown.types import FORK_SAFE_THREAD

LONGEST_SLEEP = 15.0
"""Seconds that git may sleep while we wait for it. Only on Linux: elsewhere only the total is bounded."""
_LOOKS = 3
_LOOK_EVERY = 0.5
_SLOW_RUN = 2.0
_LAST_CHANCE = 8.0
"""Seconds that git is given after something was found that may keep it waiting: it may be slow for another reason."""
_OPENING_A_PIPE = b"wait_for_partner"
"""The function of the kernel in which a process waits that opens a named pipe which nobody writes to."""
_AT_PIPE = (
    "git was stopped because it waits at a named pipe: "
    "is one in place of a file of this repository, or of git's settings?"
)
_WAITS = re.compile(rb"^voluntary_ctxt_switches:\s*(\d+)", re.M)


class ProcessWatch:
    """Tells when to stop waiting for a process: after `seconds` at the latest, sooner if it only sleeps."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._slept_since = time.monotonic()
        self._activity: tuple[int, ...] | None = None

    def until_next_look(self) -> float:
        """Seconds to wait before the next `look`."""
        return max(0.0, min(self._end - time.monotonic(), LONGEST_SLEEP / _LOOKS, _LOOK_EVERY))

    def is_over(self) -> bool:
        """Whether the time is up, even if the process is still busy."""
        return time.monotonic() >= self._end

    def is_at_pipe(self) -> bool:
        """Whether the process waits for somebody to write to a named pipe. False where the system does not tell."""
        tasks = f"{self._process.pid}/task"
        return any(_read_proc(f"{tasks}/{thread}/wchan") == _OPENING_A_PIPE for thread in _listed(f"/proc/{tasks}"))

    def look(self) -> None:
        """Raise GitError if there is no point in waiting any longer, GitTimeout if the process still works.

        The caller ends the process.
        """
        now = time.monotonic()
        if self.is_at_pipe():
            raise GitError(_AT_PIPE)
        if self.is_over():
            late = f"it did not end within {self._seconds:.0f} s"
            raise GitTimeout(f"git was stopped because {late}: try again when the disk and the machine are less busy")
        activity = _activity_of_sleeper(self._process.pid)
        if activity is None or activity != self._activity:
            self._activity, self._slept_since = activity, now
        elif now - self._slept_since >= LONGEST_SLEEP:
            slept = f"it did nothing for {LONGEST_SLEEP:.0f} s"
            raise GitError(f"git was stopped because {slept}: is a named pipe in place of a file of this repository?")


def communicate(
    process: subprocess.Popen[bytes], stdin: bytes | None, seconds: float | None, work_tree: Path | None = None
) -> tuple[bytes, bytes]:
    """What a process writes until it ends. With `seconds`, raises GitError when they are over or it waits in vain.

    If it is slow in a work tree, look there for what may keep it waiting. A process that ends soon after is not blamed.
    """
    if seconds is None:
        return process.communicate(stdin)
    if process.stdin is not None and stdin:
        threading.Thread(target=_feed, args=(process.stdin, stdin), name=FORK_SAFE_THREAD, daemon=True).start()
    elif process.stdin is not None:
        process.stdin.close()
    process.stdin = None
    watch = ProcessWatch(process, seconds)
    written = _read_all(process, watch, work_tree)
    process.wait()  # it ends as soon as its pipes are closed; with a timeout, Popen would poll
    return written


def _read_all(process: subprocess.Popen[bytes], watch: ProcessWatch, work_tree: Path | None) -> tuple[bytes, bytes]:
    """What a process writes to both pipes until it closes them.

    What may keep it waiting is named only if it is still running some seconds later.
    """
    assert process.stdout is not None and process.stderr is not None
    pieces: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    silent_since = time.monotonic()
    obstacle, blamed_at = None, math.inf
    with selectors.DefaultSelector() as selector:
        for pipe in pieces:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            suspicious_at = silent_since + _SLOW_RUN if obstacle is None else blamed_at
            ready = selector.select(max(0.0, min(watch.until_next_look(), suspicious_at - time.monotonic())))
            now = time.monotonic()
            if ready:
                silent_since = now
            elif watch.is_at_pipe():
                raise GitError(_find_obstacle(work_tree) or _AT_PIPE)
            elif obstacle is None and now >= suspicious_at:
                obstacle = _find_obstacle(work_tree)
                blamed_at = time.monotonic() + _LAST_CHANCE if obstacle else math.inf
            if now >= blamed_at:
                raise GitError(obstacle)
            if not ready or watch.is_over():
                watch.look()
            for key, _ in ready:
                piece = os.read(key.fd, 1 << 16)
                pieces[key.fd].append(piece)
                if not piece:
                    selector.unregister(key.fd)
    out, err = (b"".join(read) for read in pieces.values())
    process.stdout.close()
    process.stderr.close()
    return out, err


def _find_obstacle(work_tree: Path | None) -> str:
    from trackdown.repository.obstacles import find_obstacle  # needed only where git is slow

    return find_obstacle(work_tree)


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with suppress(OSError), pipe:
        pipe.write(data)


def wait_for_output(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a process has written something or has ended. If it does neither, ends it and raises GitError."""
    import select

    assert process.stdout is not None
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if poll.poll(0):
        return
    watch = ProcessWatch(process, seconds)
    while not poll.poll(watch.until_next_look() * 1000):
        try:
            watch.look()
        except GitError:
            process.kill()
            raise


def _activity_of_sleeper(pid: int) -> tuple[int, ...] | None:
    """Numbers that grow whenever a process that sleeps, or a thread of it, wakes up: how much processor time it has
    used, and how often each thread has begun to wait. None if it does not sleep, or nobody knows.

    Time alone is too coarse: a few requests a second to a file system on a network take none that is counted.
    """
    fields = _read_proc(f"{pid}/stat").rpartition(b")")[2].split()
    if fields[:1] != [b"S"]:
        return None
    try:
        threads = sorted(_listed(f"/proc/{pid}/task"))
        waits = [_WAITS.search(_read_proc(f"{pid}/task/{thread}/status")) for thread in threads]
        return (int(fields[11]) + int(fields[12]), *(int(found[1]) if found else -1 for found in waits))
    except (IndexError, ValueError):
        return None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read_proc(name: str) -> bytes:
    try:
        descriptor = os.open(f"/proc/{name}", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 1 << 14)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
