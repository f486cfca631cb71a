"""The server's beginning and end, and which repositories it serves when nobody names one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client.context import ClientRequestContext
from mcp.types import ListRootsResult, Root

from tests.conftest import Repo
from tests.surfaces.mcp.connections import LEGACY, MODERN, over_stdio, processes_of, refused, talk, value
from tests.surfaces.program import COMMAND, Program, wait_for
from trackdown.installation import install_hint

pytestmark = pytest.mark.slow

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def start(program: Program, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "mcp", *arguments],
        cwd=program.folder,
        env=program.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )


def ask(process: subprocess.Popen[str], message: dict[str, Any]) -> Any:
    """Send a line and read the answer's."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(message) + "\n")
    return json.loads(process.stdout.readline())


def test_nothing_but_the_protocol_is_written_to_standard_output(ready: Program) -> None:
    process = start(ready)
    assert ask(process, HELLO)["result"]["serverInfo"]["name"] == "trackdown"
    listed = ask(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    assert "search_code" in [tool["name"] for tool in listed["result"]["tools"]]
    called = {"name": "search_code", "arguments": {"query": "cookie"}}
    assert not ask(process, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": called})["result"]["isError"]
    rest, err = process.communicate(timeout=300)
    assert (process.returncode, rest, err) == (0, "", "")


def test_lines_that_are_no_messages_are_answered_with_errors(ready: Program) -> None:
    process = start(ready)
    assert process.stdin is not None and process.stdout is not None
    nonsense = ["{not json", "[]", "x" * 100_000, '{"a": ' * 50_000, '{"jsonrpc": "2.0", "id": 7}']
    process.stdin.write("".join(f"{line}\n\n" for line in nonsense))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in nonsense]
    assert [answer["error"]["code"] for answer in answers] == [-32700, -32600, -32700, -32700, -32600]
    assert {answer["id"] for answer in answers} == {None}
    assert ask(process, HELLO)["result"]["serverInfo"]["name"] == "trackdown"
    process.communicate(timeout=300)
    assert process.returncode == 0


def test_half_a_character_in_a_call_is_answered(ready: Program) -> None:
    process = start(ready)
    ask(process, HELLO)

    def call(name: str, **arguments: object) -> Any:
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        answer = ask(process, message)
        assert answer["id"] == 2, answer
        return answer["result"]

    found = call("search_code", query="where is the session cookie signed? \ud83d")
    assert not found["isError"] and "sign_cookie" in found["content"][0]["text"]
    assert call("read_unit", path="web/\udcff.py")["isError"]
    assert call("search_code", query="cookie", **{"\ud800": 1})["isError"]
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_at_once(number: signal.Signals, code: int, ready: Program) -> None:
    process = start(ready)
    ask(process, HELLO)
    process.send_signal(number)
    assert process.wait(timeout=300) == code
    process.communicate()
    assert wait_for(lambda: not processes_of(ready)), processes_of(ready)


def test_without_the_sdk_the_way_to_get_it_is_said(ready: Program, tmp_path: Path) -> None:
    """The SDK is hidden by a file of its name that is none of it."""
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n")
    hidden = ready.having(PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    hidden("mcp").refused(2, "mcp is not installed", install_hint("mcp"))
    assert hidden("search", "cookie").code == 0


def test_a_place_that_is_not_there_is_told_before_anything_is_served(ready: Program) -> None:
    ready("mcp", "no/such/place").refused(1, "no/such/place")


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_outside_of_repositories_the_clients_roots_are_served(
    mode: str, program: Program, shop: Repo, tmp_path: Path
) -> None:
    home = tmp_path / "home with blanks"
    home.mkdir()
    (home / "private.py").write_text("def private_cookie():\n    return 1\n")

    async def roots(_: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=shop.root.as_uri())])  # type: ignore[arg-type]

    async def script() -> None:
        async with over_stdio(program.within(home), mode=mode, list_roots_callback=roots) as client:
            found = await value(client, "search_code", {"query": "cookie"})
            assert {one["repository"] for one in found["results"]} == {"shop"}
        async with over_stdio(program.within(home), mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert all("repository" in tool.input_schema["properties"] for tool in listed), (
                "the client may name several"
            )
            refused(await client.call_tool("search_code", {"query": "cookie"}), "trackdown mcp PATH")
        async with over_stdio(program.within(home), ".", mode=mode) as client:
            found = await value(client, "search_code", {"query": "cookie"})
            assert [one["path"] for one in found["results"]] == ["private.py"]

    talk(script)


def test_a_repository_deleted_under_the_server_is_told_and_the_server_lives(program: Program, tmp_path: Path) -> None:
    import shutil

    repo = Repo(tmp_path / "gone")
    repo.commit("Begin", {"a.py": "def sign():\n    return 1\n"})
    kept = Repo(tmp_path / "kept")
    kept.commit("Begin", {"b.py": "def sign():\n    return 1\n"})

    async def script() -> None:
        async with over_stdio(program, repo.root, kept.root) as client:
            both = await value(client, "search_code", {"query": "sign"})
            assert {one["repository"] for one in both["results"]} == {"gone", "kept"}
            shutil.rmtree(repo.root)
            refused(await client.call_tool("search_code", {"query": "sign", "repository": "gone"}), "gone")
            assert (await value(client, "search_code", {"query": "sign", "repository": "kept"}))["results"]

    talk(script)
