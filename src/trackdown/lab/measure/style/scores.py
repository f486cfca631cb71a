"""All metrics of style for one pair of snippets."""

from __future__ import annotations

from dataclasses import dataclass

from trackdown.lab.measure.style.codebleu import CodeBleu, codebleu
from trackdown.lab.measure.style.cssim import StyleSimilarity, Weights, cssim
from trackdown.lab.measure.style.rouge_l import rouge_l
from trackdown.lab.measure.style.snippet import Snippet


@dataclass(frozen=True, slots=True)
class StyleScores:
    """CSSim and what it is compared with. BLEU and CodeBLEU take the first snippet as the reference."""

    cssim: StyleSimilarity
    bleu: float
    rouge_l: float
    codebleu: CodeBleu

    def metrics(self) -> dict[str, float]:
        """One number for each metric, by the name that papers give it."""
        return {
            "CSSim": self.cssim.value,
            "CodeBLEU": self.codebleu.value,
            "ROUGE-L": self.rouge_l,
            "BLEU": self.bleu,
        }


def style_scores(reference: Snippet, candidate: Snippet, weights: Weights) -> StyleScores:
    """Compare two snippets by every metric."""
    code = codebleu(reference, candidate)
    return StyleScores(
        cssim(reference, candidate, weights), code.ngrams, rouge_l(reference.tokens, candidate.tokens), code
    )
