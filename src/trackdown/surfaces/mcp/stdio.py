"""Serving one client over standard input and output."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import suppress

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp import MCPError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from trackdown.surfaces.mcp.repositories import RepositoryProvider
from trackdown.surfaces.mcp.server import ServerOptions, build_server
from trackdown.surfaces.mcp.surrogates import without_lone_surrogates

_START_SECONDS = 2.0


def run_stdio(served: RepositoryProvider, options: ServerOptions) -> None:
    """Serve until the client closes our input or a signal arrives."""
    anyio.run(_serve, served, options)


async def _serve(served: RepositoryProvider, options: ServerOptions) -> None:
    server = build_server(served, options)
    async with anyio.create_task_group() as group:
        group.start_soon(_end_on_signal, served)
        group.start_soon(_start_soon, served)
        async with stdio_server() as (incoming, outgoing):
            passed_on, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            group.start_soon(_pass_on, incoming, passed_on, outgoing.send)
            await server.run(messages, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _pass_on(
    incoming: AsyncIterable[SessionMessage | Exception],
    passed_on: MemoryObjectSendStream[SessionMessage | Exception],
    answer: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Pass messages on to the server, and answer lines that are none. The SDK ignores them, and clients would wait."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended
        async with passed_on:
            async for message in incoming:
                try:
                    read = _mended(message) if isinstance(message, Exception) else message
                except MCPError as error:
                    await answer(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error.error)))
                else:
                    if read is not None:
                        await passed_on.send(read)


def _mended(error: Exception) -> SessionMessage | None:
    """The message in a line that the SDK could not read; None for an empty line. Raises MCPError for other lines."""
    found = error.errors()[0] if isinstance(error, ValidationError) else None
    line = found["input"] if found is not None and found["type"] == "json_invalid" else None
    if not isinstance(line, str):
        raise MCPError(INVALID_REQUEST, "this line is not a message of JSON-RPC 2.0")
    if not line.strip():
        return None
    try:
        mended = without_lone_surrogates(line.encode("utf-8", "replace"))
        return SessionMessage(jsonrpc_message_adapter.validate_json(mended, by_name=False))
    except ValidationError:
        raise MCPError(PARSE_ERROR, "this line is not JSON") from None


async def _start_soon(served: RepositoryProvider) -> None:
    """Start indexing even if the client asks for nothing, so that later answers are ready."""
    await anyio.sleep(_START_SECONDS)
    served.start()


async def _end_on_signal(served: RepositoryProvider) -> None:
    """A thread that reads our input cannot be interrupted, so the process exits as soon as everything is closed."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            served.close()
            os._exit(128 + number)
