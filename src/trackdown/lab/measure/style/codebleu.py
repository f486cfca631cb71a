"""CodeBLEU: the mean of BLEU, BLEU with reserved words in front, syntax match and data-flow match.

Ren et al., "CodeBLEU: a method for automatic evaluation of code synthesis", 2020, with the weights of a quarter each
that the paper recommends. The package `codebleu` needs grammars older than ours; this is written after the paper. A
reference without any data flow has no such term, and the other three are averaged. Not the same both ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from trackdown.lab.measure.style.bleu import bleu
from trackdown.lab.measure.style.dataflow import Flow
from trackdown.lab.measure.style.snippet import Snippet
from trackdown.lab.measure.style.syntax_match import syntax_match
from trackdown.lab.measure.style.tokens import Token

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
