"""The official SDK's client, connected to the server as agents connect to it: as a process, or over HTTP."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.types import CallToolResult, TextContent

from tests.surfaces.program import COMMAND, Program

LEGACY, MODERN = "legacy", "auto"
"""How a client begins: with the handshake that most agents use, or as the protocol of 2026 has it."""


@asynccontextmanager
async def over_stdio(
    program: Program, *arguments: str | Path, mode: str = MODERN, **options: Any
) -> AsyncIterator[Client]:
    """A client of a server process of its own."""
    parameters = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", *map(str, arguments)],
        env=program.environment(),
        cwd=program.folder,
    )
    async with Client(parameters, mode=mode, **options) as client:
        yield client


@contextmanager
def http_server(program: Program, *arguments: str | Path) -> Iterator[str]:
    """A server at a free port, by its address. It has to end by itself when it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "trackdown", "mcp", "--http", "--port", "0", *map(str, arguments)],
        cwd=program.folder,
        env=program.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"Serving MCP at (http://\S+/mcp) \(Ctrl-C to stop\)\n", line)
        assert found, (line, process.stderr.read() if process.poll() is not None else "")
        yield found.group(1)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, (process.returncode, err)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@asynccontextmanager
async def over_http(
    program: Program, *arguments: str | Path, mode: str = MODERN, **options: Any
) -> AsyncIterator[Client]:
    """A client of a server that it reaches over HTTP."""
    with http_server(program, *arguments) as address:
        async with Client(address, mode=mode, **options) as client:
            yield client


Connect = Callable[..., Any]
CONNECTIONS: list[tuple[Connect, str]] = [
    (connect, mode) for connect in (over_stdio, over_http) for mode in (LEGACY, MODERN)
]
PAIRED: list[tuple[Connect, str]] = [(over_stdio, MODERN), (over_http, LEGACY)]
"""Each transport and each protocol once, for tests that take seconds."""


def names(connection: tuple[Connect, str]) -> str:
    """What a test's name says of a connection."""
    return f"{connection[0].__name__}-{connection[1]}"


def talk(script: Callable[[], Awaitable[None]], seconds: float = 300) -> None:
    """Run a conversation to its end. The limit is a guard against hanging: a busy machine must not fail a test."""

    async def limited() -> None:
        with anyio.fail_after(seconds):
            await script()

    anyio.run(limited)


def text_of(result: CallToolResult) -> str:
    """The one text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def said(client: Client, tool: str, arguments: dict[str, Any], **options: Any) -> str:
    """What a tool says to a model: text alone."""
    result = await client.call_tool(tool, arguments, **options)
    assert not result.is_error and result.structured_content is None, text_of(result)
    return text_of(result)


async def value(client: Client, tool: str, arguments: dict[str, Any], **options: Any) -> Any:
    """What a tool tells a program: a value, and of the text one line."""
    result = await client.call_tool(tool, {**arguments, "structured": True}, **options)
    assert not result.is_error and "\n" not in text_of(result), text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def refused(result: CallToolResult, *words: str) -> None:
    """Assert that a tool answered with an error of one line with these words in it."""
    said = text_of(result)
    assert result.is_error and "\n" not in said and "Traceback" not in said, said
    for word in words:
        assert word in said, said


def processes_of(program: Program) -> list[str]:
    """What still runs with the program's store, this process aside."""
    from tests.surfaces.program import alive

    return [line for line in alive("TRACKDOWN_STORE", str(program.store)) if str(os.getpid()) not in line]
