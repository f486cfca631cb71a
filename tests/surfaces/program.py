"""The program as its users start it: a process of its own, with pipes or with a terminal at its ends."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.surfaces.fork_server import can_fork, run_forked

COMMAND = (sys.executable, "-m", "trackdown")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended and what it printed; undecodable bytes are lone surrogates."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The answer of a run that went well and printed JSON and nothing else."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    def refused(self, code: int, *words: str) -> None:
        """Assert that it failed with this code, and said so in one line with these words in it."""
        assert (self.code, self.out) == (code, ""), (self.code, self.out, self.err)
        assert self.err.startswith("trackdown: ") and self.err.count("\n") == 1 and self.err.endswith("\n"), self.err
        assert "Traceback" not in self.err and "--debug" not in self.err, self.err
        for word in words:
            assert word in self.err, self.err


@dataclass(frozen=True, slots=True)
class Program:
    """Runs `trackdown` with a store of its own, in a folder."""

    store: Path
    folder: Path
    variables: Mapping[str, str | None] = field(default_factory=dict)

    def having(self, **variables: str | None) -> Program:
        """The same with other environment variables; None takes one away."""
        return replace(self, variables={**self.variables, **variables})

    def within(self, folder: Path) -> Program:
        """The same in another folder."""
        return replace(self, folder=folder)

    def environment(self) -> dict[str, str]:
        """The environment of a run."""
        values = os.environ | {"TRACKDOWN_STORE": str(self.store), "COLUMNS": "", "TERM": "xterm-256color"}
        for name, value in self.variables.items():
            values.pop(name, None)
            if value is not None:
                values[name] = value
        return values

    def __call__(
        self,
        *arguments: str | bytes | Path,
        stdin: str | bytes = b"",
        before: Callable[[], None] | None = None,
        timeout: float = 300,
    ) -> Run:
        """Run to the end. `before` runs in the child, before the program does."""
        environment, given = self.environment(), stdin.encode() if isinstance(stdin, str) else stdin
        if before is None and can_fork(environment):
            code, out, err = run_forked(arguments, self.folder, environment, given, timeout)
            return Run(code, os.fsdecode(out), os.fsdecode(err))
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=environment,
            input=given,
            capture_output=True,
            preexec_fn=before,
            timeout=timeout,
        )
        return Run(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        """Start it with pipes, at the head of a process group of its own."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **options,
        )

    def shell(self, script: str) -> Run:
        """Run a bash script in which `trackdown` is the program."""
        function = f'trackdown() {{ {" ".join(COMMAND)} "$@"; }}\n'
        command = ["bash", "--norc", "--noprofile", "-c", function + script]
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True, timeout=300)
        return Run(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))

    def on_terminal(self, *arguments: str | Path, columns: int = 100, interrupt_at: str = "") -> Run:
        """Run on a terminal, where both outputs are one. Ctrl-C is pressed when `interrupt_at` has been printed."""
        command = [*COMMAND, *map(str, arguments)]
        process, terminal = pty.fork()
        if process == 0:  # pragma: no cover - another process
            os.chdir(self.folder)
            os.execvpe(command[0], command, self.environment())
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        printed = _read_terminal(terminal, interrupt_at.encode())
        os.close(terminal)
        return Run(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), os.fsdecode(printed), "")


def _read_terminal(terminal: int, interrupt_at: bytes) -> bytes:
    printed = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux says EIO when the last process has closed the terminal
            return printed
        if not chunk:
            return printed
        printed += chunk
        if interrupt_at and interrupt_at in printed:
            os.write(terminal, b"\x03")
            interrupt_at = b""


def without_escapes(text: str) -> str:
    """What a terminal would show, as far as colours go."""
    return _ESCAPE.sub("", text).replace("\r\n", "\n")


def alive(name: str, value: str) -> list[str]:
    """Command lines of living processes that have a variable in their environment."""
    wanted = f"{name}={value}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return found


def wait_for(condition: Callable[[], object], seconds: float = 120.0) -> bool:
    """Wait until a condition holds. Returns whether it came to hold in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


def finish(process: subprocess.Popen[bytes], seconds: float = 300) -> Run:
    """Wait for a started program; kill its whole group when it does not end in time."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Run(process.returncode, os.fsdecode(out), os.fsdecode(err))


def paths(answer: Any) -> Sequence[str]:
    """The paths of an answer's results, best first."""
    return [result["path"] for result in answer["results"]]
