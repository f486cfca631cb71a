"""The server itself: lists the tools and runs calls in threads, with progress, cancellation and one-line errors."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from pydantic import ValidationError

from trackdown.engine import SharedRepositories
from trackdown.errors import FleetError, TrackdownError
from trackdown.surfaces import INDEXING, SEARCHING
from trackdown.surfaces.mcp.arguments import ToolArguments, in_words
from trackdown.surfaces.mcp.listing import list_tools
from trackdown.surfaces.mcp.repositories import RepositoryProvider
from trackdown.surfaces.mcp.tool_answer import refusal
from trackdown.surfaces.mcp.tools import INSTRUCTIONS, TOOLS, Tool, ToolCall

LOG = logging.getLogger("trackdown.mcp")

_REPORT_SECONDS = 0.5
_MOST_CALLS = 16

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The server's version, and how long calls wait for a first index before they answer from what is ready. Clients
    give up after a minute.
    """

    version: str
    first_index_seconds: float = 15.0


def build_server(served: RepositoryProvider, options: ServerOptions) -> Server[Any]:
    """Build a server of the tools."""
    calls = anyio.CapacityLimiter(_MOST_CALLS)

    async def tools_of(ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        served.start()  # not earlier: a client that connects waits for this list first
        several = await anyio.to_thread.run_sync(served.may_be_several)  # the place of a fleet may have to be read
        return ListToolsResult(tools=list_tools(several=several, fetches_issues=served.fetches_issues))

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}: the tools are {', '.join(TOOLS)}")
        try:
            asked = tool.takes.model_validate(params.arguments or {})
            served.start()
            repositories = await served.find(ctx, params)
        except ValidationError as error:
            return _refused(in_words(error))
        except TrackdownError as error:
            return _refused(_in_one_line(error))
        if isinstance(repositories, InputRequiredResult):
            return repositories
        return await _Running(tool, repositories, asked, options.first_index_seconds).result(ctx, calls)

    return Server(
        "trackdown",
        version=options.version,
        title="Trackdown",
        instructions=INSTRUCTIONS,
        on_list_tools=tools_of,
        on_call_tool=call_tool,
    )


class _Running:
    """One call: a thread does the work while the event loop reports progress to the client."""

    def __init__(self, tool: Tool, repositories: SharedRepositories, asked: ToolArguments, wait: float) -> None:
        self._tool = tool
        self._repositories = repositories
        self._asked = asked
        self._cancelled = threading.Event()
        self._call = ToolCall(wait, self._hear, self._cancelled.is_set)
        self._heard = ""
        self._began = time.monotonic()

    async def result(self, ctx: Context, calls: anyio.CapacityLimiter) -> CallToolResult:
        """Return the tool's answer. If the client cancels, asks the thread to stop but does not wait for it."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._report, ctx)
            try:
                done = await anyio.to_thread.run_sync(self._work, abandon_on_cancel=True, limiter=calls)
            finally:
                self._cancelled.set()
            group.cancel_scope.cancel()
        return done

    def _work(self) -> CallToolResult:
        try:
            answer = self._tool.run(self._repositories, self._asked, self._call)
        except TrackdownError as error:
            return _refused(_in_one_line(error))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            LOG.error(
                "unexpected %s in %s, %s:%s: %s",
                type(error).__name__,
                self._tool.name,
                where.filename,
                where.lineno,
                error,
            )
            return _refused("something went wrong: see the server's log")
        if self._asked.structured:
            head = answer.text.partition("\n")[0]
            return CallToolResult(content=[TextContent(text=head)], structured_content=answer.value)
        return CallToolResult(content=[TextContent(text=answer.text)])

    def _hear(self, step: str, done: int, total: int | None) -> None:
        """Note the engine's progress. Called from any thread."""
        count = f" {done}" + (f" of {total}" if total is not None else "") if done or total else ""
        named = {**INDEXING, **SEARCHING}.get(step, step)
        self._heard = f"{'searching' if step in SEARCHING else 'indexing'}: {named[:1].lower()}{named[1:]}{count}"

    async def _report(self, ctx: Context) -> None:
        """Report progress to the client. It is measured in seconds, which only grow."""
        while True:
            await anyio.sleep(_REPORT_SECONDS)
            message, self._heard = self._heard or "searching", ""
            try:
                await ctx.session.report_progress(round(time.monotonic() - self._began, 2), None, message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


def _in_one_line(error: TrackdownError) -> str:
    """What a client may know of an error."""
    if not isinstance(error, FleetError):
        return str(error)
    LOG.warning("%s", " ".join(str(error).split()))  # its message names the place
    return "what is published cannot be read now: see the server's log"


def _refused(message: str) -> CallToolResult:
    """An error that the model can read and act on."""
    return CallToolResult(content=[TextContent(text=refusal(message))], is_error=True)
