"""What is collected for fitting is what a search weighs: weighed the same way, it ranks the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from trackdown.engine import rank
from trackdown.engine.searching.evidence import Evidence, channel_evidence, judged_evidence, speaking_models
from trackdown.lab.train.evidence import EvidencePlan
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


def order(seen: Evidence, weights: dict[str, float]) -> list[tuple[str, str]]:
    """The places by the weighted sum of scaled evidence."""
    full = np.where(seen.full > 0, seen.full, 1.0)
    total = (seen.scores / full) @ np.array([weights[signal] for signal in seen.signals]) * seen.factors
    return [
        seen.places[at]
        for at in sorted(np.flatnonzero(total > 0), key=lambda at: (-round(total[at], 9), seen.places[at]))
    ]


def test_channels_are_heard_with_and_without_vectors(web: Repo, with_models: Settings) -> None:
    for settings in (with_models, replace(with_models, models="none")):
        options = EvidencePlan().options(settings, "function")
        with trackdown.open(web.root, settings=settings) as opened:
            seen = channel_evidence(opened.corpus(), QUERY, options)
            places = rank(opened.corpus(), QUERY, replace(options, fusion="weighted"))
        said = {signal: bool(np.any(seen.scores[:, at])) for at, signal in enumerate(seen.signals)}
        assert said["lexical"] and said["commits"] and said["dense"] == (settings is with_models)
        assert order(seen, dict(options.weights)) == [(place.path, place.symbol) for place in places]
        assert set(seen.factors.tolist()) == {1.0, 0.3}, "a test counts less"


@pytest.mark.parametrize("level", ["function", "file"])
def test_what_models_said_ranks_as_the_cascade_does(web: Repo, with_models: Settings, level: Level) -> None:
    options = EvidencePlan(stage="rerank").options(with_models, level)
    assert options.judging is not None
    with trackdown.open(web.root, settings=with_models) as opened:
        seen = judged_evidence(opened.corpus(), QUERY, options)
        places = rank(opened.corpus(), QUERY, options)
    assert seen is not None and seen.signals == ("fused", "encoder", "commit-reranker", "code-reranker")
    by_hand = options.judging.weights
    weights = dict(zip(seen.signals, (by_hand.fused, by_hand.encoder, by_hand.commit, by_hand.code), strict=True))
    assert order(seen, weights) == [(place.path, place.symbol) for place in places]
    assert (seen.scores >= 0).all() and (seen.scores[:, 1:] <= 1).all()


def test_without_models_nothing_is_judged(web: Repo, settings: Settings) -> None:
    without = replace(settings, models="none")
    with trackdown.open(web.root, settings=without) as opened:
        assert judged_evidence(opened.corpus(), QUERY, EvidencePlan(stage="rerank").options(without, "file")) is None


def test_models_that_speak_are_named(with_models: Settings) -> None:
    channels, readers = (speaking_models(with_models, readers=readers) for readers in (False, True))
    assert len(channels) == 1 and readers[:1] == channels and len(readers) > 1
    assert speaking_models(replace(with_models, models="none"), readers=True) == ()
    assert EvidencePlan().digest(with_models) != EvidencePlan().digest(replace(with_models, models="none"))
