"""Servers on loopback that answer well or anyhow: nonsense, too little, too much, too slowly or not at all."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import Ground

STATUSES = (
    "200 OK",
    "204 No Content",
    "206 Part",
    "401 No",
    "403 No",
    "404 No",
    "418 Tea",
    "429 Later",
    "500 Oops",
    "503 Later",
    "999 What",
    "-1 x",
    "200",
    "abc",
)
HEADERS = (
    b"",
    b"Content-Type: text/html\r\n",
    b"Retry-After: 99999999\r\n",
    b"Retry-After: soon\r\n",
    b"X: \xff\x00\r\n",
    b"Content-Type: application/json; charset=utf-99\r\n",
    b"Set-Cookie: " + b"a" * 9_000 + b"\r\n",
)
LOCATIONS = (
    "/again",
    "file:///etc/passwd",
    "ftp://x/y",
    "http://127.0.0.1:1/",
    "//",
    "",
    "\x7f",
    "http://[::1",
    "gopher:x",
)
Answer = Callable[[socket.socket, threading.Event], None]
"""Writes the answer to one connection, until it is done or the event is set."""
WELL = "answers well"


@dataclass
class Misbehaving:
    """A server that answers every connection alike. `asked` says whether there was one."""

    how: str
    answer: Answer
    asked: threading.Event = field(default_factory=threading.Event)

    @property
    def fired(self) -> bool:
        """Whether it has misbehaved."""
        return self.asked.is_set() and self.how != WELL


def misbehaving(ground: Ground, good: bytes, kind: str = "application/json", *, floods: bool = True) -> Misbehaving:
    """A server that answers with the good body of a kind, or with anything but. It does not listen yet."""
    dice = ground.dice
    at = dice.randrange(len(good))
    flipped = good[:at] + bytes([good[at] ^ 1 << dice.randrange(8)]) + good[at + 1 :]
    bomb = gzip.compress(bytes(1 << 24))
    location = dice.choice(LOCATIONS).encode("latin-1")
    status, header, noise = dice.choice(STATUSES), dice.choice(HEADERS), dice.randbytes(dice.randint(0, 3_000))
    framed = partial(_in_a_frame, kind=kind)
    ways: dict[str, Answer] = {
        WELL: _sends(framed(good)),
        f"flips a bit of byte {at}": _sends(framed(flipped)),
        f"cuts at byte {at}": _sends(framed(good)[: at + 40]),
        "promises more than it sends": _sends(framed(good, length=len(good) + 1000)),
        "promises less than it sends": _sends(framed(good, length=at)),
        "promises a terabyte": _sends(framed(good, length=1 << 40)),
        "promises nonsense": _sends(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n" + good),
        "sends without a length": _sends(b"HTTP/1.1 200 OK\r\n\r\n" + good),
        "breaks its chunks": _sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + good[:at] + b"\r\nzz"
        ),
        f"says {status}": _sends(framed(good, status=status, header=header)),
        f"redirects to {location!r}": _sends(
            framed(b"", status="302 Found", header=b"Location: " + location + b"\r\n")
        ),
        "sends a bomb": _sends(framed(bomb, header=b"Content-Encoding: gzip\r\n")),
        "sends noise as an answer": _sends(framed(noise)),
        "sends noise": _sends(noise),
        "closes at once": _sends(b""),
        "hangs": lambda connection, closing: _wait(closing),
        "drips": _drips(framed(good), 0.2),
        "drips its head": _drips(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000, 0.2),
        "floods": _floods(b"HTTP/1.1 200 OK\r\n\r\n", b"\0" * 65536),
        "floods its head": _floods(b"HTTP/1.1 200 OK\r\n", b"X-Header: more\r\n" * 1000),
    }
    how = dice.choice([way for way in ways if floods or not way.startswith("floods")])
    ground.say(how)
    return Misbehaving(how, ways[how])


def _in_a_frame(
    body: bytes, *, kind: str, status: str = "200 OK", header: bytes = b"", length: int | None = None
) -> bytes:
    size = len(body) if length is None else length
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n"
    return head % (status.encode(), kind.encode(), header, size) + body


def _sends(data: bytes) -> Answer:
    return lambda connection, closing: connection.sendall(data)


def _wait(closing: threading.Event) -> None:
    closing.wait()


def _drips(data: bytes, pause: float) -> Answer:
    """A byte now and then: no single read takes long, the whole has no end."""

    def answer(connection: socket.socket, closing: threading.Event) -> None:
        for start in range(len(data)):
            connection.sendall(data[start : start + 1])
            if closing.wait(pause):
                return

    return answer


def _floods(first: bytes, piece: bytes) -> Answer:
    """Sends without end, as fast as it can."""

    def answer(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(first)
        while not closing.is_set():
            connection.sendall(piece)

    return answer


@contextmanager
def serving(server: Misbehaving) -> Iterator[str]:
    """Let it listen at a free port until the block ends, and hand out its URL."""
    closing = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(MOST_SECONDS)
            connection.recv(1 << 20)
            server.asked.set()
            server.answer(connection, closing)

    def accept(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            closing.set()
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
