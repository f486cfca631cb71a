"""A request says what to search for. Where models, stores and endpoints are, only the server's own settings say."""

from __future__ import annotations

from dataclasses import fields

import httpx
import pytest

from tests.surfaces.http.serving import problem
from trackdown.request import SearchRequest
from trackdown.settings import SECRETS, Settings

OF_THE_SERVER = sorted({one.name for one in fields(Settings)} - {one.name for one in fields(SearchRequest)})
"""The settings that are not fields of a request."""
GETS = {
    "search": {"query": "cookie"},
    "related": {"location": "web/session.py:8"},
    "graph": {"target": "Session"},
    "unit": {"path": "web/session.py"},
    "history": {"query": "cookie"},
    "show": {"commit": "HEAD"},
    "blame": {"target": "web/session.py:8"},
    "status": {},
}
POSTS = {"search": {"query": "cookie"}, "search/stream": {"query": "cookie"}, "impact": {"revisions": "HEAD~1..HEAD"}}


def test_the_settings_of_a_server_are_all_that_matter() -> None:
    assert {"store", "models", "llm", "llm_model", "llm_key", "token", *SECRETS} <= set(OF_THE_SERVER)


@pytest.mark.parametrize("name", OF_THE_SERVER)
def test_no_request_can_name_an_endpoint_a_key_a_model_or_a_store(client: httpx.Client, name: str) -> None:
    for value in ("http://127.0.0.1:9/v1", "/tmp/elsewhere"):
        for route, good in GETS.items():
            problem(client.get(f"/v1/{route}", params={**good, name: value}), 422, "invalid", f"{name}: there is no")
        for route, asked in POSTS.items():
            problem(client.post(f"/v1/{route}", json={**asked, name: value}), 422, "invalid", f"{name}: there is no")


@pytest.mark.parametrize("mode", ["http://127.0.0.1:9/v1", "hybrid+/tmp/model", "rerank@packaged", "embedded", "small"])
def test_a_mode_names_no_model_either(client: httpx.Client, mode: str) -> None:
    problem(client.get("/v1/search", params={"query": "cookie", "mode": mode}), 422, "invalid")
    problem(client.post("/v1/search", json={"query": "cookie", "mode": mode}), 422, "invalid")
