"""CodeBLEU's syntax match: the share of a reference's subtrees that stand in the candidate as well.

Ren et al. 2020, section 3.2. Subtrees are compared whole, by kind of node and not by names; leaves alone do not count.
"""

from __future__ import annotations

from trackdown.lab.measure.style.tree import Tree


def syntax_match(reference: Tree, candidate: Tree) -> float:
    """From 0 to 1; a reference that is one leaf is compared as that."""
    numbers: dict[tuple[str, tuple[int, ...]], int] = {}
    wanted, there = _subtrees(reference, numbers), set(_subtrees(candidate, numbers))
    return sum(number in there for number in wanted) / len(wanted)


def _subtrees(tree: Tree, numbers: dict[tuple[str, tuple[int, ...]], int]) -> list[int]:
    """A number for every subtree that is more than a leaf, and for the whole: equal subtrees have the same."""
    own: list[int] = []
    found = []
    for place, label in enumerate(tree.labels):
        below = []
        child = place - 1
        while child >= tree.leftmost[place]:
            below.append(own[child])
            child = tree.leftmost[child] - 1
        own.append(numbers.setdefault((label, tuple(below)), len(numbers)))
        if below or place == len(tree.labels) - 1:
            found.append(own[place])
    return found
