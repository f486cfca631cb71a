"""What a model said, in words that fit its number."""

from __future__ import annotations

import numpy as np
import pytest

from trackdown.rerank.plan import CODE
from trackdown.rerank.result import Reranking


@pytest.mark.parametrize(
    ("logit", "others", "text", "telling"),
    [
        (3.0, (0.0, 0.0, -1.0), "a model that read it finds it very relevant", True),
        (1.0, (2.5, 0.0, -1.0), "a model that read it finds it relevant", True),
        (1.0, (2.5, 2.0, 2.0), "a model that read it finds others more relevant", False),
        (-1.33, (-4.0, -5.0, -4.0), "a model that read it is doubtful, but less than about others", False),
        (-4.0, (-1.0, 2.0, -4.0), "a model that read it finds others more relevant", False),
    ],
)
def test_words_of_the_code_reranker_fit_its_logit(
    logit: float, others: tuple[float, ...], text: str, telling: bool
) -> None:
    values = np.array([logit, *others])
    places = list(range(len(values)))
    before = {place: place for place in places}
    reranking = Reranking(places, 1.0, {CODE: values}, {CODE: values}, before=before)
    match = reranking.matches(0, 1, None)[CODE]
    assert (match.text, match.telling, match.numbers["logit"]) == (text, telling, logit)
