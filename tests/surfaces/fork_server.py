"""A process that has imported the program already, and forks a run of it on demand.

Importing takes most of a short run's time, and tests run the program hundreds of times. A forked run has its own
process, environment, folder and streams, and ends as `python -m trackdown` does. Tests of how the program starts, of
signals and of terminals start it themselves.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from trackdown.units.languages import BY_NAME
from trackdown.units.parsing import load_language

PRELOADED = (
    "trackdown.engine",
    "trackdown.surfaces.cli.main",
    "trackdown.surfaces.cli.search",
    "rich.console",
    "rich.progress",
    "concurrent.futures",
    "importlib.metadata",
    "simsimd",
)
_AT_START = ("PYTHON", "LC_", "LANG")  # what an interpreter reads once, when it starts
_STATUS = struct.Struct("!i")


def can_fork(environment: dict[str, str]) -> bool:
    """Whether a forked run would be like one that starts anew: the interpreter's own variables are the server's."""
    return "coverage" not in sys.modules and _at_start(environment) == _at_start(dict(os.environ))


def _at_start(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_AT_START)}


def run_forked(
    arguments: Sequence[str | bytes | Path], folder: Path, environment: dict[str, str], stdin: bytes, timeout: float
) -> tuple[int, bytes, bytes]:
    """Run the program in a fork of the server; its exit code (below 0: the signal), standard output and error."""
    request = {"arguments": [os.fsdecode(one) for one in arguments], "folder": str(folder), "environment": environment}
    with (
        _file(json.dumps(request).encode()) as asked,
        _file(stdin) as given,
        _file(b"") as out,
        _file(b"") as err,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        connection.connect(str(_server()))
        socket.send_fds(connection, [b"run"], [asked.fileno(), given.fileno(), out.fileno(), err.fileno()])
        connection.settimeout(timeout)
        (pid,) = _STATUS.unpack(connection.recv(_STATUS.size))
        try:
            (code,) = _STATUS.unpack(connection.recv(_STATUS.size))
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            raise
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


def _file(content: bytes) -> IO[bytes]:
    opened = tempfile.TemporaryFile()  # noqa: SIM115 - closed by its callers
    opened.write(content)
    opened.seek(0)
    return opened


@cache
def _server() -> Path:
    """The socket of this process's server, which ends when this process does."""
    folder = tempfile.TemporaryDirectory(prefix="trackdown-fork-")
    path = Path(folder.name) / "socket"
    command = [sys.executable, "-m", "tests.surfaces.fork_server", str(path)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == b"ready\n", "the fork server did not start"

    def end() -> None:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)
        folder.cleanup()

    atexit.register(end)
    return path


def _serve(path: str) -> Any:
    """Fork a run for every connection. Returns a request in a fork, and nothing when standard input ends."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    for name in PRELOADED:
        importlib.import_module(name)
    for language in BY_NAME:
        load_language(language)  # `doctor` compiles the queries of all of them
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([listener.fileno(), 0], [], [])
        if 0 in readable:
            return None
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _begin(connection)
        connection.close()


def _begin(connection: socket.socket) -> Any:
    """Fork once more: the parent stays to tell how the run ended, the child becomes the run."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, _, _ = socket.recv_fds(connection, 16, 4)
    child = os.fork()
    if child:
        with suppress(OSError):  # nobody waits any more
            connection.sendall(_STATUS.pack(child))
            connection.sendall(_STATUS.pack(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
        os._exit(0)
    connection.close()
    with os.fdopen(files[0], "rb") as stream:
        request = json.load(stream)
    for number, file in enumerate(files[1:]):
        os.dup2(file, number)
        os.close(file)
    return request


def _become(request: Any) -> None:
    """Be `python -m trackdown` with these arguments."""
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.path[0] = request["folder"]
    sys.argv = ["trackdown", *request["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.modules["__main__"].__spec__ = importlib.util.find_spec("trackdown.__main__")  # what worker processes look at
    importlib.import_module("trackdown.surfaces.cli.main").run()


if __name__ == "__main__":
    _request = _serve(sys.argv[1])
    if _request is not None:
        _become(_request)
