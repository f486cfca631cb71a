"""Under more than it can do a server sheds work, says when to come back, and stays alive."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.conftest import Repo
from tests.surfaces.http.serving import TOKEN, Slow, problem, serving
from tests.surfaces.program import wait_for
from trackdown.engine import SharedRepositories
from trackdown.errors import UsageError
from trackdown.surfaces.http.access import AccessRules
from trackdown.surfaces.http.server import Server, Service

pytestmark = pytest.mark.slow

Open = Callable[..., SharedRepositories]


@pytest.fixture
def open_slow(open_shared: Open, shop: Repo) -> Iterator[Callable[..., Slow]]:
    """Opens the shop with slow searches, one at a time, and lets them go at the end."""
    made: list[Slow] = []

    def opened(**options: Any) -> Slow:
        shared = open_shared(shop.root, kind=Slow, searches=1, **options)
        assert isinstance(shared, Slow)
        made.append(shared)
        return shared

    yield opened
    for shared in made:
        shared.go.set()


def test_what_is_too_much_is_shed_at_once_and_the_rest_is_answered(open_slow: Callable[..., Slow]) -> None:
    slow = open_slow(most_waiting=2)
    with serving(slow) as client, ThreadPoolExecutor(8) as many:
        asked = [many.submit(client.get, "/v1/search", params={"query": "cookie"}) for _ in range(8)]
        assert wait_for(lambda: sum(one.done() for one in asked) == 5)
        refused = [one.result() for one in asked if one.done()]
        for answer in refused:
            problem(answer, 503, "overloaded")
            assert 1 <= int(answer.headers["retry-after"]) <= 60
        for address in ("/health", "/v1/repositories", "/"):
            assert client.get(address).status_code == 200, "some things wait for nobody"
        problem(client.post("/v1/search/stream", json={"query": "cookie"}), 503, "overloaded")
        assert 'trackdown_http_shed_total{reason="queue"} 6.0' in client.get("/metrics").text
        slow.go.set()
        assert Counter(one.result().status_code for one in asked) == {503: 5, 200: 3}
        assert client.get("/v1/search", params={"query": "cookie"}).status_code == 200


def test_what_waits_too_long_is_shed(open_slow: Callable[..., Slow]) -> None:
    slow = open_slow(most_waiting=5, longest_wait=0.1)
    with serving(slow) as client, ThreadPoolExecutor(2) as many:
        first = many.submit(client.get, "/v1/search", params={"query": "cookie"})
        assert slow.begun.acquire(timeout=120)
        second = many.submit(client.get, "/v1/search", params={"query": "cookie"})
        threading.Timer(0.4, slow.go.set).start()
        problem(second.result(10), 503, "overloaded")
        assert first.result(10).status_code == 200


def test_the_engines_own_bound_is_told_the_same_way(open_shared: Open, shop: Repo) -> None:
    shared = open_shared(shop.root, searches=1, most_waiting=0)
    with serving(shared) as client, ThreadPoolExecutor(8) as many:
        asked = [many.submit(client.get, "/v1/search", params={"query": "cookie session"}) for _ in range(64)]
        answers = [one.result(30) for one in asked]
        assert {answer.status_code for answer in answers} <= {200, 503}
        assert any(answer.status_code == 200 for answer in answers)
        for answer in answers:
            if answer.status_code == 503:
                problem(answer, 503, "overloaded")
                assert int(answer.headers["retry-after"]) >= 1


def test_a_client_that_asks_too_often_is_told_to_wait(shops: SharedRepositories) -> None:
    with serving(shops, AccessRules(rate=0.01, burst=3)) as client:
        answers = [client.get("/v1/repositories") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        problem(answers[-1], 429, "too-many")
        assert int(answers[-1].headers["retry-after"]) >= 1


def test_wrong_tokens_are_limited_too(shops: SharedRepositories) -> None:
    with serving(shops, AccessRules(token=TOKEN, rate=0.01, burst=2)) as client:
        wrong = {"Authorization": "Bearer guess"}
        codes = [client.get("/v1/repositories", headers=wrong).status_code for _ in range(4)]
        assert codes == [401, 401, 429, 429]
        assert client.get("/v1/repositories").status_code == 429


def test_many_connections_are_all_answered(shops: SharedRepositories) -> None:
    limits = httpx.Limits(max_connections=64)
    with serving(shops) as client, httpx.Client(base_url=client.base_url, limits=limits, timeout=60) as many_at_once:
        with ThreadPoolExecutor(64) as many:
            asked = [
                many.submit(many_at_once.get, "/v1/search", params={"query": f"cookie {number}", "effort": "fast"})
                for number in range(256)
            ]
            codes = Counter(one.result(60).status_code for one in asked)
        assert codes == {200: 256}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org"])
def test_what_others_can_reach_demands_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="token"):
        Service(AccessRules(host))


@pytest.mark.parametrize("token", ["short", "with blanks in the middle", "ümlaut-ümlaut-ümlaut", "a" * 20 + "\n"])
def test_tokens_must_be_worth_the_name(token: str) -> None:
    with pytest.raises(UsageError, match="16"):
        Service(AccessRules(token=token))


def test_answers_go_at_once_and_are_not_collected(shops: SharedRepositories) -> None:
    """asyncio switches Nagle's algorithm off only for sockets whose protocol is named: it cost 40 ms an answer."""
    server = Server(shops, Service(port=0), "0")
    with server._socket as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_addresses_that_cannot_be_served_at(shops: SharedRepositories) -> None:
    with serving(shops) as client:
        port = client.base_url.port
        assert port is not None
        with pytest.raises(UsageError, match=f"cannot serve on 127.0.0.1:{port}: Address already in use"):
            Server(shops, Service(port=port), "0")
    with pytest.raises(UsageError, match="no address"):
        Server(shops, Service(AccessRules("no.such.host.invalid", TOKEN)), "0")
