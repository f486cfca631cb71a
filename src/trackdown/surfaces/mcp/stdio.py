"""Serving one client over standard input and output."""

from __future__ import annotations

import os
import signal

import anyio
from mcp.server.stdio import stdio_server

from trackdown.surfaces.mcp.repositories import RepositoryProvider
from trackdown.surfaces.mcp.server import ServerOptions, build_server

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
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


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
