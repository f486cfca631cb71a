"""A query's vector as whole numbers in two int8 halves, and its cosines with int8 rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from trackdown.index.dot_products import dot_products

Floats = npt.NDArray[np.float64]
Int8s = npt.NDArray[np.int8]
Scales = npt.NDArray[np.float32]
LARGEST = 127
_HALF = 128
_ROUNDING = 1.001


class QueryVector:
    """A vector that is not zero. Its numbers are `upper` × 128 + `lower`, and every product with a row is exact."""

    def __init__(self, vector: npt.NDArray[np.float32]) -> None:
        whole = np.rint(vector.astype(np.float64) * (LARGEST * _HALF / float(np.abs(vector).max())))
        upper = np.rint(whole / _HALF)
        lower = whole - _HALF * upper
        self._halves: Int8s = np.stack([upper, lower]).astype(np.int8)
        self._scale = 1.0 / np.linalg.norm(whole)
        self.margin = float(np.linalg.norm(lower) * self._scale) * _ROUNDING
        """How far a rough cosine may be from the exact one: a product is at most the product of both lengths."""

    def cosines(self, rows: Int8s, scales: Scales) -> Floats:
        """The cosine with each row; `scales` make rows vectors of length 1."""
        products = dot_products(self._halves, rows)
        cosines: Floats = products[0]
        cosines *= _HALF
        cosines += products[1]
        cosines *= self._scale
        cosines *= scales
        return cosines

    def rough_cosines(self, rows: Int8s, scales: Scales) -> Floats:
        """The cosine with each row to within the margin, in half the time."""
        cosines: Floats = dot_products(self._halves[:1], rows)[0]
        cosines *= _HALF * self._scale
        cosines *= scales
        return cosines
