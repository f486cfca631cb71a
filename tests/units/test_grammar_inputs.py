"""A few of the campaign's pathological sources for each grammar; `make grammars` runs them all."""

from __future__ import annotations

import pytest

from tests.campaign.grammar_inputs import grammar_input, languages
from tests.campaign.grammars import try_inputs

SHAPES = ("parentheses", "block comments", "numbered strings", "tokens")


def test_every_language_has_inputs() -> None:
    from trackdown.units.languages import LANGUAGES

    assert languages() == [language.name for language in LANGUAGES]


@pytest.mark.slow
@pytest.mark.parametrize("language", languages())
def test_hard_sources_are_done_in_time_and_lose_no_word(language: str) -> None:
    outcomes = try_inputs([grammar_input(language, shape, 8_000) for shape in SHAPES])
    assert len(outcomes) == len(SHAPES) and not [outcome for outcome in outcomes if outcome.failure]
