"""Sources that Hypothesis grows from the words of a real one: nested, repeated and cut, with any text in between."""

from __future__ import annotations

import re
from functools import cache

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from tests.campaign.grammar_inputs import GrammarInput, source_of

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_PAIRS = ("()", "[]", "{}", "<>", '""', "''", "``", ("/*", "*/"), ("begin ", " end"), ("\n    ", "\n"))
_PRESETS = {"php": "<?php "}
_LONGEST = 20_000


@cache
def sources_in(language: str) -> st.SearchStrategy[str]:
    """Texts in a language, or nearly so: its own words and lines, in blocks within blocks."""
    text = source_of(language).decode("utf-8", "replace")
    words, lines = sorted(set(_WORDS.findall(text))), sorted(set(text.splitlines(keepends=True)))
    leaves = st.one_of(
        st.sampled_from(words),
        st.sampled_from(lines),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12),
    )

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.lists(inner, min_size=1, max_size=8).map("".join),
            st.lists(inner, min_size=2, max_size=6).map(" ".join),
            st.tuples(st.sampled_from(_PAIRS), inner).map(lambda found: found[0][0] + found[1] + found[0][1]),
            st.tuples(st.sampled_from(_PAIRS), inner).map(lambda found: found[0][0] + found[1]),
            st.tuples(inner, st.integers(2, 60)).map(lambda found: (found[0] * found[1])[:_LONGEST]),
            st.tuples(st.sampled_from(lines), inner).map("".join),
        )

    start = _PRESETS.get(language, "")
    return st.recursive(leaves, grown, max_leaves=60).map(lambda text: start + text[:_LONGEST])


def hypothesis_sources(language: str, seed: int, count: int) -> list[GrammarInput]:
    """Sources of a language; the same seed gives the same ones."""
    found: list[str] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(sources_in(language))
    def gather(text: str) -> None:
        found.append(text)

    gather()
    return [_as_input(language, number, text) for number, text in enumerate(found[:count])]


def _as_input(language: str, number: int, text: str) -> GrammarInput:
    data = text.encode() + b"\n" * 20
    return GrammarInput(language, f"grown {number}", len(data), data)
