"""The threads behind the server: cancellation, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.types import Message

from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import HttpProblem
from trackdown.surfaces.http.request_checks import ClientGone
from trackdown.surfaces.http.request_pool import Cancelled, RequestPool

Make = Callable[[], RequestPool]


@pytest.fixture
def make_pool() -> Iterator[Make]:
    """Makes pools of one thread that end with the test."""
    made: list[RequestPool] = []

    def make() -> RequestPool:
        made.append(RequestPool(Metrics(), 1))
        return made[-1]

    yield make
    for pool in made:
        pool.close()


class Job:
    """Work that lasts until an event, or until it is cancelled."""

    def __init__(self, go: threading.Event) -> None:
        self._go = go
        self.begun = threading.Event()
        self.ended = threading.Event()

    def __call__(self, cancelled: Cancelled) -> str:
        self.begun.set()
        try:
            while not self._go.wait(0.005):
                if cancelled():
                    raise RuntimeError("stopped in the middle")
            return "done"
        finally:
            self.ended.set()


async def nothing() -> Message:
    """A client that stays."""
    await asyncio.sleep(60)
    return {"type": "http.disconnect"}


async def leaves() -> Message:
    """A client that goes away."""
    await asyncio.sleep(0.05)
    return {"type": "http.disconnect"}


def test_work_is_done_and_errors_come_through(make_pool: Make) -> None:
    pool = make_pool()
    assert asyncio.run(pool.run(nothing, lambda cancelled: 7)) == 7
    with pytest.raises(KeyError):
        asyncio.run(pool.run(nothing, lambda cancelled: {"yes": 1}["no"]))


def test_a_client_that_goes_away_cancels_its_work(make_pool: Make) -> None:
    pool, job = make_pool(), Job(threading.Event())
    with pytest.raises(ClientGone):
        asyncio.run(pool.run(leaves, job))
    assert job.ended.wait(5), "the thread goes on for nobody"


def test_a_client_that_goes_away_leaves_no_error_behind(make_pool: Make) -> None:
    pool, job = make_pool(), Job(threading.Event())
    heard: list[dict[str, Any]] = []

    async def serve() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: heard.append(context))
        with pytest.raises(ClientGone):
            await pool.run(leaves, job)
        while not job.ended.is_set():
            await asyncio.sleep(0.01)
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(serve())
    gc.collect()
    assert heard == []


def test_work_that_still_waits_is_never_begun_for_a_client_that_went_away(make_pool: Make) -> None:
    pool, go = make_pool(), threading.Event()
    begun: list[Cancelled] = []
    first, _ = pool.begin(Job(go))
    with pytest.raises(ClientGone):
        asyncio.run(pool.run(leaves, begun.append))
    go.set()
    assert first.result(5) == "done" and pool.begin(lambda cancelled: 1)[0].result(5) == 1
    assert begun == []


def test_stopping_ends_what_runs_and_what_waits_and_takes_no_more(make_pool: Make) -> None:
    pool, job = make_pool(), Job(threading.Event())
    running, waiting = pool.begin(job)[0], pool.begin(job)[0]
    assert job.begun.wait(5)
    pool.stop()
    for future in (running, waiting):
        with pytest.raises(HttpProblem) as told:
            future.result(5)
        assert (told.value.status, told.value.kind) == (503, "stopping")
    with pytest.raises(HttpProblem) as refused:
        pool.begin(job)
    assert (refused.value.status, refused.value.kind) == (503, "stopping")
