"""CSSim: the example of its paper, its terms, and what a similarity must be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lab.measure.style.made_code import BY_A_SET, BY_SLICES, FIRST_DUPLICATE, java_code, python_code
from trackdown.lab.measure.style.cssim import cssim, weights_from
from trackdown.lab.measure.style.scores import style_scores
from trackdown.lab.measure.style.snippet import read_snippet


def test_the_paper_s_example_comes_out_as_published() -> None:
    """Figure 5: CSSim prefers the exemplar that works as the true code does, and every other metric the first one."""
    true, slices, by_set = (read_snippet(code, "python") for code in (FIRST_DUPLICATE, BY_SLICES, BY_A_SET))
    weights = weights_from([true.names, slices.names, by_set.names])
    first = style_scores(true, slices, weights).metrics()
    second = style_scores(true, by_set, weights).metrics()
    assert first["CSSim"] < second["CSSim"]
    for name in ("CodeBLEU", "ROUGE-L", "BLEU"):
        assert first[name] > second[name]


def test_it_is_one_minus_the_mean_of_its_three_distances() -> None:
    a, b = (read_snippet(code, "python") for code in ("total = len(rows)", "totals = sum(rows)"))
    found = cssim(a, b, weights_from([]))
    # total ↔ totals: 1 of 6, rows ↔ rows: 0. len ↔ sum: no sign in place. Both trees are the same.
    assert found.variables == pytest.approx((1 / 6 + 0) / 2)
    assert found.calls == pytest.approx(1.0)
    assert (found.tree, found.tree_exact) == (0.0, True)
    assert found.value == pytest.approx(1 - (1 / 12 + 1 + 0) / 3)


def test_a_term_that_one_side_lacks_is_left_out_of_the_mean() -> None:
    a, b = (read_snippet(code, "python") for code in ("x = y + 1", "x = f(y)"))
    found = cssim(a, b, weights_from([]))
    assert found.calls is None and found.variables == 0
    assert found.value == pytest.approx(1 - (0 + found.tree) / 2)


def test_rare_names_of_a_corpus_weigh_more_than_common_ones() -> None:
    a, b = (read_snippet(code, "python") for code in ("i = price", "i = quux_"))
    common = [read_snippet(f"i = other{number}", "python").names for number in range(20)]
    by_corpus = cssim(a, b, weights_from([*common, a.names, b.names]))
    by_themselves = cssim(a, b, weights_from([a.names, b.names]))
    assert by_corpus.variables is not None and by_themselves.variables is not None
    assert by_corpus.variables > by_themselves.variables


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from(["python", "java"]))
def test_it_is_bounded_symmetric_and_one_for_the_same(data: st.DataObject, language: str) -> None:
    strategy = python_code() if language == "python" else java_code()
    a, b = (read_snippet(data.draw(strategy), language) for _ in range(2))
    weights = weights_from([a.names, b.names])
    found = cssim(a, b, weights)
    assert 0 <= found.value <= 1
    assert found == cssim(b, a, weights)
    assert cssim(a, a, weights).value == 1.0


@settings(deadline=None, max_examples=60)
@given(python_code(), python_code())
def test_all_metrics_are_bounded_and_one_for_the_same(a: str, b: str) -> None:
    one, other = read_snippet(a, "python"), read_snippet(b, "python")
    weights = weights_from([one.names, other.names])
    for value in style_scores(one, other, weights).metrics().values():
        assert 0 <= value <= 1
    for value in style_scores(one, one, weights).metrics().values():
        assert value == pytest.approx(1.0)


@settings(deadline=None)
@given(python_code())
def test_blanks_and_comments_change_nothing(code: str) -> None:
    other = "# a comment\n\n" + code.replace(" = ", "  =  ").replace("\n", "   \r\n")
    assert read_snippet(code, "python") == read_snippet(other, "python")
