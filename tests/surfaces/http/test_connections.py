"""Clients that connect and never finish a request, or never read an answer, keep nobody else out."""

from __future__ import annotations

import logging
import resource
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from tests.conftest import Repo
from tests.surfaces.http.serving import Slow, events, serving
from tests.surfaces.http.test_life import started
from tests.surfaces.program import Program, wait_for
from trackdown.engine import SharedRepositories
from trackdown.surfaces.http.access import AccessRules

HALF = b"GET /health HTTP/1.1\r\nHost: local"
WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
NO_BODY = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
CHUNKED = b"POST /v1/search HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
Open = Callable[..., SharedRepositories]


def connect(client: httpx.Client, *data: bytes, receive_buffer: int = 0) -> socket.socket:
    """A connection that has sent this."""
    made = socket.socket()
    made.settimeout(10)
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.connect((client.base_url.host, client.base_url.port or 80))
    for part in data:
        made.sendall(part)
    return made


def read_all(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    found = b""
    try:
        while chunk := connection.recv(65536):
            found += chunk
    except ConnectionResetError:
        pass
    return found


def is_left(connection: socket.socket) -> bool:
    """Whether the server closes a connection on which a byte arrives now and then."""

    def is_closed() -> bool:
        try:
            connection.sendall(b"x")
        except OSError:
            return True
        return False

    return wait_for(is_closed, 5)


@contextmanager
def half_open(client: httpx.Client, count: int, data: bytes = HALF) -> Iterator[list[socket.socket]]:
    """So many connections that have sent half a head."""
    with ExitStack() as stack:
        yield [stack.enter_context(connect(client, data)) for _ in range(count)]


def answers_soon(client: httpx.Client) -> bool:
    """Whether a new client gets an answer within a few seconds, which a loaded machine may take."""
    return httpx.get(f"{client.base_url}health", timeout=10, trust_env=False).status_code == 200


@pytest.mark.parametrize("sent", [HALF, WHOLE + HALF], ids=["first", "pipelined"])
def test_half_a_head_is_not_waited_for(shops: SharedRepositories, sent: bytes) -> None:
    with serving(shops, AccessRules(head_seconds=0.2)) as client, connect(client, sent) as connection:
        answer = read_all(connection)
    last = answer[answer.rindex(b"HTTP/1.1") :]
    assert last.startswith(b"HTTP/1.1 408 Request Timeout\r\n") and b"did not arrive in time" in last


def test_a_head_that_drips_is_not_waited_for(shops: SharedRepositories) -> None:
    with serving(shops, AccessRules(head_seconds=0.3)) as client, connect(client, HALF) as connection:
        assert is_left(connection)


def test_half_a_head_on_an_idle_connection_is_not_waited_for(shops: SharedRepositories) -> None:
    with serving(shops, AccessRules(head_seconds=0.2)) as client, connect(client, WHOLE) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        time.sleep(0.3)  # an idle connection may wait longer than that
        connection.sendall(HALF)
        assert b"HTTP/1.1 408" in read_all(connection)


def test_a_connection_that_says_nothing_is_closed_without_a_word(shops: SharedRepositories) -> None:
    with serving(shops, AccessRules(head_seconds=0.2)) as client, connect(client) as connection:
        assert read_all(connection) == b""


def test_a_body_that_drips_after_its_refusal_is_not_waited_for(shops: SharedRepositories) -> None:
    head = b"POST /v1/search HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 900000\r\n\r\n"
    with serving(shops, AccessRules(head_seconds=0.3)) as client, connect(client, head) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 421")
        assert is_left(connection)


def test_long_searches_and_streams_are_not_cut(open_shared: Open, shop: Repo) -> None:
    slow = open_shared(shop.root, kind=Slow, searches=2)
    assert isinstance(slow, Slow)
    rules = AccessRules(head_seconds=0.1, body_seconds=0.1, answer_seconds=0.1)
    with serving(slow, rules) as client, ThreadPoolExecutor(2) as many:
        search = many.submit(client.get, "/v1/search", params={"query": "cookie"})
        with client.stream("POST", "/v1/search/stream", json={"query": "cookie"}) as stream:
            assert slow.begun.acquire(timeout=60) and slow.begun.acquire(timeout=60)
            time.sleep(0.5)
            slow.go.set()
            assert list(events(stream.iter_lines()))[-1][0] == "done"
        assert search.result(60).status_code == 200


@pytest.mark.parametrize("sent", [HALF, WHOLE, NO_BODY], ids=["half", "idle", "body"])
def test_connections_that_ask_for_nothing_make_room_for_those_that_do(shops: SharedRepositories, sent: bytes) -> None:
    with serving(shops, AccessRules(connections=8)) as client, half_open(client, 8, sent) as first:
        assert answers_soon(client)
        with half_open(client, 20, sent):
            assert all(answers_soon(client) for _ in range(3))
            for connection in first:
                read_all(connection)  # ends, because the server has closed it
        assert answers_soon(client)


def test_a_server_whose_connections_are_all_served_says_so(open_shared: Open, shop: Repo) -> None:
    slow = open_shared(shop.root, kind=Slow, searches=2)
    assert isinstance(slow, Slow)
    with serving(slow, AccessRules(connections=2)) as client, ThreadPoolExecutor(2) as many:
        asked = [many.submit(client.get, "/v1/search", params={"query": "cookie"}) for _ in range(2)]
        assert slow.begun.acquire(timeout=60) and slow.begun.acquire(timeout=60)
        with connect(client) as third:
            assert read_all(third).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        slow.go.set()
        assert [one.result(60).status_code for one in asked] == [200, 200]
        assert wait_for(lambda: answers_soon(client))


LARGE = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400


def test_a_client_that_never_reads_is_left(shops: SharedRepositories) -> None:
    with (
        serving(shops, AccessRules(answer_seconds=0.2)) as client,
        connect(client, LARGE, receive_buffer=4096) as connection,
    ):
        time.sleep(0.6)
        assert is_left(connection)


def test_a_client_that_reads_slowly_gets_everything(shops: SharedRepositories) -> None:
    rules = AccessRules(answer_seconds=0.3)
    sent = LARGE.removesuffix(b"\r\n") + b"Connection: close\r\n\r\n"
    with serving(shops, rules) as client, connect(client, sent, receive_buffer=4096) as connection:
        size = len(client.get("/openapi.json").content)
        got = 0
        started_at = time.monotonic()
        while chunk := connection.recv(1 << 16):
            got += len(chunk)
            if time.monotonic() - started_at < 1:
                time.sleep(0.02)
        assert got > 400 * size


def test_a_malformed_body_is_no_error_of_ours(shops: SharedRepositories, caplog: pytest.LogCaptureFixture) -> None:
    with serving(shops) as client:
        with connect(client, CHUNKED % b"localhost", b"zzz\r\nxxx") as connection:
            assert read_all(connection).startswith(b"HTTP/1.1 400")
        with connect(client, CHUNKED % b"evil.example") as connection:
            assert connection.recv(4096).startswith(b"HTTP/1.1 421")
            connection.sendall(b"zzz\r\nxxx")
            assert b"HTTP/1.1" not in read_all(connection)
        assert answers_soon(client)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR], caplog.text


@pytest.mark.slow
def test_more_half_open_connections_than_files_keep_nobody_out(program: Program, shop: Repo) -> None:
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    with started(program, shop.root, before=few_files) as server:
        with half_open(server.client, 300):
            assert all(answers_soon(server.client) for _ in range(3))
        assert answers_soon(server.client)
        ended = server.stop()
    assert ended.code == 0
    assert len(ended.err.splitlines()) == 1 and "connections at once" in ended.err


@pytest.mark.slow
def test_a_server_without_files_says_so_once_and_recovers(program: Program, shop: Repo) -> None:
    with started(program, shop.root) as server:
        assert wait_for(lambda: server.client.get("/v1/repositories").json()["repositories"][0]["ready"])
        pid, before = server.process.pid, resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
        with half_open(server.client, 20):
            time.sleep(1.5)  # asyncio tries again after a second
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            assert wait_for(lambda: answers_soon(server.client))
        ended = server.stop()
    told = [line for line in ended.err.splitlines() if "accept" in line]
    assert len(told) == 1 and told[0].startswith("trackdown: ") and "Too many open files" in told[0]
    assert "Traceback" not in ended.err
