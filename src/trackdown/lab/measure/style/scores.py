"""ROUGE-L, and all style metrics for one pair of snippets.

ROUGE-L: Lin, "ROUGE: a package for automatic evaluation of summaries", 2004, with precision and recall weighted the
same, so that it is symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from trackdown.lab.measure.style.codebleu import CodeBleu, codebleu
from trackdown.lab.measure.style.cssim import NameWeights, StyleSimilarity, cssim
from trackdown.lab.measure.style.snippet import Snippet
from trackdown.lab.measure.style.syntax import Token


def rouge_l(a: Sequence[Token], b: Sequence[Token]) -> float:
    """From 0 to 1: the F-measure of the longest common subsequence; 1 when both are empty."""
    if not a and not b:
        return 1.0
    common = LCSseq.similarity([token.text for token in a], [token.text for token in b])
    return 2 * common / (len(a) + len(b))


@dataclass(frozen=True, slots=True)
class StyleScores:
    """CSSim and what it is compared with. BLEU and CodeBLEU take the first snippet as the reference."""

    cssim: StyleSimilarity
    bleu: float
    rouge_l: float
    codebleu: CodeBleu

    def metrics(self) -> dict[str, float]:
        """One number for each metric, by the name that papers give it."""
        return {"CSSim": self.cssim.value, "CodeBLEU": self.codebleu.value, "ROUGE-L": self.rouge_l, "BLEU": self.bleu}


def style_scores(reference: Snippet, candidate: Snippet, weights: NameWeights) -> StyleScores:
    """Compare two snippets by every metric."""
    code = codebleu(reference, candidate)
    return StyleScores(
        cssim(reference, candidate, weights), code.ngrams, rouge_l(reference.tokens, candidate.tokens), code
    )
