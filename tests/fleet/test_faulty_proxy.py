"""The proxy of the tests and of `benchmarks/fleet_object_store.py`: its faults are those that it is asked for."""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Iterator

import pytest

from tests.fleet.faulty_proxy import Fault, FaultyProxy


class _Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while chunk := self.request.recv(1 << 16):
            self.request.sendall(chunk)


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Echo) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made = FaultyProxy(f"http://127.0.0.1:{server.server_address[1]}")
        yield made
        made.close()
        server.shutdown()


def connected(proxy: FaultyProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), timeout=10)


def echoed(client: socket.socket, sent: bytes) -> bytes:
    """What comes back of some bytes until all of them have, or the connection ends."""
    found = b""
    try:
        client.sendall(sent)
        while len(found) < len(sent) and (chunk := client.recv(1 << 16)):
            found += chunk
    except ConnectionError:
        pass
    return found


def test_a_fault_begins_with_the_exchange_it_is_planned_for(proxy: FaultyProxy) -> None:
    proxy.plan(Fault("cut", at=3))
    with connected(proxy) as one, connected(proxy) as other:
        assert echoed(one, b"first") == b"first" and echoed(other, b"second") == b"second"
        assert (proxy.exchanges, proxy.has_begun) == (2, False)
        assert echoed(one, b"third") == b""
        assert (proxy.exchanges, proxy.has_begun) == (3, True)
    proxy.heal()
    with connected(proxy) as one:
        assert echoed(one, b"again") == b"again"


def test_refused_connections_end_and_no_new_ones_are_made(proxy: FaultyProxy) -> None:
    with connected(proxy) as one:
        assert echoed(one, b"before") == b"before"
        proxy.begin(Fault("refuse"))
        assert echoed(one, b"during") == b""
    with pytest.raises(ConnectionRefusedError):
        connected(proxy)
    proxy.heal()
    with connected(proxy) as one:
        assert echoed(one, b"after") == b"after"


def test_a_connection_is_cut_after_so_many_bytes(proxy: FaultyProxy) -> None:
    with connected(proxy) as one:
        assert echoed(one, b"before") == b"before"
        proxy.begin(Fault("cut", cut_after=14))
        assert echoed(one, b"0123456789") == b"0123"  # ten there, four back
    with connected(proxy) as one:
        assert echoed(one, b"0123456789") == b"0123"


def test_what_hangs_arrives_when_the_fault_ends(proxy: FaultyProxy) -> None:
    started = time.monotonic()
    proxy.begin(Fault("hang", seconds=0.3))
    with connected(proxy) as one:
        assert echoed(one, b"late") == b"late"
    assert time.monotonic() - started >= 0.3


def test_what_is_slow_arrives_piece_by_piece(proxy: FaultyProxy) -> None:
    proxy.begin(Fault("slow", pause=0.05))
    started = time.monotonic()
    with connected(proxy) as one:
        assert echoed(one, b"x" * 16_384) == b"x" * 16_384
    assert time.monotonic() - started >= 0.2
