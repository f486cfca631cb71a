"""Connections that cost us something and ask for nothing: how long each may last, and how many there may be."""

from __future__ import annotations

import asyncio
import json
import logging
import resource
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from trackdown.surfaces.http.access import AccessRules

LOG = logging.getLogger("trackdown.http")

_KEEP_ALIVE_SECONDS = 30
_LONGEST_HEAD = 256 << 10
_MOST_CONNECTIONS = 1024
_PROBLEMS = {408: ("too-slow", "The request took too long to arrive"), 503: ("overloaded", "The server is busy")}
_READ_AT_LEAST = 16 << 10
"""A client that reads fewer bytes than this in `answer_seconds` makes no progress."""


class WaitsFor(Enum):
    """What keeps a connection from going on."""

    HEAD = "the head of a request"
    BODY = "the body of a request"
    NEXT_REQUEST = "a request after the last one"
    READER = "a client that has not read its answer"
    US = "our answer"


class ServerConfig(uvicorn.Config):
    """Uvicorn's settings with our limits. The client is the one that connected, whatever a header says."""

    def __init__(self, app: ASGIApp, seconds_to_end: int, rules: AccessRules) -> None:
        self.rules = rules
        self.most_connections = rules.connections or _most_connections()
        super().__init__(
            app,
            http=LimitedProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            # How many connections asyncio accepts before it tells us of the first. Four such batches can be under way,
            # each with open files, before we close the first one too many.
            backlog=max(1, self.most_connections // 16),
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            timeout_graceful_shutdown=seconds_to_end,
        )


def _most_connections() -> int:
    """Half of the files that this process may open: the engine needs the others."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_CONNECTIONS if files == resource.RLIM_INFINITY else max(1, min(_MOST_CONNECTIONS, files // 2))


class LimitedProtocol(H11Protocol):
    """A connection that is closed if the client takes too long to send a request or to read its answer.

    Uvicorn limits only the time from an answer to the first byte of the next request; `RequestChecks` limits the time
    for a body. What we do ourselves has no limit here: a search takes as long as it takes.
    """

    config: ServerConfig
    if TYPE_CHECKING:
        connections: set[LimitedProtocol]  # type: ignore[assignment]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._ended = False
        self._times_drained = 0
        self._progress = self._progress_now()
        self._since = self.loop.time()
        if len(self.connections) > self.config.most_connections:
            self._make_room()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.timeout_keep_alive_task is not None and self.conn.trailing_data[0]:
            self._unset_keepalive_if_required()  # the next head has begun: it is no longer idle

    def resume_writing(self) -> None:
        super().resume_writing()
        self._times_drained += 1

    def end_if_overdue(self, now: float) -> None:
        """Close the connection if its client has made no progress for too long. Call this every now and then."""
        progress = self._progress_now()
        if progress != self._progress:
            self._progress, self._since = progress, now
        waited, waits_for = now - self._since, self._waits_for()
        if waits_for is WaitsFor.HEAD and waited > self.config.rules.head_seconds:
            begun, _ = self.conn.trailing_data
            self._end(408 if begun else None, "the head of the request did not arrive in time")
        elif waits_for is WaitsFor.READER and waited > self.config.rules.answer_seconds:
            self._abort()

    def send_400_response(self, msg: str) -> None:
        """As uvicorn does, unless an answer has begun: h11 sends no second one."""
        if self.cycle is not None:  # its body is malformed: whoever answers it need not go on
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self._end(None)

    def _waits_for(self) -> WaitsFor:
        if self.flow.write_paused or self.transport.is_closing():
            return WaitsFor.READER
        if self.cycle is not None and not self.cycle.response_complete:
            return WaitsFor.BODY if self.cycle.more_body and not self.cycle.response_started else WaitsFor.US
        return WaitsFor.HEAD if self.timeout_keep_alive_task is None else WaitsFor.NEXT_REQUEST

    def _progress_now(self) -> tuple[object, ...]:
        """A value that changes when the client gets on: with each request, and with each part of an answer it reads."""
        unread = self.transport.get_write_buffer_size() // _READ_AT_LEAST
        return self._waits_for(), self.cycle, self._times_drained, unread

    def _make_room(self) -> None:
        """End the connections that have waited longest for their clients, or this one if all others wait for us.

        A client that means it sends its request at once, so its turn never comes. Clients that read an answer go last.
        """
        living = [one for one in self.connections if not one._ended]
        if len(living) <= self.config.most_connections:
            return
        LOG.warning("%d connections at once, the most there may be: closing some", self.config.most_connections)
        waiting = [one for one in living if one is not self and one._waits_for() is not WaitsFor.US]
        waiting.sort(key=lambda one: (one._waits_for() is WaitsFor.READER, one._since))
        for one in waiting[: self.config.backlog]:
            one._abort()
        if not waiting:
            self._end(503, "the server has too many connections: try again")

    def _end(self, status: int | None, detail: str = "") -> None:
        """Close the connection, with an answer of this status if none has begun."""
        if status is not None and self.conn.our_state is h11.IDLE:
            self.transport.write(_problem(status, detail))
        self.transport.close()

    def _abort(self) -> None:
        """Close the connection at once, whatever the client has not read."""
        self._ended = True
        self.transport.abort()


def _problem(status: int, detail: str) -> bytes:
    """A whole response, for clients that no application serves."""
    kind, title = _PROBLEMS[status]
    body = json.dumps({"type": f"urn:trackdown:problem:{kind}", "title": title, "status": status, "detail": detail})
    head = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(["Retry-After: 5"] if status == 503 else []),
    ]
    return "\r\n".join([*head, "", body]).encode()
