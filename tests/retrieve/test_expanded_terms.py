"""The terms of a query with their other forms, and what those count."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.index.segments import index_of
from trackdown.index.code import CodeIndex
from trackdown.retrieve.expanded_terms import ExpandedTerms, expanded_terms
from trackdown.retrieve.lexical import Lexical

WORDS = ("sign", "signing", "signed", "signer", "evict", "eviction", "config", "configuration")


def source(*words: str) -> str:
    """A function whose body is these words; all have the same length and neutral names."""
    return f"def f(x):\n    return {' + '.join(words)}\n"


def index_with(*bodies: tuple[str, ...]) -> CodeIndex:
    return index_of({f"m{number}.py": source(*words) for number, words in enumerate(bodies)})


def scores(index: CodeIndex, weights: Mapping[str, float], *, with_forms: bool = True) -> list[float]:
    """The score of the function in each file."""
    found = Lexical(index, weights, with_forms=with_forms).units
    return [float(found[next(iter(index.units_of(file)))]) for file in range(len(index.file_alive))]


def known(*words: str) -> ExpandedTerms:
    return expanded_terms({"sign": 1.0}, lambda wanted: [word in words for word in wanted])


def test_only_forms_that_the_index_contains_are_added() -> None:
    assert known("signing", "signed", "resign").terms == ["sign", "signed", "signing"]
    assert known().forms is None


def test_a_form_stands_for_the_heaviest_of_its_words_and_never_replaces_one() -> None:
    found = expanded_terms(
        {"sign": 1.0, "signs": 2.0, "signing": 1.0}, lambda wanted: [word == "signed" for word in wanted]
    )
    assert found.terms == ["sign", "signs", "signing", "signed"] and found.weights == [1.0, 2.0, 1.0, 2.0]
    assert found.forms is not None and found.forms.heads.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize(("asked", "there"), [("sign", "signing"), ("evict", "eviction"), ("configuration", "config")])
def test_another_form_is_found_where_the_exact_word_is_not(asked: str, there: str) -> None:
    index = index_with((there, "other"), ("nothing", "other"))
    assert scores(index, {asked: 1.0}, with_forms=False) == [0.0, 0.0]
    found, missed = scores(index, {asked: 1.0})
    assert found > 0 == missed


@pytest.mark.parametrize("common", [0, 1, 5])
def test_an_exact_match_ranks_ahead_of_other_forms_however_rare_they_are(common: int) -> None:
    exact = [("sign", "other")] * common
    index = index_with(("sign", "other"), ("signing", "other"), ("signed", "signer"), *exact)
    first, *rest = scores(index, {"sign": 1.0})
    assert first > max(rest[:2]) and min(rest[:2]) > 0


def test_a_document_with_many_forms_scores_below_one_with_the_exact_word_as_often() -> None:
    index = index_with(("sign",) * 4, ("signing", "signed", "signer", "signs"), ("nothing",) * 4)
    exact, forms, _ = scores(index, {"sign": 1.0})
    assert exact > forms > 0


def test_scores_of_words_without_forms_in_the_index_are_those_of_plain_bm25() -> None:
    index = index_with(("alpha", "beta"), ("beta", "gamma"))
    weights = {"alpha": 1.0, "beta": 2.0}
    assert scores(index, weights) == scores(index, weights, with_forms=False)


def test_matches_name_the_form_that_was_found_and_add_up() -> None:
    index = index_with(("signing", "signed", "sign"), ("other",))
    found = Lexical(index, {"sign": 1.0}, with_forms=True)
    unit = next(iter(index.units_of(0)))
    (match,) = found.matches([unit])
    assert set(match.numbers) == {"sign", "signing", "signed"}
    assert np.isclose(sum(match.numbers.values()), found.units[unit])
