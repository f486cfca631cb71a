"""Late interaction: each token of a query finds the token that is most like it, and its length is its weight."""

from __future__ import annotations

import numpy as np
import pytest

from trackdown.models.late_interaction import LateQuery, unit_steps

RIGHT, UP, BETWEEN = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)


def rows(*vectors: tuple[float, float]) -> np.ndarray:
    return np.array(vectors, np.float32).reshape(-1, 2)


def test_every_token_counts_its_best_match_once() -> None:
    query = LateQuery(rows(RIGHT, UP))
    both, one, near, none = query.scores([unit_steps(rows(*text)) for text in ((UP, RIGHT), (UP,), (BETWEEN,), ())])
    assert both == pytest.approx(1.0) and one == pytest.approx(0.5) and none == 0.0
    assert near == pytest.approx((0.6 + 0.8) / 2, abs=0.01)


def test_the_length_of_a_token_is_its_weight_in_the_query_and_nothing_in_a_text() -> None:
    query = LateQuery(rows((3.0, 0.0), UP))
    assert query.scores([unit_steps(rows((0.2, 0.0)))]) == [pytest.approx(0.75, abs=1e-4)]


def test_scores_are_exact_whatever_stands_beside() -> None:
    random = np.random.default_rng(0)
    query = LateQuery(random.standard_normal((300, 64)).astype(np.float32))
    texts = [unit_steps(random.standard_normal((length, 64)).astype(np.float32)) for length in (1, 7, 222, 64)]
    together = query.scores(texts)
    assert [query.scores([text])[0] for text in texts] == together
    shuffled = [text[random.permutation(len(text))] for text in texts]
    assert query.scores(shuffled) == together


def test_an_empty_query_scores_nothing() -> None:
    assert LateQuery(np.zeros((0, 2), np.float32)).scores([unit_steps(rows(UP))]) == [0.0]
    assert LateQuery(rows((0.0, 0.0))).scores([unit_steps(rows(UP))]) == [0.0]
