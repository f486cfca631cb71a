"""What every server of ours asks of a request before anything else looks at it. Needs no web framework."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping

from starlette.types import Message, Receive, Scope

from trackdown.surfaces.http.door import Door, Turnstile, host_name

_DRAINED_BODIES, _DRAIN_SECONDS = 16, 2.0
_CLOSE = {"Connection": "close"}


class ClientGone(Exception):
    """The client closed its connection before the answer was there."""


class Refusal(Exception):
    """Why a request is not answered: a status, the kind of problem, a sentence, and headers to say it with."""

    def __init__(self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})


class Admission:
    """Looks at requests as a door demands."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._turnstile = Turnstile(door.rate, door.burst, spares_loopback=door.is_private)

    def check(self, scope: Scope, *, guarded: bool) -> None:
        """Raise Refusal for what is not admitted. What is `guarded` needs the token, and is not for other sites."""
        headers = _by_name(scope["headers"])
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._door.answers_to(hosts[0]):
            raise _misdirected(hosts)
        client = scope["client"][0] if scope.get("client") else ""
        if wait := self._turnstile.passes(client):
            seconds = str(max(1, math.ceil(wait)))
            raise Refusal(429, "too-many", f"too many requests: try again in {seconds} s", {"Retry-After": seconds})
        if not guarded:
            return
        if _from_elsewhere(headers, hosts[0]):
            raise Refusal(403, "cross-site", "pages of other sites may not use this server")
        given = headers.get("authorization", [""])
        if len(given) != 1 or not self._door.admits(given[0]):
            raise Refusal(
                401, "token", "send the server's token in the header `Authorization: Bearer …`",
                {"WWW-Authenticate": 'Bearer realm="trackdown"'},
            )  # fmt: skip

    async def read_body(self, scope: Scope, receive: Receive) -> Receive:
        """The whole body, if it is small enough and comes soon enough, to be received again. Raises Refusal and
        ClientGone.
        """
        most = self._door.body_bytes
        chunks: list[bytes] = []
        size, told = 0, _told_size(scope)
        try:
            async with asyncio.timeout(self._door.body_seconds):
                more = told <= most
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGone
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    more = message.get("more_body", False) and size <= most
        except TimeoutError:
            raise Refusal(408, "too-slow", "the body of the request did not arrive in time", _CLOSE) from None
        if max(size, told) > most:
            await _drain(receive, _DRAINED_BODIES * most)
            raise Refusal(413, "too-large", f"the body is larger than {most:,} bytes", _CLOSE)
        return _Replay(b"".join(chunks), receive)


class _Replay:
    """Hands on a body that was read, and then what the client does."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _drain(receive: Receive, most: int) -> None:
    """Read on for a little: a client that still sends would not hear the answer."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while most > 0:
                message = await receive()
                most -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        pass


def _misdirected(hosts: list[str]) -> Refusal:
    name = host_name(hosts[0]) if len(hosts) == 1 else None
    if name is None:
        return Refusal(400, "host", "a request needs exactly one Host header with a name or an address in it")
    return Refusal(
        421, "host", f"this server does not answer to {name!r}: start it with `--allow-host {name}` if it should"
    )


def _told_size(scope: Scope) -> int:
    """What Content-Length says; 0 where it says nothing. The server has refused what is no number."""
    told = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(told[0]) if told else 0


def _by_name(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _from_elsewhere(headers: dict[str, list[str]], host: str) -> bool:
    """Whether a browser says that a page of another origin asks."""
    if headers.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none"):
        return True
    origins = headers.get("origin", [])
    return any(origin.partition("://")[2].lower() != host.lower() for origin in origins)
