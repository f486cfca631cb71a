"""BLEU and ROUGE-L over the tokens of code."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.lab.measure.style.codebleu import bleu
from trackdown.lab.measure.style.scores import rouge_l
from trackdown.lab.measure.style.snippet import read_snippet
from trackdown.lab.measure.style.syntax import Token

TOKENS = st.lists(st.builds(Token, st.sampled_from(["a", "b", "(", "if"]), st.just(False)), min_size=1, max_size=12)


def tokens_of(text: str) -> list[Token]:
    return [Token(word, False) for word in text.split()]


def test_tokens_are_the_leaves_without_comments_and_reserved_words_are_known() -> None:
    found = read_snippet('if x:  # why\n    return f("two words")', "python").tokens
    assert [token.text for token in found] == ["if", "x", ":", "return", "f", "(", '"', "two_words", '"', ")"]
    assert [token.text for token in found if token.keyword] == ["if", "return"]


def test_bleu_by_hand() -> None:
    # of a candidate's 5, 4, 3 and 2 n-grams, 4, 3, 2 and 1 are in the reference; it is one token short
    reference, candidate = tokens_of("a b c d e f"), tokens_of("a b c d x")
    expected = (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25 * exp(1 - 6 / 5)
    assert bleu(reference, candidate) == pytest.approx(expected)


def test_rouge_l_by_hand() -> None:
    # the longest common subsequence is a c d
    assert rouge_l(tokens_of("a b c d"), tokens_of("a c x d y")) == pytest.approx(2 * 3 / 9)
    assert rouge_l(tokens_of("a"), tokens_of("b")) == 0
    assert rouge_l([], []) == 1


@given(TOKENS, TOKENS)
def test_bounds_identity_and_the_symmetry_of_rouge(a: list[Token], b: list[Token]) -> None:
    assert 0 <= bleu(a, b) <= 1 and 0 <= rouge_l(a, b) <= 1
    assert bleu(a, a) == pytest.approx(1) and rouge_l(a, a) == 1
    assert rouge_l(a, b) == rouge_l(b, a)
