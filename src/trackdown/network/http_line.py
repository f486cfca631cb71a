"""HTTP with a server that we don't trust: every exchange is bounded in time and size, and nothing is decompressed."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


class ReplyTooLarge(Exception):
    """The reply has more bytes than allowed."""


class ReplyTooSlow(Exception):
    """The reply was not complete in time."""


class ReplyCompressed(Exception):
    """The reply is compressed, although we ask servers not to: a few bytes could become gigabytes."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete reply, and how long the exchange took."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float


class HttpLine:
    """One connection to a server, for one request at a time. It is opened when it is first used, and kept open.

    Redirects are not followed, so the headers reach no other server. httpx limits each read but not the whole exchange,
    so a server could send a byte now and then forever. A timer ends that.
    """

    def __init__(self, headers: Mapping[str, str], *, connect_s: float, trust_env: bool) -> None:
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._connect_s = connect_s
        self._trust_env = trust_env
        self._client: httpx.Client | None = None
        self._socket: socket.socket | None = None
        self._is_late = False

    def exchange(self, method: str, url: str, content: bytes = b"", *, limit: int, seconds: float) -> HttpReply:
        """Send a request and return the reply.

        Raises ReplyTooLarge for more than `limit` bytes, ReplyTooSlow after `seconds`, ReplyCompressed, and httpx's
        errors for a connection that fails.
        """
        import httpx

        self._is_late = False
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        whole = False
        try:
            reply = self._exchanged(method, url, content, limit, seconds)
            whole = True
            return reply
        except httpx.ConnectTimeout:
            raise
        except (httpx.HTTPError, OSError) as error:
            if self._is_late or isinstance(error, httpx.TimeoutException):
                raise ReplyTooSlow from None
            raise
        finally:
            timer.cancel()
            timer.join()  # or it could cut the next exchange
            if self._is_late or not whole:
                self._hang_up()

    def close(self) -> None:
        """Close the connection. The next exchange opens another."""
        self._forget_socket()
        if self._client is not None:
            self._client.close()
            self._client = None

    def _exchanged(self, method: str, url: str, content: bytes, limit: int, seconds: float) -> HttpReply:
        import httpx

        started = time.monotonic()
        timeout = httpx.Timeout(seconds, connect=min(self._connect_s, seconds))
        options: dict[str, Any] = {"timeout": timeout, "extensions": {"trace": self._on_event}}
        with self._open().stream(method, url, content=content, **options) as reply:
            if reply.headers.get("content-encoding", "identity").strip().lower() != "identity":
                raise ReplyCompressed
            body = bytearray()
            for piece in reply.iter_raw():
                body += piece
                if len(body) > limit:
                    raise ReplyTooLarge
            return HttpReply(reply.status_code, reply.headers, bytes(body), time.monotonic() - started)

    def _open(self) -> httpx.Client:
        import httpx

        if self._client is None:
            limits = httpx.Limits(max_connections=1)
            self._client = httpx.Client(headers=self._headers, limits=limits, trust_env=self._trust_env)
        return self._client

    def _on_event(self, name: str, info: dict[str, Any]) -> None:
        """Keep a copy of each new connection's socket, so that another thread can cut it."""
        if name.endswith("connect_tcp.complete"):
            self._forget_socket()
            self._socket = info["return_value"].get_extra_info("socket").dup()
            if self._is_late:
                self._cut()

    def _cut(self) -> None:
        """End the exchange: whoever reads or writes gets an error at once."""
        self._is_late = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _hang_up(self) -> None:
        """Close the connection; the next exchange opens another."""
        self._cut()
        self._forget_socket()

    def _forget_socket(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
