"""Servers of the program that outlive cases. A case sees to it that they still run and have nothing to be ashamed of.

What a server prints is kept in files, not pipes: a pipe that nobody reads would stop a server that says much.
"""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from tests.campaign.judge import MOST_SECONDS, TRACEBACK, Judge
from tests.campaign.scene import Scene
from tests.surfaces.program import COMMAND, Program, wait_for

_SHAMEFUL = (TRACEBACK, "unexpected ", "was never awaited", "was never retrieved", "Fatal Python error")
_URL = re.compile(r"http://\S+")


@dataclass
class Server:
    """A process that serves. `told` is how much of its standard error has been judged."""

    process: subprocess.Popen[bytes]
    url: str
    errors: Path
    told: int = 0

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 0)

    def judge(self, judge: Judge) -> bool:
        """Judge what it has said since the last time, and that it still runs. Returns whether it does."""
        said = self.errors.read_text("utf-8", "replace")
        new, self.told = said[self.told :], len(said)
        if any(word in new for word in _SHAMEFUL):
            judge.fail(f"the server said: {new[-600:]}")
        code = self.process.poll()
        judge.expect(code is None, f"the server has ended with {code}: {said[-300:]}")
        return code is None

    def end(self, judge: Judge) -> None:
        """Tell it to stop, and judge how it does: soon, with exit code 0, and in silence about itself."""
        if self.judge(judge):
            self.process.send_signal(signal.SIGTERM)
            try:
                code = self.process.wait(MOST_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise
            judge.expect(code == 0, f"the server ended with {code}: {self.errors.read_text('utf-8', 'replace')[-300:]}")
            said = self.errors.read_text("utf-8", "replace")
            judge.expect(not any(word in said for word in _SHAMEFUL), f"the server said at its end: {said[-600:]}")


def start_server(program: Program, folder: Path, *words: str | Path) -> Server:
    """Start a server that prints its URL when it listens. Raises AssertionError if it does not."""
    folder.mkdir(exist_ok=True)
    errors, told = folder / "errors", folder / "told"
    with errors.open("wb") as error, told.open("wb") as out:
        process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=program.folder,
            env=program.environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=error,
            start_new_session=True,
        )
    wait_for(lambda: _URL.search(told.read_text()) or process.poll() is not None, MOST_SECONDS)
    found = _URL.search(told.read_text())
    if found is None:
        process.kill()
        process.wait()
        raise AssertionError(f"the server does not listen: {errors.read_text('utf-8', 'replace')[-300:]}")
    return Server(process, found[0], errors)


@dataclass(frozen=True)
class SharedServer:
    """A server that a class shares between its cases: how it starts, and whether it answers in full by now."""

    kind: str
    name: str
    words: tuple[str, ...]
    ready: Callable[[Server], bool]
    variables: Mapping[str, str] = field(default_factory=dict)

    def running(self, scene: Scene, judge: Judge) -> Server:
        """The server. One that has ended since the last case is a failure of this one, and then a new one starts."""
        server: Server | None = scene.kept.get(self.name)
        if server is not None and server.judge(judge):
            return server
        folder = scene.folder / f"{self.kind.replace(' ', '-')}-{time.monotonic_ns()}"
        started = start_server(scene.program(folder).having(**self.variables), folder, *self.words)
        scene.processes.add(started.process.pid)
        if server is None:
            scene.at_end.append((self.kind, partial(self._end, scene)))
        scene.kept[self.name] = started
        assert wait_for(lambda: self.ready(started), MOST_SECONDS), "the server is not ready"
        return started

    def _end(self, scene: Scene, judge: Judge) -> None:
        server: Server = scene.kept.pop(self.name)
        scene.processes.discard(server.process.pid)
        server.end(judge)
