"""CodeBLEU and its terms, by hand."""

from __future__ import annotations

from math import exp

import pytest

from trackdown.lab.measure.style.codebleu import codebleu, dataflow_match, syntax_match, weighted_ngram_match
from trackdown.lab.measure.style.dataflow import Flow, dataflow
from trackdown.lab.measure.style.snippet import read_snippet
from trackdown.lab.measure.style.syntax import Token
from trackdown.units import syntax_tree


def flows(code: str, language: str = "python") -> list[tuple[int, str, int]]:
    return [(flow.to, flow.how, flow.source) for flow in dataflow(syntax_tree(code.encode(), language))]


def test_a_reserved_word_counts_five_times_another_token() -> None:
    reference = [Token("return", True), Token("x", False)]
    candidate = [Token("return", True), Token("y", False)]
    other = [Token("give", False), Token("x", False)]
    # single tokens: 1 of 1.2, and 0.2 of 0.4; no pair matches, which counts a tenth of one
    assert weighted_ngram_match(reference, candidate) == pytest.approx((1 / 1.2 * 0.1) ** 0.5)
    assert weighted_ngram_match(reference, other) == pytest.approx((0.2 / 0.4 * 0.1) ** 0.5)


def test_a_candidate_that_is_too_short_pays_for_it() -> None:
    reference = [Token(text, False) for text in "abcd"]
    assert weighted_ngram_match(reference, reference[:2]) == pytest.approx(exp(1 - 4 / 2))


def test_values_flow_from_what_is_read_to_what_is_bound() -> None:
    # b is a parameter and read; a is computed from b; then a is read
    assert flows("def f(b):\n    a = b\n    return a\n") == [(0, "comes", 0), (1, "computed", 0), (1, "comes", 1)]
    assert flows("x = 1\n") == []
    assert flows("int f(int b) { int a = b; return a; }", "java") == [
        (0, "comes", 0),
        (1, "computed", 0),
        (1, "comes", 1),
    ]


def test_a_binding_takes_effect_behind_its_own_side() -> None:
    # the first x on the right is not bound yet, the second is
    assert flows("x = x\nx = x\n") == [(0, "computed", 0), (0, "comes", 0), (0, "computed", 0)]


def test_loops_bind_what_runs_through_them() -> None:
    assert flows("def f(rows):\n    for row in rows:\n        g(row)\n") == [
        (0, "comes", 0),
        (1, "computed", 0),
        (1, "comes", 1),
    ]


def test_data_flow_does_not_mind_what_things_are_called() -> None:
    one = read_snippet("def f(rows):\n    total = sum(rows)\n    return total\n", "python")
    other = read_snippet("def g(numbers):\n    result = sum(numbers)\n    return result\n", "python")
    assert one.flows == other.flows
    assert codebleu(one, other).dataflow == codebleu(one, other).syntax == 1


def test_each_flow_of_the_reference_is_found_once() -> None:
    step = Flow(0, "comes", 0)
    assert dataflow_match([step, step, Flow(1, "computed", 0)], [step, Flow(2, "comes", 2)]) == pytest.approx(1 / 3)
    assert dataflow_match([], [step]) is None


def test_subtrees_of_the_reference_are_looked_up_in_the_candidate() -> None:
    reference = read_snippet("x = f(y)\nz = 1\n", "python").tree
    # module, two statements, two assignments, call and its arguments: 7. `z = 1` and `f(y)` are in the candidate:
    # statement and assignment, call and arguments
    candidate = read_snippet("a = 2\nreturn f(b)\n", "python").tree
    assert syntax_match(reference, candidate) == pytest.approx(4 / 7)


def test_without_data_flow_the_other_three_are_averaged() -> None:
    one, other = (read_snippet(code, "python") for code in ("print(1)", "print(2)"))
    found = codebleu(one, other)
    assert found.dataflow is None
    assert found.value == pytest.approx((found.ngrams + found.weighted_ngrams + found.syntax) / 3)
    assert codebleu(one, one).value == pytest.approx(1)
