"""Deep vectors of a segment: what was added comes back, and files of another reader or content are not opened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from trackdown.index import CodeIndex, DeepSegment, SegmentedVectors, needs_vector, open_deep, write_deep
from trackdown.settings import Settings
from trackdown.store import Store

FILES = {
    "a.py": "def sign(cookie):\n    return cookie\n\n\ndef route(request):\n    return request\n",
    "tests/test_a.py": "def test_sign():\n    assert sign(1)\n",
}
READER, MODEL = "model@1:1", "model@1"


@pytest.fixture
def code(repo: Repo, settings: Settings) -> CodeIndex:
    repo.commit("Begin", FILES)
    with trackdown.open(repo.root, settings=settings) as opened:
        return opened.corpus().code


@pytest.fixture
def store(settings: Settings, code: CodeIndex) -> Store:
    return Store(settings.store)


def filled(code: CodeIndex) -> DeepSegment:
    found = DeepSegment.empty(len(code.unit_file), 3)
    vectors = np.array([[1, 0, 0], [0, 0.6, -0.8]], np.float32)
    found.add(np.array([0, 2]), vectors, ["00" * 16, "ff" * 16])
    return found


def test_units_of_tests_need_no_vector(code: CodeIndex) -> None:
    needed = {code.symbol(unit) for unit in np.flatnonzero(needs_vector(code)).tolist()}
    assert needed == {"sign", "route"} and code.unit_count == 3


def test_what_is_added_comes_back(code: CodeIndex, store: Store) -> None:
    (segment,) = code.segments
    assert open_deep(store, segment, READER) is None
    write_deep(store, segment, READER, MODEL, filled(code))
    found = open_deep(store, segment, READER)
    assert found is not None and found.known.tolist() == [True, False, True]
    assert [row.tobytes().hex() for row in found.texts()] == ["00" * 16, "ff" * 16]
    cosines = SegmentedVectors([found.vectors]).cosines(np.array([0, 0.6, -0.8], np.float32))
    assert np.allclose(cosines, [0, 0, 1], atol=0.01)
    copy = found.writable()
    copy.add(np.array([1]), np.array([[0, 1, 0]], np.float32), ["11" * 16])
    assert copy.known.all() and not found.known.all()


def test_another_reader_or_content_is_not_opened(code: CodeIndex, store: Store, repo: Repo, settings: Settings) -> None:
    (segment,) = code.segments
    write_deep(store, segment, READER, MODEL, filled(code))
    assert open_deep(store, segment, "model@2:1") is None
    units = DeepSegment.empty(2, 3)
    write_deep(store, segment, READER, MODEL, units)  # of too few units
    assert open_deep(store, segment, READER) is None
    with trackdown.open(repo.root, settings=replace(settings, store=Path(settings.store))) as opened:
        repo.write("a.py", "def other():\n    pass\n")
        assert all(open_deep(store, one, READER) is None for one in opened.corpus().code.segments)
