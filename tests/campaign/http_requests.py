"""Odd requests to the HTTP server, with the right token, a wrong one or none; and clients that are slow or hang up."""

from __future__ import annotations

import json
import random
import re
import socket
import time
from functools import partial
from typing import Any

import httpx

from tests.campaign.http_probes import CLOSE, OPEN, framed, torn, with_body, with_parameters
from tests.campaign.judge import Judge, Verdict, without_what_varies
from tests.campaign.scene import QUERY, Ground
from tests.campaign.servers import Server, SharedServer

SOON = 20.0
"""How long an answer may take. A client that does not finish its request is left by the server in this time, too."""
TOKEN = "a-token-of-more-than-16-signs"
WRONG_TOKENS = (
    "",
    "Authorization: Bearer wrong\r\n",
    f"Authorization: Bearer {TOKEN[:-1]}\r\n",
    f"Authorization: Bearer {TOKEN}x\r\n",
    f"Authorization: Bearer {TOKEN.upper()}\r\n",
    f"Authorization: Basic {TOKEN}\r\n",
    f"Authorization: {TOKEN}\r\n",
    "Authorization: Bearer \r\n",
    "Authorization: Bearer \xff\xfe\r\n",
    f"Authorization: Bearer {'a' * 10_000}\r\n",
    f"Authorization: Bearer wrong\r\nAuthorization: Bearer {TOKEN}\r\n",
    f"X-Authorization: Bearer {TOKEN}\r\n",
    f"Cookie: token={TOKEN}\r\n",
)
"""Lines of a head that do not open a server which demands the token."""
_PROBLEM = "application/problem+json"
_OF_THE_REPOSITORY = (b"self.secret", b"module0.py")
"""What only somebody with a token may read."""


def run(ground: Ground) -> None:
    """Send one odd request, judge the answer, and see that the server still answers others as before."""
    dice = ground.dice
    closed = dice.random() < 0.2
    server = (CLOSED if closed else FREE).running(ground.scene, ground.judge)
    if "http answer" not in ground.scene.kept:
        ground.scene.kept["http answer"] = _good_answer(server)
    clean = ground.scene.kept["http answer"]
    assert clean["results"] and clean["partial"] is False, "the answer to compare with is none"
    if closed:
        _send_without_token(ground, server)
    else:
        what, sent = dice.choice((with_parameters, with_parameters, with_body, with_body, framed, torn))(dice)
        ground.say(what)
        judge_answer(ground.judge, exchange(server.address, sent, dice))
    ground.judge.fired = True
    found = _good_answer(server)
    ground.judge.expect(found == clean, f"another client: another answer: {str(found)[:200]}")
    server.judge(ground.judge)


def _send_without_token(ground: Ground, server: Server) -> None:
    """Whatever a client without the token asks, it is told nothing of the repository."""
    dice = ground.dice
    line = dice.choice(WRONG_TOKENS)
    what, sent = dice.choice((with_parameters, with_body))(dice, line)
    ground.say(f"{what} with {line[:60]!r}")
    answer = exchange(server.address, sent, dice)
    judge_answer(ground.judge, answer)
    path = sent.split(b" ", 2)[1].partition(b"?")[0].decode("latin-1")
    is_fine = re.match(rb"HTTP/1\.1 2", answer) is not None
    ground.judge.expect(path in OPEN or not is_fine, f"answered without the token: {answer[:200]!r}")
    ground.judge.expect(not any(word in answer for word in _OF_THE_REPOSITORY), "shows the repository to anybody")


def exchange(address: tuple[str, int], data: bytes, dice: random.Random) -> bytes:
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
            if CLOSE.encode() not in data:  # say that nothing more comes, so that the server need not wait for it
                connection.shutdown(socket.SHUT_WR)
            while len(found) < 1 << 24 and (chunk := connection.recv(65536)):
                found += chunk
        except TimeoutError:
            raise
        except OSError:  # the server has closed the connection, and may do so at any time
            return found
    return found


def judge_answer(judge: Judge, answer: bytes) -> None:
    """Judge a raw answer: none at all, an answer, or a problem of one line that is the client's fault."""
    head, _, body = answer.partition(b"\r\n\r\n")
    judge.expect(b"Traceback" not in answer, "traceback")
    judge.expect(b"root:x:0" not in answer, "shows a file of the machine")
    judge.seen[Verdict.EQUAL if head.startswith(b"HTTP/1.1 2") else Verdict.REFUSED] += 1
    status = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
    if status is None:
        judge.expect(not answer, f"not an HTTP answer: {answer[:80]!r}")
    elif status[1] >= b"500" and status[1] != b"503":
        judge.fail(f"{status[1].decode()}: {body[:300]!r}")
    elif _PROBLEM.encode() in head and body:
        problem = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])
        judge.expect("\n" not in problem["detail"], f"not one line: {problem['detail']}")


def _good_answer(server: Server, token: str = TOKEN) -> Any:
    """What a good client is answered."""
    asked, headers = {"query": QUERY, "effort": "fast"}, {"Authorization": f"Bearer {token}"}
    url = f"{server.url.rstrip('/')}/v1/search"
    found = httpx.get(url, params=asked, headers=headers, timeout=SOON, trust_env=False)
    return without_what_varies(found.json())


def _answers(server: Server) -> bool:
    return _good_answer(server).get("partial") is False


_serving = partial(SharedServer, "http", words=("serve", "--port", "0"), ready=_answers)
FREE = _serving("http server")
CLOSED = _serving("http server with a token", variables={"TRACKDOWN_TOKEN": TOKEN})
