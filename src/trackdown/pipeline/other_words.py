"""Questions in other words than the code's: how little of them words can find.

Then the deep index, which knows what code means, decides the order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.query import Query
from trackdown.retrieve import Channel, deep, mentions, messages, references

OTHERS_SHARE = 1 / 32
"""What is left of the other channels' weights, beside the deep index, where words fail."""
TRUST_FACTOR = 8.0
"""What the fused score is then worth, against models that were taught by issues."""
_LITTLE, _ENOUGH = 0.25, 0.5
"""The share of a question's rarity that the best candidate covers where words fail, and where they find enough."""
_BEST = 10
EXACT = 0.5
"""The score from which on a channel has found a message or a name exactly."""
_SURE = (mentions.SIGNAL, messages.SIGNAL, references.SIGNAL)


def other_words(query: Query, channels: Sequence[Channel]) -> float:
    """How far a question is beyond the words of the code, from 0 to 1; 0 without a deep index, and for an issue.

    A question is one line. If a name, a message of the program or a reference in it was found, it is not beyond them.
    The first channel is the lexical one.
    """
    words = channels[0]
    best_scores = {channel.signal: float(channel.scores.max(initial=0.0)) for channel in channels}
    if words.matched is None or deep.SIGNAL not in best_scores or not query.is_one_line:
        return 0.0
    if any(best_scores.get(signal, 0.0) >= EXACT for signal in _SURE):
        return 0.0
    best = np.argsort(-words.scores, kind="stable")[:_BEST]
    terms = words.matched(best.tolist())
    total = float(terms.rarity.sum())
    if total <= 0.0:
        return 1.0
    covered = float((terms.present @ terms.rarity).max(initial=0.0)) / total
    return min(1.0, max(0.0, (_ENOUGH - covered) / (_ENOUGH - _LITTLE)))
