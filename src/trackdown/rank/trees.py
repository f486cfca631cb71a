"""Gradient-boosted trees as flat arrays: scores of many candidates at once, and what each feature adds to a score.

A node sends a candidate left if its feature is at most the threshold; a missing value (nan) takes the node's default.
Every node has a value, the mean of the leaves below it. A score is the sum over trees of the leaf's value. So it is
also the sum of the roots' values and of all steps from a node to its child, and each step belongs to one feature. These
parts add up to the score exactly (Saabas, "Interpreting random forests").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
NODE = np.dtype(
    [
        ("feature", "<i2"),
        ("missing_left", "<i2"),
        ("left", "<i4"),
        ("right", "<i4"),
        ("threshold", "<f8"),
        ("value", "<f8"),
    ]
)
"""A node of a tree. A leaf has feature -1 and leads to itself."""
_TREES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Trees:
    """All nodes of all trees, and the node that each tree begins with. No path is longer than `depth`."""

    nodes: npt.NDArray[np.void]
    roots: npt.NDArray[np.int64]
    depth: int

    def scores(self, table: Floats) -> Floats:
        """The score of each row of a table of features."""
        total = np.zeros(len(table))
        values = self.nodes["value"]
        for start in range(0, len(self.roots), _TREES_AT_ONCE):
            node = self._start(len(table), start)
            for _ in range(self.depth):
                node = self._step(table, node)
            total += values[node].sum(axis=1)
        return total

    def parts(self, table: Floats) -> Floats:
        """What each feature adds to the score of each row; the last column is what every row begins with."""
        found = np.zeros((len(table), table.shape[1] + 1))
        features, values = self.nodes["feature"], self.nodes["value"]
        rows = np.arange(len(table))[:, None]
        for start in range(0, len(self.roots), _TREES_AT_ONCE):
            node = self._start(len(table), start)
            found[:, -1] += values[node].sum(axis=1)
            for _ in range(self.depth):
                following = self._step(table, node)
                np.add.at(found, (rows, features[node]), values[following] - values[node])
                node = following
        return found

    def _start(self, count: int, first: int) -> npt.NDArray[np.int64]:
        roots = self.roots[first : first + _TREES_AT_ONCE]
        return np.broadcast_to(roots, (count, len(roots)))

    def _step(self, table: Floats, node: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The next node of each row in each tree. A leaf stays where it is."""
        here = self.nodes[node]
        values = np.take_along_axis(table, np.maximum(here["feature"], 0).astype(np.int64), axis=1)
        left = np.where(np.isnan(values), here["missing_left"] != 0, values <= here["threshold"])
        return np.where(left, here["left"], here["right"]).astype(np.int64)
