"""The MCP server: an agent's way to the engine, over standard input and output or HTTP. Needs the extra `mcp`."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.mcp.http import build_app, run_app, run_http
    from trackdown.surfaces.mcp.repositories import OpenedProvider, RepositoryProvider
    from trackdown.surfaces.mcp.server import ServerOptions
    from trackdown.surfaces.mcp.stdio import run_stdio
else:
    __getattr__ = door(__name__)
