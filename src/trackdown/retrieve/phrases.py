"""Units that contain a phrase to the letter, apart from case and the width of spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from trackdown.index import Corpus, Mask
from trackdown.query import words_of_phrases

MOST_READ = 2000
"""How many units are read to look for phrases, those with most of the words first."""
_SPACES = re.compile(r"\s+")


def units_with_phrases(corpus: Corpus, phrases: Sequence[str]) -> Mask:
    """Which live units contain all the phrases. Units that lack a word of one are not read."""
    code = corpus.code
    wanted = words_of_phrases(phrases)
    scores = code.score("body", wanted, [1.0] * len(wanted), 1.2, 0.75)
    promising = code.unit_alive.copy()
    for term in wanted:
        promising &= code.score("body", [term], [1.0], 1.2, 0.75).total > 0
    rows = np.flatnonzero(promising)
    rows = rows[np.argsort(-scores.total[rows], kind="stable")]
    if len(rows) > MOST_READ:
        corpus.note(f"{len(rows)} places have the words of the phrase: looked for it in the best {MOST_READ}")
    read = rows[:MOST_READ].tolist()
    sought = [_plain(phrase) for phrase in phrases]
    found = np.zeros(len(code.unit_alive), dtype=bool)
    for unit, text in zip(read, corpus.texts(read), strict=True):
        plain = "" if text is None else _plain(text)
        found[unit] = all(phrase in plain for phrase in sought)
    return found


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).casefold()
