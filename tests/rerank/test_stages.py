"""Encoder, CommitReranker and CodeReranker: the best unit, window or commit counts; what cannot be read does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.rerank.reranked_code import Snapshot, function
from tests.rerank.tiny_models import make_models
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.engine.searching.cancel import Check, CheckedFacts
from trackdown.errors import Cancelled
from trackdown.models.registry import Models, open_models
from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.cache import QUERIES, RELEVANCE, TOKENS, VECTORS
from trackdown.rerank.candidate_scores import CandidateScores
from trackdown.rerank.code import CodeReranker
from trackdown.rerank.commits import CommitReranker
from trackdown.rerank.encode import UnitEncoder
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.texts import UnitTexts
from trackdown.store.store import Store

FOREVER = TimeBudget(None)
FILES = {
    "a.py": function("one", "cookie", "sign") + function("two", "route", "request"),
    "b.py": function("three", "header", "parse"),
    "c.py": "def get():\n" + "    route(request)\n" * 200 + "    sign(cookie)\n",
}


@pytest.fixture
def snapshot() -> Snapshot:
    return Snapshot(FILES)


@pytest.fixture
def encoder(snapshot: Snapshot, models: Models, facts: StoreFacts) -> UnitEncoder:
    assert models.encoder is not None
    return UnitEncoder(models.encoder, UnitTexts(snapshot.code, snapshot.texts), facts)


def cosines(
    encoder: UnitEncoder,
    query: str,
    candidates: Sequence[Sequence[int]],
    budget: TimeBudget,
    exemplars: Sequence[str] = (),
) -> CandidateScores:
    (found,) = encoder.compare([query], candidates, budget, exemplars)
    assert found.late is None
    return found.cosines


def pairs(models: Models, facts: StoreFacts, query: str) -> PairScorer:
    assert models.cross_encoder is not None
    return PairScorer(models.cross_encoder, query, facts)


def test_a_candidate_is_as_near_as_its_nearest_unit(snapshot: Snapshot, encoder: UnitEncoder) -> None:
    one, two, three = map(snapshot.unit, ("one", "two", "three"))
    found = cosines(encoder, "autograph the biscuit", [[two], [two, one], [three], []], FOREVER)
    assert found.reached == 4 and found.units == [two, one, three, -1]
    assert found.values[1] > 0.5 > found.values[0] and np.isnan(found.values[3])
    alone = cosines(encoder, "autograph the biscuit", [[one]], FOREVER)
    assert alone.values[0] == found.values[1]


def test_exemplars_count_half_and_the_query_the_other_half(snapshot: Snapshot, encoder: UnitEncoder) -> None:
    units = [[snapshot.unit(name)] for name in ("one", "three")]

    def near(query: str, *exemplars: str) -> list[float]:
        return [float(value) for value in cosines(encoder, query, units, FOREVER, exemplars).values]

    cookie, header = near("sign cookie"), near("parse header")
    both = near("sign cookie", "parse header")
    assert both[0] < cookie[0] and both[1] > cookie[1]
    assert both == pytest.approx(near("parse header", "sign cookie"), abs=1e-3)
    assert near("sign cookie", "parse header", "parse header") == pytest.approx(both, abs=1e-3)
    assert near("sign cookie", "sign cookie") == pytest.approx(cookie, abs=1e-3) and header[1] > both[1]


def test_vectors_are_kept_and_the_same_the_second_time(
    snapshot: Snapshot, encoder: UnitEncoder, models: Models, facts: StoreFacts, store: Store
) -> None:
    units = [[snapshot.unit(name)] for name in ("one", "two")]
    first = cosines(encoder, "cookie", units, FOREVER)
    assert (len(store.database.fact_keys(VECTORS)), len(store.database.fact_keys(QUERIES))) == (2, 1)
    assert models.encoder is not None
    again = cosines(
        UnitEncoder(models.encoder, UnitTexts(snapshot.code, snapshot.texts), facts), "cookie", units, FOREVER
    )
    assert np.array_equal(first.values, again.values)
    assert (len(store.database.fact_keys(VECTORS)), len(store.database.fact_keys(QUERIES))) == (2, 1)


def test_what_changed_under_us_is_passed_over(snapshot: Snapshot, encoder: UnitEncoder) -> None:
    snapshot.gone = {"a.py"}
    found = cosines(encoder, "cookie", [[snapshot.unit("one")], [snapshot.unit("three")]], FOREVER)
    assert found.reached == 2 and np.isnan(found.values[0]) and not np.isnan(found.values[1])


def test_without_time_nothing_is_read(
    snapshot: Snapshot, encoder: UnitEncoder, models: Models, facts: StoreFacts
) -> None:
    units = [[snapshot.unit("one")]]
    assert cosines(encoder, "cookie", units, TimeBudget(0)).reached == 0
    code = CodeReranker(pairs(models, facts, "cookie"), UnitTexts(snapshot.code, snapshot.texts), all_windows=True)
    assert code.logits(units, TimeBudget(0)).reached == 0 and snapshot.read == []


def test_code_is_read_beside_the_query(snapshot: Snapshot, models: Models, facts: StoreFacts, store: Store) -> None:
    reader = pairs(models, facts, "autograph the biscuit")
    code = CodeReranker(reader, UnitTexts(snapshot.code, snapshot.texts), all_windows=False)
    found = code.logits([[snapshot.unit(name)] for name in ("three", "one", "two")], FOREVER)
    assert int(np.argmax(found.values)) == 1 and found.reached == 3
    assert len(store.database.fact_keys(RELEVANCE)) == 3


@pytest.mark.parametrize("every", [False, True])
def test_what_stands_at_the_end_is_read(snapshot: Snapshot, models: Models, facts: StoreFacts, every: bool) -> None:
    texts = UnitTexts(snapshot.code, snapshot.texts)
    assert len(texts.windows(snapshot.unit("get"))) > 2
    code = CodeReranker(pairs(models, facts, "sign cookie"), texts, all_windows=every)
    end, nowhere = code.logits([[snapshot.unit("get")], [snapshot.unit("three")]], FOREVER).values
    assert end > nowhere


def test_a_file_is_worth_its_best_commit(models: Models, facts: StoreFacts) -> None:
    messages = ["Route the request", "Sign the cookie", "", "Parse the header"]
    asked: list[list[int]] = []

    def read(positions: list[int]) -> list[str]:
        asked.append(list(positions))
        return [messages[position] for position in positions]

    reranker = CommitReranker(pairs(models, facts, "autograph the biscuit"), read)  # type: ignore[arg-type]
    behind = {7: [0, 1], 8: [3], 9: [2]}
    found = reranker.files([7, 8, 7, 9, 5], [1, 0, 3, 2], lambda file: behind.get(file, []), FOREVER)
    assert found.commits == [1, 3, 1, -1, -1] and asked == [[1, 0, 3, 2]]
    assert found.values[0] == found.values[2] > found.values[1]
    assert np.isnan(found.values[3]) and np.isnan(found.values[4]), "an empty message says nothing"
    shallow = reranker.files([7, 8], [0], lambda file: behind[file], FOREVER)
    assert shallow.commits == [0, -1]


def test_relevance_of_two_models_never_mixes(models: Models, other_models: Models, facts: StoreFacts) -> None:
    first, second = pairs(models, facts, "cookie"), pairs(other_models, facts, "cookie")
    one = first.logits(["sign the cookie"])
    first.flush()
    assert second.logits(["sign the cookie"])[0] != one[0]
    assert pairs(models, facts, "cookie").logits(["sign the cookie"])[0] == one[0]
    assert pairs(models, facts, "header").logits(["sign the cookie"])[0] != one[0]


def test_what_was_computed_before_a_search_is_cancelled_is_kept(
    snapshot: Snapshot, models: Models, facts: StoreFacts, store: Store
) -> None:
    """Cancelled when facts are read for the second batch, the third in case of the encoder, which reads the query."""
    assert models.encoder is not None
    units = [[snapshot.unit(name)] for name in ("one", "two", "three")]
    one_by_one = TimeBudget(1e9)
    texts = UnitTexts(snapshot.code, snapshot.texts)

    def until(reads: int) -> CheckedFacts:
        left = iter(range(reads))
        return CheckedFacts(facts, Check(lambda: next(left, None) is None))

    with pytest.raises(Cancelled):
        UnitEncoder(models.encoder, texts, until(2)).compare(["sign cookie"], units, one_by_one)
    assert len(store.database.fact_keys(VECTORS)) == 1 and len(store.database.fact_keys(QUERIES)) == 1
    with pytest.raises(Cancelled):
        CodeReranker(_pairs(models, until(1)), texts, all_windows=False).logits(units, one_by_one)
    assert len(store.database.fact_keys(RELEVANCE)) == 1
    with pytest.raises(Cancelled):
        CommitReranker(_pairs(models, until(1)), lambda batch: [f"Commit {one}" for one in batch]).logits(
            [1, 2, 3], one_by_one
        )
    assert len(store.database.fact_keys(RELEVANCE)) == 2


def _pairs(models: Models, facts: CheckedFacts) -> PairScorer:
    assert models.cross_encoder is not None
    return PairScorer(models.cross_encoder, "sign cookie", facts)


def test_tokens_are_compared_one_by_one_and_kept(
    snapshot: Snapshot, facts: StoreFacts, store: Store, tmp_path: Path
) -> None:
    late = open_models(make_models(tmp_path / "late", late=True)).encoder
    assert late is not None
    units = [[snapshot.unit(name)] for name in ("one", "two", "three")]
    texts = UnitTexts(snapshot.code, snapshot.texts)
    (found,) = UnitEncoder(late, texts, facts).compare(["autograph the biscuit"], units, FOREVER)
    assert found.late is not None
    signed, routed, parsed = found.late.values
    assert signed > 0.6 > 0.4 > max(routed, parsed), "two of its three words are there under other names"
    assert len(store.database.fact_keys(TOKENS)) == 3
    (again,) = UnitEncoder(late, texts, facts).compare(["autograph the biscuit"], units[::-1], FOREVER)
    assert again.late is not None and again.late.values.tolist() == [parsed, routed, signed]
    store.database.write_facts(TOKENS, [(key, b"x") for key in store.database.fact_keys(TOKENS)])
    (mended,) = UnitEncoder(late, texts, facts).compare(["autograph the biscuit"], units, FOREVER)
    assert mended.late is not None and mended.late.values.tolist() == [signed, routed, parsed]
