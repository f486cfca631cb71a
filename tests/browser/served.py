"""`trackdown serve` as its users start it, and the page it serves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_SECONDS_TO_START = 60.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running server. `url` ends with a slash."""

    url: str
    process: subprocess.Popen[bytes]

    def get(self, path: str) -> Any:
        """The JSON answer of the API, asked for without a browser."""
        with urllib.request.urlopen(f"{self.url}v1/{path}", timeout=120) as answer:
            return json.load(answer)

    def wait_ready(self) -> None:
        """Wait until everything is indexed."""
        ended = time.monotonic() + _SECONDS_TO_START
        while not all(one["ready"] for one in self.get("repositories")["repositories"]):
            assert time.monotonic() < ended, "the index did not become ready"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def served(
    places: Sequence[Path], store: Path, *options: str, models: str = "packaged", **variables: str
) -> Iterator[Served]:
    """A server of these places on a free port, with a store of its own; ended at the end."""
    own = {"TRACKDOWN_STORE": str(store), "TRACKDOWN_MODELS": models, "XDG_CONFIG_HOME": str(store.parent / "config")}
    own["TRACKDOWN_DEEP"] = "no"  # an answer must not change in the middle of a test
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRACKDOWN_")}
    command = [sys.executable, "-m", "trackdown", "serve", *map(str, places), "--port", "0", "--format", "json"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, env={**environment, **own, **variables})
    try:
        assert process.stdout is not None
        yield Served(_announced(process.stdout), process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _announced(stream: IO[bytes]) -> str:
    """The address that the server prints once it listens."""
    text = b""
    for line in stream:
        text += line
        try:
            return str(json.loads(text)["url"])
        except ValueError:
            continue
    raise AssertionError(f"the server ended before it listened: {text!r}")
