"""The same messages to an MCP server over HTTP: odd heads, no session, a wrong one, or no token."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx

from tests.campaign.http_requests import SOON, TOKEN, WRONG_TOKENS, exchange, judge_answer
from tests.campaign.mcp_messages import GOOD_CALL, clean_answer, judge_call, judge_message, odd_line
from tests.campaign.scene import Ground
from tests.campaign.servers import Server, SharedServer
from tests.surfaces.mcp.test_life import HELLO

_ACCEPTS = ("application/json, text/event-stream", "application/json", "text/html", "", "*/*", "\xff")
_KINDS = ("application/json", "application/json", "application/json", "text/plain", "")
_VERSIONS = ("2025-06-18", "1999-01-01", "", "a" * 2_000)
_JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def run(ground: Ground) -> None:
    """Post up to four odd lines, then have a good conversation; or come without the token."""
    server = SERVER.running(ground.scene, ground.judge)
    dice = ground.dice
    for _ in range(dice.randint(1, 4)):
        closed = dice.random() < 0.2
        what, sent = _request(dice, _session(server) if dice.random() < 0.5 else "", closed=closed)
        ground.say(what)
        answer = exchange(server.address, sent, dice)
        judge_answer(ground.judge, answer)
        for message in _messages(answer.partition(b"\r\n\r\n")[2].decode("utf-8", "replace")):
            judge_message(ground.judge, message)
        opened = closed and answer.startswith(b"HTTP/1.1 2")
        ground.judge.expect(not opened, f"answered without the token: {answer[:200]!r}")
    ground.judge.fired = True
    ground.judge.seen.clear()
    clean = clean_answer(ground)
    judge_call(ground.judge, _good_call(server), clean)
    server.judge(ground.judge)


def _request(dice: random.Random, session: str, *, closed: bool) -> tuple[str, bytes]:
    """A request in words and as it is sent. If it is `closed`, it lacks the token."""
    lines = [odd_line(dice) for _ in range(dice.choice((1, 1, 1, 3)))]
    body = lines[0] if len(lines) == 1 else b"[" + b",".join(lines) + b"]"
    method = dice.choice(("POST", "POST", "POST", "POST", "PUT", "DELETE", "HEAD"))
    path = dice.choice(("/mcp", "/mcp", "/mcp", "/mcp/", "/", "/health", "/mcp/../health"))
    names = {
        "Host": "localhost",
        "Content-Type": dice.choice(_KINDS),
        "Accept": dice.choice((_ACCEPTS[0], dice.choice(_ACCEPTS))),
        "Mcp-Session-Id": session or dice.choice(("", "0" * 32, "x" * 5_000, "\xff")),
        "Mcp-Protocol-Version": dice.choice((_VERSIONS[0], dice.choice(_VERSIONS))),
        "Content-Length": str(len(body)),
    }
    shown = dice.sample(sorted(names), len(names) - dice.choice((0, 0, 0, 1)))
    head = "".join(f"{name}: {names[name]}\r\n" for name in shown)
    token = dice.choice(WRONG_TOKENS) if closed else f"Authorization: Bearer {TOKEN}\r\n"
    head = f"{method} {path} HTTP/1.1\r\n{head}{token}Connection: close\r\n\r\n"
    if closed:  # /health is for everybody
        head = head.replace("/health", "/mcp", 1) if path == "/health" else head
    return f"{method} {path} {body[:60]!r}{' without the token' if closed else ''}", head.encode("latin-1") + body


def _messages(body: str) -> list[Any]:
    """The messages in a body, which is JSON or a stream of events. What is neither is no message."""
    texts = [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: ")]
    found = []
    for text in texts or [body]:
        try:
            message = json.loads(text)
        except ValueError:
            continue
        if isinstance(message, dict) and "jsonrpc" in message:
            found.append(message)
    return found


def _post(server: Server, message: Any, session: str = "") -> httpx.Response:
    headers = {**_JSON, "authorization": f"Bearer {TOKEN}", **({"mcp-session-id": session} if session else {})}
    return httpx.post(server.url, json=message, headers=headers, timeout=SOON, trust_env=False)


def _session(server: Server) -> str:
    """The id of a new session."""
    return str(_post(server, HELLO).headers["mcp-session-id"])


def _good_call(server: Server) -> Any:
    """The value that the good call is answered in a session of its own."""
    answer = _post(server, GOOD_CALL, _session(server))
    for message in _messages(answer.text):
        if message.get("id") == GOOD_CALL["id"] and "result" in message:
            return message["result"].get("structuredContent")
    return None


def _is_ready(server: Server) -> bool:
    answer = _good_call(server)
    return answer is not None and answer["partial"] is False


SERVER = SharedServer("mcp http", "mcp server", ("mcp", "--http", "--port", "0"), _is_ready, {"TRACKDOWN_TOKEN": TOKEN})
