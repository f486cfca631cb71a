"""The measurement of access: it asks every route and tool there is."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from starlette.routing import Route

from trackdown.surfaces.http.routes import api
from trackdown.surfaces.mcp.tools import TOOLS

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("fleet_access")


def test_every_route_and_tool_is_asked(bench: ModuleType) -> None:
    state: Any = SimpleNamespace(shared=None)
    routes = [route for route in api(state).routes if isinstance(route, Route)]
    present = {(method, route.path) for route in routes for method in route.methods or ()}
    asked = {(method, path) for method, path, _ in bench.ROUTES} | {("GET", path) for path, _ in bench.UNNAMED}
    assert present and present <= asked
    assert {name for name, _ in bench.TOOLS} == set(TOOLS)
    names = len(bench.names_of("x"))
    assert (len(bench.ROUTES) + len(bench.TOOLS)) * names >= 200


def test_the_area_is_half_for_equal_times_and_one_for_different_ones(bench: ModuleType) -> None:
    assert bench.area([1.0, 2.0], [1.0, 2.0]) == 0.5
    assert bench.area([1.0, 2.0], [3.0, 4.0]) == bench.area([3.0, 4.0], [1.0, 2.0]) == 1.0


def test_equal_answers_to_every_spelling_are_no_difference(bench: ModuleType) -> None:
    for closed, beside in (("vault", "closed"), ("closed", "vault")):
        for name, unknown in zip(bench.names_of(closed, beside), bench.names_of(bench.NOBODY, beside), strict=True):
            one, other = ((404, f"there is no {asked!r}") for asked in (name, unknown))
            assert bench.differences("a route", one, other, closed) == []
    assert bench.differences("a route", (404, "no vault"), (404, "no such thing"), "vault")
