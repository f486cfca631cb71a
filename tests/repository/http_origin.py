"""A web server with a repository that asks for a password, and takes its time."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.conftest import Repo


class _Guarded(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object, expected: str, delay: float, **options: object) -> None:
        self._expected = "Basic " + base64.b64encode(expected.encode()).decode()
        self._delay = delay
        super().__init__(*arguments, **options)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        time.sleep(self._delay)
        if self.headers.get("Authorization") == self._expected:
            super().do_GET()
            return
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="here"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(origin: Repo, folder: Path, credentials: str, delay: float = 0.0) -> Iterator[str]:
    """Serve a repository below a folder. Yields host and port."""
    origin.git("clone", "-q", "--bare", ".", str(folder / "x.git"))
    Repo(folder / "x.git", bare=True).git("update-server-info")
    handler = partial(_Guarded, expected=credentials, delay=delay, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
