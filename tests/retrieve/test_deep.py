"""The deep channel: exact cosines of all units, silence until it is complete, and its place in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tests.index.segments import corpus_of, index_of
from trackdown.index import TimeLeft
from trackdown.index.segmented_vectors import SegmentedVectors, as_whole_numbers
from trackdown.query.parse import understand
from trackdown.retrieve import deep
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.channel import Channel, Request
from trackdown.types import DeepState, Level

FILES = {"a.py": "\n\n".join(f"def f{number}():\n    return {number}\n" for number in range(300)), "b.py": "x = 1\n"}
ANGLES = np.linspace(0.0, 1.0, 301)
"""The angle of each unit's vector: f0 is what the query means, and each later function is further from it."""
Floats = npt.NDArray[np.float32]


class Given:
    """A deep index with vectors of our own."""

    def __init__(self, *, ready: bool = True, query: Floats | None = None) -> None:
        self.asked: list[tuple[str, Sequence[str]]] = []
        self._ready = ready
        self._query = query

    def state_if_any(self) -> DeepState:
        return DeepState(self._ready, 301 if self._ready else 300, 301)

    def complete(self, time: TimeLeft) -> bool:
        return False

    def vectors(self) -> SegmentedVectors | None:
        rows = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)
        return SegmentedVectors([as_whole_numbers(rows)]) if self._ready else None

    def query_vector(self, text: str, exemplars: Sequence[str]) -> Floats | None:
        self.asked.append((text, exemplars))
        return self._query


ALONG = np.array([1, 0], np.float32)


def found(given: Given | None, level: Level = "function") -> Channel | None:
    code = index_of(FILES)
    corpus = replace(corpus_of(code, None), deep=given)
    return deep.retrieve(Request(corpus, candidates(code, level), understand("what it means")), [])


def test_the_nearest_units_score_by_their_cosines() -> None:
    given = Given(query=ALONG)
    channel = found(given)
    assert channel is not None and channel.signal == "deep" and given.asked == [("what it means", ())]
    assert np.argmax(channel.scores) == 0 and (np.diff(channel.scores[:100]) <= 0).all()
    assert 190 <= np.count_nonzero(channel.scores) < deep.DEPTH  # the last of the nearest scores 0
    bar = np.cos(ANGLES[deep.DEPTH - 1])
    assert abs(channel.scores[10] - (np.cos(ANGLES[10]) - bar)) < 0.01


def test_words_tell_how_near_it_is_of_all_code() -> None:
    channel = found(Given(query=ALONG))
    assert channel is not None
    texts = [match.text for match in channel.reasons([0, 30, 150])]
    assert len(set(texts)) == 3 and all("meaning" in text and "all the code" in text for text in texts)
    assert abs(channel.reasons([0])[0].numbers["cosine"] - 1) < 0.01


def test_a_file_scores_by_its_units() -> None:
    channel = found(Given(query=ALONG), "file")
    assert channel is not None and channel.scores[0] > 0 and channel.scores[1] == 0


def test_it_says_nothing_unless_it_is_complete_and_there_is_an_encoder() -> None:
    assert found(None) is None
    assert found(Given(ready=False, query=ALONG)) is None
    assert found(Given(query=None)) is None
    assert found(Given(query=np.zeros(2, np.float32))) is None
