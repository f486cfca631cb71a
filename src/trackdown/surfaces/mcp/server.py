"""The server itself: lists the tools, and calls them in threads with progress, cancellation and errors in one line."""

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
    ToolAnnotations,
)
from mcp.types import Tool as ListedTool
from pydantic import ValidationError

from trackdown.engine import SharedRepositories
from trackdown.errors import TrackdownError
from trackdown.surfaces.mcp.arguments import Arguments, in_words
from trackdown.surfaces.mcp.served import Served
from trackdown.surfaces.mcp.tools import INSTRUCTIONS, TOOLS, Call, Tool
from trackdown.surfaces.mcp.written import refusal
from trackdown.surfaces.steps import INDEXING, SEARCHING

LOG = logging.getLogger("trackdown.mcp")

_REPORT_SECONDS = 0.5
_MOST_CALLS = 16

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Manner:
    """What a server says of itself, and how long its calls wait for a first index before they answer from what is
    ready. Clients give up after a minute.
    """

    version: str
    first_index_seconds: float = 15.0


def build_server(served: Served, manner: Manner) -> Server[Any]:
    """A server of the tools over some repositories."""
    calls = anyio.CapacityLimiter(_MOST_CALLS)
    listed = [_listed(tool) for tool in TOOLS.values()]

    async def list_tools(ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        served.start()  # not earlier: a client that connects waits for this list first
        return ListToolsResult(tools=listed)

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}: there are {', '.join(TOOLS)}")
        try:
            asked = tool.takes.model_validate(params.arguments or {})
            served.start()
            repositories = await served.find(ctx, params)
        except ValidationError as error:
            return _refused(in_words(error))
        except TrackdownError as error:
            return _refused(str(error))
        if isinstance(repositories, InputRequiredResult):
            return repositories
        return await _Running(tool, repositories, asked, manner.first_index_seconds).result(ctx, calls)

    return Server(
        "trackdown",
        version=manner.version,
        title="Trackdown",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Running:
    """One call: works in a thread while this one tells the client how far it is."""

    def __init__(self, tool: Tool, repositories: SharedRepositories, asked: Arguments, wait: float) -> None:
        self._tool = tool
        self._repositories = repositories
        self._asked = asked
        self._cancelled = threading.Event()
        self._call = Call(wait, self._hear, self._cancelled.is_set)
        self._heard = ""
        self._began = time.monotonic()

    async def result(self, ctx: Context, calls: anyio.CapacityLimiter) -> CallToolResult:
        """The tool's answer. When the client cancels, the thread is told and not waited for."""
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
            return _refused(str(error))
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
            return _refused("something unexpected went wrong: the server's log says what")
        return CallToolResult(content=[TextContent(text=answer.text)], structured_content=answer.value)

    def _hear(self, step: str, done: int, total: int | None) -> None:
        """What the engine reports, from whatever thread."""
        count = f" {done}" + (f" of {total}" if total is not None else "") if done or total else ""
        named = {**INDEXING, **SEARCHING}.get(step, step)
        self._heard = f"{'searching' if step in SEARCHING else 'indexing'}: {named[:1].lower()}{named[1:]}{count}"

    async def _report(self, ctx: Context) -> None:
        """Tell the client that it is worth waiting. The measure is seconds, which only grow."""
        while True:
            await anyio.sleep(_REPORT_SECONDS)
            message, self._heard = self._heard or "searching", ""
            try:
                await ctx.session.report_progress(round(time.monotonic() - self._began, 2), None, message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


def _listed(tool: Tool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_plain(tool.takes.model_json_schema()),
        output_schema=_plain(tool.gives.model_json_schema()),
        annotations=ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _plain(schema: Any) -> Any:
    """A schema in fewer words than pydantic's, which cost a model's attention, and with what is required first.

    No titles, no descriptions of classes, and no "or null" for what may be left out: some clients cannot read that.
    """
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    choices = schema.get("anyOf", [])
    if len(choices) == 2 and choices[1] == {"type": "null"} and schema.get("default", ...) is None:
        schema = {**choices[0], **{key: value for key, value in schema.items() if key not in ("anyOf", "default")}}
    is_class = schema.get("type") == "object" and "properties" in schema
    dropped = {"title", "description"} if is_class else {"title"}
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            required = schema.get("required", [])
            ordered = sorted(value, key=lambda name: name not in required)
            kept[key] = {name: _plain(value[name]) for name in ordered}
        elif key not in dropped or not isinstance(value, str):
            kept[key] = _plain(value)
    return kept


def _refused(message: str) -> CallToolResult:
    """An error that the model reads and can act on."""
    return CallToolResult(content=[TextContent(text=refusal(message))], is_error=True)
