"""Starts worker processes: a new program, or for a few files a fork of this process, which starts much sooner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from trackdown.types import FORK_SAFE_THREAD
from trackdown.units.parsing import load_language
from trackdown.units.worker import ContentSource, run_jobs, send, start_clocks

NOWHERE = ContentSource("/", None, True, "sha1", 1 << 20)
"""The source of workers that are idle, or whose jobs bring their contents."""
_STDERR = 2
_LOCK = threading.Lock()
_warm: list[WorkerProcess] = []


class Process(Protocol):
    """What a worker needs from its process: subprocess.Popen has it, too."""

    def kill(self) -> None:
        """End it at once."""

    def wait(self) -> int:
        """Wait for its end, and return the exit status."""

    def poll(self) -> int | None:
        """The exit status if it has ended."""


@dataclass(slots=True)
class WorkerProcess:
    """A worker's process and the pipes to it."""

    process: Process
    stdin: IO[bytes]
    stdout: IO[bytes]

    def end(self) -> int:
        """Kill the process unless it has ended, close the pipes, and return its exit status."""
        self.process.kill()
        status = self.process.wait()
        for pipe in (self.stdin, self.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        return status


def start_program() -> WorkerProcess:
    """A worker as a program of its own.

    -P keeps the current folder off the import path: it may be an untrusted repository. In its own process group the
    worker doesn't receive Ctrl-C, which is meant for this process; it ends when this process does.
    """
    command = [sys.executable, "-P", "-m", "trackdown.units.worker"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path("/"), process_group=0)
    assert process.stdin is not None and process.stdout is not None
    return WorkerProcess(process, process.stdin, process.stdout)


def start_quickly(languages: Iterable[str] = ()) -> WorkerProcess:
    """A worker for a few files: a fork where that is safe, else a warm one."""
    if not _may_fork():
        return start_warm()
    for language in languages:
        load_language(language)  # so that the child need not load libraries
    return _fork()


def _may_fork() -> bool:
    """Whether only the main thread and threads known to do no harm are running: servers never fork."""
    current = threading.current_thread()
    others = (thread.name for thread in threading.enumerate() if thread is not current)
    return (
        sys.platform == "linux"
        and current is threading.main_thread()
        and all(name == FORK_SAFE_THREAD for name in others)
    )


def start_warm() -> WorkerProcess:
    """A worker that is warm already, or a program that will stay so."""
    with _LOCK:
        while _warm:
            worker = _warm.pop()
            if worker.process.poll() is None:
                return worker
            worker.end()
    return start_program()


def keep_warm(worker: WorkerProcess) -> None:
    """Take back an idle worker. One program is kept for the next files; a fork ends by itself, and nobody waits."""
    if not isinstance(worker.process, subprocess.Popen):
        worker.stdin.close()
        worker.stdout.close()
        return
    try:
        send(worker.stdin, NOWHERE)  # it lets go of the repository
    except OSError:
        worker.end()
        return
    with _LOCK:
        if not _warm:
            _warm.append(worker)
            return
    worker.end()


class _ForkedProcess:
    """A forked child, with the methods of Popen that workers need.

    Where whoever started us lets the system take away dead children (SIGCHLD is ignored), its status is 0.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._status is None:
            self._wait(0)
        return self._status or 0

    def poll(self) -> int | None:
        if self._status is None:
            self._wait(os.WNOHANG)
        return self._status

    def _wait(self, options: int) -> None:
        try:
            pid, status = os.waitpid(self._pid, options)
        except ChildProcessError:
            pid, status = self._pid, 0
        self._status = os.waitstatus_to_exitcode(status) if pid else None


def _fork() -> WorkerProcess:
    """A worker as a copy of this process. It starts in a few milliseconds, because everything is imported already."""
    jobs_out, jobs_in = os.pipe()
    answers_out, answers_in = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # native threads of libraries that the child doesn't call
        pid = os.fork()
    if pid == 0:
        _in_child(jobs_out, answers_in)
    os.close(jobs_out)
    os.close(answers_in)
    return WorkerProcess(_ForkedProcess(pid), os.fdopen(jobs_in, "wb"), os.fdopen(answers_out, "rb"))


def _in_child(jobs_out: int, answers_in: int) -> None:
    """Do jobs and exit, without returning to the parent's code whatever happens.

    All other files are closed: a git that another thread feeds would wait for the end of its input as long as we have
    a copy of the pipe, and a lock would stay locked.
    """
    try:
        start_clocks()
        os.setpgid(0, 0)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > _STDERR and int(name) not in (jobs_out, answers_in):
                with suppress(OSError):  # the one that listed them
                    os.close(int(name))
        run_jobs(os.fdopen(jobs_out, "rb"), os.fdopen(answers_in, "wb"))
    finally:
        os._exit(0)
