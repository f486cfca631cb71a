"""Every route gives what the engine gives, in the shape that the OpenAPI document says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Repo
from tests.surfaces.http.serving import TOKEN, conforms, problem, serving
from tests.surfaces.program import Program, paths
from trackdown.engine import Blame, CommitReport, Related, SharedRepositories
from trackdown.errors import Cancelled, TooBusy
from trackdown.surfaces.http.app_state import as_search, without_secrets
from trackdown.surfaces.http.problems import TITLES
from trackdown.surfaces.http.response_models import (
    ExamplesAnswer,
    GraphAnswer,
    ReportsAnswer,
    RepositoriesAnswer,
    StatusAnswer,
)
from trackdown.surfaces.web import assets, page
from trackdown.types import HistoryResults, SearchResults, UnitSource

Open = Callable[..., SharedRepositories]
QUERY = "sign the session cookie"


def get(client: httpx.Client, address: str, **asked: Any) -> Any:
    answer = client.get(address, params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def as_printed(answer: Any) -> Any:
    """An answer as the command line prints it, without snippets; and without the times, which differ."""
    if isinstance(answer, dict):
        return {name: as_printed(value) for name, value in answer.items() if name not in ("timings_ms", "snippet")}
    return [as_printed(value) for value in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("level", ["function", "class", "symbol", "file"])
def test_a_search_answers_as_the_command_line_does(client: httpx.Client, ready: Program, level: str) -> None:
    wanted = ready("search", QUERY, "--level", level, "-k", "5", "--format", "json").json()
    found = get(client, "/v1/search", query=QUERY, level=level, k=5)
    assert found["results"] and as_printed(found) == as_printed(wanted)
    posted = client.post("/v1/search", json={"query": QUERY, "level": level, "k": 5}).json()
    assert as_printed(posted) == as_printed(wanted)
    conforms(SearchResults, found)
    assert len(client.post("/v1/search", json={"query": QUERY, "k": 1.0}).json()["results"]) == 1, "JSON has one number"


def test_filters_narrow_the_answer(client: httpx.Client) -> None:
    everything = get(client, "/v1/search", query="session cookie total items", level="file")
    assert {"web/session.py", "tests/test_session.py", "lib/cart.js"} <= set(paths(everything))
    assert set(paths(get(client, "/v1/search", query="session cookie total", level="file", language="javascript"))) == {
        "lib/cart.js"
    }
    both = get(client, "/v1/search", query="session total items", level="file", language=["javascript", "python"])
    assert {"lib/cart.js", "web/session.py"} <= set(paths(both))
    assert set(paths(get(client, "/v1/search", query="session total", level="file", folder="lib"))) == {"lib/cart.js"}
    assert "tests/test_session.py" not in paths(
        get(client, "/v1/search", query="session cookie", level="file", tests="false")
    )
    body = {"query": "session total", "level": "file", "languages": ["javascript"], "tests": False, "folder": ""}
    assert paths(client.post("/v1/search", json=body).json()) == ["lib/cart.js"]


def test_a_past_state_is_searched(client: httpx.Client) -> None:
    found = get(client, "/v1/search", query="read legacy session", at="old")
    assert found["results"][0]["path"] == "web/legacy.py"
    assert get(client, "/v1/unit", path="web/legacy.py", at="old")["text"].startswith("def read_legacy_session")


def test_history_answers_as_the_command_line_does(client: httpx.Client, ready: Program) -> None:
    wanted = ready("history", "session cookie", "-k", "2", "--format", "json").json()
    found = get(client, "/v1/history", query="session cookie", k=2)
    assert found == wanted and not found["partial"]
    conforms(HistoryResults, found)


def test_commits_and_blame_answer_as_the_command_line_does(client: httpx.Client, ready: Program) -> None:
    limits = {"author": ["ada"], "path": ["web/", "*.js"], "since": "2020", "until": "2020-12", "k": 2}
    listed = get(client, "/v1/history", **limits)["commits"]
    wanted = ready("history", "--author", "ada", "--path", "web/", "--path", "*.js", "-k", "2", "--format", "json")
    assert listed == wanted.json()["commits"] and len(listed) == 2
    shown = get(client, "/v1/show", commit="HEAD", lines=20)
    assert shown == ready("show", "HEAD", "--lines", "20", "--format", "json").json()
    conforms(CommitReport, shown)
    blamed = get(client, "/v1/blame", target="web/session.py:9")
    assert blamed == ready("blame", "web/session.py:9", "--format", "json").json()
    conforms(Blame, blamed)
    problem(client.get("/v1/show", params={"commit": "beef1234"}), 404, "unknown-revision", "beef1234")
    problem(client.get("/v1/blame", params={"target": "web/no.py:1"}), 404, "unknown-path", "web/no.py")
    problem(client.get("/v1/history", params={"since": "soon"}), 422, "invalid", "soon")


def test_related_answers_as_the_command_line_does(client: httpx.Client, ready: Program) -> None:
    wanted = ready("related", "web/session.py:8", "--format", "json").json()
    found = get(client, "/v1/related", location="web/session.py:8")
    assert found["symbol"] == "Session.sign_cookie" and found["siblings"] and as_printed(found) == wanted
    conforms(Related, found)


def test_impact_answers_as_the_command_line_does(client: httpx.Client, ready: Program) -> None:
    wanted = ready("impact", "old..HEAD", "--level", "symbol", "--format", "json").json()
    found = client.post("/v1/impact", json={"revisions": "old..HEAD", "level": "symbol"}).json()
    assert found["results"] and as_printed(found) == as_printed(wanted)
    for body, said in (({"patch": "x"}, "not a patch"), ({"staged": True}, "no staged changes"), ({}, "uncommitted")):
        refused = client.post("/v1/impact", json=body)
        assert refused.status_code == 422 and said in refused.json()["detail"]
    assert client.post("/v1/impact", json={"revisions": "nowhere..HEAD"}).status_code == 404
    assert client.post("/v1/impact", json={"patch": "x", "staged": True}).status_code == 422


def test_the_graph_answers_as_the_command_line_does(client: httpx.Client, ready: Program) -> None:
    wanted = ready("graph", "Session", "--edges", "contains", "--format", "json").json()
    found = get(client, "/v1/graph", target="Session", edges=["contains"], drawing=True)
    conforms(GraphAnswer, found)
    drawing = found.pop("drawing")
    assert found == wanted and not found["partial"]
    assert len(drawing["wide"]["boxes"]) == len(found["nodes"]) and len(drawing["tall"]["paths"]) == len(found["edges"])
    assert get(client, "/v1/graph", target="Session")["drawing"] is None
    deeper = get(client, "/v1/graph", target="web/session.py", depth=2, direction="out", how=["exact"])
    assert {node["symbol"] for node in deeper["nodes"]} >= {"Session", "Session.load", "parse_header"}


def test_source_is_read_by_symbol_by_lines_and_whole(client: httpx.Client, shop: Repo) -> None:
    text = (shop.root / "web/session.py").read_text()
    unit = get(client, "/v1/unit", path="web/session.py", symbol="Session.sign_cookie")
    assert unit["text"].strip().startswith("def sign_cookie") and (unit["start_line"], unit["end_line"]) == (7, 9)
    lines = get(client, "/v1/unit", path="web/session.py", lines="4-5")
    assert lines["text"].rstrip("\n") == "\n".join(text.split("\n")[3:5])
    assert get(client, "/v1/unit", path="web/session.py", lines="4")["end_line"] == 4
    whole = get(client, "/v1/unit", path="web/session.py")
    assert whole["text"].strip() == text.strip() and whole["kind"] == "file"
    conforms(UnitSource, whole)


def test_examples_come_from_the_repository(client: httpx.Client) -> None:
    found = get(client, "/v1/examples")
    conforms(ExamplesAnswer, found)
    kinds = {one["kind"]: one["query"] for one in found["examples"]}
    assert kinds["name"] in ("Session", "Cart") and "issue" not in kinds


def test_repositories_and_status_say_how_far_the_index_is(client: httpx.Client, shop: Repo) -> None:
    found = get(client, "/v1/repositories")
    conforms(RepositoriesAnswer, found)
    (entry,) = found["repositories"]
    assert (entry["name"], entry["root"], entry["ready"]) == ("shop", str(shop.root), True)
    assert entry["languages"]["python"] == 2 and entry["commit"] == shop.git("rev-parse", "HEAD")
    status = get(client, "/v1/status", repository="shop")
    conforms(StatusAnswer, status)
    assert status["repositories"][0]["commits"] == 6 and status["repositories"][0]["ready"]


def test_several_repositories_are_searched_together_or_by_name(
    open_shared: Open, make_repo: Callable[[str], Repo]
) -> None:
    for name in ("one", "two"):
        make_repo(name).commit("Begin", {f"{name}.py": f"def shared_{name}(value):\n    return value\n"})
    root = make_repo("one").root.parent
    with serving(open_shared(root / "one", root / "two")) as client:
        assert [one["name"] for one in get(client, "/v1/repositories")["repositories"]] == ["one", "two"]
        assert set(paths(get(client, "/v1/search", query="shared value"))) == {"one.py", "two.py"}
        assert paths(get(client, "/v1/search", query="shared value", repository="two")) == ["two.py"]
        assert len(get(client, "/v1/status")["repositories"]) == 2
        for address, asked in (
            ("unit", {"path": "one.py"}),
            ("related", {"location": "one.py:1"}),
            ("graph", {"target": "x"}),
        ):
            problem(client.get(f"/v1/{address}", params=asked), 422, "invalid", "one, two")


def test_health_metrics_and_openapi(client: httpx.Client) -> None:
    assert get(client, "/health")["status"] == "ok"
    get(client, "/v1/search", query="cookie", effort="fast")
    text = client.get("/metrics").text
    assert 'trackdown_http_requests_total{method="GET",route="/v1/search",status="200"}' in text
    assert 'trackdown_searches_total{effort="fast",level="function",partial="false"}' in text
    assert 'trackdown_search_stage_seconds_bucket{le="0.005",stage="lexical"}' in text
    assert 'trackdown_index_ready{repository="shop"} 1.0' in text and "process_resident_memory_bytes" in text
    document = get(client, "/openapi.json")
    assert document["openapi"].startswith("3.1") and "security" not in document["paths"]["/v1/search"]["get"]
    assert set(document["paths"]) == {
        "/v1/search",
        "/v1/search/stream",
        "/v1/history",
        "/v1/show",
        "/v1/blame",
        "/v1/related",
        "/v1/impact",
        "/v1/graph",
        "/v1/unit",
        "/v1/examples",
        "/v1/repositories",
        "/v1/status",
        "/v1/reports",
        "/v1/reports/{name}",
        "/health",
        "/metrics",
    }


def test_the_manual_names_every_address_event_and_problem(client: httpx.Client) -> None:
    text = (Path(__file__).parents[3] / "docs" / "http.md").read_text("utf-8")
    for address in get(client, "/openapi.json")["paths"]:
        assert f"`{address}`" in text, address
    for name in (*TITLES, "progress", "results", "done"):
        assert f"`{name}`" in text, name


def test_the_page_and_its_assets_are_served_with_their_policy(client: httpx.Client) -> None:
    home = client.get("/")
    assert home.content == page().content and home.headers["content-type"] == "text/html; charset=utf-8"
    policy = home.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    for name, asset in assets().items():
        found = client.get(f"/assets/{name}")
        assert (found.content, found.headers["content-type"]) == (asset.content, asset.media_type)
        plain = client.get(f"/assets/{name}", headers={"Accept-Encoding": "identity"})
        assert plain.content == asset.content and "content-encoding" not in plain.headers
        assert found.headers["content-encoding"] == "gzip" and found.headers["etag"] != plain.headers["etag"]
        again = client.get(f"/assets/{name}", headers={"If-None-Match": found.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/favicon.ico").headers["content-type"] == "image/svg+xml"


def test_every_answer_carries_the_headers_that_protect(client: httpx.Client) -> None:
    for address in (
        "/",
        "/health",
        "/v1/repositories",
        "/v1/search?query=cookie",
        "/nothing",
        "/v1/search?k=0",
        "/metrics",
    ):
        headers = client.get(address).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert not [name for name in headers if name.startswith("access-control-")]
        assert "server" not in headers
    assert client.get("/v1/repositories").headers["cache-control"] == "no-store"


def test_head_is_get_without_the_body(client: httpx.Client) -> None:
    answer = client.head("/v1/repositories")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == client.get("/v1/repositories").headers["content-length"]


def test_reports_are_served_as_they_are_in_an_origin_of_their_own(shops: SharedRepositories, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "run.html").write_text("<script>1</script>")
    (folder / "run.json").write_text('{"a": 1}')
    (folder / "notes.md").write_text("# <b>Notes</b>")
    (folder / "secret.key").write_text("secret")
    (folder / ".hidden.html").write_text("hidden")
    (tmp_path / "outside.html").write_text("outside")
    (folder / "link.html").symlink_to(tmp_path / "outside.html")
    (folder / "folder.html").mkdir()
    with serving(shops, reports=folder) as client:
        found = get(client, "/v1/reports")
        conforms(ReportsAnswer, found)
        assert {one["name"] for one in found["reports"]} == {"run.html", "run.json", "notes.md"}
        shown = client.get("/v1/reports/run.html")
        assert shown.text == "<script>1</script>" and shown.headers["content-type"] == "text/html; charset=utf-8"
        assert "sandbox allow-scripts;" in shown.headers["content-security-policy"]
        assert "allow-same-origin" not in shown.headers["content-security-policy"]
        assert client.get("/v1/reports/notes.md").headers["content-type"] == "text/plain; charset=utf-8"
        for name in (
            "link.html",
            "secret.key",
            ".hidden.html",
            "folder.html",
            "no.html",
            "..%2foutside.html",
            "%2e%2e%2foutside.html",
            "run.html%00",
            "a" * 300 + ".html",
        ):
            assert client.get(f"/v1/reports/{name}").status_code in (404, 422), name
        for file in folder.iterdir():
            file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
        folder.rmdir()
        assert get(client, "/v1/reports") == {"reports": []}


def test_with_a_token_only_the_page_and_health_are_open(shops: SharedRepositories) -> None:
    with serving(shops, token=True) as client:
        bare = httpx.Client(base_url=client.base_url)
        for address in ("/", "/assets/main.js", "/health", "/openapi.json"):
            assert bare.get(address).status_code == 200, address
        assert bare.get("/openapi.json").json()["paths"]["/v1/search"]["get"]["security"] == [{"token": []}]
        for address in ("/v1/repositories", "/v1/search?query=cookie", "/metrics", "/v1/nothing", "/v1/reports/x.html"):
            answer = bare.get(address)
            problem(answer, 401, "token", "Authorization")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        problem(bare.get("/v1/repositories", headers={"Authorization": f"Bearer {TOKEN[:-1]}"}), 401, "token")
        problem(bare.get(f"/v1/repositories?token={TOKEN}"), 401, "token")
        assert client.get("/v1/repositories").status_code == 200
        bare.close()


def test_urls_are_told_without_what_opens_them() -> None:
    assert without_secrets("https://ada:secret@example.org/a.git?key=1") == "https://example.org/a.git"
    assert without_secrets("git@example.org:a/b.git") == "git@example.org:a/b.git"


@pytest.mark.parametrize(("error", "status"), [(TooBusy("too busy: try again"), 503), (Cancelled("cancelled"), None)])
def test_being_busy_does_not_make_a_repository_unreadable(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int | None
) -> None:
    def fails(self: SharedRepositories, name: str | None = None, **options: Any) -> None:
        assert options["cancelled"]() is False, "it hears when the client goes away"
        raise error

    monkeypatch.setattr(SharedRepositories, "status", fails)
    answer = client.get("/v1/status")
    assert "unreadable" not in answer.text and answer.status_code == (status or answer.status_code) >= 400


def test_an_answer_says_what_a_language_model_was_asked() -> None:
    found = SearchResults("zebra", "function", (), llm={"questions": 2})
    assert as_search(found)["llm"] == {"questions": 2}
    assert set(as_search(found)) == {one.name for one in fields(found)} - {"matching"}, "the verdict's reason says it"
    assert "llm" not in as_search(replace(found, llm={})), "as the command line has it"
