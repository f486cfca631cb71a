"""The k-th largest value is exactly that, whatever a sample says."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from trackdown.index.selection import kth_largest


@pytest.mark.parametrize("k", [1, 10, 500])
@pytest.mark.parametrize("count", [500, 4000, 20_000])
def test_it_is_what_sorting_finds(count: int, k: int) -> None:
    generator = np.random.default_rng(count + k)
    cases: list[npt.NDArray[np.float64]] = [
        generator.random(count),
        np.round(generator.random(count), 2),
        np.zeros(count),
        np.arange(count, dtype=np.float64),
    ]
    for values in cases:
        assert kth_largest(values, k) == sorted(values.tolist())[-k]


def test_a_sample_of_large_values_alone_does_not_mislead() -> None:
    values = np.zeros(8000)
    values[::8] = np.arange(1000)
    assert kth_largest(values, 900) == 100.0
    assert kth_largest(values, 1500) == 0.0
