"""Issues by name: only from a server that was started to fetch them, and only of what it serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import build_shop
from tests.surfaces.mcp.connections import over_stdio, refused, said, talk
from tests.surfaces.program import Program
from tests.trackers.code_host import CodeHost, code_host, github_issue, sends


@pytest.fixture
def host() -> Iterator[CodeHost]:
    with code_host() as host:
        page = host.has("gitea", 7, github_issue("The session cookie is not signed", comments=1))
        host.pages[f"{page}/comments"] = sends([{"body": "The total price of the cart?"}])
        yield host


@pytest.fixture
def cloned(host: CodeHost, tmp_path: Path) -> Program:
    """The program in a clone of the shop."""
    shop = build_shop(tmp_path / "shop")
    shop.git("remote", "add", "origin", f"{host.url}/shop/web.git")
    variables = {"TRACKDOWN_MODELS": "none", "GITEA_SERVER_URL": host.url, "GITHUB_SERVER_URL": None}
    return Program(tmp_path / "store", shop.root, variables)


def test_locate_issue_takes_a_name(cloned: Program, host: CodeHost) -> None:
    async def script() -> None:
        async with over_stdio(cloned, "--fetch-issues") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert "owner/repo#5049" in str(tools["locate_issue"].description)
            assert "owner/repo#5049" not in str(tools["search_code"].description)
            answer = await said(client, "locate_issue", {"issue": "#7"})
            assert "sign_cookie" in answer and f"fetched {host.host}/shop/web#7" in answer
            address = f"{host.url}/shop/web/issues/7"
            answer = await said(client, "locate_issue", {"issue": address, "comments": True})
            assert "Cart.total" in answer and "1 of 1 comments" in answer
            before = len(host.seen)
            refused(await client.call_tool("locate_issue", {"issue": "shop/secret#7"}), "served here")
            assert "fetched" not in await said(client, "locate_issue", {"issue": "The cookie of #7 is not signed"})
            assert len(host.seen) == before

    talk(script)


def test_nothing_is_fetched_without_the_option(cloned: Program, host: CodeHost) -> None:
    async def script() -> None:
        async with over_stdio(cloned) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert "owner/repo#5049" not in str(tools["locate_issue"].description)
            for name in (f"{host.url}/shop/web/issues/7", "shop/web#7"):
                refused(await client.call_tool("locate_issue", {"issue": name}), "start it with --fetch-issues")
            assert "fetched" not in await said(client, "locate_issue", {"issue": "#7"})

    talk(script)
    assert host.seen == []
