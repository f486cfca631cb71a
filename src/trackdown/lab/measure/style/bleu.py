"""BLEU of one snippet against another, by sacrebleu.

Papineni et al., "BLEU: a method for automatic evaluation of machine translation", ACL 2002; smoothed for single pairs
as sacrebleu does (Chen and Cherry 2014, method 3, orders that a short text lacks left out). Not the same both ways.
"""

from __future__ import annotations

from collections.abc import Sequence

from sacrebleu.metrics.bleu import BLEU

from trackdown.lab.measure.style.tokens import Token

_SCORER = BLEU(tokenize="none", effective_order=True, force=True)


def bleu(reference: Sequence[Token], candidate: Sequence[Token]) -> float:
    """From 0 to 1: how much of a candidate's runs of one to four tokens the reference has."""
    texts = [" ".join(token.text for token in side) for side in (candidate, reference)]
    return min(1.0, max(0.0, float(_SCORER.sentence_score(texts[0], [texts[1]]).score) / 100))
