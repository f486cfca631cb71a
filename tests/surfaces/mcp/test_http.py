"""Who may speak to the server over HTTP."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.types import Message, Receive, Scope, Send

from tests.conftest import Repo
from tests.surfaces.mcp.connections import http_server, talk, value
from tests.surfaces.program import Program
from trackdown.surfaces.http.access import AccessRules
from trackdown.surfaces.http.connections import ServerConfig
from trackdown.surfaces.mcp import http as module

pytestmark = pytest.mark.slow

TOKEN = "0123456789abcdef0123456789abcdef"
ASKED = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


def post(address: str, body: str = ASKED, **headers: str) -> tuple[int, str]:
    """Send a message as it stands."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=120)
    always = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    connection.putrequest("POST", place.path, skip_host="host" in headers, skip_accept_encoding=True)
    for name, text in {**always, "content-length": str(len(body)), **headers}.items():
        connection.putheader(name.replace("_", "-"), text)
    connection.endheaders(body.encode())
    answer = connection.getresponse()
    said = answer.read().decode()
    connection.close()
    return answer.status, said


def test_other_names_other_sites_and_large_bodies_are_refused(ready: Program) -> None:
    with http_server(ready) as address:
        assert post(address, host="evil.example:80")[0] == 421
        assert post(address, origin="http://evil.example")[0] == 403
        assert post(address, sec_fetch_site="cross-site")[0] == 403
        assert post(address, body=json.dumps({"a": "x" * (2 << 20)}))[0] == 413
        status, said = post(address, body="{not json")
        assert status == 400 and "Traceback" not in said
        health = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
        health.request("GET", "/health")
        assert json.loads(health.getresponse().read()) == {"status": "ok"}

        async def script() -> None:
            async with Client(address) as client:
                assert (await value(client, "search_code", {"query": "cookie"}))["results"]

        talk(script)


def test_half_a_character_in_a_call_is_answered(ready: Program) -> None:
    params = {"name": "search_code", "arguments": {"query": "where is the session cookie signed? \ud83d"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    meta = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": meta})
    with http_server(ready) as address, httpx2.Client(timeout=60) as client:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        session = client.post(address, content=hello, headers=headers).headers["mcp-session-id"]
        headers |= {"mcp-session-id": session, "mcp-protocol-version": "2025-06-18"}
        answer = client.post(address, content=body, headers=headers)
        assert answer.status_code == 200 and '"isError":false' in answer.text and "sign_cookie" in answer.text


def test_a_token_is_demanded_and_taken(ready: Program, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n")
    with http_server(ready, "--token-file", tmp_path / "token") as address:
        assert post(address)[0] == 401 and post(address, authorization="Bearer wrong")[0] == 401

        async def script() -> None:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with (
                httpx2.AsyncClient(headers=headers) as http_client,
                Client(streamable_http_client(address, http_client=http_client)) as client,
            ):
                assert (await value(client, "search_code", {"query": "cookie"}))["results"]

        talk(script)


def test_an_address_that_others_reach_demands_a_token(ready: Program, tmp_path: Path) -> None:
    ready("mcp", "--http", "--host", "0.0.0.0", "--port", "0").refused(2, "0.0.0.0", "--token-file", "TRACKDOWN_TOKEN")
    (tmp_path / "short").write_text("abc")
    (tmp_path / "short").chmod(0o600)
    ready("mcp", "--http", "--token-file", tmp_path / "short").refused(2, "at least 16")
    ready("mcp", "--http", "--token-file", tmp_path / "none").refused(2, "cannot read the token")
    with http_server(ready) as address:
        taken = str(urlsplit(address).port)
        ready("mcp", "--http", "--port", taken).refused(2, f"127.0.0.1:{taken}", "--port")


def test_a_token_that_others_can_read_is_told(ready: Program, tmp_path: Path) -> None:
    (tmp_path / "open").write_text("abc")
    (tmp_path / "open").chmod(0o644)
    assert "note: other users of this machine can read" in ready("mcp", "--http", "--token-file", tmp_path / "open").err


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    sent: list[Message] = []

    async def silence() -> Message:
        await anyio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()

    gate = module._Guard(inner, AccessRules(body_seconds=0.05))
    headers = [(b"host", b"localhost"), (b"content-length", b"10")]
    scope = {"type": "http", "path": "/mcp", "headers": headers, "client": ("127.0.0.1", 1)}
    anyio.run(gate, scope, silence, send)
    assert sent[0]["status"] == 408


def test_behind_a_proxy_nobody_says_who_asks_and_everybody_is_limited() -> None:
    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        pass

    assert ServerConfig(inner, 1, AccessRules()).proxy_headers is False
    sent: list[int] = []

    async def send(message: Message) -> None:
        sent.extend([message["status"]] if "status" in message else [])

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    gate = module._Guard(inner, AccessRules(names=("search.example.org",), burst=2))
    scope = {"type": "http", "path": "/mcp", "headers": [(b"host", b"search.example.org")], "client": ("127.0.0.1", 1)}
    for _ in range(3):
        anyio.run(gate, scope, receive, send)
    assert sent == [429]


def test_serving_needs_no_web_framework() -> None:
    """What `trackdown[mcp]` installs is enough."""
    blocked = "import sys; sys.modules.update(dict.fromkeys(['fastapi', 'prometheus_client']))"
    done = subprocess.run([sys.executable, "-c", f"{blocked}; import trackdown.surfaces.mcp.http"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_a_client_elsewhere_cannot_say_what_is_served(program: Program, tmp_path: Path) -> None:
    program("mcp", "--http", "--port", "0").refused(2, "not in a repository")


def test_many_clients_are_served_at_once(ready: Program, shop: Repo) -> None:
    found: list[str] = []

    async def script() -> None:
        async def one() -> None:
            async with Client(address) as client:
                for _ in range(3):
                    answer = await value(client, "search_code", {"query": "sign the cookie", "effort": "fast"})
                    found.append(answer["results"][0]["symbol"])

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(one)

    with http_server(ready, shop.root) as address:
        talk(script)
    assert found == ["Session.sign_cookie"] * 24
