"""How far apart two sets of names are: equations 9 and 10 of ReCo's paper, for variables and for called interfaces.

Li, Zhou and Shen, "Rewriting the Code: A Simple Method for Large Language Model Augmented Code Search", ACL 2024. Every
name looks for the nearest of the other set; those distances are averaged, weighted by rarity, and both directions are
averaged. The edit distance is Levenshtein's over the length of the longer name, which keeps it within [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from trackdown.lab.measure.style.rarity import Rarity


def name_distance(a: Set[str], b: Set[str], rarity: Rarity) -> float | None:
    """0 for equal sets, up to 1; the same both ways. None when either set is empty: no name has a nearest one."""
    if not a or not b:
        return None
    return (_one_way(a, b, rarity) + _one_way(b, a, rarity)) / 2


def _one_way(names: Set[str], others: Set[str], rarity: Rarity) -> float:
    ordered, choices = sorted(names), sorted(others)
    weights = [rarity.weight(name) for name in ordered]
    if not any(weights):
        weights = [1.0] * len(ordered)
    distances = [0.0 if name in others else _nearest(name, choices) for name in ordered]
    return sum(w * d for w, d in zip(weights, distances, strict=True)) / sum(weights)


def _nearest(name: str, choices: Sequence[str]) -> float:
    """The distance to the nearest of the choices, over the length of the longer name."""
    found = process.extractOne(name, choices, scorer=Levenshtein.normalized_distance)
    return float(found[1])
