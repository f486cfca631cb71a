"""The threads behind the server: bounds, cancellation, an orderly end."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.types import Message

from tests.surfaces.program import wait_for
from trackdown.surfaces.http.admission import ClientGone
from trackdown.surfaces.http.crew import Cancel, Crew
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import Problem

Make = Callable[..., Crew]


@pytest.fixture
def make_crew() -> Iterator[Make]:
    """Makes crews that end with the test."""
    made: list[Crew] = []

    def make(threads: int = 1, waiting: int = 2, patience_seconds: float = 10.0) -> Crew:
        made.append(Crew(Metrics(), threads=threads, waiting=waiting, patience_seconds=patience_seconds))
        return made[-1]

    yield make
    for crew in made:
        crew.close()


def until(event: threading.Event) -> Callable[[Cancel], str]:
    """Work that lasts until an event, or until nobody wants it."""

    def work(cancel: Cancel) -> str:
        while not event.wait(0.005):
            if cancel():
                raise RuntimeError("stopped in the middle")
        return "done"

    return work


async def nothing() -> Message:
    """A client that stays."""
    await asyncio.sleep(60)
    return {"type": "http.disconnect"}


async def leaves() -> Message:
    """A client that goes away."""
    await asyncio.sleep(0.05)
    return {"type": "http.disconnect"}


def test_work_is_done_and_errors_come_through(make_crew: Make) -> None:
    crew = make_crew()
    assert asyncio.run(crew.run(nothing, lambda cancel: 7)) == 7
    with pytest.raises(KeyError):
        asyncio.run(crew.run(nothing, lambda cancel: {"yes": 1}["no"]))
    assert wait_for(lambda: crew.load()["running"] == 0)


def test_more_than_may_wait_is_refused_with_a_time_to_come_back(make_crew: Make) -> None:
    crew, go = make_crew(threads=1, waiting=2), threading.Event()
    begun = [crew.begin(until(go)) for _ in range(3)]
    assert wait_for(lambda: crew.load() == {"running": 1, "waiting": 2, "most_waiting": 2})
    with pytest.raises(Problem) as refused:
        crew.begin(until(go))
    assert refused.value.status == 503 and int(refused.value.headers["Retry-After"]) >= 1
    go.set()
    assert [future.result(5) for future, _ in begun] == ["done"] * 3
    assert crew.begin(until(go))[0].result(5) == "done"


def test_what_waited_too_long_is_refused_and_not_begun(make_crew: Make) -> None:
    crew, go = make_crew(patience_seconds=0.05), threading.Event()
    crew.begin(until(go))
    done: list[int] = []
    late, _ = crew.begin(lambda cancel: done.append(1))
    threading.Timer(0.2, go.set).start()
    with pytest.raises(Problem) as refused:
        late.result(5)
    assert refused.value.status == 503 and not done


def test_a_client_that_goes_away_cancels_its_work(make_crew: Make) -> None:
    crew, go = make_crew(), threading.Event()
    with pytest.raises(ClientGone):
        asyncio.run(crew.run(leaves, until(go)))
    assert wait_for(lambda: crew.load()["running"] == 0), "the thread goes on for nobody"


def test_a_client_that_goes_away_leaves_no_error_behind(make_crew: Make) -> None:
    crew, go = make_crew(), threading.Event()
    heard: list[dict[str, Any]] = []

    async def serve() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: heard.append(context))
        with pytest.raises(ClientGone):
            await crew.run(leaves, until(go))
        while crew.load()["running"]:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(serve())
    gc.collect()
    assert heard == []


def test_work_that_still_waits_is_never_begun_for_a_client_that_went_away(make_crew: Make) -> None:
    crew, go = make_crew(), threading.Event()
    begun: list[Cancel] = []
    crew.begin(until(go))
    with pytest.raises(ClientGone):
        asyncio.run(crew.run(leaves, begun.append))
    assert wait_for(lambda: crew.load() == {"running": 1, "waiting": 0, "most_waiting": 2})
    go.set()
    assert crew.begin(lambda cancel: 1)[0].result(5) == 1
    assert begun == []


def test_stopping_ends_what_runs_and_what_waits_and_takes_no_more(make_crew: Make) -> None:
    crew, go = make_crew(), threading.Event()
    running, waiting = crew.begin(until(go))[0], crew.begin(until(go))[0]
    assert wait_for(lambda: crew.load()["running"] == 1)
    crew.stop()
    for future in (running, waiting):
        with pytest.raises(Problem) as told:
            future.result(5)
        assert (told.value.status, told.value.kind) == (503, "stopping")
    with pytest.raises(Problem) as refused:
        crew.begin(until(go))
    assert (refused.value.status, refused.value.kind) == (503, "stopping")
