"""The measurement of a fleet's quality: an issue is asked of its base commit, or not at all."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import Repo
from tests.fleet.fleets import needs_extra
from trackdown.lab.cases import CodeLocation
from trackdown.lab.tasks import Task

pytestmark = needs_extra
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("fleet_quality")


def test_an_issue_whose_base_commit_is_not_published_is_left_out(bench: ModuleType, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "shop")
    base = repo.commit("Begin", {"session.py": "def sign_cookie(value):\n    return value\n"})
    gold = (CodeLocation("session.py", "sign_cookie"),)
    first, second = (
        Task(f"shop-{number}", "the cookie is not signed", gold, str(repo.root), "org/shop", "function", at)
        for number, at in enumerate((base, "f" * 40))
    )
    quality = bench.Quality(tmp_path / "fleet", [first, second], [], ["fast"], 0)
    with quality.at([first]) as (fleet, there):
        assert there == {"shop-0"}
        rows = quality.asked(fleet, [first])
        quality.ask_one_by_one(fleet, [first], rows)
    told = rows["shop-0"]["masked"]
    assert (told["rank"], told["fleet fast"], told["one by one fast"]) == (1, True, True)
    with quality.at([second]) as (_fleet, there):
        assert there == set()
    assert list(quality.syncs[-1]["problems"]) == ["org/shop"]
