"""Which messages of a program a text quotes.

A message is found by pairs of neighbouring words, weighed by how rare they are, and the best are aligned with the text
word by word, so one with its placeholders filled in, wrapped over lines or cut finds the literal that it came from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trackdown.index import GAP, CodeIndex, Floats, ProgramMessages, hashed, kth_largest
from trackdown.query import STOPWORDS
from trackdown.retrieve.alignment import Alignment, align

_WORD = re.compile(r"\w+")
_LONGEST_QUERY = 4000
_VERIFIED, _MOST_VERIFIED = 50, 500
"""How many messages are aligned with the text, and how many with all that tie."""
_FEWEST_WORDS = 3
_LEAST_EVIDENCE, _LEAST_VERBATIM = 9.0, 4.0
"""The weight of words, in nats, that a message needs: in passing, and if the query is nothing else."""
_FULL_EVIDENCE, _FULL_VERBATIM = 30.0, 10.0
"""The weight that makes a message certain: about five words that are rare in messages, or two."""
_NEARLY_ALL = 0.9
_FILLED = 8
"""Words between two pieces of a message for which it is looked up. Its alignment allows more."""
_MANY = 1000
"""Fewer messages than this cannot say how rare a word is."""
_COMMON_WORD = 0.4
_IN_PASSING = 0.35
"""What a message counts in a long query that says much else."""
_LONGEST_SHOWN = 70
_MARK = re.compile(r"(?<!\w)[\"'`]|[\"'`](?!\w)|[()\[\]{}“”]")
_PARTNERS = {'"': '"', "'": "'", "`": "`", ")": "(", "]": "[", "}": "{", "”": "“"}
Hashes = npt.NDArray[np.uint32]
Int64s = npt.NDArray[np.int64]


class Quotation(NamedTuple):
    """How sure it is that a text quotes a message, how much of the message (by weight), how many words in a row, how
    much of the text that is, and the part that quotes it.
    """

    score: float
    coverage: float
    run: int
    share: float
    text: str


class Quoted(NamedTuple):
    """A message that a text quotes, and the unit that says it."""

    message: int
    unit: int
    how: Quotation


def quoted_messages(code: CodeIndex, text: str) -> list[Quoted]:
    """The messages that a text quotes, the surest first."""
    messages = code.messages
    spans = [match.span() for match in _WORD.finditer(text)][:_LONGEST_QUERY]
    said = hashed([text[first:last] for first, last in spans])
    if len(said) < 2 or not messages.count:
        return []
    known, places = np.unique(said), messages.places(np.unique(said))
    candidates = _candidates(code, said, known, places)
    if not len(candidates):
        return []
    words = {message: messages.said(message) for message in candidates}
    weights = _weights(messages, known, list(words.values()))
    quotes = cache(_QuotingText(text, spans, said.tolist(), weights).quotes)
    found = [
        Quoted(message, int(messages.units[message]), how)
        for message in candidates
        if (how := quotes(tuple(words[message].tolist()))) is not None
    ]
    return sorted(found, key=lambda quoted: (-quoted.how.score, quoted.how.text, messages.name(quoted.message)))


@cache
def _common_words() -> frozenset[int]:
    """Words of every text."""
    return frozenset(hashed(sorted(STOPWORDS)).tolist())


def _rarity(messages: ProgramMessages, words: Hashes, counts: Int64s) -> Floats:
    """How much a word tells, in nats, given how often messages have it. Words of every text tell little."""
    found: Floats = np.log1p(max(messages.count, _MANY) / np.maximum(counts, 1))
    found[np.isin(words, list(_common_words()))] *= _COMMON_WORD
    return found


def _candidates(code: CodeIndex, said: Hashes, known: Hashes, places: Int64s) -> list[int]:
    """The messages that share neighbouring words with the text, those with the most weight in common. Those that tie
    with the last are among them, up to a limit: which ones must not depend on the order of storage.
    """
    messages = code.messages
    matched = np.union1d(_followed(messages, said, places, 1), _followed(messages, said, places, 2))
    if not len(matched):
        return []
    rows = np.searchsorted(known, messages.words[places])
    rarity = _rarity(messages, known, np.bincount(rows, minlength=len(known)))
    values = rarity[np.searchsorted(known, messages.words[matched])]
    holders, first = np.unique(messages.message_at(matched), return_inverse=True)
    count = np.bincount(first)
    weight: Floats = np.bincount(first, weights=values).astype(np.float64)
    worth: Floats = weight * np.sqrt(count / messages.size(holders))
    enough = weight >= _LEAST_VERBATIM / 2
    holders, worth = holders[enough], worth[enough]
    least = kth_largest(worth, _VERIFIED) if len(holders) > _VERIFIED else 0.0
    found: list[int] = holders[worth > least].tolist()
    tied: list[int] = holders[worth == least].tolist()
    if len(found) + len(tied) > _MOST_VERIFIED:
        tied.sort(key=lambda message: _place_of(code, message))
    return [*found, *tied[: _MOST_VERIFIED - len(found)]]


def _place_of(code: CodeIndex, message: int) -> tuple[bytes, str, int, str]:
    """A message's words and where it is, the same in every index of a snapshot."""
    unit = int(code.messages.units[message])
    words, name = code.messages.said(message).tobytes(), code.messages.name(message)
    return words, code.path(int(code.unit_file[unit])), int(code.unit_start[unit]), name


def _followed(messages: ProgramMessages, said: Hashes, places: Int64s, by: int) -> Int64s:
    """The places whose word and the next one, or the one behind a gap (`by` 2), follow each other in the text, too."""
    starts = places[np.isin(places + by, places, assume_unique=True)]
    if by == 1:
        pairs = _pairs(said[:-1], said[1:])
    else:
        starts = starts[messages.words[starts + 1] == GAP]
        pairs = np.concatenate([_pairs(said[:-far], said[far:]) for far in range(1, min(len(said), _FILLED + 2))])
    starts = starts[np.isin(_pairs(messages.words[starts], messages.words[starts + by]), pairs)]
    return np.concatenate([starts, starts + by])


def _pairs(first: Hashes, second: Hashes) -> npt.NDArray[np.uint64]:
    return (first.astype(np.uint64) << np.uint64(32)) | second


def _weights(messages: ProgramMessages, known: Hashes, candidates: Sequence[Hashes]) -> dict[int, float]:
    """How rare each word of the text and of the candidates is among all messages."""
    wanted = np.unique(np.concatenate([known, *candidates]))
    rarity = _rarity(messages, wanted, messages.frequencies(wanted))
    return dict(zip(wanted.tolist(), rarity.tolist(), strict=True)) | {0: 0.0}


class _QuotingText:
    """A text that may quote messages: its words as hashes, where they are, and what each tells."""

    def __init__(
        self, text: str, spans: Sequence[tuple[int, int]], said: Sequence[int], weights: Mapping[int, float]
    ) -> None:
        self._text = text
        self._spans = spans
        self._said = said
        self._weights = weights
        self._total = self._weight(range(len(said)))
        self._where: dict[int, list[int]] = {}
        for place, word in enumerate(said):
            self._where.setdefault(word, []).append(place)

    def quotes(self, message: tuple[int, ...]) -> Quotation | None:
        """How the text quotes a message; None if it does not."""
        alignment = align(message, self._said, self._where, self._weights)
        if alignment is None:
            return None
        evidence = sum(self._weights[message[place]] for place in alignment.places)
        coverage = evidence / sum(self._weights[word] for word in message)
        share = self._accounted_for(alignment, evidence) / self._total
        telling = sum(message[place] not in _common_words() for place in alignment.places)
        score = _score(evidence, coverage, share, min(telling + 1, len(alignment.places)))
        if not score:
            return None
        first, last = alignment.ends
        part = _with_marks(self._text, self._spans[first][0], self._spans[last][1])
        return Quotation(score, coverage, alignment.run, share, _shown(part))

    def _accounted_for(self, alignment: Alignment, evidence: float) -> float:
        """The weight of the text's words that a message accounts for: its own, and one value in each gap. What else
        stands in its gaps counts no more than its own words: a message of few words and wide gaps could have any text
        between them.
        """
        values = filled = 0.0
        for gap in alignment.filled:
            values += max(map(self._weight, self._without_spaces(gap)))
            filled += self._weight(gap)
        return evidence + values + min(evidence, filled - values)

    def _without_spaces(self, places: Sequence[int]) -> list[list[int]]:
        """Neighbouring places, apart where there is a space between their words: `/var/lib/x y` gives two lists."""
        found: list[list[int]] = []
        for place in places:
            between = self._text[self._spans[place - 1][1] : self._spans[place][0]] if found else " "
            if not between or any(map(str.isspace, between)):
                found.append([])
            found[-1].append(place)
        return found

    def _weight(self, places: Sequence[int]) -> float:
        return sum(self._weights[self._said[place]] for place in places)


def _score(evidence: float, coverage: float, share: float, words: int) -> float:
    """How sure it is that the text quotes a message, 0 to 1. A query that is nothing but a message needs less evidence
    than one that says much else.
    """
    verbatim = coverage * share
    least = _LEAST_EVIDENCE + verbatim * (_LEAST_VERBATIM - _LEAST_EVIDENCE)
    if evidence < least or (words < _FEWEST_WORDS and verbatim < _NEARLY_ALL):
        return 0.0
    full = _FULL_EVIDENCE + verbatim * (_FULL_VERBATIM - _FULL_EVIDENCE)
    both = _IN_PASSING + (1 - _IN_PASSING) * min(coverage, share)
    return min(1.0, evidence / full) * max(coverage, share) * both


def _with_marks(text: str, start: int, end: int) -> str:
    """A part of a text with the mark beside it that belongs to one inside it: `option "x"`, not `option "x`."""
    before, after = text[max(0, start - 1) : start].strip(), text[end : end + 1].strip()
    part = text[start:end]
    wider = (part, part + after, before + part, before + part + after)
    return next((one for one in wider if _balanced(one)), part)


def _balanced(text: str) -> bool:
    """Whether all quotation marks and brackets of a text have their partners in it."""
    opened: list[str] = []
    for found in _MARK.finditer(text):
        mark = found[0]
        closes = found.start() > 0 and not text[found.start() - 1].isspace()
        if closes and opened and opened[-1] == _PARTNERS.get(mark):
            opened.pop()
        elif mark in _PARTNERS.values() and not text[found.end() : found.end() + 1].isspace():
            opened.append(mark)
        else:
            return False
    return not opened


def _shown(text: str) -> str:
    """A quotation on one line, cut if it is long. It will stand in quotation marks."""
    line = " ".join(text.split()).replace('"', "'")
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN].rstrip()}…"
