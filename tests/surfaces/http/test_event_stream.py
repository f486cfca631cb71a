"""Searches that tell what they know as it comes, and clients that do not wait for the end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from tests.surfaces.http.serving import Slow, conforms, events, problem, serving, streamed
from tests.surfaces.program import wait_for
from trackdown.engine import SharedRepositories
from trackdown.errors import StoreFull
from trackdown.settings import Settings
from trackdown.types import SearchResults

pytestmark = pytest.mark.slow

Open = Callable[..., SharedRepositories]


@pytest.fixture
def slow(open_shared: Open, shop: Repo) -> Iterator[Slow]:
    shared = open_shared(shop.root, kind=Slow)
    assert isinstance(shared, Slow)
    yield shared
    shared.go.set()


def metric(client: httpx.Client, name: str) -> float:
    """The value of a counter."""
    (line,) = [line for line in client.get("/metrics").text.splitlines() if line.startswith(f"{name} ")]
    return float(line.split()[1])


def test_the_fast_stages_answer_first_and_then_the_models(
    open_shared: Open, shop: Repo, settings: Settings, tmp_path: Path
) -> None:
    with_models = replace(settings, models=str(make_models(tmp_path / "models")))
    with serving(open_shared(shop.root, settings=with_models)) as client:
        found = streamed(client, query="sign the session cookie", effort="thorough", k=3)
        names = [name for name, _ in found if name != "progress"]
        assert names == ["results", "results", "done"]
        fast, final = [value for name, value in found if name == "results"]
        assert (fast.pop("stage"), final.pop("stage")) == ("fast", "final")
        for answer in (fast, final):
            conforms(SearchResults, answer)
        neural = {"encoder", "code-reranker", "commit-reranker"}
        assert not {why["signal"] for result in fast["results"] for why in result["why"]} & neural
        assert {why["signal"] for result in final["results"] for why in result["why"]} & neural
        whole = client.post(
            "/v1/search", json={"query": "sign the session cookie", "effort": "thorough", "k": 3}
        ).json()
        assert whole["results"] == final["results"]


def test_without_models_the_only_results_are_final(client: httpx.Client) -> None:
    found = streamed(client, query="sign the session cookie", effort="fast")
    assert [name for name, _ in found if name != "progress"] == ["results", "done"]
    assert found[-2][1]["stage"] == "final" and found[-2][1]["results"][0]["symbol"] == "Session.sign_cookie"


def test_errors_before_the_first_event_are_ordinary_answers(client: httpx.Client) -> None:
    problem(client.post("/v1/search/stream", json={"query": "cookie", "at": "nope"}), 404, "unknown-revision", "nope")
    problem(client.post("/v1/search/stream", json={"query": "cookie", "repository": "no"}), 404, "unknown-repository")


def test_results_arrive_while_the_search_goes_on(slow: Slow) -> None:
    with serving(slow) as client, client.stream("POST", "/v1/search/stream", json={"query": "cookie"}) as answer:
        coming = events(answer.iter_lines())
        assert next(coming)[1]["stage"] == "fast"
        name, value = next(coming)
        assert name == "progress" and value["step"] == "waiting" and slow.ended == []
        slow.go.set()
        rest = [(name, value) for name, value in coming if name != "progress"]
        assert [name for name, _ in rest] == ["results", "done"] and rest[0][1]["stage"] == "final"


def test_progress_is_thinned_out(slow: Slow) -> None:
    with serving(slow) as client, client.stream("POST", "/v1/search/stream", json={"query": "cookie"}) as answer:
        coming = events(answer.iter_lines())
        told = [value["done"] for _, value in (next(coming) for _ in range(6)) if "done" in value]
        slow.go.set()
        assert all(later - earlier > 1 for earlier, later in pairwise(told)), told


def test_a_problem_in_the_middle_is_an_event(open_shared: Open, shop: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = open_shared(shop.root)
    search = shared.search

    def fails_late(query: str, **asked: Any) -> Any:
        asked["early"](search(query))
        raise StoreFull("the store at /x is full: free some space")

    monkeypatch.setattr(shared, "search", fails_late)
    with serving(shared) as client:
        found = streamed(client, query="cookie")
        assert [name for name, _ in found] == ["results", "problem", "done"]
        assert found[1][1]["status"] == 507 and "free some space" in found[1][1]["detail"]


def test_a_client_that_leaves_a_stream_cancels_the_search(slow: Slow, caplog: pytest.LogCaptureFixture) -> None:
    with serving(slow) as client:
        with client.stream("POST", "/v1/search/stream", json={"query": "cookie"}) as answer:
            assert next(events(answer.iter_lines()))[0] == "results"
        assert wait_for(lambda: slow.ended == ["cancelled"])
        assert wait_for(lambda: metric(client, "trackdown_http_cancelled_total") == 1)
        assert wait_for(lambda: client.get("/v1/status").json()["load"]["waiting"] == 0)
        counted = 'trackdown_http_requests_total{method="POST",route="/v1/search/stream",status="499"} 1.0'
        assert wait_for(lambda: counted in client.get("/metrics").text)
    assert not [one for one in caplog.records if one.name != "httpx"], caplog.text


def test_a_client_that_leaves_an_ordinary_search_cancels_it(slow: Slow, caplog: pytest.LogCaptureFixture) -> None:
    with serving(slow) as client:
        address = (client.base_url.host, client.base_url.port or 80)
        with socket.create_connection(address) as connection:
            host = "{}:{}".format(*address)
            connection.sendall(f"GET /v1/search?query=cookie HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert slow.begun.acquire(timeout=120)
        assert wait_for(lambda: slow.ended == ["cancelled"])
        assert wait_for(lambda: metric(client, "trackdown_http_cancelled_total") == 1)
        text = client.get("/metrics").text
        assert 'trackdown_http_requests_total{method="GET",route="/v1/search",status="499"} 1.0' in text
    assert not [one for one in caplog.records if one.name != "httpx"], caplog.text


def test_a_stream_is_told_when_the_server_stops(slow: Slow) -> None:
    told: list[tuple[str, Any]] = []

    def listen(address: httpx.URL) -> None:
        with httpx.Client(base_url=address, timeout=120) as own:
            told.extend(streamed(own, query="cookie"))

    with serving(slow, grace_seconds=0.2) as client:
        listener = threading.Thread(target=listen, args=(client.base_url,))
        listener.start()
        assert slow.begun.acquire(timeout=120)
    listener.join(10)
    rest = [(name, value) for name, value in told if name != "progress"]
    assert [name for name, _ in rest] == ["results", "problem", "done"]
    assert rest[1][1]["type"] == "urn:trackdown:problem:stopping" and slow.ended == ["cancelled"]


def test_an_ordinary_search_is_told_when_the_server_stops(slow: Slow) -> None:
    answers: list[httpx.Response] = []
    with serving(slow, grace_seconds=0.2) as client:
        own = httpx.Client(base_url=client.base_url, timeout=120)
        asking = threading.Thread(target=lambda: answers.append(own.get("/v1/search?query=cookie")))
        asking.start()
        assert slow.begun.acquire(timeout=120)
    asking.join(10)
    own.close()
    problem(answers[0], 503, "stopping")
    assert slow.ended == ["cancelled"]
