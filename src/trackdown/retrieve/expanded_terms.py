"""The terms of a query together with their other forms, as far as an index contains them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trackdown.index import FormGroups
from trackdown.query import other_forms

Known = Callable[[Sequence[str]], Sequence[bool]]
"""Which of some terms an index contains."""


@dataclass(frozen=True, slots=True)
class ExpandedTerms:
    """Terms to search for and their weights. `forms` says which stand for the same word; None if each is a word."""

    terms: list[str]
    weights: list[float]
    forms: FormGroups | None


def exact_terms(weights: Mapping[str, float]) -> ExpandedTerms:
    """The terms alone."""
    return ExpandedTerms(list(weights), list(weights.values()), None)


def expanded_terms(weights: Mapping[str, float], known: Known) -> ExpandedTerms:
    """The terms with their other forms. A form of several terms stands for the one with the highest weight."""
    claims: dict[str, tuple[float, float, int]] = {}
    for place, (term, weight) in enumerate(weights.items()):
        for form, share in other_forms(term):
            claim = (weight, share, -place)
            if form not in weights and claim > claims.get(form, (0.0, 0.0, 0)):
                claims[form] = claim
    candidates = list(claims)
    found = [form for form, is_known in zip(candidates, known(candidates), strict=True) if is_known]
    if not found:
        return exact_terms(weights)
    heads = [*range(len(weights)), *(-claims[form][2] for form in found)]
    shares = [*[1.0] * len(weights), *(claims[form][1] for form in found)]
    return ExpandedTerms(
        [*weights, *found],
        [*weights.values(), *(claims[form][0] for form in found)],
        FormGroups(np.array(heads, dtype=np.int64), np.array(shares)),
    )
