"""Which repositories the server serves: those named, the current folder's, or those the client works in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
)

from trackdown.engine import SharedRepositories
from trackdown.errors import TrackdownError, UsageError
from trackdown.settings import Settings, load_settings

_ROOTS = "roots"
_ASK_SECONDS = 10.0
_NOWHERE = (
    "no repository is served: the server was not started in one, and the client names none. Start it as "
    "`trackdown mcp PATH`, or in the folder of a repository"
)


class RepositoryProvider:
    """Provides the repositories for the tools.

    Without places that is the current folder, if it belongs to a repository. Agents often start servers elsewhere, e.g.
    in the home folder, which nobody wants to index: then the server asks the client for its roots at the first call, if
    the client `may_name` them. Over HTTP it may not, because the client could be anybody. With `fetch_issues`, issues
    of the repositories can be named. Raises UsageError if there is nothing to serve, and what opening a place raises.
    """

    def __init__(
        self, places: Sequence[str], *, may_name: bool, settings: Settings | None = None, fetch_issues: bool = False
    ) -> None:
        self.fetches_issues = fetch_issues
        self._settings = settings or load_settings()
        self._lock = anyio.Lock()
        self._started = False
        self._shared: SharedRepositories | None = self._shared_of(places or ["."])
        if not places and self._shared.places()[0].kind == "folder":
            self._shared.close()
            self._shared = None
            if not may_name:
                raise UsageError("the current folder is not in a repository: name what to serve, or give `.`")

    def start(self) -> None:
        """Start indexing and watching in the background. Only the first call does anything."""
        if self._shared is not None and not self._started:
            self._started = True
            self._shared.start()

    def may_be_several(self) -> bool:
        """Whether calls may have to name a repository: several are served, or the client will name them."""
        return self._shared is None or len(self._shared.names) > 1

    def close(self) -> None:
        """Stop all work and close the repositories."""
        if self._shared is not None:
            self._shared.close()

    async def find(
        self, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> SharedRepositories | InputRequiredResult:
        """Return the repositories, or the question that the client must answer first. Raises TrackdownError."""
        async with self._lock:
            if self._shared is None:
                roots = await _ask_roots(ctx, params)
                if isinstance(roots, InputRequiredResult):
                    return roots
                self._shared = await anyio.to_thread.run_sync(self._open, roots)
            return self._shared

    def _shared_of(self, places: Sequence[str]) -> SharedRepositories:
        return SharedRepositories(places, settings=self._settings, fetch_issues=self.fetches_issues)

    def _open(self, roots: Sequence[str]) -> SharedRepositories:
        shared = self._shared_of(roots)
        self._started = True
        shared.start()
        return shared


class OpenedProvider(RepositoryProvider):
    """Provides repositories that are open already; they belong to the caller."""

    def __init__(self, shared: SharedRepositories) -> None:
        self.fetches_issues = shared.fetches_issues
        self._shared: SharedRepositories | None = shared
        self._started = False
        self._lock = anyio.Lock()

    def close(self) -> None:
        """The caller closes them."""


async def _ask_roots(
    ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams
) -> Sequence[str] | InputRequiredResult:
    """The folders that the client works in. Clients of 2026 and later are asked by way of the answer."""
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        raise UsageError(_NOWHERE)
    given: Mapping[str, Any] = params.input_responses or {}
    answer = given.get(_ROOTS)
    if answer is None and not ctx.session.can_send_request:
        return InputRequiredResult(input_requests={_ROOTS: ListRootsRequest()})
    if answer is None:
        try:
            answer = await ctx.session.send_request(ListRootsRequest(), ListRootsResult, _ASK_SECONDS)
        except MCPError as error:
            raise TrackdownError(f"the client failed when asked which folders it works in: {error}") from None
    if not isinstance(answer, ListRootsResult):
        raise UsageError(_NOWHERE)
    folders = [unquote(urlsplit(str(root.uri)).path) for root in answer.roots if str(root.uri).startswith("file:")]
    folders = [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
    if not folders:
        raise UsageError(_NOWHERE)
    return folders
