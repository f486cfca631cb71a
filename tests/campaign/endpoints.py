"""Servers that the program asks, and that misbehave: a language model, an issue tracker, a place with an index."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import QUERY, Ground, Scene
from tests.models.llm.loopback import completion
from tests.surfaces.program import Program

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
ISSUE = b'{"iid": 5, "title": "The session cookie is not signed", "description": "Sign it.", "state": "opened"}'
Answer = Callable[[socket.socket, threading.Event], None]
"""Writes the answer to one connection, until it is done or the event is set."""


def run(ground: Ground) -> None:
    """Ask one of the three servers, which answers as the dice say; then search without it."""
    name, ask = ground.dice.choice((("language model", _ask_llm), ("tracker", _ask_tracker), ("import", _ask_import)))
    ground.say(name)
    ask(ground)


def _ask_llm(ground: Ground) -> None:
    program = ground.scene.program(ground.folder).having(TRACKDOWN_LLM_TIMEOUT_S="1", TRACKDOWN_LLM_MODEL="small")
    plain = ground.scene.kept.get("bm25 answer") or _symbols(ground, program, "bm25")
    ground.scene.kept["bm25 answer"] = plain
    answer = _drawn(ground, completion(ground.dice.choice(("2 > 1", "", "[9999]", "1" * 5_000))))
    with _serving(answer) as port:
        found = _symbols(ground, program.having(TRACKDOWN_LLM=f"http://127.0.0.1:{port}/v1"), "bm25+llm-rerank")
    ground.judge.expect(sorted(found) == sorted(plain), f"other results: {found}")
    ground.asked_again(program)


def _symbols(ground: Ground, program: Program, mode: str) -> list[str]:
    run = program("search", QUERY, "--mode", mode, "--format", "json", timeout=MOST_SECONDS)
    answer = ground.judge.judge(mode, run, may_refuse=False) or {"results": []}
    return [f"{result['path']}:{result['symbol']}" for result in answer["results"]]


def _ask_tracker(ground: Ground) -> None:
    answer = _drawn(ground, ISSUE)
    program = ground.scene.program(ground.folder)
    with _serving(answer) as port:
        url = f"http://127.0.0.1:{port}"
        asking = program.having(GITLAB_HOST=url, GITLAB_TOKEN="s3cret-token")
        words = ("search", "--issue", f"{url}/group/shop/-/issues/5", "--effort", "fast", "--format", "json")
        run = asking(*words, timeout=MOST_SECONDS)
    ground.judge.judge("search --issue", run)
    ground.judge.expect("s3cret-token" not in run.out + run.err, "the token is shown")
    ground.asked_again(program)


def _ask_import(ground: Ground) -> None:
    answer = _drawn(ground, _shard(ground.scene))
    program = ground.scene.program(ground.folder, empty=ground.dice.random() < 0.7)
    with _serving(answer) as port:
        url = f"http://127.0.0.1:{port}/shop.shard"
        run = program("index", "--import", url, "--format", "json", timeout=MOST_SECONDS)
    ground.judge.judge("index --import", run)
    ground.asked_again(program)


def _shard(scene: Scene) -> bytes:
    if "shard" not in scene.kept:
        file = scene.folder / "shop.shard"
        assert scene.clean("index", "--export", str(file)).code == 0
        scene.kept["shard"] = file.read_bytes()
    shard: bytes = scene.kept["shard"]
    return shard


def _drawn(ground: Ground, good: bytes) -> Answer:
    """A way to answer: with the good body, or with anything but."""
    dice = ground.dice
    at = dice.randrange(len(good))
    flipped = good[:at] + bytes([good[at] ^ 1 << dice.randrange(8)]) + good[at + 1 :]
    bomb = gzip.compress(bytes(1 << 24))
    location = dice.choice(LOCATIONS).encode("latin-1")
    status, header, noise = dice.choice(STATUSES), dice.choice(HEADERS), dice.randbytes(dice.randint(0, 3_000))
    ways: dict[str, Answer] = {
        "answers well": _sends(_framed(good)),
        f"flips a bit of byte {at}": _sends(_framed(flipped)),
        f"cuts at byte {at}": _sends(_framed(good)[: at + 40]),
        "promises more than it sends": _sends(_framed(good, length=len(good) + 1000)),
        "promises less than it sends": _sends(_framed(good, length=at)),
        "promises a terabyte": _sends(_framed(good, length=1 << 40)),
        "promises nonsense": _sends(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n" + good),
        "sends without a length": _sends(b"HTTP/1.1 200 OK\r\n\r\n" + good),
        "breaks its chunks": _sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + good[:at] + b"\r\nzz"
        ),
        f"says {status}": _sends(_framed(good, status=status, header=header)),
        f"redirects to {location!r}": _sends(
            _framed(b"", status="302 Found", header=b"Location: " + location + b"\r\n")
        ),
        "sends a bomb": _sends(_framed(bomb, header=b"Content-Encoding: gzip\r\n")),
        "sends noise as an answer": _sends(_framed(noise)),
        "sends noise": _sends(noise),
        "closes at once": _sends(b""),
        "hangs": lambda connection, closing: _wait(closing),
        "drips": _drips(_framed(good), 0.2),
        "drips its head": _drips(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000, 0.2),
        "floods": _floods(b"HTTP/1.1 200 OK\r\n\r\n", b"\0" * 65536),
        "floods its head": _floods(b"HTTP/1.1 200 OK\r\n", b"X-Header: more\r\n" * 1000),
    }
    how = dice.choice(list(ways))
    ground.say(how)
    return ways[how]


def _framed(body: bytes, *, status: str = "200 OK", header: bytes = b"", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
    return head % (status.encode(), header, size) + body


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
def _serving(answer: Answer) -> Iterator[int]:
    """A server at a free port that answers every connection alike, until the block ends."""
    closing = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(MOST_SECONDS)
            connection.recv(1 << 20)
            answer(connection, closing)

    def accept(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            closing.set()
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
