"""ROUGE-L: the longest common subsequence of tokens, as a share of both sides.

Lin, "ROUGE: a package for automatic evaluation of summaries", 2004, with precision and recall weighing the same, so
that it is the same both ways. The subsequence is rapidfuzz's.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from trackdown.lab.measure.style.tokens import Token


def rouge_l(a: Sequence[Token], b: Sequence[Token]) -> float:
    """From 0 to 1: the F-measure of the longest common subsequence; 1 when both are empty."""
    if not a and not b:
        return 1.0
    common = LCSseq.similarity([token.text for token in a], [token.text for token in b])
    return 2 * common / (len(a) + len(b))
