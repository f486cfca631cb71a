"""The pool of candidates and their features."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.segments import corpus_of, index_of
from trackdown.pipeline.cascade import fused_candidates
from trackdown.pipeline.plan import SearchPlan
from trackdown.query.parse import understand
from trackdown.rank.features import NOT_RANKED, FeatureTable, ModelValues, feature_table
from trackdown.rank.pool import candidate_pool

FILES = {
    "web/cookie.py": "class Jar:\n    def sign(self, value):\n        return value + secret\n\n"
    "    def read(self, value):\n        return cookie(value)\n",
    "web/other.py": "def sign_cookie(value):\n    return value\n\ndef mention():\n    cookie = 1\n    return cookie\n",
    "web/far.py": "def nothing():\n    return 0\n",
    "tests/test_cookie.py": "def test_sign_cookie():\n    assert sign_cookie(1)\n",
}


def table_of(text: str) -> tuple[list[str], FeatureTable]:
    """The symbols of the pool for a query, and their features."""
    corpus = corpus_of(index_of(FILES))
    query = understand(text)
    fused = fused_candidates(corpus, query, SearchPlan())
    everything = np.ones(fused.pool.count, dtype=bool)
    chosen = candidate_pool(corpus.code, fused.pool, fused.channels, fused.total, everything)
    table = feature_table(corpus.code, fused.pool, fused.channels, fused.total, fused.factor, query, chosen)
    return [corpus.code.symbol(int(fused.pool.units[one])) for one in chosen], table


def column(table: FeatureTable, name: str) -> list[float]:
    return [float(value) for value in table.columns([name])[:, 0]]


def test_the_pool_holds_what_was_found_best_first() -> None:
    symbols, table = table_of("sign a cookie")
    assert symbols[0] == "sign_cookie" and "nothing" not in symbols
    assert column(table, "fused.rank")[0] == 1.0
    assert column(table, "fused.share") == sorted(column(table, "fused.share"), reverse=True)


def test_shares_ranks_and_roles() -> None:
    symbols, table = table_of("sign a cookie")
    assert max(column(table, "lexical.share")) == 1.0
    by_symbol = dict(zip(symbols, column(table, "shape.factor"), strict=True))
    assert by_symbol["test_sign_cookie"] < by_symbol["sign_cookie"] == 1.0
    named = dict(zip(symbols, column(table, "shape.name_said"), strict=True))
    assert named["sign_cookie"] > named["mention"] == 0.0


def test_a_candidate_knows_the_best_of_its_neighbours() -> None:
    symbols, table = table_of("sign a cookie")
    shares = dict(zip(symbols, column(table, "lexical.share"), strict=True))
    others = dict(zip(symbols, column(table, "lexical.file_best"), strict=True))
    assert others["mention"] == shares["sign_cookie"]
    assert others["sign_cookie"] == shares["mention"]
    in_class = dict(zip(symbols, column(table, "lexical.class_best"), strict=True))
    assert in_class["Jar.sign"] == shares["Jar.read"] and np.isnan(in_class["sign_cookie"])


def test_the_parts_of_an_issue_ask_by_themselves() -> None:
    _, short = table_of("sign a cookie")
    assert "lexical.title" not in short.names
    issue = "Signed cookies are lost\n\n" + "They vanish after a while, whatever `mention` is set to. " * 3
    symbols, table = table_of(issue)
    assert dict(zip(symbols, column(table, "lexical.title"), strict=True))["mention"] >= 0.0
    names = dict(zip(symbols, column(table, "lexical.names"), strict=True))
    assert names["mention"] > 0.0 and names.get("Jar.sign", 0.0) == 0.0


def test_what_models_did_not_read_is_missing() -> None:
    table = FeatureTable(("a",), np.zeros((3, 1)))
    read = table.with_models(ModelValues({"encoder": np.array([0.5, np.nan, 0.7])}))
    assert read.names == ("a", "encoder.value", "encoder.behind", "encoder.rank")
    assert read.columns(["encoder.behind"])[[0, 2], 0].tolist() == [0.7 - 0.5, 0.0]
    assert read.columns(["encoder.rank"])[[0, 2], 0].tolist() == [2.0, 1.0]
    assert np.isnan(read.values[1, 1:]).all()


def test_what_a_channel_did_not_find_has_no_rank() -> None:
    symbols, table = table_of("where is `mention` used for a cookie")
    ranks = dict(zip(symbols, column(table, "mentions.rank"), strict=True))
    assert ranks["mention"] == 1.0 and ranks["Jar.read"] == NOT_RANKED


def test_a_query_that_finds_nothing_has_a_table_without_rows() -> None:
    symbols, table = table_of("qwxzv")
    assert symbols == []
    assert table.columns(["lexical.share", "unknown"]).shape == (0, 2)


def test_a_model_ranks_by_its_values_even_below_zero() -> None:
    table = FeatureTable(("a.share",), np.ones((4, 1)))
    found = table.with_models(ModelValues({"code-reranker": np.array([-1.5, np.nan, 0.5, -0.25])}))
    assert found.columns(["code-reranker.rank"])[:, 0].tolist() == pytest.approx([3, np.nan, 1, 2], nan_ok=True)
    assert found.columns(["code-reranker.behind"])[:, 0].tolist() == pytest.approx([2, np.nan, 0, 0.75], nan_ok=True)
