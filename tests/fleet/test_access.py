"""What a token does not open does not exist for it: through every route, tool, count and note."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from starlette.types import ASGIApp

from tests.fleet.fleets import SmallFleet, needs_extra
from trackdown.errors import UsageError
from trackdown.fleet import grant_for, read_grants
from trackdown.surfaces.http import AccessRules, GroupDispatcher, GroupServer, GroupView, Service, views_of
from trackdown.surfaces.mcp import OpenedProvider, ServerOptions, build_app
from trackdown.surfaces.mcp.server import build_server

pytestmark = needs_extra
OPEN, CLOSED, BOTH = "open-token-0123456789", "closed-token-0123456789", "both-token-0123456789"
SECRETS = ("bank", "ledger", "BookTransfer", "closed")
"""Words of the repository of the other group."""
ROUTES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("GET", "/v1/repositories", {}),
    ("GET", "/v1/status", {}),
    ("GET", "/metrics", {}),
    ("GET", "/v1/reports", {}),
    ("GET", "/openapi.json", {}),
    ("GET", "/v1/search", {"query": "book a transfer between two accounts", "effort": "fast"}),
    ("GET", "/v1/search", {"query": "kind:function", "effort": "fast"}),
    ("GET", "/v1/search", {"query": "path:src", "effort": "fast"}),
    ("GET", "/v1/history", {"query": "begin the books"}),
)
NAMED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/search", {"query": "transfer", "effort": "fast"}),
    ("/v1/history", {"query": "begin"}),
    ("/v1/status", {}),
    ("/v1/examples", {}),
    ("/v1/unit", {"path": "src/ledger.go"}),
    ("/v1/graph", {"target": "BookTransfer"}),
    ("/v1/related", {"location": "BookTransfer"}),
    ("/v1/blame", {"target": "src/ledger.go:1"}),
    ("/v1/show", {"commit": "HEAD"}),
)
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_code", {"query": "transfer"}),
    ("locate_issue", {"issue": "a transfer is not booked"}),
    ("past_changes", {"query": "begin"}),
    ("show_commit", {"commit": "HEAD"}),
    ("related_code", {"target": "BookTransfer"}),
    ("code_graph", {"target": "BookTransfer"}),
    ("read_unit", {"path": "src/ledger.go"}),
    ("index_status", {}),
)


def tokens_file(folder: Path) -> Path:
    rows = {OPEN: ["open"], CLOSED: ["closed"], BOTH: ["closed", "open"]}
    text = "".join(
        f'[[tokens]]\nname = "{token[:5]}"\nsha256 = "{sha256(token.encode()).hexdigest()}"\ngroups = {groups!r}\n'
        for token, groups in rows.items()
    )
    file = folder / "tokens.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.fixture
def views(fleet: SmallFleet) -> Iterator[list[GroupView]]:
    fleet.sync()
    grants = read_grants(tokens_file(fleet.folder), ["open", "closed"])
    found = views_of(grants, lambda groups: fleet.opened(*groups) if groups else fleet.opened("nobody"))
    yield found
    for view in found:
        view.shared.close()


def asked(app: ASGIApp, token: str, calls: list[tuple[str, str, dict[str, Any]]]) -> list[httpx.Response]:
    """Ask an application with a token."""

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            return [await client.request(method, path, params=params) for method, path, params in calls]

    return asyncio.run(ask())


def test_no_route_tells_of_another_group(fleet: SmallFleet, views: list[GroupView]) -> None:
    grants = read_grants(tokens_file(fleet.folder), ["open", "closed"])
    server = GroupServer(views, grants, Service(AccessRules(digests=(b"x" * 32,)), 0), "1")
    app = server._uvicorn.config.app
    assert isinstance(app, GroupDispatcher)
    try:
        for answer in asked(app, OPEN, list(ROUTES)):
            assert answer.status_code == 200
            assert not any(word in answer.text.replace(str(answer.request.url), "") for word in SECRETS), answer.text
        forbidden = [("GET", path, {**params, "repository": "bank"}) for path, params in NAMED]
        unknown = [("GET", path, {**params, "repository": "hank"}) for path, params in NAMED]
        for one, other in zip(asked(app, OPEN, forbidden), asked(app, OPEN, unknown), strict=True):
            assert one.status_code == other.status_code == 404, one.text
            assert one.text.replace("bank", "hank") == other.text
        for token in ("", "wrong-token-0123456789"):
            guarded = [call for call in ROUTES if call[1] != "/openapi.json"]
            assert {answer.status_code for answer in asked(app, token, guarded)} == {401}
        seen = asked(app, BOTH, [("GET", "/v1/repositories", {})])[0].json()["repositories"]
        assert [one["name"] for one in seen] == ["bank", "maps", "shop"]
        own = asked(app, CLOSED, [("GET", "/v1/search", {"query": "book a transfer", "effort": "fast"})])[0].json()
        assert {one["repository"] for one in own["results"]} == {"bank"}
    finally:
        server._pool.close()
        server._socket.close()


def test_no_tool_tells_of_another_group(fleet: SmallFleet, views: list[GroupView]) -> None:
    grants = read_grants(tokens_file(fleet.folder), ["open", "closed"])
    rules = AccessRules(digests=(b"x" * 32,))
    apps = {
        view.groups: build_app(
            OpenedProvider(view.shared), ServerOptions("1", 1.0), AccessRules(rules.host, digests=view.digests)
        )
        for view in views
    }
    app = GroupDispatcher(apps, grants)

    async def talk(token: str, calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            begun = await client.post("/mcp", json=_rpc("initialize", hello))
            if begun.status_code != 200:
                return [begun.text]
            client.headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
            client.headers["MCP-Protocol-Version"] = "2025-06-18"
            asked = [_rpc("tools/call", {"name": name, "arguments": given}) for name, given in calls]
            return [(await client.post("/mcp", json=one)).text for one in asked]

    async def check() -> None:
        orders: asyncio.Queue[Any] = asyncio.Queue()
        told: asyncio.Queue[Any] = asyncio.Queue()
        life = asyncio.create_task(app({"type": "lifespan"}, orders.get, told.put))
        await orders.put({"type": "lifespan.startup"})
        assert (await told.get())["type"] == "lifespan.startup.complete"
        plain = await talk(OPEN, list(TOOLS))
        assert len(plain) == len(TOOLS) and '"isError":false' in plain[0], plain
        for text, (_, arguments) in zip(plain, TOOLS, strict=True):
            for given in arguments.values():
                text = text.replace(str(given), "")
            assert not any(word in text for word in ("bank", "ledger.go", "closed")), text
        forbidden = await talk(OPEN, [(name, {**given, "repository": "bank"}) for name, given in TOOLS])
        assert all('"isError":true' in text and "there is no repository" in text for text in forbidden), forbidden
        assert "Authorization" in (await talk("wrong-token-0123456789", []))[0]
        await orders.put({"type": "lifespan.shutdown"})
        await life

    asyncio.run(check())


def test_a_search_takes_the_groups_that_a_token_opens(fleet: SmallFleet, views: list[GroupView]) -> None:
    grants = read_grants(tokens_file(fleet.folder), ["open", "closed"])
    server = GroupServer(views, grants, Service(AccessRules(digests=(b"x" * 32,)), 0), "1")
    app = server._uvicorn.config.app
    assert isinstance(app, GroupDispatcher)
    query = {"query": "book a transfer or sign the session cookie", "effort": "fast"}

    def searched(token: str, *groups: str, **more: str) -> httpx.Response:
        return asked(app, token, [("GET", "/v1/search", {**query, "group": list(groups), **more})])[0]

    try:
        for groups, there in (["closed"], {"bank"}), (["open"], {"shop"}), (["closed", "open"], {"bank", "shop"}):
            found = {one["repository"] for one in searched(BOTH, *groups).json()["results"]}
            assert there <= found and ("bank" in found) == ("closed" in groups)
        forbidden, unknown = searched(OPEN, "closed"), searched(OPEN, "clothes")
        assert forbidden.status_code == unknown.status_code == 422
        assert forbidden.text.replace("closed", "clothes") == unknown.text
        assert "the fleet has no group 'closed'; it has open" in forbidden.text
        assert "not both" in searched(BOTH, "open", repository="shop").text
    finally:
        server._pool.close()
        server._socket.close()


def test_a_tool_takes_the_groups_that_it_may_see(fleet: SmallFleet) -> None:
    fleet.sync()

    async def called(groups: list[str], *seen: str) -> tuple[bool, str]:
        with fleet.opened(*seen) as opened:
            async with Client(build_server(OpenedProvider(opened), ServerOptions("1"))) as client:
                arguments = {"query": "book a transfer or sign the session cookie", "groups": groups}
                found = await client.call_tool("search_code", arguments)
        return bool(found.is_error), "".join(getattr(part, "text", "") for part in found.content)

    async def check() -> None:
        failed, text = await called(["closed"])
        assert not failed and "ledger.go" in text and "session.py" not in text
        forbidden, unknown = await called(["closed"], "open"), await called(["clothes"], "open")
        assert forbidden[0] and forbidden[1].replace("closed", "clothes") == unknown[1]
        assert "the fleet has no group 'closed'" in forbidden[1]

    asyncio.run(check())


def _rpc(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"needs \[\[tokens\]\]"),
        ("tokens = 1", r"needs \[\[tokens\]\]"),
        ("[[tokens]]\nname = 'a'", "has name, sha256 and groups"),
        ("[[tokens]]\nname = 'a'\nsha256 = 'short'\ngroups = ['open']", "must have 64 digits"),
        (f"[[tokens]]\nname = 'a'\nsha256 = '{'0' * 64}'\ngroups = ['none']", "has no group 'none'"),
        (f"[[tokens]]\nname = 'a'\nsha256 = '{'0' * 64}'\ngroups = []", "must be a list"),
        (f"[[tokens]]\nname = 'a'\nsha256 = '{'0' * 64}'\ngroups = ['open']\n" * 2, "a token twice"),
        ("[[tokens", "not valid TOML"),
    ],
)
def test_a_file_of_tokens_that_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "tokens.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_grants(tmp_path / "tokens.toml", ["open"])


def test_only_the_whole_token_opens(tmp_path: Path) -> None:
    grants = read_grants(tokens_file(tmp_path), ["open", "closed"])
    found = grant_for(grants, f"Bearer {OPEN}")
    assert found is not None and found.groups == ("open",)
    for header in (
        "",
        OPEN,
        f"Basic {OPEN}",
        f"Bearer {OPEN[:-1]}",
        f"Bearer {OPEN}x",
        f"Bearer {grants[0].digest.hex()}",
    ):
        assert grant_for(grants, header) is None
