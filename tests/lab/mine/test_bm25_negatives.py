"""Hard negatives and ranks, against BM25 written out by hand."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from tests.growth import calls_of
from trackdown.lab.mine.bm25_negatives import HardNegatives, TermIndex, bm25_negatives
from trackdown.lab.mine.documents import Document
from trackdown.units.tokens import term_counts


def unit(path: str, symbol: str, code: str) -> Document:
    return Document(path, symbol, "function", "python", code)


DOCUMENTS = [
    unit("shop/cart.py", "Cart.add", "def add(self, item): self.items.append(item)"),
    unit("shop/cart.py", "Cart.total", "def total(self): return sum(item.price for item in self.items)"),
    unit("shop/cart.py", "Cart.total", "def total(self): return sum(item.price * item.count for item in self.items)"),
    unit("shop/order.py", "Order.total", "def total(self): return self.cart.total() + self.shipping"),
    unit("shop/order.py", "Order.sum", "def total(self): return sum(item.price for item in self.items)"),
    unit("web/session.py", "sign", "def sign(cookie): return hmac(cookie)"),
]


def negatives(queries: list[str], documents: list[Document], answers: list[list[int]], k: int) -> HardNegatives:
    """Hard negatives of documents whose files never changed their names."""
    return bm25_negatives(queries, documents, answers, k, units=[(one.path, one.symbol) for one in documents])


def by_hand(query: str, documents: list[Document]) -> list[float]:
    """BM25 of every document, k1 = 1.2 and b = 0.75."""
    counts = [term_counts(f"{one.path} {one.symbol} {one.code}") for one in documents]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)
    frequency = Counter(term for count in counts for term in count)
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        score = 0.0
        for term in term_counts(query):
            if count[term]:
                idf = math.log1p((len(documents) - frequency[term] + 0.5) / (frequency[term] + 0.5))
                score += idf * count[term] * 2.2 / (count[term] + 1.2 * (0.25 + 0.75 * length / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("query", ["the total price of a cart", "sign the cookie", "Cart.total", "nothing here", ""])
def test_scores_are_bm25(query: str) -> None:
    assert TermIndex(DOCUMENTS).scores(query) == pytest.approx(by_hand(query, DOCUMENTS), rel=1e-5)


def test_versions_and_copies_of_an_answer_are_no_negatives() -> None:
    found = negatives(["total price of the items in the cart"], DOCUMENTS, [[1]], 5)
    # 2 is another version of the answer, 4 has the same words; 5 shares no term with the query.
    assert sorted(found.negatives[0]) == [0, 3]
    assert found.ranks == [1]


def test_one_version_of_each_unit_and_the_best_first() -> None:
    found = negatives(["sum of item price and count"], DOCUMENTS, [[5]], 5)
    assert found.negatives[0][0] == 2 and 1 not in found.negatives[0]
    assert found.ranks == [0], "the answer shares no term with the query"


def test_ranks_count_units_and_not_versions() -> None:
    versions = [unit("a.py", "f", f"def f(): return cookie cookie sign {number}") for number in range(9)]
    answer = unit("b.py", "g", "def g(): return the signature of a cookie, at some length, for it is no close match")
    found = negatives(["sign cookie"], [*versions, answer], [[9]], 3)
    assert found.ranks == [2] and len(found.negatives[0]) == 1


def test_a_renamed_file_s_units_are_versions_too() -> None:
    documents = [unit("old/cart.py", "total", "total price old"), unit("new/cart.py", "total", "total price new")]
    assert negatives(["total price"], documents, [[1]], 3).negatives == [[0]]
    found = bm25_negatives(["total price"], documents, [[1]], 3, units=["cart.total", "cart.total"])
    assert found.negatives == [[]]


def test_it_looks_further_where_versions_crowd_the_front() -> None:
    crowd = [unit("a.py", "f", f"sign cookie {'x' * (number % 7)} {number}") for number in range(500)]
    rest = [unit(f"{number}.py", "g", f"sign of {number} " + "long text " * 20) for number in range(5)]
    answer = unit("answer.py", "h", "sign cookie now")
    found = negatives(["sign cookie"], [*crowd, *rest, answer], [[505]], 4)
    assert len({(number >= 500) for number in found.negatives[0]}) == 2 and len(found.negatives[0]) == 4


def test_nothing_there() -> None:
    assert negatives([], [], [], 3).negatives == []
    assert negatives(["x"], DOCUMENTS[:1], [[0]], 3).negatives == [[]]


def test_a_query_costs_no_call_for_each_document() -> None:
    chance = random.Random(0)
    vocabulary = [f"word{number}" for number in range(3000)]

    def text(length: int) -> str:
        return " ".join(vocabulary[int(3000 * chance.random() ** 3)] for _ in range(length))

    documents = [unit(f"{number % 300}.py", f"f{number}", text(60)) for number in range(4000)]
    queries = [text(20) for _ in range(400)]
    calls = calls_of(lambda: negatives(queries, documents, [[number] for number in range(len(queries))], 15))
    assert calls < len(queries) * len(documents)
