"""BM25: the same scores as bm25s, and never another score for the same live documents."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.segments import bm25_of

WORDS = ["alpha", "beta", "gamma", "delta", "omega", "kappa"]
Documents = list[list[str]]

word = st.sampled_from(WORDS)
documents = st.lists(st.lists(word, max_size=12), min_size=1, max_size=12)
queries = st.lists(word | st.just("absent"), min_size=1, max_size=5, unique=True)
k1s = st.floats(0.1, 3.0)
bs = st.floats(0.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(documents.filter(any), queries, st.lists(st.integers(1, 3), min_size=5, max_size=5), k1s, bs)
def test_scores_are_those_of_bm25s(
    corpus: Documents, query: Sequence[str], repeats: Sequence[int], k1: float, b: float
) -> None:
    """bm25s's lucene has our idf and leaves out the factor k1 + 1; a repeated word of its query is a weight of ours."""
    oracle = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    oracle.index(corpus, show_progress=False)
    known = {token for document in corpus for token in document}
    tokens = [token for token, times in zip(query, repeats, strict=False) for _ in range(times) if token in known]
    expected = oracle.get_scores(tokens) * (k1 + 1) if tokens else np.zeros(len(corpus))
    found = bm25_of([(corpus, None)], query, [float(times) for times in repeats[: len(query)]], k1, b)
    np.testing.assert_allclose(found.total, expected, rtol=1e-9, atol=1e-12)


def test_a_score_worked_out_by_hand() -> None:
    found = bm25_of([([["cat", "cat", "dog"], ["dog"], ["owl", "owl"]], None)], ["cat", "dog"], [1.0, 2.0])
    cat, dog = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    long, short = 1.2 * (0.25 + 0.75 * 3 / 2), 1.2 * (0.25 + 0.75 * 1 / 2)
    expected = [2.2 * (cat * 2 / (2 + long) + 2 * dog * 1 / (1 + long)), 2.2 * 2 * dog / (1 + short), 0.0]
    assert found.total.tolist() == pytest.approx(expected, rel=1e-12)


@settings(max_examples=150, deadline=None)
@given(documents, documents, queries, st.data(), k1s, bs)
def test_a_base_with_dead_documents_and_a_delta_score_exactly_like_one_clean_segment(
    base: Documents, delta: Documents, query: Sequence[str], data: st.DataObject, k1: float, b: float
) -> None:
    everything = base + delta
    flags = data.draw(st.lists(st.booleans(), min_size=len(everything), max_size=len(everything)))
    alive = np.array(flags)
    weights = [1.0 + 0.37 * index for index in range(len(query))]
    split = bm25_of([(base, alive[: len(base)]), (delta, alive[len(base) :])], query, weights, k1, b)
    live = [document for document, lives in zip(everything, flags, strict=True) if lives]
    clean = bm25_of([(live, None)], query, weights, k1, b)
    assert split.total[alive].tolist() == clean.total.tolist()
    assert not split.total[~alive].any()
    rows = np.flatnonzero(alive).tolist()
    assert split.contributions(rows).tolist() == clean.contributions(range(len(live))).tolist()


@settings(max_examples=60, deadline=None)
@given(documents, documents, queries)
def test_contributions_sum_to_totals(base: Documents, delta: Documents, query: Sequence[str]) -> None:
    weights = [1.0 + index for index in range(len(query))]
    scores = bm25_of([(base, None), (delta, None)], query, weights, 0.9, 0.4)
    rows = list(range(len(base) + len(delta)))
    table = scores.contributions(rows)
    assert table.shape == (len(rows), len(query))
    np.testing.assert_allclose(table.sum(axis=1), scores.total, rtol=1e-12, atol=0)
    assert np.array_equal(scores.contributions(rows[::-1]), table[::-1])


def test_terms_that_no_document_has_add_nothing() -> None:
    scores = bm25_of([([["cat"], ["dog"]], None)], ["cat", "unicorn"], [1.0, 5.0])
    alone = bm25_of([([["cat"], ["dog"]], None)], ["cat"], [1.0])
    assert scores.total.tolist() == alone.total.tolist()
    assert scores.contributions([0, 1])[:, 1].tolist() == [0.0, 0.0]


def test_a_term_that_every_document_has_still_counts_for_something() -> None:
    scores = bm25_of([([["cat"], ["cat", "dog"]], None)], ["cat"], [1.0])
    assert (scores.total > 0).all()


@pytest.mark.parametrize("alive", [[False, False], [True, True]])
def test_nothing_alive_and_nothing_inside_score_nothing(alive: list[bool]) -> None:
    empty = bm25_of([([[], []], np.array(alive))], ["cat"], [1.0])
    assert empty.total.tolist() == [0.0, 0.0]
    dead = bm25_of([([["cat"], ["cat"]], np.array([False, False]))], ["cat"], [1.0])
    assert dead.total.tolist() == [0.0, 0.0]


def test_no_segment_scores_nothing() -> None:
    assert bm25_of([], ["cat"], [1.0]).total.tolist() == []
