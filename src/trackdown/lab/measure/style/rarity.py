"""How rare a name is in a corpus: the inverse document frequency with which CSSim weighs names.

The paper names IDF without a formula; its authors' program takes ln(T / d), where d is the number of snippets that hold
the name and T the sum of d over all names. Unlike ln(N / d) that is above 0 for a name which all snippets hold, so it
also serves where the corpus is no more than the two snippets compared. A name outside the corpus counts as seen once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import log


class Rarity:
    """Weights of names by a corpus of snippets, each given as the names that it holds."""

    def __init__(self, corpus: Iterable[Collection[str]]) -> None:
        self._held: Counter[str] = Counter()
        for names in corpus:
            self._held.update(set(names))
        self._total = self._held.total()

    def weight(self, name: str) -> float:
        """ln(T / d); 0 for the only name of a corpus, and for every name where there is none."""
        return log(max(self._total, 1) / max(self._held[name], 1))
