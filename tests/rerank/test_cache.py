"""What models computed is computed once, by each model for itself, and is the same the first time and later."""

from __future__ import annotations

import numpy as np

from tests.store.limits import nothing_writable
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.rerank.cache import RELEVANCE, VECTORS, Float32s, ModelOutputCache, digest
from trackdown.store.store import Store


class Counting:
    """Computes three numbers for a text and remembers what it was asked."""

    def __init__(self, factor: float = 1.0) -> None:
        self.asked: list[str] = []
        self.factor = factor

    def __call__(self, texts: list[str]) -> Float32s:
        self.asked += texts
        return np.array([[len(text) / 3, 1 / 7, self.factor] for text in texts], dtype=np.float32)


def kept(facts: StoreFacts, compute: Counting, model: str = "one", kind: str = VECTORS) -> ModelOutputCache:
    return ModelOutputCache(kind, facts, lambda text: f"{digest(text)}:{model}", compute, 3)


def test_a_text_is_computed_once_and_looks_the_same_later(facts: StoreFacts) -> None:
    first, compute = kept(facts, Counting()), Counting()
    found = first.rows(["a", "bb", "a"])
    first.flush()
    again = kept(facts, compute).rows(["bb", "a", "ccc"])
    assert compute.asked == ["ccc"]
    assert np.array_equal(again[:2], found[[1, 0]])
    assert found[0][1] == np.float32(np.float16(1 / 7)), "rounded as it is kept, the first time, too"


def test_nothing_is_asked_for_nothing(facts: StoreFacts) -> None:
    assert kept(facts, Counting()).rows([]).shape == (0, 3)


def test_what_is_not_kept_is_computed_again(facts: StoreFacts) -> None:
    kept(facts, Counting()).rows(["a"])
    compute = Counting()
    kept(facts, compute).rows(["a"])
    assert compute.asked == ["a"]


def test_two_models_never_meet(facts: StoreFacts) -> None:
    first = kept(facts, Counting(1.0), "one")
    first.rows(["a"])
    first.flush()
    second = kept(facts, Counting(2.0), "two")
    assert second.rows(["a"])[0][2] == 2.0 and kept(facts, Counting(), "one").rows(["a"])[0][2] == 1.0


def test_a_fact_of_another_size_is_computed_again(facts: StoreFacts) -> None:
    facts.write(VECTORS, [(f"{digest('a')}:one", b"\1\2\3")])
    assert kept(facts, Counting()).rows(["a"])[0][2] == 1.0


def test_many_are_written_on_the_way(facts: StoreFacts, store: Store) -> None:
    kept(facts, Counting()).rows([str(number) for number in range(300)])
    assert len(store.database.fact_keys(VECTORS)) == 300


def test_relevance_keeps_full_precision(facts: StoreFacts) -> None:
    assert kept(facts, Counting(), kind=RELEVANCE).rows(["a"])[0][1] == np.float32(1 / 7)


def test_where_nothing_can_be_written_it_is_simply_not_kept(store: Store) -> None:
    store.close()
    with nothing_writable(store.top):
        frozen = Store(store.top)
        unwritable = kept(StoreFacts(frozen), Counting())
        assert frozen.read_only and unwritable.rows(["a"]).shape == (1, 3)
        unwritable.flush()


def test_a_digest_knows_where_texts_end() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("\udc80") == digest("\udc80")
