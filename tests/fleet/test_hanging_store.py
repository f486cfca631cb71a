"""A store that does not answer: the server goes on with what it has."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.fleet.fleets import SmallFleet, needs_extra
from tests.fleet.test_access import NAMED
from trackdown.fleet import FleetReader, FleetRepositories, Place, read_fleet
from trackdown.fleet.place import StoredObject
from trackdown.surfaces.http import AccessRules, Server, Service
from trackdown.surfaces.mcp import OpenedProvider, ServerOptions
from trackdown.surfaces.mcp.server import build_server

pytestmark = needs_extra
LONGEST = 30.0
UNNAMED: tuple[tuple[str, dict[str, Any]], ...] = (("/v1/repositories", {}), ("/v1/status", {}), ("/metrics", {}))


class HangingPlace(Place):
    """A place that can stop to answer, until it is released or its time is up."""

    hangs = False
    timed_out = False

    def __init__(self, fleet: SmallFleet) -> None:
        super().__init__(read_fleet(fleet.file).address)
        self.reached, self.released = threading.Event(), threading.Event()

    def listed(self, prefix: str) -> list[StoredObject]:
        if self.hangs:
            self.reached.set()
            if not self.released.wait(LONGEST):
                self.hangs, self.timed_out = False, True
        return super().listed(prefix)


@pytest.fixture
def place(fleet: SmallFleet) -> Iterator[HangingPlace]:
    fleet.sync()
    made = HangingPlace(fleet)
    yield made
    made.released.set()


@pytest.fixture
def opened(fleet: SmallFleet, place: HangingPlace) -> Iterator[FleetRepositories]:
    reader = FleetReader(place, fleet.settings, fresh_seconds=0.0)
    with FleetRepositories(reader, fleet.settings) as found:
        yield found
        place.released.set()


@asynccontextmanager
async def asking(opened: FleetRepositories) -> AsyncIterator[httpx.AsyncClient]:
    server = Server(opened, Service(AccessRules(rate=1e6), 0), "1")
    app: Any = server._uvicorn.config.app
    try:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
        ) as client:
            yield client
    finally:
        server._pool.close()
        server._socket.close()


async def reached(place: HangingPlace) -> None:
    assert await asyncio.to_thread(place.reached.wait, LONGEST)


@pytest.mark.parametrize(("path", "params"), [*NAMED, *UNNAMED], ids=lambda value: str(value))
def test_no_route_keeps_the_others_waiting(
    opened: FleetRepositories, place: HangingPlace, path: str, params: dict[str, Any]
) -> None:
    async def ask() -> None:
        async with asking(opened) as client:
            place.hangs = True
            waiting = asyncio.create_task(client.get(path, params={**params, "repository": "nobody"}))
            await reached(place)
            assert (await client.get("/health")).status_code == 200
            assert not place.timed_out and not waiting.done()
            place.released.set()
            assert (await waiting).status_code in (200, 404)

    asyncio.run(ask())


def test_a_cached_repository_is_searched_while_the_store_hangs(opened: FleetRepositories, place: HangingPlace) -> None:
    async def ask() -> None:
        async with asking(opened) as client:
            query = {"query": "sign the session cookie", "effort": "fast", "repository": "shop"}
            before = (await client.get("/v1/search", params=query)).json()
            place.hangs = True
            after = (await client.get("/v1/search", params=query)).json()
            names = [one["name"] for one in (await client.get("/v1/repositories")).json()["repositories"]]
            assert place.reached.is_set() and not place.timed_out
            assert after["results"] == before["results"] and names == ["bank", "maps", "shop"]

    asyncio.run(ask())


def test_a_list_of_tools_keeps_no_other_client_waiting(opened: FleetRepositories, place: HangingPlace) -> None:
    from mcp import Client

    async def ask() -> None:
        server = build_server(OpenedProvider(opened), ServerOptions("1", 1.0))
        async with Client(server) as client:
            place.hangs = True
            waiting = asyncio.create_task(client.list_tools())
            await reached(place)
            assert not place.timed_out and not waiting.done()
            place.released.set()
            assert "repository" in (await waiting).tools[0].input_schema["properties"]

    asyncio.run(ask())
