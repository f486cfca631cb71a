"""A real HTTP server on this machine that speaks the protocol of chat completions, and fails in every way it can."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """One connection. What it replies is the next item of the server's script; the last one stays."""

    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_POST(self) -> None:
        self.question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.next_reply(self)(self)

    def do_GET(self) -> None:
        if self.server.on_models is not None:
            self.server.on_models(self)
            return
        models = [{"id": name} for name in self.server.models]
        self.send(200, json.dumps({"data": models}).encode())

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@dataclass
class Seen:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    question: dict[str, Any]


@dataclass(eq=False)
class Loopback(ThreadingHTTPServer):
    """The server. `seen` are the requests so far, `most_at_once` how many there were at the same time."""

    script: list[Reply]
    models: list[str]
    on_models: Reply | None = None
    seen: list[Seen] = field(default_factory=list)
    most_at_once: int = 0

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.daemon_threads = True
        self.block_on_close = False
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._now = 0
        self._connections: list[socket.socket] = []
        self.bytes_sent = 0

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.append(connection)
        return connection, address

    def hang_up(self) -> None:
        """Close what clients keep open: a server that is gone answers nobody."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away before it has its answer is part of the play."""

    @property
    def connected(self) -> int:
        """How many connections there were so far."""
        return len(self._connections)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next_reply(self, handler: Handler) -> Reply:
        with self._lock:
            self.seen.append(Seen(handler.path, dict(handler.headers), handler.question))
            reply = self.script.pop(0) if len(self.script) > 1 else self.script[0]

        def counted(handler: Handler) -> None:
            with self._lock:
                self._now += 1
                self.most_at_once = max(self.most_at_once, self._now)
            try:
                reply(handler)
            finally:
                with self._lock:
                    self._now -= 1

        return counted


@contextmanager
def serving(*script: Reply, models: list[str] | None = None, on_models: Reply | None = None) -> Iterator[Loopback]:
    """A server that replies by this script, and `on_models` when asked for its models, until the block ends."""
    server = Loopback(list(script), ["small", "large"] if models is None else models, on_models)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        server.hang_up()


def completion(text: str, tokens: tuple[int, int] | None = (20, 5), finish: str = "stop") -> bytes:
    usage = {} if tokens is None else {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps({"object": "chat.completion", "choices": [choice], **usage}).encode()


def says(text: str, tokens: tuple[int, int] | None = (20, 5), finish: str = "stop") -> Reply:
    """A proper answer."""
    return lambda handler: handler.send(200, completion(text, tokens, finish))


def echoes(handler: Handler) -> None:
    """Answers with what it was asked, last turn only."""
    handler.send(200, completion(handler.question["messages"][-1]["content"]))


def sends(body: bytes) -> Reply:
    """Anything at all, with 200."""
    return lambda handler: handler.send(200, body)


def fails(status: int, message: str = "", code: str = "", headers: dict[str, str] | None = None) -> Reply:
    """An error as such endpoints report it."""
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return lambda handler: handler.send(status, body, headers)


def waits(seconds: float, then: Reply) -> Reply:
    """Slow, but in the end it answers."""

    def reply(handler: Handler) -> None:
        handler.server.closing.wait(seconds)
        then(handler)

    return reply


def hangs(handler: Handler) -> None:
    """Never answers."""
    handler.server.closing.wait()


def trickles(handler: Handler) -> None:
    """A byte now and then: no single read takes long, the whole has no end."""
    handler.send(200, b" ", length=1 << 20)
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def cuts(handler: Handler) -> None:
    """Closes the connection in the middle of an answer."""
    handler.send(200, completion("half an answer")[:40], length=1000)
    handler.close_connection = True


def drops(handler: Handler) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True


def floods(handler: Handler) -> None:
    """Sends without end, as fast as it can."""
    handler.send_response(200)
    handler.end_headers()
    _write_forever(handler, b" " * 65536)


def floods_headers(handler: Handler) -> None:
    """Begins an answer whose head has no end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    _write_forever(handler, b"X-Header: more\r\n" * 1000)


def drips(*, first: bytes, then: bytes) -> Reply:
    """Begins at once, and then sends a little now and then, forever."""

    def reply(handler: Handler) -> None:
        handler.wfile.write(first)
        _write_forever(handler, then, pause=0.02)

    return reply


def _write_forever(handler: Handler, piece: bytes, pause: float = 0.0) -> None:
    handler.close_connection = True
    with suppress(OSError):
        while not handler.server.closing.wait(pause):
            handler.wfile.write(piece)
            handler.wfile.flush()
            handler.server.bytes_sent += len(piece)
