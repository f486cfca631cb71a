"""What our servers check before anything else reads a request. Needs no web framework."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache

from starlette.types import Message, Receive, Scope

from trackdown.surfaces.http.access import DEFAULT_RATE, AccessRules, RateLimiter, host_name

_DRAINED_BODIES, _DRAIN_SECONDS = 16, 2.0
_CLOSE = {"Connection": "close"}


class ClientGone(Exception):
    """The client closed its connection before it had its answer."""


class Refusal(Exception):
    """Why a request is refused: a status, the kind of problem, a sentence, and headers for the answer."""

    def __init__(self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})


class RequestChecks:
    """Checks requests against the rules of a server."""

    def __init__(self, rules: AccessRules) -> None:
        self._rules = rules
        self._answers_to = lru_cache(256)(rules.answers_to)
        unlimited = rules.rate is None and rules.is_private
        self._limiter = None if unlimited else RateLimiter(rules.rate or DEFAULT_RATE, rules.burst)

    def check(self, scope: Scope, *, guarded: bool) -> bool:
        """Raise Refusal if the request is not allowed; return whether it has a body. `guarded` routes need the token
        and are not for pages of other sites.
        """
        headers = _by_name(scope["headers"])
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._answers_to(hosts[0]):
            raise _misdirected(hosts)
        client = scope["client"][0] if scope.get("client") else ""
        if self._limiter is not None and (wait := self._limiter.seconds_to_wait(client)):
            seconds = str(max(1, math.ceil(wait)))
            raise Refusal(429, "too-many", f"too many requests: try again in {seconds} s", {"Retry-After": seconds})
        if guarded and _from_other_site(headers, hosts[0]):
            raise Refusal(403, "cross-site", "pages of other sites may not use this server")
        given = headers.get("authorization", [""])
        if guarded and self._rules.demands_token and (len(given) != 1 or not self._rules.admits(given[0])):
            raise Refusal(
                401,
                "token",
                "send the server's token in the header `Authorization: Bearer …`",
                {"WWW-Authenticate": 'Bearer realm="trackdown"'},
            )
        return "content-length" in headers or "transfer-encoding" in headers

    async def read_body(self, scope: Scope, receive: Receive) -> Receive:
        """Read the whole body, and return a `receive` that gives it again. Raises ClientGone, and Refusal for a body
        that is too large or too slow.
        """
        most = self._rules.body_bytes
        chunks: list[bytes] = []
        size, announced = 0, _announced_size(scope)
        try:
            async with asyncio.timeout(self._rules.body_seconds):
                more = announced <= most
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGone
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    more = message.get("more_body", False) and size <= most
        except TimeoutError:
            raise Refusal(408, "too-slow", "the body of the request did not arrive in time", _CLOSE) from None
        if max(size, announced) > most:
            await _drain(receive, _DRAINED_BODIES * most)
            raise Refusal(413, "too-large", f"the body is larger than {most:,} bytes", _CLOSE)
        return _Replay(b"".join(chunks), receive)


class _Replay:
    """Gives a body that was read, then whatever the client sends next."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _drain(receive: Receive, most: int) -> None:
    """Read on for a moment: a client that is still sending would not get the answer."""
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
        return Refusal(400, "host", "a request needs exactly one Host header with a name or an address")
    return Refusal(
        421, "host", f"this server does not answer to {name!r}: start it with `--allow-host {name}` to allow that"
    )


def _announced_size(scope: Scope) -> int:
    """The Content-Length, or 0. Uvicorn has refused anything that is not a number."""
    told = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(told[0]) if told else 0


def _by_name(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _from_other_site(headers: dict[str, list[str]], host: str) -> bool:
    """Whether a browser says that a page of another origin sent the request."""
    if headers.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none"):
        return True
    origins = headers.get("origin", [])
    return any(origin.partition("://")[2].lower() != host.lower() for origin in origins)
