"""The edit distance of two trees: how many nodes must be inserted, deleted or relabelled to make one into the other.

Zhang and Shasha, "Simple fast algorithms for the editing distance between trees and related problems", SIAM Journal on
Computing 18(6), 1989; ReCo's paper follows Paassen's tutorial of it (2018). It is exact up to a number of steps, about
a second's worth. Beyond, as for functions of hundreds of lines, the distance is bounded from below by the edit
distances of the trees' labels in preorder and in postorder (Guha et al., "Approximate XML joins", SIGMOD 2002), and the
result says so. Packages that have the exact distance are unkept since 2018 (apted, zss) or under a licence that asks
more than ours (edist); tests compare with apted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from trackdown.lab.measure.style.tree import Tree

EXACT_STEPS = 4_000_000


class TreeDistance(NamedTuple):
    """Edits over the nodes of the larger tree, at most 1; and whether they are the fewest, or only a lower bound."""

    value: float
    exact: bool


def tree_distance(a: Tree, b: Tree, *, exact_steps: int = EXACT_STEPS) -> TreeDistance:
    """0 for equal trees, up to 1; the same both ways. More edits than nodes, as from a chain to a star, count as 1."""
    if a == b:
        return TreeDistance(0.0, True)
    exact = _steps(a) * _steps(b) <= exact_steps
    edits = edit_distance(a, b) if exact else lower_bound(a, b)
    return TreeDistance(min(1.0, edits / max(len(a.labels), len(b.labels))), exact)


def lower_bound(a: Tree, b: Tree) -> int:
    """A number of edits that the distance is never below."""
    return max(Levenshtein.distance(a.preorder(), b.preorder()), Levenshtein.distance(a.labels, b.labels))


def edit_distance(a: Tree, b: Tree) -> int:
    """The fewest insertions, deletions and new labels that make one tree into the other."""
    numbers: dict[str, int] = {}
    first = [numbers.setdefault(label, len(numbers)) for label in a.labels]
    second = [numbers.setdefault(label, len(numbers)) for label in b.labels]
    between = [[0] * len(second) for _ in first]
    roots = _key_roots(b)
    for left_root in _key_roots(a):
        for right_root in roots:
            _forests(left_root, right_root, first, second, a.leftmost, b.leftmost, between)
    return between[-1][-1]


def _key_roots(tree: Tree) -> list[int]:
    """Of every leaf, the highest node of which it is the leftmost leaf: the trees that the algorithm compares."""
    return sorted({leaf: place for place, leaf in enumerate(tree.leftmost)}.values())


def _steps(tree: Tree) -> int:
    """The nodes of all trees that are compared; the product of two trees' is what a comparison takes."""
    return sum(root - tree.leftmost[root] + 1 for root in _key_roots(tree))


def _forests(
    left_root: int, right_root: int, first: Sequence[int], second: Sequence[int], left_leaf: Sequence[int],
    right_leaf: Sequence[int], between: list[list[int]],
) -> None:  # fmt: skip
    """Fill in the distances of all pairs of subtrees that begin where these two do."""
    left_start, right_start = left_leaf[left_root], right_leaf[right_root]
    columns = range(right_start, right_root + 1)
    rows = [list(range(right_root - right_start + 2))]
    for i in range(left_start, left_root + 1):
        before, row, known = rows[-1], [i - left_start + 1], between[i]
        whole = left_leaf[i] == left_start
        earlier = rows[left_leaf[i] - left_start]
        last = row[0]
        for column, j in enumerate(columns):
            cost = before[column + 1] if before[column + 1] < last else last
            cost += 1
            if whole and right_leaf[j] == right_start:
                other = before[column] + (first[i] != second[j])
                last = known[j] = other if other < cost else cost
            else:
                other = earlier[right_leaf[j] - right_start] + known[j]
                last = other if other < cost else cost
            row.append(last)
        rows.append(row)
