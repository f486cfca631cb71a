"""Gradient-boosted trees as flat arrays: scores of many candidates at once, and what each feature adds to a score.

A node sends a candidate left if its feature is at most the threshold; a missing value (nan) takes the node's default.
Every node has a value, the mean of the leaves below it. A score is the sum over trees of the leaf's value. So it is
also the sum of the roots' values and of all steps from a node to its child, and each step belongs to one feature. These
parts add up to the score exactly (Saabas, "Interpreting random forests").

Scores come from all tests of all nodes at once: a test that fails rules out the leaves on its left, and a candidate
ends in the first leaf that remains (Lucchese and others, "QuickScorer", SIGIR 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
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
"""A node of a tree. A leaf has feature -1 and leads to itself. A tree's nodes are in order, left before right."""
MOST_LEAVES = 32
_ALL = np.uint32((1 << MOST_LEAVES) - 1)
_TREES_AT_ONCE = 32


@dataclass(frozen=True)
class Trees:
    """All nodes of all trees, and the node that each tree begins with. No path is longer than `depth`."""

    nodes: npt.NDArray[np.void]
    roots: Int64s
    depth: int

    def scores(self, table: Floats) -> Floats:
        """The score of each row of a table of features."""
        # A missing value passes every test where it goes left, and fails it where it goes right.
        both = np.concatenate([np.where(np.isnan(table), low, table) for low in (-np.inf, np.inf)], axis=1).T
        total = np.zeros(len(table))
        for block in self._blocks:
            fails = both[block.columns + np.where(block.missing_left, 0, table.shape[1])] > block.thresholds[:, None]
            left = np.bitwise_and.reduceat(np.where(fails, block.remaining[:, None], _ALL), block.firsts, axis=0)
            first = np.frexp((left & (~left + np.uint32(1))).astype(np.float64))[1] - 1  # its lowest bit
            total += np.take_along_axis(block.leaves, first, axis=1).sum(axis=0)
        return total + self._constant

    def parts(self, table: Floats) -> Floats:
        """What each feature adds to the score of each row; the last column is what every row begins with."""
        found = np.zeros((len(table), table.shape[1] + 1))
        features, values = self.nodes["feature"], self.nodes["value"]
        rows = np.arange(len(table))[:, None]
        node = np.broadcast_to(self.roots, (len(table), len(self.roots)))
        found[:, -1] = values[node].sum(axis=1)
        for _ in range(self.depth):
            following = self._step(table, node)
            np.add.at(found, (rows, features[node]), values[following] - values[node])
            node = following
        return found

    def _step(self, table: Floats, node: Int64s) -> Int64s:
        """The next node of each row in each tree. A leaf stays where it is."""
        here = self.nodes[node]
        values = np.take_along_axis(table, np.maximum(here["feature"], 0).astype(np.int64), axis=1)
        left = np.where(np.isnan(values), here["missing_left"] != 0, values <= here["threshold"])
        return np.where(left, here["left"], here["right"]).astype(np.int64)

    @cached_property
    def _constant(self) -> float:
        """The sum of the trees that are a single leaf."""
        alone = self.nodes["feature"][self.roots] < 0
        return float(self.nodes["value"][self.roots[alone]].sum())

    @cached_property
    def _blocks(self) -> list[_TreeBlock]:
        """The trees that test something, some at a time."""
        ends = np.append(self.roots[1:], len(self.nodes))
        trees = [(int(first), int(end)) for first, end in zip(self.roots, ends, strict=True) if end - first > 1]
        return [_TreeBlock.of(self.nodes, trees[n : n + _TREES_AT_ONCE]) for n in range(0, len(trees), _TREES_AT_ONCE)]


@dataclass(frozen=True, slots=True)
class _TreeBlock:
    """Some trees. `remaining` are the leaves, as bits, that a failed test leaves over; `leaves` has a row a tree."""

    columns: Int64s
    thresholds: Floats
    missing_left: npt.NDArray[np.bool_]
    remaining: npt.NDArray[np.uint32]
    firsts: Int64s
    leaves: Floats

    @staticmethod
    def of(nodes: npt.NDArray[np.void], trees: list[tuple[int, int]]) -> _TreeBlock:
        inner, remaining, firsts = [], [], [0]
        leaves = np.zeros((len(trees), MOST_LEAVES))
        for number, (first, end) in enumerate(trees):
            own = nodes[first:end]
            is_leaf = own["feature"] < 0
            before: Int64s = np.cumsum(is_leaf) - is_leaf
            tests = np.flatnonzero(~is_leaf)
            begin: Int64s = before[tests + 1]
            stop: Int64s = before[own["right"][tests] - first]
            ruled_out = (np.int64(1) << stop) - (np.int64(1) << begin)
            inner.append(own[tests])
            remaining.append(int(_ALL) & ~ruled_out)
            firsts.append(firsts[-1] + len(tests))
            leaves[number, : int(is_leaf.sum())] = own["value"][is_leaf]
        joined = np.concatenate(inner)
        return _TreeBlock(
            joined["feature"].astype(np.int64),
            joined["threshold"].astype(np.float64),
            joined["missing_left"] != 0,
            np.concatenate(remaining).astype(np.uint32),
            np.array(firsts[:-1]),
            leaves,
        )
