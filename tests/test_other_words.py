"""Questions in other words than the code's: the deep index decides where words find little, and only there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from tests.index.segments import corpus_of, index_of
from trackdown.index import Corpus, TimeLeft
from trackdown.index.segmented_vectors import SegmentedVectors, as_whole_numbers
from trackdown.pipeline.cascade import fused_candidates, search
from trackdown.pipeline.plan import SearchPlan
from trackdown.pipeline.reranking import trust_in_words
from trackdown.query import understand
from trackdown.types import DeepState

FILES = {
    "evict.py": "def drop_oldest(cache):\n    cache.pop()\n",
    "report.py": "def print_things(page):\n    fit(page)\n",
    "limits.py": "def refuse(name):\n    raise E(f'no room for {name} in that shelf')\n",
    "session.py": "def sign_cookie(session):\n    return session\n",
}
PROSE = "where do we throw away victims until things fit again and memory is below its ceiling?"
COVERED = "sign the session cookie"
MESSAGE = "no room for seven in that shelf, again and again, nobody knows why, nor since when, nor who could help"
WEIGHTS = (("lexical", 1.0), ("messages", 2.0), ("deep", 0.5))
Floats = npt.NDArray[np.float32]


class ReadAhead:
    """A deep index in which every query means what the first function does."""

    def state_if_any(self) -> DeepState:
        return DeepState(True, len(FILES), len(FILES))

    def complete(self, time: TimeLeft) -> bool:
        return False

    def vectors(self) -> SegmentedVectors:
        return SegmentedVectors([as_whole_numbers(np.array([[1, 0], *[[0.6, 0.8]] * 3], np.float32))])

    def query_vector(self, text: str, exemplars: Sequence[str]) -> Floats:
        return np.array([1, 0], np.float32)


@pytest.fixture
def corpus() -> Corpus:
    return replace(corpus_of(index_of(FILES), None), deep=ReadAhead())


def first(corpus: Corpus, text: str) -> str:
    found = search(corpus, understand(text), SearchPlan(weights=WEIGHTS, deep=True))
    return corpus.code.symbol(found[0].unit)


def test_the_deep_index_decides_where_words_find_little(corpus: Corpus) -> None:
    assert first(replace(corpus, deep=None), PROSE) == "print_things"
    assert first(corpus, PROSE) == "drop_oldest"


def test_words_decide_where_they_find_the_question(corpus: Corpus) -> None:
    assert first(corpus, COVERED) == "sign_cookie"


@pytest.mark.parametrize(
    ("text", "has_deep", "beyond"),
    [
        (PROSE, True, 1.0),
        (PROSE, False, 0.0),
        (COVERED, True, 0.0),
        (f"A title\n{PROSE}", True, 0.0),
        (MESSAGE, True, 0.0),
    ],
)
def test_how_far_a_question_is_beyond_the_words(corpus: Corpus, text: str, has_deep: bool, beyond: float) -> None:
    query = understand(text)
    fused = fused_candidates(
        corpus if has_deep else replace(corpus, deep=None), query, SearchPlan(weights=WEIGHTS, deep=True)
    )
    assert fused.other_words == pytest.approx(beyond)
    assert trust_in_words(query, fused, 2) == pytest.approx(4.0 if text == MESSAGE else 8.0**beyond)
