"""A repository whose first index takes a while, and what a store that was built in peace holds and answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from tests.faults.grown import grow
from tests.faults.holdings import Holdings, holdings
from tests.surfaces.program import Program

QUERY = "where is the cookie of the session signed?"


def answer(program: Program, place: Path, query: str = QUERY) -> Any:
    """What a search answers, without its timings."""
    found = program("search", query, place, "--format", "json").json()
    del found["timings_ms"]
    return found


@dataclass(frozen=True)
class Clean:
    """A store that was built in peace."""

    store: Path
    holdings: Holdings
    answer: Any


@pytest.fixture(scope="session")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Many files and a long history. Tests only look at it."""
    return grow(tmp_path_factory.mktemp("faults") / "grown", files=400, commits=2100)


@pytest.fixture(scope="session")
def clean(grown: Repo, tmp_path_factory: pytest.TempPathFactory) -> Clean:
    """A clean index of the grown repository. Tests only read it."""
    folder = tmp_path_factory.mktemp("clean")
    program = Program(folder / "store", folder, {"XDG_CONFIG_HOME": str(folder)})
    found = answer(program, grown.root)
    assert found["results"] and not found["partial"]
    return Clean(program.store, holdings(program.store), found)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a store of the test's own; its processes carry a mark."""
    return Program(tmp_path / "store", tmp_path, {"TRACKDOWN_TEST_MARK": str(tmp_path)})
