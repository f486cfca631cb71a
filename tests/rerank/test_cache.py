"""What models computed is computed once, by each model for itself, and is the same the first time and later."""

from __future__ import annotations

import pytest

from tests.store.limits import nothing_writable
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.rerank.cache import VECTORS, ModelOutputCache, digest
from trackdown.store.store import Store


class Counting:
    """Computes three bytes for a text and remembers what it was asked."""

    def __init__(self, last: bytes = b".") -> None:
        self.asked: list[str] = []
        self.last = last

    def __call__(self, texts: list[str]) -> list[bytes]:
        self.asked += texts
        return [text[:1].encode() + b"-" + self.last for text in texts]


def kept(facts: StoreFacts, compute: Counting, model: str = "one", step: int = 0) -> ModelOutputCache:
    return ModelOutputCache(VECTORS, facts, lambda text: f"{digest(text)}:{model}", compute, 3, step)


def test_a_text_is_computed_once_and_looks_the_same_later(facts: StoreFacts) -> None:
    first, compute = kept(facts, Counting()), Counting()
    found = first.rows(["a", "bb", "a"])
    first.flush()
    again = kept(facts, compute).rows(["bb", "a", "ccc"])
    assert compute.asked == ["ccc"]
    assert again == [found[1], found[0], b"c-."]


def test_nothing_is_asked_for_nothing(facts: StoreFacts) -> None:
    assert kept(facts, Counting()).rows([]) == []


def test_what_is_not_kept_is_computed_again(facts: StoreFacts) -> None:
    kept(facts, Counting()).rows(["a"])
    compute = Counting()
    kept(facts, compute).rows(["a"])
    assert compute.asked == ["a"]


def test_two_models_never_meet(facts: StoreFacts) -> None:
    first = kept(facts, Counting(b"1"), "one")
    first.rows(["a"])
    first.flush()
    second = kept(facts, Counting(b"2"), "two")
    assert second.rows(["a"]) == [b"a-2"] and kept(facts, Counting(), "one").rows(["a"]) == [b"a-1"]


@pytest.mark.parametrize(("size", "step", "again"), [(2, 0, 1), (4, 0, 1), (3, 2, 0), (5, 2, 0), (6, 2, 1), (1, 2, 1)])
def test_a_fact_of_another_size_is_computed_again(facts: StoreFacts, size: int, step: int, again: int) -> None:
    facts.write(VECTORS, [(f"{digest('a')}:one", b"x" * size)])
    compute = Counting()
    kept(facts, compute, step=step).rows(["a"])
    assert len(compute.asked) == again


def test_many_are_written_on_the_way(facts: StoreFacts, store: Store) -> None:
    kept(facts, Counting()).rows([str(number) for number in range(300)])
    assert len(store.database.fact_keys(VECTORS)) == 300


def test_where_nothing_can_be_written_it_is_simply_not_kept(store: Store) -> None:
    store.close()
    with nothing_writable(store.top):
        frozen = Store(store.top)
        unwritable = kept(StoreFacts(frozen), Counting())
        assert frozen.read_only and unwritable.rows(["a"]) == [b"a-."]
        unwritable.flush()


def test_a_digest_knows_where_texts_end() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("\udc80") == digest("\udc80")
