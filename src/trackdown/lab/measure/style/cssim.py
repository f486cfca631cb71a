"""CSSim, the code style similarity of ReCo's paper: 1 − (Dis_Var + Dis_API + TED) / 3.

Li, Zhou and Shen, ACL 2024, section 4. Where the paper leaves something open, this is what their program does: edit
distances are divided by the longer name and the larger tree, variables are cut at `_` (without which the example of the
paper's figure 5 does not come out), a called interface is the last part of its dotted name, and a term that does not
exist, because one side has no such name, is left out of the mean. Where their program departs from the paper (it takes
the direction of the larger distance instead of the mean of both, and counts names of functions among variables and
punctuation among the nodes of the tree), this is the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trackdown.lab.measure.style.name_distance import name_distance
from trackdown.lab.measure.style.rarity import Rarity
from trackdown.lab.measure.style.snippet import Names, Snippet
from trackdown.lab.measure.style.tree_distance import EXACT_STEPS, tree_distance


@dataclass(frozen=True, slots=True)
class Weights:
    """How rare the names of variables and of called interfaces are."""

    variables: Rarity
    calls: Rarity


@dataclass(frozen=True, slots=True)
class StyleSimilarity:
    """CSSim and the distances that it is made of, all within [0, 1]; None for one that does not exist.

    Where `tree_exact` is false, `tree` is a lower bound, and CSSim is at most as high as it says.
    """

    value: float
    variables: float | None
    calls: float | None
    tree: float
    tree_exact: bool


def weights_from(corpus: Iterable[Names]) -> Weights:
    """The weights of names by a corpus."""
    snippets = list(corpus)
    return Weights(Rarity(one.variables for one in snippets), Rarity(one.calls for one in snippets))


def cssim(a: Snippet, b: Snippet, weights: Weights, *, exact_steps: int = EXACT_STEPS) -> StyleSimilarity:
    """How alike two snippets are in style; the same both ways, and 1 for a snippet and itself."""
    variables = name_distance(a.names.variables, b.names.variables, weights.variables)
    calls = name_distance(a.names.calls, b.names.calls, weights.calls)
    tree = tree_distance(a.tree, b.tree, exact_steps=exact_steps)
    terms = [term for term in (variables, calls, tree.value) if term is not None]
    return StyleSimilarity(1 - sum(terms) / len(terms), variables, calls, tree.value, tree.exact)
