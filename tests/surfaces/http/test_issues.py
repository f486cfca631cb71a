"""Issues by name over HTTP: only where the server was started to fetch them, and only of what it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.surfaces.conftest import build_shop
from tests.surfaces.http.serving import problem, serving, streamed
from tests.trackers.code_host import CodeHost, code_host, github_issue, sends
from trackdown.engine import SharedRepositories

TEXT = "The session cookie is not signed\n\nAnybody can change it.\n\n#7"


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[CodeHost]:
    with code_host() as host:
        page = host.has(
            "gitea", 7, github_issue("The session cookie is not signed", "Anybody can change it.", comments=1)
        )
        host.pages[f"{page}/comments"] = sends([{"body": "And the total price?"}])
        monkeypatch.setenv("GITEA_SERVER_URL", host.url)
        monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)
        yield host


@pytest.fixture
def fetching(host: CodeHost, open_shared: Callable[..., SharedRepositories], tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of a server that fetches issues of a clone of the shop."""
    shop = build_shop(tmp_path / "shop")
    shop.git("remote", "add", "origin", f"{host.url}/shop/web.git")
    with serving(open_shared(shop.root, fetch_issues=True)) as client:
        yield client


def test_issues_by_name(fetching: httpx.Client, host: CodeHost) -> None:
    by_number = fetching.get("/v1/search", params={"issue": "7"}).json()
    assert by_number["query"] == TEXT and by_number["results"][0]["path"] == "web/session.py"
    assert by_number["notes"][0].startswith(f"fetched {host.host}/shop/web#7")
    by_address = fetching.post("/v1/search", json={"issue": f"{host.url}/shop/web/issues/7", "comments": True}).json()
    assert by_address["query"] == TEXT.replace("\n\n#7", "\n\nAnd the total price?\n\n#7")
    final = [value for name, value in streamed(fetching, issue="#7") if name == "results"][-1]
    assert final["query"] == TEXT and final["notes"][0].startswith("fetched")


def test_refusals(fetching: httpx.Client, host: CodeHost) -> None:
    def asked(**parameters: str) -> httpx.Response:
        return fetching.get("/v1/search", params=parameters)

    problem(asked(issue="8"), 502, "tracker", "has no shop/web#8")
    host.has("gitea", 9, sends({}, 500))
    problem(asked(issue="9"), 503, "tracker", "failed with 500")
    before = len(host.seen)
    problem(asked(issue="other/project#7"), 422, "invalid", "not an issue of a repository that is served here")
    problem(asked(issue="https://github.com/a/b/issues/7"), 422, "invalid", "served here")
    problem(asked(issue="nonsense"), 422, "invalid", "names no issue")
    problem(asked(issue="7", query="cookie"), 422, "invalid", "either a query or an issue")
    problem(asked(issue="7", repository="nope"), 404, "unknown-repository")
    assert len(host.seen) == before


def test_without_the_option_nothing_is_fetched(client: httpx.Client, host: CodeHost) -> None:
    for name in ("7", f"{host.url}/shop/web/issues/7"):
        problem(client.get("/v1/search", params={"issue": name}), 422, "invalid", "start it with --fetch-issues")
    assert host.seen == []
