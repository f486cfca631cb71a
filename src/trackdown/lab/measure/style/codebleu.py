"""CodeBLEU: the mean of BLEU, BLEU with weighted keywords, syntax match and data-flow match.

Ren et al., "CodeBLEU: a method for automatic evaluation of code synthesis", 2020, with a weight of a quarter each, as
the paper recommends. The package `codebleu` needs older grammars than ours, so this follows the paper. Without any data
flow in the reference, the other three terms are averaged. CodeBLEU is not symmetric.

- BLEU is sacrebleu's (Papineni et al., ACL 2002; Chen and Cherry 2014, method 3 of smoothing).
- Syntax match (section 3.2) is the share of the reference's subtrees that the candidate has, by kind of node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from sacrebleu.metrics.bleu import BLEU

from trackdown.lab.measure.style.dataflow import Flow
from trackdown.lab.measure.style.snippet import Snippet
from trackdown.lab.measure.style.syntax import Token, Tree

_SCORER = BLEU(tokenize="none", effective_order=True, force=True)


def bleu(reference: Sequence[Token], candidate: Sequence[Token]) -> float:
    """From 0 to 1: how much of a candidate's runs of one to four tokens the reference has."""
    texts = [" ".join(token.text for token in side) for side in (candidate, reference)]
    return min(1.0, max(0.0, float(_SCORER.sentence_score(texts[0], [texts[1]]).score) / 100))


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


_KEYWORD, _OTHER = 1.0, 0.2
_LONGEST = 4
_SMALL = 0.1


@dataclass(frozen=True, slots=True)
class CodeBleu:
    """CodeBLEU and its four terms, from 0 to 1; `dataflow` is None where the reference has none."""

    value: float
    ngrams: float
    weighted_ngrams: float
    syntax: float
    dataflow: float | None


def codebleu(reference: Snippet, candidate: Snippet) -> CodeBleu:
    """How much a candidate is like a reference, by CodeBLEU."""
    ngrams = bleu(reference.tokens, candidate.tokens)
    weighted = weighted_ngram_match(reference.tokens, candidate.tokens)
    syntax = syntax_match(reference.tree, candidate.tree)
    flow = dataflow_match(reference.flows, candidate.flows)
    terms = [term for term in (ngrams, weighted, syntax, flow) if term is not None]
    return CodeBleu(sum(terms) / len(terms), ngrams, weighted, syntax, flow)


def weighted_ngram_match(reference: Sequence[Token], candidate: Sequence[Token]) -> float:
    """BLEU in which a reserved word of the language counts five times what another token does, among single tokens.

    An order of which nothing matches counts as a tenth of a match, as in the metric's own program.
    """
    logarithms = []
    for order in range(1, min(_LONGEST, len(candidate)) + 1):
        there, wanted = _grams(candidate, order), _grams(reference, order)
        weight = _weight if order == 1 else _alike
        matched = sum(min(count, wanted[gram]) * weight(gram) for gram, count in there.items())
        total = sum(count * weight(gram) for gram, count in there.items())
        logarithms.append(log((matched or min(_SMALL, total)) / total))
    if not logarithms:
        return 0.0
    shortness = min(1.0, exp(1 - len(reference) / len(candidate)))
    return shortness * exp(sum(logarithms) / len(logarithms))


def dataflow_match(reference: Sequence[Flow], candidate: Sequence[Flow]) -> float | None:
    """The share of the reference's flows that the candidate has, each as often; None when the reference has none."""
    if not reference:
        return None
    return (Counter(reference) & Counter(candidate)).total() / len(reference)


def _grams(tokens: Sequence[Token], order: int) -> Counter[tuple[Token, ...]]:
    return Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))


def _weight(gram: tuple[Token, ...]) -> float:
    return _KEYWORD if gram[0].keyword else _OTHER


def _alike(_: tuple[Token, ...]) -> float:
    return 1.0
