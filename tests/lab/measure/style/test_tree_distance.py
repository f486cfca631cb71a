"""The edit distance of trees: against apted, against its bound, and on functions of hundreds of lines."""

from __future__ import annotations

from typing import Any

import pytest
from apted import APTED
from apted.helpers import Tree as TheirTree
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.lab.measure.style.cssim import edit_distance, lower_bound, tree_distance
from trackdown.lab.measure.style.snippet import read_snippet
from trackdown.lab.measure.style.syntax import Tree

Nested = tuple[str, list[Any]]
NESTED: st.SearchStrategy[Nested] = st.recursive(
    st.tuples(st.sampled_from("abc"), st.just([])),
    lambda inner: st.tuples(st.sampled_from("abc"), st.lists(inner, max_size=4)),
    max_leaves=12,
)


def tree_of(nested: Nested) -> Tree:
    labels: list[str] = []
    leftmost: list[int] = []

    def add(node: Nested) -> None:
        first = len(labels)
        for child in node[1]:
            add(child)
        leftmost.append(first)
        labels.append(node[0])

    add(nested)
    return Tree(tuple(labels), tuple(leftmost))


def bracket(node: Nested) -> str:
    return "{" + node[0] + "".join(map(bracket, node[1])) + "}"


def in_preorder(node: Nested) -> list[str]:
    return [node[0], *(label for child in node[1] for label in in_preorder(child))]


@settings(deadline=None)
@given(NESTED, NESTED)
def test_it_is_what_apted_says_and_never_below_its_bound(a: Nested, b: Nested) -> None:
    theirs = APTED(TheirTree.from_text(bracket(a)), TheirTree.from_text(bracket(b))).compute_edit_distance()
    assert edit_distance(tree_of(a), tree_of(b)) == theirs
    assert lower_bound(tree_of(a), tree_of(b)) <= theirs


@given(NESTED)
def test_a_tree_knows_its_labels_in_preorder(a: Nested) -> None:
    assert tree_of(a).preorder() == in_preorder(a)


@settings(deadline=None)
@given(NESTED, NESTED, st.sampled_from([0, 1 << 40]))
def test_it_is_bounded_symmetric_and_zero_for_the_same(a: Nested, b: Nested, steps: int) -> None:
    there = tree_distance(tree_of(a), tree_of(b), exact_steps=steps)
    assert 0 <= there.value <= 1
    assert there == tree_distance(tree_of(b), tree_of(a), exact_steps=steps)
    assert tree_distance(tree_of(a), tree_of(a), exact_steps=steps) == (0.0, True)
    assert there.exact == (steps > 0 or a == b)


def test_it_is_shared_out_over_the_larger_tree() -> None:
    small, large = tree_of(("a", [("b", [])])), tree_of(("a", [("b", []), ("c", []), ("d", [("e", [])])]))
    assert tree_distance(small, large).value == pytest.approx(3 / 5)


def test_more_edits_than_nodes_count_as_wholly_different() -> None:
    chain: Nested = ("a", [])
    for _ in range(7):
        chain = ("a", [chain])
    star: Nested = ("b", [("b", [])] * 7)
    assert edit_distance(tree_of(chain), tree_of(star)) > 8
    assert tree_distance(tree_of(chain), tree_of(star)).value == 1.0


def test_code_becomes_its_named_nodes_with_operators_in_their_labels() -> None:
    found = read_snippet("x = y + 1  # a comment", "python").tree
    assert found.preorder() == [
        "module",
        "expression_statement",
        "assignment",
        "identifier",
        "binary_operator +",
        "identifier",
        "integer",
    ]
    minus = read_snippet("x = y - 1", "python").tree
    assert edit_distance(found, minus) == 1
    assert edit_distance(found, read_snippet("long_name = other + 23", "python").tree) == 0


def function_of(lines: int, statement: str) -> str:
    body = "\n".join(f"    {statement.format(number, number % 7)}" for number in range(lines))
    return f"def long_function(rows, totals):\n{body}\n    return totals\n"


def test_a_function_of_300_lines_is_bounded_and_says_so() -> None:
    one = read_snippet(function_of(300, "totals[{1}] = sum(rows[{0}:]) + len(rows) * {1}"), "python")
    other = read_snippet(function_of(290, "totals[{1}] = max(rows[{0}:], key=len) - {1}"), "python")
    found = tree_distance(one.tree, other.tree)
    assert not found.exact
    assert 0.1 < found.value < 0.9


def test_a_function_of_thirty_lines_is_exact() -> None:
    one = read_snippet(function_of(30, "totals[{1}] = sum(rows[{0}:])"), "python")
    other = read_snippet(function_of(28, "totals[{1}] = max(rows[{0}:], 1)"), "python")
    found = tree_distance(one.tree, other.tree)
    assert found.exact
    assert found == tree_distance(one.tree, other.tree, exact_steps=1 << 60)
