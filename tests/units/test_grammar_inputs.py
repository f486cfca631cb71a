"""A few of the campaign's pathological sources for each grammar; `make grammars` runs them all."""

from __future__ import annotations

import pytest

from tests.campaign.grammar_inputs import grammar_input, languages
from tests.campaign.grammars import try_input

SHAPES = ("parentheses", "block comments", "numbered strings", "tokens")


def test_every_language_has_inputs() -> None:
    from trackdown.units.languages import LANGUAGES

    assert languages() == [language.name for language in LANGUAGES]


@pytest.mark.slow
@pytest.mark.parametrize("language", languages())
def test_hard_sources_are_done_in_time_and_lose_no_word(language: str) -> None:
    for shape in SHAPES:
        outcome = try_input(grammar_input(language, shape, 8_000))
        assert not outcome.failure, outcome
