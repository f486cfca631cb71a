"""What is collected for fitting is what a search sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from trackdown.engine import default_plan, rank, with_mode
from trackdown.engine.searching.evidence import candidate_features, readable_candidates, speaking_models
from trackdown.settings import Settings
from trackdown.types import Level

FILES = {
    "src/session.py": "def sign(cookie):\n    return cookie\n\n\ndef load(key):\n    return key\n",
    "src/header.py": "def parse(line):\n    header = line\n    return header\n",
    "src/route.py": "def route(request):\n    return request\n\n\ndef get(value):\n    return value\n",
    "tests/test_session.py": "def test_sign(cookie):\n    assert cookie\n",
}
QUERY = "sign the session cookie and parse the header line of a request"


@pytest.fixture
def web(repo: Repo) -> Repo:
    repo.commit("Begin", FILES)
    repo.commit("Sign the cookie", {"src/session.py": FILES["src/session.py"] + "\n\ndef save(key):\n    return key\n"})
    repo.commit("Parse the header", {"src/header.py": FILES["src/header.py"] + "\n"})
    return repo


@pytest.fixture
def with_models(settings: Settings, tmp_path: Path) -> Settings:
    return replace(settings, models=str(make_models(tmp_path / "models")))


@pytest.mark.parametrize("level", ["function", "file"])
def test_candidates_are_in_the_order_of_the_hand_set_sum(web: Repo, with_models: Settings, level: Level) -> None:
    options = replace(default_plan(with_models), level=level)
    with trackdown.open(web.root, settings=with_models) as opened:
        seen = candidate_features(opened.corpus(), QUERY, options)
        places = rank(opened.corpus(), QUERY, options)
    assert seen.places == tuple((place.path, place.symbol) for place in places)
    assert len(seen.table.values) == len(places) > 2


@pytest.mark.parametrize("available", [True, False])
def test_what_models_say_is_a_feature_of_the_candidates_they_read(
    web: Repo, with_models: Settings, available: bool
) -> None:
    settings = with_models if available else replace(with_models, models="none")
    options = with_mode(default_plan(settings), "hybrid+encoder@3+code-reranker@2")
    with trackdown.open(web.root, settings=settings) as opened:
        table = candidate_features(opened.corpus(), QUERY, options).table
    known = ~np.isnan(table.columns(["encoder.value", "code-reranker.value"]))
    assert len(known) > 3 and known.sum(axis=0).tolist() == ([3, 2] if available else [0, 0])


def test_models_that_speak_are_named(with_models: Settings) -> None:
    channels, readers = (speaking_models(with_models, readers=readers) for readers in (False, True))
    assert len(channels) == 1 and readers[:1] == channels and len(readers) > 1
    assert speaking_models(replace(with_models, models="none"), readers=True) == ()


def test_candidates_are_read_as_models_read_them(web: Repo, with_models: Settings) -> None:
    options = replace(with_mode(default_plan(with_models), "hybrid"), k=4)
    with trackdown.open(web.root, settings=with_models) as opened:
        found = readable_candidates(opened.corpus(), QUERY, options)
        places = rank(opened.corpus(), QUERY, options)
    assert found.places == tuple((place.path, place.symbol) for place in places) and len(places) == 4
    assert found.scores == tuple(place.score for place in places) == tuple(sorted(found.scores, reverse=True))
    assert found.query == QUERY
    texts = dict(zip(found.places, found.texts, strict=True))
    assert texts["src/header.py", "parse"] == "src header : parse : def parse line header line return header"
    factors = {path: factor for (path, _), factor in zip(found.places, found.factors, strict=True)}
    assert factors["src/header.py"] == 1.0
    with trackdown.open(web.root, settings=with_models) as opened:
        every = readable_candidates(opened.corpus(), QUERY, replace(options, k=20))
    of_tests = [factor for (path, _), factor in zip(every.places, every.factors, strict=True) if "test" in path]
    assert len(of_tests) == 1 and 0 < of_tests[0] < 1
