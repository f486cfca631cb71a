"""Requests that no client should send: any route with bad values, bodies of the wrong shape, broken framing."""

from __future__ import annotations

import json
import random
from typing import Any
from urllib.parse import quote, quote_from_bytes

from tests.campaign.odd_values import PARAMETERS, VALUES
from tests.campaign.scene import QUERY

GETS = {
    "/v1/search": {"query": QUERY},
    "/v1/related": {"location": "web/session.py:8"},
    "/v1/graph": {"target": "Session"},
    "/v1/unit": {"path": "web/session.py"},
    "/v1/history": {"query": "cookie"},
    "/v1/show": {"commit": "HEAD"},
    "/v1/blame": {"target": "web/session.py:8"},
    "/v1/examples": {},
    "/v1/repositories": {},
    "/v1/status": {},
    "/v1/reports": {},
    "/v1/reports/x": {},
    "/v1/nothing": {},
    "//v1/search": {"query": QUERY},
    "/v1%2Fsearch": {"query": QUERY},
    "/x/../v1/search": {"query": QUERY},
    "http://localhost/v1/search": {"query": QUERY},
    "/metrics": {},
    "/openapi.json": {},
    "/health": {},
    "/": {},
    "/assets/main.js": {},
    "/favicon.ico": {},
}
"""The routes, with parameters that are good."""
OPEN = ("/health", "/", "/assets/main.js", "/favicon.ico", "/openapi.json")
"""The routes that need no token."""
POSTS = ("/v1/search", "/v1/search/stream", "/v1/impact")
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "BREW", "get", "G" * 200)
HOSTS = ("localhost", "example.org", "", "127.0.0.1:1", "a" * 5000, "localhost\r\nX: y", "[::1", "\xff")
CLOSE = "Connection: close\r\n"
Probe = tuple[str, bytes]
"""What a request is, in words, and the request."""


def with_parameters(dice: random.Random, headers: str = "") -> Probe:
    """A GET with any parameters of any value, perhaps encoded badly."""
    route = dice.choice(list(GETS))
    pairs = [(dice.choice(PARAMETERS), dice.choice(VALUES)) for _ in range(dice.choice((0, 0, 0, 1, 1, 2, 5)))]
    pairs += [(name, dice.choice((good, good, dice.choice(VALUES)))) for name, good in GETS[route].items()]
    query = "&".join(f"{name}={quote(str(value), '', 'utf-8', 'surrogatepass')}" for name, value in pairs)
    if dice.random() < 0.2:
        query += "&" + quote_from_bytes(dice.randbytes(20)) + dice.choice(("%", "%zz", "&&=", "#", "?"))
    target = f"{route}?{query}"[:60_000]
    method = dice.choice(METHODS) if dice.random() < 0.2 else "GET"
    host = dice.choice(HOSTS) if dice.random() < 0.2 else "localhost"
    return (
        f"{method[:8]} {target[:120]} host {host[:20]!r}",
        f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{headers}{CLOSE}\r\n".encode(),
    )


def with_body(dice: random.Random, headers: str = "") -> Probe:
    """A POST whose body is JSON of the wrong shape, or not JSON."""
    route = dice.choice(POSTS)
    body: Any = {"query": QUERY} if dice.random() < 0.6 else {}
    for _ in range(dice.randint(0, 5)):
        body[dice.choice(PARAMETERS)] = dice.choice(VALUES)
    odd = (
        b"",
        b"{",
        b"null",
        b"[1]",
        b"\xff\xfe",
        b"[" * 50_000,
        b"1" * 5_000,
        b'{"query": NaN}',
        b'{"query": 1e999}',
        b'{"query": "\\ud800"}',
        b'{"query": "' + b"a" * 2_000_000 + b'"}',
        dice.randbytes(300),
    )
    data = dice.choice(odd) if dice.random() < 0.4 else json.dumps(body).encode()
    kind = dice.choice(("application/json", "application/json", "text/plain", "multipart/form-data", "\xff", ""))
    head = f"POST {route} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
    head += f"Content-Length: {len(data)}\r\n{headers}{CLOSE}\r\n"
    return f"POST {route} {data[:100]!r} as {kind!r}", head.encode("latin-1") + data


def framed(dice: random.Random) -> Probe:
    """A request whose framing lies: lengths, chunks, versions, heads without end."""
    post = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\n"
    chunked = post + b"Transfer-Encoding: chunked\r\n\r\n"
    odd = (
        chunked + b"zz\r\n{}\r\n0\r\n\r\n",
        chunked + b"5\r\n{}",
        chunked + b"ffffffffffffffff\r\n{}",
        chunked + b"-1\r\n{}\r\n0\r\n\r\n",
        post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        post + b"Content-Length: -1\r\n\r\n{}",
        post + b"Content-Length: 99999999999999999999\r\n\r\n{}",
        post + b"Content-Length: 1000000000\r\n\r\n{}",
        post + b"Content-Length: 50\r\n\r\n{}",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5_000 + b"\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n",
        b"GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/reports/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        dice.randbytes(dice.randint(1, 3_000)),
    )
    data = dice.choice(odd)
    return f"framed oddly: {data[:100]!r}", data


def torn(dice: random.Random) -> Probe:
    """A good request of which only a part is sent, or that is changed at one byte."""
    body = json.dumps({"query": QUERY}).encode()
    whole = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    at = dice.randrange(len(whole))
    data = whole[:at] if dice.random() < 0.5 else whole[:at] + dice.randbytes(1) + whole[at + 1 :]
    return f"torn: {data[:120]!r}", data
