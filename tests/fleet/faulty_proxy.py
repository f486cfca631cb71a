"""A TCP proxy that fails on demand: it refuses connections, cuts them, is slow, or passes nothing on."""

from __future__ import annotations

import math
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

KINDS = ("refuse", "cut", "slow", "hang")
_PIECE = 4096


@dataclass(frozen=True)
class Fault:
    """What goes wrong, with which exchange it begins, and for how many seconds.

    `cut_after` is how many bytes a connection still passes on before it is cut, `pause` how long each piece of 4 KB
    waits where the proxy is slow.
    """

    kind: str
    at: int = 0
    seconds: float = math.inf
    cut_after: int = 0
    pause: float = 0.02


class _Connection:
    """A client and its server, and how many bytes they may still exchange during a fault."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client, self.server = client, server
        self.answered = True
        self._fault: Fault | None = None
        self._left = 0
        self._lock = threading.Lock()

    def take(self, fault: Fault, wanted: int) -> int:
        """How many of some bytes may still pass. They are taken before they are sent: the other end answers at once."""
        with self._lock:
            if self._fault is not fault:
                self._fault, self._left = fault, fault.cut_after
            taken = min(wanted, self._left)
            self._left -= taken
            return taken

    def close(self) -> None:
        for end in (self.client, self.server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class FaultyProxy:
    """Passes connections on to the server of a URL, in threads.

    It counts exchanges: a client speaks first, or after it got an answer. That is about one for each request, so a
    planned fault begins at a moment that does not depend on how fast the machine is.
    """

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._target = (host, int(port))
        self._lock = threading.Lock()
        self._open: set[_Connection] = set()
        self._planned: Fault | None = None
        self._fault: Fault | None = None
        self._healed = threading.Event()
        self.exchanges = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._accept_in_thread()

    @property
    def has_begun(self) -> bool:
        """Whether the planned fault has begun, since nothing is planned any more."""
        return self._planned is None

    def plan(self, fault: Fault) -> None:
        """Let a fault begin with an exchange, counted from now on."""
        self.heal()
        with self._lock:
            self.exchanges, self._planned = 0, fault

    def begin(self, fault: Fault) -> None:
        """Let a fault begin now."""
        self._healed = threading.Event()
        self._fault = fault
        if fault.kind == "refuse":
            with suppress(OSError):
                self._listening.shutdown(socket.SHUT_RDWR)  # closing alone would not wake who waits there
            self._listening.close()
            with self._lock:
                ended = list(self._open)
            for one in ended:
                one.close()
        if math.isfinite(fault.seconds):
            clock = threading.Timer(fault.seconds, self._end, (fault,))
            clock.daemon = True
            clock.start()

    def heal(self) -> None:
        """End the fault, and plan none."""
        with self._lock:
            fault, self._fault, self._planned = self._fault, None, None
            if fault is not None and fault.kind == "refuse":
                self._listening = socket.create_server(("127.0.0.1", self._port))
                self._accept_in_thread()
        self._healed.set()

    def close(self) -> None:
        """Pass nothing on any more."""
        self.begin(Fault("refuse"))

    def _end(self, fault: Fault) -> None:
        if self._fault is fault:
            self.heal()

    def _accept_in_thread(self) -> None:
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                one = _Connection(client, socket.create_connection(self._target))
                with self._lock:
                    self._open.add(one)
                for is_client in (True, False):
                    threading.Thread(target=self._pass, args=(one, is_client), daemon=True).start()

    def _pass(self, one: _Connection, is_client: bool) -> None:
        source, target = (one.client, one.server) if is_client else (one.server, one.client)
        with suppress(OSError):
            while chunk := source.recv(1 << 16):
                if is_client and one.answered:
                    self._count()
                one.answered = not is_client
                if not self._pass_on(one, chunk, target):
                    break
        one.close()
        with self._lock:
            self._open.discard(one)

    def _count(self) -> None:
        with self._lock:
            self.exchanges += 1
            planned = self._planned
            if planned is None or self.exchanges < planned.at:
                return
            self._planned = None
        self.begin(planned)

    def _pass_on(self, one: _Connection, chunk: bytes, target: socket.socket) -> bool:
        """Pass a chunk on as the fault allows. Returns whether the connection goes on."""
        fault = self._fault
        if fault is None:
            target.sendall(chunk)
        elif fault.kind == "hang":
            self._healed.wait()
            target.sendall(chunk)
        elif fault.kind == "slow":
            for start in range(0, len(chunk), _PIECE):
                if self._fault is fault:
                    time.sleep(fault.pause)
                target.sendall(chunk[start : start + _PIECE])
        elif fault.kind == "cut":
            taken = one.take(fault, len(chunk))
            target.sendall(chunk[:taken])
            return taken == len(chunk)
        return fault is None or fault.kind != "refuse"
