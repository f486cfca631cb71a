"""One application for each set of groups, chosen by the token of a request.

An application knows the repositories of its groups and no others, so no route, count, note or error of it can speak of
them. A request without a valid token gets the application of no groups, which refuses whatever needs one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trackdown.engine import SharedRepositories
from trackdown.fleet import TokenGrant, grant_for

Grant = TokenGrant
_NOBODY: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupView:
    """The repositories of a set of groups, and the digests of the tokens that open exactly these."""

    groups: tuple[str, ...]
    digests: tuple[bytes, ...]
    shared: SharedRepositories


class OpensGroups(Protocol):
    """Opens the repositories of some groups."""

    def __call__(self, groups: tuple[str, ...]) -> SharedRepositories: ...


def views_of(grants: Sequence[Grant], opens: OpensGroups) -> list[GroupView]:
    """A view for each set of groups that some token opens, and one for nobody, which no token opens."""
    views = [GroupView(_NOBODY, (os.urandom(32),), opens(_NOBODY))]
    for groups in sorted({grant.groups for grant in grants}):
        digests = tuple(grant.digest for grant in grants if grant.groups == groups)
        views.append(GroupView(groups, digests, opens(groups)))
    return views


class GroupDispatcher:
    """The outermost application: passes a request on to the view that its token opens."""

    def __init__(self, apps: Mapping[tuple[str, ...], ASGIApp], grants: Sequence[Grant]) -> None:
        self._apps = apps
        self._grants = grants

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
            return
        given = [value.decode("latin-1") for name, value in scope.get("headers", []) if name == b"authorization"]
        grant = grant_for(self._grants, given[0]) if len(given) == 1 else None
        await self._apps[grant.groups if grant is not None else _NOBODY](scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Start and end all applications together."""
        await receive()
        async with AsyncExitStack() as stack:
            for app in self._apps.values():
                await stack.enter_async_context(_alive(app, scope))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def _alive(app: ASGIApp, scope: Scope) -> AsyncIterator[None]:
    """An application between its startup and its shutdown. Raises what ended it, if it does not start."""
    orders: asyncio.Queue[Message] = asyncio.Queue()
    started = asyncio.Event()

    failed: list[str] = []

    async def hear(message: Message) -> None:
        if message["type"] == "lifespan.startup.failed":
            failed.append(str(message.get("message", "")))
        started.set()

    async def run() -> None:
        try:
            await app({**scope, "state": {}}, orders.get, hear)
        finally:
            started.set()

    running = asyncio.create_task(run())
    await orders.put({"type": "lifespan.startup"})
    await started.wait()
    if running.done():
        await running
    if failed:
        raise RuntimeError(f"an application did not start: {failed[0]}")
    try:
        yield
    finally:
        await orders.put({"type": "lifespan.shutdown"})
        await running
