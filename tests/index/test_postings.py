"""Postings: what a Counter would say, in flat arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.segments import arrays_of
from trackdown.index.postings import PostingsWriter, find_terms, open_field
from trackdown.index.strings import SortedTable
from trackdown.store.arrays import Arrays
from trackdown.units.tokens import terms

SHAPES = [
    "parse",
    "parseHTTPDate2",
    "_private",
    "snake_case_name",
    "HTTP",
    "größe",
    "x",
    "7",
    "日本語",
    "__init__",
    "Ünïcode",
]
words = st.sampled_from(SHAPES) | st.text(st.characters(categories=["Lu", "Ll", "Nd", "Pc"]), min_size=1, max_size=8)
documents = st.lists(st.lists(words, max_size=15), max_size=8)


def naive(corpus: Sequence[Sequence[str]]) -> list[Counter[str]]:
    return [Counter(term for word in document for term in terms(word)) for document in corpus]


@settings(max_examples=150, deadline=None)
@given(documents)
def test_postings_say_what_a_counter_says(corpus: list[list[str]]) -> None:
    arrays = Arrays(arrays_of(corpus), {})
    table, field = SortedTable(arrays, "terms"), open_field(arrays, "body")
    expected = naive(corpus)
    found: list[Counter[str]] = [Counter() for _ in corpus]
    for row in range(len(table)):
        span = slice(int(field.pointers[row]), int(field.pointers[row + 1]))
        holders = field.documents[span].tolist()
        assert holders == sorted(set(holders)) and holders
        for document, count in zip(holders, field.counts[span].tolist(), strict=True):
            found[document][table.text(row)] = count
    assert found == expected
    assert field.lengths.tolist() == [sum(counter.values()) for counter in expected]


@settings(max_examples=80, deadline=None)
@given(documents, st.lists(words, max_size=5))
def test_every_term_is_found_and_no_other(corpus: list[list[str]], others: list[str]) -> None:
    table = SortedTable(Arrays(arrays_of(corpus), {}), "terms")
    known = set().union(*naive(corpus)) if corpus else set()
    wanted = [*sorted(known), *(term for other in others for term in terms(other))]
    for term, row in zip(wanted, find_terms(table, wanted), strict=True):
        assert (row >= 0) == (term in known)
        assert row < 0 or table.text(row) == term


def test_terms_are_sorted_by_their_bytes() -> None:
    table = SortedTable(Arrays(arrays_of([["zebra", "Äpfel", "apple", "日本"]]), {}), "terms")
    raw = [table.raw(row) for row in range(len(table))]
    assert raw == sorted(raw) and len(raw) == 4


@settings(max_examples=40, deadline=None)
@given(documents)
def test_the_same_documents_give_the_same_bytes(corpus: list[list[str]]) -> None:
    first, second = arrays_of(corpus), arrays_of(corpus)
    assert list(first) == list(second)
    for name in first:
        assert first[name].dtype == second[name].dtype and first[name].tobytes() == second[name].tobytes()


def test_how_documents_come_in_pieces_does_not_show() -> None:
    at_once, in_pieces = PostingsWriter("body"), PostingsWriter("body")
    numbers = at_once.number(["cat", "dog", "cat", "owl"])
    at_once.fields["body"].add([0, 0, 1, 2], numbers, [2, 1, 1, 5])
    for document, word, count in ((2, "owl", 5), (0, "dog", 1), (0, "cat", 1), (1, "cat", 1), (0, "cat", 1)):
        in_pieces.fields["body"].add([document], in_pieces.number([word]), [count])
    one, other = at_once.arrays({"body": 3}), in_pieces.arrays({"body": 3})
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_fields_share_terms_and_keep_their_documents_apart() -> None:
    writer = PostingsWriter("body", "name")
    writer.fields["body"].add([0, 1], writer.number(["cat", "dog"]), [1, 1])
    writer.fields["name"].add([2], writer.number(["cat"]), [1])
    arrays = Arrays(writer.arrays({"body": 2, "name": 3}), {})
    cat = find_terms(SortedTable(arrays, "terms"), ["cat"])[0]
    body, name = open_field(arrays, "body"), open_field(arrays, "name")
    assert body.documents[body.pointers[cat] : body.pointers[cat + 1]].tolist() == [0]
    assert name.documents[name.pointers[cat] : name.pointers[cat + 1]].tolist() == [2]
    assert (len(body.lengths), len(name.lengths)) == (2, 3)


def test_absurd_counts_are_capped_and_harm_no_neighbour() -> None:
    writer = PostingsWriter("body")
    shared = [f"cat_{number}" for number in range(20)]
    writer.fields["body"].add([0, 1], writer.number(["cat", "cat"]), [10**9, 3])
    writer.fields["body"].add([2] * 20, writer.number(shared), [10**6] * 20)
    arrays = Arrays(writer.arrays({"body": 4}), {})
    field = open_field(arrays, "body")
    cat = find_terms(SortedTable(arrays, "terms"), ["cat"])[0]
    span = slice(int(field.pointers[cat]), int(field.pointers[cat + 1]))
    assert field.documents[span].tolist() == [0, 1, 2]
    assert field.counts[span].tolist() == [4095, 3, 65535]
    assert field.lengths[1] == 3 and field.lengths[3] == 0
