"""Reading snippets: every language, flaws, and what is no code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import calls_of
from trackdown.errors import UsageError
from trackdown.lab.measure.style.cssim import weights_from
from trackdown.lab.measure.style.scores import style_scores
from trackdown.lab.measure.style.snippet import read_snippet
from trackdown.units.languages import BY_NAME


@pytest.mark.parametrize("language", sorted(BY_NAME))
def test_every_language_with_a_grammar_is_read_and_is_like_itself(language: str) -> None:
    opening = "<?php\n" if language == "php" else ""
    found = read_snippet(opening + "f(a, b)\n", language)
    scores = style_scores(found, found, weights_from([found.names]))
    assert all(value == pytest.approx(1) for value in scores.metrics().values())
    assert len(found.tokens) >= 3 and len(found.tree.labels) >= 3


@pytest.mark.parametrize("text", ["", " \n\t", "# only a comment\n"])
def test_no_code_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"draft\.py has no code"):
        read_snippet(text, "python", "draft.py")


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no grammar for 'cobol'.*java.*python"):
        read_snippet("MOVE A TO B", "cobol")


def test_a_flaw_has_its_line() -> None:
    assert read_snippet("a = 1\n", "python").flaw == 0
    assert read_snippet("a = 1\nb = 2\nc = (3 +\n", "python").flaw == 3


@settings(deadline=None)
@given(st.text(max_size=80), st.sampled_from(["python", "java", "ruby"]))
def test_any_text_is_compared_or_refused(text: str, language: str) -> None:
    try:
        found = read_snippet(text, language)
    except UsageError:
        return
    for value in style_scores(found, found, weights_from([found.names])).metrics().values():
        assert value == pytest.approx(1)


def test_deep_nesting_and_long_chains_take_linear_time() -> None:
    def nested(count: int) -> str:
        return "x = " + "(" * count + "y" + ")" * count

    def chained(count: int) -> str:
        return "x = " + " + ".join(["y"] * count)

    def reading(text: str) -> int:
        return calls_of(lambda: read_snippet(text, "python"))

    assert reading(nested(1000)) < 3 * reading(nested(500))
    assert reading(chained(4000)) < 3 * reading(chained(2000))
    deep, long = read_snippet(nested(2000), "python"), read_snippet(chained(10_000), "python")
    assert deep.names.variables == long.names.variables == {"x", "y"}
