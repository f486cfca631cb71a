"""What kind of query it is, in numbers."""

from __future__ import annotations

import pytest

from trackdown.query.features import QUERY_FEATURES, query_features
from trackdown.query.parse import understand

TRACEBACK = 'It fails:\n  File "src/app.py", line 12, in run\nValueError: no cookie'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cookie is lost", (0.0, 0.0, 0.0)),
        ("QuerySet.filter is slow", (0.0, 1.0, 0.0)),
        ("look into src/app.py", (0.0, 1.0, 0.0)),
        (TRACEBACK, (0.0, 1.0, 1.0)),
        ("lost cookie " * 60, (1.0, 0.0, 0.0)),
    ],
)
def test_long_code_and_traceback(text: str, expected: tuple[float, ...]) -> None:
    found = query_features(understand(text))
    assert (found["long"], found["code"], found["traceback"]) == expected


def test_words_are_counted_by_logarithm_up_to_a_limit() -> None:
    values = [query_features(understand("word " * count))["words"] for count in (1, 10, 200, 5000)]
    assert 0 < values[0] < values[1] < values[2] == values[3] == 1.0


def test_every_feature_has_its_name_and_lies_between_0_and_1() -> None:
    found = query_features(understand(TRACEBACK))
    assert tuple(found) == QUERY_FEATURES and all(0 <= value <= 1 for value in found.values())
