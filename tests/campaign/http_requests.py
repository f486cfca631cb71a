"""Requests to the HTTP server that no client should send: all routes, bad values, broken framing, slow clients."""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import time
from typing import Any
from urllib.parse import quote, quote_from_bytes

import httpx

from tests.campaign.judge import Verdict, without_what_varies
from tests.campaign.odd_values import PARAMETERS, VALUES
from tests.campaign.scene import QUERY, Ground, Scene
from tests.surfaces.program import wait_for

GETS = {
    "search": {"query": QUERY},
    "related": {"location": "web/session.py:8"},
    "graph": {"target": "Session"},
    "unit": {"path": "web/session.py"},
    "history": {"query": "cookie"},
    "show": {"commit": "HEAD"},
    "blame": {"target": "web/session.py:8"},
    "examples": {},
    "repositories": {},
    "status": {},
    "reports": {},
    "reports/x": {},
    "nothing": {},
}
"""The routes, with parameters that are good."""
POSTS = ("search", "search/stream", "impact")
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "BREW", "get", "G" * 200)
HOSTS = ("localhost", "example.org", "", "127.0.0.1:1", "a" * 5000, "localhost\r\nX: y", "[::1", "\xff")
SOON = 20.0
"""How long an answer may take. A client that does not finish its request is left by the server in this time, too."""
_CLOSE = "Connection: close\r\n"
_PROBLEM = "application/problem+json"
Probe = tuple[str, bytes]


def run(ground: Ground) -> None:
    """Send one odd request, judge the answer, and see that the server still answers others as before."""
    dice, address = ground.dice, _server(ground.scene)
    what, sent = dice.choice((_with_parameters, _with_parameters, _with_body, _with_body, _framed, _torn))(dice)
    ground.say(what)
    _judge(ground, _exchange(address, sent, dice))
    _still_serves(ground, address)


def _with_parameters(dice: random.Random) -> Probe:
    """A GET with any parameters of any value, perhaps encoded badly."""
    route = dice.choice(list(GETS))
    pairs = [(dice.choice(PARAMETERS), dice.choice(VALUES)) for _ in range(dice.choice((0, 0, 0, 1, 1, 2, 5)))]
    pairs += [(name, dice.choice((good, good, dice.choice(VALUES)))) for name, good in GETS[route].items()]
    query = "&".join(f"{name}={quote(str(value), '', 'utf-8', 'surrogatepass')}" for name, value in pairs)
    if dice.random() < 0.2:
        query += "&" + quote_from_bytes(dice.randbytes(20)) + dice.choice(("%", "%zz", "&&=", "#", "?"))
    target = f"/v1/{route}?{query}"[:60_000]
    method = dice.choice(METHODS) if dice.random() < 0.2 else "GET"
    host = dice.choice(HOSTS) if dice.random() < 0.2 else "localhost"
    return (
        f"{method[:8]} {target[:120]} host {host[:20]!r}",
        f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{_CLOSE}\r\n".encode(),
    )


def _with_body(dice: random.Random) -> Probe:
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
    head = f"POST /v1/{route} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
    head += f"Content-Length: {len(data)}\r\n{_CLOSE}\r\n"
    return f"POST {route} {data[:100]!r} as {kind!r}", head.encode("latin-1") + data


def _framed(dice: random.Random) -> Probe:
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


def _torn(dice: random.Random) -> Probe:
    """A good request of which only a part is sent, or that is changed at one byte."""
    body = json.dumps({"query": QUERY}).encode()
    whole = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    at = dice.randrange(len(whole))
    data = whole[:at] if dice.random() < 0.5 else whole[:at] + dice.randbytes(1) + whole[at + 1 :]
    return f"torn: {data[:120]!r}", data


def _exchange(address: tuple[str, int], data: bytes, dice: random.Random) -> bytes:
    """Send the request at once, in pieces or with a hang-up, and return what comes back."""
    slowly, hang_up = dice.random() < 0.2, dice.random() < 0.1
    found = b""
    with socket.create_connection(address, timeout=SOON) as connection:
        try:
            for start in range(0, len(data), size := max(1, len(data) // 5) if slowly else len(data) or 1):
                connection.sendall(data[start : start + size])
                time.sleep(0.02 * slowly)
            if hang_up:
                return b""
            if _CLOSE.encode() not in data:  # say that nothing more comes, so that the server need not wait for it
                connection.shutdown(socket.SHUT_WR)
            while len(found) < 1 << 24 and (chunk := connection.recv(65536)):
                found += chunk
        except TimeoutError:
            raise
        except OSError:  # the server has closed the connection, and may do so at any time
            return found
    return found


def _judge(ground: Ground, answer: bytes) -> None:
    """Judge a raw answer: none at all, an answer, or a problem of one line that is the client's fault."""
    head, _, body = answer.partition(b"\r\n\r\n")
    ground.judge.expect(b"Traceback" not in answer, "traceback")
    ground.judge.expect(b"root:x:0" not in answer, "shows a file of the machine")
    ground.judge.seen[Verdict.EQUAL if head.startswith(b"HTTP/1.1 2") else Verdict.REFUSED] += 1
    status = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
    if status is None:
        ground.judge.expect(not answer, f"not an HTTP answer: {answer[:80]!r}")
    elif status[1] >= b"500" and status[1] != b"503":
        ground.judge.fail(f"{status[1].decode()}: {body[:300]!r}")
    elif _PROBLEM.encode() in head and body:
        problem = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])
        ground.judge.expect("\n" not in problem["detail"], f"not one line: {problem['detail']}")


def _still_serves(ground: Ground, address: tuple[str, int]) -> None:
    """Judge that another client gets the same answer as before."""
    found = _good_answer(address)
    ground.judge.expect(
        found == ground.scene.kept["http answer"], f"another client: another answer: {str(found)[:200]}"
    )


def _good_answer(address: tuple[str, int]) -> Any:
    """What a good client is answered."""
    url = f"http://{address[0]}:{address[1]}/v1/search"
    found = httpx.get(url, params={"query": QUERY, "effort": "fast"}, timeout=SOON, trust_env=False)
    return without_what_varies(found.json())


def _server(scene: Scene) -> tuple[str, int]:
    """The address of a server for all cases; a new one if it has died."""
    process = scene.kept.get("http server")
    if process is None or process.poll() is not None:
        program = scene.program(scene.folder / f"http-{time.monotonic_ns()}")
        process = program.start("serve", "--port", "0")
        scene.processes.add(process.pid)
        scene.kept["http server"] = process
        assert process.stdout is not None
        port = int(re.search(rb"http://[\w.]+:(\d+)", process.stdout.readline())[1])  # type: ignore[index]
        address = scene.kept["http address"] = ("127.0.0.1", port)
        assert wait_for(lambda: _good_answer(address).get("partial") is False, SOON), "the server is not ready"
        scene.kept.setdefault("http answer", _good_answer(address))

        def end() -> None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)

        scene.at_end.append(end)
    host, port = scene.kept["http address"]
    return host, port
