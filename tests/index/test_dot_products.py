"""Dot products: integers and floats give the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from trackdown.index.dot_products import dot_products, float_products


@pytest.mark.parametrize("count", [0, 1, 511, 513, 2000])
@pytest.mark.parametrize("dimensions", [8, 256, 1000])
def test_products_are_exact(count: int, dimensions: int) -> None:
    generator = np.random.default_rng(count + dimensions)
    vectors = generator.integers(-127, 128, (2, dimensions), dtype=np.int8)
    rows = generator.integers(-127, 128, (count, dimensions), dtype=np.int8)
    expected = (vectors.astype(np.int64) @ rows.T.astype(np.int64)).tolist()
    assert dot_products(vectors, rows).tolist() == expected
    assert float_products(vectors, rows).tolist() == expected


def test_the_largest_products_are_exact() -> None:
    rows = np.full((600, 1000), -127, dtype=np.int8)
    expected = [[-127 * 127 * 1000] * 600]
    vectors = np.full((1, 1000), 127, dtype=np.int8)
    assert dot_products(vectors, rows).tolist() == float_products(vectors, rows).tolist() == expected
