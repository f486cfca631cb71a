"""The cross-encoder: pairs are put together as the model was taught, and cut where it ends."""

from __future__ import annotations

import numpy as np
import pytest

from tests.models.faults import FailingRuntime
from tests.models.made_models import LONGEST, VOCABULARY, table
from trackdown.errors import ModelError
from trackdown.models.cross_encoder import LOWEST, CrossEncoder
from trackdown.models.registry import Models

TEXTS = ["parse date", "", "read " * 100, "\ud800", "row", "query index search", "a b c"]


@pytest.fixture
def judge(tiny: Models) -> CrossEncoder:
    assert tiny.cross_encoder is not None
    return tiny.cross_encoder


def test_query_and_text_are_the_two_halves_of_a_pair(judge: CrossEncoder) -> None:
    rows = table()
    query = rows[[VOCABULARY[piece] for piece in ("[CLS]", "parse", "[SEP]")]].mean(axis=0)
    text = rows[[VOCABULARY[piece] for piece in ("date", "row", "[SEP]")]].mean(axis=0)
    assert judge.score("parse", ["date row"]) == pytest.approx(query @ text, abs=1e-5)


def test_a_long_query_leaves_room_for_the_text(judge: CrossEncoder, tiny: Models) -> None:
    session = tiny.session("cross_encoder")
    watched = session.runtime = FailingRuntime(session.runtime, 99)
    assert np.array_equal(judge.score("parse " * 50, TEXTS), judge.score("parse " * 5, TEXTS))
    judge.score("parse", ["date " * 99])
    assert {length for _, length in watched.shapes} == {LONGEST}


def test_scores_are_in_the_order_of_the_texts(judge: CrossEncoder) -> None:
    together = judge.score("search the index", TEXTS * 40)
    alone = np.concatenate([judge.score("search the index", [text]) for text in TEXTS])
    assert together.dtype == np.float32
    assert np.allclose(together, np.tile(alone, 40), atol=1e-5)


@pytest.mark.parametrize("query", ["", " \t", "\x00"])
def test_an_empty_query_finds_nothing_relevant(judge: CrossEncoder, query: str) -> None:
    assert judge.score(query, TEXTS).tolist() == [LOWEST] * len(TEXTS)


def test_empty_texts_are_least_relevant(judge: CrossEncoder) -> None:
    scores = judge.score("parse", ["", "date", " "])
    assert scores[[0, 2]].tolist() == [LOWEST, LOWEST]
    assert scores[1] > LOWEST
    assert judge.score("parse", []).shape == (0,)
    with np.errstate(all="raise"):
        assert 0 <= 1 / (1 + np.exp(-scores[0])) < 1e-20


def test_want_of_memory_halves_the_batch_and_then_is_an_error(judge: CrossEncoder, tiny: Models) -> None:
    wanted = judge.score("search", TEXTS * 40)
    session = tiny.session("cross_encoder")
    real = session.runtime
    session.runtime = FailingRuntime(real, 3)
    assert np.allclose(judge.score("search", TEXTS * 40), wanted, atol=1e-5)
    session.runtime = FailingRuntime(real, 0)
    with pytest.raises(ModelError, match="not enough memory"):
        judge.score("search", TEXTS)


def test_the_packaged_cross_encoder_knows_what_answers(packaged: Models) -> None:
    judge = packaged.cross_encoder
    assert judge is not None
    answers = [
        "http date : parse date : def parse date value return parse http date value",
        "cake : bake : def bake eggs",
    ]
    scores = judge.score("parsing of http dates fails", [*answers, ""])
    assert scores[0] > scores[1] > scores[2] == LOWEST
    assert np.isfinite(judge.score("word " * 5000, ["word " * 5000])).all()
