"""Units and messages of commits that contain a phrase to the letter, apart from case and the width of spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from trackdown.index import Corpus, Mask
from trackdown.query import words_of_phrases

MOST_READ = 2000
"""How many units are read to look for phrases, those with most of the words first."""
_MOST_COMMITS = 1000
"""How many messages of commits with the words of a phrase are read, the latest first."""
_SPACES = re.compile(r"\s*\n[ \t]*(?:(?:#+|//[/!]?|\*(?!/)|--|;+)[ \t]*)?|\s+")
"""Spaces, and a line break with the mark of the comment that goes on after it."""
_SEAM = re.compile(r"""(["'])[ \t]*(?:[+.\\][ \t]*)?\r?\n[ \t]*(?:[+.][ \t]*)?[A-Za-z]{0,2}\1""")
"""Where a string goes on in the next line: two literals, with or without an operator between them."""


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
    if not found.any():
        contained, its = ("the phrase", "its") if len(phrases) == 1 else ("all the phrases in one place", "their")
        corpus.note(f"no indexed file contains {contained}; remove the quotes to search for {its} words")
    return found


def commits_saying(corpus: Corpus, phrases: Sequence[str]) -> dict[int, list[str]]:
    """Visible commit → the phrases that its message contains. A message that lacks a word of a phrase is not read."""
    if corpus.history is None:
        return {}
    index, searched = corpus.history
    found: dict[int, list[str]] = {}
    for phrase in phrases:
        wanted = words_of_phrases([phrase])
        having = [index.score(searched, [term], [1.0], 1.2, 0.75).total > 0 for term in wanted]
        promising: list[int] = np.flatnonzero(np.all(having, axis=0)).tolist() if having else []
        read = promising[::-1][:_MOST_COMMITS]
        texts = corpus.messages(read) if corpus.messages is not None else [index.subject(at) for at in read]
        for position, text in zip(read, texts, strict=True):
            if _plain(phrase) in _plain(text):
                found.setdefault(position, []).append(phrase)
    return found


def _plain(text: str) -> str:
    return _SPACES.sub(" ", _SEAM.sub("", text)).casefold()
