"""Wrong requests: the right status, one clear message, and the server lives."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import Repo
from tests.surfaces.http.serving import problem, serving
from tests.surfaces.program import wait_for
from trackdown.engine import SharedRepositories
from trackdown.surfaces.http.access import AccessRules

Open = Callable[..., SharedRepositories]


@pytest.fixture(autouse=True)
def _it_lives(client: httpx.Client) -> Iterator[None]:
    yield
    assert client.get("/v1/search", params={"query": "cookie", "effort": "fast"}).json()["results"]


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({}, "query: give either a query or an issue"),
        ({"query": ""}, "query: "),
        ({"query": "cookie", "k": "-1"}, "k: "),
        ({"query": "cookie", "k": "0"}, "k: "),
        ({"query": "cookie", "k": "1001"}, "k: "),
        ({"query": "cookie", "k": "many"}, "k: "),
        ({"query": "cookie", "k": "9" * 5000}, "k: "),
        ({"query": "cookie", "level": "method"}, "level: "),
        ({"query": "cookie", "effort": "none"}, "effort: "),
        ({"query": "cookie", "budget": "-1"}, "budget: "),
        ({"query": "cookie", "budget": "nan"}, "budget: "),
        ({"query": "cookie", "budget": "inf"}, "budget: "),
        ({"query": "cookie", "depth": "1000000"}, "depth: "),
        ({"query": "cookie", "budget": "1", "depth": "1"}, "budget"),
        ({"query": "cookie", "tests": "perhaps"}, "tests: "),
        ({"query": "cookie", "language": "klingon"}, "klingon"),
        ({"query": "cookie", "folder": "../.."}, ".."),
        ({"query": "cookie", "folder": "/etc"}, "/etc"),
        ({"query": "cookie", "levle": "file"}, "levle: there is no such parameter"),
        ({"query": "cookie", "at": ""}, "at: "),
    ],
)
def test_parameters_that_cannot_be_are_named(client: httpx.Client, asked: dict[str, str], word: str) -> None:
    problem(client.get("/v1/search", params=asked), 422, "invalid", word)


def test_only_a_fleet_has_groups(client: httpx.Client) -> None:
    for path in ("search", "search/stream"):
        answer = client.post(f"/v1/{path}", json={"query": "cookie", "groups": ["web"]})
        problem(answer, 422, "invalid", "groups: only a server of a fleet")
    problem(client.get("/v1/search?query=cookie&group=web"), 422, "invalid", "groups: only a server of a fleet")


@pytest.mark.parametrize("query", ["!!!", "   ", "\n", "\0\0\0\0", "(((", "[a-", "***", "\\"])
def test_queries_without_a_word_are_refused(client: httpx.Client, query: str) -> None:
    problem(client.get("/v1/search", params={"query": query}), 422, "query", "the query")
    problem(client.post("/v1/search/stream", json={"query": query}), 422, "query", "the query")
    problem(client.get("/v1/history", params={"query": query}), 422, "query", "the query")


@pytest.mark.parametrize(
    "query", ["cookie(?P<", "(cookie", "cookie[", "a{99999}", "(a+)+$ cookie", "%s%n cookie", "'; DROP"]
)
def test_queries_that_look_like_expressions_are_words(client: httpx.Client, query: str) -> None:
    assert client.get("/v1/search", params={"query": query}).status_code == 200


def test_what_is_not_there_is_named(client: httpx.Client) -> None:
    problem(client.get("/v1/search?query=a&repository=nope"), 404, "unknown-repository", "nope", "shop")
    problem(client.get("/v1/search?query=cookie&repository=../shop"), 404, "unknown-repository")
    problem(client.get("/v1/status?repository=nope"), 404, "unknown-repository")
    for revision in ("nope", "--output=/tmp/x", "HEAD:web", "a..b", "\u0085"):
        answer = client.get("/v1/search", params={"query": "cookie", "at": revision})
        problem(answer, 404, "unknown-revision")
    problem(client.get("/v1/unit?path=web/no.py"), 404, "unknown-path", "web/no.py")
    problem(client.get("/v1/unit?path=web/session.py&symbol=Nobody"), 404, "unknown-path", "Nobody")
    problem(client.get("/v1/unit?path=web/session.py&lines=900-901"), 404, "unknown-path")
    problem(client.get("/v1/unit?path=web/session.py&lines=9-2"), 422, "invalid", "9-2")
    problem(client.get("/v1/unit?path=web/session.py&lines=0"), 422, "invalid")
    problem(client.get("/v1/unit?path=web/session.py&lines=1&symbol=Session"), 422, "invalid")
    problem(client.get("/v1/related?location=web/session.py:999"), 404, "unknown-path")
    problem(client.get("/v1/related?location=web"), 404, "unknown-path", "folder")
    problem(client.get("/v1/graph?target=NoSuchThing"), 404, "unknown-path", "NoSuchThing")
    problem(client.get("/v1/graph?target=Session&depth=99"), 422, "invalid")
    problem(client.get("/v1/graph?target=Session&edges=likes"), 422, "invalid")
    problem(client.get("/v2/search"), 404, "not-found")


def test_nothing_outside_the_repository_can_be_read(open_shared: Open, repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def secret_thing():\n    pass\n")
    repo.commit("Begin", {"a.py": "def cookie():\n    pass\n", ".git-credentials": "secret\n", "data.bin": b"\0\1"})
    (repo.root / "link.py").symlink_to(tmp_path / "outside.py")
    (repo.root / "folder").symlink_to(tmp_path)
    with serving(open_shared(repo.root)) as client:
        for path in (
            "../outside.py",
            str(tmp_path / "outside.py"),
            "link.py",
            "folder/outside.py",
            ".git/config",
            ".git/HEAD",
            "a.py/../../outside.py",
            "./../outside.py",
            "data.bin",
            "",
            ".",
            "/",
            "a.py\0",
            "..\\outside.py",
        ):
            answer = client.get("/v1/unit", params={"path": path})
            assert answer.status_code in (404, 422), (path, answer.text)
            assert "def secret_thing" not in answer.text
            related = client.get("/v1/related", params={"location": f"{path}:1"})
            assert related.status_code in (404, 422), (path, related.text)
        assert client.get("/v1/unit", params={"path": "a.py"}).json()["text"].startswith("def cookie")
        assert "secret_thing" not in client.get("/v1/search", params={"query": "secret thing outside"}).text


def test_files_whose_names_are_no_text_can_be_asked_for(open_shared: Open, repo: Repo) -> None:
    name = b"caf\xe9.py"
    with open(os.path.join(os.fsencode(repo.root), name), "w") as stream:
        stream.write("def brew_coffee():\n    return 'hot'\n")
    repo.commit("Brew")
    with serving(open_shared(repo.root)) as client:
        result = client.get("/v1/search", params={"query": "brew coffee"}).json()["results"][0]
        assert os.fsencode(result["path"]) == name
        found = client.get("/v1/unit?path=caf%E9.py").json()
        assert found["text"].startswith("def brew_coffee") and os.fsencode(found["path"]) == name
        assert client.get("/v1/related?location=caf%E9.py:1").json()["symbol"] == "brew_coffee"


@pytest.mark.parametrize("address", ["/v1/search", "/v1/search/stream"])
def test_bodies_that_cannot_be_read(client: httpx.Client, address: str) -> None:
    as_json = {"Content-Type": "application/json"}
    for body in (b"{bad", b"", b"\xff\xfe", b'{"query": "a"', b"[" * 100_000):
        answer = client.post(address, content=body, headers=as_json)
        assert answer.status_code in (400, 422), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    problem(client.post(address, content=b"{bad", headers=as_json), 400, "bad-request", "JSON")
    problem(client.post(address, content=b"[]", headers=as_json), 422, "invalid")
    problem(client.post(address, content=b'{"query": 5}', headers=as_json), 422, "invalid", "query")
    problem(client.post(address, content=b'{"query": "cookie", "k": "5"}', headers=as_json), 422, "invalid", "k: ")
    problem(client.post(address, content=b'{"query": "cookie", "k": 1e400}', headers=as_json), 422, "invalid", "k: ")
    problem(client.post(address, json={"query": "cookie", "extra": 1}), 422, "invalid", "extra")
    problem(client.post(address, content=b'{"query": "cookie"}'), 415, "media-type", "application/json")
    problem(client.post(address, content=b"query=cookie", headers={"Content-Type": "text/plain"}), 415, "media-type")
    problem(client.post(address, content=b'{"query": "\\ud800"}', headers=as_json), 422, "invalid", "query")


def test_bodies_that_are_too_large_are_not_read(client: httpx.Client) -> None:
    large = b'{"query": "' + b"a" * (1 << 20) + b'"}'
    problem(client.post("/v1/search", content=large), 413, "too-large", "1,048,576")

    def chunks() -> Iterator[bytes]:
        for _ in range(40):
            yield b"a" * 65536

    problem(client.post("/v1/search", content=chunks()), 413, "too-large")
    long = {"query": "cookie " * 40_000}
    problem(client.post("/v1/search", json=long), 422, "invalid", "query")


def test_methods_that_an_address_does_not_take(client: httpx.Client) -> None:
    answer = client.delete("/v1/search")
    problem(answer, 405, "method")
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert client.post("/v1/history").headers["allow"] == "GET, HEAD"
    assert client.get("/v1/search/stream").headers["allow"] == "POST"
    assert client.post("/").headers["allow"] == "GET, HEAD"
    assert client.request("OPTIONS", "/v1/search").status_code == 405


@pytest.mark.parametrize(
    ("headers", "status", "kind"),
    [
        ({"Host": "evil.com"}, 421, "host"),
        ({"Host": "localhost.evil.com:8765"}, 421, "host"),
        ({"Host": "[::1"}, 400, "host"),
        ({"Origin": "http://evil.com"}, 403, "cross-site"),
        ({"Origin": "null"}, 403, "cross-site"),
        ({"Sec-Fetch-Site": "cross-site"}, 403, "cross-site"),
        ({"Sec-Fetch-Site": "same-site"}, 403, "cross-site"),
    ],
)
def test_pages_of_other_sites_get_nothing(
    client: httpx.Client, headers: dict[str, str], status: int, kind: str
) -> None:
    problem(client.get("/v1/repositories", headers=headers), status, kind)
    problem(client.post("/v1/search", json={"query": "cookie"}, headers=headers), status, kind)


def test_our_own_page_and_links_to_it_are_fine(client: httpx.Client) -> None:
    own = str(client.base_url).rstrip("/")
    assert client.get("/v1/repositories", headers={"Origin": own, "Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200
    assert client.get("/", headers={"Host": "evil.com"}).status_code == 421


def raw(client: httpx.Client, data: bytes, *, close: bool = True) -> bytes:
    """Send bytes as they are, and read what comes back."""
    address = urlsplit(str(client.base_url))
    found = b""
    connection = socket.create_connection((address.hostname, address.port or 80), timeout=10)
    with connection, contextlib.suppress(OSError):  # it may close before it has read everything
        connection.sendall(data)
        if close:
            connection.shutdown(socket.SHUT_WR)
        while chunk := connection.recv(65536):
            found += chunk
    return found


def test_what_is_no_http_is_refused(client: httpx.Client) -> None:
    assert raw(client, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(client, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 400")
    two = b"GET /v1/repositories HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\nConnection: close\r\n\r\n"
    assert raw(client, two).startswith(b"HTTP/1.1 400")
    long = b"GET /v1/search?query=" + b"a" * 600_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert raw(client, long)[:12] in (b"", b"HTTP/1.1 400")


def test_a_body_that_never_comes_is_not_waited_for(shops: SharedRepositories) -> None:
    with serving(shops, AccessRules(body_seconds=0.2)) as client:
        head = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
        answer = raw(client, head, close=False)
        assert answer.startswith(b"HTTP/1.1 408") and b"urn:trackdown:problem:too-slow" in answer


def test_errors_that_nobody_foresaw_are_told_without_their_words(
    open_shared: Open, shop: Repo, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shared = open_shared(shop.root)

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(shared, "search", broken)
    with serving(shared) as client:
        found = problem(client.get("/v1/search?query=cookie"), 500, "unexpected", "RuntimeError")
        assert "42" not in str(found)
        assert wait_for(lambda: "the secret is 42" in caplog.text), "it is logged after the answer"
        caplog.clear()
        found = problem(client.post("/v1/search/stream", json={"query": "cookie"}), 500, "unexpected", "RuntimeError")
        assert "42" not in str(found)
        assert client.get("/v1/repositories").status_code == 200
    assert "the secret is 42" in caplog.text and "Traceback" not in caplog.text
