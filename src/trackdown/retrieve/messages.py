"""Messages of the program that the query quotes: string literals, found by the words that they say in a row.

A message is found by pairs of neighbouring words, weighed by how rare they are, and the best are aligned with the query
word by word, so one with its placeholders filled in, wrapped over lines or cut finds the literal that it came from.
A literal that defines a constant, or an entry of a table or catalogue, leads to the units that use its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from trackdown.index import GAP, CodeIndex, Floats, ProgramMessages, hashed, kth_largest
from trackdown.query import STOPWORDS
from trackdown.retrieve.alignment import Alignment, align
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.wording import part_of
from trackdown.types import FUNCTION_KINDS, Match

SIGNAL = "messages"
_WORD = re.compile(r"\w+")
_LONGEST_QUERY = 4000
_VERIFIED = 50
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
_USES, _USES_OF_SAID = 0.9, 0.6
"""What a message counts for those who use its constant: if nobody else says it, and if a function does, too."""
_MOST_USERS = 40
_LONGEST_SHOWN = 70
Hashes = npt.NDArray[np.uint32]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A message that the query quotes: how much of it (by weight), how many words in a row, and of the query."""

    message: int
    unit: int
    score: float
    coverage: float
    run: int
    share: float
    text: str


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the messages that their units say, or whose constants they use."""
    pool, code = request.candidates, request.corpus.code
    found = quoted_messages(code.messages, request.query.text)
    if not found:
        return None
    evidence = _Evidence(len(code.unit_file))
    users_of = cache(lambda name: _users(code, name))
    for quoted in found:
        evidence.say(quoted)
        if name := code.messages.name(quoted.message):
            _lead_to_users(code, quoted, name, users_of(name), evidence)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        units = pool.best_units(chosen, evidence.scores)
        return [
            Match(part_of(code, pool, candidate, unit) + evidence.details.get(unit, ""), evidence.numbers(unit))
            for candidate, unit in zip(chosen, units, strict=True)
        ]

    @cache
    def views() -> dict[str, Floats]:
        return {name: pool.from_units(values) for name, values in evidence.views.items()}

    return Channel(
        SIGNAL, np.minimum(pool.from_units(evidence.scores), 1.0), reasons, 1.0, evidence.scores, views=views
    )


class _Evidence:
    """The best message of each unit, as arrays over all units."""

    def __init__(self, units: int) -> None:
        self.scores: Floats = np.zeros(units)
        self.views: dict[str, Floats] = {name: np.zeros(units) for name in ("coverage", "run", "share", "constant")}
        self.details: dict[int, str] = {}

    def say(self, quoted: Quoted) -> None:
        """A unit says the message itself."""
        self._take(quoted.unit, quoted.score, quoted, f'says "{quoted.text}"')

    def use(self, unit: int, name: str, share: float, quoted: Quoted) -> None:
        """A unit uses the name that stands for the message."""
        score = share * quoted.score
        self._take(unit, score, quoted, f'uses {name}, which says "{quoted.text}"')
        self.views["constant"][unit] = max(self.views["constant"][unit], score)

    def numbers(self, unit: int) -> dict[str, float]:
        """How much of the message the query quotes, how many words in a row, and how much of the query that is."""
        return {name: float(self.views[name][unit]) for name in ("coverage", "run", "share")}

    def _take(self, unit: int, score: float, quoted: Quoted, detail: str) -> None:
        if score <= self.scores[unit]:
            return
        self.scores[unit] = score
        self.details[unit] = detail
        for name, value in (("coverage", quoted.coverage), ("run", float(quoted.run)), ("share", quoted.share)):
            self.views[name][unit] = value


def _users(code: CodeIndex, name: str) -> Sequence[int]:
    """The units that use a constant or a key. The key of a translation is the text that units say."""
    saying = [same.unit for same in quoted_messages(code.messages, name)] if " " in name else []
    return saying or code.units_using(name)


def _lead_to_users(code: CodeIndex, quoted: Quoted, name: str, using: Sequence[int], evidence: _Evidence) -> None:
    """A message that is defined under a name is evidence for those who use the name."""
    users = [unit for unit in using if unit != quoted.unit]
    if not 0 < len(users) <= _MOST_USERS:
        return
    share = _USES_OF_SAID if code.kind(quoted.unit) in FUNCTION_KINDS else _USES
    for unit in users:
        evidence.use(unit, name, share / len(users) ** 0.25, quoted)


def quoted_messages(messages: ProgramMessages, text: str) -> list[Quoted]:
    """The messages that a text quotes, each with its evidence."""
    spans = [match.span() for match in _WORD.finditer(text)][:_LONGEST_QUERY]
    said = hashed([text[first:last] for first, last in spans])
    if len(said) < 2 or not messages.count:
        return []
    known, places = np.unique(said), messages.places(np.unique(said))
    candidates = _candidates(messages, said, known, places)
    if not len(candidates):
        return []
    weights = _weights(messages, known, [messages.said(int(message)) for message in candidates])
    return _verified(messages, candidates.tolist(), said.tolist(), weights, text, spans)


@cache
def _common_words() -> Hashes:
    """Words of every text."""
    return hashed(sorted(STOPWORDS))


def _rarity(messages: ProgramMessages, words: Hashes, counts: Int64s) -> Floats:
    """How much a word tells, in nats, given how often messages have it. Words of every text tell little."""
    found: Floats = np.log1p(max(messages.count, _MANY) / np.maximum(counts, 1))
    found[np.isin(words, _common_words())] *= _COMMON_WORD
    return found


def _candidates(messages: ProgramMessages, said: Hashes, known: Hashes, places: Int64s) -> Int64s:
    """The messages that share neighbouring words with the text, those with the most weight in common."""
    matched = np.union1d(_followed(messages, said, places, 1), _followed(messages, said, places, 2))
    if not len(matched):
        return matched
    rows = np.searchsorted(known, messages.words[places])
    rarity = _rarity(messages, known, np.bincount(rows, minlength=len(known)))
    values = rarity[np.searchsorted(known, messages.words[matched])]
    holders, first = np.unique(messages.message_at(matched), return_inverse=True)
    count = np.bincount(first)
    weight: Floats = np.bincount(first, weights=values).astype(np.float64)
    worth: Floats = weight * np.sqrt(count / messages.size(holders))
    enough = weight >= _LEAST_VERBATIM / 2
    holders, worth = holders[enough], worth[enough]
    if len(holders) > _VERIFIED:
        holders = holders[worth >= kth_largest(worth, _VERIFIED)]  # with all that tie: storage order must not matter
    return holders


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


def _verified(
    messages: ProgramMessages,
    candidates: Sequence[int],
    said: list[int],
    weights: Mapping[int, float],
    text: str,
    spans: Sequence[tuple[int, int]],
) -> list[Quoted]:
    """The candidates that the text does quote, with the part of it that does."""
    where: dict[int, list[int]] = {}
    for place, word in enumerate(said):
        where.setdefault(word, []).append(place)
    total = sum(weights[word] for word in said)
    common = set(_common_words().tolist())
    aligned: dict[bytes, tuple[Alignment, list[int]] | None] = {}
    found = []
    for message in candidates:
        words = messages.said(message)
        key = words.tobytes()
        if key not in aligned:
            listed = words.tolist()
            alignment = align(listed, said, where, weights)
            aligned[key] = None if alignment is None else (alignment, listed)
        if (pair := aligned[key]) is None:
            continue
        alignment, listed = pair
        evidence = sum(weights[listed[place]] for place in alignment.places)
        coverage = evidence / sum(weights[word] for word in listed)
        share = sum(weights[said[place]] for place in alignment.spoken) / total
        telling = sum(listed[place] not in common for place in alignment.places)
        score = _score(evidence, coverage, share, min(telling + 1, len(alignment.places)))
        if not score:
            continue
        part = text[spans[alignment.spoken[0]][0] : spans[alignment.spoken[-1]][1]]
        unit = int(messages.units[message])
        found.append(Quoted(message, unit, score, coverage, alignment.run, share, _shown(part)))
    return sorted(found, key=lambda quoted: (-quoted.score, quoted.text, messages.name(quoted.message)))


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


def _shown(text: str) -> str:
    """A quotation on one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN].rstrip()}…"
